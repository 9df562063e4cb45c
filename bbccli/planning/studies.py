"""Simulated studies: the width of the interval that `bbc correct` prints, and a check of a cell.

The basis draws each study, and BBC computes its interval, guard included. So the plan is for the
interval that will be seen, up to the uncertainty of the pilot.
"""

from __future__ import annotations

from dataclasses import field, replace
from math import ceil, exp, isfinite, sqrt

import numpy as np
from numpy.random import Generator

from bbccli.domain.plan import Plan
from bbccli.errors import BbcError, UnsupportedError, parameter
from bbccli.methods import METHODS
from bbccli.metrics.capped import measuring, with_plan
from bbccli.planning.assumed import StatedBasis
from bbccli.planning.basis import DrawnStudy, first
from bbccli.planning.pilot import PilotBasis
from bbccli.planning.records import Check
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, silent
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import FloatArray

PlanBasis = PilotBasis | StatedBasis

N_STUDIES = 20
"""Studies behind a width."""

N_CHECKED = 200
"""Studies of a check."""

N_INTERVALS = 80
"""Of these have an interval."""

N_RESAMPLES = 400
MOST_CONFIGURATIONS = 100
"""Of a study: the best ones; the width hardly depends on the others."""

MOST_PREDICTIONS = 4 * 10**4
"""Of a study behind a width; with more rows it falls with their root."""

MOST_DRAWN = 2 * 10**8
"""Predictions of a check in all, about."""


@dataclass(frozen=True, eq=False)
class Widths:
    """Widths of the winner's interval, by simulated studies.

    plan: with the level, the kind of the interval and the guard of `bbc correct`.
    """

    basis: PlanBasis
    plan: Plan
    cache: dict[tuple[int, int], FloatArray] = field(default_factory=dict)

    def seen(self, n_samples: int, n_configurations: int) -> FloatArray:
        """Return the widths (S,) of some studies."""
        most = min(n_configurations, MOST_CONFIGURATIONS)
        rows = max(min(n_samples, MOST_PREDICTIONS // most), self.basis.least_samples)
        if (key := (rows, n_configurations)) not in self.cache:
            rngs = [np.random.default_rng((self.plan.seed, k)) for k in range(N_STUDIES)]
            studies = (self.basis.study(*key, rng, MOST_CONFIGURATIONS) for rng in rngs)
            widths = np.array([simulated_width(study, self.basis, self.plan) for study in studies])
            self.cache[key] = widths[~np.isnan(widths)]
        return self.cache[key] * sqrt(rows / n_samples)

    def of(self, n_samples: int, n_configurations: int, assurance: float | None = None) -> float:
        """Return the mean width, or the one that so large a share of studies does not exceed."""
        lowest, highest = self.basis.metric.bounds
        if n_configurations == 1 and isinstance(self.basis, StatedBasis):
            return min(self.basis.plain_width(n_samples, self.plan.level), highest - lowest)
        widths = self.seen(n_samples, n_configurations)
        return min(width_in(widths, assurance), highest - lowest) if len(widths) else float("nan")

    def rows_for(
        self, value: float, n_configurations: int, least: int, most: int, assurance: float | None
    ) -> int | None:
        """Return the fewest rows, up to noise, that reach an interval width; None where none do.

        Widths shrink roughly with the root of the rows, so a few steps suffice.
        """
        if n_configurations == 1 and isinstance(self.basis, StatedBasis):
            return first(lambda n: self.of(n, 1) <= value, least, most)
        n = float(np.clip(self.basis.n_samples or 10 * least, least, most))
        for _ in range(N_STEPS):
            ratio = self.of(round(n), n_configurations, assurance) / value
            needed = float(np.clip(n * ratio**2, least, 2 * most))
            n, before = min(needed, most), n
            if abs(np.log(needed / before)) < CLOSE:
                break
        rows = int(np.floor(n))
        while rows <= most and not self.of(rows, n_configurations, assurance) <= value:
            rows += max(rows // 200, 1)
        return rows if rows <= most else None

    def range_of(self, rows: int | None, least: int) -> tuple[int | None, int | None]:
        """Return the range of rows that a width may really take (95%).

        Rows are proportional to the variance of a performance, which the pilot estimates with an
        error.
        """
        if rows is None:
            return None, None
        lower, upper = (rows * exp(factor * self.basis.doubt) for factor in (-2, 2))
        return max(ceil(lower), least), ceil(upper)


N_STEPS = 8
CLOSE = 0.003
"""Relative change of the rows at which the search for them ends."""


def width_in(widths: FloatArray, assurance: float | None) -> float:
    """Return the mean of widths (S,), or the normal quantile that such a share does not exceed."""
    if assurance is None or len(widths) < 2:
        return float(widths.mean())
    from scipy.special import ndtri

    return float(widths.mean() + ndtri(assurance) * widths.std(ddof=1))


def simulated_width(study: DrawnStudy, basis: PlanBasis, plan: Plan) -> float:
    """Return the width of BBC's interval on a study, as the basis raises it; NaN without one."""
    plan = replace(plan, n_resamples=min(plan.n_resamples, N_RESAMPLES), tolerance=None)
    try:
        interval = METHODS["bbc"].run(study.matrix, basis.metric, plan).interval
    except BbcError:
        return float("nan")
    lowest, highest = basis.metric.bounds
    if interval is None:
        return float("nan")
    return min(basis.wider * (interval.upper - interval.lower), highest - lowest)


def by_simulation(
    basis: PlanBasis,
    size: tuple[int, int],
    plan: Plan,
    within: float,
    width: float | None = None,
    assurance: float | None = None,
    progress: Progress = silent,
) -> Check:
    """Return what simulated studies of N rows and C configurations say.

    The best is selected by the metric itself; configurations that tie count as one, with their mean
    true performance. The optimism is its figure less its true performance, less the mean of that
    over all configurations.

    Raises UnsupportedError: a study that is too large to be simulated often.
    """
    n_samples, count = size[0], min(size[1], MOST_CHECKED)
    n_drawn = n_samples * count
    if n_drawn > MOST_DRAWN // 10:
        raise UnsupportedError(
            f"{parameter('check')} would simulate studies of {n_drawn:,} predictions each",
            hint=f"fewer {parameter('configurations')}, or a wider {parameter('width')}; or leave "
            f"{parameter('check')} out",
        )
    n_studies = min(MOST_DRAWN // n_drawn, N_CHECKED)
    figures, widths = [], []
    for position in range(n_studies):
        rng: Generator = np.random.default_rng((plan.seed, position, 1))
        study = basis.study(n_samples, count, rng)
        figures.append(_figures_of(study, basis, plan, within))
        if position < N_INTERVALS:
            widths.append(simulated_width(study, basis, plan))
        progress(position + 1, n_studies)
    (naive, honest, optimism, near), errors = _means_and_errors(np.array(figures))
    finite = np.array([width for width in widths if isfinite(width)] or [float("nan")])
    (mean,), (width_error,) = _means_and_errors(finite[:, None])
    return Check(
        *(basis.law, n_studies, naive, honest, optimism, errors[2]),
        *(mean, width_error, near, errors[3]),
        width_assured=None if assurance is None else width_in(finite, assurance),
        width_met=None if width is None else float(np.mean(finite <= width)),
    )


MOST_CHECKED = 2000
"""Configurations of a check."""


def _means_and_errors(values: FloatArray) -> tuple[list[float], list[float]]:
    errors = values.std(axis=0, ddof=min(len(values) - 1, 1)) / sqrt(len(values))
    return values.mean(axis=0).tolist(), errors.tolist()


def _figures_of(
    study: DrawnStudy, basis: PlanBasis, plan: Plan, within: float
) -> tuple[float, ...]:
    sign, metric = basis.metric.direction.sign, with_plan(basis.metric, plan)
    chosen, gains = (
        sign * Candidates(study.matrix, metric, pooling).performances() + study.shift
        for pooling in (plan.pooling, measuring(metric, plan))
    )
    off, best = gains - study.gains, chosen >= np.nanmax(chosen) - 1e-12
    near = (study.gains[best] >= study.gains.max() - within).mean()
    honest = study.gains[best].mean()
    optimism = off[best].mean() - np.nanmean(off)
    return sign * float(gains[best].mean()), sign * float(honest), float(optimism), float(near)
