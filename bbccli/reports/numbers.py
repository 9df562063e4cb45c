"""Rounding, once for all reports."""

from __future__ import annotations

import math
from collections.abc import Iterable


def decimals_for(values: Iterable[float | None], significant: int = 3) -> int:
    """Decimals that show `significant` digits of the largest value, between 0 and 6.

    Examples
    --------
    >>> decimals_for([0.846, 0.801])
    3
    >>> decimals_for([54.2, 61.0])
    1
    """
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(sizes, default=0.0)
    if largest == 0:
        return significant
    # One more digit than asked just below a power of ten keeps 0.9996 and 1.000 alike.
    magnitude = math.ceil(math.log10(largest)) if largest > 1 else 0
    return min(max(significant - magnitude, 0), 6)


def fixed(value: float | None, decimals: int, missing: str = "") -> str:
    """Format with a fixed number of decimals; `missing` stands for no value, never -0."""
    if value is None or not math.isfinite(value):
        return missing
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def percent(share: float, decimals: int | None = None) -> str:
    """Format a share in (0, 1) as a percentage, by default without needless digits.

    Examples
    --------
    >>> percent(0.95), percent(0.975)
    ('95 %', '97.5 %')
    """
    return f"{100 * share:.4g} %" if decimals is None else f"{100 * share:.{decimals}f} %"


def count(number: int, word: str) -> str:
    """Number and noun, in the plural where it is not one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
