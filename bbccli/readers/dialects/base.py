"""What a dialect of the long layout is, and what all of them share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import listing
from bbccli.readers.columns import cast
from bbccli.readers.frame import Column, Frame
from bbccli.readers.roles import Roles, column_of
from bbccli.types import IntArray, Task

PREDICTION: Final = "prediction"
PROBABILITY: Final = "prob."
"""Written names of the predictions: one column, or one per class."""

_OF_CLASS: Final = re.compile(r"(?:prob\.|\.pred_(?!class$)|confidence\.)(.+)", re.IGNORECASE)
_PREDICTIONS: Final = (
    "score",
    "prediction",
    ".pred",
    ".pred_class",
    "pred",
    "response",
    "y_pred",
    "oof",
    "oof_pred",
    "oof_preds",
)


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a file before its layout is.

    Parameters
    ----------
    roles
        Columns set by hand.
    task
        The task, where known.
    declared
        Configurations named in the metadata.
    elsewhere
        Roles that come from separate files.
    """

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    declared: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts that the columns of a long table play.

    Parameters
    ----------
    roles
        Column of each role.
    configuration
        Columns that together name the configuration; none where the file is of a single one.
    predictions
        Column of each written name: `prediction`, or `prob.<class>` for every class.
    spare
        Columns set aside.
    parameters
        Whether the configuration is named by what its columns are called, as in `k=3`.
    global_names
        Whether a configuration has the same name in all files.
    """

    roles: Mapping[str, str]
    configuration: tuple[str, ...]
    predictions: Mapping[str, str]
    spare: tuple[str, ...] = ()
    parameters: bool = False
    global_names: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to write long tables.

    Parameters
    ----------
    name
        For `--dialect`.
    summary
        What writes it.
    recognises
        Whether the names of the columns are those of this dialect.
    layout
        Columns by the part that they play.
    """

    name: str
    summary: str
    recognises: Callable[[Frame, Hints], bool]
    layout: Callable[[Frame, Hints], Layout]


def spelled(frame: Frame, name: str) -> str | None:
    """Return a column by its name in any case; None when there is none."""
    return next((one for one in frame.names if one.casefold() == name.casefold()), None)


def has(frame: Frame, *names: str) -> bool:
    """Whether a table has columns of all these names, in any case."""
    return {name.casefold() for name in names} <= {name.casefold() for name in frame.names}


def class_predictions(frame: Frame) -> dict[str, str]:
    """Return the columns that are the prediction of one class each, by their written name."""
    matches = {name: _OF_CLASS.fullmatch(name) for name in frame.names}
    return {f"{PROBABILITY}{match[1]}": name for name, match in matches.items() if match}


def single_predictions(frame: Frame) -> list[str]:
    """Return the columns that hold one prediction per row, the most telling first."""
    return [found for name in _PREDICTIONS if (found := spelled(frame, name)) is not None]


def predictions(frame: Frame, hints: Hints) -> dict[str, str]:
    """Return the columns of the predictions, by their written names.

    One by hand comes first, then one per class, then a score, then a label or value.

    Raises
    ------
    InputError
        There is none.
    """
    if hints.roles.prediction is not None:
        return {PREDICTION: column_of(frame, hints.roles.prediction, "--prediction")}
    found = class_predictions(frame)
    single = single_predictions(frame)
    if found or single:
        return found or {PREDICTION: single[0]}
    raise InputError(
        f"no column of predictions among {listing(frame.names, 8)}",
        path=frame.path,
        hint="name it `prediction` or `score`, or one column `prob.<class>` per class; "
        "or give --prediction NAME",
    )


def lay_out(
    frame: Frame,
    hints: Hints,
    configuration: Sequence[str],
    predicted: Mapping[str, str],
    *,
    fixed: Mapping[str, str] | None = None,
    silent: Iterable[str] = (),
    parameters: bool = False,
    global_names: bool = False,
) -> Layout:
    """Give the columns that are left their roles by hand and by name.

    Parameters
    ----------
    frame, hints
        The table, and what is known of it.
    configuration, predicted
        Columns of the configurations and of the predictions.
    fixed
        Roles that the dialect knows; those by hand win.
    silent
        Columns of no further interest: nothing is said of them.
    parameters, global_names
        As in `Layout`.
    """
    used = {*configuration, *predicted.values(), *class_predictions(frame).values()}
    used |= {*single_predictions(frame), *silent, *(fixed or {}).values()}
    roles, _ = cast(
        frame,
        hints.roles,
        task=hints.task,
        declared=hints.declared,
        elsewhere={*hints.elsewhere, *(fixed or {})},
        reserved=used,
    )
    for role, name in (fixed or {}).items():
        if role not in hints.elsewhere:
            roles[role] = role_column(frame, hints, role, name)
    used |= set(roles.values())
    spare = tuple(name for name in frame.names if name not in used)
    return Layout(roles, tuple(configuration), predicted, spare, parameters, global_names)


def role_column(frame: Frame, hints: Hints, role: str, name: str) -> str:
    """Return the column of a role: by hand, else the one of this name."""
    by_hand: str | None = getattr(hints.roles, role)
    return name if by_hand is None else column_of(frame, by_hand, f"--{role.replace('_', '-')}")


def constant_within(frame: Frame, configuration: Sequence[str], name: str) -> bool:
    """Whether a column has one value per configuration, as a parameter of it has."""
    codes = [frame.column(one).codes()[0] for one in (*configuration, name)]
    whole = joint(codes[:-1]) if configuration else np.zeros(frame.n_rows, np.int64)
    return len(np.unique(joint([whole, codes[-1]]))) == len(np.unique(whole))


def joint(codes: Sequence[IntArray]) -> IntArray:
    """(n,) one code for each combination of several codes, -1 counting as a value."""
    combined = np.zeros(len(codes[0]), np.int64)
    for one in codes:
        _, combined = np.unique(combined * (int(one.max()) + 2) + one + 1, return_inverse=True)
    return combined


def levels_of(column: Column) -> set[str]:
    """Names of the values that a column has."""
    return set(column.named_codes()[1])
