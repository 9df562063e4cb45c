"""Content of a run's files: JSON, tables, positions, folds."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

from bbccli.domain.source import LeftOut
from bbccli.errors import InputError
from bbccli.platform.arrays import DamagedError, array_of
from bbccli.platform.guarded_files import opened
from bbccli.platform.resources import in_force
from bbccli.reading.arrow import is_number, to_numbers
from bbccli.reading.column import Column, number_of
from bbccli.reading.sources import file_bytes
from bbccli.reading.table import Table, check_column_names, name_twice
from bbccli.types import FloatArray, IntArray


def left_out(names: Iterable[str], reason: str) -> tuple[LeftOut, ...]:
    """Return models that are left out for the same reason."""
    return tuple(LeftOut(name, reason) for name in names)


def files_in(folder: Path, *patterns: str) -> list[Path]:
    """Return the files of a folder that match some pattern, in a fixed order."""
    return sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})


def folders_in(path: Path) -> list[Path]:
    """Return the folders in a folder, sorted; none if it can't be listed."""
    try:
        return sorted(folder for folder in path.iterdir() if folder.is_dir())
    except (OSError, ValueError):
        return []


def is_file(path: Path) -> bool:
    """True for an existing file, whatever the path contains."""
    return os.path.isfile(path)  # noqa: PTH113 (never raises)


def check_name(name: str, path: Path) -> None:
    """Refuse a model name, given in file `path`, that leads to another folder on any system."""
    if PureWindowsPath(name).parts != (name,) or name == ".." or "\0" in name:
        raise InputError(
            "has a model name that can't be the name of its folder",
            path=path,
            value=name,
            hint="names must not lead to other folders: read it only if you trust who made it",
        )


def read_json(path: Path) -> Any:
    """Read a JSON file of a run.

    Raises
    ------
    InputError
        It is missing, damaged or larger than `--max-input`.
    """
    content = read_bytes(path)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("is not valid JSON", path=path, hint=_DAMAGED) from None


def read_bytes(path: Path) -> bytes:
    """Read a file of a run.

    Raises
    ------
    InputError
        It is missing, can't be read, or is larger than `--max-input`.
    """
    if not path.exists():
        raise missing(path)
    return file_bytes(path)


def read_rows(path: Path) -> list[list[str]]:
    """Read the lines of a CSV file of a run as cells, the header first."""
    try:
        return list(csv.reader(io.StringIO(read_bytes(path).decode("utf-8-sig"), newline="")))
    except (csv.Error, UnicodeDecodeError):
        raise InputError("is not a table", path=path, hint=_DAMAGED) from None


def records_with(path: Path, *names: str, hint: str) -> list[dict[str, str]]:
    """Read the lines of a CSV file of a run by the names in its header, with required columns."""
    header, *rows = [row for row in read_rows(path) if row] or [[]]
    for name, count in Counter(header).items():
        if name.strip() and count > 1:
            raise name_twice(name, str(path))
    lacking = [name for name in names if name not in header]
    if lacking:
        raise InputError(f"has no column {lacking[0]}", path=path, hint=hint)
    short = [row[: len(header)] for row in rows]
    return [dict(itertools.zip_longest(header, row, fillvalue="")) for row in short]


def check_listed(
    place: Path, listed: Collection[str], names: Iterable[str], *, which: str, hint: str
) -> None:
    """Refuse models missing from a leaderboard; `which` says how they are known."""
    unlisted = [name for name in names if name not in listed]
    if unlisted:
        raise InputError(
            f"does not list {unlisted[0]}, which {which}",
            path=place,
            hint=f"{hint}; without {place.name} the run is read, but no score is checked",
            further=len(unlisted) - 1,
        )


def number_in(text: str, path: Path, row: int, column: str, *, hint: str) -> float:
    """Return the score in a cell of a leaderboard."""
    try:
        return float(text)
    except ValueError:
        why = "has a score that is not a number"
        raise InputError(why, path=path, row=row, column=column, value=text, hint=hint) from None


_PARSED: ContextVar[dict[Path, Table] | None] = ContextVar("parsed", default=None)


def parsing_once() -> AbstractContextManager[object]:
    """Parse each table of a folder once, however many readers examine it."""
    tables = _PARSED.get()
    return in_force(_PARSED, {} if tables is None else tables)


def parsed(path: Path) -> Table:
    """Return a table of a folder, whatever its column names."""
    from bbccli.reading.sources import read_table as read_file

    tables = _PARSED.get()
    if tables is None:
        return read_file(path)
    if path not in tables:
        tables[path] = read_file(path)
    else:
        opened(path).close()  # so that it counts as read
    return tables[path]


def parse_table(path: Path) -> Table:
    """Read a table of a run with unique column names."""
    if not path.exists():
        raise missing(path)
    frame = parsed(path)
    check_column_names(frame)
    return frame


def table_numbers(frame: Table, names: Iterable[str] | None = None) -> dict[str, FloatArray]:
    """Return some columns of a run's table, or all, as finite numbers."""
    return {name: _numbers(frame.column(name)) for name in names or frame.data.column_names}


def _numbers(column: Column) -> FloatArray:
    if is_number(column.values.type):
        values = to_numbers(column.values).astype(np.float64, copy=False)
    else:
        values = np.array([number_of(str(cell)) for cell in column.values.to_pylist()])
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        absent = column.values[int(wrong[0])].as_py() is None
        problem = "a number is missing" if absent else "is not a finite number"
        raise column.fault(problem, wrong, hint=_DAMAGED)
    return values


def read_positions(path: Path) -> IntArray:
    """Read an array of positions saved by numpy without pickles."""
    try:
        array = array_of(read_bytes(path))
    except DamagedError:
        raise InputError("is not an array of numbers", path=path, hint=_DAMAGED) from None
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min(initial=0) < 0:
        raise InputError("is not a list of positions", path=path, hint=_DAMAGED)
    return array.astype(np.int64)


def folds_of_rows(parts: Sequence[IntArray], n_rows: int, place: Path) -> IntArray:
    """Return the fold of each row from the rows of each fold, `read_positions`."""
    fault = partial(InputError, path=place, hint=MIXED.format("files"))
    folds = np.full(n_rows, -1, dtype=np.int64)
    for fold, rows in enumerate(parts):
        if len(outside := rows[rows >= n_rows]):
            raise fault(f"fold {fold} holds row {outside[0]}, but there are {n_rows} rows")
        taken = rows[folds[rows] >= 0]
        if len(taken):
            raise fault(f"row {taken[0]} is in fold {folds[taken[0]]} and in fold {fold}")
        different, counts = np.unique(rows, return_counts=True)
        if (counts > 1).any():
            raise fault(f"fold {fold} holds row {different[counts > 1][0]} twice")
        folds[rows] = fold
    if (folds < 0).any():
        raise fault(f"row {np.flatnonzero(folds < 0)[0]} is in no fold")
    return folds


def missing(path: Path) -> InputError:
    """Return the error about a missing file of a run."""
    return InputError(
        "no such file", path=path, hint="copy the whole folder of the run, not only a part"
    )


_DAMAGED = "the folder is damaged: copy it again"
MIXED = "the folder mixes {} of several runs, or is damaged"
