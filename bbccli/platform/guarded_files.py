"""Open local input files: no result overwrites them, and no folder leads out of itself."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import field
from io import BufferedReader
from pathlib import Path

from bbccli.errors import InputError, OptionError
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import in_force
from bbccli.platform.text import pattern

Identity = tuple[int, int]
"""Device and inode of a regular file, the same for all its names and links."""

STDOUT = 1

_URL = pattern(r"[A-Za-z][A-Za-z0-9+.-]+://")

_FLAGS = os.O_RDONLY | sum(getattr(os, f"O_{n}", 0) for n in ("BINARY", "CLOEXEC", "NONBLOCK"))
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_OF_FOLDER = os.O_RDONLY | sum(getattr(os, f"O_{n}", 0) for n in ("CLOEXEC", "DIRECTORY"))


@dataclass(frozen=True, slots=True)
class _Files:
    """Files that a command has read and those it will write, with names for messages."""

    read: dict[Identity, str] = field(default_factory=dict)
    results: dict[Identity, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that reading must not leave; its descriptor is None where the system has none."""

    given: str
    real: str
    descriptor: int | None
    follow_links: bool


_FILES: ContextVar[_Files | None] = ContextVar("files", default=None)
_FOLDER: ContextVar[_Folder | None] = ContextVar("folder", default=None)


def is_url(path: str | Path) -> bool:
    """Return True if a path is a URL, such as s3://bucket/file.csv."""
    return isinstance(path, str) and _URL.match(path) is not None


@contextmanager
def inputs_recorded() -> Iterator[None]:
    """Record the files read in the body, so that no result overwrites one of them."""
    with in_force(_FILES, _Files()):
        claim(STDOUT, "standard output")
        yield


def trying() -> AbstractContextManager[object]:
    """Look into files that may not be input, without recording them."""
    return in_force(_FILES, None)


def claim(target: str | Path | int, words: str) -> None:
    """Register the target of a result, a path or descriptor, so that reading it is refused.

    `words` name it in messages. An OptionError if the file has been read already.
    """
    files, file = _FILES.get(), identity(target)
    if files is not None and file is not None:
        files.results.setdefault(file, words)
        if file in files.read:
            raise _overwriting(words, files.read[file])


def check_unread(target: str | Path | int, words: str) -> None:
    """Raise an OptionError if a target was read by this command, by whatever name or link."""
    files = _FILES.get()
    file = identity(target) if files is not None and files.read else None
    if files is not None and file in files.read:
        raise _overwriting(files.results.get(file, words), files.read[file])


def record_read(path: str | Path | int, name: str = "") -> None:
    """Record a file read by other means than `opened`; an OptionError if a result goes there."""
    file = _FILES.get() and identity(path)
    if file:
        _note(file, name or str(path))


def opened(path: str | Path) -> BufferedReader:
    """Open a file for reading, and record it.

    Raises OSError or ValueError if it can't be opened, OptionError if a result is to be written
    there and, in a folder (see `within`), InputError if it leads out or is no regular file.
    """
    folder = _FOLDER.get()
    file = open(_opened_in(folder, path), "rb") if folder else Path(path).open("rb")  # noqa: SIM115
    try:
        status = os.fstat(file.fileno())
        if folder is not None and not stat.S_ISREG(status.st_mode):
            raise _irregular(path)
        if stat.S_ISREG(status.st_mode):
            _note((status.st_dev, status.st_ino), str(path))
    except BaseException:
        file.close()
        raise
    return file


def bytes_of(path: str | Path) -> bytes:
    """Return all bytes of a file; raises as `opened`."""
    with opened(path) as file:
        return file.read()


@contextmanager
def within(folder: Path, *, follow_links: bool) -> Iterator[None]:
    """Refuse to open anything outside a folder in the body, unless `follow_links`.

    The folder itself may be a link, since it was named; hard links count as its own files.
    """
    descriptor = None
    if os.open in os.supports_dir_fd:
        with suppress(OSError):  # reported when something in it is listed or opened
            descriptor = os.open(folder, _OF_FOLDER)
    given = _Folder(str(folder), os.path.realpath(folder), descriptor, follow_links)
    try:
        with in_force(_FOLDER, given):
            yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def identity(target: str | Path | int) -> Identity | None:
    """Return device and inode of a path or descriptor, links followed; None if no regular file."""
    try:
        status = os.stat(target)  # noqa: PTH116 - also of descriptors
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _note(file: Identity, name: str) -> None:
    files = _FILES.get()
    if files is None:
        return
    files.read.setdefault(file, name)
    if file in files.results:
        raise _overwriting(files.results[file], name)


def _overwriting(words: str, name: str) -> OptionError:
    return OptionError(f"{words} would overwrite an input file: {name}", hint="name another file")


def _opened_in(folder: _Folder, path: str | Path) -> int:
    """Return the descriptor of a regular file in a folder; never block on a pipe or device."""
    try:
        steps = Path(path).absolute().relative_to(Path(folder.given).absolute()).parts
    except ValueError:
        steps = ("..",)
    if ".." in steps or not steps:
        raise InputError(
            "is outside the folder that is read",
            path=str(path),
            hint="the folder refers to files elsewhere: read it only if you trust who made it",
        )
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - of what a link leads to
        if os.path.isdir(path):  # noqa: PTH112
            raise IsADirectoryError(0, "is a directory", str(path))
        raise _irregular(path)
    real = os.path.realpath(path)
    if folder.follow_links:
        return os.open(real, _FLAGS)
    if not Path(real).is_relative_to(folder.real):
        raise InputError(
            f"a link points outside the folder, to {real}",
            path=str(path),
            hint="use --follow-links if you trust who made the folder",
        )
    return _opened_stepwise(folder, real)


def _opened_stepwise(folder: _Folder, real: str) -> int:
    """Open a file step by step from its folder, so that no step can become a link meanwhile."""
    if folder.descriptor is None:
        return os.open(real, _FLAGS | _NO_LINK)
    *steps, name = Path(real).relative_to(folder.real).parts
    at = folder.descriptor
    try:
        for step in steps:
            below = os.open(step, _OF_FOLDER | _NO_LINK, dir_fd=at)
            if at != folder.descriptor:
                os.close(at)
            at = below
        return os.open(name, _FLAGS | _NO_LINK, dir_fd=at)
    finally:
        if at != folder.descriptor:
            os.close(at)


def _irregular(path: str | Path) -> InputError:
    return InputError(
        "is a pipe, a socket or a device, not a file",
        path=str(path),
        hint="replace it with a regular file, or remove it",
    )
