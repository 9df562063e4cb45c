"""Rounding, once for all reports and notes.

1. Two significant digits of the narrowest interval say how many decimals a group of figures has:
   finer ones are noise, coarser ones hide the interval. Figures near 1 have three at least, larger
   ones fewer. Without an interval there are three significant digits of the largest figure.
2. All figures of a group share the decimals, so that they add up as they stand.
3. A figure that is not a bound of its metric never reads as that bound: it alone takes as many
   decimals more as show the distance.
4. Figures too small or too large to read with all their zeros share a power of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

UNBOUNDED = (-math.inf, math.inf)

LEAST = 3
"""Significant digits of figures near 1, and of figures without an interval."""

MOST = 6
"""Significant digits at most, whatever the interval."""

ZEROS = 9
"""Decimals beyond which a power of ten is taken out."""

LARGE = 15
"""Digits before the point beyond which it is."""

NOISE = 1e-12
"""Share of a bound, or of the largest figure, that is rounding in the last bits."""


@dataclass(frozen=True, slots=True)
class Digits:
    """How the figures of a group are written.

    Attributes
    ----------
    decimals
        After the point.
    power
        Of ten, taken out of each figure.
    bounds
        Smallest and largest possible performance.
    """

    decimals: int
    power: int = 0
    bounds: tuple[float, float] = UNBOUNDED

    def performance(self, value: float | None, missing: str = "") -> str:
        """Write a performance: as its bound only where it is the bound."""
        if value is None or not math.isfinite(value):
            return missing
        text = self.difference(value)
        for bound in filter(math.isfinite, self.bounds):
            distance = abs(value - bound)
            if distance > NOISE * abs(bound) and float(text) == float(self.difference(bound)):
                return _apart(value, distance)
        return text

    def difference(self, value: float | None, missing: str = "") -> str:
        """Write a difference of performances, which has no bounds."""
        if value is None or not math.isfinite(value):
            return missing
        if not self.power:
            return fixed(value, self.decimals)
        # a large bound over a tiny power of ten is beyond a float
        shown = _unsigned(f"{Decimal(value).scaleb(-self.power):.{self.decimals}f}")
        return f"{shown}e{self.power}" if value else shown


def digits_for(
    values: Iterable[float | None],
    widths: Iterable[float | None] = (),
    bounds: tuple[float, float] = UNBOUNDED,
) -> Digits:
    """Return how to write figures whose intervals have these widths.

    Examples
    --------
    >>> digits_for([0.8444, 0.89], [0.2275]).performance(0.8444)
    '0.844'
    >>> digits_for([54.53], [9.37]).performance(54.53)
    '54.5'
    >>> digits_for([3.04e-5], [1.1e-5], (0, math.inf)).performance(3.04e-5)
    '0.000030'
    >>> digits_for([0.98], [0.08], (0, 1)).performance(0.99961)
    '0.9996'
    """
    largest = max(_sizes(values), default=0.0)
    if largest == 0:
        return Digits(LEAST, bounds=bounds)
    # From 1 on a digit fewer after the point for each before it; 1 itself looks like 0.9996.
    before = max(math.ceil(math.log10(largest)), 0)
    first = math.floor(math.log10(largest))
    narrowest = min((w for w in _sizes(widths) if w > NOISE * largest), default=None)
    wanted = LEAST - 1 - first if narrowest is None else 1 - math.floor(math.log10(narrowest))
    decimals = max(LEAST - before, min(wanted, MOST - 1 - first))
    if decimals > ZEROS or first >= LARGE:
        return Digits(max(decimals + first, 0), first, bounds)
    return Digits(max(decimals, 0), bounds=bounds)


def width_of(interval: Any) -> float | None:
    """Return the distance of both ends; None where one is not known."""
    if interval is None or interval.lower is None or interval.upper is None:
        return None
    return abs(float(interval.upper - interval.lower))


def figure(value: float, bounds: tuple[float, float] = UNBOUNDED) -> str:
    """Write a figure that stands alone, without zeros at its end.

    Examples
    --------
    >>> figure(0.5), figure(0.99961, (0, 1)), figure(1234.5)
    ('0.5', '0.9996', '1234')
    """
    return trimmed(digits_for([value], bounds=bounds).performance(value))


def fixed(value: float | None, decimals: int) -> str:
    """Format with a fixed number of decimals, never -0; nothing where there is no value."""
    if value is None or not math.isfinite(value):
        return ""
    return _unsigned(f"{value:.{decimals}f}")


def short(value: float) -> str:
    """Write a number as short as it can be read back: thresholds, tolerances.

    Examples
    --------
    >>> short(0.8), short(2.0), short(1e-05)
    ('0.8', '2', '1e-05')
    """
    return repr(float(value)).removesuffix(".0")


def trimmed(text: str) -> str:
    """Leave out the zeros at the end of a decimal fraction.

    Examples
    --------
    >>> trimmed("0.250"), trimmed("0.000"), trimmed("100"), trimmed("3.0e-15")
    ('0.25', '0', '100', '3.0e-15')
    """
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def percent(share: float, decimals: int | None = None) -> str:
    """Format a share in (0, 1) as a percentage, by default with all its digits and no others.

    With decimals, nothing but all is 100 %, and nothing but none is 0 %.

    Examples
    --------
    >>> percent(0.95), percent(0.975), percent(0.9996, 0)
    ('95 %', '97.5 %', '99.96 %')
    """
    if decimals is None:
        exact = Decimal(repr(float(share))) * 100
        return f"{exact.normalize():f} %"
    return f"{Digits(decimals, bounds=(0.0, 100.0)).performance(100 * share)} %"


def count(number: int, word: str) -> str:
    """Number and noun, in the plural where it is not one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def tiny_text(value: float) -> str:
    """Write a difference that is of rounding: its order, or 0.

    Examples
    --------
    >>> tiny_text(8.7e-8), tiny_text(0.0)
    ('9e-08', '0')
    """
    return f"{value:.0e}" if value else "0"


def _sizes(values: Iterable[float | None]) -> list[float]:
    return [abs(value) for value in values if value is not None and math.isfinite(value)]


def _unsigned(text: str) -> str:
    return text.removeprefix("-") if float(text) == 0 else text


def _apart(value: float, distance: float) -> str:
    """Write a value next to a bound with one digit of its distance from it."""
    decimals = max(-math.floor(math.log10(distance) + 1e-9), 0)  # 1 - 0.99999 is under 1e-5
    tiny = decimals > ZEROS and abs(value) == distance  # next to 0
    return f"{value:.0e}" if tiny else fixed(value, decimals)
