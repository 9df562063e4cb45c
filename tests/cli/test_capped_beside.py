"""Beside an error without a worst value stands what it would be with one."""

import json
from pathlib import Path

import pytest

VALUES = Path(__file__).parents[2] / "sample_data" / "diabetes.parquet"
QUICK = ("--n-resamples", 60, "--format", "json")


def document(run, *words):
    status, out, err = run("correct", VALUES, *words, *QUICK)
    assert status == 0, err
    return json.loads(out)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_it_is_the_estimate_with_the_cap(run, metric):
    (found,) = document(run, "--metric", metric)["capped"]
    capped = document(run, "--metric", metric, "--cap", 0.95)
    (expected,) = [e for e in capped["estimates"] if e["method"] == "bbc"]
    assert (found["value"], found["interval"]) == (expected["value"], expected["interval"])
    assert capped["capped"] == []


def test_others_have_none(run):
    assert document(run, "--metric", "r2")["capped"] == []


def test_it_stands_on_the_line_after_the_sentence(run):
    _, out, _ = run("correct", VALUES, "--metric", "mse", "--n-resamples", 60)
    lines = [line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")]
    assert lines[lines.index("report") + 1] == "capped"
