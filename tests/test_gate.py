"""The rule of a gate: which figure, which way, and never a pass without one."""

import math
import re
from dataclasses import replace

import pytest
from day import swept
from documents import gated, result

from bbccli.documents.gate import GateRule, gate_rule, judged, status
from bbccli.errors import OptionError
from bbccli.types import Direction, GateOn, Side

UP, DOWN = Direction


def verdict(*arguments, **options):
    return gated(*arguments, **options)["gate"]


def test_the_bound_of_the_first_interval_is_judged():
    found = result(names=["cvt", "tt", "bbc-f"], level=0.3)
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
    "estimate of a bound undefined": (
        lambda: undefined("value", level=0.3),
        {},
        "the estimate of bbc-f is undefined",
    ),
    "interval lacking": (lambda: undefined("all"), {"method": "bbc-f"}, "bbc-f has no interval"),
}


def undefined(what, **plan):
    found = result(**plan)
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
    found = gated(0.01, found=make(), **rule)
    assert found["gate"]["outcome"] == "undecided"
    assert found["gate"]["value"] is None
    assert re.search(reason, found["gate"]["reason"])
    assert status([found.record]) == 4


def test_the_worst_verdict_of_several_is_the_status():
    met, missed = gated(0.25, found=result(level=0.3)), gated(0.5)
    undecided = gated(0.5, found=undefined("interval"))
    assert status([result().record]) == 0
    assert status([met.record, met.record]) == 0
    assert status([met.record, missed.record]) == 3
    assert status([undecided.record, missed.record, met.record]) == 4


def test_only_the_first_metric_is_judged():
    both, other = result("accuracy"), result("brier")
    both["estimates"] = both["estimates"] + other["estimates"]
    assert verdict(0.5, found=both)["metric"] == "accuracy"
    with pytest.raises(OptionError, match="--fail-over does not go with accuracy"):
        gated(0.5, DOWN, both)


def test_without_a_rule_nothing_changes():
    found = result().record
    assert judged(found, None) is found
    assert found.gate is None


def test_a_document_is_not_changed_in_place():
    found = result()
    gated(0.5, found=found, on=GateOn.ESTIMATE, method="cvt")
    assert found["gate"] is None
    assert found["notes"] == []


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
        (85, UP, UP, SHARE, NONE, "AUC lies between 0 and 1: --fail-under 0.85"),
        (1.001, UP, UP, SIGNED, NONE, "AUC lies between -1 and 1"),
        (-0.1, DOWN, DOWN, OPEN, NONE, "AUC lies between 0 and inf"),
        (-0.1, DOWN, DOWN, (0, 2), NONE, "AUC lies between 0 and 2"),
        (5, DOWN, DOWN, SHARE, ALL, "AUC lies between 0 and 1: --fail-over 0.05"),
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


@pytest.mark.parametrize("code", ["collapsed-interval", "no-variance"])
def test_a_note_on_an_interval_without_width_is_enough(code):
    """One end alone does not show it: equal folds give 0.75 to 1 with --side lower."""
    found = result(level=0.3)
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


# Which estimate, and whether it shows anything


def reordered(found, *names):
    of_name = {e["method"]: e for e in found["estimates"]}
    return found | {"estimates": [of_name[name] for name in names]}


def test_the_order_of_the_methods_does_not_matter():
    found = result(names=["naive-f", "bbc-f", "tt"], level=0.3)
    of_naive, of_bbc = (found["estimates"][i]["interval"]["lower"] for i in (0, 1))
    between = (of_naive + of_bbc) / 2
    assert of_bbc < between < of_naive
    for names in (("naive-f", "bbc-f"), ("bbc-f", "naive-f"), ("tt", "naive-f", "bbc-f")):
        gate = verdict(between, found=reordered(found, *names))
        assert (gate["method"], gate["outcome"]) == ("bbc-f", "missed")


def test_one_that_is_experimental_yields_to_another():
    found = result(names=["naive-f", "bbc-f"], level=0.3)
    found["estimates"][0] |= {"ignores_selection": False, "experimental": True}
    assert verdict(0.4, found=found)["method"] == "bbc-f"


def test_a_bound_that_ignores_the_selection_can_only_miss():
    found = result(names=["naive-f"], level=0.3)
    lower = found["estimates"][0]["interval"]["lower"]
    gate = verdict(lower - 0.01, found=found)
    assert (gate["outcome"], gate["value"]) == ("undecided", None)
    assert gate["reason"] == "naive-f ignores that the winner was selected"
    assert verdict(lower + 0.01, found=found)["outcome"] == "missed"
    asked = gated(lower - 0.01, found=found, method="naive-f")
    assert asked["gate"]["outcome"] == "met"
    assert [note["code"] for note in asked["notes"]] == ["gate-on-naive"]


def test_an_estimate_that_is_corrected_comes_before_one_that_is_not():
    for names in (("naive-f", "tt"), ("tt", "naive-f"), ("cvt", "naive-f", "tt")):
        gate = verdict(0.5, found=result(names=list(names)), on=GateOn.ESTIMATE)
        assert (gate["method"], gate["outcome"]) == ("tt", "met")


def test_a_single_configuration_has_no_selection_to_ignore():
    found = result(names=["naive-f"], level=0.3)
    found["input"]["n_configurations"] = 1
    lower = found["estimates"][0]["interval"]["lower"]
    assert verdict(lower - 0.01, found=found)["outcome"] == "met"
    assert gated(lower - 0.01, found=found, method="naive-f")["notes"] == []


COLLAPSED = "the interval of bbc-f has collapsed onto 0.8"


@pytest.mark.parametrize(
    ("lower", "upper", "side", "reason"),
    [
        (0.8, 0.8, "two", COLLAPSED),
        swept(0.7 + 0.1, 0.8, "two", COLLAPSED),  # to the last bits
        swept(0.8, 1.0, "lower", COLLAPSED),  # a single end shows it by the estimate
        swept(0.8, 0.9, "two", "the bound of bbc-f is no worse than its estimate"),
        swept(0.7, 0.8, "two", ""),
        swept(0.75, 1.0, "lower", ""),
    ],
)
def test_a_bound_that_is_the_estimate_has_no_width(lower, upper, side, reason):
    found = result(level=0.3)
    estimate = found["estimates"][1]
    estimate |= {"value": 0.8}
    estimate["interval"] |= {"lower": lower, "upper": upper, "side": side}
    gate = verdict(0.6, found=found)
    assert (gate["outcome"], gate["reason"]) == ("undecided" if reason else "met", reason)
    assert verdict(0.9, found=found)["outcome"] == "missed"


def test_another_method_takes_the_place_of_one_without_width():
    found = result(names=["bbc-f", "naive-f"], level=0.3)
    flat, wide = found["estimates"]
    flat["interval"] |= {"lower": 0.8, "upper": 0.8}
    wide |= {"ignores_selection": False}
    assert verdict(0.5, found=found)["method"] == "naive-f"


def noted(code, **options):
    found = result(level=0.3, **options)
    found["estimates"][1]["notes"] = [{"code": code, "text": "", "remedy": ""}]
    return found


ESTIMATE = {"on": GateOn.ESTIMATE}


@pytest.mark.parametrize(
    ("code", "threshold", "options", "outcome"),
    [
        ("few-resamples", 0.4, {}, "undecided"),
        ("few-resamples", 0.45, {}, "missed"),
        ("few-resamples", 0.4, ESTIMATE, "met"),
        ("selected-on-evaluation", 0.4, ESTIMATE, "undecided"),
        ("selected-on-evaluation", 0.4, {}, "met"),
        ("selected-on-evaluation", 0.4, ESTIMATE | {"method": "bbc-f"}, "met"),
    ],
)
def test_notes_tell_which_figure_shows_nothing(code, threshold, options, outcome):
    gate = verdict(threshold, found=noted(code), **options)
    too_good = outcome == "undecided" and options == ESTIMATE
    assert (gate["outcome"], "too good" in gate["reason"]) == (outcome, too_good)


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
