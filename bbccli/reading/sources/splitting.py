"""The rows of a table in two files of its format, each row as it is written."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from bbccli.errors import InputError
from bbccli.reading.sources.files import Format, read_content
from bbccli.types import BoolArray

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
        import pyarrow.parquet as pq

        table = pq.read_table(io.BytesIO(data) if data else Path(path))
        parts = []
        for rows in (~chosen, chosen):
            sink = io.BytesIO()
            pq.write_table(table.filter(rows), sink)
            parts.append(sink.getvalue())
        return suffix, parts[0], parts[1]
    header: list[bytes] = []
    if form is Format.JSONL:
        from bbccli.reading.sources.jsonl import lines_of

        lines = [line.rstrip("\r").encode() for _, line in lines_of(data)]
    else:
        from bbccli.reading.sources.delimited import lines_as_written

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
