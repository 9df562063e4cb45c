"""Outcome and folds from files of their own, joined to the rows of the predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bbccli.core.notes import listing
from bbccli.errors import InputError, parameter
from bbccli.readers.arrow import as_arrow, to_numbers
from bbccli.readers.column import Column
from bbccli.readers.place import Places
from bbccli.readers.problems import Raise
from bbccli.readers.request import Request, is_given
from bbccli.readers.roles import Roles, column_of, named
from bbccli.readers.sheet import Sheet
from bbccli.readers.sources.memory import ArrowStream
from bbccli.readers.table import Table

if TYPE_CHECKING:
    from bbccli.readers.separate import Separate


def join(sheet: Sheet, places: Places, request: Request, problems: Raise) -> Sheet:
    """Add the outcome and the folds that lie in files of their own.

    Raises
    ------
    InputError, OptionError
        A file that does not fit the predictions; see `open_separate`, `read_labels` and
        `read_folds`.
    """
    roles, by_position = dict(sheet.roles), list(sheet.by_position)
    for check, path, read in (
        ("labels file", request.labels, read_labels),
        ("folds file", request.folds, read_folds),
    ):
        if is_given(path):
            how = (path, check.removesuffix(" file"), sheet, request, read, places)
            columns, file = problems.attempt(check, _joined, *how, otherwise=({}, None))
            roles |= columns
            if file is not None and not file.by_key:
                by_position += [sheet.path, file.frame.path]
            problems.done(check, file)
    return replace(sheet, roles=roles, by_position=tuple(dict.fromkeys(by_position)))


def _joined(
    path: str | Path | ArrowStream,
    what: str,
    sheet: Sheet,
    request: Request,
    read: Callable[[Separate, Roles, Places], dict[str, Column]],
    places: Places,
) -> tuple[dict[str, Column], Separate]:
    from bbccli.readers.separate import open_separate

    file = open_separate(path, what, sheet, request)
    return read(file, request.roles, places), file


def read_labels(file: Separate, roles: Roles, places: Places) -> dict[str, Column]:
    """Return the columns `truth`, or `time` and `event`, of a labels file.

    Parameters
    ----------
    file
        File with one column, or with a key to join on.
    roles
        Names set by hand.
    places
        Rows of the predictions.

    Returns
    -------
    dict
        Columns of one entry per row of the predictions, by role.

    Raises
    ------
    InputError
        No column, or more than one, that could be the outcome; keys or row counts that do not
        match the predictions.
    """
    chosen = _outcome_names(file.frame, roles, file.key)
    entries = file.entries(places, taken=chosen.values())
    return {role: file.frame.column(name).take(entries) for role, name in chosen.items()}


def read_folds(file: Separate, roles: Roles, places: Places) -> dict[str, Column]:
    """Return the column `fold` of a folds file, one entry per row of the predictions.

    The file has one column, or a key to join on; or it is ragged: one row per fold, with the
    0-based positions of its samples, padded with empty cells.

    Raises
    ------
    InputError
        No column, or more than one, that could be the fold; keys, positions or row counts that do
        not match the predictions.
    """
    frame = file.frame
    if file.is_ragged:
        folds = _ragged(frame, places)
        file.check_keys(taken=frame.names)
        return {"fold": folds}
    name = _single(frame, "fold", roles.fold, {file.key})
    entries = file.entries(places, taken={name})
    if file.by_key and places.n_repeats > 1:
        raise InputError(
            f"folds by row_id cannot tell {places.n_repeats} repeats apart",
            path=frame.path,
            hint="put the fold into the predictions file; or give one row per row of that file, "
            f"and {parameter('by_position')}",
        )
    return {"fold": frame.column(name).take(entries)}


def _outcome_names(frame: Table, roles: Roles, key: str | None) -> dict[str, str]:
    """Column of the truth, or of time and event."""
    time = roles.time or named(frame, "time")
    event = roles.event or named(frame, "event")
    if time and event and roles.truth is None and named(frame, "truth") is None:
        pair = {"time": column_of(frame, time, "time")}
        return pair | {"event": column_of(frame, event, "event")}
    return {"truth": _single(frame, "truth", roles.truth, {key})}


def _single(frame: Table, role: str, by_hand: str | None, keys: set[str | None]) -> str:
    """Return the one column that plays a role: by hand, by name, or as the only one there is."""
    if by_hand is not None and by_hand in frame.names:
        return by_hand
    rest = [name for name in frame.names if name not in keys]
    by_name = named(frame, role)
    if by_name in rest:
        return by_name
    if len(rest) == 1:
        return rest[0]
    if by_hand is not None:
        return column_of(frame, by_hand, role)
    raise InputError(
        f"no single column is the {role}: {listing(frame.names, 8)}",
        path=frame.path,
        hint=f"name it `{role}`, or give --{role} NAME",
    )


def _ragged(frame: Table, places: Places) -> Column:
    """Fold of each row, from a table with one row per fold."""
    cells = np.column_stack([to_numbers(column) for column in frame.shown.columns])
    fold, place = np.nonzero(~np.isnan(cells))
    positions = cells[fold, place]
    n_samples = places.n_samples
    if len(positions) != n_samples or places.n_repeats > 1:
        wanted = f"{n_samples} samples in {places.n_repeats} repeat(s)"
        raise InputError(
            f"has {len(positions)} sample positions, the predictions have {wanted}",
            path=frame.path,
            hint="one row per fold with the positions of its samples, each sample once; "
            "or one column named `fold`",
        )
    wrong = ~np.isin(positions, np.arange(n_samples))
    _, first = np.unique(positions, return_index=True)
    twice = np.ones(n_samples, dtype=bool)
    twice[first] = False
    for problem, marked in (("no sample position", wrong), ("a sample position twice", twice)):
        if marked.any():
            at = int(np.argmax(marked))
            raise InputError(
                f"cell is {problem}",
                path=frame.path,
                row=int(fold[at]),
                column=frame.names[place[at]],
                value=float(positions[at]),
                hint=f"positions run from 0 to {n_samples - 1}, each in one fold",
            )
    order = np.argsort(positions)
    folds = fold[order][places.samples]
    return Column(frame.path, "fold", as_arrow(folds), folds)
