"""Nested selection: select on all folds but one, evaluate on that fold.

It is the selection loop of nested cross-validation, without its training; it has no interval.

Formula: (1/F) Σ_k m_k(w_-k), with w_-k the configuration with the best score outside of fold k and
m_k its score in fold k.

Algorithm: for each fold, select the best configuration on all other folds of the repeat, over
pooled predictions or by the mean over folds (`--pooling`), and score it on the fold. The estimate
is the mean over the folds of all repeats. With pooled selection the naive figure is pooled and the
estimate a mean over folds, so the optimism may be negative; `--pooling fold-mean` compares like
with like.

Assumptions: a metric that is defined in each fold. The models that predict the other folds were
also trained on this one, so selection and evaluation are less strictly separate than in nested
cross-validation.

When to use: as a second opinion that draws nothing and is nearly free of the selection's bias. When
not: as the only number: it varies more than `bbc`.

Cost: O(F N C).

Source: Tsamardinos et al. 2018, Algorithm 3, on given predictions.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.methods.base import POINT, Method, Need
from bbccli.platform import resources
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import winners_of
from bbccli.stats.selection.candidates import candidates, fold_performances, folds_of, repeats_of
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
