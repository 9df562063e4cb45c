"""The truth of a regression of mljar, which many learners have scaled and scaled back.

Of targets that are not skewed little is lost but the last digit: 64.99999999999999 for 65. Of
skewed ones the logarithm of their distance from the smallest target of the training rows is scaled
(`X_min_values`), and smaller ones are clipped at it. So the truth is that of a model without
scaling, such as the baseline; the others are scored by mljar on targets of their own.

This is not the rule of `sample_columns.differing`: models without scaling write the same digits, so
that not even rounding tells them apart, and the noise of the others grows with what was added to a
target on the way and not with the target.

A model that learns in one go writes a log of one line for each fold: iteration, score on the
training rows, score on the rows that the fold validates. Those scores tell whether the folds in
`folds/` are the ones that were used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.runs.base import FoldScore, Score
from bbccli.readers.runs.contents import check_name, number_in, read_json, read_rows, records_with
from bbccli.readers.sample_columns import odd_one
from bbccli.types import BoolArray, FloatArray, IntArray

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


ENSEMBLE = "Ensemble"

_NOISE = 1e-12
"""What scaling there and back may change, as a share of the largest number on the way."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """How a model scaled its targets: an entry for each of its fits, in the order of the folds.

    Parameters
    ----------
    offset
        Largest number that is added to a target on the way; 0 where nothing is scaled.
    limits
        Smallest target of the training rows, at which others are clipped; none where they are not.
    """

    offset: float = 0.0
    limits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RunTarget:
    """The target of the samples.

    Parameters
    ----------
    values : (n,)
        That of the model `of`.
    of
        A model without scaling, where there is one.
    scaled
        Models whose targets were scaled.
    clipped
        Of models with other targets, where: rows, and the targets that they were scored on.
    unsure : (n,) bool
        Where the truth itself may have been clipped, because all models scaled.
    """

    values: FloatArray
    of: str
    scaled: tuple[str, ...]
    clipped: Mapping[str, tuple[IntArray, FloatArray]]
    unsure: BoolArray

    def about(self, row_id: IntArray) -> dict[str, Any]:
        """Return what is kept of it in the metadata; empty where no model scaled."""
        if not self.scaled:
            return {}
        apart = [np.max(values - self.values[rows]) for rows, values in self.clipped.values()]
        return {
            "of": self.of,
            "scaled": list(self.scaled),
            "unsure": int(self.unsure.sum()),
            "apart": float(max(apart, default=0.0)),
            "clipped": [
                {"id": name, "samples": row_id[rows].tolist(), "values": values.tolist()}
                for name, (rows, values) in self.clipped.items()
            ],
        }


def truth_of(
    folder: Path, targets: Mapping[str, tuple[Path, FloatArray]], fold: IntArray | None
) -> RunTarget:
    """Return the target of all models.

    Parameters
    ----------
    folder
        The run.
    targets
        By model the file of its predictions, and its targets (n,).
    fold : (n,), optional
        Fold of each row; None where it is unknown.

    Raises
    ------
    InputError
        A target that differs from that of another model by more than scaling explains.
    """
    scalings = {name: _scaled(folder / name) for name in targets}
    every = Scaled(
        max(one.offset for one in scalings.values()),
        tuple(sorted({limit for one in scalings.values() for limit in one.limits})),
    )
    for name in scalings:
        if name.startswith(ENSEMBLE):  # it has the target of one of its models
            scalings[name] = every
    of = min(scalings, key=lambda name: (scalings[name].offset > 0, name.startswith(ENSEMBLE)))
    truth, clipped = targets[of][1], {}
    for name, (_, target) in targets.items():
        own = scalings[name]
        noise = _NOISE * (np.abs(truth) + own.offset) if own.offset else np.zeros(len(truth))
        expected = _nearest(target, truth, _limits(own, fold, len(truth)))
        differ = np.flatnonzero(~(np.abs(target - expected) <= noise))
        if len(differ):
            raise _other(targets, (name, of), differ, scaled=own.offset > 0)
        rows = np.flatnonzero(expected != truth)
        if len(rows):
            clipped[name] = (rows, expected[rows])
    own = scalings[of]
    low = _limits(own, fold, len(truth))
    near = np.abs(truth - low) <= _NOISE * (np.abs(truth) + own.offset)
    scaled = tuple(n for n, s in scalings.items() if s.offset and not n.startswith(ENSEMBLE))
    return RunTarget(truth, of, scaled, clipped, np.asarray(near.any(axis=0)))


def _scaled(model: Path) -> Scaled:
    """What `framework.json` says of the scaling of targets."""
    place = model / "framework.json"
    about = read_json(place) if place.is_file() else None
    parts = about.get("preprocessing") if isinstance(about, dict) else None
    found = [
        one["scale_y"]
        for one in (parts if isinstance(parts, list) else ())
        if isinstance(one, dict) and one.get("scale_y")
    ]
    try:
        if any("log" in one["scale_method"] for one in found):
            limits = tuple(float(one["X_min_values"][0]) for one in found)
            return Scaled(1 + max(map(abs, limits)), limits)
        sizes = [abs(float(one[key][0])) for one in found for key in ("mean", "scale")]
        return Scaled(max(sizes, default=0.0))
    except (KeyError, TypeError, ValueError, IndexError):
        raise InputError(
            "does not say how targets were scaled", path=str(place), hint="copy the run again"
        ) from None


def _limits(scaled: Scaled, fold: IntArray | None, n_rows: int) -> FloatArray:
    """(L, n) at which a target may have been clipped: that of its fold where this is known."""
    limits = np.array(scaled.limits, np.float64)
    if fold is not None and len(limits) and len(limits) == fold.max() + 1:
        return limits[fold][None]
    return np.broadcast_to(limits[:, None], (len(limits), n_rows))


def _nearest(target: FloatArray, truth: FloatArray, limits: FloatArray) -> FloatArray:
    """(n,) the truth, or the truth clipped: whichever is nearer to the target."""
    possible = np.vstack([truth[None], np.maximum(truth, limits)])
    chosen = np.argmin(np.abs(possible - target), axis=0)
    return np.asarray(np.take_along_axis(possible, chosen[None], axis=0)[0])


def _other(
    targets: Mapping[str, tuple[Path, FloatArray]],
    pair: tuple[str, str],
    differ: IntArray,
    *,
    scaled: bool,
) -> InputError:
    """Build the error about two models of other targets: names the one that most contradict."""
    names, row = list(targets), int(differ[0])
    own = np.array([target[row] for _, target in targets.values()])
    entry, other = names.index(pair[0]), names.index(pair[1])
    odd, kept = odd_one(own, np.full(len(own), other), entry)
    more = " by more than its scaling explains" if scaled else ""
    return InputError(
        f"target differs from that of {names[kept]}, {own[kept].item()!r},{more}".rstrip(","),
        path=str(targets[names[odd]][0]),
        column="target",
        row=row,
        value=own[odd].item(),
        hint="the folder mixes models of several runs",
        further=len(differ) - 1,
    )
