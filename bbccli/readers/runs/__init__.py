"""Folders that a tool left behind -> tables: a record per tool, told by the files in the folder.

No tool is imported; what it says of itself comes as the metadata of its tables.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bbccli.errors import InputError
from bbccli.readers.arrow import plain
from bbccli.readers.runs import contradictions
from bbccli.readers.runs.autogluon import AUTOGLUON
from bbccli.readers.runs.autosklearn import AUTOSKLEARN
from bbccli.readers.runs.base import RunFiles, RunReader, RunTable
from bbccli.readers.runs.h2o import H2O
from bbccli.readers.runs.jadbio import JADBIO
from bbccli.readers.runs.mljar import MLJAR
from bbccli.readers.runs.recording_table import RECORDING
from bbccli.readers.runs.tables import CARET, MLR3, OPENML, TIDYMODELS, damaged
from bbccli.readers.runs.tabrepo import TABREPO
from bbccli.readers.sources.files import sha256_of
from bbccli.readers.sources.memory import ArrowStream, in_memory
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table, joint_hash

__all__ = ["RUNS", "hash_of", "read_tables"]

RUNS: tuple[RunReader, ...] = (
    *(RECORDING, MLJAR, TABREPO, H2O, JADBIO, AUTOGLUON, AUTOSKLEARN),
    *(CARET, TIDYMODELS, MLR3, OPENML),
)
"""Tools whose folders can be read, in the order in which they are tried."""


def read_tables(path: str | Path | ArrowStream) -> Sequence[Table]:
    """Return the table of a file or in memory, or those of a folder that some tool left behind.

    Raises
    ------
    InputError
        A file that can't be read, or a folder that no tool is known to leave.
    """
    if in_memory(path) or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return [read_table(path)]
    found = _reader_of(path).load(Path(path))
    if isinstance(found, RunFiles):
        said = (json.dumps(found.metadata), str(path))
        read = [read_table(one) for one in found.files]
        for table in read:
            contradictions.check(table, found.label, found.outcome)
        return [one if one.metadata else replace(one, metadata=said) for one in read]
    return [_table(found, str(path))]


def hash_of(path: str | Path) -> str:
    """Return the hash that the tables of a folder have together.

    Raises
    ------
    InputError
        As `read_tables`.
    """
    return joint_hash([table.sha256 for table in read_tables(path)])


def _reader_of(path: str | Path) -> RunReader:
    for run in RUNS:
        if run.recognises(Path(path)):
            return run
    looked_for = "; ".join(f"{run.name}: {run.signature}" for run in RUNS)
    fault = damaged(Path(path))
    found = f"; {fault.path}: {fault.problem}" if fault is not None else ""
    raise InputError(
        f"is a directory, not a file, and holds no run that is known{found}",
        path=str(path),
        hint=f"name one file in it; or a run, of which these were looked for: {looked_for}",
    )


def _table(run: RunTable, path: str) -> Table:
    """One table of all models; its hash is of the names and the bytes of what was read."""
    hashes = [f"{place.name} {sha256_of(place)}\n" for place in run.files]
    digest = hashlib.sha256("".join(hashes).encode("utf-8", "surrogateescape")).hexdigest()
    return Table(path, plain(run.table, path), digest, (json.dumps(run.metadata), path))
