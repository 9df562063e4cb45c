"""Text for readers: from outside, escaped, without secrets, of limited length; and figures.

Rules of rounding, for all reports and notes:

1. A group of figures has as many decimals as show two significant digits of the narrowest
   interval. Figures near 1 have at least three decimals, larger ones fewer. Without an interval,
   the largest figure has three significant digits.
2. All figures of a group share the decimals, so that sums agree as printed.
3. A figure that is not a bound of its metric never reads as that bound: it gets as many extra
   decimals as show the distance.
4. Very small or large figures share a power of ten.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, AnyStr, cast

from bbccli.platform.dataclass import dataclass

LONGEST = 1_000
"""Longest message, in characters."""

HIDDEN = "***"
"""Replacement for secrets."""


class _Pattern:
    def __init__(self, text: Any, flags: int) -> None:
        self.text, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(self.text, self.flags), name)
        setattr(self, name, method)
        return method


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when one of its methods is first asked for.

    >>> pattern("a+").sub("e", "aab")
    'eb'
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


_COMMAND = pattern(r"(?:(?<=\s)|\A):(?=:)|#(?=#\[)")
"""Commands of a GitHub runner: `::` at the start of a line, and `##[` anywhere."""

_LINK = pattern(r"\[([^\]]*)\]\([^)]*\)")
_URL = pattern(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<rest>[^\s'\"<>]+)")
# A password may hold an unencoded slash; digits before a slash are a port.
_LOGIN = pattern(r"^(?:[^/?#@]*@|[^/?#@:]*:(?!\d+/)[^?#@]*@)+")
_QUERY = pattern(r"(?P<mark>[?&])(?P<part>[^&#]*?)(?=[.,:;)\]]*(?:[&#]|$))")
_FRAGMENT = pattern(r"#.*$")
_SHOWN = frozenset({"region", "scheme", "format", "version", "versionid", "file", "path", "name"})
_SHOWN |= {"raw", "download", "dl"}
"""Query keys without secrets; the values of all others are hidden."""


def visible(text: str) -> str:
    r"""Escape control sequences, runner commands, line ends and changes of the writing direction.

    Examples
    --------
    >>> print(visible("a\nb \x1b[31m \u202ec"))
    a\nb \x1b[31m \u202ec
    >>> print(visible("::error::no"))
    \x3a:error::no
    """
    text = _COMMAND.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def redacted(text: str) -> str:
    """Hide user, password and query values in every URL of a text.

    Examples
    --------
    >>> redacted("s3://me:secret@bucket/p.csv?region=eu&token=abc: no such file")
    's3://***@bucket/p.csv?region=eu&token=***: no such file'
    """
    return _URL.sub(_without_secrets, text) if "://" in text else text


def shortened(text: str, longest: int = LONGEST) -> str:
    """Cut the middle out of a long text.

    Examples
    --------
    >>> shortened("abcdefghijklmnop", 10)
    'abcd...nop'
    """
    if len(text) <= longest:
        return text
    head = (longest - 2) // 2
    return f"{text[:head]}...{text[len(text) - (longest - head - 3) :]}"


def without_markdown(markdown: str) -> str:
    """Return Markdown without links and the marks of code and emphasis.

    Examples
    --------
    >>> without_markdown("report **all** by `bbc`, see [the rule](methods.md#rule)")
    'report all by bbc, see the rule'
    """
    return _LINK.sub(r"\1", markdown).replace("**", "").replace("`", "")


def message(text: str) -> str:
    """Return a text as one line that is safe to show anywhere."""
    return shortened(visible(redacted(text)))


def _without_secrets(url: re.Match[str]) -> str:
    rest = _LOGIN.sub(f"{HIDDEN}@", url["rest"])
    place, mark, query = rest.partition("?")
    if mark:
        query, fragment, secret = query.partition("#")
        rest = place + _QUERY.sub(_without_value, mark + query) + fragment + HIDDEN * bool(secret)
    else:
        rest = _FRAGMENT.sub(f"#{HIDDEN}", rest)
    return url["scheme"] + rest


def _without_value(match: re.Match[str]) -> str:
    key, equals, _ = match["part"].partition("=")
    if not match["part"] or (equals and key.casefold() in _SHOWN):
        return match[0]
    return f"{match['mark']}{key}={HIDDEN}" if equals else f"{match['mark']}{HIDDEN}"


UNBOUNDED = (-math.inf, math.inf)

LEAST = 3
"""Significant digits of figures near 1, and of figures without an interval."""

MOST = 6
"""Significant digits at most, whatever the interval."""

ZEROS = 9
"""More decimals than this take out a power of ten."""

LARGE = 15
"""More digits before the point than this take out a power of ten."""

NOISE_TOLERANCE = 1e-12
"""Relative size of rounding errors, as a fraction of a bound or of the largest figure."""


@dataclass(frozen=True, slots=True)
class Digits:
    """Format of a group of figures: decimals, power of ten taken out, bounds of the metric."""

    decimals: int
    power: int = 0
    bounds: tuple[float, float] = UNBOUNDED

    def performance(self, value: float | None, missing: str = "") -> str:
        """Format a performance; it reads as a bound only if it is one."""
        if value is None or not math.isfinite(value):
            return missing
        text = self.difference(value)
        for bound in filter(math.isfinite, self.bounds):
            distance = abs(value - bound)
            if distance > NOISE_TOLERANCE * abs(bound) and float(text) == float(
                self.difference(bound)
            ):
                return _apart(value, distance)
        return text

    def difference(self, value: float | None, missing: str = "") -> str:
        """Format a difference of performances, which has no bounds."""
        if value is None or not math.isfinite(value):
            return missing
        if not self.power:
            return fixed(value, self.decimals)
        # a large bound over a tiny power of ten overflows a float
        shown = _unsigned(f"{Decimal(value).scaleb(-self.power):.{self.decimals}f}")
        return f"{shown}e{self.power}" if value else shown


def digits_for(
    values: Iterable[float | None],
    widths: Iterable[float | None] = (),
    bounds: tuple[float, float] = UNBOUNDED,
) -> Digits:
    """Return the format for figures whose intervals have these widths.

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
    # From 1 on, one decimal fewer for each digit before the point; 1 itself counts as 0.9996.
    before = max(math.ceil(math.log10(largest)), 0)
    first = math.floor(math.log10(largest))
    narrowest = min((w for w in _sizes(widths) if w > NOISE_TOLERANCE * largest), default=None)
    needed = LEAST - 1 - first if narrowest is None else 1 - math.floor(math.log10(narrowest))
    decimals = max(LEAST - before, min(needed, MOST - 1 - first))
    if decimals > ZEROS or first >= LARGE:
        return Digits(max(decimals + first, 0), first, bounds)
    return Digits(max(decimals, 0), bounds=bounds)


def width_of(interval: Any) -> float | None:
    """Return the distance between both ends; None if one is unknown."""
    if interval is None or interval.lower is None or interval.upper is None:
        return None
    return abs(float(interval.upper - interval.lower))


def figure(value: float, bounds: tuple[float, float] = UNBOUNDED) -> str:
    """Format a single figure without trailing zeros.

    Examples
    --------
    >>> figure(0.5), figure(0.99961, (0, 1)), figure(1234.5)
    ('0.5', '0.9996', '1234')
    """
    return trimmed(digits_for([value], bounds=bounds).performance(value))


def fixed(value: float | None, decimals: int) -> str:
    """Format with a fixed number of decimals, never -0; empty for None."""
    if value is None or not math.isfinite(value):
        return ""
    return _unsigned(f"{value:.{decimals}f}")


def brief(value: float) -> str:
    """Format a threshold or tolerance with the fewest digits that read back the same.

    Examples
    --------
    >>> brief(0.8), brief(2.0), brief(1e-05)
    ('0.8', '2', '1e-05')
    """
    return repr(float(value)).removesuffix(".0")


def trimmed(text: str) -> str:
    """Remove trailing zeros of a decimal fraction.

    Examples
    --------
    >>> trimmed("0.250"), trimmed("0.000"), trimmed("100"), trimmed("3.0e-15")
    ('0.25', '0', '100', '3.0e-15')
    """
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def percent(share: float, decimals: int | None = None) -> str:
    """Format a proportion as a percentage, by default with all its digits.

    With decimals, only 1 reads as 100%, and only 0 as 0%.

    Examples
    --------
    >>> percent(0.95), percent(0.975), percent(0.9996, 0)
    ('95%', '97.5%', '99.96%')
    """
    if decimals is None:
        exact = Decimal(repr(float(share))) * 100
        return f"{exact.normalize():f}%"
    return f"{Digits(decimals, bounds=(0.0, 100.0)).performance(100 * share)}%"


def count(number: int, word: str) -> str:
    """Return number and noun, in the plural unless it is one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def every(number: int, word: str = "") -> str:
    """Return words for all of some things.

    Examples
    --------
    >>> every(1, "fold"), every(2, "fold"), every(12)
    ('the only fold', 'both folds', 'all 12')
    """
    which = {1: "the only", 2: "both"}.get(number, f"all {number}")
    return f"{which} {word}{'s' * (number > 1)}" if word else which


def tiny_text(value: float) -> str:
    """Format a rounding difference by its order of magnitude.

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
    """Format a value near a bound with one digit of its distance from it."""
    decimals = max(-math.floor(math.log10(distance) + 1e-9), 0)  # 1 - 0.99999 is under 1e-5
    tiny = decimals > ZEROS and abs(value) == distance  # next to 0
    return f"{value:.0e}" if tiny else fixed(value, decimals)
