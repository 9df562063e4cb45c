"""CSV: a quote that is not closed swallows no row, and a cell is what other readers say."""

import csv
import gzip
import io
import json
import math
import re
import sys
from datetime import date
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from day import daily
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.errors import InputError
from bbccli.platform import resources
from bbccli.platform.resources import Reading
from bbccli.reading.sources import read_table

WIDE = "truth,a,b,row_id\n" + "".join(
    f"{'yn'[i % 2]},0.{10 + i},0.{80 - i},s{i}\n" for i in range(40)
)
LONG = "config,truth,score,row_id\n" + "".join(
    f"{name},{'yn'[i % 2]},0.{10 + i},s{i}\n" for name in "ab" for i in range(40)
)
KEYED = "a,b,row_id\n" + "".join(f"0.{10 + i},0.{80 - i},s{i}\n" for i in range(40))
LABELS = "truth,row_id\n" + "".join(f"{'yn'[i % 2]},s{i}\n" for i in range(40))
FOLDS = "fold,row_id\n" + "".join(f"{i % 4},s{i}\n" for i in range(40))


folder_for_all_examples = HealthCheck.function_scoped_fixture


def table_of(folder, text):
    """The table of a CSV file, columns that number its rows included."""
    path = folder / "m.csv"
    path.write_bytes(text.encode())
    return read_table(path).data


def broken(text):
    """Open a quote in line 12."""
    assert ",s10\n" in text
    return text.replace(",s10\n", ',"s10\n', 1)


def zst(data):
    return pa.compress(data, "zstd", asbytes=True)


SAID = 'a quote opens in line 12 and is never closed: "s10\nhint: close it'
ONE = "truth,score,row_id\n" + LABELS.split("\n", 1)[1].replace(",", ",0.5,")
MANIFEST = "seed,path,positive\n" + "".join(f"{i},p.csv,s{i}\n" for i in range(40))
PATHS = {
    "wide": (["correct", "p.csv"], {"p.csv": broken(WIDE)}),
    "long": (["correct", "p.csv"], {"p.csv": broken(LONG)}),
    "lines of Windows": (["correct", "p.csv"], {"p.csv": broken(WIDE).replace("\n", "\r\n")}),
    "tabs": (["correct", "p.tsv"], {"p.tsv": broken(WIDE).replace(",", "\t")}),
    "gzip": (["correct", "p.csv.gz"], {"p.csv.gz": gzip.compress(broken(WIDE).encode())}),
    "zstd": (["correct", "p.csv.zst"], {"p.csv.zst": zst(broken(WIDE).encode())}),
    "standard input": (["correct", "-"], {"-": broken(WIDE)}),
    "labels": (["correct", "p.csv", "--labels", "l.csv"],
        {"p.csv": KEYED, "l.csv": broken(LABELS)}),
    "folds": (["correct", "p.csv", "--folds", "l.csv"], {"p.csv": WIDE, "l.csv": broken(FOLDS)}),
    "one of several": (["correct", "a.csv", "b.csv"], {"a.csv": ONE, "b.csv": broken(ONE)}),
    "a manifest": (["batch", "m.csv", "-o", "r.csv", "--dry-run"],
        {"p.csv": WIDE, "m.csv": MANIFEST.replace(",s10\n", ',"s10\n')}),
}  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
def test_every_path(run, tmp_path, monkeypatch, name):
    argv, files = PATHS[name]
    monkeypatch.chdir(tmp_path)
    for path, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        if path == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        else:
            Path(path).write_bytes(data)
    err = run.refused(*argv)
    assert SAID in err, err


def test_two_forgotten_quotes_make_one_value_of_many_lines(run, tmp_path):
    """Only its lines betray it; one that closes elsewhere is refused even if it may have some."""
    path, more = tmp_path / "p.csv", ("--quoted-newlines", "--method", "cvt")
    path.write_text(broken(WIDE).replace(",s20\n", ',s20"\n'))
    err = run.refused("correct", path)
    assert "a quote opens in line 12 and closes only in line 22" in err
    assert "--quoted-newlines" in err
    out = run.printed("correct", path, *more, "--format", "json")
    assert json.loads(out)["input"]["n_samples"] == 30
    assert run("batch", path, "-o", tmp_path / "r.jsonl", *more, "--jobs", "2")[0] == 0
    path.write_text(path.read_text().replace(',s20"', ',"s20'))
    assert "opens in line 12 and closes only in line 22" in run.refused(
        "correct", path, "--quoted-newlines"
    )


HEADERS = ['"tru""th",a', '"a,b","c"', 'nail 5",x', '"a"b,c', "x,'a\""]


@pytest.mark.parametrize("header", daily(HEADERS, HEADERS[:1]))
def test_quotes_that_are_closed_or_ordinary(tmp_path, header):
    text = f'{header}\n"1",2\n3,"4"\n"",""\n"""","a""b"\n5" pipe,6"\n'
    for whole in (text, f"\ufeff{text}", text.rstrip("\n")):
        assert table_of(tmp_path, whole).num_rows == 5


ROWS = ['5" pipe,"open', '"a"b,"open', '"",x"y,"open', 'a"b","open']


@pytest.mark.parametrize("row", daily(ROWS, ROWS[:1]))
def test_a_quote_within_a_value_closes_nothing(tmp_path, row):
    with pytest.raises(InputError, match="line 2 and closes only in line 3"):
        table_of(tmp_path, f'x,y\n{row}\nb",1\n')


PIECES = st.sampled_from(['"', '"', ",", "\n", "\r\n", "\r", "a", "1", " ", '""', ',"', '"\n', "é"])


def spans(text):
    """Whether a record of the csv module goes on in another line, or never ends."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)", text + "\nEND\n")
    reader = csv.reader(iter(lines))
    before, last = 0, None
    for record in reader:
        last = record
        if reader.line_num - before > 1:
            return True
        before = reader.line_num
    return last != ["END"]


@pytest.mark.sweep
@settings(max_examples=examples(400), suppress_health_check=[folder_for_all_examples])
@given(text=st.lists(PIECES, max_size=24).map("".join))
@example('a,"b\nc')
@example('a"b,"c\nd,e')
@example('"a""\n"')
@example('"a"b"\n"c"')
@example('"')
def test_the_same_as_the_csv_module(tmp_path, text):
    for data in (f"x,y\n{text}", "x,y\n" + "1,2\n" * 9 + text):
        problem = ""
        try:
            table_of(tmp_path, data)
        except InputError as error:
            problem = error.problem
        assert ("a quote opens" in problem) == spans(data), data


CELL = st.text(st.sampled_from('ab",\n1'), max_size=6)


@settings(max_examples=examples(60), suppress_health_check=[folder_for_all_examples])
@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=9))
def test_no_record_is_lost_where_line_breaks_are_asked_for(tmp_path, rows):
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("x", "z"), *rows])
    with resources.use_reading(Reading(quoted_newlines=True)):
        table = table_of(tmp_path, buffer.getvalue())
    assert table.num_rows == len(rows)


def test_blanks_alone_are_no_row_at_the_end_and_refused_between_rows(tmp_path):
    for last in (" ", " \n", "\n \n"):
        assert table_of(tmp_path, f"a,b\n1,2\n{last}").num_rows == 1
    with pytest.raises(InputError, match="line 3 has 1 value, but the header has 2"):
        table_of(tmp_path, "a,b\n1,2\n \n3,4\n")


# cells as the csv module and pandas read them, or a clear refusal

MARKS = st.sampled_from(
    (
        *"abxy019.-+e \t,;'\"\n\r",
        *("\r\n", "\n\n", ",,", '""', '"a"', '"a,b"', '"a""b"'),
        *("1e5", "nan", "NA", "true", "2020-01-01", "00"),
        *("\u00e9", "\u2028", "\x0b", "\x1c", "\x85"),
    )
)


@settings(max_examples=examples(400), suppress_health_check=[folder_for_all_examples])
@given(
    header=st.sampled_from(["a,b", 'a,"b c"', "a", "a,b,c"]), pieces=st.lists(MARKS, max_size=14)
)
@example("a,b", [",,", "nan"])
@example("a,b", [",,"])
@example("a,b", [",", "\n", " "])
@example("a", ["0", "x", "a"])
@example("a", [" ", "2020-01-01"])
@example("a", ["2020-01-01", "\u2028"])
@example("a,b", ["'", "0", ","])
def test_the_same_cells(tmp_path, header, pieces):
    text = header + "\n" + "".join(pieces)
    try:
        table = table_of(tmp_path, text)
    except InputError as error:
        assert error.hint
        return
    lines = list(csv.reader(io.StringIO(text, newline="")))
    rows = [row for row in lines[1:] if row]
    while len(lines[0]) > 1 and rows and len(rows[-1]) == 1 and not rows[-1][0].strip():
        rows.pop()  # blanks alone in the last line are no row
    assert table.num_rows == len(rows), rows
    names = [name.strip() for name in lines[0]]
    if table.num_columns == len(names) and not any("".join(row[len(names) :]) for row in rows):
        rows = [row[: len(names)] for row in rows]  # blank cells behind all rows
    if rows and len(rows[0]) == len(names) + 1:  # names of the rows, as R writes them
        names = [table.column_names[0], *names]
        assert names[0] in ("", "Unnamed: 0")
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
        return cell in ("", "NA", "nan")
    if isinstance(mine, bool):
        return cell.strip().casefold() == str(mine).casefold() or cell in "01"
    if isinstance(mine, int | float):
        bare = cell.strip().removeprefix("'")  # as spreadsheets mark what is typed as text
        if bare[:2] in ("0x", "0X"):  # Arrow reads hexadecimal; keys are compared as written
            return mine == int(bare, 16)
        readings = [float(bare.replace(",", by)) for by in ".," if by == "." or "," not in bare]
        return mine in readings or (math.isnan(mine) and math.isnan(readings[0]))
    if isinstance(mine, date):  # a time too, of which a cell may say the hour alone
        return bool(cell.strip()) and str(mine).startswith(cell.strip())
    shown = re.sub(r"^\s*(\d{4}-\d\d-\d\d)\s*$", r"\1", cell)  # of a date among blanks
    return str(mine) in (cell, shown) if not isinstance(mine, pa.Scalar) else False
