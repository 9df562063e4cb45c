"""Read files from a web server, using only the standard library."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from bbccli.errors import InputError
from bbccli.platform import read_limits
from bbccli.reading.sources.limits import check_size, read_within

_UNCHANGED = "%/:=&?~#+!$,;'@()*[]"
_NONE_THERE = (404, 410)
_HINTS = {  # also the answers of object stores for a missing file, if they do not list the folder
    401: "log in with https://USER:PASSWORD@host/..., or use a signed address",
    403: "the login or the signed address does not give access, or has expired",
}


def is_http(url: str) -> bool:
    """True for a URL of a web server."""
    return url.lower().startswith(("http://", "https://"))


def http_bytes(url: str) -> bytes:
    """Return all bytes of a file."""
    try:
        with _answer(url) as response:
            check_size(response.length or 0)
            content = read_within(response)
            if response.length:  # bytes missing at the end
                raise ConnectionResetError
    except InputError as error:
        raise error.at(url) from None
    except Exception as error:
        raise _fault(url, error) from None
    return content


class MissingError(InputError):
    """There is no file, or none that the server shows."""


def _answer(url: str) -> Any:
    """Return the response to a request, with headers read."""
    from urllib.error import HTTPError
    from urllib.request import Request

    place, login = _split(url)
    request = Request(place, headers={"User-Agent": "bbc"})
    if login is not None:  # not sent to the target of a redirection
        request.add_unredirected_header("Authorization", f"Basic {login}")
    try:
        return _opener().open(request, timeout=read_limits.current().timeout)
    except HTTPError as error:
        error.close()
        words = f"{error.code} {error.reason}".strip()
        if error.code in _NONE_THERE:
            raise MissingError(f"no such file ({words})", hint="check the address") from None
        if error.code >= 500:
            raise InputError(f"the server failed: {words}", hint="try again later") from None
        kind = MissingError if error.code in _HINTS else InputError
        hint = _HINTS.get(error.code, "check the address")
        raise kind(f"the server answers {words}", hint=hint) from None


def _opener() -> Any:
    """Return an opener that follows redirections to web servers only."""
    from urllib import request

    opener = request.OpenerDirector()
    for name in ("Proxy", "HTTP", "HTTPS", "HTTPRedirect", "HTTPDefaultError", "Unknown"):
        opener.add_handler(getattr(request, f"{name}Handler")())
    opener.add_handler(request.HTTPErrorProcessor())
    return opener


def _split(url: str) -> tuple[str, str | None]:
    """Return the address without user and password, and these as HTTP needs them."""
    from base64 import b64encode

    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    bare = parts._replace(netloc=host, fragment="")
    place = quote(urlunsplit(bare), safe=_UNCHANGED)
    if not at:
        return place, None
    return place, b64encode(unquote(login).encode()).decode()


def _fault(url: str, error: Exception) -> InputError:
    """Describe an error of the network."""
    cause = getattr(error, "reason", None)
    if isinstance(error, TimeoutError) or isinstance(cause, TimeoutError):
        return no_answer(url)
    if type(error).__name__ in ("IncompleteRead", "RemoteDisconnected", "ConnectionResetError"):
        return InputError(
            "the server closed the connection early", path=url, hint="try again later"
        )
    words = getattr(cause, "strerror", None) or str(cause or error) or type(error).__name__
    return InputError(
        f"cannot be read: {' '.join(words.split())}", path=url, hint="check the address"
    )


def no_answer(url: str) -> InputError:
    """Return the error about a server that does not respond in time."""
    return InputError(
        f"no answer within {read_limits.current().timeout:g} s",
        path=url,
        hint="try again later, or wait longer with --timeout 120",
    )
