"""`--tight`: the narrower interval, reported where it was asked for."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from day import swept

from bbccli import METRICS
from bbccli.types import Task

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def cancer(tmp_path):
    return shutil.copy(SAMPLES / "breast_cancer.csv", tmp_path / "p.csv")


FAST = ("--n-resamples", 100)


def test_it_is_bbc_632_of_kind_sharp_and_reported(run, cancer):
    found = run.document("correct", cancer, "--tight", *FAST)
    (reported,) = found["report"]
    assert reported["method"] == "bbc-632"
    assert found["plan"]["interval"] == "sharp"
    by_name = run.document("correct", cancer, "--method", "bbc-632", "--interval", "sharp", *FAST)
    (tight,) = [e for e in found["estimates"] if e["method"] == "bbc-632"]
    (same,) = by_name["estimates"]
    assert (tight["value"], tight["interval"]) == (same["value"], same["interval"])
    wide = run.document("correct", cancer, *FAST)["estimates"][-1]["interval"]
    assert tight["interval"]["upper"] - tight["interval"]["lower"] < wide["upper"] - wide["lower"]


def test_a_leaderboard_reports_the_same(run, cancer):
    (found,) = run.document("correct", cancer, "--tight", *FAST)["estimates"][-1:]
    board = run.document("leaderboard", cancer, "--tight", *FAST)["corrected"]
    assert [board[key] for key in found] == list(found.values())
    assert found["method"] == "bbc-632"


def test_the_sentence_and_the_table_tell_it(run, cancer):
    text = " ".join(run.printed("correct", cancer, "--tight", *FAST).split())
    assert "> bbc-632" in text
    assert "BBC-632 with pooled selection, boundary-guarded sharp interval (--tight)" in text


def test_gates_and_tables_of_batches_take_it(run, cancer, tmp_path):
    words = (cancer, "--tight", *FAST)
    found = run.document("correct", *words, "--fail-under", 0.5)
    assert found["gate"]["method"] == "bbc-632"
    assert run("batch", *words, "-o", tmp_path / "b.parquet")[0] == 0
    out = run.printed("gate", tmp_path / "b.parquet", "--fail-under", 0.5)
    assert "lower bound of the AUC (bbc-632)" in " ".join(out.split())


def test_a_project_may_ask_for_it(run, cancer, tmp_path):
    (tmp_path / "bbc.toml").write_text("tight = true\n")
    found = run.document("--config", tmp_path / "bbc.toml", "correct", cancer, *FAST)
    assert found["report"][0]["method"] == "bbc-632"
    unlike = ("--config", tmp_path / "bbc.toml", "correct", cancer, "--no-tight", *FAST)
    assert run.document(*unlike, "--method", "bbc")["report"][0]["method"] == "bbc"


@pytest.mark.parametrize(
    "more", [("--method", "bbc"), ("--interval", "matched"), ("--interval", "percentile")]
)
def test_method_and_interval_are_not_given_beside_it(run, cancer, more):
    err = run.refused("correct", cancer, "--tight", *more)
    assert f"--tight chooses the method and the interval, and so does {more[0]}" in err


@pytest.mark.parametrize("more", [("--select", "mean:3"), ("--pooling", "fold-mean")])
def test_what_sharp_intervals_do_not_cover_names_the_option_to_leave_out(run, cancer, more):
    assert "leave out --interval or --tight" in run.refused("correct", cancer, "--tight", *more)
    assert run("correct", cancer, *more, *FAST)[0] == 0


ENDLESS = [
    name
    for name, one in METRICS.items()
    if Task.REGRESSION in one.tasks and np.isinf(one.bounds[one.direction.sign < 0])
]


@pytest.mark.parametrize("metric", ENDLESS)
def test_metrics_without_a_worst_value_are_refused(run, metric):
    err = run.refused("correct", SAMPLES / "diabetes.parquet", "--tight", "--metric", metric)
    assert "--tight is for bounded metrics" in err


def test_a_capped_error_is_not(run):
    capped = ("--tight", "--metric", "mae", "--cap", 0.95, *FAST)
    found = run.document("correct", SAMPLES / "diabetes.parquet", *capped)
    assert found["report"][0]["method"] == "bbc-632"


@pytest.mark.parametrize(("n_positive", "noted"), [(9, True), swept(10, False)])
@pytest.mark.parametrize("metric", ["f1", swept("average-precision"), swept("auc")])
def test_few_positives_are_doubted(run, tmp_path, n_positive, noted, metric):
    rng = np.random.default_rng(0)
    truth = (np.arange(100) < n_positive).astype(int)
    scores = {f"c{i}": np.clip(0.3 * truth + rng.uniform(0.1, 0.7, 100), 0, 1) for i in range(4)}
    table = pd.DataFrame({"truth": truth, "fold": np.arange(100) % 4, **scores})
    table.to_csv(tmp_path / "rare.csv", index=False)
    found = run.document("correct", tmp_path / "rare.csv", "--tight", "--metric", metric, *FAST)
    codes = [note["code"] for note in found["notes"]]
    assert ("rare-positives" in codes) == (noted and metric != "auc")
