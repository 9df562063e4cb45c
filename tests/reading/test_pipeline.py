"""One pipeline: what is raised is the first of what is collected, whatever the layout."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bbccli.reading import sources
from bbccli.reading.sources import parquet
from bbccli.use_cases.inspection import Status, inspect

WIDE = "row_id,repeat,fold,truth,group,a,b\n" + "".join(
    f"{i},{r},{i % 3},{'xy'[i % 2]},g{i // 2},0.{i + 1},0.{9 - i}\n"
    for r in (0, 1)
    for i in range(8)
)


def test_one_problem_does_not_hide_another(save):
    text = WIDE.replace("0.3", "inf", 1).replace("5,0,2,y", "5,0,2,").replace("g1", "", 1)
    errors = [(f.check, f.column) for f in inspect(save("m.csv", text)).findings]
    wanted = [("constant", "truth"), ("constant", "group"), ("predictions", "a")]
    assert errors[:3] == wanted


def test_columns_without_a_name_in_a_large_file(tmp_path, monkeypatch):
    """The rest of a file that is not held in memory is looked at, too."""
    monkeypatch.setattr(sources, "LARGE", 1)
    monkeypatch.setattr(parquet, "_FEW_ROWS", 0)
    columns = [["x", "y"] * 9, np.arange(18.0), np.arange(18.0), [1.0, np.inf] * 9]
    table = pa.table([pa.array(c) for c in columns], names=["truth", "a", "a", "b"])
    pq.write_table(table, tmp_path / "m.parquet")
    found = inspect(tmp_path / "m.parquet")
    errors = [(f.check, f.column) for f in found.findings if f.status is Status.ERROR]
    assert errors == [("names", "a"), ("predictions", "b")]
