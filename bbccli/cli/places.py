"""Tables and the metadata beside them, which never take the place of what is not theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from bbccli.cli.output import write
from bbccli.errors import OptionError
from bbccli.readers.metadata import SPEC


def write_table(files: Mapping[str, bytes], table: str) -> None:
    """Write a table, and its metadata where they are not there already.

    Parameters
    ----------
    files
        What is to be written, by path: the table, and perhaps metadata beside it.
    table
        Path of the table.

    Raises
    ------
    OptionError
        There is a file with other content that no earlier table of this name brought; or one that
        can't be written.
    """
    new = {path: one for path, one in files.items() if path == table or not _same(path, one)}
    for path in new:
        ours = path == table or not Path(path).exists()
        if not (ours or (Path(table).is_file() and _is_ours(Path(path)))):
            raise OptionError(
                f"cannot write {path}: it is there already, and not the metadata of {table}",
                hint="another name for the table, .parquet (which holds them), or move that file",
            )
    for path, content in new.items():
        write(content, path)


def _same(path: str, content: bytes) -> bool:
    try:
        return Path(path).read_bytes() == content
    except OSError:
        return False


def _is_ours(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("spec") == SPEC
