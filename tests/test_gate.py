"""The rule of a gate: which figure, which way, and never a pass without one."""

import math
import re

import pytest
from documents import gated, result

from bbccli.errors import OptionError
from bbccli.gate import Rule, judged, rule_of, status
from bbccli.types import Direction, GateOn, Side

UP, DOWN = Direction


def verdict(*arguments, **options):
    return gated(*arguments, **options)["gate"]


def test_the_bound_of_the_first_interval_is_judged():
    found = result(names=["cvt", "tt", "bbc-f"], level=0.5)
    lower = found["estimates"][2]["interval"]["lower"]
    gate = verdict(lower - 0.125, found=found)
    assert (gate["method"], gate["on"], gate["value"]) == ("bbc-f", "bound", lower)
    assert gate["outcome"] == "met"
    assert gate["margin"] == pytest.approx(0.125)


def test_a_loss_is_judged_by_its_upper_bound():
    found = result("brier", level=0.5)
    upper = found["estimates"][1]["interval"]["upper"]
    assert verdict(upper, DOWN, found)["outcome"] == "met"
    gate = verdict(upper - 0.01, DOWN, found)
    assert gate["outcome"] == "missed"
    assert gate["margin"] == pytest.approx(-0.01)


def test_the_estimate_can_be_judged():
    found = result()
    value = found["estimates"][1]["value"]
    gate = verdict(value + 0.125, found=found, on=GateOn.ESTIMATE)
    assert (gate["method"], gate["value"]) == ("bbc-f", value)
    assert gate["margin"] == pytest.approx(-0.125)


def test_a_method_can_be_named():
    gate = verdict(0.5, found=result(names=["cvt", "tt", "bbc-f"]), on=GateOn.ESTIMATE, method="tt")
    assert (gate["method"], gate["value"]) == ("tt", pytest.approx(2 / 3))


def test_an_estimate_without_any_interval_is_the_first_corrected():
    gate = verdict(0.5, found=result(names=["cvt", "tt"]), on=GateOn.ESTIMATE)
    assert gate["method"] == "tt"


def test_the_naive_figure_is_judged_only_by_name_and_with_a_note():
    undecided = gated(0.5, found=result(names=["cvt"]), on=GateOn.ESTIMATE)
    assert undecided["gate"]["outcome"] == "undecided"
    asked = gated(0.5, on=GateOn.ESTIMATE, method="cvt")
    assert asked["gate"]["outcome"] == "met"
    assert [note["code"] for note in asked["notes"]] == ["gate-on-naive"]


def test_rounding_does_not_decide():
    found = result(names=["cvt", "tt"])
    found["estimates"][1]["value"] = 0.7 + 0.1  # a hair below 0.8
    assert found["estimates"][1]["value"] < 0.8
    assert verdict(0.8, found=found, on=GateOn.ESTIMATE)["outcome"] == "met"
    found["estimates"][1]["value"] = 0.8 - 1e-9
    assert verdict(0.8, found=found, on=GateOn.ESTIMATE)["outcome"] == "missed"


UNDECIDED = {
    "no estimate": (lambda: result() | {"estimates": []}, {}, "there is no estimate"),
    "no interval": (lambda: result(names=["cvt", "tt"]), {}, "no method has a bound"),
    "another end": (lambda: result(side=Side.UPPER), {}, "lower end .* bbc-f was not estimated"),
    "method not there": (result, {"method": "bbc"}, "bbc is not in the result"),
    "bound undefined": (lambda: undefined("interval"), {}, "lower bound of bbc-f is undefined"),
    "estimate undefined": (
        lambda: undefined("value"),
        {"on": GateOn.ESTIMATE},
        "estimate of bbc-f is undefined",
    ),
    "interval lacking": (
        lambda: undefined("all"),
        {"method": "bbc-f"},
        "bbc-f has no interval",
    ),
}


def undefined(what):
    found = result()
    estimate = found["estimates"][1]
    if what == "value":
        estimate["value"] = None
    elif what == "interval":
        estimate["interval"]["lower"] = None
    else:
        estimate["interval"] = None
    return found


@pytest.mark.parametrize("case", UNDECIDED)
def test_what_cannot_be_computed_does_not_pass(case):
    make, rule, reason = UNDECIDED[case]
    found = gated(-math.pi, found=make(), **rule)
    assert found["gate"]["outcome"] == "undecided"
    assert found["gate"]["value"] is None
    assert re.search(reason, found["gate"]["reason"])
    assert status([found]) == 4


def test_the_worst_verdict_of_several_is_the_status():
    met, missed, undecided = gated(0.0), gated(0.5), gated(0.5, found=undefined("interval"))
    assert status([result()]) == 0
    assert status([met, met]) == 0
    assert status([met, missed]) == 3
    assert status([undecided, missed, met]) == 4


def test_only_the_first_metric_is_judged():
    both, other = result("accuracy"), result("brier")
    both["estimates"] = both["estimates"] + other["estimates"]
    assert verdict(0.0, found=both)["metric"] == "accuracy"
    with pytest.raises(OptionError, match="--fail-over does not go with accuracy"):
        gated(0.5, DOWN, both)


def test_without_a_rule_nothing_changes():
    found = result()
    assert judged(found, None) is found
    assert found["gate"] is None


def test_a_document_is_not_changed_in_place():
    found = result()
    gated(0.5, found=found, on=GateOn.ESTIMATE, method="cvt")
    assert found["gate"] is None
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ((0.8, 0.3, None, None), "both given", "one of them"),
        ((math.nan, None, None, None), "--fail-under is nan", "finite"),
        ((None, math.inf, None, None), "--fail-over is inf", "finite"),
        ((None, None, GateOn.BOUND, None), "--gate-on without a threshold", "--fail-under"),
        ((None, None, None, "bbc"), "--gate-method without a threshold", "--fail-under"),
        ((0.8, None, None, "bcb"), "--gate-method is 'bcb'", "did you mean bbc?"),
        ((0.8, None, None, "tt"), "tt gives no interval", "--gate-on estimate"),
    ],
)
def test_options_that_make_no_rule(options, message, hint):
    with pytest.raises(OptionError, match=message) as raised:
        rule_of(*options)
    assert hint in raised.value.hint


def test_options_make_a_rule():
    assert rule_of(None, None, None, None) is None
    assert rule_of(0.8, None, None, None) == Rule(0.8, UP)
    assert rule_of(None, 0.3, GateOn.ESTIMATE, "tt") == Rule(0.3, DOWN, GateOn.ESTIMATE, "tt")


@pytest.mark.parametrize(
    ("direction", "other", "hint"), [(UP, DOWN, "--fail-over 0.8"), (DOWN, UP, "--fail-under 0.8")]
)
def test_the_wrong_way_round_is_refused(direction, other, hint):
    with pytest.raises(OptionError, match="does not go with AUC") as raised:
        Rule(0.8, direction).check("AUC", other, (0, 1))
    assert raised.value.hint == hint


@pytest.mark.parametrize("code", ["collapsed-interval", "no-variance"])
def test_a_note_on_an_interval_without_width_is_enough(code):
    """One end alone does not show it: equal folds give 0.75 to 1 with --side lower."""
    found = result(level=0.5)
    estimate = found["estimates"][1]
    lower = estimate["interval"]["lower"]
    assert verdict(lower - 0.1, found=found)["outcome"] == "met"
    noted = estimate | {"notes": [{"code": code, "text": "", "remedy": ""}]}
    gate = verdict(lower - 0.1, found=found | {"estimates": [found["estimates"][0], noted]})
    assert (gate["outcome"], gate["value"]) == ("undecided", None)
    assert "collapsed" in gate["reason"]
    missed = verdict(lower + 0.1, found=found | {"estimates": [found["estimates"][0], noted]})
    assert missed["outcome"] == "missed"


@pytest.mark.parametrize(
    ("threshold", "direction", "bounds"),
    [(1.2, UP, (0, 1)), (1.001, UP, (-1, 1)), (-0.1, DOWN, (0, math.inf)), (-0.1, DOWN, (0, 2))],
)
def test_a_threshold_beyond_the_bounds_is_refused(threshold, direction, bounds):
    rule = Rule(threshold, direction)
    problem = f"{rule.option} is {threshold:g}: no result can meet it"
    with pytest.raises(OptionError, match=problem) as raised:
        rule.check("AUC", direction, bounds)
    assert raised.value.hint.startswith(f"AUC lies between {bounds[0]} and {bounds[1]}")
    for end in bounds:
        if math.isfinite(end):
            Rule(end, direction).check("AUC", direction, bounds)


def test_a_percentage_is_guessed():
    with pytest.raises(OptionError) as raised:
        Rule(85, UP).check("AUC", UP, (0, 1))
    assert raised.value.hint == "AUC lies between 0 and 1: --fail-under 0.85"


def test_a_figure_just_beyond_the_bound_is_no_percentage():
    with pytest.raises(OptionError) as raised:
        Rule(1.2, UP).check("AUC", UP, (0, 1))
    assert raised.value.hint == "AUC lies between 0 and 1"
