"""Beside an error without a worst value stands what it would be with one."""

from pathlib import Path

import pytest

VALUES = Path(__file__).parents[2] / "sample_data" / "diabetes.parquet"
QUICK = ("correct", VALUES, "--n-resamples", 60)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_it_is_the_estimate_with_the_cap(run, metric):
    (found,) = run.document(*QUICK, "--metric", metric)["capped"]
    capped = run.document(*QUICK, "--metric", metric, "--cap", 0.95)
    (expected,) = [e for e in capped["estimates"] if e["method"] == "bbc"]
    assert (found["value"], found["interval"]) == (expected["value"], expected["interval"])
    assert capped["capped"] == []


def test_others_have_none(run):
    assert run.document(*QUICK, "--metric", "r2")["capped"] == []


def test_it_stands_on_the_line_after_the_sentence(run):
    out = run.printed(*QUICK, "--metric", "mse")
    lines = [line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")]
    assert lines[lines.index("report") + 1] == "capped"
