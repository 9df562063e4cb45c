"""The long layout as `bbc` writes it, with a column `config`; and evaluations in that form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np

from bbccli.errors import InputError
from bbccli.reading.column import joint
from bbccli.reading.layout.dialects.base import (
    Dialect,
    Layout,
    assign_roles,
    class_predictions,
    column_called,
    configuration_columns,
    first_of,
    predictions,
    single_predictions,
)
from bbccli.reading.roles import CONFIGURATIONS, ITEM_KEYS, Hints, column_named
from bbccli.reading.table import Table
from bbccli.types import Task

CONFIGURATION: Final = "config"


def recognises(frame: Table, hints: Hints) -> bool:
    """True for configuration names beside predictions, if neither is declared a configuration."""
    if hints.roles.configuration is not None:
        return True
    if first_of(frame, *CONFIGURATIONS) is None:
        return False
    columns = [*class_predictions(frame).values(), *single_predictions(frame)]
    predicted = any(name not in hints.declared for name in columns) or hints.roles.prediction
    return bool(predicted) and configuration_of(frame, hints) is not None


def layout(
    frame: Table, hints: Hints, roles: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Layout:
    """Return columns by option, then by name, also by the names of further `roles`: those of a
    table that may be split over several files, so that a model has one name in all.
    """
    name = None if hints.roles.configuration else configuration_of(frame, hints)
    columns = configuration_columns(frame, hints, *([name] if name else []))
    plain = bool(roles) or not columns or columns[0].casefold() == CONFIGURATION
    predicted = predictions(frame, hints)
    return assign_roles(frame, hints, columns, predicted, fixed=roles, global_names=plain)


def configuration_of(frame: Table, hints: Hints) -> str | None:
    """Return the column of configuration names.

    That is `config`, a text column with a synonymous name, or one of integers that tell the rows of
    a sample apart. Refuse integers that may be predictions as well.
    """
    for synonym in CONFIGURATIONS:
        name = column_called(frame, synonym)
        if name is None or name in hints.declared:
            continue
        if synonym == CONFIGURATION or name in frame.texts:
            return name
        if name in frame.integers and _tells_rows_apart(frame, name, hints):
            return name
    return None


def _tells_rows_apart(frame: Table, name: str, hints: Hints) -> bool:
    """True if samples recur once for each number of a column."""
    if not (class_predictions(frame) or single_predictions(frame) or hints.roles.prediction):
        return False
    keys = [
        column
        for role in ("row_id", "repeat", "outer_fold", "train_size")
        if (column := getattr(hints.roles, role) or column_named(frame, role)) in frame.names
    ]
    if not hints.roles.row_id and column_named(frame, "row_id") is None:
        raise InputError(
            "integers may be names of configurations, or predictions",
            path=frame.path,
            column=name,
            hint=f"use --configuration {name} or --dialect wide",
        )
    codes = [frame.column(key).codes()[0] for key in keys]
    alone, together = (joint(levels) for levels in (codes, [*codes, frame.column(name).codes()[0]]))
    return len(np.unique(alone)) < frame.n_rows == len(np.unique(together))


LONG = Dialect("long", "the long layout: a column `config`", recognises, layout)

_ROLES: Final = {"row_id": ITEM_KEYS, "repeat": ("epoch",), "group": ("subject", "template")}
"""Names of the sample, the repeat and the group in evaluations; the first that occurs counts."""


def _is_of_items(frame: Table, hints: Hints) -> bool:
    """True for a long table of scores with a column named like the items of an evaluation."""
    return (
        hints.task is Task.SCORE
        and first_of(frame, *ITEM_KEYS) is not None
        and LONG.recognises(frame, hints)
    )


ITEMS = Dialect(
    "items", "scores by item, model and epoch", _is_of_items, partial(layout, roles=_ROLES)
)
"""Evaluations as long tables: a row per item, model and epoch, with the score."""
