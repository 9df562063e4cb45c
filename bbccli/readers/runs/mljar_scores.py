"""What mljar itself says of its models: `leaderboard.csv`, and the logs of each fold.

A model that learns in one go writes a log of one line for each fold: iteration, score on the
training rows, score on the rows that the fold validates. Those scores tell whether the folds in
`folds/` are the ones that were used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bbccli.errors import InputError
from bbccli.readers.runs.base import FoldScore, Score
from bbccli.readers.runs.contents import check_name, number_in, read_rows, records_with

BOARD = "leaderboard.csv"
TOLERANCE = 1e-6
"""mljar clips probabilities in 32 bits; everything else agrees to rounding."""

_VALUE = "metric_value"
_CELLS_OF_A_LOG = 3


def board_of(folder: Path) -> dict[str, str] | None:
    """Return the score of each model of the leaderboard, as it stands there; None without one.

    Raises
    ------
    InputError
        It can't be read, or names what is no folder of a model.
    """
    if not (folder / BOARD).is_file():
        return None
    rows = records_with(folder / BOARD, "name", _VALUE, hint="copy the run again")
    for row in rows:
        check_name(row["name"] or "-", folder / BOARD)
    return {row["name"]: row[_VALUE] for row in rows if row["name"]}


def check_listed(folder: Path, board: dict[str, str] | None, models: Sequence[str]) -> None:
    """Refuse models that were saved and are not on the leaderboard.

    Raises
    ------
    InputError
        There is such a model.
    """
    unlisted = [name for name in models if board is not None and name not in board]
    if unlisted:
        raise InputError(
            f"does not list {unlisted[0]}, which params.json names as saved",
            path=str(folder / BOARD),
            hint="the folder mixes files of several runs, or is damaged; without "
            f"{BOARD} the run is read, and no score is checked",
            further=len(unlisted) - 1,
        )


def leaderboard(
    folder: Path, board: dict[str, str] | None, models: Sequence[str], metric: str | None
) -> tuple[Score, ...]:
    """Return the scores of models, with the metric's own sign.

    Raises
    ------
    InputError
        One is not a number.
    """
    if board is None or metric is None:
        return ()
    rows = {name: row for row, name in enumerate(board)}
    place, hint = folder / BOARD, "copy the run again"
    values = [number_in(board[name], place, rows[name], _VALUE, hint=hint) for name in models]
    return tuple(
        Score(name, metric, value, "pooled", TOLERANCE)
        for name, value in zip(models, values, strict=True)
    )


def fold_scores(
    folder: Path, models: Sequence[str], metric: str | None, n_folds: int
) -> tuple[FoldScore, ...]:
    """Return what the logs say of models that learn in one go."""
    if metric is None:
        return ()
    return tuple(
        FoldScore(name, metric, fold, value, TOLERANCE)
        for name in models
        for fold, value in enumerate(_logged(folder / name, n_folds))
    )


def _logged(folder: Path, n_folds: int) -> Iterator[float]:
    """Yield the score of each fold; nothing where some log is missing or of another form."""
    places = [folder / f"learner_fold_{fold}_training.log" for fold in range(n_folds)]
    if not all(place.is_file() for place in places):
        return
    logs = [read_rows(place) for place in places]
    if any(len(log) != 1 or len(log[0]) != _CELLS_OF_A_LOG for log in logs):
        return
    try:
        yield from [float(log[0][-1]) for log in logs]
    except ValueError:
        return
