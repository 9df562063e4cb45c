"""Tables of one or several files, in any dialect -> one long table with the written names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path, PurePath
from typing import NoReturn

import numpy as np

from bbccli.errors import InputError
from bbccli.reading.arrow import as_arrow, as_arrow_or_null, is_nothing, is_text, pa, take
from bbccli.reading.column import Origin, joint
from bbccli.reading.layout.dialects import CONFIGURATION
from bbccli.reading.layout.dialects.base import PREDICTION, PROBABILITY, Layout
from bbccli.reading.layout.wide import check_outcome
from bbccli.reading.predictions import text_fault
from bbccli.reading.roles import Hints
from bbccli.reading.sources import STDIN_NAME, unpacked_name
from bbccli.reading.table import Table, joint_hash

_FOLD = re.compile(r"[\W_]*[a-zA-Z]*[\W_]*\*")
"""The number of the fold in the joint name of files; see `parts`."""


def names_of_files(paths: Sequence[str]) -> list[str]:
    """Return a name for each of several files.

    Stems if they differ; else the paths without their common folders at the start and common names
    at the end.

    Examples
    --------
    >>> names_of_files(["runs/knn.csv", "runs/svm.csv.gz"])
    ['knn', 'svm']
    >>> names_of_files(["runs/1_Linear/oof.csv", "runs/2_Tree/oof.csv"])
    ['1_Linear', '2_Tree']
    """
    _refuse_twice(paths)
    plain = [os.path.normpath(path) if "://" not in path else path for path in paths]
    stems = [(*PurePath(path).parts[:-1], stem_of(path)) for path in plain]
    candidates = ([(parts[-1],) for parts in stems], stems, [PurePath(p).parts for p in plain])
    for parts in candidates:
        names = without_common(parts)
        if len(set(names)) == len(names):
            return names
    return list(paths)


def stem_of(path: str) -> str:
    """Return the name of a file without folder, format and compression."""
    if path == STDIN_NAME:
        return "stdin"
    stem = PurePath(unpacked_name(PurePath(path).name)).stem
    return _FOLD.sub("", stem) or stem


def without_common(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the paths without their common parts at the start and at the end."""
    shortest = min(map(len, paths), default=1) - 1  # leave something of each
    start = min(_n_shared(paths), shortest)
    end = min(_n_shared([parts[::-1] for parts in paths]), shortest - start)
    return [str(PurePath(*parts[start : len(parts) - end])) for parts in paths]


def _n_shared(paths: Sequence[tuple[str, ...]]) -> int:
    """Count the common parts at the start of all paths."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))


def _refuse_twice(paths: Sequence[str]) -> None:
    """Refuse a path given twice: each file is one configuration."""
    seen: set[str] = set()
    for path in paths:
        is_file = "://" not in path and path != STDIN_NAME
        place = os.path.normpath(Path(path).absolute()) if is_file else path
        if place in seen:
            raise InputError("file is given twice", path=path, hint="name each file once")
        seen.add(place)


def stack(tables: Sequence[Table], layouts: Sequence[Layout], hints: Hints) -> Table:
    """Stack the rows of all files.

    A file of one configuration is named after the file; see `names_of_files`. With several files,
    names within a file follow that name, unless they come from a column `config`: only then do rows
    of several files belong to the same configuration. Return columns named by role, `config`, and
    `prediction` or `prob.<class>`; errors name the original file, column and row.
    """
    one_file = len(tables) == 1
    if all(layout.configuration for layout in layouts):
        _refuse_same_content(tables)
    parts: list[pa.Table] = []
    origins: list[Origin] = []
    start = 0
    files = names_of_files([table.path for table in tables])
    for table, layout, file in zip(tables, layouts, files, strict=True):
        if "truth" not in hints.absent:
            check_outcome(layout.roles, table, hints, long=True)
        columns = {**layout.roles, **layout.predictions}
        if table is not tables[0]:
            _check_fits(table, layout, tables[0], layouts[0])
        names = configuration_names(table, layout, file, one_file=one_file)
        arrays = [table.data.column(name) for name in columns.values()]
        parts.append(pa.table([*arrays, names], names=[*columns, CONFIGURATION]))
        if layout.configuration:
            columns[CONFIGURATION] = layout.configuration[0]
        origins.append(Origin(table.path, start, columns))
        start += table.n_rows
    path = tables[0].path
    if not one_file:
        path = f"{path} and {len(tables) - 1} more"
        parts = _alike(parts, tables, origins)
    data = concatenated(parts, tables[0].path)
    rows = [
        Origin(file.path, whole.start + file.start, whole.names)
        for table, whole in zip(tables, origins, strict=True)
        for file in table.origins or (Origin(table.path),)
    ]
    truths = [layout.roles.get("truth", "") for layout in layouts]
    levels = [t.levels[name] for t, name in zip(tables, truths, strict=True) if name in t.levels]
    return Table(
        path,
        data,
        joint_hash([table.sha256 for table in tables]),
        origins=tuple(rows),
        unnamed=_lists(tables[0], layouts[0]),
        levels={"truth": levels[0]} if levels else {},
    )


def concatenated(parts: Sequence[pa.Table], path: str) -> pa.Table:
    """Return the rows of several files, the first of which is at `path`."""
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException:
        problem, hint = "the files do not fit together", "write them all in the same way"
        raise InputError(problem, path=path, hint=hint) from None


def appended(tables: Sequence[Table], path: str, folds: Sequence[int] = ()) -> Table:
    """Return the rows of tables with the same columns as one table, at a path; with the fold of
    each table, if given.
    """
    first = tables[0]
    for table in tables:
        for lacking in sorted({*table.names} ^ {*first.names}):
            there, lacks = (first, table) if lacking in first.names else (table, first)
            refuse_lacking(f"column {lacking!r}", is_in=there, not_in=lacks)
    starts = np.cumsum([0, *(table.n_rows for table in tables)]).tolist()
    parts = [pa.table({name: table.data.column(name) for name in first.names}) for table in tables]
    for i, fold in enumerate(folds):
        parts[i] = parts[i].append_column("fold", as_arrow(np.full(tables[i].n_rows, fold)))
    return replace(
        first,
        path=path,
        data=concatenated(parts, first.path).combine_chunks(),
        sha256=joint_hash([table.sha256 for table in tables]),
        origins=tuple(Origin(t.path, start) for t, start in zip(tables, starts, strict=False)),
        aside=(),
    )


def refuse_lacking(what: str, *, is_in: Table, not_in: Table) -> NoReturn:
    """Refuse a file that lacks a column of another one."""
    problem = f"has no {what}, but {is_in.path} has one"
    raise not_in.fault(problem, hint="write the same columns in all files")


def _refuse_same_content(tables: Sequence[Table]) -> None:
    """Refuse files of several configurations, and equal content: each would count twice."""
    seen: dict[str, str] = {}
    for table in tables:
        earlier = seen.setdefault(table.sha256 or table.path, table.path)
        if earlier != table.path:
            problem = f"has the same content as {earlier}"
            raise table.fault(problem, hint="name one of the two")


def configuration_names(table: Table, layout: Layout, file: str, *, one_file: bool) -> pa.Array:
    """Return the (n_rows,) configuration of each row, null where a part of it is missing."""
    codes, names = [], []
    for name in layout.configuration:
        part, values = table.column(name).named_codes()
        codes.append(part)
        names.append([f"{name}={value}" if layout.parameters else value for value in values])
    if not codes:
        return take(pa.array([file]), as_arrow(np.zeros(table.n_rows, np.int64)))
    complete = np.all([part >= 0 for part in codes], axis=0)
    if not complete.any():
        return pa.nulls(table.n_rows, pa.string())
    whole = joint([part[complete] for part in codes])
    _, first = np.unique(whole, return_index=True)
    rows = np.flatnonzero(complete)[first]
    separator = ", " if layout.parameters else " "
    texts = [
        separator.join(values[part[row]] for part, values in zip(codes, names, strict=True))
        for row in rows
    ]
    if not one_file and not layout.global_names:
        texts = [file] if len(texts) == 1 else [f"{file} {text}" for text in texts]
    positions = np.full(table.n_rows, -1)
    positions[complete] = whole
    return take(pa.array(texts, pa.string()), as_arrow_or_null(positions))


def _check_fits(table: Table, layout: Layout, first: Table, first_layout: Layout) -> None:
    """Check that every file has the columns of the first one, and the same key, if any."""
    if bool(_lists(table, layout)) != bool(_lists(first, first_layout)):
        raise table.fault(
            "predictions are lists in some files, and not in others",
            hint="write the column the same way in all files",
        )
    columns, expected = ({*each.roles, *each.predictions} for each in (layout, first_layout))
    for name in sorted(expected ^ columns):
        there, lacks, by = first, table, first_layout
        if name in columns:
            there, lacks, by = table, first, layout
        column = {**by.roles, **by.predictions}[name]
        what = "column of predictions" if name == PREDICTION else f"column {column!r}"
        refuse_lacking(what, is_in=there, not_in=lacks)
    key, first_key = layout.roles.get("row_id"), first_layout.roles.get("row_id")
    if key is None or first_key is None:
        from bbccli.reading.keys import refuse_overlooked

        shared = [name for name in layout.spare if name in first_layout.spare]
        refuse_overlooked(table, shared, first.path, " if it is")
    elif key.casefold() != first_key.casefold():
        raise table.fault(
            f"has the key {key!r}, but {first.path} has {first_key!r}",
            hint="give the key of the samples the same name in all files",
        )


def _lists(table: Table, layout: Layout) -> tuple[str, ...]:
    """Return the written names of predictions that come from lists."""
    return tuple(name for name, column in layout.predictions.items() if column in table.unnamed)


def _alike(
    parts: Sequence[pa.Table], tables: Sequence[Table], origins: Sequence[Origin]
) -> list[pa.Table]:
    """Convert columns that mean the same to one type."""
    from bbccli.reading.keys import alike, refuse_other_forms

    converted = list(parts)
    for name in parts[0].column_names[:-1]:
        kinds = [part.schema.field(name).type for part in parts]
        if not any(map(is_text, kinds)) and len(set(kinds)) == 1:
            continue
        pairs = zip(tables, origins, strict=True)
        columns = [table.column(origin.names[name]) for table, origin in pairs]
        texts = [column for column in columns if column.is_text]
        if name.startswith((PREDICTION, PROBABILITY)) and 0 < len(texts) < len(kinds):
            if len(texts) + sum(map(is_nothing, kinds)) < len(kinds):
                raise text_fault(texts[0])
            continue
        arrays = alike(columns)
        if name == "row_id":
            refuse_other_forms(columns, arrays)
        for at, values in enumerate(arrays):
            if values.type != kinds[at] or not values.equals(columns[at].values):
                position = converted[at].column_names.index(name)
                converted[at] = converted[at].set_column(position, name, pa.chunked_array([values]))
    return converted
