"""A file of any supported format -> frame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bbccli.readers.arrow import levels_of, plain, spread_lists
from bbccli.readers.metadata import Metadata, parse_metadata
from bbccli.readers.row_numbers import set_aside
from bbccli.readers.sources.files import (
    PACKINGS,
    STDIN,
    Content,
    Format,
    file_bytes,
    read_content,
)
from bbccli.readers.sources.memory import ArrowStream, in_memory, table_in_memory
from bbccli.readers.sources.parquet import ColumnsOnDisk, read_parquet, refuse_nested
from bbccli.readers.sources.urls import is_url, path_of, url_bytes, url_exists
from bbccli.readers.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


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
        return set_aside(table_in_memory(path))
    content = read_content(path)
    if content.format is Format.PARQUET:
        found, text = read_parquet(content.data or Path(path), content.path)
        return _with_metadata(found, text, content)
    if content.format is Format.ARROW:
        from bbccli.readers.sources.ipc import read_ipc

        found, text = read_ipc(content.data, content.path)
        refuse_nested(found.schema, content.path)
        return _with_metadata(found, text, content)
    found, nested = _parsed(content, keys)
    found, unnamed = spread_lists(found, content.path)
    made = plain(found, content.path)
    table = Table(content.path, made, content.sha256, _beside(path), nested=nested, unnamed=unnamed)
    return set_aside(table)


def _with_metadata(found: pa.Table | ColumnsOnDisk, text: bytes | None, content: Content) -> Table:
    """Table of a file that may hold metadata."""
    table = Table(
        content.path, found, content.sha256, None if text is None else (text, content.path)
    )
    if not isinstance(found, ColumnsOnDisk):
        spread, unnamed = spread_lists(found, content.path)
        levels = levels_of(found) if unnamed else {}
        data = plain(spread, content.path)
        table = replace(table, data=data, unnamed=unnamed, levels=levels)
    return set_aside(table)


def _parsed(content: Content, keys: Sequence[str]) -> tuple[pa.Table, tuple[str, ...]]:
    """The table of a text, and its columns that hold tables of their own; a parser per format."""
    if content.format is Format.JSONL:
        from bbccli.readers.sources.jsonl import read_jsonl

        return read_jsonl(content.data, content.path)
    if content.format is Format.ARFF:
        from bbccli.readers.sources.arff import read_arff

        return read_arff(content.data, content.path, content.format), ()
    from bbccli.readers.sources.delimited import read_delimited

    return read_delimited(content.data, content.path, content.format, keys), ()


def metadata_of(frame: Table) -> Metadata:
    """Return the metadata that came with a frame; empty where there are none.

    Raises
    ------
    InputError
        Metadata that cannot be understood; see `parse_metadata`.
    """
    return Metadata() if frame.metadata is None else parse_metadata(*frame.metadata)


def _beside(path: str | Path) -> tuple[bytes, str] | None:
    """`<name>.meta.json` beside `<name>.csv`, `<name>.csv.gz` and the like."""
    if str(path) == STDIN:
        return None
    if is_url(path):
        place = metadata_path(path)
        return (url_bytes(place), place) if url_exists(place) else None
    beside = metadata_path(path)
    # os.path never raises, unlike Path
    return (file_bytes(Path(beside)), beside) if os.path.isfile(beside) else None  # noqa: PTH113


def metadata_path(path: str | Path) -> str:
    """Return the path of the metadata that may lie beside a file."""
    if is_url(path):
        inner = str(path_of(str(path)))
        return str(path).replace(inner, metadata_path(inner))
    name = Path(path).name
    for suffix in PACKINGS:
        name = name.removesuffix(suffix)
    return str(Path(path).parent / f"{Path(name).stem}.meta.json")
