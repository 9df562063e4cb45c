"""Multiplier bootstrap: how far many figures at once are from the truth, from influence values.

Given the data, the sums of influence values times standard normal numbers have the covariances of
the figures. So their largest, over figures in their standard errors, is as far off as the worst of
all figures is.

Source: Chernozhukov, Chetverikov & Kato 2013.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.resampling import BLOCK, Unit
from bbccli.types import FloatArray, IntArray


def multipliers(n_units: int, seed: int, n_draws: int) -> Iterator[FloatArray]:
    """Yield standard normal numbers in blocks (BLOCK, U): B rows and the rest of the last block.

    Each block has a generator of its own, known from seed and position.
    """
    for position in range(-(-n_draws // BLOCK)):
        sequence = np.random.SeedSequence(seed, spawn_key=(Unit.MULTIPLIERS, 0, position))
        yield np.random.Generator(np.random.PCG64(sequence)).standard_normal((BLOCK, n_units))


def standardised(influence: FloatArray, errors: FloatArray, strata: IntArray | None) -> FloatArray:
    """Return what each unit adds to each figure, in standard errors: (U, C').

    Parameters
    ----------
    influence : (U, C')
        Influence values.
    errors : (C',)
        Standard errors, as of `influence.standard_error`; a figure without one adds nothing.
    strata : (U,) int, optional
        Stratum of each unit.

    Examples
    --------
    >>> parts = standardised(np.array([[1.0], [-1.0], [0.0]]), np.array([3**-0.5]), None)
    >>> float((parts**2).sum().round(12))
    1.0
    """
    in_stratum = np.zeros(len(influence), np.int64) if strata is None else strata
    _, codes = np.unique(in_stratum, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in influence.T], axis=1)
    share = np.sqrt(1 / (sizes * np.maximum(sizes - 1, 1)))
    known = np.where(errors > 0, errors, np.inf)
    return np.asarray((influence - means[codes]) * share[codes, None] / known)


def largest(parts: FloatArray, seed: int, n_draws: int, sign: int) -> FloatArray:
    """Return the largest sum over figures in each draw: (B,).

    Parameters
    ----------
    parts : (U, C')
        As of `standardised`.
    sign
        1 for the sums, -1 for them turned round, 0 for the larger of both.
    """
    found = []
    for block in multipliers(len(parts), seed, n_draws):
        sums = block @ parts
        found.append((np.abs(sums) if sign == 0 else sign * sums).max(axis=1))
    return np.concatenate(found)[:n_draws]
