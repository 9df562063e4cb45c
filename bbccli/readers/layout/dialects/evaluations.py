"""Evaluations as long tables: a row per item, model and epoch, with the score."""

from __future__ import annotations

from typing import Final

from bbccli.readers.layout.dialects.base import (
    Dialect,
    Layout,
    configuration_columns,
    first_of,
    lay_out,
    predictions,
)
from bbccli.readers.layout.dialects.long import LONG, configuration_of
from bbccli.readers.roles import ITEM_KEYS, Hints
from bbccli.readers.table import Table
from bbccli.types import Task

_ROLES: Final = {"row_id": ITEM_KEYS, "repeat": ("epoch",), "group": ("subject", "template")}
"""Names of the sample, the repeat and the group in evaluations; the first that occurs counts."""


def _is_of_items(frame: Table, hints: Hints) -> bool:
    """A long table of scores with a column that is called as items are."""
    return (
        hints.task is Task.SCORE
        and first_of(frame, *ITEM_KEYS) is not None
        and LONG.recognises(frame, hints)
    )


def _layout_of_items(frame: Table, hints: Hints) -> Layout:
    """As the long layout, with the names of evaluations; roles by hand win."""
    name = None if hints.roles.configuration else configuration_of(frame, hints)
    configuration = configuration_columns(frame, hints, *([name] if name else []))
    # one name in all files: a table of an evaluation may be split over several
    return lay_out(
        frame, hints, configuration, predictions(frame, hints), fixed=_ROLES, global_names=True
    )


ITEMS = Dialect("items", "scores by item, model and epoch", _is_of_items, _layout_of_items)
