"""Cells of CSV as the csv module and pandas read them, or a clear refusal."""

from __future__ import annotations

import csv
import io
import math
from datetime import date

import pandas as pd
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.errors import InputError
from bbccli.readers.sources.delimited import MISSING, read_delimited
from bbccli.readers.sources.files import Format

PIECES = st.sampled_from(
    (
        *"abxy019.-+e \t,;'\"\n\r",
        *("\r\n", "\n\n", ",,", '""', '"a"', '"a,b"', '"a""b"'),
        *("1e5", "nan", "NA", "true", "2020-01-01", "00"),
        *("\u00e9", "\u2028", "\x0b", "\x1c", "\x85"),
    )
)


@settings(max_examples=examples(400))
@given(
    header=st.sampled_from(["a,b", 'a,"b c"', "a", "a,b,c"]), pieces=st.lists(PIECES, max_size=14)
)
@example("a,b", [",,", "nan"])
@example("a,b", [",,"])
def test_the_same_cells(header, pieces):
    text = header + "\n" + "".join(pieces)
    try:
        table = read_delimited(text.encode(), "p.csv", Format.CSV)
    except InputError as error:
        assert error.hint
        return
    lines = list(csv.reader(io.StringIO(text, newline="")))
    rows = [row for row in lines[1:] if row]
    assert table.num_rows == len(rows), rows
    names = [name.strip() for name in lines[0]]
    if table.num_columns == len(names) and not any("".join(row[len(names) :]) for row in rows):
        rows = [row[: len(names)] for row in rows]  # blank cells behind all rows
    if rows and len(rows[0]) == len(names) + 1:  # names of the rows, as R writes them
        names = ["", *names]
    assert table.column_names == names
    frame = pd.read_csv(
        io.StringIO(text, newline=""), dtype=str, keep_default_na=False, header=None,
        names=range(len(max(lines[1:], key=len, default=names))), skiprows=1, index_col=False,
    )  # fmt: skip
    for place in range(len(names)):
        mine, cells = table.column(place), [row[place] for row in rows]
        assert all(map(same, mine.to_pylist(), cells)), (mine.to_pylist(), cells)
        # pandas loses a cell after an empty line that a lone carriage return ends
        if len(frame) == len(rows) and "\n\r" not in text and "\r\r" not in text:
            assert frame[place].fillna("").tolist() == cells


def same(mine: object, cell: str) -> bool:
    """Whether a value is what a cell says."""
    if mine is None:
        return cell in MISSING or not cell
    if isinstance(mine, bool):
        return cell.strip().casefold() == str(mine).casefold() or cell in "01"
    if isinstance(mine, int | float):
        bare = cell.strip().removeprefix("'")  # as spreadsheets mark what is typed as text
        readings = [float(bare.replace(",", by)) for by in ".," if by == "." or "," not in bare]
        return mine in readings or (math.isnan(mine) and math.isnan(readings[0]))
    if isinstance(mine, date):  # a time too, of which a cell may say the hour alone
        return bool(cell.strip()) and str(mine).startswith(cell.strip())
    return str(mine) == cell if not isinstance(mine, pa.Scalar) else False
