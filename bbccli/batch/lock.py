"""A file that one process has at a time, and that is gone again if it stays empty."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bbccli.errors import OptionError

_LOCKED_BYTE = 2**40
"""Where Windows locks a file: far from its lines, which others may read."""


@contextmanager
def locked(path: Path) -> Iterator[IO[bytes]]:
    """Yield the journal, open for appending and locked; it is removed if nothing was written.

    Raises
    ------
    OptionError
        It can't be opened or locked, another process has it, or it is not a file.
    """
    while True:
        file = _opened(path)
        try:
            _lock(file, path)
            if _is_at(file, path):
                break
        except BaseException:
            file.close()
            raise
        file.close()  # who had it has removed it meanwhile
    with file:
        try:
            yield file
        finally:
            with suppress(OSError):
                if not os.fstat(file.fileno()).st_size:
                    path.unlink()


def make_private(file: IO[bytes]) -> None:
    """Keep a file for us alone: what other files are called, and what is in them, may be secret."""
    if os.name != "nt":
        with suppress(OSError):  # a journal that belongs to another stays as it is
            os.fchmod(file.fileno(), 0o600)


def _opened(path: Path) -> IO[bytes]:
    def private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)

    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            raise OSError(0, "it is not a file")
        return open(path, "a+b", buffering=0, opener=private)
    except OSError as error:
        raise OptionError(
            f"cannot write {path}: {error.strerror or error}",
            hint="name an --output in a folder that can be written to",
        ) from error


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(_LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:
        raise OptionError(
            f"another batch is writing {path.name.removesuffix('.journal')}",
            hint="wait for it, or name another --output",
        ) from error
    except OSError as error:
        raise OptionError(
            f"cannot lock {path}: {error.strerror}", hint="name an --output on a local disk"
        ) from error
