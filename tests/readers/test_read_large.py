"""Large Parquet files are read column by column, with the same result."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import refused

from bbccli.readers import read
from bbccli.readers.sources import files

FILES = ("progression", "breast_cancer_repeats", "digits", "diabetes", "whas500")


@pytest.fixture
def large(monkeypatch):
    """Take every file for a large one."""
    monkeypatch.setattr(files, "LARGE", 1)


@pytest.mark.parametrize("name", FILES)
def test_the_same_matrix(name, samples, monkeypatch):
    expected = read(samples / f"{name}.parquet")
    monkeypatch.setattr(files, "LARGE", 1)
    found = read(samples / f"{name}.parquet")
    assert np.array_equal(found.predictions, expected.predictions)
    assert found.predictions.dtype == expected.predictions.dtype
    assert np.array_equal(found.outcome.values, expected.outcome.values)
    assert (found.configurations, found.source, found.notes) == (
        expected.configurations,
        expected.source,
        expected.notes,
    )


def test_names_with_dots_are_not_nested(large, tmp_path):
    columns = {"truth": ["a", "b"], "C=0": [0.1, 0.9], "C=0.5": [0.2, 0.8]}
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    matrix = read(tmp_path / "m.parquet")
    assert matrix.configurations == ("C=0", "C=0.5")
    assert matrix.predictions[0].tolist() == [[0.1, 0.2], [0.9, 0.8]]


def test_damage_inside_is_found_when_it_is_read(large, samples, tmp_path):
    content = bytearray((samples / "progression.parquet").read_bytes())
    content[2000:60_000] = bytes(58_000)
    (tmp_path / "m.parquet").write_bytes(content)
    refused("truncated or damaged", tmp_path / "m.parquet")


def test_strange_columns_are_refused(large, tmp_path):
    pq.write_table(pa.table({"truth": ["a", "b"], "m": [b"x", b"y"]}), tmp_path / "m.parquet")
    refused("columns of type binary cannot be read", tmp_path / "m.parquet")


def test_not_parquet(large, tmp_path):
    (tmp_path / "m.parquet").write_bytes(b"truth,a\n0,1\n")
    refused("Parquet file is truncated or damaged", tmp_path / "m.parquet")
