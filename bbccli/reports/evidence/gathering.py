"""The data of all figures of one result, as far as they are available."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bbccli.comparisons.possible_best import best_set
from bbccli.comparisons.records import BestSet
from bbccli.domain.estimate import Distribution, Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.methods import METHODS
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import measuring, with_clip
from bbccli.reports.evidence import Evidence, Exhibit, FoldSpread, Histogram, Ranked, Ranking
from bbccli.reports.evidence.curves import calibration, roc
from bbccli.stats.case import Case
from bbccli.stats.selection import ranked
from bbccli.stats.selection.candidates import candidates, fold_performances, folds_of
from bbccli.types import TIE_TOLERANCE, FloatArray, distinct
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import Analysed, working

MOST_BARS = 60
"""Bars of a distribution."""

MOST_RANKED = 500
"""Configurations of a ranking that are listed; more get no intervals either."""

MOST_SAMPLES = 5000
"""Samples of a ranking with intervals: of some metrics they take an evaluation for each."""


def exhibit_of(analysis: Analysis, analysed: Analysed, command: str) -> Exhibit:
    """Return a result with all that its predictions tell beyond it, and the command it is of."""
    metric, record = analysed.metrics[0], analysed.record
    reported = record.reported(metric.name)
    places = [n for n, estimate in enumerate(record.estimates) if estimate is reported]
    reported = next((analysed.estimates[n] for n in places), None)
    with working(analysis.metric, analysed.matrix):
        evidence = gather(analysed.matrix, metric, analysed.plan, reported)
    return Exhibit(record, evidence, command)


def gather(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, reported: Estimate | None
) -> Evidence:
    """Return the data of figures.

    metric: the one that selects.
    reported: the estimate of this metric that is reported, if there is one.
    """
    metric = with_clip(metric, plan.clip)
    case = made = Case(matrix, metric, metric, plan.single)
    if plan.makes:
        made = METHODS["bbc"].case(matrix, metric, plan)
    parts: dict[str, Callable[[], Any]] = {
        "distribution": lambda: _histogram(reported),
        "ranking": lambda: _ranking(case),
        "folds": lambda: _folds(case, made),
        "roc": lambda: roc(made),
        "calibration": lambda: calibration(made),
    }
    gathered: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, make in parts.items():
        try:
            gathered[name] = make()
        except (UndefinedError, UnsupportedError) as error:
            missing[name] = error.told()[0]
    return Evidence(**gathered, missing=missing)


def _histogram(reported: Estimate | None) -> Histogram:
    if reported is None or reported.distribution is None:
        raise UndefinedError("the estimate to report has no resamples", hint="--method bbc")
    distribution: Distribution = reported.distribution
    values = distribution.values
    low, high = float(values.min()), float(values.max())
    n_bars = int(np.clip(np.sqrt(len(values)), 1, MOST_BARS)) if high > low else 1
    edges = np.linspace(low, high, n_bars + 1)
    shares = np.histogram(values, edges, weights=distribution.probabilities)[0]
    shares = shares / shares.sum()
    reaches = reported.direction.gain(values, reported.naive) >= -TIE_TOLERANCE * abs(
        reported.naive
    )
    reaching = float(np.average(reaches, weights=distribution.probabilities))
    return Histogram(reported.method, reported.metric, _plain(edges), _plain(shares), reaching)


def _ranking(case: Case) -> Ranking:
    """The configurations by performance on all samples, without undefined ones."""
    metric, names = case.selector, case.matrix.configurations
    try:
        return Ranking.of(metric.name, _set_of(case))
    except (OptionError, UndefinedError, UnsupportedError) as error:
        values = candidates(case.matrix, metric, measuring(metric, case.plan)).performances()
        order, _ = ranked(metric.direction, case.judged.performances())
        n_shown = min(int((~np.isnan(values)).sum()), MOST_RANKED)
        rows = tuple(Ranked(names[column], float(values[column])) for column in order[:n_shown])
        return Ranking(metric.name, rows, len(names), without=error.told()[0])


def _set_of(case: Case) -> BestSet:
    """The set of the possible best, with intervals; None where computing it takes too long."""
    if case.matrix.n_configurations > MOST_RANKED:
        raise UnsupportedError(
            f"there are more than {MOST_RANKED} configurations", hint="bbc compare"
        )
    if case.matrix.n_samples > MOST_SAMPLES:
        raise UnsupportedError(f"there are more than {MOST_SAMPLES} samples", hint="bbc compare")
    return best_set(case.matrix, case.selector, case.plan)


def _folds(case: Case, made: Case) -> tuple[FoldSpread, ...]:
    """The winner, or what is made, in each fold of each repeat, and how configurations spread."""
    matrix, spreads = case.matrix, []
    performances = fold_performances(matrix, case.metric)
    shipped = fold_performances(made.matrix, made.metric)
    pairs = zip(performances, shipped, folds_of(matrix), strict=True)
    for repeat, (values, of_made, folds) in enumerate(pairs):
        for code, row, winners in zip(distinct(folds), values, of_made, strict=True):
            name = str(matrix.fold_names[code])
            label = f"{repeat + 1}: {name}" if matrix.n_repeats > 1 else name
            winner = winners[made.choice.winner]
            of_winner = None if np.isnan(winner) else float(winner)
            quartiles = np.nanquantile(row, [0, 0.25, 0.5, 0.75, 1])
            spreads.append(FoldSpread(label, of_winner, *_plain(quartiles)))
    return tuple(spreads)


def _plain(values: FloatArray | Sequence[float]) -> tuple[float, ...]:
    return tuple(map(float, values))
