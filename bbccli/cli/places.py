"""Results never take the place of what they are made from, nor of what is not theirs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bbccli.atomic import identity, is_stream
from bbccli.errors import BbcError, OptionError
from bbccli.readers.metadata import SPEC
from bbccli.readers.sources.files import STDIN, expand
from bbccli.readers.sources.opening import metadata_path
from bbccli.readers.sources.urls import is_url

STDOUT = "-"


def check_apart(
    outputs: Mapping[str, str | None], files: Iterable[str], *others: str | None
) -> None:
    """Find out before the work whether a result would overwrite a file that is read.

    Parameters
    ----------
    outputs
        Paths by the words for them, such as the option; None where there is none.
    files
        Predictions, as given; the metadata beside them count too.
    others
        Labels, folds and the like.

    Raises
    ------
    OptionError
        Two paths lead to the same file, by whatever name or link.
    """
    seen: dict[tuple[int, int] | str, str] = {}
    for words, path in outputs.items():
        if path is None:
            continue
        # a result that is printed may still go into a file: `bbc correct p.csv >> p.csv`
        known = identity(1 if path == STDOUT else path)
        if path != STDOUT and not is_stream(Path(path)):
            _claim(seen, os.path.realpath(path), words, path)
        if known is not None:
            _claim(seen, known, words, path)
    if not any(isinstance(one, tuple) for one in seen):
        return
    for path in _read(files, others):
        found = identity(0 if path == STDIN else path)
        if found in seen:
            raise OptionError(
                f"{seen[found]} is a file that is read: {path}", hint="name another file for it"
            )


def check_metadata(files: Mapping[str, bytes], table: str) -> None:
    """Refuse to overwrite metadata that are not those of the table.

    Parameters
    ----------
    files
        What is to be written, by path: the table, and perhaps metadata beside it.
    table
        Path of the table.

    Raises
    ------
    OptionError
        There is a file with other content that no earlier table of this name brought.
    """
    for path, content in files.items():
        if path == table or not Path(path).exists() or _same(Path(path), content):
            continue
        if not (Path(table).is_file() and _is_ours(Path(path))):
            raise OptionError(
                f"cannot write {path}: it is there already, and not the metadata of {table}",
                hint="another name for the table, .parquet (which holds them), or move that file",
            )


def _claim(
    seen: dict[tuple[int, int] | str, str], key: tuple[int, int] | str, words: str, path: str
) -> None:
    if seen.setdefault(key, words) != words:
        raise OptionError(
            f"{seen[key]} and {words} are the same file: {path}", hint="name two files"
        )


def _read(files: Iterable[str], others: Iterable[str | None]) -> Iterator[str]:
    """Paths of all files that a run reads, as far as they can be told."""
    yield from (path for path in others if path is not None)
    for given in files:
        try:
            found = [str(path) for path in expand(given)]
        except BbcError:  # said when it is read
            continue
        for path in found:
            if not is_url(path):
                yield path
                yield metadata_path(path)
                yield from map(str, Path(path).rglob("*") if _is_folder(path) else ())


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 (never raises)


def _same(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _is_ours(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("spec") == SPEC
