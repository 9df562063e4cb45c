"""Check a cell of a plan by simulated matrices: whether the formulas hold at these sizes.

1. Draw the true performances of C configurations, normal with the spread of the basis, about the
   value that makes the winner's expectation that of the cell.
2. Simulate predictions of N rows by a law with these performances. The errors
   of two configurations have the correlation of the basis: that of the normal numbers behind them
   follows from it by bivariate normal probabilities.
3. Select the best; configurations that tie count as one, with their mean true performance. The
   optimism is its figure less its true performance, less the mean of that over all configurations,
   which is 0 on average and takes off what all have in common.
4. Of the first matrices compute BBC's interval.

What it checks is the normal approximation: bounds, ties, noise that is smaller at the top. The
numbers of the basis are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bbccli.core.plan import Plan
from bbccli.core.progress import Progress, silent
from bbccli.errors import UnsupportedError
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.planning.basis import PlanBasis, reached
from bbccli.planning.records import Cell, Check
from bbccli.planning.simulation import Simulated, binormal, right_or_wrong
from bbccli.types import FloatArray

MOST_REPEATS = 200
N_INTERVALS = 24
"""Matrices of which BBC's interval is computed."""

N_RESAMPLES = 400
MOST_DRAWN = 2 * 10**8
"""Predictions that are drawn in all, about."""

LARGEST = 5 * 10**7
"""Predictions of one matrix, at most."""

EDGE = 1e-3
"""Simulated performances keep this distance from 0 and 1."""


@dataclass(frozen=True, slots=True)
class CheckLaw:
    """A law of simulation: its name, what draws, and the correlation behind that of errors."""

    name: str
    draw: Callable[..., Simulated]
    common: Callable[[float, float], float]


def check(
    basis: PlanBasis,
    chosen: Cell,
    level: float,
    within: float,
    seed: int,
    progress: Progress = silent,
) -> Check:
    """Return what simulated matrices say of a cell.

    Raises
    ------
    UnsupportedError
        A metric without a law, or a matrix that is too large to be simulated often.
    """
    law, n_drawn = law_of(basis), chosen.n_samples * chosen.n_configurations
    if n_drawn > LARGEST:
        raise UnsupportedError(
            f"--check would simulate matrices of {n_drawn:,} predictions each",
            hint="fewer --configurations, or a wider --width; or leave --check out",
        )
    n_repeats = int(np.clip(MOST_DRAWN // n_drawn, 10, MOST_REPEATS))
    rng, found, widths = np.random.default_rng(seed), [], []
    for position in range(n_repeats):
        simulated = _simulated(basis, chosen, law, rng)
        found.append(_one(basis, simulated, within))
        if position < N_INTERVALS:
            widths.append(_width(basis, simulated, level, seed))
        progress(position + 1, n_repeats)
    means, errors = _summed(np.array(found))
    (width,), (width_error,) = _summed(np.array(widths)[:, None])
    return Check(
        *(law.name, n_repeats, means[0], means[1], means[2], errors[2]),
        *(width, width_error, means[3], errors[3]),
    )


def _summed(values: FloatArray) -> tuple[list[float], list[float]]:
    """Means and their standard errors of repeats (R, ...)."""
    errors = values.std(axis=0, ddof=1) / sqrt(len(values))
    return values.mean(axis=0).tolist(), errors.tolist()


def _simulated(
    basis: PlanBasis, chosen: Cell, law: CheckLaw, rng: np.random.Generator
) -> Simulated:
    sign, n_configurations = basis.direction.sign, chosen.n_configurations
    noise = basis.chance(chosen.n_samples).noise
    centre = sign * chosen.honest - reached(basis.spread, noise, n_configurations)
    gains = centre + basis.spread * rng.standard_normal(n_configurations)
    # of an error the law draws the share of what is right
    true = np.clip(gains if sign > 0 else 1 + gains, EDGE, 1 - EDGE)
    usual = chosen.honest if sign > 0 else 1 - chosen.honest
    prevalence = 0.5 if basis.prevalence is None else basis.prevalence
    return law.draw(
        *(true, chosen.n_samples, rng),
        balance=1 - prevalence,
        correlation=law.common(float(np.clip(usual, EDGE, 1 - EDGE)), basis.correlation),
    )


def _one(basis: PlanBasis, simulated: Simulated, within: float) -> tuple[float, ...]:
    """Naive figure, true performance, optimism of the winner, and whether it is near the best."""
    metric, matrix = METRICS[basis.metric], simulated.matrix
    sign = basis.direction.sign
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    observed = sign * scorer(np.ones((1, matrix.n_samples), np.uint8))[0]
    true = simulated.performances - (0 if sign > 0 else 1)
    off, best = observed - true, observed >= observed.max() - 1e-12
    near = (true[best] >= true.max() - within).mean()
    honest = true[best].mean()
    return sign * observed.max(), sign * honest, off[best].mean() - off.mean(), near


def _width(basis: PlanBasis, simulated: Simulated, level: float, seed: int) -> float:
    plan = Plan(n_resamples=N_RESAMPLES, level=level, seed=seed)
    found = METHODS["bbc"].run(simulated.matrix, METRICS[basis.metric], plan).interval
    return float("nan") if found is None else found.upper - found.lower


def law_of(basis: PlanBasis) -> CheckLaw:
    """Return the law that has the metric of a basis.

    Raises
    ------
    UnsupportedError
        There is none.
    """
    if basis.metric == "auc":
        return CheckLaw("binormal", binormal, behind_areas)
    if basis.metric in ("accuracy", "error"):
        return CheckLaw("right-or-wrong", right_or_wrong, behind_shares)
    raise UnsupportedError(
        f"--check has no law of simulation with a known {METRICS[basis.metric].label}",
        hint="leave it out; it is for auc, accuracy and error",
    )


def behind_shares(accuracy: float, correlation: float) -> float:
    """Return the correlation of normal numbers whose cuts at a share are so correlated.

    Examples
    --------
    >>> round(behind_shares(0.5, 0.5), 4)  # sin(pi / 4)
    0.7071
    """
    return _solved(accuracy, correlation, lambda r: r)


def behind_areas(auc: float, correlation: float) -> float:
    """Return the correlation of normal scores whose placements are so correlated.

    The placement of a score is Phi of it, moved: the probability that an independent normal number
    is below. So their covariance is that of cuts with half the correlation.

    Examples
    --------
    >>> round(behind_areas(0.5, 0.5), 4)  # 2 sin(pi / 12)
    0.5176
    """
    return _solved(auc, correlation, lambda r: r / 2)


def _solved(share: float, correlation: float, seen: Callable[[float], float]) -> float:
    """Correlation, up to 0.999, at which two cuts at a share have one of the largest possible."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if correlation <= 0:
        return 0.0
    cut = float(ndtri(share))
    whole = both_below(cut, seen(1.0)) - share**2

    def too_high(r: float) -> float:
        return (both_below(cut, seen(r)) - share**2) / whole - correlation

    highest = 0.999
    return highest if too_high(highest) < 0 else float(brentq(too_high, 0.0, highest))


def both_below(cut: float, correlation: float) -> float:
    """Return the probability that two correlated standard normal numbers are both below a cut.

    Source: Owen 1956: Phi(h) - 2 T(h, sqrt((1 - r) / (1 + r))).

    Examples
    --------
    >>> round(both_below(0.0, 0.5), 4), round(both_below(0.0, 1.0), 4)
    (0.3333, 0.5)
    """
    from scipy.special import ndtr, owens_t

    slope = sqrt((1 - correlation) / (1 + correlation))
    return float(ndtr(cut) - 2 * owens_t(cut, slope))
