"""Delimited text whose first line is not a header."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bbccli.errors import InputError
from bbccli.reading.arrow import is_number, is_text, pa

_NUMERAL, _DIGITS = re.compile(r"[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?"), re.compile(r"\d+")
_TOP, _FEWEST_DECIMALS = 50, 3


def refuse_no_header(table: pa.Table) -> None:
    """Refuse names that are like the values below: numbers with as many decimals, keys of one form.

    Names of whole numbers, or with few decimals, may be positions or parameters.
    """
    top, decimals = table.slice(0, _TOP), []
    for name, column in zip(top.column_names, top.columns, strict=True):
        values = [value for value in column.to_pylist() if value is not None]
        if is_text(column.type):
            forms = {_DIGITS.sub("0", value) for value in values}
            if _DIGITS.sub("0", name) not in (forms if _DIGITS.search(name) else values):
                return
        elif not _NUMERAL.fullmatch(name) or not (values and is_number(column.type)):
            return
        elif pa.types.is_floating(column.type):
            usual = float(np.median([*map(_decimals, values)]))
            decimals.append(_decimals(name) >= max(_FEWEST_DECIMALS, 0.8 * usual))
    if not decimals or not all(decimals):
        return
    raise no_header(top.column_names)


def are_numbers(names: Sequence[str]) -> bool:
    """True if all names of a first line are numbers."""
    return all(_NUMERAL.fullmatch(name.strip(' "')) for name in names)


def no_header(names: Sequence[str]) -> InputError:
    """Return the error about a first line of values."""
    return InputError(
        f"the first line is not a header, but values like those below: {', '.join(names)}",
        hint="write a header line above it: a name for each column"
        + {1: ", such as prediction", 2: ", such as id,prediction"}.get(len(names), ""),
    )


def _decimals(value: object) -> int:
    return len(str(value).partition(".")[2])
