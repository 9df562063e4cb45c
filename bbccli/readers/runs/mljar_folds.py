"""The folds of mljar: the positions of the rows that each validates, and of those it trains on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs.contents import folds_of, read_positions
from bbccli.types import BoolArray, FloatArray, IntArray

_OF_A_CLASS = 20
"""Classes with fewer rows, or fewer than there are folds, are topped up with copies."""


def placed(
    folder: Path, split: bool, n_folds: int, n_repeats: int, n_rows: int
) -> dict[str, IntArray]:
    """Return which samples the rows are of, and their folds where they have one.

    Parameters
    ----------
    folder
        The run.
    split
        Whether one part of the rows was held out, in place of a cross-validation.
    n_folds, n_repeats
        Of the validation.
    n_rows
        Rows of the predictions.

    Raises
    ------
    InputError
        Files that are missing, damaged, or contradict each other.
    """
    if split:
        place = folder / "split_validation_indices.npy"
        if n_repeats == 1:
            row_id = _as_many(np.sort(read_positions(place)), n_rows, place)
            return {"row_id": row_id, "fold": np.zeros(n_rows, np.int64)}
        return {"row_id": np.arange(n_rows)}
    row_id = np.arange(n_rows)
    if n_repeats > 1:
        return {"row_id": row_id}
    within = folder / "folds"
    parts = []
    for fold in range(n_folds):  # as claimed: the first file that is missing ends it
        parts.append(read_positions(within / f"fold_{fold}_validation_indices.npy"))
    folds = folds_of(parts, n_rows, within)
    for fold in range(n_folds):
        _check_complement(folds != fold, within / f"fold_{fold}_train_indices.npy")
    return {"row_id": row_id, "fold": folds}


def check_copies(
    kept: FloatArray, copies: FloatArray, n_folds: int, classes: bool, folder: Path
) -> None:
    """Refuse targets beyond the rows of the data that are no copies of rows of rare classes.

    Raises
    ------
    InputError
        There are such targets.
    """
    enough = max(_OF_A_CLASS, n_folds)
    if any(not classes or (kept == code).sum() >= enough for code in np.unique(copies)):
        raise InputError(
            f"the predictions have {len(kept) + len(copies)} rows, data_info.json says that there "
            f"are {len(kept)}",
            path=str(folder),
            hint="the folder mixes files of several runs, or is damaged",
        )


def _check_complement(wanted: BoolArray, place: Path) -> None:
    """The rows that a fold trains on are all that it does not validate."""
    if not place.is_file():
        return
    trained = np.unique(read_positions(place))
    if not np.array_equal(trained, np.flatnonzero(wanted)):
        raise InputError(
            "trains on other rows than those that its fold does not validate",
            path=str(place),
            hint="the folder mixes folds of several runs, or is damaged",
        )


def _as_many(positions: IntArray, n_rows: int, place: Path) -> IntArray:
    if len(positions) != n_rows:
        problem = f"has {len(positions)} positions, the predictions have {n_rows} rows"
        raise InputError(problem, path=str(place), hint="copy the run again")
    return positions
