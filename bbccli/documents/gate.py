"""A rule that is set beforehand, and its verdict on whether a result is good enough."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bbccli.documents.correct import (
    Envelope,
    ErrorEnvelope,
    bounds_in,
    doubts_of,
    has_no_width,
    is_single,
    reported_estimate,
)
from bbccli.domain.estimate import Estimate, Gate
from bbccli.errors import OptionError, UndecidedError, nearest
from bbccli.methods import METHODS, Gives
from bbccli.metrics import METRICS
from bbccli.notes.intervals import gate_on_naive
from bbccli.platform.dataclass import dataclass
from bbccli.types import TIE_TOLERANCE, Direction, GateOn, GateOutcome, Side

NAIVE = "cvt"
"""The method whose figure is too good; it is judged only when asked for by name."""

TOO_GOOD = "selected-on-evaluation"
"""Code of the note on an interval that allows for a selection beside an estimate that does not."""

CLIMB = "guided-climb"
"""Code of the note on a search that these samples guided."""

UNREACHED = "few-resamples"
"""Code of the note on resamples that do not reach as far as the bound."""

STATUS = {GateOutcome.MET: 0, GateOutcome.MISSED: 3, GateOutcome.UNDECIDED: 4}
"""Exit status by outcome."""

FAILED = 5
"""Exit status where a file of a batch has no result."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """A threshold that a result has to reach.

    threshold: in the metric's unit.
    direction: `MAXIMIZE`: the figure must not be under the threshold; `MINIMIZE`: not over it.
    on: the pessimistic bound of the interval, or the estimate.
    method: whose figure; None for the estimate to report, whatever the order of the methods.
    Raises OptionError: a threshold that is not finite, an unknown method, or a bound of a method
        without interval.
    """

    threshold: float
    direction: Direction
    on: GateOn = GateOn.BOUND
    method: str | None = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.threshold):
            raise OptionError(f"{self.option} is {self.threshold}", hint="a finite number")
        if self.method is None:
            return
        if self.method not in METHODS:
            raise OptionError(
                f"--gate-method is {self.method!r}", hint=nearest(self.method, METHODS)
            )
        if self.on is GateOn.BOUND and Gives.INTERVAL not in METHODS[self.method].gives:
            raise OptionError(
                f"--gate-method {self.method} gives no interval, so it has no bound",
                hint="--gate-on estimate, or another method",
            )

    @property
    def option(self) -> str:
        """The option that gave the threshold."""
        return "--fail-under" if self.direction is Direction.MAXIMIZE else "--fail-over"

    def check(self, metric: str, direction: Direction, bounds: tuple[float, float]) -> None:
        """Refuse a metric that is better the other way, or a threshold that decides nothing.

        Raises OptionError: `--fail-under` with a metric that is minimised, `--fail-over` with one
            maximised; a threshold that no result within the bounds can meet, or that all of them
            do.
        """
        if direction is self.direction:
            self._check_decides(metric, bounds)
            return
        up = direction is Direction.MAXIMIZE
        turned = self.threshold < bounds[0]  # scikit-learn's negative loss
        hint = f"{'--fail-under' if up else '--fail-over'} {self.threshold * (-1) ** turned:g}"
        raise OptionError(
            f"{self.option} does not go with {metric}, which is {'max' if up else 'min'}imised",
            hint=hint,
        )

    def _check_decides(self, metric: str, bounds: tuple[float, float]) -> None:
        low, high = bounds
        worst, best = bounds if self.direction is Direction.MAXIMIZE else (high, low)
        if self.direction.gain(self.threshold, best) > 0:
            said = "no result can meet it"
        elif self.direction.gain(worst, self.threshold) >= 0:
            said = "every result meets it"
        else:
            return
        hint = f"{metric} lies between {low:g} and {high:g}"
        if high == 1 and 2 <= self.threshold < 100:  # a percentage
            hint += f": {self.option} {self.threshold / 100:g}"
        raise OptionError(f"{self.option} is {self.threshold:g}: {said}", hint=hint)


def gate_rule(
    fail_under: float | None, fail_over: float | None, on: GateOn | None, method: str | None
) -> GateRule | None:
    """Return the rule that the options ask for, if any.

    Raises OptionError: both thresholds, or details of a gate without a threshold.
    """
    if fail_under is not None and fail_over is not None:
        raise OptionError(
            "--fail-under and --fail-over are both given",
            hint="give only one; see what the environment and files set with bbc --show-config",
        )
    if fail_under is not None:
        return GateRule(fail_under, Direction.MAXIMIZE, on or GateOn.BOUND, method)
    if fail_over is not None:
        return GateRule(fail_over, Direction.MINIMIZE, on or GateOn.BOUND, method)
    if on is not None or method is not None:
        option = "--gate-on" if on is not None else "--gate-method"
        raise OptionError(f"{option} without a threshold", hint="--fail-under 0.8, or --fail-over")
    return None


def judged(result: Envelope, rule: GateRule | None) -> Envelope:
    """Return the result with the verdict of a rule on its first metric.

    Without a rule its own verdict counts, unless it has no value or is not what its value says:
    then nothing is decided.

    Raises OptionError: the metric is better the other way, or the threshold decides nothing.
    """
    if rule is None:
        return _of_saved(result)
    method, notes = rule.method, result.notes
    if method == NAIVE:
        notes += (gate_on_naive(f"the naive figure of {method}, which"),)
    elif method and METHODS[method].ignores_selection and not is_single(result):
        notes += (gate_on_naive(f"{method}, which ignores the selection and"),)
    return replace(result, notes=notes, gate=_verdict(result, rule))


def _of_saved(result: Envelope) -> Envelope:
    gate = result.gate
    if gate is None or gate.outcome is GateOutcome.UNDECIDED:
        return result
    if gate.value is None:
        reason = "the saved verdict has no value"
    elif gate.outcome is not _outcome(gate.direction, gate.value, gate.threshold):
        reason = (
            f"the saved verdict is {gate.outcome}, but {gate.value:g} is held to {gate.threshold:g}"
        )
    else:
        return result
    undecided = GateOutcome.UNDECIDED
    gate = replace(gate, outcome=undecided, reason=reason, value=None, margin=None)
    return replace(result, gate=gate)


def status(results: Iterable[Any], fail_on: str | None = None) -> int:
    """Exit status of judged results and of files without a result.

    5 if a file has none, else 4 if a gate is undecided, 3 if one failed, else 0; with `fail_on`
    also 3 if there is a doubt.
    """
    return max(_status(result, fail_on) for result in results)


def _status(result: Any, fail_on: str | None) -> int:
    if isinstance(result, ErrorEnvelope):
        undecided = result.error.status == UndecidedError.status
        return UndecidedError.status if undecided else FAILED
    gate = getattr(result, "gate", None)
    doubted = fail_on is not None and bool(doubts_of(result))
    return max(STATUS[gate.outcome] if gate else 0, STATUS[GateOutcome.MISSED] * doubted)


def _verdict(result: Envelope, rule: GateRule) -> Gate:
    if not result.estimates:
        return undecided_verdict(rule, None, None, "there is no estimate")
    metric = result.estimates[0].metric
    estimates = [e for e in result.estimates if e.metric == metric]
    known = METRICS.get(metric)
    label = known.label if known else metric
    rule.check(label, estimates[0].direction, bounds_in(result, metric))
    estimate = _judged_estimate(estimates, rule)
    if estimate is None:
        figure = "has a bound" if rule.on is GateOn.BOUND else "corrects for the selection"
        lacking = f"{rule.method} is not in the result" if rule.method else f"no method {figure}"
        return undecided_verdict(rule, metric, rule.method, lacking)
    value, lacking = _judged_value(estimate, rule)
    if value is None:
        return undecided_verdict(rule, metric, estimate.method, lacking)
    outcome = _outcome(rule.direction, value, rule.threshold)
    # a figure that is too good can still show that the gate fails
    doubt = _why_too_good(estimate, value, rule, alone=is_single(result))
    if estimate.opened is None and any(note.code == CLIMB for note in result.notes):
        doubt = doubt or "these samples guided the search"
    if doubt and outcome is GateOutcome.MET:
        return undecided_verdict(rule, metric, estimate.method, doubt)
    margin = float(rule.direction.gain(value, rule.threshold))
    return Gate(
        rule.threshold, rule.direction, rule.on, metric, estimate.method, value, margin, outcome
    )


def _outcome(direction: Direction, value: float, threshold: float) -> GateOutcome:
    # Equal up to rounding is met: 0.8 is 4/5 however it was summed.
    missed = direction.gain(value, threshold) < -TIE_TOLERANCE * abs(threshold)
    return GateOutcome.MISSED if missed else GateOutcome.MET


def _judged_estimate(estimates: list[Estimate], rule: GateRule) -> Estimate | None:
    """The estimate of the rule's method; else the one to report; else the best available."""
    if rule.method is not None:
        return next((e for e in estimates if e.method == rule.method), None)
    fitting = [e for e in estimates if e.interval is not None]
    if rule.on is GateOn.ESTIMATE:
        fitting += [e for e in estimates if e.method != NAIVE]
    fitting.sort(key=lambda e: e.ignores_selection)
    return reported_estimate(estimates) or next(iter(fitting), None)


def _why_too_good(estimate: Estimate, value: float, rule: GateRule, *, alone: bool) -> str:
    """Return why a figure can't show that a gate is met; empty if it can."""
    method, codes, centre = estimate.method, {n.code for n in estimate.notes}, estimate.value
    on_bound, by_name = rule.on is GateOn.BOUND, rule.method is not None
    flat = on_bound and has_no_width(estimate)
    at_centre = centre is not None and _outcome(rule.direction, value, centre) is GateOutcome.MET
    chosen = not on_bound and not by_name and TOO_GOOD in codes
    ignoring = estimate.ignores_selection and not alone and not by_name
    reasons = {
        f"the estimate of {method} is undefined": centre is None,
        f"the interval of {method} has collapsed onto {value:g}": flat,
        f"the bound of {method} is no worse than its estimate": on_bound and at_centre,
        f"{method} has too few resamples for its bound": on_bound and UNREACHED in codes,
        f"the estimate of {method} is too good; its interval is not": chosen,
        f"{method} ignores that the winner was selected": ignoring,
        f"{method} averages folds of a metric that is not a mean": "mean-over-folds" in codes,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _judged_value(estimate: Estimate, rule: GateRule) -> tuple[float | None, str]:
    """The figure that a rule judges, and the reason where it is missing; a bound is the pessimistic
    end.
    """
    method, interval = estimate.method, estimate.interval
    if rule.on is GateOn.ESTIMATE:
        return estimate.value, f"the estimate of {method} is undefined"
    end = rule.direction.pessimistic()
    if interval is None:
        return None, f"{method} has no interval"
    if interval.side not in (Side.TWO, end):
        return None, f"the {end.value} end of the interval of {method} was not estimated"
    value = interval.lower if end is Side.LOWER else interval.upper
    return value, f"the {end.value} bound of {method} is undefined"


def undecided_verdict(rule: GateRule, metric: str | None, method: str | None, reason: str) -> Gate:
    """Return the verdict that nothing could be judged."""
    of_rule = rule.threshold, rule.direction, rule.on
    return Gate(*of_rule, metric, method, None, None, GateOutcome.UNDECIDED, reason)
