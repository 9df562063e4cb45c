"""A table that lists files, and where they differ, the options of each."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from bbccli.analysis import Analysis
from bbccli.errors import BbcError, InputError
from bbccli.local import opened
from bbccli.option import options_of
from bbccli.readers.sources.opening import read_table
from bbccli.readers.sources.urls import is_url
from bbccli.readers.table import check_names

PATH = "path"
FILES = frozenset({"labels", "folds"})
"""Options that name files, like the path itself from the folder of the manifest."""

_SUFFIXES = (".csv", ".tsv", ".parquet")


def is_manifest(path: str) -> bool:
    """Whether a file is a table with a column `path` and none `truth`."""
    if is_url(path) or not path.lower().endswith(_SUFFIXES):
        return False
    if not os.path.isfile(path):  # noqa: PTH113 - never raises, unlike Path.is_file
        return False
    try:
        names = set(_names(path))
    except (BbcError, OSError, ValueError):
        return False  # it will be reported as a file of predictions
    return PATH in names and "truth" not in names


def read_manifest(path: str, analysis: Analysis) -> Iterator[tuple[str, Analysis]]:
    """Yield path and analysis of each row; an empty cell leaves the option as it is.

    Raises
    ------
    InputError
        A column that is not an option, a value that does not fit or names code, or a row without a
        path.
    """
    frame = read_table(path)
    check_names(frame)
    options = _options(frame.data.column_names, path)
    cells = {name: frame.data.column(name).to_pylist() for name in frame.data.column_names}
    for row, entry in enumerate(cells[PATH]):
        if entry is None or not str(entry).strip():
            raise InputError("there is no path", path=path, row=row, hint="remove the row")
        own = {
            option: _value(path, option, name, row, cells[name][row])
            for option, name in options.items()
            if cells[name][row] not in (None, "")
        }
        if any(":" in metric for metric in own.get("metric", ())):
            raise InputError(
                "a metric of your own is code, which a table can't name",
                path=path,
                row=row,
                column=options["metric"],
                value=cells[options["metric"]][row],
                hint="give it by --metric on the command line",
            )
        try:
            asked = replace(analysis, **own)
            asked.check()
        except BbcError as error:
            problem, hint = error.told()
            raise InputError(problem, path=path, row=row, hint=hint) from error
        yield _beside(path, str(entry)), asked


def _options(names: list[str], path: str) -> dict[str, str]:
    """Column by the option that it sets."""
    kinds = options_of(Analysis)
    options: dict[str, str] = {}
    for name in names:
        option = name.replace("-", "_")
        if name != PATH and option not in kinds:
            raise InputError(
                "column is not an option of a file",
                path=path,
                column=name,
                hint=_nearest(name, kinds),
            )
        if option in options:
            raise InputError(
                f"sets the same option as {options[option]!r}",
                path=path,
                column=name,
                hint="keep one of the two columns",
            )
        if name != PATH:
            options[option] = name
    return options


def _names(path: str) -> list[str]:
    """Names of the columns, without reading the rows."""
    if path.lower().endswith(".parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with opened(path) as file:
                return list(pq.read_schema(file).names)
        except pa.ArrowException:
            return []
    with TextIOWrapper(opened(path), encoding="utf-8-sig") as file:
        line = file.readline().strip()
    separator = "\t" if path.lower().endswith(".tsv") else ","
    return [name.strip().strip('"') for name in line.split(separator)]


def _beside(manifest: str, path: str) -> str:
    """Path relative to the folder of the manifest."""
    return path if is_url(path) else os.path.normpath(Path(manifest).parent / path)


def _value(path: str, option: str, name: str, row: int, cell: Any) -> Any:
    """A cell as the type that the option has."""
    kind = options_of(Analysis)[option].kind
    text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    try:
        if kind is bool:
            return _boolean(text)
        if kind is list:
            return tuple(text.split())
        if kind is str:
            return _beside(path, text) if option in FILES else text
        return kind(text)
    except ValueError:
        hint = f"one of: {', '.join(m.value for m in kind)}" if issubclass(kind, Enum) else _A[kind]
        raise InputError(
            "value does not fit the option", path=path, row=row, column=name, value=cell, hint=hint
        ) from None


_A = {int: "a whole number", float: "a number", bool: "true or false"}


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text.lower() in ("true", "1")


def _nearest(name: str, known: Iterable[str]) -> str:
    names = [option.replace("_", "-") for option in known]
    near = difflib.get_close_matches(name.replace("_", "-"), names, n=1)
    return f"did you mean {near[0]}?" if near else f"{PATH}, and any of: {', '.join(names)}"
