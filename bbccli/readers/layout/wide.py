"""A wide table -> sheet: which column plays which role, by hand, by name, or by a synonym."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from bbccli.core.notes import listing
from bbccli.errors import InputError, OptionError, parameter
from bbccli.readers.metadata import Metadata
from bbccli.readers.place import split_caret
from bbccli.readers.roles import NAMES, Hints, Roles, candidates, column_of, nearest_names
from bbccli.readers.sheet import WIDE, PredictionColumn, Sheet
from bbccli.readers.table import Table
from bbccli.types import Task


def wide_sheet(table: Table, hints: Hints, metadata: Metadata) -> Sheet:
    """Give every column of a wide table its part.

    Raises
    ------
    InputError
        A role set by hand that names no column, no truth, two possible truths, or no
        configuration.
    """
    chosen, spare = choose_roles(table, hints)
    taken = set(chosen.values())
    names = [name for name in table.names if name not in taken | spare]
    if "truth" not in hints.elsewhere:
        _check_labels_held(chosen, table, metadata)
        check_outcome(chosen, table)
    if not names:
        raise InputError(
            "no configuration column",
            path=table.path,
            hint=f"one column of predictions per configuration; found only {listing(table.names)}"
            + (f", and objects or lists in {listing(table.nested)}" if table.nested else ""),
        )
    columns = {role: table.column(name) for role, name in chosen.items()}
    return Sheet(
        table,
        WIDE,
        table.n_rows,
        columns | split_caret(columns),
        tuple(PredictionColumn(name, name, name) for name in names),
        metadata,
        tuple(name for name in table.names if name in spare),
    )


def choose_roles(
    table: Table, hints: Hints, reserved: Container[str] = ()
) -> tuple[dict[str, str], set[str]]:
    """Choose the column of each role, and name those that could have played a role too.

    Parameters
    ----------
    table
        The table, with unique names.
    hints
        What is known of it: the task tells a survival outcome from a truth, no synonym turns a
        declared configuration into something else, and roles of separate files are not chosen.
    reserved
        Columns that play no role unless by hand.
    """
    roles, elsewhere, task = hints.roles, hints.elsewhere, hints.task
    by_hand = _by_hand(table, roles, elsewhere) | _declared(table, hints)
    by_name = {
        role: [name for name in candidates(table, role, hints.declared) if name not in reserved]
        for role in NAMES
    }
    if by_hand.get("time") is None and by_hand.get("event") is None:
        by_name = _truth_or_survival(by_name, by_hand, table, task, elsewhere)
    chosen = _choose(by_name, by_hand, table, elsewhere)
    return chosen, {n for names in by_name.values() for n in names} - set(chosen.values())


def _by_hand(table: Table, roles: Roles, elsewhere: Iterable[str]) -> dict[str, str]:
    """Columns set by hand, without those of separate files."""
    chosen: dict[str, str] = {}
    for role in NAMES:
        name = getattr(roles, role)
        if name is None or role in elsewhere:
            continue
        column_of(table, name, role)
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


def _declared(table: Table, hints: Hints) -> dict[str, str]:
    """Column of the weights by the metadata, which those set by hand or left aside overrule."""
    if hints.weight is None or hints.roles.weight is not None or "weight" in hints.elsewhere:
        return {}
    return {"weight": column_of(table, hints.weight, "weight", "the metadata's key 'weight'")}


def _truth_or_survival(
    by_name: dict[str, list[str]],
    by_hand: Mapping[str, str],
    table: Table,
    task: Task | None,
    elsewhere: Iterable[str],
) -> dict[str, list[str]]:
    """Keep truth or time and event: these only as a pair, and only where there is no truth."""
    pair = bool(by_name["time"] and by_name["event"])
    if "truth" in elsewhere:
        return by_name if pair else by_name | {"time": [], "event": []}
    if pair and task is None and "truth" not in by_hand and by_name["truth"]:
        raise InputError(
            f"both a truth ({by_name['truth'][0]!r}) and a survival outcome "
            f"({by_name['time'][0]!r}, {by_name['event'][0]!r})",
            path=table.path,
            hint="--task survival, or --truth NAME",
        )
    survival = task is Task.SURVIVAL or (task is None and "truth" not in by_hand)
    if pair and survival:
        return by_name
    return by_name | {"time": [], "event": []}


def _choose(
    by_name: Mapping[str, Sequence[str]],
    by_hand: Mapping[str, str],
    table: Table,
    elsewhere: Iterable[str],
) -> dict[str, str]:
    """One column for each role that is played."""
    chosen = dict(by_hand)
    survival = "event" in by_hand or "time" in by_hand or bool(by_name["time"])
    for role, names in by_name.items():
        if role in chosen or role in elsewhere or (role == "truth" and survival):
            continue
        free = [name for name in names if name not in chosen.values()]
        if role == "truth":
            _refuse_two_truths(free, table)
        if free:
            chosen[role] = free[0]
    return chosen


def _refuse_two_truths(names: Sequence[str], table: Table) -> None:
    """Two synonyms, or two spellings of the written name, are ambiguous."""
    written = [name.casefold() == NAMES["truth"][0] for name in names]
    if len(names) > 1 and sum(written) != 1:
        raise InputError(
            f"more than one column could be the truth: {listing([repr(n) for n in names])}",
            path=table.path,
            hint=f"--truth {names[0]}",
        )


def _check_labels_held(chosen: Mapping[str, str], table: Table, metadata: Metadata) -> None:
    """Say what is lacking where the folder of a tool has predictions alone."""
    run = metadata.run
    if run and not {"truth", "time"} & chosen.keys():
        raise InputError(
            f"{run['tool']} exports hold no labels",
            path=table.path,
            hint="--labels train.csv --truth COLUMN, the training data in the same order",
        )


def check_outcome(chosen: Mapping[str, str], table: Table) -> None:
    """Raise unless there is a truth, or both a time and an event."""
    half = {"time", "event"} & chosen.keys()
    if "truth" in chosen or len(half) == 2:
        return
    if half:
        found, missing = half.pop(), ({"time", "event"} - chosen.keys()).pop()
        raise InputError(
            f"a survival outcome needs a column {missing!r} beside {chosen[found]!r}",
            path=table.path,
            hint=f"--{missing} NAME; the columns are {listing(table.names, 8)}",
        )
    near = nearest_names("truth", table.names)
    raise InputError(
        f"no truth column among {listing(table.names, 8)}",
        path=table.path,
        hint="name it `truth`, or give --truth NAME or --labels FILE"
        + (f"; {near}" if near else ""),
    )
