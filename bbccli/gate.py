"""Is the result good enough? A rule that is set beforehand, and its verdict on a document."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bbccli.documents import Document, EstimateJson, as_json
from bbccli.errors import OptionError, UndecidedError, nearest
from bbccli.methods import METHODS, Gives
from bbccli.metrics import METRICS
from bbccli.notes import gate_on_naive
from bbccli.results import Gate
from bbccli.schema import has_no_width
from bbccli.types import TIE_TOLERANCE, Direction, GateOn, GateOutcome, Side

NAIVE = "cvt"
"""The method whose figure is too good; it is judged only when asked for by name."""

WITHOUT_WIDTH = frozenset({"collapsed-interval", "no-variance"})
"""Codes of notes on an interval that has no width."""

STATUS = {GateOutcome.MET: 0, GateOutcome.MISSED: 3, GateOutcome.UNDECIDED: 4}
"""Exit status by outcome."""

FAILED = 5
"""Exit status where a file of a batch has no result."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a result has to reach.

    Parameters
    ----------
    threshold
        In the metric's unit.
    direction
        `MAXIMIZE`: the figure must not be under the threshold; `MINIMIZE`: not over it.
    on
        The pessimistic bound of the interval, or the estimate.
    method
        Whose figure; None for the first method with an interval.

    Raises
    ------
    OptionError
        A threshold that is not finite, an unknown method, or a bound of a method without interval.
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
        """Refuse a metric that is better the other way, or that can't take the threshold.

        Raises
        ------
        OptionError
            `--fail-under` with a metric that is minimised, `--fail-over` with one maximised; a
            threshold beyond the bounds, which no result can meet.
        """
        if direction is self.direction:
            self._check_can_be_met(metric, bounds)
            return
        verb, other = (
            ("minimised", "--fail-over")
            if direction is Direction.MINIMIZE
            else ("maximised", "--fail-under")
        )
        raise OptionError(
            f"{self.option} does not go with {metric}, which is {verb}",
            hint=f"{other} {self.threshold:g}",
        )

    def _check_can_be_met(self, metric: str, bounds: tuple[float, float]) -> None:
        low, high = bounds
        best = high if self.direction is Direction.MAXIMIZE else low
        if self.direction.gain(self.threshold, best) <= 0:
            return
        hint = f"{metric} lies between {low:g} and {high:g}"
        if self.threshold >= 2 and low <= self.threshold / 100 <= high:  # a percentage
            hint += f": {self.option} {self.threshold / 100:g}"
        raise OptionError(f"{self.option} is {self.threshold:g}: no result can meet it", hint=hint)


def rule_of(
    fail_under: float | None, fail_over: float | None, on: GateOn | None, method: str | None
) -> Rule | None:
    """Return the rule that the options ask for, if any.

    Raises
    ------
    OptionError
        Both thresholds, or details of a gate without a threshold.
    """
    if fail_under is not None and fail_over is not None:
        raise OptionError(
            "--fail-under and --fail-over are both given",
            hint="one of them; bbc --show-config tells what the environment and files set",
        )
    if fail_under is not None:
        return Rule(fail_under, Direction.MAXIMIZE, on or GateOn.BOUND, method)
    if fail_over is not None:
        return Rule(fail_over, Direction.MINIMIZE, on or GateOn.BOUND, method)
    if on is not None or method is not None:
        option = "--gate-on" if on is not None else "--gate-method"
        raise OptionError(f"{option} without a threshold", hint="--fail-under 0.8, or --fail-over")
    return None


def judged(document: Document, rule: Rule | None) -> Document:
    """Return the document with the verdict of a rule on its first metric; as it is without one.

    Raises
    ------
    OptionError
        The metric is better the other way.
    """
    if rule is None:
        return document
    notes = list(document["notes"])
    if rule.method == NAIVE:
        notes.append(as_json(gate_on_naive()))
    return document | {"notes": notes, "gate": as_json(_verdict(document["estimates"], rule))}


def status(documents: Iterable[Document]) -> int:
    """Exit status of judged documents and of files without a result.

    5 if a file has none, else 4 if a gate is undecided, 3 if one is missed, else 0.
    """
    return max((_status(document) for document in documents), default=0)


def _status(document: Document) -> int:
    if "error" in document:
        undecided = document["error"]["status"] == UndecidedError.status
        return UndecidedError.status if undecided else FAILED
    gate = document["gate"]
    return STATUS[GateOutcome(gate["outcome"])] if gate else 0


def left_undecided(document: Document, rule: Rule, metric: str, reason: str) -> Document:
    """Return a document without estimates with the verdict that nothing could be judged."""
    return document | {"gate": as_json(_undecided(rule, metric, rule.method, reason))}


def _verdict(estimates: list[EstimateJson], rule: Rule) -> Gate:
    if not estimates:
        return _undecided(rule, None, None, "there is no estimate")
    metric = estimates[0]["metric"]
    known = METRICS.get(metric)
    bounds = known.bounds if known else (-math.inf, math.inf)
    rule.check(metric, Direction(estimates[0]["direction"]), bounds)
    found = _judged_estimate([e for e in estimates if e["metric"] == metric], rule)
    if found is None:
        reason = f"{rule.method} is not in the result" if rule.method else "no method has a bound"
        return _undecided(rule, metric, rule.method, reason)
    value = found["value"] if rule.on is GateOn.ESTIMATE else _bound(found, rule.direction)
    if value is None:
        return _undecided(rule, metric, found["method"], _why_no_value(found, rule))
    margin = float(rule.direction.gain(value, rule.threshold))
    # Equal up to rounding is met: 0.8 is 4/5 however it was summed.
    missed = margin < -TIE_TOLERANCE * abs(rule.threshold)
    if not missed and rule.on is GateOn.BOUND and _collapsed(found):
        reason = f"the interval of {found['method']} has collapsed onto {value:g}"
        return _undecided(rule, metric, found["method"], reason)
    outcome = GateOutcome.MISSED if missed else GateOutcome.MET
    return Gate(
        rule.threshold, rule.direction, rule.on, metric, found["method"], value, margin, outcome
    )


def _judged_estimate(estimates: list[EstimateJson], rule: Rule) -> EstimateJson | None:
    """The method asked for; else the first with an interval; else the first that is corrected."""
    if rule.method is not None:
        fitting = [e for e in estimates if e["method"] == rule.method]
    else:
        fitting = [e for e in estimates if e["interval"] is not None]
        if rule.on is GateOn.ESTIMATE:
            fitting += [e for e in estimates if e["method"] != NAIVE]
    return fitting[0] if fitting else None


def _bound(estimate: EstimateJson, direction: Direction) -> float | None:
    """The pessimistic end of the interval, where it was estimated."""
    interval, side = estimate["interval"], direction.pessimistic()
    if interval is None or interval["side"] not in (Side.TWO, side):
        return None
    return interval["lower" if side is Side.LOWER else "upper"]


def _collapsed(estimate: EstimateJson) -> bool:
    """Whether the interval has no width, so that its bound says nothing of what is uncertain."""
    interval, codes = estimate["interval"], {note["code"] for note in estimate["notes"]}
    same = interval is not None and has_no_width(interval)
    return same or not codes.isdisjoint(WITHOUT_WIDTH)


def _why_no_value(estimate: EstimateJson, rule: Rule) -> str:
    method, interval = estimate["method"], estimate["interval"]
    if rule.on is GateOn.ESTIMATE:
        return f"the estimate of {method} is undefined"
    end = rule.direction.pessimistic().value
    if interval is None:
        return f"{method} has no interval"
    if interval["side"] not in (Side.TWO, end):
        return f"the {end} end of the interval of {method} was not estimated"
    return f"the {end} bound of {method} is undefined"


def _undecided(rule: Rule, metric: str | None, method: str | None, reason: str) -> Gate:
    return Gate(
        threshold=rule.threshold,
        direction=rule.direction,
        on=rule.on,
        metric=metric,
        method=method,
        value=None,
        margin=None,
        outcome=GateOutcome.UNDECIDED,
        reason=reason,
    )
