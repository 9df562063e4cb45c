"""Checks of files and tables, before anything is known of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bbccli.errors import InputError
from bbccli.inspection.findings import Findings
from bbccli.readers.assemble import Parts
from bbccli.readers.choice import choose
from bbccli.readers.dialects.base import PREDICTION, PROBABILITY
from bbccli.readers.files import expand
from bbccli.readers.frame import Frame, name_faults
from bbccli.readers.load import (
    Loaded,
    Paths,
    Request,
    cast_roles,
    layouts_of,
    load_tables,
)
from bbccli.readers.metadata import Metadata, merged
from bbccli.readers.pivot import pivot_faults
from bbccli.readers.raw import read_predictions
from bbccli.readers.separate import read_folds, read_labels
from bbccli.readers.stack import stack
from bbccli.readers.tables import metadata_of, read_frame


def check_readable(findings: Findings, paths: Paths, request: Request) -> tuple[Frame, ...]:
    """Return the tables of the files that can be read; note every one that can't."""
    found = findings.attempt("readable", expand, paths) or []
    frames = [findings.attempt("readable", read_frame, path) for path in found]
    read = tuple(frame for frame in frames if frame is not None)
    if len(read) == len(frames) and read:
        rows = sum(frame.n_rows for frame in read)
        files = f"{len(read)} files" if len(read) > 1 else "1 file"
        findings.passed("readable", f"{files}, {rows} rows")
    return read


def check_stdin(findings: Findings, paths: Paths, request: Request) -> None:
    """Note more than one file on standard input."""
    names: Sequence[str | Path] = [paths] if isinstance(paths, str | Path) else paths
    if [str(one) for one in (*names, request.labels, request.folds)].count("-") > 1:
        findings.attempt("readable", load_tables, paths, request)


def check_metadata(findings: Findings, frames: Sequence[Frame]) -> Metadata:
    """Return the metadata of all files, those that can't be understood left out."""
    found = [findings.attempt("metadata", metadata_of, frame) for frame in frames]
    metadata = merged([one for one in found if one is not None])
    if not findings.failed("metadata"):
        there = bool(metadata.raw)
        findings.passed("metadata", "understood" if there else "none")
    return metadata


def check_names(findings: Findings, frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Note columns without a name or with one that occurs twice; return the tables without."""
    sound = []
    for frame in frames:
        faults = list(name_faults(frame))
        for fault in faults:
            findings.error("names", fault)
        sound.append(_named_once(frame) if faults else frame)
    if not findings.failed("names"):
        n_columns = sum(len(frame.names) for frame in frames)
        findings.passed("names", f"{n_columns} columns, each with a name of its own")
    return tuple(sound)


def check_roles(findings: Findings, loaded: Loaded, request: Request) -> Parts | None:
    """Give every column its role; of a long table note every fault of its keys."""
    layouts = findings.attempt("roles", layouts_of, loaded, request)
    if layouts is None:
        return None
    if layouts:
        hints = request.hints(loaded.metadata)
        table = findings.attempt("roles", stack, loaded.frames, layouts, hints)
        if table is None:
            return None
        for fault in pivot_faults(table):
            findings.error("keys" if "row_id" in fault.problem else "constant", fault)
        if findings.failed("keys") or findings.failed("constant"):
            _check_long_predictions(findings, table)
            return None
    parts = findings.attempt("roles", cast_roles, loaded, request)
    if parts is not None:
        findings.passed("roles", _roles_said(parts))
    return parts


def _check_long_predictions(findings: Findings, table: Frame) -> None:
    """Look at the predictions of a long table that can't be pivoted."""
    rows = np.arange(table.n_rows)[None]
    for name in table.names:
        if name == PREDICTION or name.startswith(PROBABILITY):
            findings.attempt("predictions", read_predictions, table, (name,), rows)


def check_companions(findings: Findings, parts: Parts, request: Request) -> Parts:
    """Join labels and folds from files of their own, as far as they fit."""
    columns = dict(parts.columns)
    row_id, alignment = columns.get("row_id"), parts.alignment
    if request.labels:
        args = (request.labels, request.roles, alignment, row_id)
        columns |= findings.attempt("labels file", read_labels, *args) or {}
        if not findings.failed("labels file"):
            findings.passed("labels file", "every sample has its outcome")
    if request.folds:
        args = (request.folds, request.roles, alignment, row_id)
        columns |= findings.attempt("folds file", read_folds, *args) or {}
        if not findings.failed("folds file"):
            findings.passed("folds file", "every sample has its fold")
    return replace(parts, columns=columns)


def check_choice(findings: Findings, parts: Parts, request: Request) -> Parts:
    """Leave out the configurations that are not asked for."""
    chosen = findings.attempt("choice", choose, parts, request.only, request.exclude)
    return parts if chosen is None else chosen


def _roles_said(parts: Parts) -> str:
    """Which column plays which role, and how many are configurations."""
    played = []
    for role, column in parts.columns.items():
        name = column.place(0)[1] if len(column) else column.name
        played.append(role if name == role else f"{role} (column {name})")
    n_columns = len(parts.assignment.configurations)
    return f"{', '.join(played) or 'none'}; {n_columns} columns of predictions"


def _named_once(frame: Frame) -> Frame:
    """Return the table without columns that have no name, or that of an earlier one."""
    names = frame.names
    kept = [i for i, name in enumerate(names) if name.strip() and name not in names[:i]]
    if not hasattr(frame.table, "select") or not kept:
        raise InputError("no column has a name", path=frame.path, hint="name the columns")
    return replace(frame, table=frame.table.select(kept))
