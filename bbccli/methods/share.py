"""Intervals of a share: Wald, Wilson, Clopper-Pearson and Jeffreys.

1. Select the winner as cvt does. Its performance p is the share of N samples that are right, or
   wrong: a metric that is the mean of a yes or no per sample, such as the accuracy.
2. Take k = N p as a binomial count of N independent samples, the winner as if it were the only
   configuration, and 1 - level as the probability outside (one-sided), or half of it per end.
3. Solve for the ends, by one of four formulas.

With R repeats, p is the mean over repeats and N stays the number of samples: repeats don't make
samples. With sample weights w, N is Kish's effective size (sum w)^2 / sum w^2. Samples in groups
are not independent: there is no interval then.

Source: Brown, Cai & DasGupta 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from bbccli.errors import UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Run
from bbccli.methods.cvt import cvt
from bbccli.methods.winner import alone, interval_by, without_width
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import no_interval
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.available import AvailableCases
from bbccli.selection.candidates import by_repeat

Formula = Callable[[float, float, float], tuple[float, float]]
"""Share p, samples n, probability outside of each end -> lower and upper end."""


def wald(share: float, n: float, outside: float) -> tuple[float, float]:
    """Return p -+ z sqrt(p (1 - p) / n). It has no width where p is 0 or 1.

    Examples
    --------
    >>> [round(end, 4) for end in wald(0.8, 100, 0.025)]
    [0.7216, 0.8784]
    """
    margin = _z(outside) * sqrt(share * (1 - share) / n)
    return share - margin, share + margin


def wilson(share: float, n: float, outside: float) -> tuple[float, float]:
    """Return the shares that a score test at p does not reject.

    References
    ----------
    Wilson 1927; Brown, Cai & DasGupta 2001, section 3.1.1.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0.8, 100, 0.025)]
    [0.7112, 0.8666]
    """
    z = _z(outside)
    centre = share + z**2 / (2 * n)
    margin = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    stretch = 1 + z**2 / n
    return (centre - margin) / stretch, (centre + margin) / stretch


def clopper_pearson(share: float, n: float, outside: float) -> tuple[float, float]:
    """Return the shares that an exact binomial test does not reject, by beta quantiles.

    References
    ----------
    Clopper & Pearson 1934.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0.8, 100, 0.025)]
    [0.7082, 0.8733]
    """
    from scipy.stats import beta

    k = share * n
    lower = beta.ppf(outside, k, n - k + 1) if share > 0 else 0.0
    upper = beta.ppf(1 - outside, k + 1, n - k) if share < 1 else 1.0
    return float(lower), float(upper)


def jeffreys(share: float, n: float, outside: float) -> tuple[float, float]:
    """Return quantiles of the posterior beta (k + 1/2, n - k + 1/2); 0 and 1 belong to p = 0 and 1.

    References
    ----------
    Brown, Cai & DasGupta 2001, section 3.1.3.

    Examples
    --------
    >>> [round(end, 4) for end in jeffreys(0.8, 100, 0.025)]
    [0.7137, 0.8692]
    """
    from scipy.stats import beta

    k = share * n
    lower, upper = beta.ppf([outside, 1 - outside], k + 0.5, n - k + 0.5)
    return (float(lower) if share > 0 else 0.0), (float(upper) if share < 1 else 1.0)


def _z(outside: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(outside))


def _by(name: str, formula: Formula) -> Run:
    """The method that applies a formula to the winner's share."""

    def run(
        matrix: PredictionMatrix,
        metric: Metric,
        plan: Plan,
        *,
        select_by: Metric | None = None,
        progress: Progress = silent,
    ) -> Estimate:
        naive = cvt(matrix, metric, plan, select_by=select_by)
        winner = matrix.configurations.index(naive.winner)
        if not _is_share(matrix, metric, winner):
            raise UnsupportedError(
                f"{name} is for shares of samples, such as accuracy and error; "
                f"{metric.label} is none",
                hint="bbc; or naive and influence, which ignore the selection as well",
            )
        if matrix.groups is not None:
            why = "the samples come in groups, and its formula is for independent samples"
            note = no_interval(name, why, "use bbc or naive, which resample whole groups")
            return alone(naive, name, None, (note,))
        n = _effective_size(matrix, winner)

        def ends(outside: float) -> tuple[float, float]:
            return formula(naive.value, n, outside)

        notes = without_width(ends, naive.value)
        return alone(naive, name, interval_by(ends, metric, plan), notes)

    return run


def _is_share(matrix: PredictionMatrix, metric: Metric, winner: int) -> bool:
    """Whether the metric is the mean of a yes or no per sample."""
    scorers = by_repeat(matrix, metric, np.array([winner]))
    of_all = [s.scorer if isinstance(s, AvailableCases) else s for s in scorers]
    return all(isinstance(scorer, MeanScorer) and scorer.share for scorer in of_all)


def _effective_size(matrix: PredictionMatrix, winner: int) -> float:
    """Samples that the winner predicts, or Kish's effective size of weighted ones."""
    weights = matrix.outcome.weights
    masses = np.ones(matrix.n_samples) if weights is None else np.asarray(weights)
    counted = True if matrix.available is None else matrix.available[:, :, winner]
    masses = np.atleast_2d(masses * counted)
    return float(np.mean(masses.sum(axis=1) ** 2 / (masses**2).sum(axis=1)))


def _method(name: str, formula: Formula, summary: str, reference: str) -> Method:
    return Method(
        name=name,
        label="share",
        run=_by(name, formula),
        needs=frozenset(),
        gives=frozenset({Gives.POINT, Gives.INTERVAL}),
        summary=summary,
        reference=reference,
        ignores_selection=True,
    )


METHODS = (
    _method(
        "wald",
        wald,
        "normal interval of the winner's share of right samples",
        "Brown, Cai & DasGupta 2001",
    ),
    _method(
        "wilson", wilson, "score interval of the winner's share of right samples", "Wilson 1927"
    ),
    _method(
        "clopper-pearson",
        clopper_pearson,
        "exact binomial interval of the winner's share of right samples",
        "Clopper & Pearson 1934",
    ),
    _method(
        "jeffreys",
        jeffreys,
        "beta interval of the winner's share of right samples",
        "Brown, Cai & DasGupta 2001",
    ),
)
