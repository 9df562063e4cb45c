"""Methods that look at the winner alone, as the command line shows them."""

import json

import pytest


def test_the_table_gives_no_optimism_and_no_sentence_to_report(run, samples):
    out = run.printed(
        "correct",
        samples / "progression.parquet",
        "--metric",
        "accuracy",
        "--method",
        "wilson",
        "--method",
        "t-folds",
    )
    (wilson,) = (line for line in out.splitlines() if line.startswith("  wilson"))
    assert wilson.split() == [
        "wilson", "share,", "ignores", "selection", "0.863", "0.863", "0.770", "to", "0.921"
    ]  # fmt: skip
    assert "\nreport " not in out
    assert "best pooled accuracy and mean over folds of 177" in out


def test_the_document_marks_them(run, samples):
    methods = ("bbc", "naive", "naive-f", "t-corrected", "influence", "nested-selection")
    options = [word for method in methods for word in ("--method", method)]
    out = run.printed(
        "correct",
        samples / "progression.parquet",
        *options,
        "--n-resamples",
        64,
        "--format",
        "json",
    )
    marked = {e["method"]: e["ignores_selection"] for e in json.loads(out)["estimates"]}
    assert marked == {m: m not in ("bbc", "nested-selection") for m in methods}


@pytest.mark.parametrize("name", ["wald", "wilson", "clopper-pearson", "jeffreys"])
def test_a_metric_that_is_not_a_proportion_is_refused(run, samples, name):
    err = run.refused("correct", samples / "progression.parquet", "--method", name)
    assert f"error: {name} is for proportions of samples" in err
    assert "hint: bbc; or naive and influence" in err
