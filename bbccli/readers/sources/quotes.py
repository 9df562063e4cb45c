"""Quotes of CSV, read a second time and by other means: none may swallow the rows below it.

The reader of the table takes a quote that is not closed for a value of many lines, and does so
without a word. Here a row is one line, unless quoted line breaks are asked for; and then every
closing quote must be where RFC 4180 has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bbccli.core import reading
from bbccli.errors import InputError
from bbccli.types import BoolArray, IntArray

_QUOTE, _CR, _LF = b'"', b"\r", b"\n"
_QUOTED = re.compile(rb'"(?:[^"]++|"")*+"')
_BREAK = re.compile(rb"[\r\n]")
_PIECE = 2**18
_FEW = 512
_GLANCE = 2**12
_BOM = b"\xef\xbb\xbf"


def check_quotes(data: bytes, path: str, delimiter: str) -> None:
    """Refuse text in which a quoted value continues on the next line, or never ends.

    Parameters
    ----------
    data
        Text with a header line.
    path
        File, for messages.
    delimiter
        One character of ASCII.

    Raises
    ------
    InputError
        Names the line in which the quote opens.
    """
    if b'"' not in data:
        return
    allowed = reading.current().quoted_newlines
    start = len(_BOM) if data.startswith(_BOM) else 0
    for first, last in _pieces(data, start, whole=allowed):
        quotes = _places(data, _QUOTE, first, last)
        if not len(quotes) or _is_regular(data, quotes, (first, last), delimiter, across=allowed):
            continue
        fault = _first_fault(data, quotes + first, (first, last), delimiter, across=allowed)
        if fault is not None:
            raise _error(data, path, fault, allowed)


@dataclass(frozen=True, slots=True)
class _Fault:
    """A quoted value that does not end as it should: the bytes where it opens and where it ends.

    `end` is None where it never does.
    """

    start: int
    end: int | None


def _pieces(data: bytes, start: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield first and last bytes of pieces of some lines; of all where values may span lines."""
    while start < len(data):
        end = len(data) if whole else data.find(b"\n", start + _PIECE) + 1 or len(data)
        yield start, end
        start = end


def _is_regular(
    data: bytes, quotes: IntArray, piece: tuple[int, int], delimiter: str, *, across: bool
) -> bool:
    """Whether quotes open and close in turn, each where a value begins or ends, or doubled.

    `quotes` are positions in the piece. Unless `across`, no line may end between two of them.
    """
    if len(quotes) % 2:
        return False
    text = np.frombuffer(data, np.uint8, piece[1] - piece[0], piece[0])
    opening, closing, last = quotes[::2], quotes[1::2], len(text) - 1
    begins = _is_bound(text.take(opening - 1, mode="clip"), delimiter)
    begins[0] |= opening[0] == 0
    ends = _is_bound(text.take(closing + 1, mode="clip"), delimiter)
    ends[-1] |= closing[-1] == last
    if not (begins.all() and ends.all()):
        doubled = opening[1:] == closing[:-1] + 1
        begins[1:] |= doubled
        ends[:-1] |= doubled
        if not (begins.all() and ends.all()):
            return False
    return across or not any(_any_within(data, quotes, piece, byte) for byte in (_LF, _CR))


def _is_bound(text: np.ndarray, delimiter: str) -> BoolArray:
    """Whether a byte is what stands between two values."""
    return np.asarray((text == ord(delimiter)) | (text == ord(_LF)) | (text == ord(_CR)))


def _any_within(data: bytes, quotes: IntArray, piece: tuple[int, int], byte: bytes) -> bool:
    """Whether a byte occurs between an opening quote and its closing one."""
    first, last = piece[0] + int(quotes[0]), piece[0] + int(quotes[-1])
    places = _places(data, byte, first, last) + quotes[0]
    return bool((np.searchsorted(quotes, places) % 2).any())


def _places(data: bytes, byte: bytes, first: int, last: int) -> IntArray:
    """Positions of a byte, counted from the first of a stretch: one by one while they are few."""
    glance, found, position = min(_GLANCE, last - first), [], first - 1
    many = data.count(byte, first, first + glance) * _FEW > glance
    while not many and (position := data.find(byte, position + 1, last)) >= 0:
        found.append(position - first)
        many = len(found) * _FEW > last - first
    if many:
        text = np.frombuffer(data, np.uint8, last - first, first)
        return np.flatnonzero(text == ord(byte))
    return np.array(found, dtype=np.int64)


def _first_fault(
    data: bytes, quotes: IntArray, piece: tuple[int, int], delimiter: str, *, across: bool
) -> _Fault | None:
    """Follow each value that begins with a quote, as the reader of the table does.

    `quotes` are positions in the data. Quotes within values are ordinary characters.
    """
    bounds, (start, _), outside = b"\r\n" + delimiter.encode(), piece, 0
    for position in quotes.tolist():
        if position < outside or not (position == start or data[position - 1] in bounds):
            continue
        match = _QUOTED.match(data, position)
        if match is None:
            return _Fault(position, None)
        broken = _BREAK.search(match[0]) is not None
        junk = match.end() < len(data) and data[match.end()] not in bounds
        if broken and (junk or not across):
            return _Fault(position, match.end())
        outside = match.end()
    return None


def _error(data: bytes, path: str, fault: _Fault, allowed: bool) -> InputError:
    line = _line(data, fault.start)
    if fault.end is None:
        problem, remedy = f"a quote opens in line {line} and is never closed", "close it"
    else:
        last = _line(data, fault.end - 1)
        problem = f"a quote opens in line {line} and closes only in line {last}"
        remedy = "close it in its line"
        if not allowed:
            remedy += "; --quoted-newlines if the value has line breaks"
    shown = data[fault.start : fault.start + 24].splitlines()[0].decode("utf-8", "replace")
    return InputError(
        f"{problem}: {shown}", path=path, hint=f"{remedy}; or remove it, or double it within quotes"
    )


def _line(data: bytes, position: int) -> int:
    """Line of a byte, counted from 1; a lone carriage return ends a line too."""
    head = data[:position]
    return 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")
