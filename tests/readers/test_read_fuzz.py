"""Whatever the bytes: a matrix or an error that names the remedy."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bbccli.errors import BbcError
from bbccli.matrix import PredictionMatrix
from bbccli.readers import read

SUFFIXES = [".parquet", ".csv", ".tsv", ".csv.gz", ".csv.zst", ""]
CSV = (
    b"row_id,repeat,fold,truth,a,b\n0,0,0,x,0.1,0.2\n1,0,1,y,0.7,0.9\n"
    b"0,1,1,x,0.3,\n1,1,0,y,0.8,0.6\n"
)
CELLS = [
    "",
    "0",
    "1",
    "2",
    "0.5",
    "-1",
    "nan",
    "inf",
    "1e999",
    "x",
    "True",
    "a b",
    "::x",
    "2020-01-01",
]
HEADS = [
    "row_id",
    "repeat",
    "fold",
    "truth",
    "group",
    "time",
    "event",
    "id",
    "id2",
    "a",
    "b",
    "a::x",
]

often = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def parquet() -> bytes:
    """A small valid Parquet file."""
    table = pa.table(
        {
            "truth": pa.array(["x", "y", "x"]).dictionary_encode(),
            "fold": [0, 1, 0],
            "a": np.array([0.1, 0.2, 0.3], dtype=np.float32),
            "b": [0.5, None, 0.25],
        }
    ).replace_schema_metadata({"bbc": '{"spec": "bbc-predictions", "version": "1"}'})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def try_reading(path: Path, data: bytes, **options: Path) -> None:
    """Read the bytes; let no error but ours escape."""
    path.write_bytes(data)
    try:
        matrix = read(path, **options)
    except BbcError as error:
        assert error.hint
        assert "\n" not in error.hint
    else:
        assert isinstance(matrix, PredictionMatrix)


@st.composite
def mutated(draw: st.DrawFn, original: bytes) -> bytes:
    """A valid file with some bytes replaced, removed or repeated."""
    data = bytearray(original)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(len(data) - 1, 0)))
        stop = start + draw(st.integers(0, 6))
        data[start:stop] = draw(st.binary(max_size=6) | st.just(bytes(data[start:stop] * 2)))
    return bytes(data)


@pytest.mark.parametrize("suffix", SUFFIXES)
@often
@given(data=st.binary(max_size=200))
def test_random_bytes(tmp_path, suffix, data):
    try_reading(tmp_path / f"m{suffix}", data)


@often
@given(data=mutated(CSV))
def test_mutated_csv(tmp_path, data):
    try_reading(tmp_path / "m.csv", data)


@often
@given(data=mutated(parquet()))
def test_mutated_parquet(tmp_path, data):
    try_reading(tmp_path / "m.parquet", data)


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """Text tables of likely names and unlikely cells."""
    names = draw(st.lists(st.sampled_from(HEADS), min_size=1, max_size=6))
    cell = st.sampled_from(CELLS)
    n_rows = draw(st.integers(1, 5))
    rows = [[draw(cell) for _ in names] for _ in range(n_rows)]
    return "\n".join(",".join(row) for row in [names, *rows]).encode()


@often
@given(data=tables())
def test_strange_tables(tmp_path, data):
    try_reading(tmp_path / "m.csv", data)


@often
@given(data=tables(), role=st.sampled_from(["labels", "folds"]))
def test_strange_companions(tmp_path, data, role):
    other = tmp_path / "other.csv"
    other.write_bytes(data)
    try_reading(tmp_path / "m.csv", CSV, **{role: other})


@often
@given(text=st.text(max_size=100) | mutated(b'{"spec": "bbc-predictions", "version": "1"}'))
def test_strange_metadata(tmp_path, text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    (tmp_path / "m.meta.json").write_bytes(data)
    try_reading(tmp_path / "m.csv", CSV)
