"""Intervals drawn in text, on one scale: `|` ends, `o` the corrected figure, `x` the naive one.

ASCII alone: the same drawing in every terminal, log and file, whatever its encoding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from bbccli.documents.gate import NAIVE
from bbccli.domain.estimate import Estimate
from bbccli.platform.dataclass import dataclass
from bbccli.platform.rounding import fixed

WIDEST, NARROWEST = 48, 28
"""Characters of a drawing, at most and at least."""

NOISE_TOLERANCE = 1e-9
"""Rounding that moves no figure to another character."""

APART = 9
"""Characters from one number of the scale to the next, at least."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A scale that is drawn so many characters wide.

    low, high: performances at its two ends; the numbers of the scale are at multiples of `step`.
    step: from one number to the next.
    width: in characters.
    """

    low: float
    high: float
    step: float
    width: int

    def scale(self) -> str:
        """Return the numbers, each over its place; the first and the last within the ends."""
        line = [" "] * self.width
        for position in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + position * self.step
            text = self.number(value)
            start = min(max(self._at(value) - len(text) // 2, 0), self.width - len(text))
            line[start : start + len(text)] = text
        return "".join(line)

    def is_legible(self) -> bool:
        """True if the numbers of the scale don't touch, not even those at the ends."""
        longest = max(len(self.number(end)) for end in (self.low, self.high))
        return self.width * (self.step / (self.high - self.low)) > 1.5 * longest + 1

    def number(self, value: float) -> str:
        """Return a number of the scale, with as many decimals as the step has."""
        return fixed(value, max(0, -math.floor(math.log10(self.step) + NOISE_TOLERANCE)))

    def drawn(self, estimate: Estimate) -> str:
        """Return one estimate; nothing of it that is missing or infinite."""
        line = [" "] * self.width
        ends = _ends(estimate)
        if ends:
            first, last = self._at(min(ends)), self._at(max(ends))
            line[first : last + 1] = "-" * (last + 1 - first)
        interval = estimate.interval
        for end in (interval.lower, interval.upper) if interval else ():
            if end is not None and end in ends:
                line[self._at(end)] = "|"
        for value, mark in ((estimate.naive, "x"), (_corrected(estimate), "o")):
            if value is not None and math.isfinite(value):
                line[self._at(value)] = mark
        return "".join(line).rstrip()

    def _at(self, value: float) -> int:
        return round((value - self.low) / (self.high - self.low) * (self.width - 1))


def strip_of(estimates: Iterable[Estimate], width: int) -> Strip | None:
    """Return the scale that holds all of some estimates; None where there is nothing to compare.

    estimates: of one metric.
    width: characters that there are; no more than `WIDEST` are used.
    """
    width, values = min(width, WIDEST), [v for e in estimates for v in _values(e)]
    span = max(values) - min(values) if values else 0.0
    if (
        width < NARROWEST
        or not NOISE_TOLERANCE * max(map(abs, values), default=0.0) < span < math.inf
    ):
        return None
    for power in range(3):
        step = _step(span / (width // APART)) * 10.0**power
        low, high = (
            math.floor(min(values) / step + NOISE_TOLERANCE),
            math.ceil(max(values) / step - NOISE_TOLERANCE),
        )
        strip = Strip(low * step, high * step, step, width)
        if math.isfinite(strip.high - strip.low) and strip.is_legible():
            return strip
    return None


def _step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - NOISE_TOLERANCE))


def _values(estimate: Estimate) -> list[float]:
    figures = [*_ends(estimate), estimate.naive, _corrected(estimate)]
    return [value for value in figures if value is not None and math.isfinite(value)]


def _ends(estimate: Estimate) -> list[float]:
    """Ends of an interval's line; a side that was not estimated ends at the estimate."""
    interval = estimate.interval
    if interval is None:
        return []
    sides = {"lower": [interval.lower], "upper": [interval.upper]}
    ends = sides.get(interval.side, [interval.lower, interval.upper])
    finite = [end for end in ends if end is not None and math.isfinite(end)]
    if len(finite) == 1 and estimate.value is not None:
        finite.append(estimate.value)
    return finite if len(finite) == 2 else []


def _corrected(estimate: Estimate) -> float | None:
    return None if estimate.method == NAIVE else estimate.value
