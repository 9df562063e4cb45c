"""Times of runs, as frameworks write them, and their order."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

_TIME = re.compile(
    r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)"
    r"(?:[T ]+(\d\d?)[:-](\d\d?)(?:[:-](\d\d?)(?:[.,](\d{1,9}))?)?)?"
    r" *(?:(Z|UTC|GMT)|([+-])(\d\d?):?(\d\d)?)?",
    re.ASCII | re.IGNORECASE,
)
_DAY = 86_400
_MILLISECONDS = 1e11
"""From here on numbers are not seconds: they would lie after the year 5000."""
_FARTHEST = 14 * 3600
"""No clock is farther from UTC, in seconds."""


class Moment(NamedTuple):
    """A time: the earliest and the latest second, since 1970, that its text allows; `zoned` is
    False where it may be on any clock, and counts as UTC.
    """

    start: float
    end: float
    zoned: bool

    def before(self, other: Moment) -> bool:
        """True if this is certainly the earlier one."""
        apart = 0 if self.zoned == other.zoned else _FARTHEST
        return self.end + apart <= other.start and self.start < other.start


def moment_of(value: Any) -> Moment | None:
    """Return the time that a log states, as text or as a number of (milli)seconds; None if none.

    Examples
    --------
    >>> moment_of("2024-01-02T00:30:00+02:00").before(moment_of("2024-01-01T23:00:00Z"))
    True
    >>> moment_of("2024-1-9").before(moment_of("2024-01-10 08:00"))
    True
    >>> moment_of("2024-01-09").before(moment_of("2024-01-09 08:00"))
    False
    """
    text = str(value).strip()
    match = None if isinstance(value, bool) else _TIME.fullmatch(text)
    if match is None:
        try:
            number = float("nan" if isinstance(value, bool) else text)
        except ValueError:
            return None
        seconds = number / 1000 if abs(number) >= _MILLISECONDS else number
        return Moment(seconds, seconds, zoned=True) if math.isfinite(seconds) else None
    *clock, part, utc, sign, hours, minutes = match.groups()
    try:
        year, month, day, hour, minute, second = (int(one or 0) for one in clock)
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    start = (at + ahead if sign == "-" else at - ahead).timestamp() + float(f".{part or 0}")
    length = 0 if part else 1 if clock[5] else 60 if clock[3] else _DAY
    return Moment(start, start + length, zoned=bool(utc or sign))
