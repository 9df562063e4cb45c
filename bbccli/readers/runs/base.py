"""Readers of tools' folders, and the table of the models in a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.source import LeftOut, ToolRun
from bbccli.readers.arrow import as_arrow, plain
from bbccli.readers.metadata import Metadata
from bbccli.readers.sources.files import sha256_of
from bbccli.readers.table import PredictionColumn, Table

ROLES = ("row_id", "repeat", "fold", "truth", "group", "weight", "time", "event")


class Order(IntEnum):
    """Order in which tools are tried on a folder: the surest signs first."""

    FIRST = 0
    """A file that no other tool writes."""
    BY_FILES = 1
    """Names of files."""
    LAST = 2
    """Tables that have to be read, or that others might leave too."""


APART = "`--labels`"
"""Labels for folders without any."""


@dataclass(frozen=True, slots=True)
class RunReader:
    """A reader for the folders of one tool.

    Parameters
    ----------
    name
        The tool.
    signature
        Files to look for, in Markdown.
    recognises
        True for a folder of this tool.
    load
        Folder -> the table of its models, or tables that are read like any others.
    turn
        Order in which it is tried.
    labels
        Place of the labels, in Markdown.
    untested
        True if no output of the tool itself was ever read, only folders made from a description.
    """

    name: str
    signature: str
    recognises: Callable[[Path], bool]
    load: Callable[[Path], Table | Sequence[Table]]
    turn: Order = Order.BY_FILES
    labels: str = "in the folder"
    untested: bool = False


def table_of(
    folder: Path,
    files: Iterable[Path],
    columns: Mapping[str, Any],
    run: ToolRun,
    about: Metadata | None = None,
    cells: tuple[PredictionColumn, ...] = (),
) -> Table:
    """Return the models of a run as one wide table.

    Parameters
    ----------
    folder, files
        The run, and its files: the hash is that of their names and contents.
    columns
        Roles (N,), and configurations (N,), (N, K) or `configuration::class` (N,); a row is a
        sample, unless a `row_id` identifies it.
    run
        Report of the tool.
    about
        Task, classes, flags, selection and number of candidates, if known.
    cells
        Configuration and class of columns whose names don't say so.
    """
    import pyarrow as pa

    about = about or Metadata()
    flat = [columns_of(name, values, about.classes) for name, values in columns.items()]
    columns = {name: values for one in flat for name, values in one.items()}
    names = dict.fromkeys(name.partition("::")[0] for name in columns if name not in ROLES)
    if cells:
        names = dict.fromkeys(cell.configuration for cell in cells)
    rows = np.unique(columns["row_id"]) if "row_id" in columns else next(iter(columns.values()))
    hashes = [f"{file.name} {sha256_of(file)}\n" for file in files]
    digest = hashlib.sha256("".join(hashes).encode("utf-8", "surrogateescape")).hexdigest()
    data = pa.table({name: _arrow(values) for name, values in columns.items()})
    about = replace(
        about,
        place=str(folder),
        positive_class=about.classes[-1] if len(about.classes) == 2 else None,
        flags={name: about.flags.get(name, ()) for name in names},
        weight="weight" if "weight" in columns else None,
        run=replace(run, n_samples=len(rows)),
    )
    return Table(str(folder), plain(data, str(folder)), digest, about.with_json(), cells=cells)


def _arrow(values: Any) -> Any:
    """Return values as Arrow, through their buffers if they are numbers."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind in "if":
        return as_arrow(values)
    return pa.array(values.tolist() if isinstance(values, np.ndarray) else values)


def columns_of(name: str, values: Any, classes: Sequence[object] = ()) -> dict[str, Any]:
    """Return the columns of a configuration: values (N,), or K classes (N, K), numbered if
    unnamed.
    """
    if getattr(values, "ndim", 1) == 1:
        return {name: values}
    return {
        f"{name}::{one}": values[:, k] for k, one in enumerate(classes or range(values.shape[1]))
    }


def left_out(names: Iterable[str], reason: str) -> tuple[LeftOut, ...]:
    """Return models that are left out for the same reason."""
    return tuple(LeftOut(name, reason) for name in names)
