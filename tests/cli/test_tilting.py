"""`bbc correct --method tilting ...` on the sample files."""

import json

import pytest

SPLIT = ("--method", "tilting", "--method", "tilting-10p", "--method", "mabt")
FAST = ("--n-resamples", "200")


def estimates(run, *argv):
    out = run.printed("correct", *argv, *SPLIT, *FAST, "--format", "json")
    return {e["method"]: e for e in json.loads(out)["estimates"]}


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("progression", "auc"),
        ("progression", "log-loss"),
        ("digits", "accuracy"),
        ("diabetes", "r2"),
        ("whas500", "concordance"),
        ("breast_cancer_repeats", "auc"),
    ],
)
def test_every_task_has_intervals(run, samples, name, metric):
    for estimate in estimates(run, samples / f"{name}.parquet", "--metric", metric).values():
        interval = estimate["interval"]
        assert interval["lower"] < estimate["value"] < interval["upper"]
        assert estimate["n_resamples"] == 200
        assert estimate["error"]["lower"] >= 0
        assert not estimate["ignores_selection"]


@pytest.mark.sweep
def test_a_share_of_nothing_ignores_the_selection(run, samples):
    found = estimates(run, samples / "progression.parquet", "--evaluation-share", "0")
    assert all(e["ignores_selection"] for e in found.values())
    out = run.printed(
        *("correct", samples / "progression.parquet", "--evaluation-share", "0"), *SPLIT, *FAST
    )
    assert out.count("ignores") == 3


def test_what_tilting_cannot_do_is_said(run, tmp_path):
    path = tmp_path / "perfect.csv"
    rows = [f"{i},{i % 2},{0.1 + 0.7 * (i % 2) + 0.01 * i / 40:.4f}" for i in range(40)]
    path.write_text("\n".join(["id,label,model", *rows]) + "\n")
    out = run.silent("correct", path, "--metric", "accuracy", "--notes", "all", *SPLIT, *FAST)
    words = " ".join(out.split())
    assert "mabt finds no tilt for its lower end, which is Wilson's instead" in words
    out = run.silent("correct", path, "--metric", "auc", "--notes", "all", *SPLIT, *FAST)
    assert "tilting has no interval: no sample that evaluates moves the figure" in " ".join(
        out.split()
    )
