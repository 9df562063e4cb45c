"""Nested selection: select on all folds but one, evaluate on that fold.

The selection loop of nested cross-validation, without its training; no interval.

Formula: (1/F) Σ_k m_k(w_-k), with w_-k the configuration with the best performance outside of fold
k and m_k its performance in fold k.

Algorithm:

1. For each fold, select the configuration with the best performance on the samples of all other
   folds: over their pooled rows, or by the mean over those folds (`--pooling`).
2. Score it on the fold.
3. The estimate is the mean over the folds. With repeats each selection sees the folds of one
   repeat, and the mean is over the folds of all repeats.

Assumptions: those above; a metric that is defined in each fold. The models that predict the other
folds were also trained on this one, so selection and evaluation are not as strictly separate as in
nested cross-validation.

When to use: as a second opinion that draws nothing, assumes little, and is nearly free of the
selection's bias. When not: as the only number; each fold scores a single selection, so its variance
is higher than that of `bbc`. With pooled selection the naive figure is pooled and the estimate a
mean over folds: for metrics like the AUC these differ by more than the selection, and the optimism
may be negative. `--pooling fold-mean` compares like with like, `within-folds` nearly so.

Cost: time O(F N C).

Source: Tsamardinos et al. 2018, Algorithm 3, on given predictions.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.methods.base import POINT, Method, Need
from bbccli.platform import resources
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection.candidates import candidates, fold_performances, folds_of, repeats_of
from bbccli.stats.selection.rule import winners_of
from bbccli.stats.selection.units import on_few_folds
from bbccli.types import IntArray, distinct


def run(case: Case) -> Answer:
    """Return a point; its winner and naive figure are those of all folds together.

    Raises UndefinedError: the metric is undefined in some fold.
    """
    _ = case.choice
    by_fold = fold_performances(case.matrix, case.metric)
    selected = _selected_without(case)
    values = [v[np.arange(len(v)), winners] for v, winners in zip(by_fold, selected, strict=True)]
    every = np.concatenate(values)
    if np.isnan(every).any():
        raise UndefinedError(
            f"{case.metric.label} is undefined in {int(np.isnan(every).sum())} of {len(every)} "
            "folds for the configuration that the others select",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    return Answer(float(np.mean(every)), notes=on_few_folds(case.matrix))


def _selected_without(case: Case) -> list[IntArray]:
    """The configuration (F,) selected without each fold, one array per repeat."""
    selected = []
    for repeat, folds in zip(repeats_of(case.matrix), folds_of(case.matrix), strict=True):
        judged, names = candidates(repeat, case.selector, case.plan.pooling), distinct(folds)
        step = max(resources.current().memory // (4 * len(folds)), 1)
        parts = [names[start : start + step, None] for start in range(0, len(names), step)]
        winners = [winners_of(judged, case.rule, (folds != part).view(np.uint8)) for part in parts]
        selected.append(np.concatenate(winners))
    if any((winners < 0).any() for winners in selected):
        raise UndefinedError(
            f"{case.selector.label} is undefined in folds that are left when one is taken out",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    return selected


METHODS = (
    Method(
        name="nested-selection",
        label="corrected, folds",
        answer=run,
        gives=POINT,
        summary="select on all folds but one, evaluate on that fold",
        reference="Tsamardinos et al. 2018, Algorithm 3, without training",
        needs=frozenset({Need.FOLDS}),
    ),
)
