"""Every configuration with its performances, best first; only the winner's is corrected.

What is made of them, such as an ensemble, stands above them and is the one that is corrected.

The order is that of the selection: by the first metric, pooled as the plan says; ties share a rank
and keep the order of the columns, so that the winner by `best` comes first. A configuration without
a score has no rank and comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from typing import Any

import numpy as np

from bbccli.documents.correct import (
    SCHEMA_VERSION,
    AnyEnvelope,
    Input,
    of_file,
    reported_estimate,
)
from bbccli.domain.estimate import Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import estimate
from bbccli.methods.base import TIGHT_METHODS
from bbccli.metrics import Metric, choose_metrics
from bbccli.metrics.capped import with_plan
from bbccli.notes import Note
from bbccli.notes.methods import method_left_out, not_corrected
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Document, settled
from bbccli.platform.resources import Progress, silent
from bbccli.stats.case import maker_of
from bbccli.stats.making.made import Maker
from bbccli.stats.selection import MOST_SHARES, choose, ranked
from bbccli.stats.selection.candidates import candidates, fold_performances
from bbccli.stats.stopping import Stopped, stopped_of
from bbccli.types import Direction, FloatArray, IntArray, Pooling
from bbccli.version import __version__

__all__ = ["leaderboard"]

WITH_WINS = "bbc"
"""Method whose resamples say how often a configuration wins."""


@dataclass(frozen=True, slots=True)
class Performance:
    """The performance of a configuration in one metric, uncorrected; null if undefined.

    metric: name of the metric
    value: performance by the pooling of the plan
    pooled: over the samples of all folds, mean over repeats
    fold_mean: mean over the folds; null without folds
    fold_sd: standard deviation (n - 1) over the folds of all repeats
    """

    metric: str
    value: float
    pooled: float
    fold_mean: float
    fold_sd: float


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One configuration among the others.

    rank: from 1, by the value of the first metric; null where it has none
    configuration: name of the configuration
    performances: one per metric, in order
    wins: share of the resamples that select it; null without resamples
    n_predictions: its predictions, in all repeats
    flags: threats to validity, from the metadata
    seconds: training time, from the metadata; null where they lack it
    made: true for what is made of the configurations, such as an ensemble; it has no rank
    """

    rank: int | None
    configuration: str
    performances: tuple[Performance, ...]
    wins: float | None
    n_predictions: int
    flags: tuple[str, ...]
    seconds: float | None
    made: bool = field(default=False, metadata={"since": "1.1"})


@dataclass(frozen=True, slots=True)
class LeaderboardEnvelope(AnyEnvelope):
    """The envelope of `bbc leaderboard`.

    input: what was read
    plan: what the numbers depend on
    metrics: names; the first one selects and sorts
    direction: whether higher or lower values of the first metric are better
    winner: the configuration selected by the rule of the plan
    corrected: the winner's corrected performance; null where it was not computed
    rows: best first; the first ones of --top
    notes: what to know about the input and all rows
    stopping: the winner, or members of the ensemble, that stopped by the folds that score them
    """

    input: Input
    plan: Plan
    metrics: tuple[str, ...]
    direction: Direction
    winner: str
    corrected: Estimate | None
    rows: tuple[LeaderboardRow, ...]
    notes: tuple[Note, ...]
    stopping: tuple[Stopped, ...] = field(default=(), metadata={"since": "1.1"})


def leaderboard(
    matrix: PredictionMatrix,
    metrics: Metric | str | Sequence[Metric | str],
    plan: Plan,
    *,
    wins: bool = True,
    top: int | None = None,
    progress: Progress = silent,
) -> Document[LeaderboardEnvelope]:
    """Return the document of all configurations, or of the `top` first, by the first metric.

    Parameters
    ----------
    wins
        True to resample, for the wins and the winner's corrected performance.

    Raises
    ------
    UndefinedError, UnsupportedError
        A metric is undefined on the data, or can't be pooled as planned.
    """
    return Document.of(ranked_record(matrix, metrics, plan, wins, top, progress))


def ranked_record(
    matrix: PredictionMatrix,
    metrics: Metric | str | Sequence[Metric | str],
    plan: Plan,
    wins: bool,
    top: int | None,
    progress: Progress,
    *,
    tight: bool = False,
) -> LeaderboardEnvelope:
    """Return the record of the document; `tight` as for `estimate`."""
    chosen = [with_plan(metric, plan) for metric in choose_metrics(metrics, matrix)]
    selector = chosen[0]
    maker = maker_of(matrix, selector, plan)
    winners = matrix if maker is None else maker.shipped
    choice = choose(winners, selector, selector, plan if maker is None else plan.single)
    found, notes = _corrected(matrix, selector, plan, progress, tight) if wins else ((), ())
    corrected = reported_estimate(found) or next(iter(found), None)
    values = candidates(matrix, selector, plan.pooling).performances()
    order, ranks = ranked(selector.direction, values)
    # of all, where `selection` has the first few
    distribution = found[0].distribution if found and maker is None else None
    shares = distribution.shares(matrix.n_configurations) if distribution else None
    whole = LeaderboardEnvelope(
        *(SCHEMA_VERSION, __version__, "leaderboard"),
        input=Input.of(matrix),
        plan=plan if corrected is None else corrected.plan,
        metrics=tuple(metric.name for metric in chosen),
        direction=selector.direction,
        winner=winners.configurations[choice.winner] if maker is None else maker.label,
        corrected=corrected,
        rows=(
            *_made(maker, chosen, plan),
            *_rows(matrix, chosen, plan, order[:top], ranks, shares),
        ),
        notes=(
            not_corrected(),
            *of_file(matrix, notes),
            *notes,
            *(() if corrected else choice.notes),
        ),
        stopping=tuple(stopped_of(matrix, [corrected])) if corrected else (),
    )
    return settled(whole)


def _corrected(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, progress: Progress, tight: bool
) -> tuple[Sequence[Estimate], Sequence[Note]]:
    """Return the corrected estimates, first that of the wins; or a note if there are none."""
    names = [TIGHT_METHODS[-1] if tight else WITH_WINS]
    names += ["vault"] if matrix.vault and matrix.vault.openings else []
    try:
        found, notes = estimate(matrix, [metric], plan, names, tight=tight, progress=progress)
    except (UndefinedError, UnsupportedError) as error:
        return (), (method_left_out(names[0], *error.told()),)
    return [replace(one, selection=one.selection[:MOST_SHARES]) for one in found], notes


def _made(maker: Maker | None, metrics: Sequence[Metric], plan: Plan) -> Iterator[LeaderboardRow]:
    """Yield the row of what is made of all samples."""
    if maker is not None:
        (row,) = _rows(maker.shipped, metrics, plan, np.zeros(1, int), np.zeros(1, int))
        yield replace(row, configuration=maker.label, flags=(), seconds=None, made=True)


def _rows(
    matrix: PredictionMatrix,
    metrics: Sequence[Metric],
    plan: Plan,
    order: IntArray,
    ranks: IntArray,
    shares: FloatArray | None = None,
) -> tuple[LeaderboardRow, ...]:
    scored = [(metric.name, _performances(matrix, metric, plan.pooling)) for metric in metrics]
    configs, everything = matrix.source.configurations, matrix.n_repeats * matrix.n_samples
    counts = None if matrix.available is None else matrix.available.sum(axis=(0, 1))
    return tuple(
        LeaderboardRow(
            rank=int(ranks[c]) or None,
            configuration=(name := matrix.configurations[c]),
            performances=tuple(
                Performance(of, *map(float, columns[:, c])) for of, columns in scored
            ),
            wins=None if shares is None else float(shares[c]),
            n_predictions=everything if counts is None else int(counts[c]),
            flags=tuple(map(str, configs.get(name, {}).get("flags") or ())),
            seconds=_seconds(configs.get(name, {})),
        )
        for c in order
    )


def _performances(matrix: PredictionMatrix, metric: Metric, pooling: Pooling) -> FloatArray:
    """(4, C) as planned, pooled, mean and standard deviation over folds; NaN where undefined."""
    planned = candidates(matrix, metric, pooling).performances()
    pooled = candidates(matrix, metric, Pooling.POOLED).performances()
    try:
        means = candidates(matrix, metric, Pooling.FOLD_MEAN).performances()
        spreads = _spreads(np.vstack(fold_performances(matrix, metric)))
    except UndefinedError:
        means = spreads = np.full(len(pooled), np.nan)
    return np.stack([planned, pooled, means, spreads])


def _spreads(values: FloatArray) -> FloatArray:
    n_defined = (~np.isnan(values)).sum(axis=0)
    means = np.nansum(values, axis=0) / np.maximum(n_defined, 1)
    squares = np.nansum((values - means) ** 2, axis=0)
    return np.asarray(np.sqrt(squares / np.where(n_defined > 1, n_defined - 1, np.nan)))


def _seconds(config: Mapping[str, Any]) -> float | None:
    value = config.get("seconds")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if isfinite(value) and value >= 0 else None
