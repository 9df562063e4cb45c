"""The table at width 80, to the letter."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from day import swept
from documents import gated, result
from matrices import regression

from bbccli import METRICS, Plan, document
from bbccli.documents.gate import GateRule, judged
from bbccli.methods import estimate
from bbccli.reports import FORMS, Style
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


@pytest.fixture
def summed(run, tmp_path):
    """The summary of a batch over five files, and their documents."""

    def call(*asked, scale=1.0):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            values = scale * rng.normal(size=(40, 1))
            columns = np.hstack([values, values + scale * rng.normal(size=(40, 30))])
            table = pd.DataFrame(columns, columns=["truth", *(f"c{c}" for c in range(30))])
            table.assign(fold=np.arange(40) % 5).to_csv(tmp_path / f"{seed}.csv", index=False)
        files = [tmp_path / f"{seed}.csv" for seed in range(5)]
        asked = ("--metric", "rmse", *asked, "--n-resamples", 50, "--jobs", 1, "--summary")
        out = run.printed("batch", *files, *asked, "-o", tmp_path / "r.jsonl")
        lines = (tmp_path / "r.jsonl").read_text().splitlines()
        return out, [json.loads(line) for line in lines]

    return call


def test_a_summary_has_a_row_of_quartiles_for_what_corrects_and_winners_of_the_first(
    summed, monkeypatch
):
    """The naive figure has no optimism: rows of 0 would say that nothing was too good."""
    monkeypatch.setenv("COLUMNS", "120")
    out, documents = summed("--method", "tt", "--method", "cvt", "--method", "bbc")
    assert not re.search("^RMSE, cvt", out, re.MULTILINE)
    every = [one for document in documents for one in document["estimates"]]
    for method in ("tt", "bbc"):
        which = ("rmse", method)
        values = [one["optimism"] for one in every if (one["metric"], one["method"]) == which]
        (row,) = [line.split() for line in out.splitlines() if line.startswith(f"RMSE, {method} ")]
        expected = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
        assert row[2] == "5"
        assert [float(cell) for cell in row[3:]] == pytest.approx(expected, abs=6e-4)
    winners = Counter(one["estimates"][0]["winner"] for one in documents)
    assert dict(re.findall(r"^(c\d+) +(\d)$", out, re.MULTILINE)) == {
        name: str(n) for name, n in winners.items()
    }


@pytest.mark.parametrize("scale", [1, swept(60), 2e-5])
def test_the_sentence_of_a_summary_has_the_digits_of_its_intervals(summed, scale):
    """They had three digits, whatever the interval: 0.609 beside a difference of 0.6."""
    out, documents = summed("--method", "bbc", scale=scale)
    optimism = [one["estimates"][0]["optimism"] for one in documents]
    (said,) = re.findall(r"is too good by ([\d.]+) \(median of 5", " ".join(out.split()))
    last = 10.0 ** -len(said.partition(".")[2])
    assert float(said) == pytest.approx(np.median(optimism), abs=0.5 * last)
    widths = [one["estimates"][0]["interval"] for one in documents]
    narrowest = min(one["upper"] - one["lower"] for one in widths)
    assert last > (narrowest / 100 if scale < 1 else 9e-4)
