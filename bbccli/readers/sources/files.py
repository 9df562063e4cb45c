"""Bytes of a file or of stdin, unpacked, and the format they are in."""

from __future__ import annotations

import difflib
import glob
import hashlib
import os
import re
import stat
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePath

from bbccli.core.local import note, opened
from bbccli.core.text import redacted
from bbccli.errors import InputError
from bbccli.readers.sources.ipc import MAGIC as ARROW_MAGIC
from bbccli.readers.sources.limits import AGAIN, check_size, read_within, unpack_within
from bbccli.readers.sources.memory import ArrowStream, in_memory, name_in_messages
from bbccli.readers.sources.urls import is_pattern, is_url, matching_urls, path_of, url_bytes

Paths = str | Path | ArrowStream | Sequence[str | Path]
"""Input: one file, several, or a table in memory."""

STDIN = "-"
STDIN_NAME = "<stdin>"
LARGE = 32 * 2**20
"""Bytes from which a Parquet file is read column by column and not kept."""

SUPPORTED = (
    ".parquet, .feather, .arrow, .csv, .tsv, .csv.gz, .tsv.gz, .csv.zst, .tsv.zst, .txt, "
    ".jsonl, .arff"
)

_PARQUET_MAGIC = b"PAR1"
_ARFF_START = re.compile(rb"(?:\s|%[^\n]*\n)*@relation", re.IGNORECASE)
_REFUSED = dict.fromkeys(
    (".pkl", ".pickle", ".joblib"), "pickles can run code and are never loaded; "
) | dict.fromkeys((".npy", ".npz"), "arrays have no names and may hold pickles; ")
PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_PACKING_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class Format(StrEnum):
    """File format of a table."""

    PARQUET = "Parquet"
    CSV = "CSV"
    TSV = "TSV"
    ARFF = "ARFF"
    JSONL = "JSONL"
    ARROW = "Arrow"
    DELIMITED = "text"


_TEXT = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".txt": Format.DELIMITED,
    ".arff": Format.ARFF,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
}
_BINARY = {
    ".parquet": Format.PARQUET,
    **dict.fromkeys((".feather", ".arrow", ".arrows", ".ipc"), Format.ARROW),
}


def read_content(path: str | Path) -> tuple[str, bytes, Format, str]:
    """Read a file, or stdin where `path` is "-"; unpack it and tell its format.

    The suffix decides; without one (stdin, pipes) the content does.

    Returns
    -------
    name
        Path, for messages.
    data
        Unpacked bytes; none of a large Parquet file, which is not kept.
    form
        Format.
    sha256
        Hash of the bytes as they were read.

    Raises
    ------
    InputError
        A file that is missing, not readable, empty, of an unknown suffix, or damaged.
    """
    if str(path) == STDIN:
        name, data, suffix, packing = STDIN_NAME, stdin_bytes(), "", None
    elif is_url(path):
        name = redacted(str(path))
        suffix, packing = _suffixes(path_of(str(path)), name=name)
        data = url_bytes(str(path))
    else:
        name, (suffix, packing) = str(path), _suffixes(Path(path))
        if suffix == ".parquet" and _is_large(Path(path)):
            return name, b"", Format.PARQUET, sha256_of(Path(path))
        data = file_bytes(Path(path))
    sha256 = hashlib.sha256(data).hexdigest()
    if not suffix:
        packing = next((p for magic, p in _PACKING_MAGIC.items() if data.startswith(magic)), None)
    if packing is not None and data:
        data = unpacked(data, packing, name)
    if not data or data.isspace():
        raise InputError("file is empty", path=name, hint="a header line and one row per sample")
    return name, data, _format(suffix, data), sha256


def listed(paths: Paths) -> list[str | Path | ArrowStream]:
    """Return what is to be read as a list; a table in memory is one thing, not its columns."""
    return [paths] if isinstance(paths, str | Path) or in_memory(paths) else list(paths)


def expand(paths: Paths) -> list[str | Path | ArrowStream]:
    """Return the paths one by one, patterns such as `runs/*.csv` replaced by what they match.

    A table in memory stands for itself.

    Raises
    ------
    InputError
        A pattern that matches no file, no path or an empty one, or a table in memory beside others.
    """
    found: list[str | Path | ArrowStream] = []
    for path in listed(paths):
        if isinstance(path, str) and not path:
            raise InputError("the name of a file is empty", hint="is its variable set?")
        matches = [path] if in_memory(path) else _matches(path)
        if not matches:
            raise InputError("matches no file", path=str(path), hint="check the pattern")
        found += matches
    for one in filter(in_memory, found if len(found) > 1 else ()):  # none has a name of its own
        raise InputError(
            "a table in memory is read alone",
            path=name_in_messages(one),
            hint="put the tables under one another, with a column `config`",
        )
    if not found:
        raise InputError("no file to read", hint="name at least one")
    return found


def _matches(path: str | Path) -> Sequence[str | Path]:
    """Return the paths that a pattern matches, sorted; a path that is no pattern, or exists."""
    if is_url(path):
        return matching_urls(str(path)) if is_pattern(str(path)) else [path]
    # os.path never raises, unlike Path
    if not glob.has_magic(str(path)) or os.path.exists(path):  # noqa: PTH110
        return [path]
    pattern = Path(path)
    root = Path(pattern.anchor)
    try:
        return sorted(root.glob(str(pattern.relative_to(root))))
    except (OSError, ValueError, NotImplementedError):
        return []


def _suffixes(path: PurePath, name: str = "") -> tuple[str, str | None]:
    """Suffix of the table and name of the packing; empty and None where there is none."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    packing = PACKINGS.get(suffixes[-1]) if suffixes else None
    if packing is not None:
        suffixes = suffixes[:-1]
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _TEXT or (packing is None and (suffix in _BINARY or not suffix)):
        return suffix, packing
    if isinstance(path, Path) and (not os.path.exists(path) or path.is_dir()):  # noqa: PTH110
        return suffix, None
    reason = _REFUSED.get(suffix, "")
    raise InputError(
        f"files that end in {''.join(path.suffixes[-2:]) if packing else suffix} cannot be read",
        path=name or str(path),
        hint=f"{reason}use one of {SUPPORTED}",
    )


def _is_large(path: Path) -> bool:
    """True if a file is large enough to be read column by column."""
    try:
        return path.is_file() and path.stat().st_size >= LARGE
    except (OSError, ValueError):
        return False


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, read piece by piece.

    Raises
    ------
    InputError
        The file can't be read.
    """
    try:
        with opened(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise InputError(problem, path=path, hint="check the path") from None


def file_bytes(path: Path) -> bytes:
    """Return all bytes of a file.

    Raises
    ------
    InputError
        The file is missing, a directory or a device, or not readable.
    """
    try:
        with opened(path) as file:
            kind = os.fstat(file.fileno()).st_mode
            if stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not file.isatty()):
                raise InputError("is a device, not a file", path=path, hint="name a file or a pipe")
            if not stat.S_ISREG(kind):
                return read_within(file, str(path))
            check_size(os.fstat(file.fileno()).st_size, str(path))
            return file.read()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    """Build the error about a file that can't be opened or read."""
    problem, hint = f"cannot be read: {getattr(error, 'strerror', '')}", "check the path"
    match error:
        case FileNotFoundError():
            problem, hint = "no such file", _nearest_file(path)
        case IsADirectoryError():
            problem, hint = "is a directory, not a file", "name one file in it"
        case PermissionError():
            problem, hint = "permission denied", "ask for the right to read the file"
        case ValueError():
            return InputError("is not a file name", path=repr(str(path)), hint=hint)
    return InputError(problem, path=path, hint=hint)


def stdin_bytes() -> bytes:
    """Return all that standard input gives.

    Raises
    ------
    InputError
        It is closed, or can't be read.
    """
    hint = "name a file, or give it one: bbc correct - < FILE"
    if sys.stdin is None:
        raise InputError("standard input is closed", path=STDIN_NAME, hint=hint)
    note(0, STDIN_NAME)
    try:
        return read_within(sys.stdin.buffer, STDIN_NAME)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, path=STDIN_NAME, hint=hint) from None


def _nearest_file(path: Path) -> str:
    """Name the file that was probably meant."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return f"there is no folder {path.parent}"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean {path.parent / close[0]}?" if close else "check the path"


def unpacked(data: bytes, packing: str, name: str) -> bytes:
    """Return the bytes behind gzip or zstd.

    Raises
    ------
    InputError
        They are damaged, or more than limits allow.
    """
    import pyarrow as pa

    try:
        with pa.CompressedInputStream(pa.BufferReader(data), packing) as stream:
            return unpack_within(stream, name, packing, len(data))
    except (pa.ArrowException, OSError):
        problem = f"{packing} data are truncated or damaged"
        raise InputError(problem, path=name, hint=AGAIN) from None


def _format(suffix: str, data: bytes) -> Format:
    """Format by suffix, by content where there is no suffix."""
    if suffix:
        return (_TEXT | _BINARY)[suffix]
    if data.startswith(_PARQUET_MAGIC):
        return Format.PARQUET
    if data.startswith(ARROW_MAGIC):
        return Format.ARROW
    if data.lstrip().startswith(b"{"):
        return Format.JSONL
    return Format.ARFF if _ARFF_START.match(data) else Format.DELIMITED
