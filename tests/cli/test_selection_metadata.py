"""The metadata say how the tool selected that wrote the file."""

import json

import numpy as np
import pytest
from day import swept

N = 60
RNG = np.random.default_rng(1)
TRUTH = RNG.permutation(np.arange(N) % 2)
FOLD = np.arange(N) % 5
MODELS = [np.round(RNG.random(N) + 0.4 * TRUTH, 3) for _ in range(3)]
LINES = [",".join(map(str, row)) for row in zip(FOLD, TRUTH, *MODELS, strict=True)]


@pytest.fixture
def file(tmp_path):
    """Write a file whose metadata say how to select."""

    def write(selection):
        path = tmp_path / "m.csv"
        path.write_text("\n".join(["fold,truth,a,b,c", *LINES]))
        said = {"spec": "bbc-predictions", "version": "1", "selection": selection}
        (tmp_path / "m.meta.json").write_text(json.dumps(said))
        return path

    return write


def pooling(run, *argv):
    return json.loads(run.printed(*argv, "--format", "json"))["plan"]["pooling"]


@pytest.mark.parametrize("command", ["correct", swept("drop")])
@pytest.mark.parametrize("selection", ["pooled", swept("fold-mean"), swept(None)])
def test_the_metadata_choose(run, file, command, selection):
    argv = (command, file(selection), "--n-resamples", 20)
    assert pooling(run, *argv) == (selection or "pooled")
    for asked in ("pooled", "fold-mean"):
        assert pooling(run, *argv, "--pooling", asked) == asked


@pytest.mark.sweep
def test_environment_and_file_of_defaults_win(run, file, tmp_path, monkeypatch):
    argv = ("correct", file("fold-mean"), "--n-resamples", 20)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bbc.toml").write_text('pooling = "pooled"\n')
    assert pooling(run, *argv) == "pooled"
    (tmp_path / "bbc.toml").unlink()
    monkeypatch.setenv("BBC_POOLING", "pooled")
    assert pooling(run, *argv) == "pooled"
    assert pooling(run, *argv, "--pooling", "fold-mean") == "fold-mean"


def test_each_file_of_a_batch_by_its_own(run, file, tmp_path):
    path, target = file("fold-mean"), tmp_path / "r.jsonl"
    run.printed("batch", path, "-o", target, "--n-resamples", 20, "--jobs", 1)
    record = json.loads(target.read_text())
    assert record.get("document", record)["plan"]["pooling"] == "fold-mean"


def test_an_unknown_selection(run, file):
    err = run.refused("correct", file("mean"))
    assert "metadata key 'selection' is 'mean'" in err
    assert "hint: one of: pooled, fold-mean" in err


def test_it_survives_a_conversion(run, file, tmp_path):
    target = tmp_path / "n.parquet"
    assert run("convert", file("fold-mean"), "-o", target)[0] == 0
    assert pooling(run, "correct", target, "--n-resamples", 20) == "fold-mean"
