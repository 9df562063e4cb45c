"""Read files from a web server, using only the standard library."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from bbccli.core import reading
from bbccli.errors import InputError
from bbccli.readers.sources.limits import check_size, read_within

_UNCHANGED = "%/:=&?~#+!$,;'@()*[]"
_NONE_THERE = (404, 410)
_NO_HEAD = (405, 501)
_NEVER_SHOWN = (401, 403)
"""Status codes of object stores for a missing file, if listing the folder is not allowed."""

_HINTS = {
    401: "log in with https://USER:PASSWORD@host/..., or use a signed address",
    403: "the login or the signed address does not give access, or has expired",
}


def is_http(url: str) -> bool:
    """True for a URL of a web server."""
    return url.lower().startswith(("http://", "https://"))


def http_bytes(url: str) -> bytes:
    """Return all bytes of a file."""
    response = _answer(url, "GET")
    try:
        with response:
            check_size(response.length or 0, url)
            content = read_within(response, url)
            if response.length:  # bytes missing at the end
                raise ConnectionResetError
    except InputError:
        raise
    except Exception as error:
        raise _fault(url, error) from None
    return content


def http_exists(url: str) -> bool:
    """True if there is a readable file."""
    try:
        try:
            _answer(url, "HEAD").close()
        except _RefusedError as error:
            if error.answer not in _NO_HEAD:
                raise
            _answer(url, "GET").close()
    except _RefusedError as error:
        if error.answer in (*_NONE_THERE, *_NEVER_SHOWN):
            return False
        raise
    return True


class _RefusedError(InputError):
    """The server refused to send the file."""

    def __init__(self, url: str, status: int, reason: str) -> None:
        words = f"{status} {reason}".strip()
        problem = f"the server answers {words}"
        hint = _HINTS.get(status, "check the address")
        if status in _NONE_THERE:
            problem = f"no such file ({words})"
        elif status >= 500:
            problem, hint = f"the server fails: {words}", "try again later"
        super().__init__(problem, path=url, hint=hint)
        self.answer = status


def _answer(url: str, method: str) -> Any:
    """Return the response to a request, with headers read."""
    from urllib.error import HTTPError
    from urllib.request import Request

    try:
        place, login = _split(url)
        request = Request(place, method=method, headers={"User-Agent": "bbc"})
        if login is not None:  # not sent to the target of a redirection
            request.add_unredirected_header("Authorization", f"Basic {login}")
        return _opener().open(request, timeout=reading.current().timeout)
    except HTTPError as error:
        error.close()
        raise _RefusedError(url, error.code, error.reason) from None
    except Exception as error:
        raise _fault(url, error) from None


def _opener() -> Any:
    """Return an opener that follows redirections to web servers only."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPErrorProcessor,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
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
        f"no answer within {reading.current().timeout:g} s",
        path=url,
        hint="try again later, or wait longer with --timeout 120",
    )
