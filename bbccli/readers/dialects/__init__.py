"""The registry of dialects: how other tools write predictions.

A file is recognised by the names of its columns, or `--dialect` tells.
"""

from __future__ import annotations

from bbccli.errors import OptionError
from bbccli.readers.dialects import caret, kaggle, long, mlr3, openml, tidymodels
from bbccli.readers.dialects.base import Dialect, Hints, Layout
from bbccli.readers.frame import Frame

__all__ = ["DIALECTS", "WIDE", "Dialect", "Hints", "Layout", "dialect_of", "layout_of"]

WIDE = "wide"
"""What a file is in that no dialect recognises."""

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        caret.DIALECT,
        tidymodels.DIALECT,
        mlr3.DIALECT,
        long.DIALECT,
        openml.DIALECT,
        kaggle.DIALECT,
    )
}


def dialect_of(
    frame: Frame, hints: Hints, name: str | None = None, *, alone: bool = True
) -> Dialect | None:
    """Return the dialect of a table; None for the wide layout.

    Parameters
    ----------
    frame, hints
        The table, and what is known of it.
    name
        Set by hand.
    alone
        Whether the table is the only one; of several each holds one configuration.

    Raises
    ------
    OptionError
        No dialect has that name.
    """
    if name is not None and name != WIDE and name not in DIALECTS:
        known = ", ".join((WIDE, *DIALECTS))
        raise OptionError(f"no dialect named {name!r}", hint=f"one of: {known}")
    if name is not None:
        return DIALECTS.get(name)
    for dialect in DIALECTS.values():
        if dialect.recognises(frame, hints):
            return dialect
    return None if alone else kaggle.DIALECT


def layout_of(
    frame: Frame, hints: Hints, name: str | None = None, *, alone: bool = True
) -> Layout | None:
    """Return the parts of the columns of a long table; None for the wide layout."""
    dialect = dialect_of(frame, hints, name, alone=alone)
    return None if dialect is None else dialect.layout(frame, hints)
