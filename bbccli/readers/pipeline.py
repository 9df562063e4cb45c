"""Files -> prediction matrix: one step after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.errors import InputError, OptionError
from bbccli.readers.assembly import Reading, assemble
from bbccli.readers.choice import choose
from bbccli.readers.classes import tell_classes
from bbccli.readers.facts import Facts, facts_of
from bbccli.readers.flagged import leave_out
from bbccli.readers.join import join
from bbccli.readers.layout import lay_out
from bbccli.readers.meaning import outcome_of
from bbccli.readers.metadata import Metadata, merged
from bbccli.readers.opening import read_tables
from bbccli.readers.place import Places, place
from bbccli.readers.prediction_array import read_cube
from bbccli.readers.predictions import Values, faults_of_each, interpret
from bbccli.readers.problems import Raise
from bbccli.readers.request import Paths, Request
from bbccli.readers.sheet import Sheet
from bbccli.readers.sources.files import STDIN, expand, listed
from bbccli.readers.table import Table, name_faults
from bbccli.readers.unfinished import Narrowed, narrow

RAISE = Raise()


@dataclass(frozen=True, slots=True)
class Understood:
    """A matrix, and the sheet that it was made from."""

    sheet: Sheet
    places: Places
    matrix: PredictionMatrix


def understand(paths: Paths, request: Request, problems: Raise = RAISE) -> Understood:
    """Read files; see `bbccli.readers.read`.

    Parameters
    ----------
    paths, request
        What to read, and how it is to be understood.
    problems
        What becomes of what is wrong: `Raise` the first, or `Collect` everything.
    """
    tables, metadata = open_tables(paths, request, problems)
    sheet = lay_out(tables, metadata, request, problems)
    sheet, places = place(sheet, problems)
    sheet = tell_classes(join(sheet, places, request, problems))
    return understand_sheet(sheet, places, request, problems)


def understand_sheet(
    sheet: Sheet, places: Places, request: Request, problems: Raise = RAISE
) -> Understood:
    """Make a matrix of a sheet whose rows have their places and whose roles are known."""
    wanted = (sheet, request.only, request.exclude, request.positive)
    sheet = problems.attempt("choice", choose, *wanted, otherwise=sheet)
    sheet = problems.attempt("choice", leave_out, sheet, request.include, otherwise=sheet)
    part = narrow(sheet, places) if request.unfinished else Narrowed(sheet, places)
    facts = facts_of(part.sheet, part.places, problems)
    outcome, predictions = tell_meaning(part, facts, request, problems)
    problems.settle()
    reading = Reading(part, facts, outcome, predictions)
    return Understood(sheet, places, problems.attempt("assembly", assemble, reading, request))


def open_tables(
    paths: Paths, request: Request, problems: Raise
) -> tuple[Sequence[Table], Metadata]:
    """Return the tables of some files, with unique names, and what their metadata say.

    Raises
    ------
    InputError, OptionError
        A file that can't be read, metadata that can't be understood, or columns without a name of
        their own.
    """
    problems.attempt("readable", _refuse_two_on_stdin, paths, request)
    found = problems.attempt("readable", expand, paths, otherwise=[])
    keys = () if request.roles.row_id is None else (request.roles.row_id,)
    parts = [problems.attempt("readable", read_tables, path, keys, otherwise=()) for path in found]
    problems.settle("readable")
    read = [table for part in parts for table in part]
    problems.done("readable", read)
    nothing, parse = Metadata(), attrgetter("metadata")
    said = [problems.attempt("metadata", parse, one, otherwise=nothing) for one in read]
    metadata = merged(said)
    problems.done("metadata", metadata)
    by_hand = {*astuple(request.roles), *request.only, *metadata.configurations}
    read = [table.asked_for(by_hand) for table in read]
    problems.done("names", read)
    return [_named_once(table, problems) for table in read], metadata


def tell_meaning(
    part: Narrowed, facts: Facts, request: Request, problems: Raise
) -> tuple[Outcome, Values]:
    """Tell what the truth is, and what the predictions of it are.

    Raises
    ------
    InputError, UndefinedError, OptionError
        Values that are none, an outcome that is none, or one that is not theirs.
    """
    sheet, places = part.sheet, part.places
    # of a nested cross-validation all rows are read at once, so that all mean the same
    rows = np.arange(sheet.n_rows)[None] if places.nested else places.rows[:, facts.samples]
    cube = read_cube(sheet, rows, problems)
    problems.settle("constant", "labels file")
    outcome = problems.attempt("outcome", outcome_of, sheet, facts, cube, request)
    each = partial(faults_of_each, cube, outcome)
    return outcome, problems.attempt("assembly", interpret, cube, outcome, each=each)


def _refuse_two_on_stdin(paths: Paths, request: Request) -> None:
    every = (*listed(paths), request.labels, request.folds)
    if [str(one) for one in every if isinstance(one, str | Path)].count(STDIN) > 1:
        raise OptionError("two files are read from stdin", hint="name a file for one of them")


def _named_once(table: Table, problems: Raise) -> Table:
    """Return the table without columns that have no name, or that of an earlier one."""
    faults = list(name_faults(table))
    for fault in faults:
        problems.report("names", fault)
    return problems.attempt("names", _without_unnamed, table) if faults else table


def _without_unnamed(table: Table) -> Table:
    names = table.names
    kept = [i for i, name in enumerate(names) if name.strip() and name not in names[:i]]
    if not kept:
        raise InputError("no column has a name", path=table.path, hint="name the columns")
    return replace(table, data=table.data.select(kept))
