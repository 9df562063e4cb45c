"""The table at width 80, to the letter."""

import re
from dataclasses import replace
from textwrap import dedent

import pytest
from documents import result
from matrices import by_hand, regression

from bbccli.core.plan import Plan
from bbccli.methods import estimate
from bbccli.metrics import METRICS
from bbccli.reports import FORMS, Style
from bbccli.reports.sentences import gate_sentence
from bbccli.schema.correct import document
from bbccli.schema.gate import GateRule, judged
from bbccli.types import Direction


def exact(**plan):
    """Nothing is drawn, so that a golden text does not rest on draws."""
    found = result(names=["cvt", "tt", "bbc-f"], guard=False, **plan)
    return found | {"version": "0.0.0"}


def two_winners():
    found = exact()
    naive, tt, bbc_f = found["estimates"]
    return found | {
        "estimates": [naive, tt | {"winner": "b"}, bbc_f | {"winner": "b", "naive": 0.75}]
    }


GOLDEN = """\
        by_hand.csv   binary (positive: yes), 6 samples x 2 configurations, 3 folds,
        accuracy

        a scored 0.833 in cross-validation, the best of 2.
        Expect 0.512 on new samples (95 % interval 0.000 to 1.000).

        report   accuracy 0.512 (95 % CI 0.000 to 1.000), corrected for choosing a among
                 2 configurations; N = 6, 3 folds; BBC-F, fold-mean, all 9 resamples,
                 bbc 0.0.0

          accuracy  naive  corrected  95 % interval
        > bbc-f     0.833      0.512  0.000 to 1.000
          tt        0.833      0.667

        Report the row marked >; the others are for comparison, not to choose from.

        choice   a close call: a won 48 % of the resamples of bbc-f, b 52 %
        note     only 3 folds: methods that compare or resample folds are coarse   hint:
                 use 10 folds, or rely on bbc, which resamples samples
        """

GOLDEN_OF_TWO = """\
        by_hand.csv   binary (positive: yes), 6 samples x 2 configurations, 3 folds, accuracy

        b scored 0.750 in cross-validation, the best of 2.
        Expect 0.512 on new samples (95 % interval 0.000 to 1.000).

        report   accuracy 0.512 (95 % CI 0.000 to 1.000), corrected for choosing b among 2 configurations; N = 6, 3 folds;
                 BBC-F, fold-mean, all 9 resamples, bbc 0.0.0

          accuracy  selected by  winner                   x naive  o corrected  95 % interval   0.0            0.5           1.0
        > bbc-f     fold means   b                          0.750        0.512  0.000 to 1.000  |---------------o------x-------|
          cvt       pooled rows  a       naive, too good    0.833                                                         x
          tt        fold means   b                          0.833        0.667                                       o    x

        Report the row marked >; the others are for comparison, not to choose from.

        choice   fairly clear: b won 52 % of the resamples of bbc-f, a 48 %
        note     only 3 folds: methods that compare or resample folds are coarse   hint: use 10 folds, or rely on bbc, which
                 resamples samples
        """  # noqa: E501


@pytest.mark.parametrize(
    ("make", "width", "golden"), [(exact, 80, GOLDEN), (two_winners, 120, GOLDEN_OF_TWO)]
)
def test_golden(make, width, golden):
    assert FORMS["table"](make(), Style(width=width)) == dedent(golden)


def test_a_result_without_an_interval_gives_no_advice():
    text = FORMS["table"](result(names=["cvt"]))
    assert "\nreport " not in text
    assert "naive, too good" in text


def test_several_metrics_have_a_table_each():
    matrix = by_hand()
    metrics = [METRICS["auc"], METRICS["accuracy"]]
    text = FORMS["table"](document(matrix, *estimate(matrix, metrics, Plan(n_resamples=50))))
    assert text.count("> bbc ") == 2
    assert text.count("report ") == 2


def test_names_cannot_drive_the_terminal():
    found = result()
    found["estimates"][0]["winner"] = "evil\x1b[31m[bold]"
    text = FORMS["table"](found)
    assert "\x1b" not in text
    assert r"evil\x1b[31m[bold]" in text


def test_colour_only_when_asked_for():
    assert "\x1b[" in FORMS["table"](result(), Style(colour=True))


def of_small_scale(scale):
    matrix = regression(40, 5)
    outcome = replace(matrix.outcome, values=matrix.outcome.values * scale)
    small = replace(matrix, outcome=outcome, predictions=matrix.predictions * scale)
    return document(small, *estimate(small, [METRICS["rmse"]], Plan(n_resamples=50, guard=False)))


@pytest.mark.parametrize("form", ["table", "markdown", "github", "junit"])
def test_small_scales_are_legible(form):
    """RMSE near 3e-5 was shown as 0.000, and its interval as 0.000 to 0.000."""
    found = of_small_scale(3e-5)
    bbc = next(e for e in found["estimates"] if e["method"] == "bbc")
    text = FORMS[form](judged(found, GateRule(2.7e-5, Direction.MINIMIZE)))
    assert not re.search(r"\b0\.000\b", text)
    assert f"{bbc['value']:.6f}" in text
    assert f"{bbc['interval']['lower']:.6f} to {bbc['interval']['upper']:.6f}" in text
    assert " over 2.7e-05" in text


@pytest.mark.parametrize("form", ["table", "markdown", "github", "junit"])
def test_no_figure_is_rounded_onto_a_bound(form):
    found = exact()
    bbc_f = found["estimates"][2]
    interval = bbc_f["interval"] | {"lower": 0.0004, "upper": 0.9996}
    shown = found | {"estimates": [bbc_f | {"interval": interval, "value": 0.99961}]}
    text = FORMS[form](judged(shown, GateRule(0.9999, Direction.MAXIMIZE)))
    assert "0.0004 to 0.9996" in text
    assert "1.000" not in text
    assert not re.search(r"\b0\.000\b", text)
    assert "is 0.0004, 0.9995 under 0.9999" in text


@pytest.mark.parametrize(
    ("value", "threshold", "said"),
    [
        (0.7230769, 0.8, "is 0.723, 0.077 under 0.8"),
        (0.79996, 0.8, "is 0.79996, 0.00004 under 0.8"),
        (0.9999996, 0.9, "is 0.9999996, 0.1 over 0.9"),
        (0.8, 0.8, "is 0.8, just 0.8"),
        (3.04e-5, 2.5e-5, "is 0.0000304, 0.0000054 over 2.5e-05"),
    ],
)
def test_the_verdict_shows_how_far_it_is(value, threshold, said):
    gate = judged(exact(), GateRule(threshold, Direction.MAXIMIZE)).record.gate
    assert said in gate_sentence(replace(gate, value=value, margin=value - threshold))


@pytest.mark.parametrize("form", ["table", "markdown"])
@pytest.mark.parametrize(
    ("names", "expected"), [(["tt", "bbc-f"], True), (["cvt", "bbc-f"], False), (["cvt"], False)]
)
def test_rows_to_compare_are_told_from_the_one_to_report(form, names, expected):
    text = " ".join(FORMS[form](result(names=names)).split())
    assert ("the others are for comparison, not to choose from" in text) == expected
