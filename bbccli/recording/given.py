"""What a recorder is given, as arrays and whole numbers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError


def as_array(given: Any, name: str) -> NDArray[Any]:
    """Return an array of what was given under a name.

    Raises
    ------
    OptionError
        Lists of different lengths.
    """
    try:
        return np.asarray(given)
    except ValueError:
        raise OptionError(
            f"{name}: lists of different lengths are no array", hint="as many values in each"
        ) from None


def position(given: Any, name: str) -> int:
    """Return a fold or a repeat as a whole number; numpy's own are such too.

    Raises
    ------
    OptionError
        Something else, or a negative number.
    """
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise OptionError(f"{name} is {given!r}", hint="folds and repeats are whole numbers from 0")
    return number


def place_of(repeat: Any, fold: Any) -> tuple[int | None, int | None]:
    """Return a repeat and a fold, each of which may not be given.

    Raises
    ------
    OptionError
        As `position`.
    """
    found = (("repeat", repeat), ("fold", fold))
    own = [None if number is None else position(number, name) for name, number in found]
    return own[0], own[1]
