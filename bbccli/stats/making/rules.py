"""From a plan to what makes its predictions, and what can't be made of which data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bbccli.domain.matrix import PLURAL, PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UnsupportedError, parameter
from bbccli.metrics.base import Metric
from bbccli.stats.making import best, greedy, mean
from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.making.made import Maker
from bbccli.stats.selection.candidates import cached, parts_of
from bbccli.stats.selection.rule import rule_of
from bbccli.types import PredictionKind, Select, Task

RULES: dict[Select, Callable[[Given], Combine]] = {
    Select.GREEDY: greedy.combine,
    Select.MEAN: mean.combine,
}
"""Rules of ensembles; the others select a single configuration."""

MIXED = frozenset({PredictionKind.PROBABILITY, PredictionKind.VALUE})
"""Predictions whose means are predictions of the same kind."""


def maker_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Maker | None:
    """Return what makes the predictions that a plan asks for; None where one is only selected.

    metric: that selects.
    Raises UnsupportedError: predictions of which no mean can be taken.
    """
    if not plan.makes:
        return None
    key = ("made", metric, plan.select, plan.members, plan.pooling)
    return cached(matrix, key, lambda: _maker(matrix, metric, plan))


def _maker(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Maker:
    if plan.select in RULES:
        _check_mixed(matrix, plan)
    complete = _complete(matrix)
    single = rule_of(complete, metric, plan.single)
    given = Given(complete, metric, plan.pooling, single, plan.members)
    return Maker(complete, plan.rule, RULES.get(plan.select, best.combine)(given))


def _check_mixed(matrix: PredictionMatrix, plan: Plan) -> None:
    """Refuse ensembles of predictions that have no mean."""
    rule, kind = parameter("select", plan.rule), PLURAL[matrix.kind]
    hint = f"{parameter('select', Select.BEST)}, a single configuration"
    if matrix.task is Task.SCORE:
        raise UnsupportedError(
            f"{rule} combines predictions, and these are scores of answers", hint=hint
        )
    if matrix.task is Task.SURVIVAL or matrix.kind is PredictionKind.SCORE:
        kind = "risks" if matrix.task is Task.SURVIVAL else kind
        raise UnsupportedError(
            f"{rule} takes means of predictions, and {kind} of different configurations may be on "
            "different scales",
            hint=hint,
        )
    if matrix.kind not in MIXED:
        raise UnsupportedError(
            f"{rule} takes means of predictions, and these are {kind}",
            hint=f"probabilities in place of classes; or {hint}",
        )


def _complete(matrix: PredictionMatrix) -> PredictionMatrix:
    """Return the configurations that predict every sample: no other can be a member.

    Raises UnsupportedError: none does.
    """
    if matrix.available is None:
        return matrix
    parts = parts_of(matrix)
    expected = np.True_ if parts is None else parts[:, :, None]
    columns = np.flatnonzero((matrix.available == expected).all(axis=(0, 1)))
    if not len(columns):
        raise UnsupportedError(
            "no configuration predicts every sample, and only such can be combined",
            hint="--missing common-rows uses the samples that all of them predict",
        )
    found = matrix.of_configurations(columns)
    return found if parts is not None else replace(found, available=None)
