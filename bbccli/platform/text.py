"""Make text from outside safe for messages: escaped, without secrets, of limited length."""

from __future__ import annotations

import re
from typing import Any, cast

LONGEST = 1_000
"""Longest message, in characters."""

HIDDEN = "***"
"""Replacement for secrets."""

_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#\[)")
"""Commands of a GitHub runner: `::` at the start of a line, and `##[` anywhere."""

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<rest>[^\s'\"<>]+)")
# A password may hold an unencoded slash; digits before a slash are a port.
_LOGIN = re.compile(r"^(?:[^/?#@]*@|[^/?#@:]*:(?!\d+/)[^?#@]*@)+")
_QUERY = re.compile(r"(?P<mark>[?&])(?P<part>[^&#]*?)(?=[.,:;)\]]*(?:[&#]|$))")
_FRAGMENT = re.compile(r"#.*$")
_SHOWN = frozenset({"region", "scheme", "format", "version", "versionid", "file", "path", "name"})
_SHOWN |= {"raw", "download", "dl"}
"""Query keys without secrets; the values of all others are hidden."""


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self.text, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(self.text, self.flags), name)
        setattr(self, name, method)
        return method


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled when one of its methods is first asked for.

    >>> pattern("a+").sub("e", "aab")
    'eb'
    """
    return cast("re.Pattern[str]", _Pattern(text, flags))


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
