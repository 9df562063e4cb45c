"""A folder -> its tables, by the tool that recognises it.

The tools are the entry points `bbccli.readers`, of this package and of others.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from bbccli.errors import InputError, naming
from bbccli.platform import plugins, resources
from bbccli.platform.guarded_files import trying, within
from bbccli.reading.interface import Framework, Predictions, RunReader, frameworks, signatures
from bbccli.reading.layout.known import sheet_of
from bbccli.reading.layout.stack import appended
from bbccli.reading.runs.file_parsing import parsing_once
from bbccli.reading.runs.tables import damaged
from bbccli.reading.sheet import Sheet
from bbccli.reading.sources import OF_LOGS, file_bytes, read_table, unpacked_suffix
from bbccli.reading.table import Table

RUNS: tuple[RunReader, ...] = tuple(
    sorted(
        (
            run
            for name in plugins.entry_points_of("bbccli.readers")
            for run in plugins.load("bbccli.readers", name, tuple)
        ),
        key=lambda run: (run.turn, run.name.lower()),
    )
)
"""All readers, in the order in which they are tried."""
_MOST_INSIDE = 50
"""Folders in a folder that are looked at."""

_OF_TABLES = (".parquet", ".csv", ".tsv", ".feather")
_LOGS = {*OF_LOGS} - {*_OF_TABLES}
_TEXTS = {".html", ".log", ".md", ".txt", ".yaml", ".yml"}


def read_folder(folder: Path) -> Sheet | Sequence[Table]:
    """Return what a tool left in a folder: predictions, or tables read like any others."""
    with within(folder, follow_links=resources.reading_limits().follow_links), parsing_once():
        with trying():
            reader = reader_of(folder)
            # of a table as Spark writes it, some of them empty
            parts = [] if reader else [p for p in folder.glob("part-[0-9]*") if p.is_file()]
            if tables := [read_table(part) for part in sorted(parts) if part.stat().st_size]:
                return [appended(tables, str(folder))]
            if reader is None:
                raise _unknown(folder)
        with naming(folder):
            read = reader.load(folder)
        return sheet_of(str(folder), read) if isinstance(read, Predictions) else read


def reader_of(folder: Path) -> RunReader | None:
    """Return the reader for a folder; None if no known tool left it."""
    return next((run for run in RUNS if run.recognises(folder)), None)


def _unknown(folder: Path) -> InputError:
    fault = damaged(folder)
    reason, remedy = ("", "") if fault is None else (f"; {fault.problem}", f"{fault.hint}; or ")
    experiments = next(folder.glob("*/results/results.json"), None)
    if not reason and experiments and b'"resolved"' in file_bytes(experiments):
        reason = "; results.json of SWE-bench names only the instances that were resolved"
        remedy = "give the reports of the evaluations, MODEL.RUN.json, which name all; or "
    remedy = remedy or _inside(folder)
    return InputError(
        f"is a folder that bbc does not recognise{reason}",
        path=folder,
        hint=f"{remedy}give a file in it, or the folder of a supported tool: "
        + signatures(_tools_of(folder)),
    )


def _tools_of(folder: Path) -> Sequence[RunReader | Framework]:
    """Return the tools that may have left a folder: frameworks, if it holds texts that may be logs
    and nothing else, or all that leave runs.
    """
    suffixes = {unpacked_suffix(path) for path in islice(folder.rglob("*.*"), _MOST_INSIDE)}
    only_logs = suffixes & _LOGS and not suffixes - _LOGS - _TEXTS
    return [*frameworks().values()] if only_logs else RUNS


def _inside(folder: Path) -> str:
    """Return the commands for the runs in a folder, or for its tables, and "or"; empty if it holds
    none.
    """
    try:
        inside = sorted(folder.iterdir(), key=lambda path: (path.is_file(), path))
        runs = [path for path in inside[:_MOST_INSIDE] if path.is_dir() and reader_of(path)]
    except (OSError, InputError):
        return ""
    if runs:
        every = f", or bbc batch {shlex.quote(f'{folder}/*')} for all" if len(runs) > 1 else ""
        return f"give the run in it, {shlex.quote(str(runs[0]))}{every}; or "
    suffixes = Counter(path.suffix for path in inside if path.suffix in _OF_TABLES)
    if not suffixes:
        return ""
    pattern = shlex.quote(f"{folder}/*{suffixes.most_common(1)[0][0]}")
    return (
        f"use bbc batch {pattern} if each file is an experiment, bbc correct {pattern} if each is "
        "a configuration; or "
    )
