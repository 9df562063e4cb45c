"""Make text from outside fit for a message: escaped, without secrets, of limited length."""

from __future__ import annotations

import re

LONGEST = 1_000
"""Characters after which a message is cut."""

HIDDEN = "***"
"""Stands for a secret."""

_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#\[)")
"""Commands of a GitHub runner: `::` at the beginning of a line, and `##[` anywhere."""

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<rest>[^\s'\"<>]+)")
# A password may hold a slash that was not encoded; digits before a slash are a port.
_LOGIN = re.compile(r"^(?:[^/?#@]*@|[^/?#@:]*:(?!\d+/)[^?#@]*@)+")
_QUERY = re.compile(r"(?P<mark>[?&])(?P<part>[^&#]*?)(?=[.,:;)\]]*(?:[&#]|$))")
_FRAGMENT = re.compile(r"#.*$")
_SHOWN = frozenset({"region", "scheme", "format", "version", "versionid", "file", "path", "name"})
_SHOWN |= {"raw", "download", "dl"}
"""Keys of queries that hold no secret; the values of all others are hidden."""


def visible(text: str) -> str:
    r"""Escape what drives a terminal or a runner of GitHub, ends a line or turns the writing.

    Examples
    --------
    >>> print(visible("a\nb \x1b[31m \u202ec"))
    a\nb \x1b[31m \u202ec
    >>> print(visible("::error::no"))
    \x3a:error::no
    """
    text = _COMMAND.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def redacted(text: str) -> str:
    """Hide user, password and the values of the query in every URL of a text.

    Examples
    --------
    >>> redacted("s3://me:secret@bucket/p.csv?region=eu&token=abc: no such file")
    's3://***@bucket/p.csv?region=eu&token=***: no such file'
    """
    return _URL.sub(_without_secrets, text) if "://" in text else text


def shortened(text: str, longest: int = LONGEST) -> str:
    """Cut the middle out of a text that is too long.

    Examples
    --------
    >>> shortened("abcdefghijklmnop", 10)
    'abcd...nop'
    """
    if len(text) <= longest:
        return text
    head = (longest - 2) // 2
    return f"{text[:head]}...{text[len(text) - (longest - head - 3) :]}"


def message(text: str) -> str:
    """Return one line that can be shown anywhere: no secrets, escaped, not too long."""
    return shortened(visible(redacted(text)))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _without_secrets(url: re.Match[str]) -> str:
    rest = _LOGIN.sub(f"{HIDDEN}@", url["rest"])
    place, mark, query = rest.partition("?")
    if mark:
        query, fragment, secret = query.partition("#")
        rest = place + _QUERY.sub(_without_value, mark + query) + fragment + HIDDEN * bool(secret)
    else:
        rest = _FRAGMENT.sub(f"#{HIDDEN}", rest)
    return url["scheme"] + rest


def _without_value(found: re.Match[str]) -> str:
    key, equals, _ = found["part"].partition("=")
    if not found["part"] or (equals and key.casefold() in _SHOWN):
        return found[0]
    return f"{found['mark']}{key}={HIDDEN}" if equals else f"{found['mark']}{HIDDEN}"
