"""What the folder of another tool holds, before labels and folds are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.readers.runs.base import RunTable
from bbccli.readers.runs.contents import matching
from bbccli.types import FloatArray


@dataclass(frozen=True, slots=True)
class StoredConfiguration:
    """The predictions that a tool saved of one configuration.

    Parameters
    ----------
    name
        Name that the tool gave.
    predictions : (N,) or (N, K)
        Values, or probabilities; NaN where there is no prediction. Of two classes a single column
        is the probability of the second.
    flags
        What is particular about them, such as `ensemble` or `oob`.
    """

    name: str
    predictions: FloatArray
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What one run of a tool left behind.

    Parameters
    ----------
    tool
        Name of the tool.
    configurations
        Sorted by name; all have as many samples.
    excluded
        Name of each configuration that was tried and can't be used, and why.
    truth : (N,), optional
        The outcome in the order of the predictions, as the tool encodes it.
    n_candidates_total
        Configurations that were tried, where the folder tells; more than are here if some are gone.
    """

    tool: str
    configurations: tuple[StoredConfiguration, ...]
    excluded: tuple[tuple[str, str], ...] = ()
    truth: FloatArray | None = None
    n_candidates_total: int | None = None


def as_table(run: StoredRun, folder: Path, *read: str) -> RunTable:
    """Lay the configurations of a run out as a table.

    Parameters
    ----------
    run
        What the folder holds. Of several classes the columns are numbered as the tool codes them:
        in sorted order.
    folder, read
        The folder, and patterns of the files that were read.
    """
    columns: dict[str, Any] = {}
    by_class = run.configurations[0].predictions.ndim == 2
    if run.truth is not None:
        truth = run.truth.astype(np.float64)
        coded = by_class and bool((truth == np.clip(np.round(truth), 0, 2**31)).all())
        columns["truth"] = truth.astype(np.int64) if coded else run.truth
    for one in run.configurations:
        if not by_class:
            columns[one.name] = one.predictions
            continue
        columns |= {f"{one.name}::{k}": values for k, values in enumerate(one.predictions.T)}
    return RunTable(
        tool=run.tool,
        columns=columns,
        files=matching(folder, *read),
        flags={one.name: one.flags for one in run.configurations},
        left_out=run.excluded,
        n_candidates_total=run.n_candidates_total,
        classes_in_order=by_class and run.truth is None,
    )


def folders_in(path: Path) -> list[Path]:
    """Return the folders of a folder, sorted; none where it can't be listed."""
    try:
        return sorted(one for one in path.iterdir() if one.is_dir())
    except (OSError, ValueError):
        return []


def is_file(path: Path) -> bool:
    """Whether there is a file, whatever the path holds."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
