"""The same table in every format gives the same matrix."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from day import swept
from documents import codes
from numpy.testing import assert_array_equal
from reading import assert_same, refused

from bbccli.reading import read, sources
from bbccli.reading.sources import parquet
from bbccli.types import PredictionKind

NAMES = ["m.parquet", "m.csv", "m.tsv", "m.csv.gz", "m.tsv.gz", "m.csv.zst", "m.tsv.zst", "M.CSV"]


@pytest.mark.parametrize("name", NAMES)
def test_formats_agree(save, columns, encoded, stdin, name):
    expected = read(save("expected.parquet", columns))
    path = save(name, columns)
    found = read(path)
    assert_same(found, expected)
    assert found.source.path == str(path)
    assert found.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    stdin(encoded(name, columns))  # where the content tells the format
    if name != "M.CSV":
        assert_same(read("-"), expected)


def test_types_are_told_from_the_whole_file(save):
    rows = ["truth,a", *("0,0" for _ in range(300_000)), "1,0", "1,0.5"]
    matrix = read(save("m.csv", "\n".join(rows)))
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.predictions[0, -1, 0] == 0.5


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["float32", "float32"], "float32"),
        swept(["float32", "float64"], "float64"),
        swept(["int8", "int64"], "float64"),
        swept(["float32", "int32"], "float64"),
    ],
)
def test_single_precision_stays_where_all_columns_have_it(save, types, expected):
    columns = {f"c{i}": np.array([0, 1, 3], dtype=kind) for i, kind in enumerate(types)}
    matrix = read(save("m.parquet", {"truth": [0, 1, 1], **columns}))
    assert matrix.predictions.dtype == expected


def test_many_blocks_of_columns_in_another_row_order(save):
    values = np.random.default_rng(1).random((30, 150))
    columns = {f"c{i}": values[:, i] for i in range(150)}
    rows = {"row_id": [*range(30), *reversed(range(30))], "repeat": [0] * 30 + [1] * 30}
    twice = {k: np.concatenate([v, v[::-1]]) for k, v in columns.items()}
    truth = np.arange(30) % 2
    matrix = read(save("m.parquet", {**rows, "truth": [*truth, *truth[::-1]], **twice}))
    assert_array_equal(matrix.predictions, [values, values])


@pytest.mark.sweep
def test_importing_and_reading_leave_pandas_alone(save, columns):
    path = save("m.csv", columns)
    program = (
        "import sys; from bbccli.reading import read; assert 'pyarrow' not in sys.modules; "
        f"read({str(path)!r}); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# Large Parquet files are read column by column, with the same result

LARGE = ("progression", "breast_cancer_repeats", "digits", "diabetes", "whas500")


@pytest.fixture
def large(monkeypatch):
    """Take every file for a large one."""
    monkeypatch.setattr(sources, "LARGE", 1)
    monkeypatch.setattr(parquet, "_FEW_ROWS", 0)


@pytest.mark.parametrize("name", LARGE)
def test_the_same_matrix(name, samples, request):
    expected = read(samples / f"{name}.parquet")
    request.getfixturevalue("large")
    found = read(samples / f"{name}.parquet")
    assert_same(found, expected)
    assert (found.source, found.notes) == (expected.source, expected.notes)


def test_damage_inside_is_found_when_it_is_read(large, samples, tmp_path):
    content = bytearray((samples / "progression.parquet").read_bytes())
    content[2000:60_000] = bytes(58_000)
    (tmp_path / "m.parquet").write_bytes(content)
    refused("truncated or damaged", tmp_path / "m.parquet")


# One table in many formats, made by `tests/data/tables/make.py`: all say what the CSV says

TABLES = Path(__file__).parents[1] / "data" / "tables"
SOURCES = {".csv", ".py"}
STORED = sorted(path.name for path in TABLES.iterdir() if path.suffix not in SOURCES)


def test_there_is_a_file_of_each_kind():
    assert len(STORED) == 21
    assert {Path(name).suffix for name in STORED} == {
        *(".feather", ".arrow", ".arrows", ".ndjson", ".parquet")
    }


@pytest.mark.parametrize("name", STORED)
def test_values(name, stdin):
    """The CSV that a file says the same as."""
    ours = read(TABLES / name)
    theirs = read(TABLES / ("lists.csv" if "list" in name else "plain.csv"))
    assert_array_equal(ours.predictions, theirs.predictions)
    assert_array_equal(ours.keys, theirs.keys)
    assert_array_equal(ours.outcome.values, theirs.outcome.values)
    assert ours.outcome.classes == theirs.outcome.classes == ("no", "yes")
    assert ours.configurations == theirs.configurations
    assert ("classes-in-order" in codes(ours)) == ("list" in name)
    stdin((TABLES / name).read_bytes())
    assert_array_equal(read("-").predictions, theirs.predictions)
