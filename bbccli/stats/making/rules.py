"""From a plan to what makes its predictions, and what can't be made of which data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bbccli.domain.matrix import PLURAL, PredictionMatrix
from bbccli.domain.plan import AS_SKLEARN, OF_TOOL, TUNED, Plan
from bbccli.errors import UnsupportedError, parameter
from bbccli.metrics import choose_metric
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import with_plan
from bbccli.stats.making import best, calibration, cut, greedy, mean, stack
from bbccli.stats.making.interface import Calibrate, Combine, Find, Given
from bbccli.stats.making.made import Maker
from bbccli.stats.making.sklearn_cut import interpolated
from bbccli.stats.making.tool import maker_of_run, rule_of_run
from bbccli.stats.making.tool_cut import FINDERS
from bbccli.stats.selection import rule_of
from bbccli.stats.selection.candidates import holdout_parts
from bbccli.types import Calibration, PredictionKind, Select, Task

RULES: dict[Select, Callable[[Given], Combine]] = {
    Select.GREEDY: greedy.combine,
    Select.MEAN: mean.combine,
    Select.STACK: stack.combine,
}
"""Rules of ensembles; the others select a single configuration."""

MIXED = frozenset({PredictionKind.PROBABILITY, PredictionKind.VALUE})
"""Predictions whose means are predictions of the same kind."""


CALIBRATIONS: dict[Calibration, Callable[[Given], Calibrate]] = {
    Calibration.PLATT: calibration.platt,
    Calibration.ISOTONIC: calibration.isotonic,
    Calibration.TEMPERATURE: calibration.temperature,
}


def maker(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Maker:
    """Return what makes the predictions that a plan asks for, as `maker_of` does."""
    if plan.select in RULES:
        _check_mixed(matrix, plan)
    base = maker_of_run(matrix) if plan.select is Select.TOOL else None
    complete = base.matrix if base else _complete(matrix)
    single = rule_of(complete, metric, plan.single)
    given = Given(complete, metric, plan.pooling, single, plan.members)
    combine, tuned_for = RULES.get(plan.select, best.combine), None
    if plan.cut is not None:
        tuned_for = _tuned_for(matrix, metric, plan)
        joint = tuned_for is metric and plan.cut.startswith(TUNED)  # others select first
        if plan.select is Select.BEST and joint and plan.calibrate is None:
            combine = cut.combine
    if plan.calibrate is not None:
        _check_calibrated(matrix, plan.calibrate)
    rounds = plan.members or 1 if plan.select is Select.GREEDY else 1
    return replace(
        base or Maker(complete, plan.rule, combine(given), of_several=plan.select in RULES),
        calibrate=CALIBRATIONS[plan.calibrate](given) if plan.calibrate else None,
        find=_finder(matrix, plan)(replace(given, metric=tuned_for)) if tuned_for else None,
        calibration=plan.calibrate,
        tuned_for=tuned_for.name if tuned_for else None,
        n_sweeps=given.judged.n_sweeps * (base.n_sweeps if base else rounds),
    )


def _finder(matrix: PredictionMatrix, plan: Plan) -> Callable[[Given], Find]:
    """Return what finds a cut: the best one, or that of a tool."""
    if plan.cut == OF_TOOL:
        return FINDERS[rule_of_run(matrix).cuts]
    return cut.find if str(plan.cut).startswith(TUNED) else interpolated


def _tuned_for(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Metric:
    """Return the metric that the cut is tuned for."""
    asked, (how, _, name) = parameter("threshold", plan.cut), str(plan.cut).partition(":")
    if plan.cut == OF_TOOL:
        rule = rule_of_run(matrix, asked, parameter("threshold", TUNED))
        if not rule.cuts:
            raise UnsupportedError(f"{asked}: the tool has no cut here", hint="leave it out")
        name = rule.cut_for
    if matrix.task is not Task.BINARY or matrix.kind is PredictionKind.LABEL:
        raise UnsupportedError(
            f"{asked} is for scores or probabilities of two classes; these predictions are "
            f"{PLURAL[matrix.kind]} of a {matrix.task} task",
            hint="leave it out",
        )
    if how == AS_SKLEARN and matrix.folds is None and not matrix.repeated_holdout:
        raise UnsupportedError(
            f"{asked} takes the mean of the folds, and these are unknown",
            hint=f"add a column of folds, or give {parameter('threshold', TUNED)}",
        )
    chosen = with_plan(choose_metric(name, matrix), plan) if name else metric
    if chosen.wants is not PredictionKind.LABEL:
        raise UnsupportedError(
            f"{asked}: {chosen.label} does not depend on a cut",
            hint=f"{parameter('threshold', f'{how}:f1')}, or another metric of predicted classes",
        )
    return metric if chosen == metric else chosen


def _check_calibrated(matrix: PredictionMatrix, kind: Calibration) -> None:
    """Refuse to calibrate what is no probability, or several classes by a rule for two."""
    asked = parameter("calibrate", kind)
    if matrix.kind is not PredictionKind.PROBABILITY:
        raise UnsupportedError(
            f"{asked} is for probabilities, and these predictions are {PLURAL[matrix.kind]}",
            hint="leave it out",
        )
    if matrix.task is not Task.BINARY and kind is not Calibration.TEMPERATURE:
        temperature = parameter("calibrate", Calibration.TEMPERATURE)
        raise UnsupportedError(f"{asked} is for two classes", hint=f"{temperature} is for any")


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
            hint=f"give probabilities in place of classes; or {hint}",
        )


def _complete(matrix: PredictionMatrix) -> PredictionMatrix:
    """Return the configurations that predict every sample: no other can be a member.

    Raises UnsupportedError: none does.
    """
    if matrix.available is None:
        return matrix
    parts = holdout_parts(matrix)
    expected = np.True_ if parts is None else parts[:, :, None]
    columns = np.flatnonzero((matrix.available == expected).all(axis=(0, 1)))
    if not len(columns):
        raise UnsupportedError(
            "no configuration predicts every sample, and only such can be combined",
            hint="give --missing common-rows to use the samples that all of them predict",
        )
    chosen = matrix.of_configurations(columns)
    return chosen if parts is not None else replace(chosen, available=None)
