"""The state of a search that drops configurations: models trained, and configurations left."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_random_state

from bbccli.domain.matrix import PredictionMatrix, Unfinished
from bbccli.domain.plan import Plan
from bbccli.domain.source import agrees, tolerance_of
from bbccli.dropping import DropDecision, drop
from bbccli.dropping.base import RuleNeed
from bbccli.dropping.online import check_terms
from bbccli.dropping.rules import choose_rule
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.metrics import Metric, choose_metric, metric_named
from bbccli.metrics.capped import with_clip
from bbccli.notes import Note
from bbccli.notes.lacking import configurations_dropped, dropped_between_folds
from bbccli.platform.arguments import choice
from bbccli.platform.resources import Reading, use_reading
from bbccli.platform.text import count
from bbccli.reading import Request, understand_sheet
from bbccli.reading.layout.known import sheet_of
from bbccli.reading.sample_index import place
from bbccli.reading.sheet import RAISE
from bbccli.reading.sources.memory import ARRAYS
from bbccli.recording import attempts, inputs, partial, reader
from bbccli.recording.scorer import Listener, convention_of, listening, own_score
from bbccli.recording.store import Part
from bbccli.stats.selection.candidates import fold_performances
from bbccli.types import BoolArray, MetricKind, Pooling, PredictionKind, Task

ANSWERS = {
    **dict.fromkeys((PredictionKind.LABEL, PredictionKind.VALUE), ("predict",)),
    PredictionKind.PROBABILITY: ("predict_proba",),
    PredictionKind.SCORE: ("predict_proba", "decision_function"),
}
"""Methods of estimators by the kind of predictions that a metric needs, the best first."""


FAILED = "a fit failed, or its score is not finite"


class KeptScore(float):
    """A score that carries its predictions out of a worker process."""

    part: Part


@dataclass(eq=False)
class Keeper(Listener):
    """Score by the metric of a search, and keep the predictions: the answers of `methods` of the
    estimator, the best first.
    """

    methods: Sequence[str]

    def __call__(self, estimator: Any, X: Any, y: Any = None, **params: Any) -> Any:  # noqa: N803
        """Return the score of a fitted estimator; anything but a number unchanged."""
        with listening(estimator, X) as heard:
            score = self.metric(estimator, X, y, **params)
        try:
            kept_score = KeptScore(score)
        except (TypeError, ValueError):
            return score
        weights = params.get("sample_weight")
        weights = None if weights is None else np.asarray(weights, np.float64)
        part = Part(identity="", session=0, score=float(kept_score), weights=weights)
        part = self.answered(part, heard, self.methods, estimator, X)
        values = part.predictions
        if values is not None and values.dtype.kind == "f" and not np.isfinite(values).all():
            part = replace(part, predictions=None, kind=None, problem="predictions are not finite")
        kept_score.part = part
        return kept_score


def metric_of_search(metric: str | Metric | None, scoring: Any, estimator: Any) -> Metric:
    """Return the metric to drop by: the one given, else that of the search; an OptionError if
    none.
    """
    if metric is not None:
        return metric_named(metric)
    name, _ = convention_of(scoring)
    if not name and (scoring is None or getattr(scoring, "metric", None) is own_score):
        name = "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else ""
    try:
        return metric_named(name)
    except OptionError:
        scored_by = f"scoring={name!r}" if name else "the function that the search scores by"
        hint = "give metric=NAME to drop by; bbc metrics lists the names"
        raise OptionError(f"bbc has no metric for {scored_by}", hint=hint) from None


class Race:
    """Configurations trained fold by fold: C names, and the parameters of each.

    By configuration and split, `outputs` are those of scikit-learn, and `parts` the predictions;
    `decisions` has one after each step but the last.
    """

    def __init__(self, search: Any, y: Any, groups: Any, scored_with: Mapping[str, Any]) -> None:
        """Check the arguments of a search before training; `scored_with` is routed to the
        scorer.
        """
        metric = metric_of_search(search.metric, search.scoring, search.estimator)
        values = Task.REGRESSION in metric.tasks and not is_classifier(search.estimator)
        design = inputs.design_of(y, Task.REGRESSION if values else Task.MULTICLASS, "")
        design = replace(design, positive=convention_of(search.scoring, design.labels)[1])
        if design.task not in metric.tasks:
            tasks = " and ".join(sorted(map(str, metric.tasks)))
            problem = f"{metric.label} is for {tasks} tasks; this one is {design.task}"
            raise UnsupportedError(problem, hint="choose another scoring or metric")
        rule = choose_rule(search.rule)
        if RuleNeed.LOSSES in rule.needs and metric.kind is not MetricKind.MEAN:
            problem = f"{metric.label} is not a mean of losses per sample, as {rule.name} requires"
            hint = "use rule='bbcd', or a metric such as accuracy or mae"
            raise UnsupportedError(problem, hint=hint)
        inputs.weights_of(scored_with.get("sample_weight"), design.n_samples)
        if groups is not None:
            design = replace(design, groups=inputs.codes_of_groups(groups, design.n_samples))
        threshold = check_terms(rule, search.threshold, search.min_samples)
        self.how = {"rule": rule, "threshold": threshold, "min_samples": search.min_samples}
        self.pooling = partial.pooling_for(metric, choice(Pooling, search.pooling, "pooling"))
        state = search.random_state
        drawn = not isinstance(state, Integral)
        self.seed = int(check_random_state(deepcopy(state)).randint(2**31 - 1) if drawn else state)
        self.design, self.metric = design, metric
        self.decisions: list[DropDecision] = []
        self.warned: set[str] = set()

    def start(self, splits: list[inputs.Split], candidates: Iterable[Any], scorer: Any) -> Keeper:
        """Set train and test rows and the configurations; return a scorer that keeps what the
        metric needs.
        """
        self.splits, self.candidates = splits, list(candidates)
        self.design = replace(self.design, tests=tuple(test for _, test in splits))
        params = [inputs.of_candidate(dict(candidate)) for candidate in self.candidates]
        parts = [Part(identity=str(c), session=0, params=of_one) for c, of_one in enumerate(params)]
        self.names = attempts.short_names(parts)
        self.outputs: list[dict[int, Mapping[str, Any]]] = [{} for _ in params]
        self.parts: list[dict[int, Part]] = [{} for _ in params]
        return Keeper(scorer, self.design.labels, self.design.task, ANSWERS[self.metric.wants])

    def take(self, queue: Sequence[tuple[int, int]], outputs: Sequence[dict[str, Any]]) -> None:
        """Store scikit-learn's output for models, each a configuration and a split."""
        for (c, split), output in zip(queue, outputs, strict=True):
            score = output["test_scores"]
            if isinstance(score, Mapping):
                raise several_metrics()
            failed = not isinstance(score, KeptScore) or not np.isfinite(score)
            part = Part(identity="", session=0, problem=FAILED) if failed else score.part
            self.parts[c][split] = replace(part, split=split)
            keys = output.keys() & {"test_scores", "train_scores"}
            self.outputs[c][split] = output | {key: float(output[key]) for key in keys}

    @property
    def survivors(self) -> BoolArray:
        """True for those that were trained on all folds: (C,)."""
        n_folds = len(self.splits)
        return np.array([len(_predicted(parts)) == n_folds for parts in self.parts])

    def left(self, candidates: Sequence[int]) -> list[int]:
        """Return those without a failed fit; a ValueError if there is none."""
        lost = [c for c in candidates if len(_predicted(self.parts[c])) < len(self.parts[c])]
        if lost:
            parts = self.parts[lost[0]].values()
            why = next(part.problem for part in parts if part.predictions is None)
            first = f"{self.names[lost[0]]}: {why}"
            if len(lost) == len(candidates):
                raise ValueError(f"no configuration is left: {first}")
            summary = f"{count(len(lost), 'configuration')} left the race, such as {first}"
            warnings.warn(summary, RuntimeWarning, stacklevel=2)
        return [c for c in candidates if c not in lost]

    def decide(self, alive: Sequence[int]) -> list[int]:
        """Return those that can still win after the folds so far."""
        seen = len(self.parts[alive[0]])
        gone = {self.names[c]: len(p) for c, p in enumerate(self.parts) if c not in {*alive}}
        unfinished = Unfinished((*gone,), (*gone.values(),), n_models=seen, names=(*self.names,))
        tried = {self.names[c]: list(self.parts[c].values()) for c in alive}
        matrix = partial.matrix_so_far(self.design, tried, self.names[alive[0]], unfinished)
        plan = self.plan(matrix)
        self._verify(matrix, plan.clip, alive)
        try:
            decision = drop(matrix, self.metric, plan, n_folds=len(self.splits), **self.how)
        except UndefinedError as error:  # training on is better than stopping the search
            self._warn(f"nothing is dropped after fold {seen}: {error.problem}")
            return list(alive)
        self.decisions.append(decision)
        for note in decision.notes if decision.drop else ():
            self._warn(f"{note.text}; {note.remedy}")
        return [c for c in alive if self.names[c] in decision.keep]

    def plan(self, matrix: PredictionMatrix) -> Plan:
        """Return a plan that selects as the search does."""
        return partial.plan_for(matrix, self.metric, self.pooling, self.seed)

    def matrix(self) -> PredictionMatrix:
        """Return the predictions of the candidates trained on all folds, as of a recording."""
        named = [
            replace(part, identity=name, name=name)
            for name, parts in zip(self.names, self.parts, strict=True)
            for part in _predicted(parts)
        ]
        with use_reading(Reading(max_input=2**62)):  # they are no file
            run = reader.Recording(Path(ARRAYS), self.design, (named, []))
        given = reader.handed_over(run)
        about = replace(given.about, run=None, n_candidates_total=None, undefined=0)
        sheet = place(sheet_of(ARRAYS, replace(given, about=about), sha256=""), RAISE)
        matrix = understand_sheet(sheet, Request())[1]
        source = replace(matrix.source, n_tried=len(self.names))
        notes = self._notes(matrix.notes)
        return replace(matrix, kind=run.kind, notes=notes, source=source)  # 0, 1: no labels

    def _notes(self, notes: Iterable[Note]) -> tuple[Note, ...]:
        """Return the notes on a matrix, telling dropped configurations from failed ones."""
        failed = np.array([len(_predicted(parts)) < len(parts) for parts in self.parts])
        rest = [note for note in notes if note.code != configurations_dropped.code]
        dropped = ~self.survivors & ~failed
        for kind, which in ((configurations_dropped, failed), (dropped_between_folds, dropped)):
            names = [self.names[c] for c in np.flatnonzero(which)]
            rest += [kind(names, len(failed))] if names else []
        return tuple(rest)

    def _verify(self, matrix: PredictionMatrix, clip: float, alive: Sequence[int]) -> None:
        """Warn if the search and the metric score differently in the same folds."""
        try:
            metric = with_clip(choose_metric(self.metric, matrix), clip)
            ours = np.concatenate(fold_performances(matrix, metric))
        except UndefinedError:
            return
        splits = list(self.parts[alive[0]])
        theirs = np.array([[self.parts[c][s].score for c in alive] for s in splits], float)
        theirs *= self.metric.direction.sign
        finite = np.isfinite(ours) & np.isfinite(theirs)
        if not finite.any():
            return
        place = np.unravel_index(np.argmax(np.where(finite, np.abs(ours - theirs), -1)), ours.shape)
        here, there = float(ours[place]), float(theirs[place])
        predicted = (part.predictions for parts in self.parts for part in parts.values())
        if not agrees(here, there, tolerance_of(attempts.share_of(predicted), there)):
            figures = f"{there:.6g} by the search and {here:.6g} by {self.metric.name}"
            text = f"scoring and metric are not the same: {self.names[alive[int(place[1])]]} has "
            self._warn(f"{text}{figures}, which decides who is dropped, and corrects the winner")

    def _warn(self, text: str) -> None:
        """Warn once per search."""
        kind = text.partition(":")[0]
        if kind not in self.warned:
            self.warned.add(kind)
            warnings.warn(text, UserWarning, stacklevel=2)


def _predicted(parts: Mapping[int, Part]) -> list[Part]:
    """Return the parts with predictions."""
    return [part for part in parts.values() if part.predictions is not None]


def several_metrics() -> ValueError:
    """Return the error about a search by several metrics."""
    text = "DroppingSearchCV takes one metric, by which it drops and selects; afterwards "
    text += "bbccli.correct(search.matrix_, metric=[...]) estimates others for the winner"
    return ValueError(text)
