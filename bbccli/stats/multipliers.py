"""Multiplier bootstrap: how far many figures at once are from the truth, from influence values.

Given the data, the sums of influence values times standard normal numbers have the covariances of
the figures. So their largest, over figures in their standard errors, is as far off as the worst of
all figures is.

Source: Chernozhukov, Chetverikov & Kato 2013.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.stats.resampling import BLOCK, Unit
from bbccli.types import FloatArray, IntArray

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


def divisors(df: IntArray, weights: FloatArray, seed: int, position: int) -> FloatArray:
    """Return what estimated standard errors are to the true ones (BLOCK,), of one block.

    The roots of sums over strata of weights (H,) times chi2 / df, with df (H,): of one stratum a
    normal number over it is Student's t.
    """
    rng = _generator(seed, 1, position)
    squares = np.stack([rng.chisquare(one, BLOCK) / one for one in df], axis=1)
    return np.asarray(np.sqrt(squares @ weights))


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
    for position in range(-(-n_draws // BLOCK)):
        sums = np.zeros((BLOCK, parts.shape[1]))
        for rows, block in multipliers(len(parts), seed, position):
            sums += block @ parts[rows]
        found.append((np.abs(sums) if sign == 0 else sign * sums).max(axis=1))
    return np.concatenate(found)[:n_draws]


def _generator(seed: int, *key: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(Unit.MULTIPLIERS, *key))
    return np.random.Generator(np.random.PCG64(sequence))
