"""Local files that are read: no result takes their place, and no folder leads out of itself."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from bbccli.errors import InputError, OptionError

Identity = tuple[int, int]
"""Device and inode of a regular file, which are the same by whatever name or link."""

STDOUT = 1

_FLAGS = os.O_RDONLY | sum(getattr(os, f"O_{n}", 0) for n in ("BINARY", "CLOEXEC", "NONBLOCK"))
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_OF_FOLDER = os.O_RDONLY | sum(getattr(os, f"O_{n}", 0) for n in ("CLOEXEC", "DIRECTORY"))


@dataclass(frozen=True, slots=True)
class _Files:
    """Files that a command has read, and those of its results, each with a name for messages."""

    read: dict[Identity, str] = field(default_factory=dict)
    results: dict[Identity, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is not left.

    Parameters
    ----------
    given
        Its path as it was named.
    real
        Its path without links.
    descriptor
        Of the open folder; None where the system has none.
    follow_links
        True if links may lead out of it.
    """

    given: str
    real: str
    descriptor: int | None
    follow_links: bool


_FILES: ContextVar[_Files | None] = ContextVar("files", default=None)
_FOLDER: ContextVar[_Folder | None] = ContextVar("folder", default=None)


@contextmanager
def command() -> Iterator[None]:
    """Record the files that are read in the body, so that no result overwrites one of them."""
    token = _FILES.set(_Files())
    try:
        claim(STDOUT, "standard output")
        yield
    finally:
        _FILES.reset(token)


@contextmanager
def trying() -> Iterator[None]:
    """Look into files that may not be input: none is recorded."""
    token = _FILES.set(None)
    try:
        yield
    finally:
        _FILES.reset(token)


def claim(target: str | Path | int, words: str) -> None:
    """Register the target of a result, so that reading it is refused before the work.

    Parameters
    ----------
    target
        A path, or a descriptor.
    words
        For messages, such as the option.

    Raises
    ------
    OptionError
        The file has been read already.
    """
    files, found = _FILES.get(), identity(target)
    if files is not None and found is not None:
        files.results.setdefault(found, words)
        if found in files.read:
            raise _both(words, files.read[found])


def check_unread(target: str | Path | int, words: str) -> None:
    """Refuse to write to a file that the command has read.

    Raises
    ------
    OptionError
        It has, by whatever name or link.
    """
    files = _FILES.get()
    found = identity(target) if files is not None and files.read else None
    if files is not None and found in files.read:
        raise _both(files.results.get(found, words), files.read[found])


def note(path: str | Path | int, name: str = "") -> None:
    """Record a file that is read by other means than `opened`.

    Parameters
    ----------
    path
        A path, or a descriptor.
    name
        For messages, where it is another.

    Raises
    ------
    OptionError
        A result is to be written there.
    """
    found = _FILES.get() and identity(path)
    if found:
        _note(found, name or str(path))


def opened(path: str | Path) -> BufferedReader:
    """Open a file for reading, and record it.

    Within a folder (see `within`) it must be a regular file, and lie there.

    Raises
    ------
    OSError, ValueError
        It can't be opened.
    InputError
        It leads out of the folder, or is a pipe, a socket or a device in it.
    OptionError
        A result is to be written there.
    """
    folder = _FOLDER.get()
    file = open(_opened_in(folder, path), "rb") if folder else Path(path).open("rb")  # noqa: SIM115
    try:
        found = os.fstat(file.fileno())
        if folder is not None and not stat.S_ISREG(found.st_mode):
            raise _irregular(path)
        if stat.S_ISREG(found.st_mode):
            _note((found.st_dev, found.st_ino), str(path))
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
    """Open nothing in the body that is not in a folder.

    The folder itself may be a link: it was named. A hard link is a file of the folder like any
    other.

    Parameters
    ----------
    follow_links
        True if links may lead out of it, to regular files.
    """
    descriptor = None
    if os.open in os.supports_dir_fd:
        with suppress(OSError):  # said by what lists or opens something in it
            descriptor = os.open(folder, _OF_FOLDER)
    token = _FOLDER.set(_Folder(str(folder), os.path.realpath(folder), descriptor, follow_links))
    try:
        yield
    finally:
        _FOLDER.reset(token)
        if descriptor is not None:
            os.close(descriptor)


def identity(target: str | Path | int) -> Identity | None:
    """Return device and inode of a file, behind all links; None where there is no regular file.

    Parameters
    ----------
    target
        A path, or a descriptor.
    """
    try:
        found = os.stat(target)  # noqa: PTH116 - also of descriptors
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _note(found: Identity, name: str) -> None:
    files = _FILES.get()
    if files is None:
        return
    files.read.setdefault(found, name)
    if found in files.results:
        raise _both(files.results[found], name)


def _both(words: str, name: str) -> OptionError:
    return OptionError(f"{words} is a file that is read: {name}", hint="name another file for it")


def _opened_in(folder: _Folder, path: str | Path) -> int:
    """Descriptor of a regular file in a folder; nothing that a process waits for is opened."""
    try:
        steps = Path(path).absolute().relative_to(Path(folder.given).absolute()).parts
    except ValueError:
        steps = ("..",)
    if ".." in steps or not steps:
        raise InputError(
            "is not in the folder that is read",
            path=str(path),
            hint="the folder names files elsewhere: don't read it unless you trust who made it",
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
            f"a link leads out of the folder, to {real}",
            path=str(path),
            hint="--follow-links if you trust who made the folder",
        )
    return _walked(folder, real)


def _walked(folder: _Folder, real: str) -> int:
    """Open a file step by step from its folder, so that none can become a link meanwhile."""
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
        hint="replace it by a file with its content, or remove it",
    )
