"""One cell of a plan: what is to be expected of N rows and C configurations."""

from __future__ import annotations

from bbccli.planning.basis import Basis
from bbccli.planning.nearness import near_best
from bbccli.planning.optimism import bracket
from bbccli.planning.records import Cell
from bbccli.planning.width import width


def cell(
    basis: Basis,
    n_samples: int,
    n_configurations: int,
    *,
    level: float,
    within: float,
    seed: int = 0,
) -> Cell:
    """Return a cell; performances have the metric's own sign.

    Parameters
    ----------
    level
        Of the interval, in (0, 1).
    within
        How far from the best still counts as near it, in the metric's unit, >= 0.
    seed
        Of the random numbers behind the width.
    """
    sign = basis.direction.sign
    honest = basis.honest(n_samples, n_configurations)
    found = bracket(basis, n_samples, n_configurations)
    noise = basis.chance(n_samples).noise_of_best
    return Cell(
        n_samples=n_samples,
        n_configurations=n_configurations,
        naive=sign * min(honest + found.middle, basis.best),
        honest=sign * honest,
        optimism=found.middle,
        optimism_lower=found.lower,
        optimism_upper=found.upper,
        width=width(basis, n_samples, n_configurations, level, seed),
        near_best=near_best(basis.spread_of_best, noise, n_configurations, within),
    )
