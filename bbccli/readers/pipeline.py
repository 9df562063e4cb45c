"""Files -> prediction matrix: one step after another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.errors import InputError, OptionError
from bbccli.readers.assembly import assemble
from bbccli.readers.choice import choose
from bbccli.readers.classes import tell_classes
from bbccli.readers.layout import lay_out
from bbccli.readers.meaning import outcome_of
from bbccli.readers.metadata import Metadata, merged
from bbccli.readers.place import place
from bbccli.readers.prediction_array import read_cube
from bbccli.readers.predictions import Values, faults_of_each, interpret
from bbccli.readers.problems import RAISE, Problems
from bbccli.readers.request import Request
from bbccli.readers.sample_columns import with_sample_columns
from bbccli.readers.sheet import Sheet
from bbccli.readers.sources.files import STDIN, Paths, expand, listed
from bbccli.readers.sources.memory import ArrowStream, in_memory
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table, joint_hash, name_faults


def understand(
    paths: Paths, request: Request, problems: Problems = RAISE
) -> tuple[Sheet, PredictionMatrix]:
    """Read files; see `bbccli.readers.read`.

    Parameters
    ----------
    paths, request
        Files, and the options of reading them.
    problems
        Raises the first problem, or collects all of them.
    """
    return understand_sheet(sheet_of(paths, request, problems), request, problems)


def sheet_of(paths: Paths, request: Request, problems: Problems) -> Sheet:
    """Return the sheet of some files, whose rows have their places and whose classes are known."""
    tables, metadata = open_tables(paths, request, problems)
    sheet = place(lay_out(tables, metadata, request, problems), problems)
    if request.elsewhere:
        from bbccli.readers.join import join

        sheet = join(sheet, request, problems)
    return tell_classes(sheet)


def understand_sheet(
    sheet: Sheet, request: Request, problems: Problems = RAISE
) -> tuple[Sheet, PredictionMatrix]:
    """Make a matrix of a sheet whose rows have their places and whose roles are known."""
    sheet = choose(sheet, request, problems)
    if request.unfinished:
        from bbccli.readers.unfinished import narrow

        sheet = narrow(sheet)
    sheet = with_sample_columns(sheet, problems)
    outcome, predictions = _meaning(sheet, request, problems)
    problems.settle()
    with problems.of("assembly", fatal=True):
        matrix = assemble(sheet, outcome, predictions, request)
    return sheet, matrix


def read_tables(path: str | Path | ArrowStream, keys: Sequence[str] = ()) -> Sequence[Table]:
    """Return the table of a file or in memory, or those of a folder that some tool left behind.

    Parameters
    ----------
    path
        File, table or folder.
    keys
        Columns that are keys although their names don't say so; see `read_table`.

    Raises
    ------
    InputError
        A file that can't be read, or a folder that no tool is known to leave.
    """
    if in_memory(path) or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return [read_table(path, keys)]
    from bbccli.readers.runs.folder import tables_of

    return tables_of(Path(path))


def hash_of(path: str | Path) -> str:
    """Return the hash that the tables of a folder have together.

    Raises
    ------
    InputError
        As `read_tables`.
    """
    return joint_hash([table.sha256 for table in read_tables(path)])


def open_tables(
    paths: Paths, request: Request, problems: Problems
) -> tuple[Sequence[Table], Metadata]:
    """Return the tables of some files, with unique names, and their metadata.

    Raises
    ------
    InputError, OptionError
        A file that can't be read, metadata that can't be understood, or columns without a name of
        their own.
    """
    with problems.of("readable", fatal=True):
        _refuse_two_on_stdin(paths, request)
    found: Sequence[str | Path | ArrowStream] = ()
    with problems.of("readable"):
        found = expand(paths)
    keys = () if request.roles.row_id is None else (request.roles.row_id,)
    read: list[Table] = []
    for path in found:
        with problems.of("readable"):
            read += read_tables(path, keys)
    problems.settle("readable")
    problems.saw("readable", read)
    parsed = []
    for one in read:
        with problems.of("metadata"):
            parsed.append(one.metadata)
    metadata = merged(parsed)
    problems.saw("metadata", metadata)
    by_hand = {*astuple(request.roles), *request.only, *metadata.configurations}
    read = [table.asked_for(by_hand) for table in read]
    problems.saw("names", read)
    return [_named_once(table, problems) for table in read], metadata


def _meaning(sheet: Sheet, request: Request, problems: Problems) -> tuple[Outcome, Values]:
    """Interpret the truth, and the predictions of it.

    Raises
    ------
    InputError, UndefinedError, OptionError
        Invalid predictions, an invalid outcome, or predictions that do not fit the outcome.
    """
    # of a nested cross-validation all rows are read at once, so that all mean the same
    rows = np.arange(sheet.n_rows)[None] if sheet.nested else sheet.rows[:, sheet.usable]
    cube = read_cube(sheet, rows, problems)
    problems.settle("constant", "labels file")
    with problems.of("outcome", fatal=True):
        outcome = outcome_of(sheet, cube, request)
    with problems.of("assembly", fatal=True, each=partial(faults_of_each, cube, outcome)):
        predictions = interpret(cube, outcome)
    return outcome, predictions


def _refuse_two_on_stdin(paths: Paths, request: Request) -> None:
    every = (*listed(paths), request.labels, request.folds)
    if [str(one) for one in every if isinstance(one, str | Path)].count(STDIN) > 1:
        raise OptionError("two files are read from stdin", hint="name a file for one of them")


def _named_once(table: Table, problems: Problems) -> Table:
    """Return the table without columns that have no name, or that of an earlier one."""
    faults = list(name_faults(table))
    for fault in faults:
        with problems.of("names"):
            raise fault
    if not faults:
        return table
    kept = [i for i, name in enumerate(table.names) if name.strip() and name not in table.names[:i]]
    with problems.of("names", fatal=True):
        if not kept:
            raise InputError("no column has a name", path=table.path, hint="name the columns")
    return replace(table, data=table.data.select(kept))
