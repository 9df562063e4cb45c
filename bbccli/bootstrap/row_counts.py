"""How often a part of the samples is drawn: any rows of any resamples, from seed and position.

All draws of a resample are made, a stretch at a time, and those that fall on other rows are let go.
So a part of the samples takes the time of all draws, and the memory of its own counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bbccli.resampling import BLOCK, FEW_UNITS, Draws, any_draw, generator
from bbccli.types import IntArray

STRETCH = 2**16
"""Draws that are made at a time. A generator gives the same ones in stretches of any length."""


def counts_of(draws: Draws, first: int, n_blocks: int, rows: slice) -> tuple[IntArray, IntArray]:
    """Return what every draw of some blocks, usable or not, takes of some consecutive samples.

    Parameters
    ----------
    draws
        Not in strata.
    first, n_blocks
        Blocks of draws.
    rows
        From a sample to another, both given.

    Returns
    -------
    counts : (B, n)
        How often each of the n samples is drawn.
    left_out : (B,) int
        Units among them that are not. Groups have samples in several parts of the rows: all groups
        that are left out are told with the part that starts at the first sample.

    Notes
    -----
    Time O(B U), memory O(B n + U) with groups and O(B n) without.
    """
    counts = np.zeros((n_blocks * BLOCK, rows.stop - rows.start), draws.count_type)
    left_out = np.zeros(len(counts), np.int64)
    grouped = draws.members is not None
    of_units = slice(0, draws.n_units) if grouped else rows
    row = 0
    for block in range(first, first + n_blocks):
        for drawn in each_of(draws, block, of_units):
            if not grouped or rows.start == 0:
                left_out[row] = np.count_nonzero(drawn == 0)
            counts[row] = drawn if draws.members is None else drawn[draws.members[rows]]
            row += 1
    return counts, left_out


def each_of(draws: Draws, block: int, units: slice) -> Iterator[IntArray]:
    """Yield how often some consecutive units are drawn, in each resample of a block."""
    if draws.n_units <= FEW_UNITS:
        every = replace(draws, members=None, accept=any_draw).batch(block, 1)
        yield from every.in_bag[:, units]
        return
    rng = generator(draws.seed, (*draws.stream, block))
    one, start = draws.count_type.type(1), np.uint32(units.start)
    for _ in range(BLOCK):
        counts = np.zeros(units.stop - units.start, draws.count_type)
        for made in range(0, draws.n_units, STRETCH):
            length = min(STRETCH, draws.n_units - made)
            drawn = rng.integers(0, draws.n_units, length, np.uint32)
            if len(counts) < draws.n_units:
                drawn -= start  # what lies before is then more than any number of units
                drawn = drawn[drawn < len(counts)]
            np.add.at(counts, drawn, one)
        yield counts
