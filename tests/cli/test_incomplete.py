"""Matrices as they are found in the middle of things."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FAST = ("--n-resamples", "100")


@pytest.fixture
def table(samples):
    return pq.read_table(samples / "progression.parquet")


def run_on(table, run, tmp_path, *options):
    path = tmp_path / "incomplete.parquet"
    pq.write_table(table, path)
    status, out, err = run("correct", path, "--format", "json", *FAST, *options)
    return status, json.loads(out) if status == 0 else None, err


def without(table, names, rows):
    """The table without the predictions of some configurations on some rows."""
    for name in names:
        values = table[name].to_numpy().copy().astype(float)
        values[rows] = np.nan
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(values, pa.float32(), from_pandas=True))
    return table


def codes_in(result):
    return [note["code"] for note in result["notes"]]


def test_common_rows(table, run, tmp_path):
    late = table["fold"].to_numpy() > 4
    cut = without(table, table.column_names[5:8], late)
    found = run_on(cut, run, tmp_path, "--missing", "common-rows")[1]
    assert found["input"]["n_configurations"] == 177
    assert found["input"]["n_samples"] == int((~late).sum())
    assert "common-rows" in codes_in(found)


def gaps_everywhere(table, share):
    rng = np.random.default_rng(0)
    for name in table.column_names[3:]:
        table = without(table, [name], rng.random(table.num_rows) < share)
    return table


@pytest.mark.sweep
def test_gaps_everywhere(table, run, tmp_path):
    """Each configuration is scored on the four fifths of the samples that it predicts."""
    whole = run_on(table, run, tmp_path)[1]
    status, found, err = run_on(gaps_everywhere(table, 0.2), run, tmp_path)
    assert status == 0, err
    assert found["input"]["n_samples"] == 80
    assert found["input"]["n_configurations"] == 177
    text = next(n["text"] for n in found["notes"] if n["code"] == "available-cases")
    assert text.startswith("20% of the predictions are missing")
    for gappy, complete in zip(found["estimates"], whole["estimates"], strict=True):
        assert gappy["method"] == complete["method"]
        assert abs(gappy["value"] - complete["value"]) < 0.08


def test_too_many_gaps_are_explained(table, run, tmp_path):
    status, _, err = run_on(gaps_everywhere(table, 0.8), run, tmp_path)
    assert status == 2
    assert "each of the 177 configurations lacks too many predictions (80% of all" in err
