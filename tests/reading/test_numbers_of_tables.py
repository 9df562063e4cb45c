"""The numbers of a table in memory: of few rows all columns are read together, once."""

import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from bbccli.reading import read
from bbccli.reading.sources import read_table

N = 40
RNG = np.random.default_rng(0)
HELD = {
    "key": pa.array([f"s{i}" for i in range(N)]),
    "single": pa.array(RNG.random(N), pa.float32()),
    "whole": pa.array([None, *range(N - 1)], pa.int64()),
    "double": pa.array([*RNG.random(N - 1), None]),
    "mark": pa.array([True, None] * (N // 2)),
    "nothing": pa.nulls(N),
}


@pytest.mark.parametrize("times", [1, 20], ids=["few rows", "many rows"])
def test_numbers_are_those_of_each_column_in_the_order_asked(tmp_path, times):
    held = pa.concat_tables([pa.table(HELD)] * times)
    write_table(held, tmp_path / "t.parquet")
    whole = read_table(tmp_path / "t.parquet")
    for asked in ("nothing whole single", "double", "mark whole", "mark double"):
        names = asked.split()
        numbers = whole.numbers(names)
        expected = [[np.nan if v is None else v for v in held[name].to_pylist()] for name in names]
        assert numbers.dtype == np.float64
        np.testing.assert_array_equal(numbers, np.array(expected, float))


def test_few_rows_are_made_numbers_once_for_all_rules_and_the_matrix(monkeypatch):
    table = sys.modules["bbccli.reading.table"]
    made, to_rows = [], table.to_rows
    monkeypatch.setattr(table, "to_rows", lambda *given: made.append(given) or to_rows(*given))
    truth = RNG.integers(0, 2, N)
    columns = {f"m{i}": RNG.random(N).astype(np.float32) for i in range(30)}
    read(pa.table({"y": truth, **columns}))
    assert len(made) == 1
