"""Every error says what is wrong, where, and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bbccli.errors import BbcError, InputError
from bbccli.readers import read

BASE = {"fold": [0, 1, 0, 1], "truth": ["x", "x", "y", "y"]}
GOOD = [0.1, 0.2, 0.8, 0.9]


def fault(path: Path | str, message: str, **options) -> BbcError:
    """The error of reading a file: one line, with the path in front and a hint."""
    with pytest.raises(InputError, match=message) as e:
        read(path, **options)
    assert e.value.hint
    assert "\n" not in str(e.value) + e.value.hint
    assert str(e.value).startswith(f"{e.value.path}: ")
    return e.value


def test_missing_file(save, tmp_path):
    path = save("breast.csv", BASE | {"a": GOOD})
    error = fault(tmp_path / "brest.csv", r"brest\.csv: no such file")
    assert error.hint == f"did you mean {path}?"
    assert fault(tmp_path / "zzz.parquet", "no such file").hint == "check the path"
    assert "no folder" in fault(tmp_path / "none" / "a.csv", "no such file").hint


def test_directory(tmp_path):
    fault(tmp_path, "is a directory, not a file")


def test_permission(save, monkeypatch):
    path = save("m.csv", BASE | {"a": GOOD})
    path.chmod(0)
    if os.access(path, os.R_OK):

        def refuse(self: Path, mode: str) -> bytes:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
    fault(path, "permission denied")


def test_names_that_are_none(tmp_path):
    with pytest.raises(InputError, match=r"is not a file name|no such file"):
        read(str(tmp_path / "a\0b.csv"))
    with pytest.raises(InputError, match=r"cannot be read|no such file"):
        read(str(tmp_path / ("a" * 300 + ".csv")))


@pytest.mark.parametrize("name", ["m.xlsx", "m.pkl", "m.dat", "m.parquet.gz", "m.json.gz"])
def test_unsupported_suffix(save, name):
    suffix = "".join(Path(name).suffixes)
    error = fault(save(name, b"x"), rf"files that end in {suffix} cannot be read")
    assert ".parquet, .feather, .arrow, .csv, .tsv" in error.hint
    assert ("never loaded" in error.hint) == name.endswith(".pkl")


@pytest.mark.parametrize("name", ["m.parquet", "m.csv", "m.tsv", "m.csv.gz", "m.csv.zst", "m"])
def test_empty_file(save, name):
    fault(save(name, b""), "file is empty")


def test_empty_stdin(stdin):
    stdin(b"")
    fault("-", "<stdin>: file is empty")


@pytest.mark.parametrize("name", ["m.csv.gz", "m.csv.zst"])
def test_truncated_packing(save, columns, name):
    path = save(name, columns)
    path.write_bytes(path.read_bytes()[:-20])
    fault(path, "data are truncated or damaged")
    fault(save(name, b"truth,a\n0,1\n1,0\n"), "data are truncated or damaged")


def test_not_parquet(save):
    error = fault(save("m.parquet", b"truth,a\n0,1\n"), "is not a Parquet file")
    assert ".csv" in error.hint


def test_truncated_parquet(save, columns):
    path = save("m.parquet", columns)
    data = path.read_bytes()
    for length in (4, 20, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        fault(path, "Parquet file is truncated or damaged")


@pytest.mark.parametrize("text", ["truth,a", "truth,a\n", "\ntruth,a\n\n\n"])
def test_header_only(save, text):
    fault(save("m.csv", text), "no rows under the header")


def test_parquet_without_rows(save):
    fault(save("m.parquet", {"truth": [], "a": []}), "no rows")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("truth,a\n0,1\n1\n", "line 3 has 1 values, the header names 2"),
        ("truth,a\n0,1\n1,2\n3,4,5\n1\n", "line 4 has 3 values, the header names 2"),
    ],
)
def test_ragged_rows(save, text, message):
    fault(save("m.csv", text), message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bytes(range(256)), "is binary, not text"),
        (b"PAR1abc", "is binary, not text"),
        (
            b"truth,a\n0,1\nf\xfcnf,2\n",
            r"text is not UTF-8 \(line 3\); in Windows-1252 it reads 'fünf'",
        ),
        ("truth,a\n0,1\n".encode("utf-16")[:-1], "text is marked as UTF-16 but is damaged"),
    ],
)
def test_bytes_that_are_no_text(save, data, message):
    fault(save("m.csv", data), message)


def test_no_truth(save):
    columns = {f"c{i}": [1, 2] for i in range(12)} | {"thruth": [0, 1]}
    error = fault(save("m.csv", columns), "no truth column among c0, c1, .*c7 and 5 more")
    assert "--truth NAME" in error.hint
    assert "did you mean 'thruth'?" in error.hint


def test_no_configuration(save):
    fault(save("m.csv", BASE), "no configuration column")


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_duplicate_names(save, name):
    if name == "m.csv":
        path = save(name, "truth,a,a\n0,1,2\n1,2,3\n")
    else:
        path = save(name, b"")
        table = pa.Table.from_arrays([pa.array([0, 1])] * 3, names=["truth", "a", "a"])
        pa.parquet.write_table(table, path)
    fault(path, "column name occurs twice .column 'a'")


def test_unnamed_column(save):
    error = fault(save("m.csv", ",truth,a\n0,x,0.1\n0,y,0.2\n"), "column 0 has no name")
    assert "index=False" in error.hint


def test_index_of_pandas_is_the_row_id(save):
    matrix = read(
        save("m.parquet", {"truth": [0, 1], "a": [0.1, 0.2], "__index_level_0__": [4, 7]})
    )
    assert matrix.configurations == ("a",)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        (["0.1", "0.2", "?", "0.4"], "row 2, value '?'"),
        (["0.1", "0,2", "x", "0.4"], "row 1, value '0,2'"),
        (["one", "two", "", "four"], "row 0, value 'one'"),
    ],
)
def test_text_among_predictions(save, values, place):
    path = save("m.csv", {"truth": [0, 1, 0, 1], "a": GOOD, "svm C=1": values})
    error = fault(path, "prediction is text")
    assert str(error) == f"{path}: prediction is text (column 'svm C=1', {place})"
    assert ("decimal point" in error.hint) == ("," in place.split("'")[1])


@pytest.mark.parametrize("truth", [[0, 1, 0, 1], [0.5, 1.5, 2.5, 3.5], ["x", "y", "x", "y"]])
def test_text_in_the_only_prediction(save, truth):
    path = save("m.csv", {"truth": truth, "a": ["0.1", "0.2", "?", "0.4"]})
    fault(path, r"prediction is text \(column 'a', row 2, value '\?'\)")


def test_numbers_stored_as_text(save):
    path = save("m.parquet", {"truth": [0.5, 1.5], "a": ["0.1", "0.2"]})
    error = fault(path, r"prediction is text \(column 'a', row 0, value '0.1'\)")
    assert "numbers" in error.hint


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_prediction(save, name, value):
    path = save(name, BASE | {"a": GOOD, "b": [0.1, 0.2, value, 0.3]})
    fault(path, rf"prediction is infinite \(column 'b', row 2, value {value}\)")


@pytest.mark.parametrize("truth", [[0, 1, None, 1], [0.5, 1.5, np.nan, 2.5], ["x", "y", "", "x"]])
@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_missing_truth(save, name, truth):
    error = fault(
        save(name, {"truth": truth, "a": GOOD}), r"truth is missing \(column 'truth', row 2\)"
    )
    assert "remove" in error.hint


def test_infinite_truth(save):
    path = save("m.parquet", {"truth": [0.5, np.inf, 1.5, 2.5], "a": GOOD})
    fault(path, "truth is infinite .*row 1")


@pytest.mark.parametrize("values", [[["x"], ["y"]], [{"p": 1}, {"p": 2}], [b"\x00", b"\x01"]])
def test_nested_columns(save, values):
    path = save("m.parquet", {"truth": [0, 1], "a": values})
    fault(path, "columns of type .* cannot be read .column 'a'")


def test_dates_are_text(save):
    path = save("m.csv", {"truth": [0.5, 1, 2], "a": ["2020-01-01", "2020-01-02", "2020-01-03"]})
    fault(path, "prediction is text .*value '2020-01-01'")
