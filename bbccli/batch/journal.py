"""What is done, kept line by line: the process may be killed at any moment.

The journal lies beside the output. It only grows, each group of lines is on the disk before the
next begins, and a last line that is not whole is cut off when it is opened again. It is locked as
long as a batch writes it; the system lifts the lock of a process that dies.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from bbccli.errors import BbcError, OptionError

Json = dict[str, Any]

HEADER = b'{"journal":"bbc-batch/1"}\n'
FINISHED = b'{"finished":true}\n'
_LOCKED_BYTE = 2**40
"""Where Windows locks the journal: far from its lines, which others may read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a line is, and what it says in short."""

    start: int
    size: int
    files: str | None


@dataclass(slots=True)
class Journal:
    """The lines of a batch by key; see `Journal.opened`.

    Attributes
    ----------
    entries
        The last line of each key; the files of a failure are None.
    unfinished
        Whether a batch was stopped before it had all files.
    """

    path: Path
    file: IO[bytes]
    entries: dict[str, Entry] = field(default_factory=dict)
    unfinished: bool = False
    _end: int = 0

    @classmethod
    @contextmanager
    def opened(cls, path: Path, *, resume: bool) -> Iterator[Journal]:
        """Lock the journal, take up what it holds, or start it anew.

        Raises
        ------
        OptionError
            Another batch has the journal; it can't be written; it is none; or it is that of a batch
            that was stopped, and `resume` does not say what to do with it.
        """
        try:
            file = open(path, "a+b", buffering=0, opener=_private)  # noqa: SIM115
        except OSError as error:
            raise _cannot_write(path, error) from error
        with file:
            _lock(file, path)
            journal = cls(path, file)
            journal._take_up()
            if not resume:
                journal._start_anew()
            yield journal

    @classmethod
    def glance(cls, path: Path) -> Mapping[str, Entry]:
        """Return what a journal holds without taking it; nothing where there is none."""
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            journal = cls(path, file)
            journal._index()
            return journal.entries

    def append(self, lines: Iterable[str]) -> None:
        """Write lines, and return when they are on the disk.

        Raises
        ------
        OptionError
            They can't be written.
        """
        texts = [line.encode() for line in lines]
        self._write(b"".join(texts))
        for text in texts:
            self._note(text)

    def finish(self) -> None:
        """Say that all files have their line."""
        self._write(FINISHED)
        self._end += len(FINISHED)

    def held(self, key: str) -> Json:
        """Return the record of a key that has one."""
        entry = self.entries[key]
        self.file.seek(entry.start)
        return _parsed(self._exactly(entry.size)) or {}

    def _exactly(self, size: int) -> bytes:
        """Bytes from here on; unbuffered files may return fewer than asked for."""
        found = b""
        while len(found) < size:
            more = self.file.read(size - len(found))
            if not more:
                break
            found += more
        return found

    def _take_up(self) -> None:
        """Read all lines; cut off what is left of one that was not finished."""
        self._index()
        try:
            self.file.truncate(self._end)
            if not self._end:
                self._write(HEADER)
                self._end = len(HEADER)
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def _index(self) -> None:
        """Find the lines that are whole."""
        self.file.seek(0)
        reader = os.fdopen(os.dup(self.file.fileno()), "rb")
        with reader:
            first = reader.readline()
            if first and not HEADER.startswith(first):
                raise OptionError(
                    f"{self.path} is not the journal of a batch",
                    hint="name another --output, or move that file",
                )
            if first == HEADER:
                self._end = len(HEADER)
                for line in reader:
                    if not line.endswith(b"\n") or not self._note(line):
                        break

    def _start_anew(self) -> None:
        if self.unfinished:
            raise OptionError(
                f"{self.path} holds what a batch had done when it was stopped",
                hint="--resume goes on with it; delete it to start anew",
            )
        self.entries.clear()
        self.file.truncate(0)
        self._write(HEADER)
        self._end = len(HEADER)

    def _note(self, line: bytes) -> bool:
        """Index a line; False for one that is damaged."""
        if line == FINISHED:
            self.unfinished = False
        else:
            found = _parsed(line)
            if found is None or "key" not in found:
                return False
            self.entries[found["key"]] = Entry(self._end, len(line), found["files"])
            self.unfinished = True
        self._end += len(line)
        return True

    def _write(self, text: bytes) -> None:
        """Append all of the text and wait for the disk."""
        rest = memoryview(text)
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
            os.fsync(self.file.fileno())
        except OSError as error:
            raise _cannot_write(self.path, error) from error


def journal_path(output: Path) -> Path:
    """Return where the journal of an output lies."""
    return output.with_name(f"{output.name}.journal")


def _private(path: str, flags: int) -> int:
    """Open for us alone: what a file is called, and what is in it, may be a secret."""
    descriptor = os.open(path, flags, 0o600)
    if os.name != "nt":
        with suppress(OSError):  # a journal that belongs to another stays as it is
            os.fchmod(descriptor, 0o600)
    return descriptor


def _parsed(line: bytes) -> Json | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


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


def _cannot_write(path: Path, error: OSError) -> BbcError:
    return OptionError(
        f"cannot write {path}: {error.strerror or error}",
        hint="what was written is kept; --resume goes on once there is room",
    )
