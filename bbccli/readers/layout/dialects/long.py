"""The long layout as `bbc` writes it: a column `config` next to the predictions."""

from __future__ import annotations

from typing import Final

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import is_integer, is_text
from bbccli.readers.column import joint
from bbccli.readers.layout.dialects.base import (
    Dialect,
    Layout,
    class_predictions,
    configuration_columns,
    first_of,
    lay_out,
    predictions,
    single_predictions,
    spelled,
)
from bbccli.readers.roles import Hints, named
from bbccli.readers.table import Table

CONFIGURATION: Final = "config"
SYNONYMS: Final = (CONFIGURATION, ".config", "wflow_id", "model", "learner_id", "configuration")


def recognises(frame: Table, hints: Hints) -> bool:
    """Configuration names beside predictions, neither of which is declared a configuration."""
    if hints.roles.configuration is not None:
        return True
    if first_of(frame, *SYNONYMS) is None:
        return False
    found = [*class_predictions(frame).values(), *single_predictions(frame)]
    predicted = any(name not in hints.declared for name in found) or hints.roles.prediction
    return bool(predicted) and configuration_of(frame, hints) is not None


def layout(frame: Table, hints: Hints) -> Layout:
    """Columns by hand, then by name."""
    name = None if hints.roles.configuration else configuration_of(frame, hints)
    found = configuration_columns(frame, hints, *([name] if name else []))
    plain = not found or found[0].casefold() == CONFIGURATION
    return lay_out(frame, hints, found, predictions(frame, hints), global_names=plain)


def configuration_of(frame: Table, hints: Hints) -> str | None:
    """Return the column of configuration names.

    That is any `config`, a text column of a synonym, or a synonym of whole numbers that tell the
    rows of one sample apart.

    Raises
    ------
    InputError
        Whole numbers that may be predictions as well as names.
    """
    for synonym in SYNONYMS:
        name = spelled(frame, synonym)
        if name is None or name in hints.declared:
            continue
        if synonym == CONFIGURATION or is_text(frame.type_of(name)):
            return name
        if is_integer(frame.type_of(name)) and _tells_rows_apart(frame, name, hints):
            return name
    return None


def _tells_rows_apart(frame: Table, name: str, hints: Hints) -> bool:
    """Return True if samples recur, once for each number of a column."""
    if not (class_predictions(frame) or single_predictions(frame) or hints.roles.prediction):
        return False
    keys = [
        one
        for role in ("row_id", "repeat", "outer_fold", "train_size")
        if (one := getattr(hints.roles, role) or named(frame, role)) in frame.names
    ]
    if not hints.roles.row_id and named(frame, "row_id") is None:
        raise InputError(
            "whole numbers may be the names of configurations or predictions",
            path=frame.path,
            column=name,
            hint=f"--configuration {name} or --dialect wide",
        )
    codes = [frame.column(one).codes()[0] for one in keys]
    alone, together = (joint(one) for one in (codes, [*codes, frame.column(name).codes()[0]]))
    return len(np.unique(alone)) < frame.n_rows == len(np.unique(together))


LONG = Dialect("long", "the long layout: a column `config`", recognises, layout)
