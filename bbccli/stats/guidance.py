"""Whether a search built on its own scores, from the order of its configurations alone.

1. The row values of a configuration say what each sample adds to its performance: right or wrong, a
   loss, or the influence on an AUC. Metrics without a formula for them take ranks of predictions.
2. The parent of configuration t, from the tenth on, is the earlier one whose row values correlate
   most with its own. One whose parent came right before it is left out: in a grid most do.
3. The standing of a parent is the share of the configurations before t that it beats, ties half.
   In an unguided search a parent is any earlier configuration, so the mean standing s is near 1/2;
   a search that builds on its best draws it towards 1.
4. z is how far s is from its mean over 19 random orders of the same configurations, in standard
   deviations of these, of at least 0.02 each.
5. An axis that goes up, such as the stages of boosting, has a high s too: the neighbours of a
   stage are the latest, so the best. But a search goes back to its best over tries that failed,
   and an axis goes on. So the lead of a parent counts as well: the mean of the share of those
   between it and t that it beats, and of whether it beats t. Along an axis it is below 1/2.
   Tuning a few hyperparameters leaves it near 1/2, where little is fitted; and it is no climb where
   a recording shows that the configurations differ in up to six numbers alone.

With fewer than 60 configurations the test has no power and is not made, nor where most are like
the one right before them: that is a list, or a search that kept nearly every try. Of more than 500,
a random 500 in their order are looked at, and of many samples 5,000: it takes O(C^2 N) once. Where
the order is that of the performances themselves it is a table's, not a search's. Thresholds were
set on recordings of known searches and lists, and checked on later ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError
from bbccli.metrics import Metric
from bbccli.notes import Note
from bbccli.notes.intervals import guided, guided_by_rows, guided_by_scores, guided_climb
from bbccli.platform.dataclass import dataclass
from bbccli.stats.influence import influence
from bbccli.stats.resampling import Unit, generator
from bbccli.stats.selection.candidates import by_repeat, candidates
from bbccli.stats.selection.pooling import has_closed_form
from bbccli.stats.stopping import places_of
from bbccli.types import FloatArray, Guided, IntArray, Pooling

FEWEST = 60
"""Configurations below which a climb and chance can't be told apart."""

FEW = 6
"""Directions in which a search that follows its scores fits little, in studies of 100 samples."""

MOST = 500
"""Configurations that are looked at."""

MOST_ROWS = 5_000
"""Samples that are looked at: correlations of so many have errors of 0.014."""

FIRST = 10
"""Configurations that only serve as parents."""

N_ORDERS = 19
"""Random orders that the order of the trials is compared with."""

LEAST_SPREAD = 0.02
"""Standard deviation of the standing in random orders, at least."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """Mean standing of the parents, from 0 to 1; its distance from that of random orders, 0 where
    it decides nothing; and their lead.
    """

    mean: float
    distance: float
    lead: float

    @property
    def is_guided(self) -> bool:
        """True if the best of the earlier ones are the parents; tuning does that too."""
        return self.mean > 0.65 and self.distance > 3 and self.lead > 0.5

    @property
    def is_climb(self) -> bool:
        """True if nearly every parent is among the best, and its children are worse."""
        return (self.mean + self.lead) / 2 > 0.67 and self.distance > 5 and self.lead > 0.55


def on_guidance(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Iterator[Note]:
    """Yield the note on a search that was, or seems to have been, guided by these samples."""
    if plan.guided is Guided.ROWS:
        yield guided_by_rows()
    if plan.guided in (Guided.ROWS, Guided.NO):
        return
    standing = None
    with suppress(UndefinedError):  # the methods say so
        standing = standing_of(matrix, metric, plan)
    run = matrix.source.run
    few = run is not None and run.directions is not None and run.directions <= FEW
    if standing is not None and standing.is_climb and not few:
        yield guided_climb(standing.mean, standing.lead)
    elif standing is not None and (standing.is_climb or standing.is_guided):
        yield guided(standing.mean, standing.lead)
    elif plan.guided is Guided.SCORES:
        yield guided_by_scores()


def standing_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Guidance | None:
    """Return the standing of the parents; None if the order is unknown, or too few can be told."""
    order = _order_of_trials(matrix)
    if len(order) < FEWEST:
        return None
    every = candidates(matrix, metric, plan.pooling).performances()
    gains = metric.direction.sign * every[order]
    steps = np.diff(gains[np.isfinite(gains)])
    if (steps >= 0).all() or (steps <= 0).all():
        return None
    rng = generator(0, (Unit.ORDERS,))  # the plan's seed must not decide on a doubt
    if len(order) > MOST:
        order = order[np.sort(rng.choice(len(order), MOST, replace=False))]
    rows = _row_values(matrix, order, metric)
    scale = rows.std(axis=0)
    varying = np.isfinite(every[order]) & (scale > 1e-9 * np.abs(rows).max(initial=0.0))
    if varying.sum() < FEWEST:
        return None
    rows = (rows[:, varying] - rows[:, varying].mean(axis=0)) / scale[varying]
    # equal ones are to be equal, whatever the order of a sum
    alike = np.round(rows.T @ rows / len(rows), 9)
    gains = (metric.direction.sign * every[order[varying]]).astype(np.float32)
    correlation, lead = _standing_and_lead(alike, gains)
    far = Guidance(correlation, np.inf, lead)
    if not (far.is_guided or far.is_climb):
        return Guidance(correlation, 0.0, lead)
    others = [
        _standing_and_lead(alike[np.ix_(shuffled, shuffled)], gains[shuffled])[0]
        for shuffled in (rng.permutation(len(gains)) for _ in range(N_ORDERS))
    ]
    spread = max(float(np.std(others)), LEAST_SPREAD)
    return Guidance(correlation, (correlation - float(np.mean(others))) / spread, lead)


def _order_of_trials(matrix: PredictionMatrix) -> IntArray:
    """Return the configurations (C,) in the order of their trials; empty where it is unknown."""
    places = {name: column for column, name in enumerate(matrix.configurations)}
    order = [places[name] for name in dict.fromkeys(matrix.source.in_order) if name in places]
    if len(order) < len(places):
        return np.array([], np.int64)
    axes, first = places_of(matrix), dict[str, int]()
    for column in order:  # epochs follow each other, whatever guides the search
        name = matrix.configurations[column]
        first.setdefault(axes[name].configuration if name in axes else name, column)
    return np.array(list(first.values()), np.int64)


def _row_values(matrix: PredictionMatrix, order: IntArray, metric: Metric) -> FloatArray:
    """Return what each of some samples adds to the performances in an order: (N', C)."""
    if matrix.n_samples > MOST_ROWS:
        by_outcome = np.argsort(matrix.outcome.values, kind="stable")
        matrix = matrix.of_samples(
            by_outcome[np.linspace(0, len(by_outcome) - 1, MOST_ROWS, dtype=int)]
        )
    matrix, every = matrix.of_configurations(order), np.arange(len(order))  # a copy of few rows
    if has_closed_form(by_repeat(matrix, metric, every)[0]):
        scorer = candidates(matrix, metric, Pooling.POOLED).bind(every)
        return np.nan_to_num(influence(scorer, np.ones(matrix.n_samples, np.int64)))
    predictions = np.moveaxis(matrix.predictions[0], 1, -1).reshape(-1, len(every))
    return np.asarray(predictions.argsort(axis=0).argsort(axis=0), np.float64)


def _standing_and_lead(alike: FloatArray, gains: FloatArray) -> tuple[float, float]:
    """Return the mean standing and lead of the parents of configurations in an order.

    alike (C, C): correlations of row values.
    gains (C,): performances, the higher the better.
    """
    later = np.arange(FIRST, len(gains))
    earlier = np.tri(len(gains), k=-1, dtype=bool)[FIRST:]
    parents = np.where(earlier, alike[FIRST:], -np.inf).argmax(axis=1)
    counted = later - parents > 1
    if counted.mean() < 0.5:
        return 0.5, 0.5
    later, parents = later[counted], parents[counted]
    beats = (gains < gains[:, None]) + 0.5 * (gains == gains[:, None])
    before = np.pad(beats.cumsum(axis=1), ((0, 0), (1, 0)))  # of the first k configurations
    standing = before[parents, later] / later
    between = before[parents, later] - before[parents, parents + 1]
    lead = (between / (later - parents - 1) + beats[parents, later]) / 2
    return float(standing.mean()), float(lead.mean())
