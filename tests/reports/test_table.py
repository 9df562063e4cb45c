"""The table at width 80, to the letter."""

import json
from textwrap import dedent

import pytest
from matrices import by_hand

from bbccli.matrix import Source
from bbccli.methods import estimate
from bbccli.metrics import METRICS
from bbccli.plan import Plan
from bbccli.reports import REPORTS, Style
from bbccli.reports.numbers import decimals_for, fixed, percent
from bbccli.schema import document
from bbccli.types import Side


def result(metric="accuracy", names=None, **plan):
    matrix = by_hand()
    object.__setattr__(matrix, "source", Source(path="by_hand.csv"))
    return document(matrix, *estimate(matrix, [METRICS[metric]], Plan(**plan), names))


def test_golden():
    assert REPORTS["table"](result()) == dedent(
        """\
        by_hand.csv   binary (positive: yes), 6 samples x 2 configurations, 3 folds,
        accuracy

        winner   a   best pooled accuracy and mean over folds of 2
        wins     in the resamples of bbc: 58 % a, 42 % b

        method                      accuracy   95 % interval    optimism
        cvt      naive, too good       0.833
        tt       corrected             0.667                       0.167
        bbc      corrected             0.615   0.000 to 1.000      0.218
        bbc-f    corrected, folds      0.512   0.000 to 1.000      0.321

        report   accuracy 0.62 (95 % interval 0.00 to 1.00; BBC, 1000 resamples, seed 0)
        note     3 folds only: methods that compare or resample folds are coarse   hint:
                 10 folds; or rely on bbc, which resamples the rows
        note     921 resamples lacked a class in or out of the bag and were drawn again
                 (1000 were used)   hint: a class is rare: read the interval with care,
                 or collect more of it
        """
    )


def test_a_result_without_an_interval_gives_no_advice():
    text = REPORTS["table"](result(names=["cvt"]))
    assert "report" not in text
    assert "naive, too good" in text


def test_the_sentence_to_report_is_of_the_first_interval():
    plan = {"n_resamples": 50, "level": 0.9, "seed": 4}
    text = " ".join(REPORTS["table"](result(names=["bbc", "bbc-f"], **plan)).split())
    assert "90 % interval" in text
    assert "BBC, 50 resamples, seed 4)" in text
    text = " ".join(REPORTS["table"](result(names=["bbc-f", "bbc"], **plan)).split())
    assert "BBC-F, all 9 resamples)" in text


@pytest.mark.parametrize("side", ["lower", "upper", "pessimistic"])
def test_one_sided_bounds_are_named(side):
    text = REPORTS["table"](result(side=Side(side), level=0.9))
    assert f"90 % {'upper' if side == 'upper' else 'lower'} bound" in text
    assert " to " not in text.split("report")[1].split("note")[0]


def test_several_metrics_have_a_table_each():
    matrix = by_hand()
    metrics = [METRICS["auc"], METRICS["accuracy"]]
    text = REPORTS["table"](document(matrix, *estimate(matrix, metrics, Plan(n_resamples=50))))
    assert text.count("naive, too good") == 2
    assert text.count("report ") == 2


def test_no_line_is_wider_than_the_page():
    for width in (60, 80, 120):
        text = REPORTS["table"](result(), Style(width=width))
        assert max(map(len, text.splitlines())) <= width


def test_names_cannot_drive_the_terminal():
    found = result()
    found["estimates"][0]["winner"] = "evil\x1b[31m[bold]"
    text = REPORTS["table"](found)
    assert "\x1b" not in text
    assert r"evil\x1b[31m[bold]" in text


def test_colour_only_when_asked_for():
    assert "\x1b[" in REPORTS["table"](result(), Style(colour=True))


def test_json_is_the_document():
    found = result()
    assert json.loads(REPORTS["json"](found)) == found


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([0.846, 0.8], 3), ([1.0], 3), ([54.2, 61.0], 1), ([3012.0], 0), ([0.0], 3), ([None], 3)],
)
def test_decimals(values, decimals):
    assert decimals_for(values) == decimals


def test_numbers():
    assert fixed(-0.0001, 3) == "0.000"
    assert fixed(float("nan"), 3, missing="none") == "none"
    assert percent(0.999) == "99.9 %"
