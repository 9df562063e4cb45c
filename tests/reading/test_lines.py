"""Errors on the command line name the line of a text file as an editor counts, or else the row."""

import gzip
import os
import re
import threading
from itertools import product
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv

LOGS = Path(__file__).parents[1] / "data/evaluations"
TABLE = "truth,a,b\n1,0.5,0.2\n0,0.3,0.1\n1,0.6,x\n0,0.1,0.2\n"
RECORDS = '{{"truth": {}, "a": {}, "b": 0.5}}'


@pytest.fixture
def refusal(run):
    """Return a function for what a command says of files that it refuses."""
    return lambda *argv: run.refused("correct", *argv)


def line_in_editor(text, word):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return next(number for number, line in enumerate(lines, 1) if word in line)


STARTS = ["", "\n\n", "\ufeff", "\ufeff\n", "sep=,\n", '\ufeff"sep=,"\n']


@pytest.mark.parametrize("start", STARTS)
def test_a_refusal_names_the_line(tmp_path, start, refusal):
    path = tmp_path / "p.csv"
    tables = (TABLE, re.sub(r"[\w.]+", r'"\g<0>"', TABLE))
    ways = product(tables, ("\n", "\n\n\n"), ("\n", "\r\n", "\r"), ("utf-8", "utf-16"))
    for table, blank, end, code in ways:
        text = start + table.replace("0.1\n", f"0.1{blank}").replace('0.1"\n', f'0.1"{blank}')
        text = text.replace("\n", end)
        path.write_bytes(text.encode(code))
        line = line_in_editor(text, "x")
        assert f"(column 'b', line {line}, value 'x')" in refusal(path)


def test_inspections_name_the_line(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(TABLE)
    assert "column 'b', line 4, value 'x'" in " ".join(run("inspect", path)[1].split())


ROWS = ["1,0.5,y", "", '"1","0.5","y"', '0,0.3,"a,""b"', '0,0.3,5" x']


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(ROWS), max_size=9),
    st.integers(0, 9),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([".csv", ".tsv", ".txt"]),
)
def test_the_row_of_a_fault_is_found(tmp_path_factory, refusal, rows, at, end, suffix):
    path = tmp_path_factory.mktemp("lines") / f"p{suffix}"
    text = end.join(["truth,a,note", *rows[:at], "1,fault,y", *rows[at:], "0,0.1,y", "1,0.2,y"])
    path.write_text(text.replace(",", "\t") if suffix == ".tsv" else text, newline="")
    line = line_in_editor(text, "fault")
    assert f"(column 'a', line {line}, value 'fault')" in refusal(path, "--exclude", "note")


def test_lines_of_json(tmp_path, refusal):
    path = tmp_path / "p.jsonl"
    rows = [RECORDS.format(i % 2, 0.5 if i != 3 else '"x"') for i in range(5)]
    text = "\ufeff\n \n" + "\r\n\n\u2003\n".join(rows)
    path.write_text(text, newline="")
    line = line_in_editor(text, '"x"')
    assert f"(column 'a', line {line}, value 'x')" in refusal(path)


def test_quotes_after_commas_in_tsv_are_ordinary(tmp_path, refusal):
    path = tmp_path / "p.tsv"
    path.write_text('truth\ta,,,\tb\n1\t0.5\t0.2\n0\t0.3\t4,"x\n')
    assert """(column 'b', line 3, value '4,"x')""" in refusal(path)


def test_other_places_have_rows(tmp_path, refusal):
    path, parquet, packed, pipe = (
        tmp_path / f"{n}" for n in ("p.csv", "p.parquet", "p.csv.gz", "q.csv")
    )
    path.write_text(TABLE)
    pq.write_table(csv.read_csv(path), parquet)
    packed.write_bytes(gzip.compress(TABLE.encode()))
    os.mkfifo(pipe)  # which can't be read again
    writer = threading.Thread(target=pipe.write_text, args=(TABLE,))
    writer.start()
    for source in (parquet, packed, pipe):
        assert "(column 'b', row 2, value 'x')" in refusal(source)
    writer.join()


def test_values_of_several_lines_have_rows(refusal, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('truth,a,b,note\n1,0.5,0.2,"say ""a\nb"" c"\n0,0.3,x,d\n')
    said = refusal(path, "--quoted-newlines", "--exclude", "note")
    assert "(column 'b', row 1, value 'x')" in said


def test_rows_of_unequal_length_are_named_by_their_line(tmp_path, refusal):
    path = tmp_path / "p.csv"
    path.write_text('truth,a,b\n\n1,"0.5",0.2\n\n\n0,0.3,0.1,7\n')
    assert "line 6 has 4 values, but the header has 3" in refusal(path)
    path.write_text('truth,a,b,note\n1,0.5,0.2,"a ""b\n\n c"""\n\n0,0.3\n')
    assert "line 6 has 2 values, but the header has 4" in refusal(path, "--quoted-newlines")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_that_is_damaged_is_named_by_its_line(tmp_path, end, refusal):
    path = tmp_path / "p.csv"
    text = TABLE.replace("\n", end)
    path.write_bytes(text.encode().replace(b"x", b"\xe9"))
    assert "text is not UTF-8 (line 4)" in refusal(path)
    path.write_text(text.replace(f"{end}1,0.6", f"{end}\ufeff1,0.6"), newline="")
    assert "within the text, in line 4" in refusal(path)


def test_both_places_of_a_contradiction_are_lines(tmp_path, refusal):
    path, other = tmp_path / "p.csv", tmp_path / "q.csv"
    path.write_text("row_id,repeat,truth,a\n1,0,1,0.5\n2,0,0,0.3\n\n1,1,0,0.6\n2,1,0,0.1\n")
    found = refusal(path)
    assert "(column 'truth', line 5, value 0)" in found
    assert f"line 2 of {path} has 1 for the same sample" in found
    path.write_text("row_id,truth,p\n1,1,0.5\n2,0,0.3\n")
    other.write_text("row_id,truth,p\n\n1,0,0.5\n2,0,0.1\n")
    found = refusal(path, other)
    assert f"{other}: truth" in found
    assert "line 3" in found
    assert f"line 2 of {path}" in found
    stamps = "2026-01-01T10:00:00+01:00,1,0.5\n\n2026-01-01T09:00:00+00:00,0,0.4\n"
    path.write_text(f"row_id,truth,p\n{stamps}")
    found = refusal(path)
    assert "line 4" in found
    assert "in line 2" in found
    path.write_text(f"row_id,truth,p\n{stamps}".replace("+00:00", ""))
    found = refusal(path)
    assert "that of line 2 has one" in found
    assert "line 4" in found


def test_labels_in_a_file_of_their_own_have_its_lines(tmp_path, refusal):
    path, labels = tmp_path / "p.csv", tmp_path / "l.csv"
    path.write_text("row_id,a,b\n1,0.5,0.2\n2,0.3,0.1\n3,0.6,0.5\n")
    labels.write_text("row_id,truth\n3,1\n\n2,\n1,0\n")
    found = refusal(path, "--labels", labels)
    assert f"{labels}: truth is missing (column 'truth', line 4)" in found


def test_logs_of_evaluations_name_the_item(run, tmp_path):
    path = tmp_path / "results.jsonl"
    text = gzip.decompress((LOGS / "promptfoo/results.jsonl.gz").read_bytes()).decode()
    lines = text.splitlines()
    lines[100] = re.sub(r'"score":[\d.]+,"success"', '"score":1e999,"success"', lines[100])
    path.write_text("\n".join(lines))
    assert 'item {"q": "item 11?"' in run.refused("correct", path, "--prediction", "score")
