"""A folder -> its tables, by the tool that recognises it.

The tools are the entry points `bbccli.readers`, of this package and of others.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bbccli.errors import InputError
from bbccli.platform import plugins, resources
from bbccli.platform.guarded_files import trying, within
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.layout.known import sheet_of
from bbccli.reading.layout.stack import appended
from bbccli.reading.runs.file_parsing import parsing_once
from bbccli.reading.runs.tables import damaged
from bbccli.reading.sheet import Sheet
from bbccli.reading.sources import file_bytes, read_table
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


def read_folder(folder: Path) -> Sheet | Sequence[Table]:
    """Return what a tool left in a folder: predictions, or tables read like any others."""
    with within(folder, follow_links=resources.reading_limits().follow_links), parsing_once():
        with trying():
            reader = reader_of(folder)
            if reader is None and (parts := _parts(folder)):
                return [appended([read_table(part) for part in parts], str(folder))]
            if reader is None:
                raise _unknown(folder)
        read = reader.load(folder)
        return sheet_of(str(folder), read) if isinstance(read, Predictions) else read


def _parts(folder: Path) -> list[Path]:
    """Return the files of a table as Spark writes it, `part-00000-...`, none of them empty."""
    parts = sorted(folder.glob("part-[0-9]*"))
    return [part for part in parts if part.is_file() and part.stat().st_size]


def reader_of(folder: Path) -> RunReader | None:
    """Return the reader for a folder; None if no known tool left it."""
    return next((run for run in RUNS if run.recognises(folder)), None)


def _unknown(folder: Path) -> InputError:
    looked_for = "; ".join(f"{run.name}: {run.signature}" for run in RUNS).replace("`", "")
    fault = damaged(folder)
    reason, remedy = ("", "") if fault is None else (f"; {fault.problem}", f"{fault.hint}; or ")
    experiments = next(folder.glob("*/results/results.json"), None)
    if not reason and experiments and b'"resolved"' in file_bytes(experiments):
        reason = "; results.json of SWE-bench names only the instances that were resolved"
        remedy = "give the reports of the evaluations, MODEL.RUN.json, which name all; or "
    remedy = remedy or _as_runs(folder) or _as_pattern(folder)
    return InputError(
        f"is a folder that bbc does not recognise{reason}",
        path=folder,
        hint=f"{remedy}give a file in it, or the folder of a supported tool: {looked_for}",
    )


def _as_runs(folder: Path) -> str:
    """Return the commands for a folder of runs, and "or"; empty if it holds none."""
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir())[:_MOST_INSIDE]
        runs = [path for path in inside if reader_of(path) is not None]
    except (OSError, InputError):
        return ""
    if not runs:
        return ""
    every = f", or bbc batch {shlex.quote(f'{folder}/*')} for all" if len(runs) > 1 else ""
    return f"give the run in it, {shlex.quote(str(runs[0]))}{every}; or "


def _as_pattern(folder: Path) -> str:
    """Return the commands for a folder of tables, and "or"; empty if it holds none."""
    try:
        suffixes = Counter(path.suffix for path in folder.iterdir() if path.suffix in _OF_TABLES)
    except OSError:
        return ""
    if not suffixes:
        return ""
    pattern = shlex.quote(f"{folder}/*{suffixes.most_common(1)[0][0]}")
    return (
        f"use bbc batch {pattern} if each file is an experiment, bbc correct {pattern} if each is "
        "a configuration; or "
    )
