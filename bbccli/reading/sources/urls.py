"""Files at URLs: http://, s3://, gs://, hdfs://, and whatever pyarrow or fsspec opens."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from threading import Thread
from types import SimpleNamespace
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from bbccli.errors import BbcError, InputError, naming
from bbccli.platform import resources
from bbccli.platform.guarded_files import opened, record_read
from bbccli.platform.resources import check_size, read_within
from bbccli.reading.arrow import pa

_UNCHANGED = "%/:=&?~#+!$,;'@()*[]"
_NONE_THERE = (404, 410)
_HINTS = {  # also the answers of object stores for a missing file, if they do not list the folder
    401: "log in with https://USER:PASSWORD@host/..., or use a signed address",
    403: "the login or the signed address does not give access, or has expired",
}

_WILD = re.compile(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])")
_WILD_PATH = re.compile(r"\*|\[[^\]]+\]")
Result = TypeVar("Result")
_MEANS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_pattern(url: str) -> bool:
    """True if a URL has * or [...] in its path; a ? begins the query.

    Examples
    --------
    >>> is_pattern("s3://bucket/*.csv?region=eu"), is_pattern("http://[::1]/p.csv?token=a*")
    (True, False)
    """
    place = url.partition("://")[2].partition("?")[0]
    return _WILD_PATH.search(place.partition("/")[2]) is not None


def path_of(url: str) -> PurePosixPath:
    """Return the path within a URL, whose suffix tells the format."""
    return PurePosixPath(url.partition("://")[2].partition("?")[0])


def url_bytes(url: str) -> bytes:
    """Return all bytes of a URL.

    Raises
    ------
    MissingError
        There is no such file.
    InputError
        No library knows the protocol, the file can't be read, or there is no answer in time.
    """
    if url.lower().startswith(("http://", "https://")):
        return http_bytes(url)
    system, path = _opened(url)
    with _readable(url):
        try:
            if _is_local(system):
                with opened(path) as local:
                    check_size(os.fstat(local.fileno()).st_size)
                    return read_within(local)
            with _in_time(lambda: system.open_input_file(path)) as file:
                check_size(_in_time(file.size))

                def read(size: int) -> bytes:
                    """Each read may take as long as one response."""
                    return _in_time(lambda: bytes(file.read(size)))

                return read_within(SimpleNamespace(read=read))
        except FileNotFoundError:
            raise MissingError("no such file", hint="check the address") from None


def local_path(url: str) -> str | None:
    """Return the path of a local file, such as file:///p.csv; None if it is remote."""
    if url.partition("://")[0].lower() not in ("file", "local"):
        return None
    system, path = _opened(url)
    return str(path) if _is_local(system) else None


def matching_urls(pattern: str) -> list[str]:
    """Return the URLs of files that match a pattern such as s3://bucket/**/p.csv, sorted."""
    system, path = _opened(pattern)
    parts = PurePosixPath(path).parts
    plain = next(i for i, part in enumerate(parts) if _WILD.search(part))
    wanted = regular_expression(path)
    with _readable(pattern):
        folder = pa.fs.FileSelector(str(PurePosixPath(*parts[:plain])), recursive=True)
        everything = _in_time(lambda: system.get_file_info(folder))
        files = [info for info in everything if info.type == pa.fs.FileType.File]
    start, _, end = pattern.partition(path)
    return sorted(f"{start}{info.path}{end}" for info in files if wanted.fullmatch(info.path))


def regular_expression(pattern: str) -> re.Pattern[str]:
    """Translate a shell pattern; ** crosses folders, * and ? do not.

    Examples
    --------
    >>> [bool(regular_expression("a/**/p.csv").fullmatch(p)) for p in ("a/p.csv", "a/b/c/p.csv")]
    [True, True]
    >>> bool(regular_expression("a/*.csv").fullmatch("a/b/p.csv"))
    False
    """
    pieces = _WILD.split(pattern)
    plain = [re.escape(piece) for piece in pieces[::2]]
    wild = [_MEANS.get(piece, piece.replace("[!", "[^")) for piece in pieces[1::2]]
    return re.compile("".join(a + b for a, b in zip(plain, [*wild, ""], strict=True)))


def _opened(url: str) -> tuple[pa.fs.FileSystem, Any]:
    """Return the file system of a URL, pyarrow's if possible, else fsspec's, and the path in it."""
    with _readable(url):
        try:
            return _in_time(lambda: pa.fs.FileSystem.from_uri(url))  # type: ignore[no-any-return]
        except pa.ArrowInvalid:
            pass
        try:
            from fsspec.core import url_to_fs

            for link in url.split("::")[1:]:  # zip://p.csv::file:///runs.zip
                record_read(link.removeprefix("file://"))
            system, path = _in_time(lambda: url_to_fs(url))
        except (ImportError, ValueError) as error:
            protocol = url.partition("://")[0]
            raise InputError(
                f"no library opens {protocol}://",
                hint=f"pip install fsspec, and its backend for {protocol}",
            ) from error
    return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), path


def _is_local(system: pa.fs.FileSystem) -> bool:
    """True if a file system of pyarrow or fsspec is local."""
    behind = getattr(getattr(system, "handler", None), "fs", None)
    return system.type_name == "local" or "file" in getattr(behind, "protocol", ())


def _in_time(call: Callable[[], Result]) -> Result:
    """Return the result of a call, unless it exceeds the timeout of a server.

    The libraries have no common way to set a limit; an abandoned call keeps running in a daemon
    thread.
    """
    from concurrent.futures import Future, wait

    answer: Future[Result] = Future()

    def attempt() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=attempt, daemon=True).start()
    wait([answer], resources.reading_limits().timeout)
    if not answer.done():
        raise no_answer()
    return answer.result()


@contextmanager
def _readable(url: str) -> Iterator[None]:
    """Convert the errors of any protocol into one about the URL."""
    try:
        yield
    except InputError as error:
        raise error.at(url) from error.__cause__
    except BbcError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"cannot be read: {reason}", path=url, hint="check the address and the login"
        ) from error


def http_bytes(url: str) -> bytes:
    """Return all bytes of a file."""
    with naming(url):
        try:
            with _answer(url) as response:
                check_size(response.length or 0)
                content = read_within(response)
                if response.length:  # bytes missing at the end
                    raise ConnectionResetError
        except InputError:
            raise
        except Exception as error:
            raise _fault(error) from None
    return content


class MissingError(InputError):
    """There is no file, or none that the server shows."""


def _answer(url: str) -> Any:
    """Return the response to a request, with headers read."""
    from urllib import request
    from urllib.error import HTTPError

    place, login = _split(url)
    asked = request.Request(place, headers={"User-Agent": "bbc"})
    if login is not None:  # not sent to the target of a redirection
        asked.add_unredirected_header("Authorization", f"Basic {login}")
    opener = request.OpenerDirector()
    opener.add_handler(request.HTTPErrorProcessor())
    # redirections are followed to web servers only
    for name in ("Proxy", "HTTP", "HTTPS", "HTTPRedirect", "HTTPDefaultError", "Unknown"):
        opener.add_handler(getattr(request, f"{name}Handler")())
    try:
        return opener.open(asked, timeout=resources.reading_limits().timeout)
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


def _fault(error: Exception) -> InputError:
    """Describe an error of the network."""
    cause = getattr(error, "reason", None)
    if isinstance(error, TimeoutError) or isinstance(cause, TimeoutError):
        return no_answer()
    if type(error).__name__ in ("IncompleteRead", "RemoteDisconnected", "ConnectionResetError"):
        return InputError("the server closed the connection early", hint="try again later")
    words = getattr(cause, "strerror", None) or str(cause or error) or type(error).__name__
    return InputError(f"cannot be read: {' '.join(words.split())}", hint="check the address")


def no_answer() -> InputError:
    """Return the error about a server that does not respond in time."""
    return InputError(
        f"no answer within {resources.reading_limits().timeout:g} s",
        hint="try again later, or wait longer with --timeout 120",
    )
