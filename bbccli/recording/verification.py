"""Verify a recording against the results of its search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.domain.plan import CLIP
from bbccli.domain.source import ReportedScore, agrees, tolerance_of
from bbccli.errors import InputError, OptionError
from bbccli.metrics import METRICS, Metric, canonical
from bbccli.notes import listing
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.recording import inputs, store
from bbccli.recording.attempts import TOLERANCE, agreeing, as_text, share_of, tries_of
from bbccli.recording.partial import matrix_of_all, placed_at, with_default_score
from bbccli.recording.store import Design, Listed, Part, identity_of
from bbccli.stats.verification import Compared, compared
from bbccli.types import FloatArray, PredictionKind, Task


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A candidate of a search: parameters or name, mean and split scores, and its parts.

    One dropped between folds was trained on `n_trained` of them.
    """

    params: Mapping[str, Any]
    mean: float
    splits: FloatArray
    name: str = ""
    parts: Sequence[Part] = ()
    n_trained: int | None = None

    @property
    def label(self) -> str:
        """Its name or parameters, for messages."""
        words = " ".join(f"{key}={value}" for key, value in self.params.items())
        return self.name or words or "the candidate"

    def without_failures(self, score: float) -> Candidate:
        """Return it without scores that the search gives to failed fits, `error_score`."""
        recorded = {part.split for part in self.parts if part.predictions is not None}
        lacks = [split not in recorded for split in range(len(self.splits))]
        splits = np.where((self.splits == score) & lacks, np.nan, self.splits)
        return replace(self, splits=splits, mean=self.mean + 0 * float(splits.sum()))

    @property
    def failed(self) -> bool:
        """True if a fit has no score."""
        n_expected = len(self.splits) if self.n_trained is None else self.n_trained
        return int(np.isfinite(self.splits).sum()) < n_expected

    @property
    def dropped(self) -> bool:
        """True if no fit failed, but it was not trained on all folds."""
        return not self.failed and bool(np.isnan(self.splits).any())


def candidates_of(results: Any, metric: str, configuration: str, folder: Path) -> list[Candidate]:
    """Return the candidates of a search, its `cv_results_`, or what `cross_validate` returns."""
    table = getattr(results, "cv_results_", results)
    keys = [str(key) for key in table] if isinstance(table, Iterable) else []
    if configuration:
        key = f"test_{metric or 'score'}"
        if key not in keys:
            tests = [key.removeprefix("test_") for key in keys if key.startswith("test_")]
            among = f"give metric= one of: {', '.join(tests)}"
            hint = among if tests else "give those of cross_validate"
            raise OptionError(f"the results have no {key!r}", hint=hint)
        splits = np.asarray(table[key], np.float64)
        return [Candidate({}, float(splits.mean()), splits, configuration)]
    named = [key.removeprefix("mean_test_") for key in keys if key.startswith("mean_test_")]
    scoring = getattr(results, "scoring", None)
    pairs = scoring.items() if isinstance(scoring, Mapping) else ()
    ours = [str(key) for key, scorer in pairs if getattr(scorer, "folder", None) == folder]
    if getattr(scoring, "folder", None) == folder and named and named != ["score"]:
        problem = f"the recorded scorer returns several scores: {', '.join(named)}"
        hint = "record one that returns a number, by which the search selects"
        raise OptionError(problem, hint=hint)
    name = metric or (named if len(named) == 1 else [*ours, ""])[0]
    if name not in named or "params" not in keys:
        problem, hint = "these are not the results of a search", "give it fitted, or cv_results_"
        if named:
            lacking = f"the results have no metric {name!r}"
            problem = lacking if name else "there are several metrics"
            hint = f"give metric= one of: {', '.join(named)}"
        raise OptionError(problem, hint=hint)
    pattern = re.compile(rf"split(\d+)_test_{re.escape(name)}")
    columns = sorted((int(m[1]), key) for key in keys if (m := pattern.fullmatch(key)))
    if not columns:
        hint = "give the fitted search, or its complete cv_results_"
        raise OptionError(f"the results have no scores of the splits for {name!r}", hint=hint)
    scores = np.array([np.asarray(table[key], np.float64) for _, key in columns]).T
    means = np.asarray(table[f"mean_test_{name}"], np.float64).tolist()
    trained = table["n_folds_trained"] if "n_folds_trained" in keys else [len(columns)] * len(means)
    rows = zip(table["params"], means, scores, trained, strict=True)
    return [Candidate(params, mean, splits, n_trained=int(n)) for params, mean, splits, n in rows]


@dataclass(frozen=True, slots=True)
class Verified:
    """A recording that agrees with its search.

    Parameters
    ----------
    n_candidates, n_fits
        Candidates of the search, and their successful fits.
    incomplete
        Names of candidates with failed fits.
    dropped
        Names of candidates that the search dropped between folds.
    largest_deviation
        Largest deviation of the mean recorded score from `mean_test_score`.
    largest_recomputed
        Largest deviation of the metric on the stored predictions, computed as in scikit-learn, from
        the recorded scores; None if none was recomputed.
    n_recomputed
        Number of fits with recomputed scores.
    notes
        Why scores were not recomputed, where bbc computes the metric differently, and earlier tries
        with other predictions.
    recorded_again
        Names of candidates with predictions recorded before: they count once.
    """

    n_candidates: int
    n_fits: int
    incomplete: tuple[str, ...]
    largest_deviation: float
    largest_recomputed: float | None
    n_recomputed: int = 0
    notes: tuple[str, ...] = ()
    recorded_again: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def verify_by(
    folder: Path, plan: Design, results: Any, metric: str, configuration: str, data: str
) -> Verified:
    """Compare, and store the candidates of the search.

    `plan` is the design; parts with another digest of the features than `data` are not of this
    search. An InputError if fits are missing, or if a candidate has another score.
    """
    identity = identity_of(configuration, "", {}) if configuration else ""
    candidates = candidates_of(results, metric, configuration, folder)
    everything, damaged = store.parts_in(folder)
    recorded = _by_parameters(part for part in everything if part.data in ("", data))
    candidates, changed = _matched(candidates, recorded, identity)
    failed = getattr(results, "error_score", None)
    if isinstance(failed, int | float):
        candidates = [candidate.without_failures(failed) for candidate in candidates]
    n_fits = _check_fits(folder, candidates, damaged)
    deviation = _check_means(folder, candidates)
    plan = with_default_score(plan, [part for candidate in candidates for part in candidate.parts])
    again, why = _recomputed(plan, candidates)
    for ours, part, candidate in again:
        wants_classes = METRICS[canonical(ours.score.metric, METRICS)].wants is PredictionKind.LABEL
        by_other_classes = wants_classes and part.kind is not PredictionKind.LABEL
        if not ours.confirmed and not by_other_classes:
            what = f"on split {part.split} the stored predictions have a score of"
            raise _mismatch(folder, candidate.label, what, plan.sign * ours.value, part.known_score)
    others = [f"{c.label} on split {p.split}" for ours, p, c in again if not ours.confirmed]
    again = [recomputed for recomputed in again if recomputed[0].confirmed]
    groups, board = store.by_identity(everything), []
    tried, recorded_again = dict[str, None](), dict[str, None]()
    for each in candidates:
        recorded_as = each.parts[0].identity if each.parts else ""
        tries = tries_of(groups.get(recorded_as, ()), [each.splits.tolist()])
        counted = [attempt for attempt in tries if attempt.counts]
        tried |= {each.label: None} if len(counted) > 1 else {}
        recorded_again |= {each.label: None} if any(attempt.again for attempt in counted) else {}
        listed_as = recorded_as or identity or _unfitted(results, each)
        board.append(Listed(listed_as, each.label, each.mean, tuple(each.splits.tolist())))
    store.write_listed(folder, board)
    before = f"tried before in this folder, with other predictions: {listing(list(tried))}"
    return Verified(
        n_candidates=len(candidates),
        n_fits=n_fits,
        incomplete=tuple(candidate.label for candidate in candidates if candidate.failed),
        dropped=tuple(candidate.label for candidate in candidates if candidate.dropped),
        largest_deviation=deviation,
        largest_recomputed=max((ours.difference for ours, *_ in again), default=None),
        n_recomputed=len(again),
        notes=(
            *_on_choice(results, candidates, folder),
            *[f"fit() changes parameters: {listing(changed)}"][: len(changed)],
            *why,
            *[
                "predict() gives classes other than those recorded; record them with "
                f"Recorder(response='predict'): {listing(others)}"
            ][: len(others)],
            *_otherwise(plan, again),
            *[f"{before}; every try counts"][: len(tried)],
        ),
        recorded_again=tuple(recorded_again),
    )


def _on_choice(results: Any, candidates: Sequence[Candidate], folder: Path) -> list[str]:
    """Return a note on a search that selects by a metric that was not recorded, or in another way:
    by a function, among those of the last iteration, or without a score.
    """
    scoring, refit = getattr(results, "scoring", None), getattr(results, "refit", None)
    recorded = scoring.get(refit) if isinstance(scoring, Mapping) and isinstance(refit, str) else 0
    if recorded != 0 and getattr(recorded, "folder", None) != folder:
        text = f"the search selects by {refit!r}, which is not the metric that was recorded: "
        return [f"{text}bbc correct selects by the recorded one"]
    chosen = getattr(results, "best_index_", None)
    means = [candidate.mean for candidate in candidates]
    if chosen is None or not np.isfinite(means).any():
        undefined = "no candidate has a score on every split, so the search chose without one"
        return [undefined] * (chosen is not None)
    best = int(np.nanargmax(means))
    if means[best] - means[chosen] <= tolerance_of(TOLERANCE, means[best]):
        return []
    text = f"the search chose {candidates[chosen].label}, not {candidates[best].label}, which has "
    return [f"{text}the best recorded mean score, and which bbc correct takes for the winner"]


def _unfitted(results: Any, candidate: Candidate) -> str:
    """Return the identity that the parts of a candidate would have."""
    params = dict(candidate.params)
    try:
        from sklearn import clone

        made = clone(results.estimator).set_params(**clone(params, safe=False))
        return identity_of("", inputs.class_name(made), inputs.parameters_of(made))
    except Exception:  # only cv_results_, or invalid parameters, with which the fits failed too
        return identity_of("", "", inputs.of_candidate(params))


Recorded = tuple[str, Mapping[str, str], list[Part]]
"""Identity, parameters as text, and parts of a configuration."""


def _by_parameters(all_parts: Iterable[Part]) -> list[Recorded]:
    """Return the parts of each configuration; a name may have several sets of parameters."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in all_parts:
        groups.setdefault((part.identity, as_text(part.params)), []).append(part)
    return [
        (identity, {key: as_text(value) for key, value in group[0].params.items()}, group)
        for (identity, _), group in groups.items()
    ]


def _matched(
    candidates: Sequence[Candidate], recorded: Sequence[Recorded], identity: str
) -> tuple[list[Candidate], list[str]]:
    """Return the candidates with their parts, and those that were recorded under other parameters.

    Parts have the parameters of their candidate; of several, those with its scores count. The
    scores alone tell where fit() changed the parameters.
    """
    matched = []
    for candidate in candidates:
        given = inputs.of_candidate(dict(candidate.params))
        params = {key: as_text(value) for key, value in given.items()}
        groups: dict[str, list[Part]] = {}
        for key, texts, group in recorded:
            if key == identity or (not identity and params.items() <= texts.items()):
                groups.setdefault(key, []).extend(group)
        matched.append(replace(candidate, parts=_best(candidate, groups.values())))
    taken = {c.parts[0].identity for c in matched if c.parts and _agrees(c, c.parts)}
    changed = []
    for at, candidate in enumerate(matched):
        others = [g for key, _, g in recorded if key not in taken and _agrees(candidate, g)]
        if not identity and others and not _agrees(candidate, candidate.parts):
            matched[at] = replace(candidate, parts=_best(candidate, others))
            taken.add(matched[at].parts[0].identity)
            words = (f"{key}={matched[at].parts[0].params.get(key)}" for key in candidate.params)
            changed.append(f"{candidate.label} is recorded as {' '.join(words)}")
    return matched, changed


def _agrees(candidate: Candidate, parts: Sequence[Part]) -> bool:
    """True if every score of a candidate is that of a part."""
    agree = {part.split for part in parts if agreeing(part, candidate.splits)}
    return bool(agree) and agree >= {*np.flatnonzero(np.isfinite(candidate.splits)).tolist()}


def _best(candidate: Candidate, groups: Iterable[list[Part]]) -> list[Part]:
    """Return a part for each split, of the group with the most scores of a candidate."""
    scored = [group for group in groups if any(part.score is not None for part in group)]
    chosen = max(scored, key=lambda g: sum(agreeing(p, candidate.splits) for p in g), default=[])
    best = sorted(chosen, key=lambda p: (not agreeing(p, candidate.splits), -p.session, p.time))
    of_split: dict[int | None, Part] = {}
    for part in best:
        of_split.setdefault(part.split, part)
    return [part for part in of_split.values() if part.split is not None]


def _check_fits(folder: Path, candidates: Sequence[Candidate], damaged: Sequence[str]) -> int:
    """Check that every successful fit has its predictions; return the number of fits."""
    expected, missing = 0, []
    for candidate in candidates:
        of_split = {part.split: part for part in candidate.parts}
        for split in np.flatnonzero(np.isfinite(candidate.splits)).tolist():
            expected, part = expected + 1, of_split.get(split)
            if part is None or part.predictions is None:
                missing.append((candidate.label, split, part.problem if part else ""))
    if not missing:
        return expected
    label, split, problem = missing[0]
    text = f"{expected - len(missing)} of {expected} fits recorded"
    first = f"{text}; the first missing one is split {split} of {label}"
    path, further = str(folder), 0
    if problem:
        text, hint = f"{first}: {problem}", "choose a response= that all estimators have"
        if inputs.VALUES in problem:
            hint = 'if y holds values and not classes, give the recorder task="regression"'
    elif damaged:
        text, path = f"{first}, and this part is damaged", str(folder / store.PARTS / damaged[0])
        hint = "after a power cut or on a full disk: run the search again with a recorder of "
        hint += "the same folder, and finish; intact parts are kept, and damaged parts are passed "
        hint, further = hint + "over", len(damaged) - 1
    elif len(missing) == expected:
        hint = "this search evaluates other rows, for example because of successive halving, "
        hint += "another cv or other data: "
        hint += "give it cv=rec.cv, scoring=rec.scorer and the X and y of the recorder"
    else:
        text, hint = first, "record the search again"
    raise InputError(text, path=path, hint=hint, further=further)


def _check_means(folder: Path, candidates: Sequence[Candidate]) -> float:
    """Check that the mean recorded scores are those of the search; return the largest deviation."""
    largest = 0.0
    for candidate in candidates:
        if not np.isfinite(candidate.splits).all():
            continue
        scores = {part.split: part.score for part in candidate.parts}
        mean = float(np.mean([scores[split] for split in range(len(candidate.splits))]))
        if not agrees(mean, candidate.mean, tolerance_of(TOLERANCE, candidate.mean)):
            what = "the recorded scores have a mean of"
            raise _mismatch(folder, candidate.label, what, mean, candidate.mean)
        largest = max(largest, abs(mean - candidate.mean))
    return largest


def _mismatch(folder: Path, label: str, what: str, mine: float, theirs: float) -> InputError:
    problem = f"{label}: {what} {mine:.12g}, the search says {theirs:.12g}"
    hint = "rows, classes or searches are mixed up: record again in another folder"
    return InputError(problem, path=folder, hint=hint)


_AT_ONCE = 64

Again = tuple[Compared, Part, Candidate]
"""A recomputed score of a part of a candidate."""


def _recomputed(plan: Design, candidates: Sequence[Candidate]) -> tuple[list[Again], list[str]]:
    """Recompute the scores of all parts if bbc has the metric of the search, or say why not.

    Left out are test sets that lack a class.
    """
    recorded = [(part, candidate) for candidate in candidates for part in candidate.parts]
    scored = [both for both in recorded if np.isfinite(both[0].known_score)]
    metric = METRICS.get(canonical(plan.scoring, METRICS))
    none_again = "none of its scores was recomputed, and bbc correct needs --metric"
    if not scored:
        return [], []
    if metric is None or plan.task not in metric.tasks:
        why = "a metric that bbc lacks" if metric is None else f"not a metric of {plan.task} tasks"
        called = f"{plan.scoring}, {why}" if plan.scoring else "a function"
        return [], [f"the search scores by {called}: {none_again}"]
    groups: dict[Any, list[tuple[Part, Candidate]]] = {}
    for part, candidate in scored:
        n_classes = len(np.unique(plan.truth[placed_at(plan, part)[0]]))
        values, lacking = part.predictions, n_classes < len(plan.classes)
        if values is None or not np.isfinite(values).all() or lacking:
            continue
        weights = None if part.weights is None else part.weights.tobytes()
        form = (values.shape, values.dtype, part.kind, weights)
        groups.setdefault((part.split, *form), []).append((part, candidate))
    again = [
        (ours, *group[start + int(ours.score.id)])
        for group in groups.values()
        for start in range(0, len(group), _AT_ONCE)
        for ours in _compared(plan, metric, [part for part, _ in group[start : start + _AT_ONCE]])
    ]
    if not groups and plan.tests:
        return [], ["no test set has all classes and predictions: only mean scores were compared"]
    if again or not groups:
        return again, []
    return [], [f"the recorded form of the predictions gives no {metric.label}: {none_again}"]


def _compared(plan: Design, metric: Metric, group: Sequence[Part]) -> Iterable[Compared]:
    """Compare the scores of parts of one split, kind and weights, by position."""
    first = group[0]
    truth = plan.truth[placed_at(plan, first)[0]]
    # of the weights, those of the scorer count
    of_split = replace(plan, truth=truth, tests=(), groups=None, weights=first.weights)
    matrix = matrix_of_all(of_split, {str(number): part for number, part in enumerate(group)})
    if matrix.task is Task.BINARY and first.kind is PredictionKind.SCORE:
        matrix = replace(matrix, threshold=0.0)
    inexact = metric.wants in (PredictionKind.PROBABILITY, PredictionKind.VALUE)
    share = share_of([first.predictions]) if inexact else TOLERANCE
    reported = partial(ReportedScore.rounded, share, metric=plan.scoring)
    pairs = zip(matrix.configurations, group, strict=True)
    scores = (reported(id=name, value=plan.sign * part.known_score) for name, part in pairs)
    return (ours for ours in compared(matrix, scores) if not np.isnan(ours.value))


def _otherwise(plan: Design, again: Sequence[Again]) -> list[str]:
    """Return a note on the candidate whose metric in bbc differs most."""
    by_candidate: dict[Candidate, list[Compared]] = {}
    for ours, _, candidate in again:
        by_candidate.setdefault(candidate, []).append(ours)
    differing = []
    for candidate, scores in by_candidate.items():
        if any(score.otherwise for score in scores):
            here = plan.sign * float(np.mean([score.here for score in scores]))
            there = plan.sign * float(np.mean([score.score.value for score in scores]))
            differing.append((abs(here - there), candidate.label, there, here))
    if not differing:
        return []
    _, label, there, here = max(differing)
    n_others = len(differing) - 1
    others = f", and otherwise for {count(n_others, 'more candidate')}" if n_others else ""
    clips = f"the search clips probabilities at the precision of their type, bbc at {CLIP:.2g}"
    figures = f"{label} has {there:.6g} by the search, {here:.6g} by bbc{others}"
    return [f"{clips} (--clip): {figures}"]
