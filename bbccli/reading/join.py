"""Outcome and folds from separate files, joined to the rows of the predictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from bbccli.errors import OptionError, parameter
from bbccli.notes import listing, of_data, of_metadata
from bbccli.platform.dataclass import dataclass
from bbccli.reading.arrow import as_arrow, is_nothing, is_number, null_mask, to_numbers
from bbccli.reading.column import Column, joint
from bbccli.reading.keys import matching_rows, refuse_overlooked
from bbccli.reading.roles import BESIDE, NAMES, Request, Roles, column_named, column_of, is_given
from bbccli.reading.sample_index import place, refuse_disorder
from bbccli.reading.sheet import RUN, Problems, Sheet
from bbccli.reading.sources import read_table
from bbccli.reading.table import ArrowStream, Table, check_column_names
from bbccli.types import IntArray

_KEYLESS = (".npy", ".npz")
_ORDER = f"give {parameter('by_position', True)} if the rows of both files are in the same order"


def join(sheet: Sheet, request: Request, problems: Problems) -> Sheet:
    """Add the outcome and the folds from separate files."""
    roles, by_position, notes = dict(sheet.roles), list(sheet.by_position), list(sheet.notes)
    for what, path, read in (
        ("labels", request.labels, read_labels),
        ("folds", request.folds, read_folds),
    ):
        if path is None or not is_given(path):
            continue
        file = None
        with problems.of(f"{what} file"):
            file = open_separate(path, what, sheet, request)
            joined = read(file, request.roles)
            if "truth" in joined and "truth" in roles:
                sheet = _with_names(sheet, joined["truth"])
            roles |= joined
            if not file.by_key:
                by_position += [sheet.path, file.frame.path]
            elif file.frame.n_rows > sheet.n_samples:
                notes.append(of_data.unused_labels(what, file.frame.n_rows, sheet.n_samples))
        problems.saw(f"{what} file", file)
    positions = tuple(dict.fromkeys(by_position))
    sheet = replace(sheet, roles=roles, by_position=positions, notes=tuple(notes))
    return _scored_by_run(sheet, problems) if sheet.metadata.run else sheet


def _scored_by_run(sheet: Sheet, problems: Problems) -> Sheet:
    """Leave out the rows that no score of a run rests on: without a label, or of weight 0."""
    for role, said in (("truth", of_metadata.rows_unlabelled), ("weight", of_metadata.rows_idle)):
        if role not in sheet.roles:
            continue
        values, about = sheet.roles[role].values, sheet.metadata
        out = null_mask(values)
        if role == "weight":
            out = to_numbers(values) == 0 if is_number(values.type) else out & False
        if about.run is not None and 0 < out.sum() < len(out):
            run = replace(about.run, n_samples=len(out) - int(out.sum()))
            notes = (*sheet.notes, said(run.tool, int(out.sum()), len(out)))
            sheet = replace(sheet, metadata=replace(about, run=run), notes=notes)
            sheet = place(sheet.of_rows(np.flatnonzero(~out)), problems)
    return sheet


@dataclass(frozen=True, slots=True)
class Separate:
    """A file beside the predictions.

    Parameters
    ----------
    frame
        Its table.
    sheet
        The predictions.
    role
        Role that names its key.
    key
        Column of its keys; None if there is none.
    is_same
        True if names, or options, say that it is the key of the predictions.
    by_position
        True to match rows by position, whatever keys there are.
    is_ragged
        True if it has a row per fold, with the positions of its samples.
    """

    frame: Table
    sheet: Sheet
    role: str
    key: str | None
    is_same: bool
    by_position: bool
    is_ragged: bool

    @property
    def by_key(self) -> bool:
        """True if rows are joined by a common key."""
        keyed = self.key is not None and name_of_key(self.sheet) is not None
        return keyed and not self.by_position

    def entries(self, taken: Collection[str]) -> IntArray:
        """Return the row of this file for each row of the predictions, (n_rows,)."""
        if self.key is not None:
            self.check_keys(taken)
            if self.by_key:
                return matching_rows(self.frame.column(self.key), self.sheet.roles["row_id"])
        n_rows, n_samples = self.sheet.n_rows, self.sheet.n_samples
        if self.frame.n_rows not in (n_rows, n_samples):
            raise self.frame.fault(
                f"has {self.frame.n_rows} rows, but the predictions have {n_rows}",
                hint="check that both have a header line; " * (abs(self.frame.n_rows - n_rows) == 1)
                + "save the array transposed, a row per sample; "
                * (self.frame.n_rows == len(self.sheet.cells))
                + "give one row per sample under a header, or a column 'row_id' in both files",
            )
        self.check_keys(taken)
        if not self.by_position:
            refuse_disorder([self.frame], beside_another=True)
        return np.arange(n_rows) if self.frame.n_rows == n_rows else self.sheet.samples

    def check_keys(self, taken: Collection[str] = ()) -> None:
        """Refuse a key in only one of the files, or under names that may differ in meaning.

        The folder of a tool that keeps no keys, and arrays, have the rows of the training data.
        """
        ours, theirs, path = name_of_key(self.sheet), self.key, self.sheet.path
        files = [origin.path for origin in self.sheet.table.origins] or [path]
        keyless = self.sheet.metadata.run or all(file.endswith(_KEYLESS) for file in files)
        if self.by_position or (ours is None and keyless):
            return
        if ours is None and theirs is None:
            shared = [n for n in self.frame.names if n in self.sheet.table.names and n not in taken]
            refuse_overlooked(self.frame, shared, path, f", or {_ORDER}")
            return
        if ours is None:
            problem = f"has a key, column {theirs!r}, but {path} has none"
            hint = f"give {parameter('row_id')} NAME, the key in {path}"
        elif theirs is None:
            names = listing([repr(name) for name in self.frame.names])
            problem = f"has no key among {names}, but {path} has one, column {ours!r}"
            hint = f"give {parameter(self.role)} NAME, the key"
        elif self.is_same:
            return
        else:
            problem = f"has the key {theirs!r}, but {path} has {ours!r}"
            hint = f"use {parameter(self.role, theirs)} if they mean the same samples"
        raise self.frame.fault(problem, hint=f"{hint}, or {_ORDER}")


def name_of_key(sheet: Sheet) -> str | None:
    """Return the key column in the file of the predictions, if any."""
    row_id = sheet.roles.get("row_id")
    return None if row_id is None else row_id.place(0)[1]


def open_separate(
    path: str | Path | ArrowStream, what: str, sheet: Sheet, request: Request
) -> Separate:
    """Read a file beside the predictions; `what` is labels or folds."""
    role = f"{what}_row_id"
    by_hand = getattr(request.roles, role)
    if request.by_position and by_hand is not None:
        raise OptionError(
            f"{parameter(role)} and {parameter('by_position')} exclude each other",
            hint="give one of them",
        )
    ours, roles = name_of_key(sheet), request.roles
    frame = read_table(path, [name for name in (by_hand, roles.row_id, ours) if name])
    frame = frame.asked_for({*roles.by_hand, ours})
    is_ragged = what == "folds" and _is_ragged(frame, roles)
    if not is_ragged:
        check_column_names(frame)
    alike = [name for name in frame.names if ours and name.casefold() == ours.casefold()]
    key: str | None = None
    if by_hand is not None:
        key = column_of(frame, by_hand, role)
    elif not is_ragged:
        key = ours if ours in alike else next(iter(alike), column_named(frame, "row_id"))
    written = roles.row_id is not None and key == NAMES["row_id"][0]  # a name with no other meaning
    is_same = by_hand is not None or key in alike or written
    return Separate(frame, sheet, role, key, is_same, request.by_position, is_ragged)


def _is_ragged(frame: Table, roles: Roles) -> bool:
    """True for several columns of nothing but numbers, none of them named as fold or key."""
    by_hand = {roles.fold, roles.row_id, roles.folds_row_id} & set(frame.names)
    by_name = {*NAMES["fold"], *NAMES["row_id"]} & {name.casefold() for name in frame.names}
    if len(frame.names) < 2 or by_hand or by_name:
        return False
    return all(is_number(kind) or is_nothing(kind) for kind in frame.shown.schema.types)


def read_labels(file: Separate, roles: Roles) -> dict[str, Column]:
    """Return the columns `truth`, or `time` and `event`, of a labels file, by role, per row of the
    predictions.
    """
    frame = file.frame
    time = roles.time or column_named(frame, "time")
    event = roles.event or column_named(frame, "event")
    if time and event and roles.truth is None and column_named(frame, "truth") is None:
        chosen = {"time": column_of(frame, time, "time")}
        chosen["event"] = column_of(frame, event, "event")
    else:
        chosen = {"truth": _single(frame, "truth", roles.truth, file)}
    if file.sheet.layout == RUN:
        for role in BESIDE:
            name = getattr(roles, role)
            if name is not None and role not in file.sheet.roles:
                chosen[role] = column_of(frame, name, role)
        entries = _entries_of_run(file, chosen)
    else:
        entries = file.entries(taken=chosen.values())
    return {role: frame.column(name).take(entries) for role, name in chosen.items()}


def _entries_of_run(file: Separate, chosen: Mapping[str, str]) -> IntArray:
    """Return the row of a labels file for each row of a run: in order, or by the row's number.

    A run that knows its labels tells which of the two it is.
    """
    sheet, n_rows = file.sheet, file.frame.n_rows
    keys, known, truth = sheet.roles.get("row_id"), sheet.roles.get("truth"), chosen.get("truth")
    if file.is_same or file.by_position or keys is known is None:
        return file.entries(taken=chosen.values())
    orders = {sheet.n_rows: np.arange(sheet.n_rows), sheet.n_samples: sheet.samples}
    ways = [orders[n_rows]] if n_rows in orders else []
    if keys is not None and keys.is_integer:
        numbers = to_numbers(keys.values).astype(np.int64)
        ways += [numbers] if numbers.min() >= 0 and numbers.max() < n_rows else []
    if known is not None and truth is not None:
        column, n_known = file.frame.column(truth), len(known)
        problem = "is not the truth of the rows that the run predicts"
        if not ways:
            problem = f"has {n_rows} rows, but the run predicts {n_known}, and it is unknown which"
        ways = [entries for entries in ways if correspond(known, column.take(entries))]
        if not ways:
            hint = "leave --labels out, since the folder has labels; or give the data of the fit"
            raise column.fault(problem, hint=hint)
    return ways[0] if ways else file.entries(taken=chosen.values())


def correspond(known: Column, given: Column) -> bool:
    """True if two truths have equal numbers, or classes that correspond one to one."""
    numbers = [to_numbers(truth.values) for truth in (known, given) if is_number(truth.values.type)]
    if len(numbers) == 2 and np.allclose(numbers[0], numbers[1]):
        return True
    codes = [truth.codes()[0] for truth in (known, given)]
    counts = {len(np.unique(labels)) for labels in (*codes, joint(codes))}
    return len(counts) == 1 and min(code.min() for code in codes) >= 0


def _with_names(sheet: Sheet, truth: Column) -> Sheet:
    """Return a run with the class names of a labels file."""
    known = sheet.roles["truth"]
    if not sheet.metadata.classes or not correspond(known, truth):
        return sheet
    (codes, classes), (labels, names) = known.named_codes(), truth.named_codes()
    named = {name: names[labels[np.argmax(codes == code)]] for code, name in enumerate(classes)}
    about = replace(
        sheet.metadata,
        classes=tuple(named.get(label, label) for label in sheet.metadata.classes),
        positive_class=named.get(sheet.metadata.positive_class or ""),
    )
    cells = (replace(cell, label=named.get(cell.label or "", cell.label)) for cell in sheet.cells)
    return replace(sheet, cells=tuple(cells), metadata=about.with_json())


def read_folds(file: Separate, roles: Roles) -> dict[str, Column]:
    """Return the folds of a folds file, one per row of the predictions.

    The file has one column, or a key to join on; or it is ragged: one row per fold, with the
    0-based positions of its samples, padded with empty cells.
    """
    frame = file.frame
    if file.is_ragged:
        folds = _ragged(frame, file.sheet)
        file.check_keys(taken=frame.names)
        return {"fold": folds}
    name = _single(frame, "fold", roles.fold, file)
    entries = file.entries(taken={name})
    if file.by_key and file.sheet.n_repeats > 1:
        raise frame.fault(
            f"folds by row_id can't distinguish {file.sheet.n_repeats} repeats",
            hint="put the folds into the predictions file; or give one row per row of that file, "
            f"and {parameter('by_position', True)}",
        )
    return {"fold": frame.column(name).take(entries)}


def _single(frame: Table, role: str, by_hand: str | None, file: Separate) -> str:
    """Return the one column that plays a role: by option, by name, or as the only one."""
    if by_hand is not None and by_hand in frame.names:
        return by_hand
    rest = [name for name in frame.names if name != file.key]
    by_name = column_named(frame, role)
    if by_name in rest:
        return by_name
    other = "fold" if role == "truth" else "truth"
    if len(rest) == 1 and rest[0].casefold() not in NAMES[other]:
        return rest[0]
    if by_hand is not None:
        return column_of(frame, by_hand, role)
    predicted = file.sheet.column(file.sheet.cells[0]).place(0)[1]
    given = f"give {parameter(role)} NAME"
    if role == "truth" and predicted in rest:
        given = f"{parameter(role, predicted)}, as in the predictions"
    raise frame.fault(
        f"it is unclear which column is the {role}: {listing(frame.names, 8)}",
        hint=f"name it {role!r}, or {given}",
    )


def _ragged(frame: Table, sheet: Sheet) -> Column:
    """Return the fold of each row, from a table with one row per fold."""
    cells = np.column_stack([to_numbers(column) for column in frame.shown.columns])
    fold, place = np.nonzero(~np.isnan(cells))
    positions = cells[fold, place]
    n_samples = sheet.n_samples
    if len(positions) != n_samples or sheet.n_repeats > 1:
        expected = f"{n_samples} samples in {sheet.n_repeats} repeat(s)"
        raise frame.fault(
            f"has {len(positions)} sample positions, but the predictions have {expected}",
            hint="give one row per fold with the positions of its samples, each sample once; "
            "or one column named 'fold'",
        )
    wrong = np.flatnonzero(~np.isin(positions, np.arange(n_samples)))
    _, first = np.unique(positions, return_index=True)
    twice = np.setdiff1d(np.arange(n_samples), first)
    for at in (*wrong, *twice):
        raise frame.fault(
            f"cell is {'not a' if len(wrong) else 'a repeated'} sample position",
            row=int(fold[at]),
            column=frame.names[place[at]],
            value=float(positions[at]),
            hint=f"give positions from 0 to {n_samples - 1}, each in one fold",
        )
    order = np.argsort(positions)
    folds = fold[order][sheet.samples]
    return Column(frame.path, "fold", as_arrow(folds), folds)
