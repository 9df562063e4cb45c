"""Faults and gaps right at an edge: the first row of a file, exactly half of the samples."""

from dataclasses import replace

import numpy as np
import pytest
from reading import refused

from bbccli.core.outcome import Outcome
from bbccli.readers import read
from bbccli.readers.metadata import Metadata
from bbccli.readers.predictions import interpret, read_values
from bbccli.readers.problems import RAISE
from bbccli.readers.sheet import WIDE, PredictionColumn, Sheet
from bbccli.readers.sources.opening import read_table
from bbccli.types import Missing, Task


@pytest.mark.parametrize(("bad", "name"), [(0, "one"), (7, "one"), (8, "two"), (15, "two")])
def test_a_fault_is_in_the_file_and_row_where_it_is(tmp_path, bad, name):
    values = np.linspace(0.1, 0.9, 16).round(3).astype(str)
    values[bad] = "inf"
    for place, start in (("one", 0), ("two", 8)):
        rows = [f"{i},{i % 2},{i // 2 % 2},{values[start + i]}" for i in range(8)]
        (tmp_path / f"{place}.csv").write_text("\n".join(["row_id,truth,fold,score", *rows]) + "\n")
    caught = refused("infinite", [tmp_path / "one.csv", tmp_path / "two.csv"])
    assert caught.path == str(tmp_path / f"{name}.csv")
    assert caught.row == bad % 8


@pytest.mark.parametrize(("n_missing", "stays"), [(4, True), (5, True), (6, False)])
def test_half_of_the_samples_are_enough(save, n_missing, stays):
    columns = {
        "truth": ["x", "y"] * 5,
        "a": [0.1, 0.9, 0.3, 0.2, 0.4, 0.6, 0.7, 0.8, 0.5, 0.55],
        "b": [None if i < n_missing else 0.2 + i / 20 for i in range(10)],
    }
    matrix = read(save("m.parquet", columns), missing=Missing.AVAILABLE)
    assert matrix.configurations == (("a", "b") if stays else ("a",))


def test_whole_numbers_up_to_the_last_exact_one_are_names_of_integers():
    from bbccli.readers.column import name_of

    assert name_of(2.0**53) == "9007199254740992" == name_of(2**53)
    assert name_of(2.0**54) == str(2.0**54)
    assert name_of(-(2.0**53)) == "-9007199254740992"


@pytest.mark.parametrize("kind", [float, str])
def test_no_row_is_no_prediction(save, kind):
    names = [str(v) for v in (0, 1, 0, 1)] if kind is str else [0.1, 0.2, 0.3, 0.4]
    truth = ["0", "1", "0", "1"] if kind is float else ["c0", "c1", "c0", "c1"]
    shown = names if kind is float else [f"c{name}" for name in names]
    table = read_table(save("m.parquet", {"truth": truth, "a": shown}))
    sheet = Sheet(table, WIDE, table.n_rows, {}, (PredictionColumn("a", "a", "a"),), Metadata())
    rows = np.array([[0, -1, 2], [-1, 1, 3]])
    sheet, values = read_values(replace(sheet, rows=rows, usable=np.arange(3)), RAISE)
    if kind is float:
        expected = [[0.1, np.nan, 0.3], [np.nan, 0.2, 0.4]]
        np.testing.assert_array_equal(values.array[..., 0], expected)
    else:
        outcome = Outcome(Task.BINARY, np.array([0, 1, 0]), ("c0", "c1"))
        found = interpret(sheet, values, outcome)
        np.testing.assert_array_equal(found.array[..., 0], [[0, np.nan, 0], [np.nan, 1, 1]])
