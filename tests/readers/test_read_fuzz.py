"""Whatever the bytes: a matrix or an error that names the remedy."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.analysis.inspection import Status, inspect
from bbccli.core.matrix import PredictionMatrix
from bbccli.errors import BbcError
from bbccli.readers import DIALECTS, Request, read

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
    max_examples=examples(60),
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
def tables(draw: st.DrawFn, heads: Sequence[str] = HEADS) -> bytes:
    """Text tables of likely names and unlikely cells."""
    names = draw(st.lists(st.sampled_from(heads), min_size=1, max_size=6))
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


# The long layout, its dialects, ARFF, several files, nested predictions

LONG = (
    b"config,row_id,repeat,fold,truth,prob.x,prob.y\na,0,0,0,x,0.9,0.1\na,1,0,1,y,0.2,0.8\n"
    b"b,1,0,1,y,0.4,0.6\nb,0,0,0,x,0.7,0.3\n"
)
CARET = (
    b'"pred","obs","x","y","rowIndex","k","Resample"\n"x","x",0.9,0.1,1,3,"Fold1.Rep1"\n'
    b'"y","y",0.2,0.8,2,3,"Fold2.Rep1"\n"x","x",0.7,0.3,1,5,"Fold1.Rep1"\n'
    b'"y","y",0.4,0.6,2,5,"Fold2.Rep1"\n'
)
TIDY = (
    b".pred_x,.pred_y,id,.row,penalty,y,.config\n0.9,0.1,Fold1,1,0.5,x,A\n"
    b"0.2,0.8,Fold2,2,0.5,y,A\n0.6,0.4,Fold1,1,0.7,x,B\n0.3,0.7,Fold2,2,0.7,y,B\n"
)
ARFF = (
    b"% run\n@RELATION r\n@ATTRIBUTE repeat NUMERIC\n@ATTRIBUTE fold NUMERIC\n"
    b"@ATTRIBUTE row_id NUMERIC\n@ATTRIBUTE prediction {x,'y z'}\n@ATTRIBUTE correct {x,'y z'}\n"
    b"@ATTRIBUTE confidence.x NUMERIC\n@ATTRIBUTE 'confidence.y z' NUMERIC\n@DATA\n"
    b"0,0,0,x,x,0.9,0.1\n0,1,1,'y z','y z',0.2,0.8\n0,0,2,x,\"y z\",?,0.4\n"
)
NESTED = (
    b"row_id,outer_fold,fold,truth,a,b\n0,A,,x,0.1,0.2\n1,A,,y,0.7,0.9\n2,B,,x,0.3,0.4\n"
    b"3,B,,y,0.8,0.6\n2,A,1,x,0.2,0.3\n3,A,2,y,0.9,0.5\n0,B,1,x,0.3,0.1\n1,B,2,y,0.6,0.7\n"
)
LONG_HEADS = [
    *HEADS, "config", ".config", "prediction", "score", "prob.x", "prob.y", "outer_fold", ".row",
    ".pred_x", "row_ids", "response", "pred", "obs", "rowIndex", "Resample", "confidence.x",
]  # fmt: skip


def try_everything(paths: Path | list[Path], **options: Any) -> None:
    """A matrix or one error; and an inspection that agrees."""
    try:
        matrix = read(paths, **options)
    except BbcError as error:
        assert error.hint
        assert "\n" not in error.hint
        problem = error.problem
    else:
        assert np.isfinite(matrix.predictions).all()
        problem = ""
    found = inspect(paths, Request(**options))
    errors = [one for one in found.findings if one.status is Status.ERROR]
    assert bool(errors) == bool(problem), (problem, errors)


@pytest.mark.sweep
@often
@given(data=mutated(LONG) | mutated(CARET) | mutated(TIDY) | mutated(NESTED))
def test_mutated_long_tables(tmp_path, data):
    path = tmp_path / "m.csv"
    path.write_bytes(data)
    try_everything(path)


@often
@given(data=mutated(ARFF) | st.binary(max_size=100))
def test_mutated_arff(tmp_path, data):
    path = tmp_path / "m.arff"
    path.write_bytes(data)
    try_everything(path)


@pytest.mark.sweep
@often
@given(first=mutated(ARFF), second=mutated(ARFF), third=mutated(LONG))
def test_several_mutated_files(tmp_path, first, second, third):
    paths = [tmp_path / name for name in ("a.arff", "b.arff", "c.csv")]
    for path, data in zip(paths, (first, second, third), strict=True):
        path.write_bytes(data)
    try_everything(paths[:2])
    try_everything(paths[1:])


@often
@given(
    data=tables(LONG_HEADS),
    dialect=st.sampled_from([None, "wide", *DIALECTS]),
    labels=st.booleans(),
)
def test_strange_long_tables(tmp_path, data, dialect, labels):
    path, other = tmp_path / "m.csv", tmp_path / "other.csv"
    path.write_bytes(data)
    other.write_bytes(b"row_id,truth\n0,x\n1,y\n2,x\n")
    try_everything(path, dialect=dialect, labels=other if labels else None)
