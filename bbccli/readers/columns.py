"""Which column plays which role: set by hand, by its written name, or by a synonym."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bbccli.errors import InputError, OptionError
from bbccli.notes import listing
from bbccli.readers.frame import Frame
from bbccli.readers.roles import NAMES, Roles, candidates, column_of, nearest_names
from bbccli.types import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who plays what in a wide table.

    Parameters
    ----------
    roles
        Column name of each role that is played.
    configurations
        Columns of predictions.
    spare
        Columns set aside.
    shaped
        Column of each class of each configuration; None where only their names can tell.
    """

    roles: Mapping[str, str]
    configurations: tuple[str, ...]
    spare: tuple[str, ...]
    shaped: Mapping[str, Mapping[str, str]] | None = None


def assign(
    frame: Frame,
    roles: Roles,
    *,
    task: Task | None = None,
    declared: Iterable[str] = (),
    elsewhere: Iterable[str] = (),
) -> Assignment:
    """Give every column of a wide table its part.

    Parameters
    ----------
    frame
        The table, with unique names.
    roles
        Roles set by hand.
    task
        The task, where known: tells a survival outcome from a truth.
    declared
        Configurations named in the metadata: no synonym turns them into something else.
    elsewhere
        Roles that come from separate files; columns of these names are set aside.

    Raises
    ------
    InputError
        A role set by hand that names no column, no truth, two possible truths, or no
        configuration.
    """
    chosen, spare = cast(frame, roles, task=task, declared=declared, elsewhere=elsewhere)
    taken = set(chosen.values())
    configurations = tuple(n for n in frame.names if n not in taken | spare)
    if "truth" not in elsewhere:
        check_outcome(chosen, frame)
    if not configurations:
        raise InputError(
            "no configuration column",
            path=frame.path,
            hint=f"one column of predictions per configuration; found only {listing(frame.names)}",
        )
    return Assignment(chosen, configurations, tuple(n for n in frame.names if n in spare))


def cast(
    frame: Frame,
    roles: Roles,
    *,
    task: Task | None = None,
    declared: Iterable[str] = (),
    elsewhere: Iterable[str] = (),
    reserved: Container[str] = (),
) -> tuple[dict[str, str], set[str]]:
    """Choose the column of each role, and name those that could have played a role too.

    Parameters
    ----------
    frame, roles, task, declared, elsewhere
        As for `assign`.
    reserved
        Columns that play no role unless by hand.
    """
    by_hand = _by_hand(frame, roles, elsewhere)
    declared = set(declared)
    by_name = {
        role: [name for name in candidates(frame, role, declared) if name not in reserved]
        for role in NAMES
    }
    if by_hand.get("time") is None and by_hand.get("event") is None:
        by_name = _truth_or_survival(by_name, by_hand, frame, task, elsewhere)
    chosen = _choose(by_name, by_hand, frame, elsewhere)
    return chosen, {n for names in by_name.values() for n in names} - set(chosen.values())


def _by_hand(frame: Frame, roles: Roles, elsewhere: Iterable[str]) -> dict[str, str]:
    """Columns set by hand, without those of separate files."""
    chosen: dict[str, str] = {}
    for role in NAMES:
        name = getattr(roles, role)
        if name is None or role in elsewhere:
            continue
        column_of(frame, name, f"--{role.replace('_', '-')}")
        if name in chosen.values():
            raise OptionError(
                f"column {name!r} is given two roles", hint="name another column for one of them"
            )
        chosen[role] = name
    if "truth" in chosen and {"time", "event"} & chosen.keys():
        raise OptionError("--truth and --time/--event exclude each other", hint="give one of them")
    return chosen


def _truth_or_survival(
    by_name: dict[str, list[str]],
    by_hand: Mapping[str, str],
    frame: Frame,
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
            path=frame.path,
            hint="--task survival, or --truth NAME",
        )
    survival = task is Task.SURVIVAL or (task is None and "truth" not in by_hand)
    if pair and survival:
        return by_name
    return by_name | {"time": [], "event": []}


def _choose(
    by_name: Mapping[str, Sequence[str]],
    by_hand: Mapping[str, str],
    frame: Frame,
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
            _refuse_two_truths(free, frame)
        if free:
            chosen[role] = free[0]
    return chosen


def _refuse_two_truths(names: Sequence[str], frame: Frame) -> None:
    """Two synonyms, or two spellings of the written name, are ambiguous."""
    written = [name.casefold() == NAMES["truth"][0] for name in names]
    if len(names) > 1 and sum(written) != 1:
        raise InputError(
            f"more than one column could be the truth: {listing([repr(n) for n in names])}",
            path=frame.path,
            hint=f"--truth {names[0]}",
        )


def check_outcome(chosen: Mapping[str, str], frame: Frame) -> None:
    """Raise unless there is a truth, or both a time and an event."""
    half = {"time", "event"} & chosen.keys()
    if "truth" in chosen or len(half) == 2:
        return
    if half:
        found, missing = half.pop(), ({"time", "event"} - chosen.keys()).pop()
        raise InputError(
            f"a survival outcome needs a column {missing!r} beside {chosen[found]!r}",
            path=frame.path,
            hint=f"--{missing} NAME; the columns are {listing(frame.names, 8)}",
        )
    near = nearest_names("truth", frame.names)
    raise InputError(
        f"no truth column among {listing(frame.names, 8)}",
        path=frame.path,
        hint="name it `truth`, or give --truth NAME or --labels FILE"
        + (f"; {near}" if near else ""),
    )
