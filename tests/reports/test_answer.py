"""What a result says first, in the words of a stranger."""

import html
import re

import numpy as np
import pytest
from documents import gated, result
from matrices import binary, by_hand, regression

from bbccli import METRICS, Plan, document
from bbccli.methods import estimate
from bbccli.reports import FORMS
from bbccli.types import Select, Side


def answer(found):
    """The bold lines of Markdown that are no doubts."""
    lines = re.findall(r"^\*\*(.*)\*\*$", FORMS["markdown"](found), re.MULTILINE)
    return [html.unescape(line) for line in lines]


def of(matrix, *metrics, names=("cvt", "bbc"), **plan):
    found = estimate(matrix, [METRICS[m] for m in metrics], Plan(n_resamples=50, **plan), names)
    return document(matrix, *found)


def alone():
    return by_hand().of_configurations(np.array([1]))


def test_what_won_and_what_to_expect():
    assert answer(result()) == [
        "a scored 0.833 in cross-validation, the best of 2.",
        "Expect 0.512 on new samples (95% CI 0.000 to 1.000).",
    ]


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_end_is_named(side):
    _, expected = answer(result(side=Side(side), level=0.9))
    figure = {"lower": "0.000", "upper": "1.000"}[side]
    assert expected == f"Expect 0.512 on new samples (90% {side} bound {figure})."


def test_of_a_loss_lower_is_better():
    scored, expected = answer(of(regression(40, 5), "rmse"))
    assert "(RMSE, lower is better) in cross-validation, the best of 5." in scored
    assert expected.startswith("Expect ")
    assert "lower is better" not in answer(result())[0]


def test_each_metric_has_its_sentence_and_its_name():
    lines = answer(of(by_hand(), "auc", "accuracy", "brier"))
    assert "(AUC) in cross-validation, the best of 2." in lines[0]
    names = ["AUC", "accuracy", "Brier"]
    assert [line.split()[:2] for line in lines[1:]] == [["Expect", name] for name in names]
    assert ["lower is better" in line for line in lines] == [False, False, False, True]


def test_one_configuration_was_not_chosen():
    scored, expected = answer(of(alone(), "accuracy"))
    assert scored == "a, the only configuration, scored 0.833 in cross-validation."
    assert expected.endswith("; nothing was chosen, so nothing is corrected.")
    naive = answer(of(alone(), "accuracy", names=["cvt"]))
    assert naive[1] == "There is no interval for performance on new samples: use --method bbc."


def test_the_naive_figure_alone_is_not_to_be_reported():
    for names in (["cvt"], ["cvt", "wilson"]):
        scored, told = answer(result(names=names))
        assert scored == "a scored 0.833 in cross-validation, the best of 2."
        assert told.startswith("Don't report that figure: it was picked for being the best")
        assert "Expect" not in told


def test_a_corrected_figure_without_an_interval_is_the_first_of_its_kind():
    assert answer(result(names=["cvt", "tt"]))[1] == (
        "Expect 0.667 on new samples by tt, which gives no interval."
    )


def test_an_interval_without_width_is_not_given():
    found = result(names=["bbc-f"])
    (one,) = found["estimates"]
    flat = one["interval"] | {"lower": one["value"], "upper": one["value"]}
    (_, told) = answer(found | {"estimates": [one | {"interval": flat}]})
    assert told == "Expect 0.512 on new samples by bbc-f, whose interval has no width."


def test_the_rule_that_selected_is_named():
    scored = answer(result(select=Select.ONE_SE))[0]
    assert scored.endswith("the first within one standard error of the best of 2.")


def test_samples_held_out_are_told_from_those_that_chose():
    found = of(binary(80, 6), "auc", names=["delong"])
    assert "on the 60 samples that chose it, the best of 6." in answer(found)[0]
    found = of(binary(80, 6), "auc", names=["delong-10p"])
    assert "on the 20 samples held out, the best of 1 preselected out of 6." in answer(found)[0]


def test_scores_have_no_cross_validation():
    found = result()
    scores = found | {"input": found["input"] | {"task": "score", "n_folds": None, "n_repeats": 2}}
    assert "scored 0.833 on these 6 samples, the best of 2." in answer(scores)[0]
    note = {"code": "repeated-holdout", "text": "", "remedy": ""}
    assert "in repeated hold-out" in answer(found | {"notes": [note]})[0]


def test_what_is_undefined_is_said():
    found = result(names=["bbc-f"])
    (one,) = found["estimates"]
    lost = one | {"value": None, "naive": None, "interval": None}
    assert answer(found | {"estimates": [lost]}) == [
        "a scored an undefined value in cross-validation, the best of 2.",
        "What to expect on new samples can't be computed.",
    ]


def test_the_verdict_is_the_last_sentence():
    assert answer(gated(0.25))[-1] == (
        "Gate failed: lower bound of the accuracy (bbc-f) is 0, 0.25 below the required 0.25."
    )
    assert answer(gated(0.25, found=result(level=0.3)))[-1].startswith("Gate met, with doubts: ")
    assert len(answer(gated(0.5, found=result() | {"estimates": []}))) == 1
