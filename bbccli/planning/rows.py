"""The fewest rows that reach what is wanted: by halving, for both targets fall with the rows.

A width is reached where it is expected to be, an optimism where its upper figure is.
"""

from __future__ import annotations

from collections.abc import Callable

from bbccli.planning.basis import Basis
from bbccli.planning.optimism import bracket
from bbccli.planning.records import Target
from bbccli.planning.width import width

MOST_SAMPLES = 1_000_000
"""Rows at most: where even these do not reach it, something else than rows is lacking."""


def rows_for(
    basis: Basis,
    target: Target,
    value: float,
    n_configurations: int,
    *,
    level: float,
    seed: int = 0,
) -> int | None:
    """Return the fewest rows at which a target is at most `value`; None where none are."""

    def reached(n_samples: int) -> bool:
        found = achieved(basis, target, n_samples, n_configurations, level=level, seed=seed)
        return found <= value

    return first(reached, basis.least_samples, MOST_SAMPLES)


def achieved(
    basis: Basis,
    target: Target,
    n_samples: int,
    n_configurations: int,
    *,
    level: float,
    seed: int = 0,
) -> float:
    """Return the width, or the upper figure of the optimism, of so many rows."""
    if target is Target.WIDTH:
        return width(basis, n_samples, n_configurations, level, seed)
    return bracket(basis, n_samples, n_configurations).upper


def first(holds: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the first whole number from `least` to `most` where something holds from then on.

    Examples
    --------
    >>> first(lambda n: n >= 137, 10, 1000), first(lambda n: n >= 137, 10, 100)
    (137, None)
    """
    if not holds(most):
        return None
    if holds(least):
        return least
    low, high = least, most
    while high - low > 1:
        middle = max(int((low * high) ** 0.5), low + 1)
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
