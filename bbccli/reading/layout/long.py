"""A long table -> sheet: a row per repeat and sample, found by index arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.notes import Note, lacking, of_data
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import as_arrow
from bbccli.reading.column import Column, by_appearance, joint, repeated
from bbccli.reading.layout.dialects import CONFIGURATION
from bbccli.reading.layout.dialects.base import PREDICTION, PROBABILITY
from bbccli.reading.metadata import Metadata
from bbccli.reading.numerals import Moment
from bbccli.reading.predictions import check_sources
from bbccli.reading.rows import by_key, note_on_repeats
from bbccli.reading.sample_columns import CONSTANT, check_constant
from bbccli.reading.sample_index import KEYS, check_key, positions_within, repeat_codes, split_caret
from bbccli.reading.sheet import HaltError, Problems, Sheet
from bbccli.reading.table import PredictionColumn, Table, cells_of
from bbccli.types import Again, IntArray

_MOST_CELLS = 50_000_000
"""Limit on the cells of a mostly empty sheet."""

_MANY = 10
"""If more than one row in this many repeats a sample, it is on purpose."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a long table: configuration, and row of the sheet.

    Parameters
    ----------
    configurations : (n_rows,)
        Code of the configuration.
    names
        The C configurations.
    keys : (n_rows,)
        Row of the sheet.
    first : (n_keys,)
        First row of the table for each row of the sheet.
    notes
        How they were found.
    """

    configurations: IntArray
    names: tuple[str, ...]
    keys: IntArray
    first: IntArray
    notes: tuple[Note, ...]


def long_sheet(
    table: Table,
    layout: str,
    metadata: Metadata,
    problems: Problems,
    *,
    scored: bool = False,
    epochs: bool = False,
    times: Sequence[Moment] | None = None,
) -> Sheet:
    """Find the cells of every configuration of a long table, as `stack` makes it.

    An item that a configuration was asked again has `epochs`, or counts as at the newest of the
    `times` of all rows.

    `problems` collects missing and duplicate keys; a truth, group or weight that differs between
    configurations of one sample; and configurations of unequal size without a key.
    """
    try:
        in_order = scored and times is None  # if the newest count, others are no epochs
        roles, rows = _rows_of(table, problems, scored=in_order, epochs=epochs)
        places = None
        with problems.of("keys"):
            places = _places(table, roles, rows, times, scored=scored)
        notes = [*rows.notes, *_check_roles(roles, rows, problems)]
        cells = _cells(table, rows.names, places)
        problems.raise_first("keys", "constant", "roles")
    except HaltError:
        check_sources(table, _predictions(table), problems)
        raise
    if "fold" in roles:
        codes, _ = roles["fold"].codes()
        if (codes != codes[rows.first][rows.keys]).any():
            del roles["fold"]
            notes.append(of_data.folds_differ())
    if "repeat" in roles and "repeat" not in table.names and scored:
        notes.append(lacking.epochs_by_order(int(roles["repeat"].codes()[0].max()) + 1))
    if times is not None and (n := table.n_rows - int((places >= 0).sum())):
        notes.append(lacking.scores_replaced(n))
    columns = {role: column.take(rows.first) for role, column in roles.items()}
    return Sheet(table, layout, len(rows.first), columns, cells, metadata, notes=tuple(notes))


def _predictions(table: Table) -> list[str]:
    return [name for name in table.names if name == PREDICTION or name.startswith(PROBABILITY)]


def _rows_of(
    table: Table, problems: Problems, *, scored: bool, epochs: bool
) -> tuple[dict[str, Column], _Rows]:
    """Return the columns of the roles, and the row of the sheet for each row of the table.

    Scores of items that come equally often, in all configurations, are epochs in their order.
    """
    others = {CONFIGURATION, *_predictions(table)}
    roles = {name: table.column(name) for name in table.names if name not in others}
    roles |= split_caret(roles)
    column = table.column(CONFIGURATION)
    with problems.of("constant"):
        column.present("configuration", hint="name the configuration of every row")
    for role in KEYS:
        with problems.of("keys"):
            check_key(roles, role)
    problems.raise_first("keys", "constant")
    codes, names = column.named_codes()
    if scored and "row_id" in roles and not {"repeat", "outer_fold", "train_size"} & roles.keys():
        items = joint([codes, roles["row_id"].codes()[0]])
        times = np.bincount(items)
        if times.max() > 1 and (epochs or times.min() == times.max()):
            order = np.argsort(items, kind="stable")
            numbers = np.empty_like(order)
            numbers[order] = np.arange(len(items)) - np.repeat(np.cumsum(times) - times, times)
            roles["repeat"] = replace(column, name="repeat", values=as_arrow(numbers))
    with problems.of("keys", fatal=True):
        numbered = by_key(roles)
        roles |= numbered
        keys, first = _keys(table, roles, codes)
    return roles, _Rows(codes, names, keys, first, note_on_repeats(numbered, roles))


def _keys(
    table: Table, roles: Mapping[str, Column], configurations: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the (n_rows,) key of each row, in order of first appearance; and the first row of
    each.
    """
    passes = [repeat_codes(table.n_rows, roles)]
    passes += [roles[role].codes()[0] for role in ("outer_fold", "train_size") if role in roles]
    if "row_id" in roles:
        samples, _ = roles["row_id"].codes()
    else:
        blocks = joint([*passes, configurations])
        samples = positions_within(blocks, "configurations", table.path)
    return by_appearance(joint([*passes, samples]))


def _places(
    table: Table,
    roles: Mapping[str, Column],
    rows: _Rows,
    times: Sequence[Moment] | None,
    *,
    scored: bool,
) -> IntArray:
    """Return the (C, n_keys) row of each cell, -1 where there is none; of several the newest."""
    shape = (len(rows.names), len(rows.first))
    if shape[0] * shape[1] > max(_MOST_CELLS, 100 * table.n_rows):
        raise table.fault(
            f"{shape[0]} configurations on {shape[1]} samples have {table.n_rows} rows in all: "
            "almost no sample is predicted by more than one",
            hint="check the columns of configuration and key",
        )
    cells = rows.configurations * shape[1] + rows.keys
    positions = np.arange(table.n_rows, dtype=np.int32 if table.n_rows < 2**31 else np.int64)
    places: IntArray = np.full(shape[0] * shape[1], -1, positions.dtype)
    if times is not None:
        positions = positions[np.lexsort((np.array([time.start for time in times]), cells))]
        cells = cells[positions]
        pairs = [positions[i : i + 2] for i in np.flatnonzero(cells[1:] == cells[:-1])]
        unclear = [late for early, late in pairs if not times[early].before(times[late])]
        if unclear:
            raise roles["row_id"].fault(
                "row_id occurs twice for one configuration, and it is unknown which is newer",
                np.array(unclear, np.int64),
                hint="leave one out, or count both with " + parameter("again", Again.EPOCH),
            )
    places[cells] = positions
    if times is None and (places[cells] != positions).any():
        raise _twice(roles, cells, scored=scored)
    return places.reshape(shape)


def _twice(roles: Mapping[str, Column], cells: IntArray, *, scored: bool) -> InputError:
    """Return the error about cells (n_rows,) with two rows.

    If many have, but none twice in a fold, the folds may be random parts of the samples: caret's
    LGOCV and bootstraps.
    """
    again, where = "add a column 'repeat', or remove a row", ""
    if "repeat" in roles:
        again, where = "remove a row", " in one repeat"
    hint = f"give one row per configuration, repeat and sample: {again}"
    if scored:
        hint += f"; count the newest or all: {parameter('again', Again.NEWEST)} or epoch"
    fold, rows = roles.get("fold"), repeated(cells)
    many = not where and len(rows) * _MANY > len(cells)
    if many and fold is not None and not len(repeated(joint([cells, fold.codes()[0]]))):
        held_out = parameter("repeat", fold.place(0)[1])
        hint = f"{held_out} if each fold is a random part of the samples, held out; else {hint}"
    if many:
        hint += f"; {parameter('configuration', 'NAME')} if another column tells them apart, or "
        hint += "one that joins several; a column, not a row, for each class"
    problem = f"row_id occurs twice for one configuration{where}"
    hint += "; give each experiment its own file"
    return roles["row_id"].fault(problem, rows, hint=hint)


def _check_roles(roles: Mapping[str, Column], rows: _Rows, problems: Problems) -> list[Note]:
    """Refuse a role that differs between configurations of one sample; note rounding."""
    earlier, notes = rows.first[rows.keys], []
    for role in (role for role in CONSTANT if role in roles):
        problem = f"{role} differs between configurations of one sample"
        hint = "check that the rows belong to the same samples"
        if "fold" in roles[role].path and len(roles[role].origins) > 1:
            hint += f", or give {parameter('fold_files', True)} if each file is a fold"
        with problems.of("constant"):
            if rounding := check_constant(roles[role], earlier, problem, hint):
                notes.append(of_data.truth_rounded(role, rounding))
    return notes


def _cells(
    table: Table, names: tuple[str, ...], places: IntArray | None
) -> tuple[PredictionColumn, ...]:
    """Return the cells of each configuration, by class if there are several."""
    sources = _predictions(table)
    labels = [None if n == PREDICTION else n.removeprefix(PROBABILITY) for n in sources]
    rows = [None] * len(names) if places is None else places
    pairs = zip(cells_of(product(names, labels)), product(rows, sources), strict=True)
    return tuple(replace(cell, source=source, rows=some) for cell, (some, source) in pairs)
