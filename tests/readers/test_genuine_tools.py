"""Runs of the tools themselves: every figure is the tool's own."""

import csv
import json
from pathlib import Path

import pytest

RUNS = Path(__file__).parents[1] / "data" / "runs"


def figures(run, *argv):
    """Return what `bbc leaderboard` says of each configuration."""
    found = json.loads(run.printed("leaderboard", *argv, "--format", "json"))
    return {row["configuration"]: row["performances"][0]["value"] for row in found["rows"]}


def said(run, *argv):
    """Return the exit status and everything that is printed, in one line."""
    status, out, err = run("correct", *argv)
    return status, " ".join((out + err).split())


# caret

KINDS = RUNS / "caret_kinds"
METRIC = {"f1": "f1", "labels": "f1"}


def of_caret(kind):
    with (KINDS / "results.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == kind]
    return {row["configuration"]: float(row["value"]) for row in rows}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("kind", ["loocv", "f1", "labels", "slices", "weights"])
def test_figures_are_those_of_caret(kind, run):
    found = figures(run, KINDS / f"{kind}.csv", "--metric", METRIC.get(kind, "accuracy"))
    assert found == pytest.approx(of_caret(kind), abs=1e-12)


def test_folders_of_caret_are_known_without_resamples(tmp_path, run):
    (tmp_path / "knn.csv").write_bytes((KINDS / "loocv.csv").read_bytes())
    status, text = said(run, tmp_path, "--metric", "accuracy")
    assert status == 0
    assert "caret run" in text
    assert "selection pooled" in text
    assert "k=7 scored 0.875 on these 40 samples, the best of 2" in text


def test_the_event_of_caret_is_the_first_level_unless_an_option_says_otherwise(run):
    file = KINDS / "f1.csv"
    assert "binary (positive: ja)" in said(run, file)[1]
    assert "binary (positive: nein)" in said(run, file, "--positive", "nein")[1]


def test_what_caret_did_not_keep_is_not_called_nothing(tmp_path, run):
    status, text = said(run, KINDS / "final.csv", "--metric", "accuracy")
    assert status == 0
    assert "k=7, the only configuration whose predictions were kept, scored 0.854" in text
    assert "what else was tried is not here, so the choice is not corrected" in text
    assert "savePredictions" in text
    assert "nothing was chosen" not in text
    both = said(run, KINDS / "final.csv", KINDS / "untuned.csv", "--metric", "accuracy")[1]
    assert "only the best configuration is here" in both
    assert "nothing was chosen" in said(run, KINDS / "untuned.csv")[1]


def test_weights_of_a_fit_count_in_caret_only_on_request(run):
    plain = figures(run, KINDS / "weights.csv", "--metric", "accuracy")
    assert "weighted by" not in said(run, KINDS / "weights.csv", "--metric", "accuracy")[1]
    asked = figures(run, KINDS / "weights.csv", "--metric", "accuracy", "--weight", "weights")
    assert asked != pytest.approx(plain, abs=1e-3)
