"""The table at width 80, to the letter."""

import re
from dataclasses import replace

import pytest
from day import swept
from documents import gated, result
from matrices import regression

from bbccli import METRICS, Plan, document
from bbccli.documents.gate import GateRule, judged
from bbccli.methods import estimate
from bbccli.reports import FORMS, Style
from bbccli.reports.forms.summary import Summary
from bbccli.types import Direction


def exact(**plan):
    """Nothing is drawn, so that a golden text does not rest on draws."""
    found = result(names=["cvt", "tt", "bbc-f"], guard=False, **plan)
    return found | {"version": "0.0.0"}


def of_small_scale(scale):
    matrix = regression(40, 5)
    outcome = replace(matrix.outcome, values=matrix.outcome.values * scale)
    small = replace(matrix, outcome=outcome, predictions=matrix.predictions * scale)
    return document(small, *estimate(small, [METRICS["rmse"]], Plan(n_resamples=50, guard=False)))


@pytest.mark.parametrize("form", ["table", swept("markdown"), swept("github"), swept("junit")])
def test_small_scales_are_legible(form):
    """RMSE near 3e-5 was shown as 0.000, and its interval as 0.000 to 0.000."""
    found = of_small_scale(3e-5)
    bbc = next(e for e in found["estimates"] if e["method"] == "bbc")
    text = FORMS[form](judged(found.record, GateRule(2.7e-5, Direction.MINIMIZE)))
    assert not re.search(r"\b0\.000\b", text)
    assert f"{bbc['value']:.6f}" in text
    assert f"{bbc['interval']['lower']:.6f} to {bbc['interval']['upper']:.6f}" in text
    assert " above the allowed 2.7e-05" in " ".join(text.split())


@pytest.mark.parametrize("form", ["table", swept("markdown"), swept("github"), swept("junit")])
def test_no_figure_is_rounded_onto_a_bound(form):
    found = exact()
    bbc_f = found["estimates"][2]
    interval = bbc_f["interval"] | {"lower": 0.0004, "upper": 0.9996}
    shown = found | {"estimates": [bbc_f | {"interval": interval, "value": 0.99961}]}
    text = FORMS[form](judged(shown.record, GateRule(0.9999, Direction.MAXIMIZE)))
    assert "0.0004 to 0.9996" in text
    assert "1.000" not in text
    assert not re.search(r"\b0\.000\b", text)
    assert "is 0.0004, 0.9995 below the required 0.9999" in " ".join(text.split())


@pytest.mark.parametrize("form", ["table", swept("markdown")])
@pytest.mark.parametrize(
    ("names", "expected"),
    [(["tt", "bbc-f"], True), swept(["cvt", "bbc-f"], False), swept(["cvt"], False)],
)
def test_rows_to_compare_are_told_from_the_one_to_report(form, names, expected):
    text = " ".join(FORMS[form](result(names=names)).split())
    assert ("the others are for comparison, not to choose from" in text) == expected


def test_the_answer_alone_is_bold():
    found = gated(0.25)
    answer, told, verdict = re.findall(r"^\*\*(.*)\*\*$", FORMS["markdown"](found), re.MULTILINE)
    text = FORMS["table"](found, Style(colour=True))
    assert f"\x1b[1m{answer}\x1b[0m" in text and f"\x1b[1m{told}\x1b[0m" in text
    looks = re.findall(r"\x1b\[([\d;]+)m", text)
    assert looks.count("1") == 2 and f"\x1b[31m{verdict[:11]}" in text
    page = FORMS["html"](found)
    assert "<strong>Expect" in page and "<strong>a scored" not in page


def test_the_marked_row_is_marked_in_each_part_of_a_table():
    found = result(names=("tt", "bbc-f"))
    found["estimates"][1]["method"] = "a method of many short words"
    lines = FORMS["table"](found, Style(50)).splitlines()
    marked = [line for line in lines if line.startswith(">")]
    assert len(marked) == 3
    assert all(line.startswith("> a method of many short words  ") for line in marked)
    assert len([line for line in lines if line.startswith("  tt")]) == 3


@pytest.mark.parametrize("width", range(24, 100, 4))
def test_no_line_ends_between_a_figure_and_its_unit(width):
    for line in FORMS["table"](gated(0.25), Style(width)).splitlines():
        assert not re.match(r"\s*(%|[=<] ?\d)", line)
        assert not re.search(r"\b[Np]( [=<])?$|\d $", line)


# The table over experiments


def rendered(*documents):
    summary = Summary()
    for _ in summary.watch([{"document": found} for found in documents]):
        pass
    return summary, summary.render(Style(width=120))


def test_only_what_corrects_has_an_optimism():
    """The naive figure has none: rows of 0 would say that nothing was too good."""
    summary, text = rendered(result(names=("cvt", "naive", "bbc-f")), result(names=("cvt", "tt")))
    assert set(summary.optimism) == {("accuracy", "bbc-f"), ("accuracy", "tt")}
    assert "accuracy, cvt" not in text
    assert "accuracy, naive" not in text


def test_a_row_has_the_quartiles_of_its_method():
    found = result()
    naive, bbc_f = found["estimates"]
    optimisms = (0.1, 0.2, 0.3, 0.4, 0.5)
    documents = [found | {"estimates": [naive, bbc_f | {"optimism": o}]} for o in optimisms]
    _, text = rendered(*documents)
    (row,) = [line.split() for line in text.splitlines() if line.startswith("accuracy, bbc-f")]
    assert row[2:] == ["5", "0.100", "0.200", "0.300", "0.400", "0.500"]


@pytest.mark.parametrize(
    ("scale", "said"), [(1, "0.014 (1 file"), (60, "0.8 (1 file"), (2e-5, "0.0000003 (1 file")]
)
def test_the_sentence_has_the_digits_of_the_rows(scale, said):
    """They had three digits, whatever the interval: 0.609 beside a difference of 0.6."""
    found = result()
    interval = found["estimates"][1]["interval"] | {"lower": 0.85 * scale, "upper": scale}
    figures = {"naive": 0.95 * scale, "optimism": 0.01357 * scale, "interval": interval}
    _, text = rendered(found | {"estimates": [found["estimates"][1] | figures]})
    assert f"too good by {said}" in text


def test_small_figures_are_legible():
    found = result()
    naive, bbc_f = found["estimates"]
    _, text = rendered(found | {"estimates": [naive, bbc_f | {"optimism": 3.04e-5}]})
    assert "0.0000304" in text
    assert "0.000 " not in text


def test_an_undefined_optimism_is_not_counted():
    found = result()
    naive, bbc_f = found["estimates"]
    summary, _ = rendered(found | {"estimates": [naive, bbc_f | {"optimism": None}]})
    assert not summary.optimism


def test_winners_are_those_of_the_first_estimate():
    found = result()
    first, second = found["estimates"]
    summary, _ = rendered(found | {"estimates": [first | {"winner": "x"}, second]}, found)
    assert summary.winners == {"x": 1, "a": 1}
