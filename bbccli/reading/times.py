"""Times of runs, as frameworks write them, and their order."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

from bbccli.platform.text import pattern

_TIME = pattern(
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


_SINCE, _UNTIL = 946_684_800, 4_102_444_800
"""The years 2000 to 2099: other numbers are no times."""

_PROBED = 20


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
        year, month, day, hour, minute, second = (int(part or 0) for part in clock)
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    start = (at + ahead if sign == "-" else at - ahead).timestamp() + float(f".{part or 0}")
    length = 0 if part else 1 if clock[5] else 60 if clock[3] else _DAY
    return Moment(start, start + length, zoned=bool(utc or sign))


def is_date(text: str) -> bool:
    """True for a date that starts with the year, and may go on with a time."""
    return _TIME.fullmatch(text) is not None and moment_of(text) is not None


def times_of(values: pa.ChunkedArray) -> list[Moment]:
    """Return the times that values (n,) are; none if one is not."""
    moments: list[Moment] = []
    for value in chain(values[:_PROBED].to_pylist(), values.to_pylist()):
        moment = moment_of(value)
        if moment is None or not _SINCE <= moment.start < _UNTIL:
            return []
        moments.append(moment)
    return moments[min(_PROBED, len(values)) :]
