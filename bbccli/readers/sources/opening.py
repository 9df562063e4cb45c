"""A file of any format, or a table in memory -> Table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bbccli.readers.row_numbers import set_aside
from bbccli.readers.sources.files import PACKINGS, STDIN, Format, file_bytes, read_content
from bbccli.readers.sources.memory import ArrowStream, in_memory, table_in_memory
from bbccli.readers.sources.parquet import read_parquet
from bbccli.readers.sources.urls import is_url, path_of, url_bytes, url_exists
from bbccli.readers.table import Table, plain_table


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
    name, data, form, sha256 = read_content(path)
    found: Any
    text: bytes | None = None
    nested: tuple[str, ...] = ()
    if form is Format.PARQUET:
        found, text = read_parquet(data or Path(path), name)
    elif form is Format.ARROW:
        from bbccli.readers.sources.ipc import read_ipc

        found, text = read_ipc(data, name)
    elif form is Format.JSONL:
        from bbccli.readers.sources.jsonl import read_jsonl

        found, nested = read_jsonl(data, name)
    elif form is Format.ARFF:
        from bbccli.readers.sources.arff import read_arff

        found = read_arff(data, name)
    else:
        from bbccli.readers.sources.delimited import read_delimited

        found = read_delimited(data, name, form, keys)
    table = plain_table(found, name, sha256=sha256, nested=nested)
    if form in (Format.PARQUET, Format.ARROW):
        about = None if text is None else (text, name)
    else:
        about = _beside(path)
    return set_aside(replace(table, about=about))


def _beside(path: str | Path) -> tuple[bytes, str] | None:
    """`<name>.meta.json` beside `<name>.csv`, `<name>.csv.gz` and the like."""
    if str(path) == STDIN:
        return None
    place = metadata_path(path)
    if is_url(path):
        return (url_bytes(place), place) if url_exists(place) else None
    # os.path never raises, unlike Path
    return (file_bytes(Path(place)), place) if os.path.isfile(place) else None  # noqa: PTH113


def metadata_path(path: str | Path) -> str:
    """Return the path of the metadata that may lie beside a file."""
    if is_url(path):
        inner = str(path_of(str(path)))
        return str(path).replace(inner, metadata_path(inner))
    whole = Path(path)
    name = whole.name
    for suffix in PACKINGS:
        name = name.removesuffix(suffix)
    return str(whole.parent / f"{Path(name).stem}.meta.json")
