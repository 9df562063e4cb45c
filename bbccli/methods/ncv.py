"""NCV: nested cross-validation, from files that hold its inner and outer predictions.

1. For each outer fold: select the configuration with the best performance on the inner
   out-of-sample predictions of the outer training samples (css).
2. Evaluate the selected on the test samples of the outer fold, by a model trained on all outer
   training samples.
3. The estimate is the mean over the outer folds (and repeats) of these performances.

Each outer fold repeats the whole selection without its test samples, so that nothing is judged on
what it was selected by. The winner that is named is the best on all outer test predictions.

Source: Algorithm 3 of Tsamardinos, Greasidou & Borboudakis 2018.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.nested import NestedFold
from bbccli.notes import Note, outer_selections
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate, SelectionShare
from bbccli.selection.candidates import by_repeat, candidates
from bbccli.selection.css import css_of, undefined, winner_of
from bbccli.types import IntArray


def ncv(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the nested cross-validation's estimate of the performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Outer test predictions, with the inner predictions of each outer fold in `nested`.
    metric
        Measures, and decides which configuration is best.
    plan
        `pooling` decides how one performance is made of the inner folds; nothing is drawn.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        A point; which configurations the outer folds selected, as shares and in a note.

    Raises
    ------
    UndefinedError
        No nested predictions, or a metric that is undefined in some outer fold.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 3.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    folds = matrix.nested or ()
    selected = np.array([_select(matrix, fold, selector, plan) for fold in folds])
    values = np.array(
        [_evaluate(matrix, metric, fold, c) for fold, c in zip(folds, selected, strict=True)]
    )
    return Estimate(
        method="ncv",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=float(values.mean()),
        selection=_shares(matrix, selected),
        plan=plan,
        notes=(*naive.notes, _note(matrix, folds, selected)),
    )


def inner_matrix(matrix: PredictionMatrix, fold: NestedFold) -> PredictionMatrix:
    """Return the inner predictions of one outer fold as a matrix of its training samples.

    Raises
    ------
    UndefinedError
        The training samples are of one class only.
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


def _select(matrix: PredictionMatrix, fold: NestedFold, selector: Metric, plan: Plan) -> int:
    """Configuration with the best inner performance in an outer fold."""
    try:
        inner = candidates(inner_matrix(matrix, fold), selector, plan.pooling)
        winner = winner_of(inner, css_of(inner.matrix, selector, plan))
        if winner < 0:
            raise undefined()
    except UndefinedError as error:
        problem = f"in the training samples of outer fold {fold.name}: {error.problem}"
        raise UndefinedError(problem, hint=error.hint) from None
    return winner


def _evaluate(matrix: PredictionMatrix, metric: Metric, fold: NestedFold, selected: int) -> float:
    """Performance of one configuration on the test samples of an outer fold."""
    test = np.zeros((1, matrix.n_samples), np.uint8)
    test[0, fold.test] = 1
    scorer = by_repeat(matrix, metric, np.array([selected]))[fold.repeat]
    value = float(scorer.paired(test, np.array([0]))[0])
    if np.isnan(value):
        raise UndefinedError(
            f"{metric.label} of {matrix.configurations[selected]} is undefined in outer fold "
            f"{fold.name}",
            hint="use larger or stratified outer folds, or another metric",
        )
    return value


def _shares(matrix: PredictionMatrix, selected: IntArray) -> tuple[SelectionShare, ...]:
    """How often each configuration was selected, the most frequent first."""
    shares = np.bincount(selected, minlength=matrix.n_configurations) / len(selected)
    order = np.argsort(-shares, kind="stable")
    return tuple(
        SelectionShare(matrix.configurations[c], float(shares[c])) for c in order if shares[c] > 0
    )


def _note(matrix: PredictionMatrix, folds: tuple[NestedFold, ...], selected: IntArray) -> Note:
    """What each outer fold selected."""
    repeated = matrix.n_repeats > 1
    names = [f"{f.name} of repeat {f.repeat}" if repeated else f.name for f in folds]
    winners = [matrix.configurations[c] for c in selected]
    return outer_selections(list(zip(names, winners, strict=True)))


METHOD = Method(
    name="ncv",
    label="nested",
    run=ncv,
    needs=frozenset({Need.NESTED}),
    gives=frozenset({Gives.POINT}),
    summary="select on the inner predictions of each outer fold, evaluate on its test samples",
    reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 3",
)
