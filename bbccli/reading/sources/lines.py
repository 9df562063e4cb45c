"""Lines of text files, numbered as in an editor."""

from __future__ import annotations

import os
from pathlib import Path

from bbccli.errors import InputError
from bbccli.platform.guarded_files import bytes_of, trying
from bbccli.reading.evaluations import is_log
from bbccli.reading.sources.delimited import line_of_row
from bbccli.reading.sources.jsonl import lines_of

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
