"""Registry of dialects: formats in which other tools write predictions.

A file is recognised by the names of its columns, or by `--dialect`.
"""

from __future__ import annotations

from bbccli.errors import OptionError, nearest, short
from bbccli.readers.layout.dialects.base import Dialect, Layout
from bbccli.readers.layout.dialects.evaluations import ITEMS
from bbccli.readers.layout.dialects.long import LONG
from bbccli.readers.layout.dialects.r import CARET, MLR3, TIDYMODELS
from bbccli.readers.layout.dialects.single import KAGGLE, OPENML
from bbccli.readers.roles import Hints
from bbccli.readers.sheet import WIDE
from bbccli.readers.table import Table

__all__ = ["DIALECTS", "Dialect", "Layout", "dialect_of"]

DIALECTS: dict[str, Dialect] = {
    one.name: one for one in (CARET, TIDYMODELS, MLR3, ITEMS, LONG, OPENML, KAGGLE)
}


def dialect_of(
    frame: Table, hints: Hints, name: str | None = None, *, one_file: bool = True
) -> Dialect | None:
    """Return the dialect of a table; None for the wide layout.

    Parameters
    ----------
    frame, hints
        The table, and what is known of it.
    name
        Set by hand.
    one_file
        The table is the only one; of several each holds one configuration.

    Raises
    ------
    OptionError
        No dialect has that name.
    """
    if name is not None and name != WIDE and name not in DIALECTS:
        hint = nearest(short(name, str), (WIDE, *DIALECTS))
        raise OptionError(f"no dialect named {short(name)}", hint=hint)
    if name is not None:
        return DIALECTS.get(name)
    for dialect in DIALECTS.values():
        if dialect.recognises(frame, hints):
            return dialect
    return None if one_file else KAGGLE
