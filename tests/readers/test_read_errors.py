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
FOUR = {"truth": [0, 1, 0, 1], "a": GOOD}
MANY = {f"c{i}": [1, 2] for i in range(12)} | {"thruth": [0, 1]}
DAYS = ["2020-01-01", "2020-01-02", "2020-01-03"]


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
    fault(tmp_path, "is a directory, not a file")
    with pytest.raises(InputError, match=r"is not a file name|no such file"):
        read(str(tmp_path / "a\0b.csv"))


def test_permission(save, monkeypatch):
    path = save("m.csv", BASE | {"a": GOOD})
    path.chmod(0)
    if os.access(path, os.R_OK):

        def refuse(self: Path, mode: str) -> bytes:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
    fault(path, "permission denied")


@pytest.mark.parametrize("name", ["m.xlsx", "m.pkl", "m.dat", "m.parquet.gz", "m.json.gz"])
def test_unsupported_suffix(save, name):
    suffix = "".join(Path(name).suffixes)
    error = fault(save(name, b"x"), rf"files that end in {suffix} cannot be read")
    assert ".parquet, .feather, .arrow, .csv, .tsv" in error.hint
    assert ("never loaded" in error.hint) == name.endswith(".pkl")


def test_empty_stdin(stdin):
    stdin(b"")
    fault("-", "<stdin>: file is empty")


def test_truncated_parquet(save, columns):
    path = save("m.parquet", columns)
    data = path.read_bytes()
    for length in (4, 20, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        fault(path, "Parquet file is truncated or damaged")


@pytest.mark.parametrize(
    ("name", "content", "message", "hint"),
    [
        ("m.csv.zst", b"truth,a\n0,1\n1,0\n", "zstd data are truncated or damaged", ""),
        ("m.parquet", b"truth,a\n0,1\n", "is not a Parquet file", ".csv"),
        ("m.csv", "truth,a\n0,1\n1,2\n3,4,5\n1\n", "line 4 has 3 values, the header names 2", ""),
        ("m.csv", MANY, "no truth column among c0, c1, .*c7 and 5 more", "--truth NAME"),
        ("m.csv", MANY, "no truth column", "did you mean 'thruth'?"),
        ("m.csv", ",truth,a\n0,x,0.1\n0,y,0.2\n", "column 0 has no name", "index=False"),
        ("m.csv", "truth,a,a\n0,1,2\n1,2,3\n", "column name occurs twice .column 'a'", ""),
        (
            "m.csv",
            FOUR | {"svm C=1": ["0.1", "0.2", "?", "0.4"]},
            r": prediction is text \(column 'svm C=1', row 2, value '\?'\)",
            "",
        ),
        (
            "m.csv",
            FOUR | {"b": ["0.1", "0,2", "x", "0.4"]},
            r"prediction is text \(column 'b', row 1, value '0,2'\)",
            "decimal point",
        ),
        (
            "m.parquet",
            {"truth": [0.5, 1.5], "a": ["0.1", "0.2"]},
            r"prediction is text \(column 'a', row 0, value '0.1'\)",
            "numbers",
        ),
        (
            "m.csv",
            {"truth": [0.5, 1, 2], "a": DAYS},
            "prediction is text .*value '2020-01-01'",
            "",
        ),
        (
            "m.parquet",
            {"truth": [0.5, np.inf, 1.5, 2.5], "a": GOOD},
            "truth is infinite .*row 1",
            "",
        ),
        (
            "m.parquet",
            {"truth": [0, 1], "a": [{"p": 1}, {"p": 2}]},
            "columns of type struct.* cannot be read .column 'a'",
            "as K columns",
        ),
        (
            "m.parquet",
            {"truth": [0, 1], "a": [["x"], ["y"]]},
            "columns of type list.* cannot be read .column 'a'",
            "as K columns",
        ),
        (
            "m.parquet",
            {"truth": [0, 1], "a": [b"\x00", b"\x01"]},
            "columns of type binary cannot be read .column 'a'",
            "drop the column",
        ),
    ],
)
def test_what_is_wrong_and_what_to_do(save, name, content, message, hint):
    assert hint in fault(save(name, content), message).hint


def test_duplicate_names_in_parquet(save):
    path = save("m.parquet", b"")
    pa.parquet.write_table(pa.table([[0, 1]] * 3, names=["truth", "a", "a"]), path)
    fault(path, "column name occurs twice .column 'a'")


def test_index_of_pandas_is_the_row_id(save):
    columns = {"truth": [0, 1], "a": [0.1, 0.2], "__index_level_0__": [4, 7]}
    assert read(save("m.parquet", columns)).configurations == ("a",)


@pytest.mark.parametrize("truth", [[0, 1, 0, 1], [0.5, 1.5, 2.5, 3.5], ["x", "y", "x", "y"]])
def test_text_in_the_only_prediction(save, truth):
    path = save("m.csv", {"truth": truth, "a": ["0.1", "0.2", "?", "0.4"]})
    fault(path, r"prediction is text \(column 'a', row 2, value '\?'\)")


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_values_that_are_missing_or_infinite(save, name):
    for value in (np.inf, -np.inf):
        path = save(name, BASE | {"a": GOOD, "b": [0.1, 0.2, value, 0.3]})
        fault(path, rf"prediction is infinite \(column 'b', row 2, value {value}\)")
    for truth in ([0, 1, None, 1], [0.5, 1.5, np.nan, 2.5], ["x", "y", "", "x"]):
        path = save(name, {"truth": truth, "a": GOOD})
        assert "remove" in fault(path, r"truth is missing \(column 'truth', row 2\)").hint
