"""Tables of one file or several, in any dialect -> one long table with the written names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, as_arrow_or_null, is_nothing, is_text, take
from bbccli.readers.codes import joint
from bbccli.readers.column import Origin
from bbccli.readers.layout.dialects.base import PREDICTION, PROBABILITY, Layout
from bbccli.readers.layout.dialects.long import CONFIGURATION
from bbccli.readers.layout.naming import names_of
from bbccli.readers.layout.wide import check_outcome
from bbccli.readers.prediction_array import text_fault
from bbccli.readers.roles import Hints
from bbccli.readers.table import Table, joint_hash

if TYPE_CHECKING:
    import pyarrow as pa


def stack(tables: Sequence[Table], layouts: Sequence[Layout], hints: Hints) -> Table:
    """Put the rows of all files under one another.

    A file that holds one configuration is that configuration, named by the file; see `names_of`.
    Of several files the names within a file follow that name, unless they come from a column
    `config`: only then are the rows of several files those of one configuration.

    Parameters
    ----------
    tables, layouts
        Tables, and the part that each column plays.
    hints
        Roles of separate files, for the check of the outcome.

    Returns
    -------
    Table
        Columns by the names of their roles, `config`, and `prediction` or `prob.<class>`; faults
        name the file, column and row that a value came from.

    Raises
    ------
    InputError
        No outcome, columns that only some files have, or that hold text in some and numbers in
        others; a file that is given twice.
    """
    import pyarrow as pa

    one_file = len(tables) == 1
    if all(layout.configuration and layout.global_names for layout in layouts):
        _refuse_same_content(tables)
    parts: list[pa.Table] = []
    origins: list[Origin] = []
    start = 0
    files = names_of([table.path for table in tables])
    for table, layout, file in zip(tables, layouts, files, strict=True):
        if "truth" not in hints.elsewhere:
            check_outcome(layout.roles, table)
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
    try:
        data = pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException:
        raise InputError(
            "the files do not fit together", path=tables[0].path, hint="write them all in one way"
        ) from None
    truths = [layout.roles.get("truth", "") for layout in layouts]
    levels = [t.levels[name] for t, name in zip(tables, truths, strict=True) if name in t.levels]
    return Table(
        path,
        data,
        joint_hash([table.sha256 for table in tables]),
        origins=tuple(origins),
        unnamed=_lists(tables[0], layouts[0]),
        levels={"truth": levels[0]} if levels else {},
    )


def _refuse_same_content(tables: Sequence[Table]) -> None:
    """Rows that are appended are others in each file; of tables in memory nothing is known."""
    seen: dict[str, str] = {}
    for table in tables if len(tables) > 1 else ():
        earlier = seen.setdefault(table.sha256, table.path) if table.sha256 else table.path
        if earlier != table.path:
            raise InputError(
                f"has the same content as {earlier}", path=table.path, hint="name one of the two"
            )


def configuration_names(table: Table, layout: Layout, file: str, *, one_file: bool) -> pa.Array:
    """(n_rows,) name of the configuration of each row, null where a part of it is missing.

    Parameters
    ----------
    table, layout
        One table, and the part that each column plays.
    file
        Name of the file among those that are read.
    one_file
        True if it is the only one.
    """
    import pyarrow as pa

    codes, names = [], []
    for name in layout.configuration:
        own, values = table.column(name).named_codes()
        codes.append(own)
        names.append([f"{name}={value}" if layout.parameters else value for value in values])
    if not codes:
        return take(pa.array([file]), as_arrow(np.zeros(table.n_rows, np.int64)))
    known = np.all([own >= 0 for own in codes], axis=0)
    if not known.any():
        return pa.nulls(table.n_rows, pa.string())
    whole = joint([own[known] for own in codes])
    _, first = np.unique(whole, return_index=True)
    rows = np.flatnonzero(known)[first]
    separator = ", " if layout.parameters else " "
    texts = [
        separator.join(values[own[row]] for own, values in zip(codes, names, strict=True))
        for row in rows
    ]
    if not one_file and not layout.global_names:
        texts = [file] if len(texts) == 1 else [f"{file} {text}" for text in texts]
    positions = np.full(table.n_rows, -1)
    positions[known] = whole
    return take(pa.array(texts, pa.string()), as_arrow_or_null(positions))


def _check_fits(table: Table, layout: Layout, first: Table, first_layout: Layout) -> None:
    """Every file has the columns of the first one, and its samples have the same key, if any."""
    columns, wanted = ({*one.roles, *one.predictions} for one in (layout, first_layout))
    for name in sorted(wanted ^ columns):
        missing, there = (table, first) if name in wanted else (first, table)
        what = "column of predictions" if name == PREDICTION else f"column `{name}`"
        raise InputError(
            f"has no {what}, {there.path} has one",
            path=missing.path,
            hint="files that are read together hold the same columns",
        )
    if bool(_lists(table, layout)) != bool(_lists(first, first_layout)):
        raise InputError(
            "predictions are lists in some files, and one column per class in others",
            path=table.path,
            hint="write the column alike in all files",
        )
    key, first_key = layout.roles.get("row_id"), first_layout.roles.get("row_id")
    if key is None or first_key is None:
        from bbccli.readers.keys import refuse_overlooked

        shared = [name for name in layout.spare if name in first_layout.spare]
        refuse_overlooked(table, shared, first.path, " if it is")
    elif key.casefold() != first_key.casefold():
        raise InputError(
            f"has the key {key!r}, {first.path} has {first_key!r}",
            path=table.path,
            hint="call the key of the samples alike in all files",
        )


def _lists(table: Table, layout: Layout) -> tuple[str, ...]:
    """Written names of predictions that come from lists."""
    return tuple(name for name, column in layout.predictions.items() if column in table.unnamed)


def _alike(
    parts: Sequence[pa.Table], tables: Sequence[Table], origins: Sequence[Origin]
) -> list[pa.Table]:
    """Return the same columns with values of one type, where they mean the same."""
    import pyarrow as pa

    from bbccli.readers.keys import alike, refuse_other_forms

    found = list(parts)
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
                own = found[at].column_names.index(name)
                found[at] = found[at].set_column(own, name, pa.chunked_array([values]))
    return found


def _predicts(name: str) -> bool:
    return name == PREDICTION or name.startswith(PROBABILITY)
