"""Dialects of the long layout: their record, and shared helpers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from bbccli.errors import parameter
from bbccli.notes import listing
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import pattern
from bbccli.reading.column import Column, joint
from bbccli.reading.layout.wide import choose_roles
from bbccli.reading.numerals import strangers
from bbccli.reading.roles import Hints, column_of
from bbccli.reading.table import Table
from bbccli.types import Pooling, Task

PREDICTION: Final = "prediction"
PROBABILITY: Final = "prob."
"""Written names of the predictions: one column, or one per class."""

_OF_CLASS: Final = pattern(r"(?:prob\.|\.pred_(?!class$)|confidence\.)(.+)", re.IGNORECASE)
_NUMBERED: Final = pattern(
    r"((?:y_)?(?:prob|proba|probability)_|(?:y_)?(?:score|prob|proba|probability)::)(\d+)",
    re.IGNORECASE,
)
_PROBABILITIES: Final = ("y_prob", "y_proba", "y_score", "prob", "proba", "probability")
_PREDICTIONS: Final = (
    *("score", *_PROBABILITIES, "prediction", ".pred", ".pred_class", "pred", "response", "y_pred"),
    *("oof", "oof_pred", "oof_preds"),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Roles of the columns of a long table.

    Parameters
    ----------
    roles
        Column of each role.
    configuration
        Columns that together name the configuration; empty for a file of a single one.
    predictions
        Column of each written name: `prediction`, or `prob.<class>` for every class.
    spare
        Columns set aside.
    parameters
        True if names of configurations include those of their columns, as in `k=3`.
    global_names
        True if a configuration has the same name in all files.
    beside
        Predictions replaced by a probability.
    best_alone
        True if the tool kept only the best of the configurations that it tried.
    """

    roles: Mapping[str, str]
    configuration: tuple[str, ...]
    predictions: Mapping[str, str]
    spare: tuple[str, ...] = ()
    parameters: bool = False
    global_names: bool = False
    beside: tuple[str, ...] = ()
    best_alone: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """A format of long tables.

    Parameters
    ----------
    name
        Name for `--dialect`.
    summary
        The program that writes it.
    recognises
        True if the column names are those of this dialect.
    layout
        Columns by role.
    selection
        Pooling of its tool over folds; None if unknown.
    event_first
        True if the first of two classes is the positive one.
    """

    name: str
    summary: str
    recognises: Callable[[Table, Hints], bool]
    layout: Callable[[Table, Hints], Layout]
    selection: Pooling | None = None
    event_first: bool = False


def column_called(frame: Table, name: str) -> str | None:
    """Return a column by its name in any case, if any."""
    return next(iter(frame.by_spelling.get(name.casefold(), ())), None)


def first_of(frame: Table, *names: str) -> str | None:
    """Return the first of these columns that exists, if any."""
    there = (name if name in frame.names else column_called(frame, name) for name in names)
    return next((name for name in there if name is not None), None)


def has(frame: Table, *names: str) -> bool:
    """True if a table has columns of all these names, in any case."""
    return all(name.casefold() in frame.by_spelling for name in names)


def class_predictions(frame: Table) -> dict[str, str]:
    """Return the columns that hold the predictions of one class each, by written name.

    Those are called by the class; or `proba_0`, `proba_1`, ... of all classes, or of a list, under
    one name.
    """
    matches = {name: _OF_CLASS.fullmatch(name) for name in frame.names}
    columns = {f"{PROBABILITY}{match[1]}": name for name, match in matches.items() if match}
    if columns:
        return columns
    numbered = {name: match for name in frame.names if (match := _NUMBERED.fullmatch(name))}
    heads, numbers = ([match[i] for match in numbered.values()] for i in (1, 2))
    if len({*heads}) != 1 or not 1 < len({*map(int, numbers)}) == len(numbers):
        return {}
    return {f"{PROBABILITY}{number}": name for name, number in zip(numbered, numbers, strict=True)}


def single_predictions(frame: Table) -> list[str]:
    """Return the columns with one prediction per row, the most informative first."""
    return [column for name in _PREDICTIONS if (column := column_called(frame, name)) is not None]


def by_name_or_hand(frame: Table, hints: Hints) -> dict[str, str]:
    """Return the columns of the predictions, by written name; empty if there are none.

    One given by an option comes first, then one per class, then a score, then a label or value.
    """
    if hints.roles.prediction is not None:
        return {PREDICTION: column_of(frame, hints.roles.prediction, "prediction")}
    single = single_predictions(frame)
    if hints.task is Task.SCORE:  # text such as a response is no score
        texts = [name for name in single if name in frame.texts]
        single = [n for n in single if n not in texts or len(strangers(frame.column(n)))]
    return class_predictions(frame) or ({PREDICTION: single[0]} if single else {})


def predictions(frame: Table, hints: Hints) -> dict[str, str]:
    """Return the columns of the predictions, by written name; refuse a table without any."""
    if columns := by_name_or_hand(frame, hints):
        return columns
    from bbccli.reading.advice import advice

    among = advice(frame, assign_roles(frame, hints, (), {}).roles, hints, long=True).among
    which = f", where NAME is one of {listing(among, 8)}" if len(among) > 1 else ""
    given = parameter("prediction", among[0]) if len(among) == 1 else "--prediction NAME"
    raise frame.fault(
        f"no column of predictions among {listing(frame.names, 8)}",
        hint="name it 'prediction' or 'score', or one column 'prob.<class>' per class; "
        f"or give {given}{which}",
    )


def assign_roles(
    frame: Table,
    hints: Hints,
    configuration: Sequence[str],
    predicted: Mapping[str, str],
    *,
    fixed: Mapping[str, Sequence[str]] = MappingProxyType({}),
    unmentioned: Iterable[str] = (),
) -> Layout:
    """Assign roles to the remaining columns, by option and by name.

    `configuration` and `predicted` are already assigned; `fixed` has the names of columns known to
    the dialect for each role, of which the first present counts, unless an option names another;
    `unmentioned` columns are in no note.
    """
    given = {role: column for role, names in fixed.items() if (column := first_of(frame, *names))}
    used = {*configuration, *predicted.values(), *class_predictions(frame).values()}
    used |= {*single_predictions(frame), *given.values()}
    used |= {name for name in frame.names if {name, name.casefold()} & {*unmentioned}}
    known = replace(hints, absent=hints.absent | set(given))
    roles, _ = choose_roles(frame, known, reserved=used)
    for role, name in given.items():
        if role not in hints.absent:
            roles[role] = role_column(frame, hints, role, name)
    used |= set(roles.values())
    spare = tuple(name for name in frame.names if name not in used)
    chosen = predicted.get(PREDICTION, "").casefold()
    singles = single_predictions(frame) if chosen in _PROBABILITIES else ()
    beside = tuple(name for name in singles if name not in (*predicted.values(), *roles.values()))
    return Layout(roles, tuple(configuration), predicted, spare, beside=beside)


def role_column(frame: Table, hints: Hints, role: str, name: str) -> str:
    """Return the column of a role: by option, else the one of this name."""
    by_hand: str | None = getattr(hints.roles, role)
    return name if by_hand is None else column_of(frame, by_hand, role)


def configuration_columns(frame: Table, hints: Hints, *names: str) -> list[str]:
    """Return the column of the configurations by option, else those of these names."""
    if hints.roles.configuration is not None:
        return [column_of(frame, hints.roles.configuration, "configuration")]
    return [column for name in names if (column := column_called(frame, name)) is not None]


def constant_within(frame: Table, configuration: Sequence[str], name: str) -> bool:
    """True if a column is constant within configurations, as their parameters are."""
    codes = [frame.column(column).codes()[0] for column in (*configuration, name)]
    whole = joint(codes[:-1]) if configuration else np.zeros(frame.n_rows, np.int64)
    return len(np.unique(joint([whole, codes[-1]]))) == len(np.unique(whole))


def value_names(column: Column) -> set[str]:
    """Return the names of the values of a column."""
    return set(column.named_codes()[1])
