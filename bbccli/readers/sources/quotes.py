"""Quotes of CSV: none may swallow the rows below it.

The reader of the table takes a quote that is not closed for a value of many lines, without a word.
One expression follows the values as that reader does, and stops at one that does not end in its
line; where quoted line breaks are allowed, such a value must end where RFC 4180 has it.
"""

from __future__ import annotations

import re

from bbccli.core import reading
from bbccli.errors import InputError

# within a value a quote is an ordinary character
_WALK = r'[^"]*+(?:(?<=[{bounds}])"[^"\r\n]*+(?:""[^"\r\n]*+)*+"[^"]*+|(?<![{bounds}])"[^"]*+)*+'
_QUOTED = r'"(?:[^"]++|"")*+"'
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
        One ASCII character.

    Raises
    ------
    InputError
        Names the line in which the quote opens.
    """
    if b'"' not in data:
        return
    across = reading.current().quoted_newlines
    text, bounds = b"\n" + data.removeprefix(_BOM), re.escape(delimiter) + r"\r\n"
    walk = re.compile(_WALK.format(bounds=bounds).encode())
    over_lines = re.compile(rf"{_QUOTED}(?=[{bounds}]|\Z)".encode())
    position = 0
    while (position := walk.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        value = over_lines.match(text, position) if across else None
        if value is None:
            raise _unclosed(text[1:], path, position - 1, across)
        position = value.end()


def _unclosed(data: bytes, path: str, start: int, across: bool) -> InputError:
    """Build the error about a quote that opens at a byte and does not close in its line."""
    value = re.compile(_QUOTED.encode()).match(data, start)
    problem, remedy = f"a quote opens in line {_line(data, start)} and ", "close it"
    if value is None:
        problem += "is never closed"
    else:
        problem += f"closes only in line {_line(data, value.end() - 1)}"
        remedy += (
            " in its line"
            if across
            else (" in its line; --quoted-newlines if the value has line breaks")
        )
    shown = data[start : start + 24].splitlines()[0].decode("utf-8", "replace")
    return InputError(
        f"{problem}: {shown}", path=path, hint=f"{remedy}; or remove it, or double it within quotes"
    )


def _line(data: bytes, position: int) -> int:
    """Line of a byte, counted from 1; a lone carriage return ends a line too."""
    head = data[:position]
    return 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")
