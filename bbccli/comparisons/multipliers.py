"""Normal multipliers of influence values, in blocks that are known from seed and position."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.resampling import BLOCK, Unit
from bbccli.types import FloatArray

MOST_MULTIPLIED = 2**16
"""Units whose multipliers are drawn in one call. Part of what a seed means for more of them."""


def multipliers(n_units: int, seed: int, position: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield one block of standard normal numbers (BLOCK, U), by parts of the units.

    Parameters
    ----------
    n_units
        U, units to multiply.
    seed
        Of the plan.
    position
        Of the block, 0 or more.

    Yields
    ------
    slice
        The units of a part, up to 2^16 of them.
    (BLOCK, U')
        Their multipliers.
    """
    rng = _generator(seed, 0, position)
    for start in range(0, n_units, MOST_MULTIPLIED):
        part = slice(start, min(start + MOST_MULTIPLIED, n_units))
        yield part, rng.standard_normal((BLOCK, part.stop - part.start))


def divisors(df: int, seed: int, position: int) -> FloatArray:
    """Return sqrt(chi2 / df) (BLOCK,) of one block: a normal number over it is Student's t."""
    squares = _generator(seed, 1, position).chisquare(df, BLOCK)
    return np.asarray(np.sqrt(squares / df))


def _generator(seed: int, *key: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(Unit.MULTIPLIERS, *key))
    return np.random.Generator(np.random.PCG64(sequence))
