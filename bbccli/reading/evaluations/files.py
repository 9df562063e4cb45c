"""Files that may be logs: content, decompressed and parsed on demand."""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import copy
from functools import cached_property
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from bbccli.errors import InputError, naming
from bbccli.platform import resources
from bbccli.platform.guarded_files import opened, within
from bbccli.platform.resources import check_ratio, unpack_within
from bbccli.reading.arrow import pa
from bbccli.reading.sources import PACKINGS, file_bytes, sha256_of, unpacked, unpacked_name
from bbccli.reading.sources.delimited import as_utf8

_T = TypeVar("_T")

DAMAGED: Final = "copy or write the file again"

_HEAD = 2**16
"""Bytes by which a file is recognised."""

_LINES = 20
"""First lines in which an object must stand for a file to be recognised."""

_LONGEST, _HASH = 200, 12
"""Characters in an item's key, and in a hash within it."""

_ZSTD = 93
"""Compression method of zip files that `zipfile` knows only from Python 3.14 on."""


class File:
    """A file that may be a log, read once, on demand; within `folder`, if given, it must not leave
    it.
    """

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        self.path = path
        self._folder = folder
        self.packing = PACKINGS.get(path.suffix.lower())
        self.name = unpacked_name(path.name)
        """Name without the suffix of a packing."""
        self.stem, _, ending = self.name.rpartition(".")
        self.suffix = f".{ending.lower()}"
        self.place = ""
        """What of it is being read."""
        self.companions: list[Path] = []
        """Other files that were read with it."""

    @cached_property
    def content(self) -> bytes:
        """All bytes, decompressed."""
        with self._inside():
            data = file_bytes(self.path)
        return unpacked(data, self.packing, str(self.path)) if self.packing and data else data

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed; of UTF-16 text in UTF-8."""
        head = b""
        if self.packing:
            head = self.content[:_HEAD]
        else:
            with suppress(OSError, ValueError), self.opened() as file:
                head = file.read(_HEAD)
        return self.text[:_HEAD] if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else head

    @cached_property
    def text(self) -> bytes:
        """All of a text, in UTF-8."""
        with naming(self.path):
            return as_utf8(self.content)[0].removeprefix(BOM_UTF8)

    @cached_property
    def json(self) -> Any:
        """The JSON value of the file."""
        return json_of(self.content, self.path)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the JSON object in the file, or of the first one in its lines; else empty."""
        if self.suffix == ".json":
            values = iter([self.json])
        else:
            whole, _, _ = self.head.rpartition(b"\n")
            values = chain(self._values(whole), self._values(self.text))
        first = next((value for value in values if isinstance(value, dict)), {})
        return frozenset(first)

    def _values(self, lines: bytes) -> Iterator[Any]:
        """Yield the values of the first lines of JSON."""
        for number, line in enumerate(lines.split(b"\n", _LINES)[:_LINES], start=1):
            if line.strip():
                yield json_of(line, self.path, f"line {number} ")

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the objects of JSON Lines."""
        for place, value in self._lines.items():
            self.place = place
            yield value
        self.place = ""

    @cached_property
    def _lines(self) -> dict[str, dict[str, Any]]:
        objects = {}
        for number, line in enumerate(self.text.split(b"\n"), start=1):
            if line.strip():
                value = json_of(line, self.path, f"line {number} ")
                if not isinstance(value, dict):
                    raise self.fault(f"line {number} is not a JSON object")
                objects[f"line {number}"] = value
        return objects

    def each(self, values: Iterable[_T], what: str) -> Iterator[_T]:
        """Yield values, and remember which one is being read, such as sample 3."""
        for number, value in enumerate(values, start=1):
            self.place = f"{what} {number}"
            yield value
        self.place = ""

    @cached_property
    def sha256(self) -> str:
        """Hash of the file as stored."""
        with self._inside():
            return sha256_of(self.path)

    def beside(self, path: Path) -> File:
        """Return another file, read under the same conditions."""
        self.companions.append(path)
        return File(path, self._folder)

    def opened(self) -> BufferedReader:
        """Open the file as stored."""
        with self._inside():
            return opened(self.path)

    def _inside(self) -> AbstractContextManager[None]:
        if self._folder is None:
            return nullcontext()
        return within(self._folder, follow_links=resources.reading_limits().follow_links)

    def fault(self, problem: str, hint: str = DAMAGED) -> InputError:
        """Return the error about this file."""
        return InputError(problem, path=str(self.path), hint=hint)


def json_number(value: Any) -> float | None:
    """Return a JSON number as float; None for NaN and anything else, infinity if it overflows."""
    if not isinstance(value, int | float):
        return None
    try:
        return None if math.isnan(value) else float(value)
    except OverflowError:
        return math.inf


def finite_number(value: Any) -> float | None:
    """Return a finite JSON number as float; None for anything else."""
    number = json_number(value)
    return None if number is None or math.isinf(number) else number


def object_of(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def under(prefix: str, value: Any) -> dict[str, Any]:
    """Return the keys of an object behind a prefix, such as `metadata.subject`."""
    return {f"{prefix}.{key}": inner for key, inner in object_of(value).items()}


def short_key(key: str) -> str:
    """Return a key, or of a long one its beginning and hash."""
    return key if len(key) <= _LONGEST else f"{key[: _LONGEST // 2]}... {short_hash(key)}"


def short_hash(text: str) -> str:
    """Return some digits of the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH]


def json_of(content: bytes, path: Path, where: str = "") -> Any:
    """Parse a JSON value; of a key that an object has twice either value may be meant."""
    try:
        return json.loads(content, object_pairs_hook=_object_of)
    except KeyError as error:
        problem = f"{where}has the key {error.args[0]!r} twice in one object"
        raise InputError(problem, path=str(path), hint="keep the right one") from None
    except (ValueError, RecursionError) as error:
        problem, hint = f"{where}is not valid JSON", DAMAGED
        if str(error).startswith("Extra data") and b"\n" in content:
            problem = f"{where}has one value per line, so it is not a log"
            hint = "give it the suffix .jsonl if each line is a sample; a list of failures alone "
            hint += "can't be used"
        raise InputError(problem, path=str(path), hint=hint) from None


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise KeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return values


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
        with naming(self._file.path):
            return json_of(self._bytes(name), self._file.path, f"{name} ")

    def _bytes(self, name: str) -> bytes:
        try:
            member = copy(self._zip.getinfo(name))
            if packed := member.compress_type == _ZSTD:  # read as stored, and unpacked here
                member.compress_type, member.file_size = zipfile.ZIP_STORED, member.compress_size
                del member.CRC
            with self._zip.open(member) as stream:
                plain = pa.CompressedInputStream(stream, "zstd") if packed else stream
                data = unpack_within(plain, "zip", member.compress_size)
        except KeyError:
            raise self._file.fault(f"has no {name}") from None
        except (pa.ArrowException, zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError):
            raise self._file.fault(f"{name} is truncated or damaged") from None
        self._read += len(data)  # small or overlapping members add up
        check_ratio(self._read, self._packed, "zip", "read fewer logs at a time")
        return data
