"""NCV, nested cross-validation: the selection repeated within each outer fold.

Needs [nested predictions](formats.md#nested-cross-validation); in the default set where the file
has them.

Formula: 1 / F Σ_f m_f(c_f), with m_f(c) the performance of configuration c on the test samples of
outer fold f and c_f the best configuration on the inner predictions of its training samples; with
repeats, the mean over all outer folds of all repeats.

Algorithm:

1. For each outer fold, select the configuration with the best performance on the inner
   out-of-sample predictions of the training samples: over the pooled rows, or as the mean over the
   inner folds (`--pooling`).
2. Evaluate the selected on the test samples of the outer fold, by a model trained on all outer
   training samples.
3. Average over the outer folds.

Each outer fold repeats the whole selection without its test samples, so that nothing is judged on
what it was selected by.

Assumptions: the inner models saw nothing of the outer test samples, the outer models nothing of the
test samples either. The metric is defined in every outer fold. The winner that the table names is
the best on the outer test predictions; which configurations the outer folds selected stands in a
note and in `selection`.

When to use: to check `bbc` where the nested cross-validation was done anyway. It is nearly unbiased
for the selection on the outer training samples. When not: it needs F times the training of a plain
cross-validation, has no interval here, and varies more than `bbc`.

Cost: time O(R F N C); of training, F times that of the other methods.

Source: Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 3.
"""

from __future__ import annotations

import numpy as np

from bbccli.case import Answer, Case
from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import POINT, Method, Need
from bbccli.nested import NestedFold
from bbccli.notes import Note, outer_selections
from bbccli.selection.candidates import by_repeat
from bbccli.selection.choice import selection_shares
from bbccli.selection.css import undefined, winner_of
from bbccli.types import IntArray


def run(case: Case) -> Answer:
    """Return a point, and which configurations the outer folds selected.

    Raises
    ------
    UndefinedError
        The metric is undefined in some outer fold.
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


def _select(case: Case, fold: NestedFold) -> int:
    """Configuration with the best inner performance in an outer fold."""
    try:
        inner = case.on(inner_matrix(case.matrix, fold))
        winner = winner_of(inner.judged, inner.css)
        if winner < 0:
            raise undefined(case.selector)
    except UndefinedError as error:
        problem, hint = error.told()
        told = f"in the training samples of outer fold {fold.name}: {problem}"
        raise UndefinedError(told, hint=hint) from None
    return winner


def _evaluate(case: Case, fold: NestedFold, selected: int) -> float:
    """Performance of one configuration on the test samples of an outer fold."""
    test = np.zeros((1, case.matrix.n_samples), np.uint8)
    test[0, fold.test] = 1
    scorer = by_repeat(case.matrix, case.metric, np.array([selected]))[fold.repeat]
    value = float(scorer.paired(test, np.array([0]))[0])
    if np.isnan(value):
        raise UndefinedError(
            f"{case.metric.label} of {case.matrix.configurations[selected]} is undefined in outer "
            f"fold {fold.name}",
            hint="use larger or stratified outer folds, or another metric",
        )
    return value


def _note(matrix: PredictionMatrix, folds: tuple[NestedFold, ...], selected: IntArray) -> Note:
    """What each outer fold selected."""
    repeated = matrix.n_repeats > 1
    names = [f"{f.name} of repeat {f.repeat}" if repeated else f.name for f in folds]
    winners = [matrix.configurations[c] for c in selected]
    return outer_selections(list(zip(names, winners, strict=True)))


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
)
