"""The long layout as `bbc` writes it: a column `config` next to the predictions."""

from __future__ import annotations

from typing import Final

from bbccli.readers.arrow import is_text
from bbccli.readers.hints import Hints
from bbccli.readers.layout.dialects.base import (
    Dialect,
    Layout,
    class_predictions,
    lay_out,
    predictions,
    single_predictions,
    spelled,
)
from bbccli.readers.roles import column_of
from bbccli.readers.table import Table

CONFIGURATION: Final = "config"
SYNONYMS: Final = (CONFIGURATION, ".config", "wflow_id", "model", "learner_id", "configuration")


def recognises(frame: Table, hints: Hints) -> bool:
    """Configuration names beside predictions, neither of which is declared a configuration."""
    if hints.roles.configuration is not None:
        return True
    found = [*class_predictions(frame).values(), *single_predictions(frame)]
    predicted = any(name not in hints.declared for name in found) or hints.roles.prediction
    return bool(predicted) and configuration_of(frame, hints) is not None


def layout(frame: Table, hints: Hints) -> Layout:
    """Columns by hand, then by name."""
    if hints.roles.configuration is not None:
        name: str | None = column_of(frame, hints.roles.configuration, "configuration")
    else:
        name = configuration_of(frame, hints)
    found = () if name is None else (name,)
    plain = name is None or name.casefold() == CONFIGURATION
    return lay_out(frame, hints, found, predictions(frame, hints), global_names=plain)


def configuration_of(frame: Table, hints: Hints) -> str | None:
    """Return the column of configuration names: any `config`, or a text column of a synonym."""
    for synonym in SYNONYMS:
        name = spelled(frame, synonym)
        if name is None or name in hints.declared:
            continue
        if synonym == CONFIGURATION or is_text(frame.type_of(name)):
            return name
    return None


DIALECT = Dialect("long", "the long layout: a column `config`", recognises, layout)
