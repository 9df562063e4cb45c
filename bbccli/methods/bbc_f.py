"""BBC-F: bootstrap bias corrected cross-validation, over folds.

1. Compute the performance of each configuration in each of the F folds.
2. Select the winner by its mean over folds: its mean is the naive performance.
3. Draw F of the F folds with replacement. A draw of every fold is not used.
4. Select the configuration with the best mean over the drawn folds, with multiplicity.
5. Score it by its mean over the folds that were not drawn.
6. The estimate is the mean of the performances over all draws, the interval their percentiles.

There are only C(2F - 1, F) different draws: 92,378 for ten folds. Up to `EXACT_LIMIT` of them all
are taken, each with its probability, so that nothing is left to chance; beyond, B are sampled.

With R repeats, each resample draws the folds of one repeat, and the R distributions are mixed in
equal parts. Drawing from all R F folds together would select on the very samples that it scores:
each sample lies in one fold of every repeat.

Source: Paraschakis et al. 2024, section 2, Algorithm 1, and the authors' code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bbccli import resources
from bbccli.bootstrap.out_of_bag import Selections, extend, measure
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.corrected import enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import Note, partial_folds
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import Draws, Unit, count_every_resample, every_resample, leaves_some_out
from bbccli.results import Distribution, Estimate
from bbccli.selection.candidates import fold_performances
from bbccli.selection.css import Css, css_of
from bbccli.threads import ordered_map
from bbccli.types import TIE_TOLERANCE, FloatArray, IntArray, Pooling

EXACT_LIMIT = 200_000
"""Different draws up to which all are enumerated: ten folds."""

CHUNK = 512
"""Draws scored at once: their performances stay in the cache."""


def bbc_f(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the BBC-F estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations, with F folds.
    metric
        Must be defined in every fold.
    plan
        `level` and `side` of the interval; `n_resamples` B or `tolerance`, and `seed`, where draws
        are sampled. The winner is always the best fold mean, whatever `pooling` says.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        Mean and percentile interval of the out-of-bag performances.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined.

    Notes
    -----
    Time O(M F C) for M draws, once the fold performances are known.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024, section 2, Algorithm 1.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    css = css_of(matrix, selector, plan)
    naive = cvt(matrix, metric, replace(plan, pooling=Pooling.FOLD_MEAN), select_by=selector)
    repeats = list(
        zip(
            fold_performances(matrix, selector),
            fold_performances(matrix, metric),
            strict=True,
        )
    )
    exact = max(count_every_resample(len(judged)) for judged, _ in repeats) <= EXACT_LIMIT
    if exact:
        parts = [_enumerate(judged, measured, css) for judged, measured in repeats]
        distribution = mixture(parts)
    else:
        distribution = enough(
            lambda n: mixture(
                [
                    _sample(judged, measured, css, n, plan.seed, repeat, progress)
                    for repeat, (judged, measured) in enumerate(repeats)
                ]
            ),
            matrix,
            metric,
            plan,
        )
    return from_distribution(
        matrix,
        metric,
        replace(plan, tolerance=None) if exact else plan,
        naive,
        distribution,
        method="bbc-f",
        n_drawn=len(repeats[0][0]),
        notes=_notes(matrix),
    )


def _enumerate(judged: FloatArray, measured: FloatArray, css: Css) -> Distribution:
    """Every resample of the F folds of one repeat, from performances (F, C)."""
    in_bag, probabilities = every_resample(len(judged))
    jobs = resources.current().jobs
    starts = np.arange(0, len(in_bag), CHUNK)
    # each thread works through a run of chunks, in buffers of its own
    runs = [run for run in np.array_split(starts, jobs) if len(run)]
    simple = css.order is None and not np.isnan(judged).any()
    lead = _best_of_sums if simple else _selected
    winners = np.concatenate(
        list(ordered_map(lambda run: lead(in_bag, judged, css, run), runs, jobs))
    )
    out_of_bag = in_bag == 0
    sizes = out_of_bag.sum(axis=1)
    # a fold that is undefined counts only where it is scored, and in some bags nothing can win
    scored = np.where(out_of_bag, measured.T[winners], 0.0)
    scored[winners < 0] = np.nan
    return Distribution(scored.sum(axis=1) / sizes, winners, probabilities, sizes=sizes)


def _best_of_sums(in_bag: IntArray, judged: FloatArray, css: Css, starts: IntArray) -> IntArray:
    """Best configuration of some chunks of resamples: of sums, for all are sums of F draws."""
    gains = css.direction.sign * judged
    sums = np.empty((CHUNK, judged.shape[1]))
    tied = np.empty(sums.shape, bool)
    winners = []
    for start in starts:
        drawn = in_bag[start : start + CHUNK].astype(float)
        size = len(drawn)
        np.matmul(drawn, gains, out=sums[:size])
        top = sums[:size].max(axis=1, keepdims=True)
        np.greater_equal(sums[:size], top - TIE_TOLERANCE * np.abs(top), out=tied[:size])
        winners.append(tied[:size].argmax(axis=1))
    return np.concatenate(winners)


def _selected(in_bag: IntArray, judged: FloatArray, css: Css, starts: IntArray) -> IntArray:
    """What any rule selects in some chunks of resamples."""
    judge, errors = MeanScorer.of(judged), ByFold(judged).errors
    chunks = (in_bag[start : start + CHUNK] for start in starts)
    return np.concatenate([css.select(judge(drawn), drawn, errors) for drawn in chunks])


def _sample(
    judged: FloatArray,
    measured: FloatArray,
    css: Css,
    n_resamples: int,
    seed: int,
    repeat: int,
    progress: Progress,
) -> Distribution:
    """B resamples of the folds of one repeat, from performances (F, C)."""
    draws = Draws(len(judged), seed, (Unit.FOLDS, repeat), leaves_some_out)
    found = Selections()
    folds = ByFold(judged)
    extend(found, n_resamples, folds, draws, css, progress=progress)
    first = found.first(n_resamples)
    if measured is judged:
        return first
    return replace(first, values=measure(found, n_resamples, ByFold(measured), draws))


@dataclass(frozen=True, slots=True, eq=False)
class ByFold:
    """Configurations as their performances (F, C) in folds: the fold is what is drawn."""

    performances: FloatArray

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.performances.shape[1])

    @property
    def swept(self) -> bool:
        """Whether pairs are counted: no, means of folds are."""
        return False

    @property
    def n_sweeps(self) -> int:
        """C: each is one mean over the folds."""
        return self.n_configurations

    def blocks(self) -> list[IntArray]:
        """One block of all columns: F is small."""
        return [np.arange(self.n_configurations)]

    def bind(self, columns: IntArray) -> MeanScorer:
        """Return the scorer of means over folds."""
        return MeanScorer.of(self.performances[:, columns])

    def errors(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Return the standard errors (B,) of means over the drawn folds, with multiplicity."""
        values = self.performances.T[np.maximum(configurations, 0)]
        n_drawn = weights.sum(axis=1, dtype=float)
        centred = values - (np.sum(weights * values, axis=1) / n_drawn)[:, None]
        variance = np.sum(weights * centred**2, axis=1) / np.maximum(n_drawn - 1, 1)
        return np.asarray(np.sqrt(variance / n_drawn))


def mixture(parts: list[Distribution]) -> Distribution:
    """Return equal parts of each repeat's distribution."""
    probabilities = [part.probabilities for part in parts if part.probabilities is not None]
    sizes = [part.sizes for part in parts if part.sizes is not None]
    return Distribution(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.winners for part in parts]),
        np.concatenate(probabilities) / len(parts) if probabilities else None,
        sum(part.n_redrawn for part in parts),
        np.concatenate(sizes) if sizes else None,
    )


def _notes(matrix: PredictionMatrix) -> tuple[Note, ...]:
    repeated = (partial_folds(matrix.n_repeats),) if matrix.n_repeats > 1 else ()
    return on_few_folds(matrix) + repeated


METHOD = Method(
    name="bbc-f",
    label="corrected, folds",
    run=bbc_f,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="select in bootstrap resamples of the folds, score on the folds left out",
    reference="Paraschakis et al. 2024, section 2, Algorithm 1",
)
