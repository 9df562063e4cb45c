"""What an interval of a resample distribution is made of, and how a kind of them is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from bbccli.intervals.guard import Guarded
from bbccli.notes import Note
from bbccli.plan import Plan
from bbccli.results import Distribution


@dataclass(frozen=True, slots=True)
class Basis:
    """What an interval needs besides the distribution.

    Attributes
    ----------
    value
        The estimate that the interval belongs to.
    n_units
        Samples, or groups of samples, that the metric rests on: what the guard counts. Of weighted
        ones their effective number.
    n_drawn
        Units that were drawn from: samples, groups or folds.
    drawn
        Whether the estimate is the mean of the distribution.
    worst : optional
        Worst figure of a single sample of the winner, for losses without a worst value; None where
        there is none.
    fixed
        Whether models are used as they are, and not trained again.
    """

    value: float
    n_units: float
    n_drawn: int
    drawn: bool = True
    worst: float | None = None
    fixed: bool = False


class Quantiles(Protocol):
    """Quantiles of a distribution, and their Monte-Carlo standard errors."""

    def quantile(self, probability: float, /) -> float:
        """Smallest value whose distribution function reaches the probability."""

    def quantile_error(self, probability: float, /) -> float:
        """Standard error that comes from drawing resamples."""


def within(drawn: Distribution, bounds: tuple[float, float]) -> Distribution:
    """Return the distribution with performances beyond the bounds moved onto them."""
    return replace(drawn, values=np.clip(drawn.values, *bounds))


def any_plan(plan: Plan) -> None:
    """Refuse no plan."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A way to make an interval of a resample distribution.

    Parameters
    ----------
    law
        Resampled performances, the basis and the metric's bounds -> what the ends are quantiles of.
    guarded
        The same law, number of units and bound -> its quantiles with the guard.
    check
        Raises an UnsupportedError where it can't be made of the resamples of this plan.
    guards_losses
        Whether an end without a bound is guarded with the winner's worst sample.
    ranks
        Whether its ends are order statistics, of which few resamples have none far out.
    notes
        What to know of each of them.
    """

    law: Callable[[Distribution, Basis, tuple[float, float]], Any]
    guarded: Callable[[Any, float, float], Quantiles] = Guarded
    check: Callable[[Plan], None] = any_plan
    guards_losses: bool = False
    ranks: bool = True
    notes: tuple[Note, ...] = ()
