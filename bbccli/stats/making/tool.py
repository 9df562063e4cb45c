"""`tool`, the rule by which the tool that left the file chose its ensemble.

As `greedy`, and besides:

1. Where the tool limits the models of a kind, only the best few of each in the bag take part: 1
   below 1,000 samples, 2 below 5,000, then one more with every 5,000, and at most 12 (AutoGluon).
2. Where it limits the time of a prediction, a model is skipped with which the members would take
   longer (mljar).
3. Where it rounds, losses have six decimals, unless that of the first round is below 0.0001. Of
   equal ones a member wins, else one at random, from the tool's seed in every bag (AutoGluon).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.source import Ensemble, agrees
from bbccli.errors import UnsupportedError, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_clip
from bbccli.notes import listing
from bbccli.platform.dataclass import dataclass
from bbccli.stats.making.greedy import grown
from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.making.made import Maker
from bbccli.stats.selection import SelectionRule
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import TIE_TOLERANCE, BoolArray, Direction, FloatArray, IntArray, Pooling, Select

_LEVELS = (1_000, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000)
"""Numbers of samples from which one more model of a kind takes part."""
_DIGITS = 6
_EXACT = 1e-4
"""Losses up to this in the first round are not rounded later."""
_APART = 1e-6
"""Share of the largest prediction by which predictions in 32 bits may differ."""


def combine(given: Given, rule: Ensemble) -> Combine:
    """Return the shares of the members, by the rule of a tool; its candidates are the columns."""
    return grown(given, rule.rounds, lambda weights: _Choice(given, rule, weights))


class _Choice:
    """The choice of a configuration for each bag, round by round."""

    def __init__(self, given: Given, rule: Ensemble, weights: IntArray) -> None:
        self.rule, self.direction = rule, given.metric.direction
        self.allowed = _allowed(given, rule, weights)
        self.seconds = np.array(rule.seconds or 0.0)
        self.rounding: BoolArray | None = None
        self.random: dict[int, np.random.RandomState] = {}

    def __call__(self, values: FloatArray, added: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return what is added to each bag (B,), and its performance (B,); a `Choose`."""
        taken = (added > 0) @ np.broadcast_to(self.seconds, values.shape[1:])
        fast = taken[:, None] + self.seconds <= self.rule.limit
        values = np.where(self.allowed & fast, values, np.nan)
        if self.rule.rounded:
            return self._of_rounded(values, added)
        chosen = self.direction.best(values)
        return chosen, np.where(chosen < 0, np.nan, values[np.arange(len(values)), chosen])

    def _of_rounded(self, values: FloatArray, added: FloatArray) -> tuple[IntArray, FloatArray]:
        perfect = float(self.direction is Direction.MAXIMIZE)
        losses = np.abs(perfect - values)
        if self.rounding is not None:
            losses = np.where(self.rounding[:, None], losses.round(_DIGITS), losses)
        least = np.fmin.reduce(losses, axis=1)
        tied = losses <= least[:, None] * (1 + TIE_TOLERANCE)
        members = tied & (added > 0)
        tied = np.where(members.any(axis=1)[:, None], members, tied)
        chosen = np.where(tied.any(axis=1), np.argmax(tied, axis=1), -1)
        for bag in np.flatnonzero(tied.sum(axis=1) > 1).tolist():
            random = self.random.setdefault(bag, np.random.RandomState(0))
            chosen[bag] = random.choice(np.flatnonzero(tied[bag]))
        if self.rounding is None:
            self.rounding = least > _EXACT
            least = np.where(self.rounding, least.round(_DIGITS), least)
        return chosen, perfect - self.direction.sign * least


def _allowed(given: Given, rule: Ensemble, weights: IntArray) -> BoolArray:
    """Mark the configurations (B, C) that take part in each bag."""
    every = np.ones((len(weights), given.matrix.n_configurations), bool)
    if not rule.kinds:
        return every
    most = 1 + np.searchsorted(_LEVELS, given.matrix.n_samples, side="right")
    losses = -given.metric.direction.gain(given.judged.score(weights), 0.0)
    order = np.argsort(losses, axis=1, kind="stable")
    kinds = np.array(rule.kinds)[order]
    for kind in set(rule.kinds):
        of_kind = kinds == kind
        bags, places = np.nonzero(of_kind & (np.cumsum(of_kind, axis=1) > most))
        every[bags, order[bags, places]] = False
    return every


_HINT = "use --select greedy, or best"


def rule_of_run(matrix: PredictionMatrix, asked: str = "", hint: str = _HINT) -> Ensemble:
    """Return the rule of the tool that left the predictions.

    asked: the option that needs it; hint: what to give instead.
    Raises UnsupportedError: none is known, or it can't be repeated.
    """
    run = matrix.source.run
    rule = run.ensemble if run else None
    if rule is None:
        text = f"{asked} repeats the rule of mljar or AutoGluon, and none is known here"
        raise UnsupportedError(text, hint=hint)
    if rule.stacked:
        text = f"{asked}: {rule.name} is made of models that were fitted to predictions of others"
        raise UnsupportedError(f"{text}, which can't be refitted in resamples", hint=hint)
    return rule


def maker_of_run(matrix: PredictionMatrix) -> Maker:
    """Return what makes the ensemble of the run that left the predictions.

    Raises UnsupportedError: no tool left one, or it can't be repeated.
    """
    asked, hint = parameter("select", Select.TOOL), _HINT
    rule, run = rule_of_run(matrix, asked), matrix.source.run
    lost = [name for name in rule.candidates if name not in matrix.configurations]
    if lost or not rule.candidates:
        text = f"{asked}: {rule.name} was chosen from models that are left out here"
        raise UnsupportedError(
            f"{text}: {listing(lost)}", hint="keep them: without --only and --exclude"
        )
    columns = np.array([matrix.configurations.index(name) for name in rule.candidates])
    members = matrix.of_configurations(columns).with_threshold(None)
    if matrix.available is not None:
        text = f"{asked}: the models of {rule.name} do not predict every sample"
        raise UnsupportedError(text, hint=hint)
    metric = _chosen_by(matrix, rule)
    chosen_on = _as_weighted(members, rule)
    given = Given(chosen_on, metric, Pooling.POOLED, SelectionRule(metric.direction))
    return Maker(
        members,
        "tool",
        combine(given, rule),
        called=rule.name,
        tool=run.tool if run else None,
        chosen_by=rule.metric,
        reported=rule.score,
    )


def _as_weighted(matrix: PredictionMatrix, rule: Ensemble) -> PredictionMatrix:
    """Return the matrix without weights if the tool chose without them."""
    outcome = replace(matrix.outcome, weights=None) if rule.unweighted else matrix.outcome
    return replace(matrix, outcome=outcome)


def _chosen_by(matrix: PredictionMatrix, rule: Ensemble) -> Metric:
    """Return the metric that chose, as the tool computes it."""
    return with_clip(choose_metric(rule.metric, matrix), rule.clip)


@dataclass(frozen=True, slots=True)
class Repeated:
    """The ensemble of a run, made again.

    score: of what the rule makes of all samples.
    reported: by the tool.
    same_score, holds: True if the score is that of the tool, and if members and weights are too.
    """

    score: float
    reported: float
    same_score: bool
    holds: bool


def repeat_ensemble(maker: Maker, rule: Ensemble) -> Repeated:
    """Make the ensemble of a run again and compare; by predictions, for equal models may swap."""
    metric = _chosen_by(maker.matrix, rule)
    if np.isnan(maker.of_all.shares).any():
        return Repeated(np.nan, rule.score, same_score=False, holds=False)
    shipped = _as_weighted(maker.shipped, rule)
    score = Candidates(shipped, metric, Pooling.POOLED).figure(0)
    apart = np.inf
    if rule.weights:
        predictions = maker.matrix.predictions
        difference = maker.of_all.shares[0] - np.array(rule.weights)
        apart = float(np.abs(np.einsum("rnc...,c->rn...", predictions, difference)).max())
        apart /= max(float(np.abs(predictions).max()), 1e-30)
    same = agrees(score, rule.score, rule.tolerance)
    return Repeated(score, rule.score, same, same and apart <= _APART)
