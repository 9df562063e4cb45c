"""Folders that a tool left behind -> tables: a record per tool, told by the files in the folder.

No tool is imported; what it says of itself comes as the metadata of its tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bbccli.readers.sources.memory import ArrowStream, in_memory
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table

__all__ = ["RUNS", "Run", "read_tables"]


@dataclass(frozen=True, slots=True)
class Run:
    """The folder of a tool.

    Parameters
    ----------
    name
        Of the tool.
    recognises
        Whether a folder is one of its runs.
    tables
        Tables of a run; their metadata say what the tool says of itself.
    """

    name: str
    recognises: Callable[[Path], bool]
    tables: Callable[[Path], Sequence[Table]]


RUNS: dict[str, Run] = {}
"""Tools whose folders can be read, by name. A folder that none of them recognises is an error."""


def read_tables(path: str | Path | ArrowStream) -> Sequence[Table]:
    """Return the table of a file or in memory, or those of a folder that some tool left behind.

    Raises
    ------
    InputError
        A file that can't be read, or a folder that no tool is known to leave.
    """
    if in_memory(path):
        return [read_table(path)]
    for run in RUNS.values() if os.path.isdir(path) else ():  # noqa: PTH112 (never raises)
        if run.recognises(Path(path)):
            return run.tables(Path(path))
    return [read_table(path)]
