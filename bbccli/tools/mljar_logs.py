"""Logs of mljar: a line for each iteration of a model in a fold.

Iteration, score on the training rows, score on the validation rows. Models that learn in one go
have a single line. Those with more keep the best iteration, and so stop on the fold that scores
them. The network logs no score on the validation rows: it stops on a part of the training rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bbccli.domain.source import FoldCurves
from bbccli.reading.runs.file_parsing import read_rows


def begun_in(folder: Path) -> list[str]:
    """Return the models of which a log was begun."""
    return sorted(log.parent.name for log in folder.glob("*/learner_fold_*_training.log"))


def curve_of(log: Path) -> tuple[float, ...]:
    """Return the scores on the validation rows; none in a log of another form, or without them."""
    try:
        return tuple(float(score) for _, _, score in read_rows(log))
    except ValueError:
        return ()


def curves_of(model: Path, n_folds: int) -> list[tuple[float, ...]]:
    """Return the scores of a model in each fold, at each iteration; none if a log is missing."""
    logs = [model / f"learner_fold_{fold}_training.log" for fold in range(n_folds)]
    curves = [curve_of(log) for log in logs if log.is_file()]
    return curves if len(curves) == n_folds and all(curves) else []


def stopping_curves(
    folder: Path, names: Iterable[str], metric: str | None, n_folds: int
) -> tuple[FoldCurves, ...]:
    """Return the curves of the models that have several iterations, if their metric is known."""
    every = {name: curves_of(folder / name, n_folds) for name in names if metric}
    return tuple(
        FoldCurves(id=name, metric=metric or "", folds=tuple(curves))
        for name, curves in every.items()
        if max(map(len, curves), default=0) > 1
    )


def stops_early(model: Path, *, otherwise: bool) -> bool:
    """True if a model stopped on the folds that score it; `otherwise` without logs."""
    logs = [*model.glob("learner_fold_*_training.log")]
    return any(len(curve_of(log)) > 1 for log in logs) if logs else otherwise
