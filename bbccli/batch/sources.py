"""Files and their options: from patterns, paths, URLs, or a manifest.

A manifest is a table that lists files and, where they differ, the options of each.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from bbccli.errors import BbcError, InputError, OptionError, nearest
from bbccli.platform import resources
from bbccli.platform.arguments import MisfitError, options_of
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import is_url, opened
from bbccli.reading.sources import STDIN, read_table
from bbccli.reading.sources.parquet import opened_parquet
from bbccli.reading.sources.urls import is_pattern, matching_urls
from bbccli.reading.table import check_column_names
from bbccli.use_cases import Analysis


@dataclass(frozen=True, slots=True)
class BatchFile:
    """One file and its options."""

    path: str
    analysis: Analysis


def batch_sources(
    patterns: Sequence[str], analysis: Analysis, *, avoid: Iterable[Path] = ()
) -> list[BatchFile]:
    """Return the files that patterns match, or that a manifest lists: each once, in order.

    `analysis` has the options of all files, except where a manifest sets them; files in `avoid`,
    those of the batch itself, are not matched. An OptionError or InputError if a pattern matches
    nothing, for standard input, and for an invalid manifest.
    """
    if len(patterns) == 1 and is_manifest(patterns[0]):
        files = [BatchFile(*row) for row in read_manifest(patterns[0], analysis)]
        return list(dict.fromkeys(files))
    avoided = {os.path.realpath(path) for path in avoid}
    paths = [path for pattern in patterns for path in _matching(pattern, avoided)]
    return [BatchFile(path, analysis) for path in dict.fromkeys(paths)]


def _matching(pattern: str, avoided: set[str]) -> list[str]:
    """Return the files (or else folders) that a pattern matches, sorted; a plain path is kept."""
    if pattern == STDIN:
        raise OptionError("a batch does not read standard input", hint="give files, or a pattern")
    if is_url(pattern):
        paths = matching_urls(pattern) if is_pattern(pattern) else [pattern]
    # os.path never raises, unlike Path
    elif not glob.has_magic(pattern) or os.path.exists(pattern):  # noqa: PTH110
        return [pattern]
    else:
        hits = sorted(set(_hits(pattern)))
        hits = [path for path in hits if os.path.realpath(path) not in avoided]
        files = [path for path in hits if not os.path.isdir(path)]  # noqa: PTH112
        paths = files or [path.rstrip(os.sep) for path in hits]
    if not paths:
        raise OptionError(
            f"no file matches {pattern!r}", hint="quote patterns; ** matches any folders"
        )
    return paths


def _hits(pattern: str) -> Iterator[str]:
    """Yield what a pattern matches; ** follows no links to folders, unless `--follow-links`.

    As in bash, a link that matches any other part is followed, and names that start with a dot are
    skipped unless that part does. An InputError if a folder can't be listed: files would silently
    be missed.
    """
    whole = pattern.replace(os.altsep, os.sep) if os.altsep else pattern
    return _below("", whole.split(os.sep))  # noqa: PTH206 - separators at the ends stay


def _below(folder: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield matches in a folder ("" or with a separator at its end) for the parts of a pattern."""
    part, rest = parts[0], parts[1:]
    if part == "**":
        for below in _folders_below(folder):
            yield from _below(below, rest or ["*"])
        return
    names = [part]
    if glob.has_magic(part):
        dots = part.startswith(".")
        names = [name for name in fnmatch.filter(_names(folder), part) if dots or name[0] != "."]
    for name in names:
        if rest:
            yield from _below(folder + name + os.sep, rest)
        elif os.path.lexists(folder + name):
            yield folder + name


def _folders_below(top: str) -> Iterator[str]:
    """Yield a folder and all below it, each once."""
    follow, seen = resources.reading_limits().follow_links, set[str]()
    for folder, below, _ in os.walk(top or os.curdir, followlinks=follow, onerror=_unlisted):
        below[:] = [name for name in below if not name.startswith(".")]
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        here = folder if top else os.path.relpath(folder, os.curdir).removeprefix(os.curdir)
        yield os.path.join(here, "") if here else ""  # noqa: PTH118 - one separator at the end


def _names(folder: str) -> list[str]:
    """Return the names in a folder; none if it does not exist."""
    try:
        return os.listdir(folder or os.curdir)  # noqa: PTH208 - "" and a separator at the end
    except OSError as error:
        _unlisted(error)
    return []


def _unlisted(error: OSError) -> None:
    """Refuse a folder that can't be listed."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        reason = error.strerror or str(error)
        hint = "make it readable, or use a pattern that excludes it"
        raise InputError(f"cannot be listed: {reason}", path=str(error.filename), hint=hint)


PATH = "path"
FILES = frozenset({"labels", "folds"})
"""Options that name files, relative to the folder of the manifest like the path itself."""

_SUFFIXES = (".csv", ".tsv", ".parquet")


def is_manifest(path: str) -> bool:
    """True for a table with a column `path` and no column `truth`."""
    if is_url(path) or not path.lower().endswith(_SUFFIXES):
        return False
    if not os.path.isfile(path):  # noqa: PTH113 - never raises, unlike Path.is_file
        return False
    try:
        names = set(_header(path))
    except (BbcError, OSError, ValueError):
        return False  # reported later, as a file of predictions
    return PATH in names and "truth" not in names


def read_manifest(path: str, analysis: Analysis) -> Iterator[tuple[str, Analysis]]:
    """Yield path and analysis of each row; an empty cell leaves the option as it is."""
    table = read_table(path)
    check_column_names(table)
    columns = _options(table.data.column_names, path)
    cells = {name: table.data.column(name).to_pylist() for name in table.data.column_names}
    for row, entry in enumerate(cells[PATH]):
        if entry is None or not str(entry).strip():
            raise InputError("there is no path", path=path, row=row, hint="remove the row")
        changes = {
            option: _value(path, option, name, row, cells[name][row])
            for option, name in columns.items()
            if cells[name][row] not in (None, "")
        }
        if any(":" in metric for metric in changes.get("metric", ())):
            raise InputError(
                "a custom metric is code, which a table must not name",
                path=path,
                row=row,
                column=columns["metric"],
                value=cells[columns["metric"]][row],
                hint="use --metric on the command line",
            )
        try:
            row_analysis = replace(analysis, **changes)
            row_analysis.check()
        except BbcError as error:
            problem, hint = error.told()
            raise InputError(problem, path=path, row=row, hint=hint) from error
        yield _beside(path, str(entry)), row_analysis


def _options(names: list[str], path: str) -> dict[str, str]:
    """Return option -> column."""
    options = options_of(Analysis)
    columns: dict[str, str] = {}
    for name in names:
        option = name.replace("-", "_")
        if name != PATH and option not in options:
            keys = [option.replace("_", "-") for option in options]
            otherwise = f"{PATH}, and any of: {', '.join(keys)}"
            raise InputError(
                "the column is not an option",
                path=path,
                column=name,
                hint=nearest(name.replace("_", "-"), keys, otherwise),
            )
        if option in columns:
            raise InputError(
                f"sets the same option as {columns[option]!r}",
                path=path,
                column=name,
                hint="keep one of the two columns",
            )
        if name != PATH:
            columns[option] = name
    return columns


def _value(path: str, option: str, name: str, row: int, cell: Any) -> Any:
    """Convert a cell to the type of the option."""
    text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    try:
        value = options_of(Analysis)[option].parse_text(text)
    except MisfitError as error:
        raise InputError(
            "the value does not fit the option",
            path=path,
            row=row,
            column=name,
            value=cell,
            hint=str(error),
        ) from None
    if option in FILES:
        return _beside(path, value)
    return tuple(value) if isinstance(value, list) else value


def _header(path: str) -> list[str]:
    """Return the column names without reading the rows."""
    if path.lower().endswith(".parquet"):
        import pyarrow as pa

        try:
            with opened(path) as file:
                return list(opened_parquet(file).schema_arrow.names)
        except pa.ArrowException:
            return []
    with TextIOWrapper(opened(path), encoding="utf-8-sig") as file:
        line = file.readline().strip()
    return [name.strip().strip('"') for name in re.split("[,;\t]", line)]


def _beside(manifest: str, path: str) -> str:
    """Return a path relative to the folder of the manifest."""
    return path if is_url(path) else os.path.normpath(Path(manifest).parent / path)
