"""The rule of a gate: which figure, which way, and never a pass without one."""

import math
import re
from dataclasses import replace

import pytest
from day import swept
from documents import gated, result

from bbccli.documents.gate import GateRule, gate_rule, judged, status
from bbccli.errors import OptionError
from bbccli.types import Direction, GateOn

UP, DOWN = Direction
ESTIMATE = {"on": GateOn.ESTIMATE}
THREE = ("cvt", "tt", "bbc-f")


def verdict(*arguments, **options):
    return gated(*arguments, **options)["gate"]


def made(names=("cvt", "bbc-f"), metric="accuracy", *, codes=(), interval=None, **changes):
    """A result whose last estimate has other values, ends or notes, or the `first` has some."""
    found = result(metric, list(names), level=changes.pop("level", 0.3))
    found["estimates"][0] |= changes.pop("first", {})
    last = found["estimates"][-1]
    if interval:
        last["interval"] |= interval
    last["notes"] = [{"code": code, "text": "", "remedy": ""} for code in codes]
    found["estimates"][-1] = last | changes
    return found


def lower_of(found, place=-1):
    return found["estimates"][place]["interval"]["lower"]


def climbed(**changes):
    return made(**changes) | {"notes": [{"code": "guided-climb", "text": "", "remedy": ""}]}


LOWER, NAIVE = lower_of(made()), lower_of(made(["naive-f"]))
UPPER = made(metric="brier", level=0.5)["estimates"][-1]["interval"]["upper"]
VALUE = made()["estimates"][-1]["value"]
FLAT = made()["estimates"][-1]["interval"] | {"lower": 0.8, "upper": 0.8}
OPENED = {"name": "a", "number": 1, "n_openings": 1, "planned": 1, "n_samples": 9, "level": 0.9}
IGNORES = "naive-f ignores that the winner was selected"
NO_WIDTH = "the bound of bbc-f is no worse than its estimate"
COLLAPSED = "the interval of bbc-f has collapsed"
TOO_GOOD = "too good"


@pytest.mark.parametrize(
    ("found", "threshold", "options", "method", "outcome", "reason"),
    [
        # the bound of the first interval is judged, of a loss the upper one; or the estimate
        (made(THREE), LOWER - 0.125, {}, "bbc-f", "met", ""),
        (made(metric="brier", level=0.5), UPPER, {"direction": DOWN}, "bbc-f", "met", ""),
        (made(metric="brier", level=0.5), UPPER - 0.01, {"direction": DOWN}, "bbc-f", "missed", ""),
        (made(), VALUE + 0.125, ESTIMATE, "bbc-f", "missed", ""),
        (made(THREE), 0.5, ESTIMATE | {"method": "tt"}, "tt", "met", ""),
        # rounding does not decide
        (made(["cvt", "tt"], value=0.7 + 0.1), 0.8, ESTIMATE, "tt", "met", ""),
        (made(["cvt", "tt"], value=0.8 - 1e-9), 0.8, ESTIMATE, "tt", "missed", ""),
        # what ignores the selection is judged by name alone, and yields to what does not
        (made(["cvt"]), 0.5, ESTIMATE, None, "undecided", ""),
        (made(["naive-f"]), NAIVE - 0.01, {}, "naive-f", "undecided", IGNORES),
        (made(["naive-f"]), NAIVE + 0.01, {}, "naive-f", "missed", ""),
        *(
            (made(names), (NAIVE + LOWER) / 2, {}, "bbc-f", "missed", "")
            for names in (("naive-f", "bbc-f"), ("bbc-f", "naive-f"), ("tt", "naive-f", "bbc-f"))
        ),
        *(
            (made(names), 0.5, ESTIMATE, "tt", "met", "")
            for names in (("naive-f", "tt"), ("tt", "naive-f"), ("cvt", "naive-f", "tt"))
        ),
        # one that is experimental yields to another, and so does one without width
        (
            made(["naive-f", "bbc-f"], first={"ignores_selection": False, "experimental": True}),
            *(0.4, {}, "bbc-f", "met", ""),
        ),
        (
            made(["bbc-f", "naive-f"], first={"interval": FLAT}, ignores_selection=False),
            *(0.5, {}, "naive-f", "met", ""),
        ),
        # an interval without width shows nothing, unless it misses; by a note, or by its ends
        *(
            (made(codes=[code]), LOWER - 0.1, {}, "bbc-f", "undecided", "collapsed")
            for code in ("collapsed-interval", "no-variance")
        ),
        (made(codes=["no-variance"]), LOWER + 0.1, {}, "bbc-f", "missed", ""),
        *(
            (
                made(value=0.8, interval={"lower": lower, "upper": upper, "side": side}),
                *(0.6, {}, "bbc-f", "undecided" if reason else "met", reason),
            )
            for lower, upper, side, reason in (
                (0.8, 0.8, "two", f"{COLLAPSED} onto 0.8"),
                (0.7 + 0.1, 0.8, "two", COLLAPSED),  # to the last bits
                (0.8, 1.0, "lower", COLLAPSED),  # a single end shows it by the estimate
                (0.8, 0.9, "two", NO_WIDTH),
                (0.7, 0.8, "two", ""),
                (0.75, 1.0, "lower", ""),
            )
        ),
        (made(value=0.8, interval={"lower": 0.8, "upper": 0.8}), 0.9, {}, "bbc-f", "missed", ""),
        # notes tell which figure shows nothing
        (made(codes=["few-resamples"]), 0.4, {}, "bbc-f", "undecided", ""),
        (made(codes=["few-resamples"]), 0.45, {}, "bbc-f", "missed", ""),
        (made(codes=["few-resamples"]), 0.4, ESTIMATE, "bbc-f", "met", ""),
        (made(codes=["selected-on-evaluation"]), 0.4, ESTIMATE, "bbc-f", "undecided", TOO_GOOD),
        (made(codes=["selected-on-evaluation"]), 0.4, {}, "bbc-f", "met", ""),
        (
            made(codes=["selected-on-evaluation"]),
            *(0.4, ESTIMATE | {"method": "bbc-f"}, "bbc-f", "met", ""),
        ),
        (made(codes=["mean-over-folds"]), 0.4, {}, "bbc-f", "undecided", "averages folds"),
        # nor do samples that guided the search, but sealed rows that were opened did not
        (climbed(), 0.4, {}, "bbc-f", "undecided", "these samples guided the search"),
        (climbed(value=None), 0.4, {}, "bbc-f", "undecided", "estimate of bbc-f is undefined"),
        (climbed(opened=OPENED), 0.4, {}, "bbc-f", "met", ""),
        # what can't be computed does not pass
        (made() | {"estimates": []}, 0.01, {}, None, "undecided", "there is no estimate"),
        (made(["cvt", "tt"]), 0.01, {}, None, "undecided", "no method has a bound"),
        (
            made(interval={"side": "upper"}),
            *(0.01, {}, "bbc-f", "undecided", "lower end .* bbc-f was not estimated"),
        ),
        (made(), 0.01, {"method": "bbc"}, "bbc", "undecided", "bbc is not in the result"),
        (
            made(interval={"lower": None}),
            *(0.01, {}, "bbc-f", "undecided", "lower bound of bbc-f is undefined"),
        ),
        *(
            (made(value=None), 0.01, on, "bbc-f", "undecided", "estimate of bbc-f is undefined")
            for on in (ESTIMATE, {})
        ),
        (
            made() | {"estimates": [e | {"interval": None} for e in made()["estimates"]]},
            *(0.01, {"method": "bbc-f"}, "bbc-f", "undecided", "bbc-f has no interval"),
        ),
    ],
)
def test_verdicts(found, threshold, options, method, outcome, reason):
    rule = {"direction": UP} | options
    judged_of = gated(threshold, found=found, **rule)
    gate = judged_of["gate"]
    assert (gate["method"], gate["outcome"]) == (method, outcome)
    assert re.search(reason, gate["reason"]) and bool(gate["reason"]) == (outcome == "undecided")
    assert status([judged_of.record]) == {"met": 0, "missed": 3, "undecided": 4}[outcome]
    if outcome == "undecided":
        assert (gate["value"], gate["margin"]) == (None, None)
        return
    one = next(e for e in found["estimates"] if e["method"] == method)
    sign, end = (1, "lower") if rule["direction"] is UP else (-1, "upper")
    value = one["value"] if "on" in rule else one["interval"][end]
    assert (gate["value"], gate["on"]) == (value, rule.get("on", GateOn.BOUND))
    assert gate["margin"] == pytest.approx(sign * (value - threshold), abs=1e-15)


def test_what_ignores_the_selection_is_judged_only_by_name_and_with_a_note():
    for found, options in (
        (made(["cvt"]), ESTIMATE | {"method": "cvt"}),
        (made(["naive-f"]), {"method": "naive-f"}),
    ):
        asked = gated(NAIVE - 0.01, found=found, **options)
        assert asked["gate"]["outcome"] == "met"
        assert [note["code"] for note in asked["notes"]] == ["gate-on-naive"]
    assert (found["gate"], found["notes"]) == (None, [])  # not changed in place
    found["input"]["n_configurations"] = 1  # there is no selection to ignore
    assert verdict(NAIVE - 0.01, found=found)["outcome"] == "met"
    assert gated(NAIVE - 0.01, found=found, method="naive-f")["notes"] == []


def test_the_worst_verdict_of_several_is_the_status():
    met, missed, undecided = (
        gated(threshold, found=made(value=value)).record
        for threshold, value in ((LOWER - 0.1, VALUE), (0.99, VALUE), (0.01, None))
    )
    assert [status(some) for some in ([made().record], [met, met], [met, missed])] == [0, 0, 3]
    assert status([undecided, missed, met]) == 4


def test_only_the_first_metric_is_judged():
    both = made(metric="auc")
    both["estimates"] = both["estimates"] + made(metric="brier")["estimates"]
    assert verdict(0.5, found=both)["metric"] == "auc"
    with pytest.raises(OptionError, match="--fail-over does not go with AUC"):
        gated(0.5, DOWN, both)


def test_without_a_rule_nothing_changes():
    found = result().record
    assert judged(found, None) is found
    assert found.gate is None


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ((0.8, 0.3, None, None), "both given", "give only one"),
        swept((math.nan, None, None, None), "--fail-under is nan", "finite"),
        swept((None, math.inf, None, None), "--fail-over is inf", "finite"),
        swept((None, None, GateOn.BOUND, None), "--gate-on without a threshold", "--fail-under"),
        swept((None, None, None, "bbc"), "--gate-method without a threshold", "--fail-under"),
        swept((0.8, None, None, "bcb"), "--gate-method is 'bcb'", "did you mean bbc?"),
        swept((0.8, None, None, "tt"), "tt gives no interval", "--gate-on estimate"),
    ],
)
def test_options_that_make_no_rule(options, message, hint):
    with pytest.raises(OptionError, match=message) as raised:
        gate_rule(*options)
    assert hint in raised.value.hint


NONE, ALL, WHICH = "no result can meet it", "every result meets it", "does not go with AUC"
SHARE, SIGNED, OPEN = (0, 1), (-1, 1), (0, math.inf)


@pytest.mark.parametrize(
    ("threshold", "direction", "metric", "bounds", "problem", "hint"),
    [
        (0.8, UP, DOWN, SHARE, WHICH, "--fail-over 0.8"),
        (0.8, DOWN, UP, SHARE, WHICH, "--fail-under 0.8"),
        (1.2, UP, UP, SHARE, NONE, "AUC lies between 0 and 1"),  # no percentage
        (100, UP, UP, SHARE, NONE, "AUC lies between 0 and 1"),
        (99.5, UP, UP, SHARE, NONE, "AUC lies between 0 and 1: --fail-under 0.995"),
        (1.001, UP, UP, SIGNED, NONE, "AUC lies between -1 and 1"),
        (-0.1, DOWN, DOWN, OPEN, NONE, "AUC lies between 0 and inf"),
        (-0.1, DOWN, DOWN, (0, 2), NONE, "AUC lies between 0 and 2"),
        (2, DOWN, DOWN, SHARE, ALL, "AUC lies between 0 and 1: --fail-over 0.02"),
        (1, DOWN, DOWN, SHARE, ALL, "AUC lies between 0 and 1"),
        (2, DOWN, DOWN, (0, 2), ALL, "AUC lies between 0 and 2"),
        (-5, UP, UP, SHARE, ALL, "AUC lies between 0 and 1"),
        (0, UP, UP, SHARE, ALL, "AUC lies between 0 and 1"),
        (-1, UP, UP, SIGNED, ALL, "AUC lies between -1 and 1"),
    ],
)
def test_a_threshold_that_decides_nothing_is_refused(
    threshold, direction, metric, bounds, problem, hint
):
    rule = GateRule(threshold, direction)
    with pytest.raises(OptionError, match=f"{rule.option}.*{problem}") as raised:
        rule.check("AUC", metric, bounds)
    assert raised.value.hint == hint


def test_a_threshold_that_some_results_meet_is_taken():
    for threshold, bounds in ((1, SHARE), (0.01, SHARE), (0, SIGNED), (-5, (-math.inf, math.inf))):
        GateRule(threshold, UP).check("AUC", UP, bounds)
    for threshold, bounds in ((0, SHARE), (0.99, SHARE), (5, OPEN), (0, (0, 2))):
        GateRule(threshold, DOWN).check("AUC", DOWN, bounds)


@pytest.mark.parametrize(
    ("metric", "matrix", "threshold"),
    [
        ("log-loss", {}, 16.0),  # -ln 2^-23, as logarithms are clipped
        swept("brier", {}, 1.0),  # of two classes
        swept("brier", {"task": "multiclass", "classes": ["a", "b", "c"]}, 2.0),
        swept("mae-rank", {"task": "multiclass", "classes": ["a", "b", "c"]}, 2.0),
        swept("mean-loss", {"task": "score", "classes": [], "bounds": [1.0, 5.0]}, 5.0),
    ],
)
def test_what_a_metric_can_be_follows_from_the_document(metric, matrix, threshold):
    found = result()
    of_metric = {"metric": metric, "direction": "minimize"}
    found["input"] |= matrix
    found["estimates"] = [e | of_metric for e in found["estimates"]]
    with pytest.raises(OptionError, match="every result meets it"):
        gated(threshold, DOWN, found)
    assert gated(0.99 * threshold, DOWN, found)["gate"]["outcome"] != "undecided"


@pytest.mark.parametrize(
    ("saved", "reason"),
    [
        ({"value": None, "margin": None}, "the saved verdict has no value"),
        ({"value": 0.2}, "the saved verdict is met, but 0.2 is held to 0.25"),
    ],
)
def test_a_saved_verdict_without_a_value_is_none(saved, reason):
    found = gated(0.25, found=result(level=0.3)).record
    assert judged(found, None) is found
    broken = judged(replace(found, gate=replace(found.gate, **saved)), None)
    assert (broken.gate.outcome, broken.gate.reason) == ("undecided", reason)
    assert status([broken]) == 4
