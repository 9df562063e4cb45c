"""Logs of evaluations: the score of each configuration on each item, and their files."""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from bbccli.core import reading
from bbccli.core.local import opened, within
from bbccli.errors import InputError
from bbccli.readers.sources.files import PACKINGS, file_bytes, sha256_of, unpacked
from bbccli.readers.sources.limits import check_ratio, unpack_within

DAMAGED: Final = "copy or write the file again"
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

_HEAD = 2**16
"""Bytes by which a file is recognised."""

_ZSTD = 93
"""Compression method of zip files that `zipfile` knows only from Python 3.14 on."""


class ItemScores(NamedTuple):
    """One item in one epoch.

    Parameters
    ----------
    item
        Key of the item within its task.
    scores
        By scorer; None where it gave none.
    epoch
        Which time the item was asked, from 1; 0 where the framework does not say and `Log` counts.
    error
        Why there is no answer; empty where there is one. Scores beside an error are those that
        the framework gives a failed request.
    about
        What is known of the item, such as its subject, by a name that `--group` may name.
    content
        Question and answer of the item, as far as the key does not tell; a prompt may change the
        question, but not both.
    """

    item: str
    scores: Mapping[str, float | None]
    epoch: int = 0
    error: str = ""
    about: Mapping[str, object] = NOTHING
    content: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class ScorerInfo:
    """A scorer: bounds and reported mean of the scores that it gives.

    Parameters
    ----------
    bounds
        Smallest and largest possible score; None where unknown.
    reported
        The framework's own mean over the items; None where it has none.
    tolerance
        Largest difference that its rounding explains.
    unchecked
        Why its figure is not the mean over items of the mean over epochs.
    lower_is_better
        True of losses.
    """

    bounds: tuple[float, float] | None = None
    reported: float | None = None
    tolerance: float = 1e-6
    unchecked: str = ""
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One run of one configuration on one task.

    Parameters
    ----------
    place
        The file.
    task
        Name of the task; empty if a framework has no tasks.
    configuration
        Properties that tell configurations apart, the most telling key first: `model`, `prompt`,
        `solver` and settings. Runs of equal configurations on one task are repetitions, of which
        the newest counts.
    details
        Properties that tell configurations apart if those are equal, such as the text of a prompt.
    results
        In any order.
    scorers
        By name, the default one first.
    created
        Time of the run, as text that sorts by time; empty if unknown.
    left_out
        Reason for exclusion; else empty.
    """

    place: Path
    task: str = ""
    configuration: Mapping[str, object]
    details: Mapping[str, object] = field(default_factory=dict)
    results: Sequence[ItemScores] = ()
    scorers: Mapping[str, ScorerInfo] = field(default_factory=dict)
    created: str = ""
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Framework:
    """An evaluation framework, with functions that recognise and read its logs.

    Parameters
    ----------
    name
        Name of the framework.
    signature
        Files that it writes, in Markdown.
    score
        Default score, unless `--prediction` names another one, in Markdown.
    owns
        True for one of its files.
    load
        Files -> a log per run; all at once, since one may complete another.
    headline
        False if it does not say which of several scores counts, so that the first one does.
    untested
        True if no output of the framework itself was ever read, only files made from a description.
    """

    name: str
    signature: str
    score: str
    owns: Callable[[File], bool]
    load: Callable[[Sequence[File]], Iterable[Log]]
    headline: bool = True
    untested: bool = False


class File:
    """A file that may be a log, read once, on demand; within `folder`, if given, it must not leave
    it.
    """

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        self.path = path
        self._folder = folder
        suffix = path.suffix.lower()
        self.packing = PACKINGS.get(suffix)
        self.name = path.stem if self.packing else path.name
        """Name without the suffix of a packing."""
        self.stem, _, ending = self.name.rpartition(".")
        self.suffix = f".{ending.lower()}"

    @cached_property
    def content(self) -> bytes:
        """All bytes, decompressed."""
        with self._inside():
            data = file_bytes(self.path)
        return unpacked(data, self.packing, str(self.path)) if self.packing and data else data

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed."""
        if self.packing:
            return self.content[:_HEAD]
        try:
            with self.opened() as file:
                return file.read(_HEAD)
        except (OSError, ValueError):
            return b""

    @cached_property
    def json(self) -> Any:
        """The JSON value of the file."""
        return json_of(self.content, self.path)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the JSON object in the file, or in its first line; else empty."""
        if self.suffix == ".json":
            value = self.json
        else:
            line, end, _ = self.head.partition(b"\n")
            value = json_of(line if end else self.content.partition(b"\n")[0], self.path, "line 1 ")
        return frozenset(value) if isinstance(value, dict) else frozenset()

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """The objects of JSON Lines."""
        records = []
        for number, line in enumerate(self.content.split(b"\n"), start=1):
            if line.strip():
                value = json_of(line, self.path, f"line {number} ")
                if not isinstance(value, dict):
                    raise InputError(
                        f"line {number} is not a JSON object", path=str(self.path), hint=DAMAGED
                    )
                records.append(value)
        return records

    @cached_property
    def sha256(self) -> str:
        """Hash of the file as stored."""
        with self._inside():
            return sha256_of(self.path)

    def beside(self, path: Path) -> File:
        """Return another file, read under the same conditions."""
        return File(path, self._folder)

    def opened(self) -> BufferedReader:
        """Open the file as stored."""
        with self._inside():
            return opened(self.path)

    def _inside(self) -> AbstractContextManager[None]:
        if self._folder is None:
            return nullcontext()
        return within(self._folder, follow_links=reading.current().follow_links)

    def fault(self, problem: str, hint: str = DAMAGED) -> InputError:
        """Return the error about this file."""
        return InputError(problem, path=str(self.path), hint=hint)


def number_of(value: Any) -> float | None:
    """Return a JSON number as float; None for anything else, infinity if it overflows."""
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def json_of(content: bytes, path: Path, where: str = "") -> Any:
    """Parse a JSON value."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError(f"{where}is not valid JSON", path=str(path), hint=DAMAGED) from None


class Zip:
    """A zip file with limits on the decompressed size of its members."""

    def __init__(self, file: File) -> None:
        self._file, self._stream = file, file.opened()
        try:
            self._zip = zipfile.ZipFile(self._stream)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            self._stream.close()
            raise file.fault("is not a zip file, or was cut off") from None
        self.names = frozenset(self._zip.namelist())
        self._packed = file.path.stat().st_size
        self._read = 0

    def __enter__(self) -> Zip:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def json(self, name: str) -> Any:
        """Return the JSON value of a member."""
        return json_of(self._bytes(name), self._file.path, f"{name} ")

    def _bytes(self, name: str) -> bytes:
        import pyarrow as pa

        path = str(self._file.path)
        try:
            member = self._zip.getinfo(name)
            if member.compress_type == _ZSTD:
                raw = pa.BufferReader(self._raw(member))
                with pa.CompressedInputStream(raw, "zstd") as stream:
                    data = unpack_within(stream, path, "zip", member.compress_size)
            else:
                with self._zip.open(member) as stream:
                    data = unpack_within(stream, path, "zip", member.compress_size)
        except KeyError:
            raise self._file.fault(f"has no {name}") from None
        except (
            pa.ArrowException,
            zipfile.BadZipFile,
            OSError,
            ValueError,
            RuntimeError,
            NotImplementedError,
            EOFError,
            struct.error,
        ):
            raise self._file.fault(f"{name} is truncated or damaged") from None
        self._read += len(data)  # small or overlapping members add up
        check_ratio(self._read, self._packed, path, "zip", "read fewer logs at a time")
        return data

    def _raw(self, member: zipfile.ZipInfo) -> bytes:
        """Return the bytes of a member as stored."""
        file = self._stream
        if member.flag_bits & 1:  # encrypted
            raise ValueError
        file.seek(member.header_offset)
        header = file.read(30)
        n_name, n_extra = struct.unpack("<HH", header[26:30])
        file.seek(member.header_offset + 30 + n_name + n_extra)
        data = file.read(member.compress_size)
        if header[:4] != b"PK\x03\x04" or len(data) != member.compress_size:
            raise ValueError
        return data
