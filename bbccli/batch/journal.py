"""The journal of a batch: results line by line, safe against crashes at any moment.

The journal is a file beside the output that only grows. Each group of lines is flushed to disk
before the next, and each line has a checksum, so that a damaged line is skipped without affecting
others. Nothing is written before the first result; then an incomplete last line is cut off. A
batch locks its journal; the system lifts the lock of a dead process. An empty journal is removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import IO, Any

from bbccli.documents.correct import SCHEMA_VERSION
from bbccli.errors import BbcError, OptionError
from bbccli.platform.atomic import sync_folder
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Json

_MOST_NAMED = 5
"""Damaged lines listed by number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Position of a line, and the fingerprint of its files."""

    start: int
    size: int
    files: str | None


@dataclass(slots=True)
class Journal:
    """The lines of a batch by key; see `Journal.opened`.

    Attributes
    ----------
    entries
        The last line of each key; a failure has no fingerprint.
    damaged
        Numbers of the damaged lines, from 1; they stay in the file.
    unfinished
        True if a batch was stopped before it had all files.
    """

    path: Path
    file: IO[bytes]
    entries: dict[str, Entry] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)
    unfinished: bool = False
    _end: int = 0
    _begun: bool = False

    @classmethod
    @contextmanager
    def opened(cls, path: Path, *, resume: bool) -> Iterator[Journal]:
        """Lock the journal and index it; without `resume`, start it anew.

        Nothing is written before the first `append`, so that a refused batch changes nothing. An
        OptionError if another batch holds the journal, if it can't be written or is none, or if it
        is damaged or unfinished and `resume` does not say so.
        """
        with locked(path) as file:
            journal = cls(path, file)
            journal._index()
            if not resume and journal.damaged:
                raise OptionError(
                    journal.damage,
                    hint=("use --resume to keep the intact lines, or delete it to start over"),
                )
            if not resume and journal.unfinished:
                raise OptionError(
                    f"{path} holds the results of an interrupted batch",
                    hint="continue it with --resume, or delete it to start over",
                )
            if not resume:
                journal.entries.clear()
                journal._end = 0
            yield journal

    @classmethod
    def glance(cls, path: Path) -> Journal | None:
        """Return the content of a journal without locking it; None if there is none."""
        if not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                journal = cls(path, file)
                journal._index()
        except OSError as error:
            raise _cannot("read", path, error) from error
        return journal

    def append(self, records: Iterable[str]) -> None:
        """Write records, one JSON object per line, and return when they are on disk."""
        lines = [sealed(record) for record in records]
        if lines:
            self._write(b"".join(lines))
        for line in lines:
            self._index_line(line)

    def finish(self) -> None:
        """Mark the batch as complete."""
        if self.unfinished:
            self._write(FINISHED)
            self._index_line(FINISHED)

    def record(self, key: str) -> Json:
        """Return the record of a key; a BbcError if it changed or can't be read."""
        entry = self.entries[key]
        try:
            with self._reader(entry.start) as reader:
                record = record_in(reader.read(entry.size))
        except OSError as error:
            raise _cannot("read", self.path, error) from error
        if record is None or record["key"] != key:
            raise BbcError(
                f"{self.path} was changed while it was in use",
                hint="use --resume to repeat what was lost",
            )
        return record

    @property
    def damage(self) -> str:
        """Description of the damaged lines; empty if there are none."""
        if not self.damaged:
            return ""
        named = ", ".join(map(str, self.damaged[:_MOST_NAMED]))
        more = ", ..." if len(self.damaged) > _MOST_NAMED else ""
        if len(self.damaged) == 1:
            return f"{self.path}: line {named} is damaged, or not of a batch"
        lines = f"{len(self.damaged)} lines are damaged, or not of a batch"
        return f"{self.path}: {lines}: {named}{more}"

    def _reader(self, start: int = 0) -> IO[bytes]:
        """Return the file from a position on, buffered."""
        self.file.seek(start)
        # no copy of the descriptor: if left open, it would keep the lock
        return open(self.file.fileno(), "rb", closefd=False)

    def _index(self) -> None:
        """Find the intact lines."""
        try:
            with self._reader() as reader:
                first, rest = reader.readline(), reader.read(1)
                reader.seek(0)
                for number, line in enumerate(reader, 1):
                    whole = line.endswith(b"\n")
                    if whole and self._index_line(line):
                        continue
                    self.unfinished = True
                    if whole:
                        self.damaged.append(number)
                        self._end += len(line)
        except OSError as error:
            raise _cannot("read", self.path, error) from error
        begun = HEADER.startswith(first) and (first == HEADER or not rest)
        if begun or self.entries:
            return
        if first.startswith(FORM):
            raise OptionError(
                f"{self.path} is the journal of another version of bbc",
                hint="delete it, or name another --output: each version repeats all files",
            )
        raise OptionError(
            f"{self.path} is not the journal of a batch",
            hint="name another --output, or move that file",
        )

    def _index_line(self, line: bytes) -> bool:
        """Index a line; return False if it is damaged."""
        if line == FINISHED:
            self.unfinished = False
        elif line != HEADER:
            record = record_in(line)
            if record is None:
                return False
            self.entries[record["key"]] = Entry(self._end, len(line), record["files"])
            self.unfinished = True
        self._end += len(line)
        return True

    def _write(self, text: bytes) -> None:
        """Append all of the text and wait for the disk."""
        try:
            if not self._begun:
                self.file.truncate(self._end)
                with suppress(
                    OSError, AttributeError
                ):  # for someone else's journal, and on Windows
                    os.fchmod(self.file.fileno(), 0o600)  # names and contents may be secret
            if not self._end:
                _write_all(self.file, HEADER)
                self._end = len(HEADER)
            _write_all(self.file, text)
            os.fsync(self.file.fileno())
            if not self._begun:
                sync_folder(self.path.parent)
                self._begun = True
        except OSError as error:
            raise _cannot("write", self.path, error) from error


def journal_path(output: Path) -> Path:
    """Return the path of the journal of an output."""
    return output.with_name(f"{output.name}.journal")


def _write_all(file: IO[bytes], text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[file.write(rest) :]


def _cannot(do: str, path: Path, error: OSError) -> BbcError:
    return OptionError(
        f"cannot {do} {path}: {error.strerror or error}",
        hint="make room, then continue with --resume: results so far are kept",
    )


FORM = b'{"journal":"bbc-batch/'
HEADER = FORM + b'2"}\n'
FINISHED = b'{"finished":true}\n'

_SEAL = re.compile(rb',"check":"([0-9a-f]{16})"\}\n\Z')


def sealed(record: str) -> bytes:
    r"""Return the line for a JSON object, with a checksum at its end.

    Examples
    --------
    >>> sealed('{"key":"k"}' + chr(10))
    b'{"key":"k","check":"09271c93db1eab71"}\n'
    """
    body = record.encode().removesuffix(b"}\n")
    return b'%b,"check":"%b"}\n' % (body, _checksum(body))


def record_in(line: bytes) -> Json | None:
    """Return the record of a line; None if it is damaged or not ours."""
    seal = _SEAL.search(line)
    if seal is None or seal[1] != _checksum(line[: seal.start()]):
        return None
    try:
        record = json.loads(line[: seal.start()] + b"}")
    except (ValueError, RecursionError):
        return None
    return record if _is_record(record) else None


def _checksum(body: bytes) -> bytes:
    """Return the first 64 bits of SHA-256 in hexadecimal."""
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _is_record(value: Any) -> bool:
    """True for a value in the form of a record."""
    if not _has(value, key=str, path=str) or ("error" in value) == ("document" in value):
        return False
    if "error" in value:
        failed = _has(value["error"], problem=str, hint=str, status=int)
        return failed and value.get("files") is None
    document = value["document"]
    complete = _has(document, input=dict, estimates=list, gate=dict | None)
    return complete and document.get("schema") == SCHEMA_VERSION and _has(value, files=str)


def _has(value: Any, **kinds: Any) -> bool:
    """True for an object with members of these types."""
    return isinstance(value, dict) and all(
        isinstance(value.get(name), kind) for name, kind in kinds.items()
    )


_LOCKED_BYTE = 2**40
"""Byte that Windows locks: far behind the lines, which others may read."""


@contextmanager
def locked(path: Path) -> Iterator[IO[bytes]]:
    """Yield the journal, open for appending and locked; remove it if nothing was written."""
    while True:
        file = _opened(path)
        try:
            _lock(file, path)
            if _is_at(file, path):
                break
        except BaseException:
            file.close()
            raise
        file.close()  # the previous owner removed it meanwhile
    with file:
        try:
            yield file
        finally:
            with suppress(OSError):
                if not os.fstat(file.fileno()).st_size:
                    path.unlink()


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
            hint="name an --output in a writable folder",
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
