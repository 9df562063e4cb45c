"""Nested cross-validation: the selection within each outer fold, and the spread of its figure.

## ncv

NCV, nested cross-validation: the selection repeated within each outer fold.

Run by default on [nested predictions](formats.md#nested-cross-validation), which it needs.

Formula: (1/F) Σ_f m_f(c_f), with m_f(c) the score of configuration c on the test samples of outer
fold f and c_f the best configuration on the inner predictions of its training samples; with
repeats, the mean over all outer folds.

Algorithm: for each outer fold, select on the inner predictions (`--pooling`), and score the
selected configuration, trained on all outer training samples, on the test samples. A note and
`selection` in the JSON name what the outer folds selected.

Assumptions: neither inner nor outer models saw the outer test samples, and the metric is defined in
every outer fold.

When to use: to check `bbc` if the nested cross-validation was done anyway; it is nearly unbiased
for the selection on the outer training samples. When not: otherwise; it has no interval, and varies
more than `bbc`.

Cost: O(R F N C); the training costs F times that of a plain cross-validation.

Source: Tsamardinos et al. 2018, Algorithm 3.

## ncv-interval

NCV with the interval of Bates, Hastie and Tibshirani. Experimental.

Needs [nested predictions](formats.md#nested-cross-validation). It alone includes the effect of
training on other samples.

Formula, with e_in the inner losses of an outer fold's training samples and e_out the losses of its
test samples, both of the winner, over all outer folds of all repeats:

```text
mse = mean ( (mean e_in - mean e_out)² - var(e_out) / |e_out| )
ratio = √max(0, mse) / (sd(all e_in) √(K / (N (K - 1)))), kept within 1 and √K
ends = estimate ∓ z ratio sd(all e_in) / √N
```

Algorithm: the estimate is that of `ncv`. In each outer fold the squared difference of the winner's
inner and outer mean loss measures the error of the inner cross-validation; the noise of the test
samples is subtracted. The ratio compares the root of its mean with the standard error of
independent losses.

Departures from the paper: there the models are of one configuration, the estimate is their mean
inner loss less its bias, and the inner folds are the other outer folds.

Assumptions: a metric that is a mean of losses of samples, without weights or groups; otherwise
there is no interval ([no-interval](notes.md#no-interval)).

When to use: with several repeats of a nested cross-validation of unstable learners; the paper
repeats 200 times. When not: with one repeat of a few folds, where the ratio (note
[nested-spread](notes.md#nested-spread)) is mostly at one of its limits.

Cost: that of `ncv`, and O(R F N).

Source: Bates, Hastie & Tibshirani 2023, Algorithm 1 and section 4; centre and selection are those
of `ncv`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.domain.matrix import NestedFold, PredictionMatrix
from bbccli.errors import UndefinedError
from bbccli.methods.base import INTERVAL, POINT, Method, Need
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import Note
from bbccli.notes.intervals import nested_spread, no_interval
from bbccli.notes.methods import outer_selections
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals.ends import normal
from bbccli.stats.selection import selection_shares, undefined, winner_of
from bbccli.stats.selection.candidates import by_repeat
from bbccli.stats.selection.units import figures_of_samples
from bbccli.types import FloatArray, IntArray


def run(case: Case) -> Answer:
    """Return a point, and which configurations the outer folds selected.

    Raises UndefinedError: the metric is undefined in some outer fold.
    """
    _ = case.choice
    folds = case.matrix.nested or ()
    selected = np.array([_select(case, fold) for fold in folds])
    values = [_evaluate(case, fold, c) for fold, c in zip(folds, selected, strict=True)]
    shares = np.bincount(selected, minlength=case.matrix.n_configurations) / len(selected)
    return Answer(
        float(np.mean(values)),
        selection=selection_shares(case.matrix, shares),
        notes=(_note(case.matrix, folds, selected),),
    )


def inner_matrix(matrix: PredictionMatrix, fold: NestedFold) -> PredictionMatrix:
    """Return the inner predictions of one outer fold as a matrix of its training samples.

    Raises UndefinedError: the training samples are of one class only.
    """
    training = np.zeros(matrix.n_samples, bool)
    training[fold.training] = True
    return PredictionMatrix(
        outcome=matrix.outcome.take(training),
        predictions=fold.predictions[None],
        configurations=matrix.configurations,
        kind=matrix.kind,
        folds=fold.folds[None],
        fold_names=fold.fold_names,
        threshold=matrix.threshold,
        source=matrix.source,
        sample_keys=matrix.sample_keys and matrix.sample_keys.take(training),
    )


def _select(case: Case, fold: NestedFold) -> int:
    try:
        inner = case.on(inner_matrix(case.matrix, fold))
        winner = winner_of(inner.judged, inner.rule)
        if winner < 0:
            raise undefined(case.selector)
    except UndefinedError as error:
        problem, hint = error.told()
        raise UndefinedError(
            f"in the training samples of outer fold {fold.name}: {problem}", hint=hint
        ) from None
    return winner


def _evaluate(case: Case, fold: NestedFold, selected: int) -> float:
    test = np.zeros((1, case.matrix.n_samples), np.uint8)
    test[0, fold.test] = 1
    scorer = by_repeat(case.matrix, case.metric, np.array([selected]))[fold.repeat]
    value = float(scorer.paired(test, np.zeros(1, int)).item())
    if np.isnan(value):
        raise UndefinedError(
            f"{case.metric.label} of {case.matrix.configurations[selected]} is undefined in outer "
            f"fold {fold.name}",
            hint="use larger or stratified outer folds, or another metric",
        )
    return value


def _note(matrix: PredictionMatrix, folds: tuple[NestedFold, ...], selected: IntArray) -> Note:
    repeated = matrix.n_repeats > 1
    names = [f"{f.name} of repeat {f.repeat}" if repeated else f.name for f in folds]
    winners = [matrix.configurations[c] for c in selected]
    return outer_selections(list(zip(names, winners, strict=True)))


Losses = tuple[FloatArray, FloatArray]
"""Inner losses of the training samples of an outer fold, and losses of its test samples."""


def with_interval(case: Case) -> Answer:
    """Return the estimate of `ncv` with a normal interval; errors are those of `ncv`."""
    answer, matrix = run(case), case.matrix
    if reason := _hindrance(case):
        note = no_interval(case.method, reason, "--method ncv")
        return replace(answer, notes=(*answer.notes, note))
    folds = matrix.nested or ()
    losses = [_losses(matrix, case.metric, fold, case.choice.winner) for fold in folds]
    n_outer = len(folds) // matrix.n_repeats
    error, ratio = nested_error(losses, matrix.n_samples, n_outer)
    if not np.isfinite(error):
        reason = "an outer fold has a single test sample, or a loss without a value"
        note = no_interval(case.method, reason, "--method ncv")
        return replace(answer, notes=(*answer.notes, note))
    interval = normal(answer.value, error, case.bounded, case.plan)
    notes = (*answer.notes, nested_spread(ratio, len(folds)))
    return replace(answer, interval=interval, notes=notes)


def nested_error(losses: list[Losses], n_samples: int, n_outer: int) -> tuple[float, float]:
    """Return the standard error of N losses with the variance due to training, and its ratio.

    losses: of every outer fold, inner and test.
    n_samples, n_outer: N; K, outer folds of a repeat.
    Source: Bates, Hastie & Tibshirani 2023, Algorithm 1.
    """
    if min(len(test) for _, test in losses) < 2:
        return float("nan"), float("nan")
    apart = [(inner.mean() - test.mean()) ** 2 for inner, test in losses]
    noise = [test.var(ddof=1) / len(test) for _, test in losses]
    mse = float(np.mean(apart) - np.mean(noise))
    spread = float(np.concatenate([inner for inner, _ in losses]).std(ddof=1))
    if spread == 0:
        return 0.0, 1.0
    independent = spread / np.sqrt(n_samples * (n_outer - 1) / n_outer)
    ratio = float(np.clip(np.sqrt(max(mse, 0.0)) / independent, 1.0, np.sqrt(n_outer)))
    return ratio * spread / float(np.sqrt(n_samples)), ratio


def _hindrance(case: Case) -> str:
    """Return why there is no interval; empty where there is one."""
    matrix = case.matrix
    if matrix.outcome.weights is not None:
        return "samples have weights"
    if matrix.groups is not None:
        return "samples come in groups"
    columns = np.array([case.choice.winner])
    scorers = by_repeat(matrix, case.metric, columns)
    if not all(isinstance(scorer, MeanScorer) for scorer in scorers):
        return f"{case.metric.label} is not a mean of losses of samples that are all predicted"
    return ""


def _losses(matrix: PredictionMatrix, metric: Metric, fold: NestedFold, winner: int) -> Losses:
    columns = np.array([winner])
    inner = inner_matrix(matrix, fold)
    inside = figures_of_samples(by_repeat(inner, metric, columns)[0], inner.n_samples)
    outside = figures_of_samples(by_repeat(matrix, metric, columns)[fold.repeat], matrix.n_samples)
    return inside, outside[fold.test]


METHODS = (
    Method(
        name="ncv",
        label="nested",
        answer=run,
        gives=POINT,
        summary="select on the inner predictions of each outer fold, evaluate on its test samples",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 3",
        needs=frozenset({Need.NESTED}),
    ),
    Method(
        name="ncv-interval",
        label="nested",
        answer=with_interval,
        gives=INTERVAL,
        summary="ncv with a normal interval whose spread comes from inner and outer losses",
        reference="Bates, Hastie & Tibshirani 2023",
        done=(
            "the selection was repeated in each outer fold of a nested cross-validation, "
            "and each winner was scored on the test samples of that fold, with a normal "
            "interval whose standard error comes from the inner and outer losses"
        ),
        needs=frozenset({Need.NESTED}),
        experimental=True,
    ),
)
