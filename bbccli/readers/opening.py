"""A path -> its tables: a file, a table in memory, or the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bbccli.readers.sources.memory import ArrowStream, in_memory
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table, joint_hash


def read_tables(path: str | Path | ArrowStream, keys: Sequence[str] = ()) -> Sequence[Table]:
    """Return the table of a file or in memory, or those of a folder that some tool left behind.

    Parameters
    ----------
    path
        File, folder or table.
    keys
        Columns that are keys although their names don't say so; see `read_table`.

    Raises
    ------
    InputError
        A file that can't be read, or a folder that no tool is known to leave.
    """
    if in_memory(path) or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return [read_table(path, keys)]
    from bbccli.readers.runs.folder import tables_of

    return tables_of(Path(path))


def hash_of(path: str | Path) -> str:
    """Return the hash that the tables of a folder have together.

    Raises
    ------
    InputError
        As `read_tables`.
    """
    return joint_hash([table.sha256 for table in read_tables(path)])
