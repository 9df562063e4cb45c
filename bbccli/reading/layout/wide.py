"""A wide table -> sheet: columns get roles by option, by name, or by a synonym."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import combinations

import numpy as np

from bbccli.errors import OptionError, nearest, parameter
from bbccli.notes import listing
from bbccli.platform.text import pattern
from bbccli.reading.arrow import to_numbers
from bbccli.reading.metadata import Metadata
from bbccli.reading.roles import (
    LATE_TRUTHS,
    NAMES,
    Hints,
    column_of,
    columns_for_role,
)
from bbccli.reading.sample_index import split_caret
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import GLANCE, PredictionColumn, Table
from bbccli.types import Task

_TIME = pattern(
    r"(?:^|[\W_])(?:t|time|days?|weeks?|months?|years?|duration|follow[\W_]?up\w*|survival|os|[pd]fs)"
    r"(?:$|[\W_])",
    re.IGNORECASE,
)
"""Names of the times of a survival outcome."""


def wide_sheet(table: Table, hints: Hints, metadata: Metadata) -> Sheet:
    """Assign a role to every column of a wide table."""
    known = {name: cell for name, cell in metadata.cells.items() if name in table.names}
    chosen, spare = choose_roles(table, hints, known)
    others = {*chosen.values(), *spare}
    names = [name for name in table.names if name not in others]
    if "truth" not in hints.absent:
        check_outcome(chosen, table, hints)
    if not names:
        inner = table.opened.names[len(table.names) :]
        raise table.fault(
            "no configuration column",
            hint=f"give one column per configuration; found only {listing(table.names)}"
            + (f", and objects, lists or bytes in {listing(table.nested)}" if table.nested else "")
            + (f"; {parameter('only')} opens {listing(inner)}" if inner else "")
            + f"; give {parameter('labels', 'FILE')} if {chosen.get('truth')} is the prediction"
            * ("truth" in chosen),
        )
    columns = {role: table.column(name) for role, name in chosen.items()}
    columns |= split_caret(columns)
    cells = tuple([PredictionColumn(n, n, *known.get(n, (n, None))) for n in names])
    return Sheet(table, WIDE, table.n_rows, columns, cells, metadata, spare)


_MOST_COMPARED = 40
"""Columns among which an answer and the right one are looked for."""


def choose_roles(
    table: Table, hints: Hints, reserved: Container[str] = ()
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Choose the column of each role, and list other candidates.

    `hints.task` tells a survival outcome from a truth; synonyms never apply to declared
    configurations, and roles of separate files are skipped. Columns in `reserved` have no role
    unless by option.
    """
    chosen = _by_hand(table, hints)
    by_name = {
        role: [
            name for name in columns_for_role(table, role, hints.declared) if name not in reserved
        ]
        for role in NAMES
    }
    texts = [name for name in by_name["truth"] if name in table.texts]
    values = {value for name in texts for value in table.column(name).named_codes()[1]}
    # a class `Y` has a column of its own
    by_name["truth"] = [name for name in by_name["truth"] if name in texts or name not in values]
    by_name["truth"] = [name for name in by_name["truth"] if not _is_mark(table, name)]
    firm = [name for name in by_name["truth"] if name.casefold() not in LATE_TRUTHS]
    by_name["truth"] = firm or by_name["truth"]
    survival = bool({"time", "event"} & chosen.keys())
    survival = survival or _is_survival(by_name, "truth" in chosen, table, hints)
    if not survival:
        by_name |= {"time": [], "event": []}
    for role, names in by_name.items():
        if role in chosen or role in hints.absent or (role == "truth" and survival):
            continue
        free = [name for name in names if name not in chosen.values()]
        if role == "truth":
            _refuse_two_truths(free, table)
        if free:
            chosen[role] = free[0]
    spare = {name for names in by_name.values() for name in names} - set(chosen.values())
    return chosen, tuple(name for name in table.names if name in spare)


def _is_mark(table: Table, name: str) -> bool:
    """True for a column `correct` that says whether two columns, an answer and the right one,
    agree.
    """
    if name.casefold() != "correct" or name in table.texts:
        return False
    known = {*table.texts, *table.kinds.numeric} - {name}
    others = [n for n in table.names if n in known]
    marks, *columns = (
        np.array(column.to_pylist(), object)
        for column in table.head([name, *others[:_MOST_COMPARED]], GLANCE).columns
    )
    pairs = ((a == b) == marks for a, b in combinations(columns, 2))
    return len({*marks}) == 2 and any(agree.all() for agree in pairs)


def _by_hand(table: Table, hints: Hints) -> dict[str, str]:
    """Return columns given by options, or else by the metadata, except for separate files."""
    chosen: dict[str, str] = {}
    for role in NAMES:
        name, called = getattr(hints.roles, role), ""
        if name is None:
            name, called = hints.known.get(role), f"the metadata's {role}"
        if name is None or role in hints.absent:
            continue
        column_of(table, name, role, called)
        if name in chosen.values():
            raise OptionError(
                f"column {name!r} is given two roles", hint="name another column for one of them"
            )
        chosen[role] = name
    if "truth" in chosen and {"time", "event"} & chosen.keys():
        raise OptionError(
            f"{parameter('truth')} and {parameter('time')}/{parameter('event')} exclude each other",
            hint="give one of them",
        )
    return chosen


def _is_survival(
    by_name: Mapping[str, Sequence[str]], truth_by_hand: bool, table: Table, hints: Hints
) -> bool:
    """True if time and event are the outcome by their names: a pair, and no truth."""
    if not (by_name["time"] and by_name["event"]):
        return False
    if "truth" in hints.absent or hints.task is Task.SURVIVAL:
        return True
    if hints.task is not None or truth_by_hand:
        return False
    if by_name["truth"]:
        raise table.fault(
            f"both a truth ({by_name['truth'][0]!r}) and a survival outcome "
            f"({by_name['time'][0]!r}, {by_name['event'][0]!r})",
            hint="give --task survival, or --truth NAME",
        )
    return True


def _refuse_two_truths(names: Sequence[str], table: Table) -> None:
    """Refuse two synonyms, or two spellings of the written name, for the truth."""
    written = [name.casefold() == NAMES["truth"][0] for name in names]
    if len(names) > 1 and sum(written) != 1:
        raise table.fault(
            f"more than one column could be the truth: {listing([repr(n) for n in names])}",
            hint=f"give {parameter('truth', names[0])}, or another of them",
        )


def check_outcome(
    chosen: Mapping[str, str], table: Table, hints: Hints, *, long: bool = False
) -> None:
    """Refuse a table without a truth or both a time and an event."""
    half = {"time", "event"} & chosen.keys()
    if "truth" in chosen or len(half) == 2:
        return
    from bbccli.reading.advice import advice, are_folds, may_be_folds

    if half:
        present, missing = half.pop(), ({"time", "event"} - chosen.keys()).pop()
        raise table.fault(
            f"a survival outcome needs a column {missing!r} beside {chosen[present]!r}",
            hint=f"give {parameter(missing, 'NAME')}; the columns are {listing(table.names, 8)}",
        )
    _refuse_other_truths(chosen, table, hints)
    by_option = f"{parameter('truth', 'NAME')} or {parameter('labels', 'FILE')}"
    if are_folds(table, chosen):
        raise table.fault(
            f"no truth column among {listing(table.names, 8)}: each row seems to be a fold",
            hint="keep the predictions of the samples, for example with bbccli.recording, because "
            f"scores of folds can't be corrected; if the rows are samples, give {by_option}",
        )
    advised = advice(table, chosen, hints, long=long)
    of_truth, rows = "truth" in advised.roles, "configuration" in advised.roles
    each = "row" if rows else "cell"
    key = advised.roles.get("row_id", chosen.get("row_id"))
    scores = f"{parameter('task', 'score')} if each {each} is the score of an answer"
    scores *= bool({*table.names} - table.texts - {key}) and not may_be_folds(table, key)
    first = f"give {advised} if that is right" if of_truth else scores * rows
    if of_truth:
        first = _of_survival(table, advised.roles["truth"]) + first
    by_hand = f"{first}{'; otherwise ' * bool(first)}name it 'truth', or give {by_option}"
    also = f"also give {advised}, if that is right" * bool(str(advised) and not of_truth)
    near = "" if str(advised) else nearest("truth", table.names, " ")
    ways = (by_hand, scores * (rows == of_truth), also, near)
    raise table.fault(
        f"no truth column among {listing(table.names, 8)}",
        hint="; ".join(filter(str.strip, ways)),
    )


def _of_survival(table: Table, event: str) -> str:
    """Return the hint that a column is the event of a time, if one has such a name."""
    times = [n for n in table.names if n in table.kinds.numeric and _TIME.search(n)]
    ends = table.column(event).codes()[1]
    if not times or len(ends) != 2 or to_numbers(table.column(times[0]).values).min() < 0:
        return ""
    if "cens" in event.casefold():
        return (
            f"write a column 'event', 1 where {event} says that it was observed, and give "
            f"{parameter('time', times[0])}, if these are times; "
        )
    options = f"{parameter('time', times[0])} {parameter('event', event)}"
    return f"give {options} if these are times and events; "


def _refuse_other_truths(chosen: Mapping[str, str], table: Table, hints: Hints) -> None:
    """Refuse a truth that an option takes, one of lists, and one in a column for each class."""
    from bbccli.reading.columns.features import families

    for role, name in chosen.items():
        if name == getattr(hints.roles, role) and name.casefold() in NAMES["truth"]:
            raise table.fault(
                f"no truth column: {parameter(role, name)} takes the one of this name",
                hint=f"name the column of the {role}s, or that of the truth with --truth NAME",
            )
    for name in table.nested:
        if name.casefold() in NAMES["truth"]:
            column_of(table, name, "truth", "the truth")

    numeric = [name for name in table.names if name not in table.texts]
    columns = [to_numbers(table.column(name).values) for name in numeric]
    found = families(numeric, np.column_stack(columns)) if columns and table.n_rows > 1 else []
    if len(found) == 1 and len(found[0]) < len(numeric):
        names = [numeric[place] for place in found[0]]
        word = -1 if len({name.rpartition("_")[2] for name in names}) > 1 else 0
        raise table.fault(
            f"no truth column, but in every row one of {listing(names, 8)} is 1, and the others "
            "are 0: a truth in a column for each class",
            column=names[0],
            hint=f"write it in one column, in pandas: df['truth'] = df[{names}].idxmax(axis=1)"
            f".str.split('_').str[{word}]",
        )
