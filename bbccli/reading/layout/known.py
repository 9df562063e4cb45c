"""Predictions that a reader knows -> sheet: no name in them has another meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from bbccli.errors import InputError, OptionError, nearest, parameter
from bbccli.notes import listing
from bbccli.reading.arrow import as_arrow, pa, plain
from bbccli.reading.interface import Predictions
from bbccli.reading.roles import BESIDE, NAMES, Request, is_given
from bbccli.reading.sheet import RUN, WIDE, Sheet
from bbccli.reading.sources import sha256_of
from bbccli.reading.table import Table, cells_of
from bbccli.types import Task


def sheet_of(path: str, given: Predictions, sha256: str | None = None) -> Sheet:
    """Return the sheet of predictions from `path`, with the hash of its files."""
    about, configurations = given.about, given.by_configuration
    arrays = [np.asarray(values) for values in configurations.values()]
    n_rows, *by_class = shape = arrays[0].shape
    parts = [(name, np.shape(v), shape) for name, v in configurations.items()]
    parts += [(role, (len(v),), (n_rows,)) for role, v in given.roles.items()]
    for name, has, expected in parts:
        if has != expected:
            problem = f"{name} has shape {has}, not {expected} as {next(iter(configurations))}"
            raise InputError(problem, path=path, hint="copy it again: all are of the same rows")
    labels = (about.classes or [*map(str, range(by_class[0]))]) if by_class else [None]
    cells = cells_of(product(configurations, labels))
    flat = [part for array in arrays for part in (array.T if by_class else [array])]
    sources = {cell.source: _arrow(part) for cell, part in zip(cells, flat, strict=True)}
    roles = Table(path, plain(pa.table({r: _arrow(v) for r, v in given.roles.items()})))
    if sha256 is None:
        sha256 = hash_of_files((file.name, sha256_of(file)) for file in given.files)
    columns = {role: roles.column(role) for role in roles.names}
    keys = columns.get("row_id")
    n_samples = n_rows if keys is None else len(keys.codes()[1])
    n_scored = (about.run and about.run.n_samples) or n_samples  # fewer than were asked, perhaps
    last = about.classes[-1] if len(about.classes) == 2 else None
    about = replace(
        about,
        place=path,
        positive_class=about.positive_class or last,
        flags={name: about.flags.get(name, ()) for name in configurations},
        roles={"weight": "weight"} if "weight" in columns else {},
        run=about.run and replace(about.run, n_samples=n_scored, by_class=bool(by_class)),
    )
    table = Table(path, plain(pa.table(sources)), sha256)
    sheet = Sheet(table, RUN, n_rows, columns, cells, about.with_json())
    return replace(sheet, vault=given.vault)


def hash_of_files(files: Iterable[tuple[str, str]]) -> str:
    """Return the joint hash of files, from the name and the hash of each."""
    lines = "".join(f"{name} {sha256}\n" for name, sha256 in files)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _arrow(values: Any) -> Any:
    """Return values as Arrow, through their buffers if they are numbers."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "if":
        return as_arrow(values)
    return pa.array(values.tolist() if isinstance(values, np.ndarray) else values)


def as_requested(sheet: Sheet, request: Request) -> Sheet:
    """Return a known sheet with the roles that options give its columns; refuse one that lacks an
    outcome.
    """
    absent, about = request.hints(sheet.metadata).absent, sheet.metadata
    of_scores = about.task is Task.SCORE
    given = {"dialect": None if request.dialect == WIDE else request.dialect}
    given |= {"configuration": request.roles.configuration}
    given |= {} if of_scores else {"prediction": request.roles.prediction}
    for option, value in given.items():
        if value is not None:
            problem = f"{parameter(option, value)} is for tables, and {sheet.path} is not one"
            raise OptionError(problem, hint="leave it out")
    if request.task is Task.SCORE and not of_scores:
        problem = f"{parameter('task', Task.SCORE)} is for scores, and {sheet.path} has predictions"
        raise OptionError(problem, hint="leave it out")
    columns = {column.name: column for column in sheet.roles.values()}
    beside = is_given(request.labels)  # that file may hold weights and groups, and names classes
    kept = absent - {"truth"} if beside else absent
    roles = {role: column for role, column in sheet.roles.items() if role not in kept}
    for role in NAMES:
        name = None if role in absent else getattr(request.roles, role)
        if beside and role in BESIDE and name not in columns:
            continue
        if name is not None and name not in columns:
            raise sheet.fault(
                f"{parameter(role)} is {name!r}, which is not a column",
                hint=nearest(name, columns, f"the columns are {listing([*columns], 8)}"),
            )
        roles |= {} if name is None else {role: columns[name]}
    if request.roles.time or request.roles.event:
        roles.pop("truth", None)
    if "truth" not in absent and not {"truth", "time"} & roles.keys():
        raise sheet.fault(
            f"{about.run.tool if about.run else 'such'} exports hold no labels",
            hint=f"use {parameter('task', Task.SCORE)}"
            if of_scores
            else "give --labels train.csv --truth COLUMN, the training data in the same order",
        )
    return replace(sheet, roles=roles)
