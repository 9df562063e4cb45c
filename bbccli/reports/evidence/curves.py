"""ROC and reliability curves of the winner, naive and corrected for the selection.

The naive curve is the winner's on the samples that chose it. The corrected one is the mean over
BBC's resamples of the out-of-bag curve of the configuration that won in each, or of what was made
in it: BBC applied to a curve. The area under the mean ROC is BBC's estimate, up to the grid.

Reliability is the isotonic (pool adjacent violators) regression of the outcome on the predicted
probability. Its band contains, point by point, nine in ten curves of outcomes drawn from the
probabilities themselves. With repeats, a curve is the mean over the repeats.

Source: Fawcett 2006 (vertical averaging); Dimitriadis, Gneiting & Jordan 2021 (reliability
diagrams); Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5 (the resamples).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

from bbccli.domain.matrix import PLURAL
from bbccli.errors import UnsupportedError
from bbccli.reports.evidence import Curves
from bbccli.stats.bootstrap.bbc_samples import made_again, out_of_bag, replayed
from bbccli.stats.case import Case
from bbccli.types import FloatArray, IntArray, PredictionKind, Select, Task, distinct

GRID = np.linspace(0, 1, 101)
"""Points at which curves are averaged."""

_GRID = tuple(round(float(x), 2) for x in GRID)

MOST_CELLS = 10**8
"""Samples that all curves of the mean may rest on together; of more samples fewer resamples."""

FEWEST = 50
"""Resamples in a mean at least."""

MOST_VALUES = 500
"""Distinct probabilities of a reliability curve; of more, neighbours are put together."""

N_BANDS, BAND = 200, (0.05, 0.95)
"""Curves drawn for a band, and the share of them under its ends."""

DECIMALS = 6
"""Of the points of a curve."""

COVERED = 0.5
"""Share of the resamples that must reach a probability for their mean to be shown there."""

Curve = Callable[[FloatArray, IntArray, FloatArray], FloatArray]
"""Scores and truth (n,), and rows of weights (b, n) -> values on the grid (b, K); NaN where there
is none.
"""

AT_ONCE = 2**20
"""Weights of resamples that are looked at together."""


def roc(case: Case) -> Curves:
    """Return the ROC of the winner.

    Raises UnsupportedError: another task than a binary one, or predictions that are class labels.
    Raises UndefinedError: where BBC is undefined.
    """
    _check(case, (PredictionKind.PROBABILITY, PredictionKind.SCORE), "a ROC curve needs scores")
    naive, corrected, n_resamples = _both(case, roc_of)
    return Curves(_GRID, _shown(naive), _shown(corrected), n_resamples)


def calibration(case: Case) -> Curves:
    """Return the reliability of the winner's probabilities.

    Raises UnsupportedError: another task than a binary one, or predictions that are no
        probabilities.
    Raises UndefinedError: where BBC is undefined.
    """
    _check(case, (PredictionKind.PROBABILITY,), "calibration needs probabilities")
    naive, corrected, n_resamples = _both(case, reliability_of)
    lower, upper = _band(case)
    return Curves(
        _GRID,
        _shown(naive),
        _shown(corrected),
        n_resamples,
        lower=_shown(np.where(np.isnan(naive), np.nan, lower)),
        upper=_shown(np.where(np.isnan(naive), np.nan, upper)),
    )


def roc_of(scores: FloatArray, truth: IntArray, weights: FloatArray) -> FloatArray:
    """Return the true positive rate at each false positive rate of the grid.

    >>> roc_of(np.array([0.1, 0.4, 0.6]), np.array([0, 1, 1]), np.ones((1, 3)))[:, [0, 50, 100]]
    array([[0.5, 1. , 1. ]])
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.append(-1, np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)))
    positive, negative = (  # none before the first, at -1
        np.hstack([np.cumsum(part[:, order], axis=1), np.zeros((len(part), 1))])[:, ends]
        for part in (weights * truth, weights * (1 - truth))
    )
    curves = np.full((len(weights), len(GRID)), np.nan)
    for row in np.flatnonzero((positive[:, -1] > 0) & (negative[:, -1] > 0)):
        hits, alarms = positive[row] / positive[row, -1], negative[row] / negative[row, -1]
        # the middle of a vertical step: its upper end would favour curves of few negative samples
        curves[row] = np.interp(GRID, alarms, hits)
        curves[row] += np.interp(-GRID, -alarms[::-1], hits[::-1])
    return curves / 2


def reliability_of(scores: FloatArray, truth: IntArray, weights: FloatArray) -> FloatArray:
    """Return the isotonic frequency at each probability of the grid that is within the scores."""
    values, places = np.unique(scores, return_inverse=True)
    if len(values) > MOST_VALUES:
        places = places * MOST_VALUES // len(values)
    curves = np.full((len(weights), len(GRID)), np.nan)
    for row, counts in enumerate(weights):
        sizes = np.bincount(places, counts)
        kept = sizes > 0
        if kept.any():
            means = np.bincount(places, counts * truth)[kept] / sizes[kept]
            at = np.bincount(places, counts * scores)[kept] / sizes[kept]
            fitted = _increasing(means, sizes[kept])
            curves[row] = np.interp(GRID, at, fitted, left=np.nan, right=np.nan)
    return curves


def _increasing(values: FloatArray, weights: FloatArray | IntArray) -> FloatArray:
    """Return the isotonic regression by pooling adjacent violators.

    `scipy.optimize` takes longer to import than all curves of a page.

    >>> _increasing(np.array([0.5, 0.0, 1.0]), np.array([1.0, 3.0, 1.0])).tolist()
    [0.125, 0.125, 1.0]
    """
    means, totals, counts = list[float](), list[float](), list[int]()
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, count = value, weight, 1
        while means and means[-1] >= mean:
            before, more = means.pop(), totals.pop()
            mean = (mean * total + before * more) / (total + more)
            total += more
            count += counts.pop()
        means.append(mean)
        totals.append(total)
        counts.append(count)
    return np.repeat(means, counts)


def _check(case: Case, kinds: Iterable[PredictionKind], words: str) -> None:
    matrix = case.matrix
    if matrix.task is not Task.BINARY:
        raise UnsupportedError("it is drawn for two classes", hint="another figure")
    if matrix.kind not in kinds:
        problem = f"{words}; these predictions are {PLURAL[matrix.kind]}"
        raise UnsupportedError(problem, hint="another figure, or predictions of that kind")
    if case.plan.select is not Select.BEST and not matrix.n_folds:
        raise UnsupportedError(
            "the selection needs folds", hint="add a fold column, or --select best"
        )


def _both(case: Case, curve: Curve) -> tuple[FloatArray, FloatArray, int]:
    """The naive curve, the mean out of the bag, and how many resamples are in it."""
    winner, n_samples = case.choice.winner, case.matrix.n_samples
    scores = case.matrix.predictions[:, :, winner]
    naive = _mean_over_repeats(case, curve, winner, scores, np.ones((1, n_samples)))[0]
    most = max(MOST_CELLS // (n_samples * case.matrix.n_repeats), FEWEST)
    n_resamples = min(len(out_of_bag(case).values), most)
    corrected, resamples = list[FloatArray](), replayed(case, n_resamples)
    if case.maker is not None:
        remade = made_again(case, n_resamples)
        corrected = [
            _mean_over_repeats(case, curve, 0, made, (in_bag == 0)[None])[0]
            for in_bag, made in remade
        ]
        return naive, _mean(corrected), len(corrected)
    while some := [*islice(resamples, max(AT_ONCE // n_samples, 1))]:
        out, chosen = np.array([in_bag == 0 for in_bag, _ in some]), np.array([c for _, c in some])
        curves = np.empty((len(some), len(GRID)))
        for column in distinct(chosen):
            scores, rows = case.matrix.predictions[:, :, column], chosen == column
            curves[rows] = _mean_over_repeats(case, curve, int(column), scores, out[rows])
        corrected += [*curves]
    return naive, _mean(corrected), len(corrected)


def _mean_over_repeats(
    case: Case,
    curve: Curve,
    configuration: int,
    predictions: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """The curves (b, K) of predictions (R, N) of one configuration under weights (b, N)."""
    matrix = case.matrix
    if matrix.outcome.weights is not None:
        weights = weights * matrix.outcome.weights
    curves = []
    for repeat in range(matrix.n_repeats):
        used = np.ones(matrix.n_samples, bool)
        if matrix.available is not None:
            used = matrix.available[repeat, :, configuration]
        scores = predictions[repeat, used].astype(float)
        truth = np.asarray(matrix.outcome.values[used], np.int64)
        curves.append(curve(scores, truth, np.asarray(weights[:, used], float)))
    return _mean(curves, 0.0)


def _mean(curves: list[FloatArray], least: float = COVERED) -> FloatArray:
    stacked = np.array(curves)
    there = ~np.isnan(stacked)
    enough = there.sum(axis=0) > least * len(stacked)
    total = np.where(there, stacked, 0.0).sum(axis=0)
    return np.where(enough, total / np.maximum(there.sum(axis=0), 1), np.nan)


def _band(case: Case) -> tuple[FloatArray, FloatArray]:
    """Ends (K,) of the band expected for calibrated probabilities."""
    matrix, winner = case.matrix, case.choice.winner
    used = np.ones(matrix.n_samples, bool)
    if matrix.available is not None:
        used = matrix.available[0, :, winner]
    chances = np.clip(matrix.predictions[0, used, winner].astype(float), 0, 1)
    given = matrix.outcome.weights
    weights = np.ones(len(chances)) if given is None else given[used]
    rng = np.random.default_rng([case.plan.seed, 17])
    drawn = (rng.random((N_BANDS, len(chances))) < chances).astype(np.int64)
    frequencies = np.vstack([reliability_of(chances, truth, weights[None]) for truth in drawn])
    lower, upper = np.quantile(frequencies, BAND, axis=0)
    return lower, upper


def _shown(values: FloatArray) -> tuple[float | None, ...]:
    """Values rounded to six decimals, None for NaN."""
    rounded = np.round(values, DECIMALS)
    return tuple(None if np.isnan(value) else float(value) for value in rounded)
