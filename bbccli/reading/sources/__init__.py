"""Read a file or stdin, decompress it, and tell its format."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Any

from bbccli.errors import InputError, naming
from bbccli.platform.guarded_files import is_url, opened, record_read
from bbccli.platform.resources import AGAIN, check_size, read_within, unpack_within
from bbccli.platform.text import pattern, redacted
from bbccli.reading.arrow import pa
from bbccli.reading.sample_index import set_aside
from bbccli.reading.sources.parquet import read_parquet
from bbccli.reading.table import ArrowStream, Table, in_memory, plain_table

Paths = str | Path | ArrowStream | Sequence[str | Path]
"""Input: one file, several, or a table in memory."""

STDIN = "-"
STDIN_NAME = "<stdin>"
LARGE = 32 * 2**20
"""From this many bytes on, a Parquet file is read column by column and not kept."""

SUPPORTED = (
    ".parquet, .feather, .arrow, .csv, .tsv, .csv.gz, .tsv.gz, .csv.zst, .tsv.zst, .txt, "
    ".jsonl, .json, .arff, .npy, .npz"
)

_PARQUET_MAGIC = b"PAR1"
_JSON_LINES = pattern(rb"\s*\{[^\n]*\}\s*?\n\s*\{")
_JSON_START = pattern(rb"\s*(?:\[\s*)?\{")
_ARFF_START = pattern(rb"(?:\s|%[^\n]*\n)*@relation", re.IGNORECASE)
_REFUSED = {
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), "pickles can run code and are never loaded; "),
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "save the sheet as CSV; "),
    **dict.fromkeys((".tar", ".tgz", ".zip"), "unpack it and give what is in it; "),
}
PACKINGS = {".gz": "gzip", ".zst": "zstd"}
OF_LOGS = (".csv", ".eval", ".json", ".jsonl", ".xml")
"""Suffixes, without that of a compression, of files that may be logs of evaluations."""

_PACKING_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class Format(StrEnum):
    """File format of a table."""

    PARQUET = "Parquet"
    CSV = "CSV"
    TSV = "TSV"
    ARFF = "ARFF"
    JSONL = "JSONL"
    JSON = "JSON"
    ARROW = "Arrow"
    NUMPY = "NumPy"
    DELIMITED = "text"


_TEXT = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".txt": Format.DELIMITED,
    ".arff": Format.ARFF,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.JSON,
}
_BINARY = {
    ".parquet": Format.PARQUET,
    **dict.fromkeys((".npy", ".npz"), Format.NUMPY),
    **dict.fromkeys((".feather", ".arrow", ".arrows", ".ipc"), Format.ARROW),
}


def read_table(path: str | Path | ArrowStream, keys: Sequence[str] = ()) -> Table:
    """Read a table of plain columns, those of row numbers aside; "-" is stdin.

    Parameters
    ----------
    path
        File or table.
    keys
        Columns that, like those whose names say so, are keys of samples: delimited text has no
        types, and no two of them become one number.

    Raises
    ------
    InputError
        Whatever keeps the file from being read; see `files`, `parquet`, `ipc`, `delimited`,
        `jsonl`, `arff` and `memory`.
    """
    if in_memory(path):
        from bbccli.reading.sources.memory import table_in_memory

        return set_aside(table_in_memory(path))
    name, data, form, sha256 = read_content(path)
    content: Any
    text: bytes | None = None
    nested: tuple[str, ...] = ()
    inside = None
    with naming(name):
        if form is Format.PARQUET:
            content, text, nested = read_parquet(data or Path(path))
        elif form is Format.ARROW:
            from bbccli.reading.sources.ipc import read_ipc

            content, text = read_ipc(data)
        elif form in (Format.JSONL, Format.JSON):
            from bbccli.reading.sources.jsonl import read_jsonl, read_records

            content, nested, inside = (read_jsonl if form is Format.JSONL else read_records)(data)
        elif form is Format.NUMPY:
            from bbccli.reading.sources.memory import read_numpy

            content = read_numpy(data, PurePath(name).stem)
        elif form is Format.ARFF:
            from bbccli.reading.sources.arff import read_arff

            content = read_arff(data)
        else:
            from bbccli.reading.sources.delimited import read_delimited

            content = read_delimited(data, keys, tabs=form is Format.TSV)
    if form in (Format.PARQUET, Format.ARROW):
        about = None if text is None else (text, name)
    else:
        about = _beside(path)
    more = {"sha256": sha256, "nested": nested, "about": about, "inside": inside}
    return set_aside(plain_table(content, name, **more))


def _beside(path: str | Path) -> tuple[bytes, str] | None:
    """`<name>.meta.json` beside `<name>.csv`, `<name>.csv.gz` and the like."""
    if str(path) == STDIN:
        return None
    place = metadata_path(path)
    if is_url(path):
        from bbccli.reading.sources.urls import MissingError, url_bytes

        with suppress(MissingError):
            return url_bytes(place), place
        return None
    # os.path never raises, unlike Path
    return (file_bytes(Path(place)), place) if os.path.isfile(place) else None  # noqa: PTH113


def metadata_path(path: str | Path) -> str:
    """Return the path of the metadata that may be beside a file."""
    if is_url(path):
        from bbccli.reading.sources.urls import path_of

        inner = str(path_of(str(path)))
        return str(path).replace(inner, metadata_path(inner))
    whole = Path(path)
    return str(whole.parent / f"{Path(unpacked_name(whole.name)).stem}.meta.json")


def read_content(path: str | Path) -> tuple[str, bytes, Format, str]:
    """Read a file, or stdin if `path` is "-"; decompress it and tell its format by suffix or
    content.

    Return its name for messages, the decompressed bytes (none for a large Parquet file, which is
    not kept), the format, and the hash of the stored bytes.
    """
    if str(path) == STDIN:
        name, data, suffix, packing = STDIN_NAME, stdin_bytes(), "", None
    elif is_url(path):
        from bbccli.reading.sources.urls import path_of, url_bytes

        name = redacted(str(path))
        suffix, packing = _suffixes(path_of(str(path)), name=name)
        data = url_bytes(str(path))
    else:
        name, (suffix, packing) = str(path), _suffixes(Path(path))
        # os.path never raises, unlike Path
        if suffix == ".parquet" and os.path.isfile(path) and os.path.getsize(path) >= LARGE:  # noqa: PTH113, PTH202
            return name, b"", Format.PARQUET, sha256_of(Path(path))
        data = file_bytes(Path(path))
    sha256 = hashlib.sha256(data).hexdigest()
    if not suffix:
        packing = next((p for magic, p in _PACKING_MAGIC.items() if data.startswith(magic)), None)
    if packing is not None and data:
        data = unpacked(data, packing, name)
    start = data[:64].lstrip().lower()
    problem = hint = ""
    if not data or data.isspace():
        problem, hint = "file is empty", "give a header line and one row per sample"
    elif start.startswith((b"<!doctype html", b"<html")):
        problem = "is a web page, not a table"
        hint = "download the file itself: the link may lead to a page about it, or ask for a login"
    elif start.startswith(b"version https://git-lfs"):
        problem, hint = "is a pointer of Git LFS, not the file", "run git lfs pull"
    if problem:
        raise InputError(problem, path=name, hint=hint)
    return name, data, _format(suffix, data), sha256


def paths_listed(paths: Paths) -> list[str | Path | ArrowStream]:
    """Return the input as a list; a table in memory is one thing, not its columns."""
    return [paths] if isinstance(paths, str | Path) or in_memory(paths) else list(paths)


def expand(paths: Paths) -> list[str | Path | ArrowStream]:
    """Return the paths one by one, with patterns such as `runs/*.csv` expanded.

    A table in memory remains as it is, and must be alone.
    """
    sources: list[str | Path | ArrowStream] = []
    for path in paths_listed(paths):
        if isinstance(path, str) and not path:
            raise InputError("the name of a file is empty", hint="check that its variable is set")
        matches = [path] if in_memory(path) else _matches(path)
        if not matches:
            raise InputError("matches no file", path=str(path), hint="check the pattern")
        sources += matches
    for source in filter(in_memory, sources if len(sources) > 1 else ()):  # tables have no names
        from bbccli.reading.sources.memory import name_in_messages

        raise InputError(
            "a table in memory must be the only input",
            path=name_in_messages(source),
            hint="concatenate the tables, with a column 'config'",
        )
    if not sources:
        raise InputError("no file to read", hint="give at least one")
    return sources


def _matches(path: str | Path) -> Sequence[str | Path]:
    """Return the paths that a pattern matches, sorted; an existing path, or no pattern, stays."""
    if is_url(path):
        from bbccli.reading.sources.urls import is_pattern, matching_urls

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
    """Return the suffix of the table and the name of the compression; empty and None if absent."""
    packing, suffix = PACKINGS.get(path.suffix.lower()), unpacked_suffix(path)
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


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, read piece by piece."""
    try:
        with opened(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from None


def file_bytes(path: Path) -> bytes:
    """Return all bytes of a file."""
    try:
        with opened(path) as file:
            kind = os.fstat(file.fileno()).st_mode
            if stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not file.isatty()):
                raise InputError("is a device, not a file", path=path, hint="give a file or a pipe")
            if not stat.S_ISREG(kind):
                with naming(path):
                    return read_within(file)
            check_size(os.fstat(file.fileno()).st_size, str(path))
            return file.read()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    """Return the error about a file that can't be opened or read."""
    problem, hint = f"cannot be read: {getattr(error, 'strerror', '')}", "check the path"
    match error:
        case FileNotFoundError():
            problem, hint = "no such file", _nearest_file(path)
        case IsADirectoryError():
            problem, hint = "is a folder, not a file", "give a file in it"
        case PermissionError():
            problem, hint = "permission denied", "ask for permission to read the file"
        case ValueError():
            return InputError("is not a file name", path=repr(str(path)), hint=hint)
    return InputError(problem, path=path, hint=hint)


def stdin_bytes() -> bytes:
    """Return all bytes of standard input."""
    hint = "give a file, or redirect one: bbc correct - < FILE"
    if sys.stdin is None:
        raise InputError("standard input is closed", path=STDIN_NAME, hint=hint)
    record_read(0, STDIN_NAME)
    try:
        with naming(STDIN_NAME):
            return read_within(sys.stdin.buffer)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, path=STDIN_NAME, hint=hint) from None


def _nearest_file(path: Path) -> str:
    """Return a hint about a file that does not exist: the nearest name, or the missing folder."""
    from difflib import get_close_matches

    try:
        names = {f.stem.casefold(): f for f in sorted(path.parent.iterdir()) if f.is_file()}
    except OSError:
        return f"there is no folder {path.parent}"
    # all files of a folder may end alike
    close = get_close_matches(path.stem.casefold(), names, n=1)
    return f"did you mean {names[close[0]]}?" if close else "check the path"


def unpacked_name(name: str) -> str:
    """Return the name of a file without the suffix of a compression."""
    return PurePath(name).stem if PurePath(name).suffix.lower() in PACKINGS else name


def unpacked_suffix(path: PurePath) -> str:
    """Return the suffix of a file, without that of a compression."""
    return PurePath(unpacked_name(path.name)).suffix.lower()


def may_be_log(path: Path) -> bool:
    """Return whether a file may be the log of an evaluation, by its name."""
    return unpacked_suffix(path) in OF_LOGS


def is_result(path: str) -> bool:
    """True for a saved result of bbc, by the mark at the start of its JSON."""
    if not path.lower().endswith((".json", ".jsonl")):
        return False
    try:
        with opened(path) as file:
            start = file.read(200)
    except OSError:
        return False
    return re.search(rb'"schema"\s*:\s*"bbc', start) is not None


def unpacked(data: bytes, packing: str, name: str) -> bytes:
    """Decompress gzip or zstd."""
    try:
        with naming(name), pa.CompressedInputStream(pa.BufferReader(data), packing) as stream:
            return unpack_within(stream, packing, len(data))
    except (pa.ArrowException, OSError):
        problem = f"{packing} data are truncated or damaged"
        raise InputError(problem, path=name, hint=AGAIN) from None


def _format(suffix: str, data: bytes) -> Format:
    """Return the format by suffix, or by content if there is none, or if text is JSON."""
    if suffix and (suffix not in (".csv", ".tsv", ".txt") or not _JSON_START.match(data)):
        return (_TEXT | _BINARY)[suffix]
    if data.startswith(_PARQUET_MAGIC):
        return Format.PARQUET
    from bbccli.reading.sources.ipc import MAGIC

    if data.startswith(MAGIC):
        return Format.ARROW
    if _JSON_LINES.match(data):
        return Format.JSONL
    if _JSON_START.match(data):
        return Format.JSON
    return Format.ARFF if _ARFF_START.match(data) else Format.DELIMITED
