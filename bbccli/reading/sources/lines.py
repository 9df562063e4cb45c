"""Lines of text files: numbered as in an editor, and in two files as they are written."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np

from bbccli.errors import InputError
from bbccli.platform.guarded_files import bytes_of, trying
from bbccli.reading.arrow import pa
from bbccli.reading.evaluations import is_log
from bbccli.reading.sources import Format, read_content
from bbccli.reading.sources.delimited import line_of_row, lines_as_written
from bbccli.reading.sources.jsonl import lines_of
from bbccli.types import BoolArray

_RECORDS = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv", ".txt")


def line_of(path: str, row: int) -> int | None:
    """Return the line, from 1, of a data row, from 0.

    It is None for what is no local file of text, for the log of an evaluation, whose rows are in
    another order, and where a value spans several lines.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _RECORDS + _TABLES or not os.path.isfile(path):  # noqa: PTH113
        return None  # a pipe can't be read again
    try:
        with trying():
            if is_log(path):
                return None
            data = bytes_of(path)
        if suffix in _TABLES:
            return line_of_row(data, row, tabs=suffix == ".tsv")
        return dict(enumerate(number for number, _ in lines_of(data))).get(row)
    except (OSError, ValueError, MemoryError, InputError):
        return None


SUFFIXES = {
    Format.CSV: ".csv",
    Format.TSV: ".tsv",
    Format.DELIMITED: ".csv",
    Format.JSONL: ".jsonl",
    Format.PARQUET: ".parquet",
}


def split(path: str, chosen: BoolArray) -> tuple[str, bytes, bytes]:
    """Return the suffix of a table, its other rows and the `chosen` ones (N,), as files.

    Raises InputError: a format whose rows are not apart, such as ARFF.
    """
    name, data, form, _ = read_content(path)
    if form not in SUFFIXES:
        raise InputError(
            f"rows of {form} files are not split",
            path=name,
            hint="save the table as CSV, TSV, JSON Lines or Parquet",
        )
    suffix = SUFFIXES[form]
    if form is Format.PARQUET:
        table = pa.parquet.read_table(io.BytesIO(data) if data else Path(path))
        parts = []
        for rows in (~chosen, chosen):
            sink = io.BytesIO()
            pa.parquet.write_table(table.filter(rows), sink)
            parts.append(sink.getvalue())
        return suffix, parts[0], parts[1]
    header: list[bytes] = []
    if form is Format.JSONL:
        lines = [line.rstrip("\r").encode() for _, line in lines_of(data)]
    else:
        first, *lines = lines_as_written(data, tabs=form is Format.TSV)
        header = [first]
    if any(line.strip(b" ,;\t") for line in lines[len(chosen) :]) or len(lines) < len(chosen):
        raise InputError(
            f"has {len(lines)} lines of data for {len(chosen)} rows",
            path=name,
            hint="write one row per line, and save the table again",
        )
    search, sealed = (
        b"\n".join([*header, *(lines[row] for row in np.flatnonzero(rows)), b""])
        for rows in (~chosen, chosen)
    )
    return suffix, search, sealed
