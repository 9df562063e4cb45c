"""Compare a recording with the results of its search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.notes import listing
from bbccli.core.outcome import Outcome
from bbccli.core.plan import CLIP
from bbccli.core.rounding import count
from bbccli.core.source import agrees, tolerance_of
from bbccli.errors import InputError, OptionError, UndefinedError, UnsupportedError
from bbccli.metrics import METRICS, Metric, canonical
from bbccli.metrics.probability import with_clip
from bbccli.recording import parts
from bbccli.recording.design import PARTS, Design
from bbccli.recording.parameters import class_name, of_candidate, parameters_of
from bbccli.recording.parts import Part, identity_of
from bbccli.recording.tries import TOLERANCE, agreeing, by_identity, parts_in, share_of, tries_of
from bbccli.types import FloatArray, PredictionKind, Task


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Candidate of a search: parameters or a name, mean, and the score of each split."""

    params: Mapping[str, Any]
    mean: float
    splits: FloatArray
    name: str = ""

    @property
    def label(self) -> str:
        """Its name or its parameters, for messages."""
        words = " ".join(f"{key}={value}" for key, value in self.params.items())
        return self.name or words or "the candidate"


def candidates_of(results: Any, metric: str, configuration: str, folder: Path) -> list[Candidate]:
    """Return the candidates of a search, of its `cv_results_`, or of `cross_validate`.

    Parameters
    ----------
    results, metric, configuration
        As those of `Recorder.finish`.
    folder
        That of the recorder, by whose scorer the metric is found among several.

    Raises
    ------
    OptionError
        Results of another form, or without the metric.
    """
    table = getattr(results, "cv_results_", results)
    try:
        keys = [str(key) for key in table]
    except TypeError:
        keys = []
    if configuration:
        key = f"test_{metric or 'score'}"
        if key not in keys:
            tests = [one.removeprefix("test_") for one in keys if one.startswith("test_")]
            known = f"metric= one of: {', '.join(tests)}" if tests else "those of cross_validate"
            raise OptionError(f"the results have no {key!r}", hint=known)
        splits = np.asarray(table[key], np.float64)
        return [Candidate({}, float(splits.mean()), splits, configuration)]
    named = [key.removeprefix("mean_test_") for key in keys if key.startswith("mean_test_")]
    scoring = getattr(results, "scoring", None)
    pairs = scoring.items() if isinstance(scoring, Mapping) else ()
    ours = [str(key) for key, scorer in pairs if getattr(scorer, "folder", None) == folder]
    name = metric or (named if len(named) == 1 else [*ours, ""])[0]
    if name not in named or "params" not in keys:
        known = f"metrics there: {', '.join(named)}" if named else "a fitted search or cv_results_"
        raise OptionError(f"the results have no metric {name!r}", hint=known)
    pattern = re.compile(rf"split(\d+)_test_{re.escape(name)}")
    columns = sorted((int(m[1]), key) for key in keys if (m := pattern.fullmatch(key)))
    if not columns:
        raise OptionError(
            f"the results have no scores of the splits for {name!r}",
            hint="the fitted search, or all of its cv_results_",
        )
    scores = np.array([np.asarray(table[key], np.float64) for _, key in columns]).T
    means = np.asarray(table[f"mean_test_{name}"], np.float64)
    return [
        Candidate(params, float(mean), own)
        for params, mean, own in zip(table["params"], means, scores, strict=True)
    ]


_ELSEWHERE = (
    "this search evaluates other rows (successive halving, another cv, other data?): give it "
    "cv=rec.cv, scoring=rec.scorer and the X and y of the recorder"
)


@dataclass(frozen=True, slots=True)
class Verified:
    """A recording that agrees with its search.

    Parameters
    ----------
    n_candidates, n_fits
        Candidates of the search, and their fits that gave a score.
    incomplete
        Names of candidates with fits that failed.
    largest_deviation
        Of the mean of the recorded scores from `mean_test_score`.
    largest_recomputed
        Of the metric on the stored predictions from the recorded scores, computed as scikit-learn
        does; None where none was computed again.
    n_recomputed
        Scores of fits that were computed again.
    notes
        Why others were not, where bbc computes the metric otherwise, and what was tried before
        with other predictions.
    recorded_again
        Names of candidates whose predictions were there already: they count once.
    """

    n_candidates: int
    n_fits: int
    incomplete: tuple[str, ...]
    largest_deviation: float
    largest_recomputed: float | None
    n_recomputed: int = 0
    notes: tuple[str, ...] = ()
    recorded_again: tuple[str, ...] = ()


def verified(
    folder: Path, plan: Design, results: Any, metric: str, configuration: str, data: str
) -> Verified:
    """Compare, and keep the candidates of the search.

    Parameters
    ----------
    folder, plan
        The recording, and its design.
    results, metric, configuration
        As those of `Recorder.finish`.
    data
        Digest of the features: parts of others are not of this search.

    Raises
    ------
    OptionError
        Results of another form.
    InputError
        Fits are missing, or a candidate has another score.
    """
    identity = identity_of(configuration, "", {}) if configuration else ""
    candidates = candidates_of(results, metric, configuration, folder)
    everything, damaged = parts_in(folder)
    recorded = _by_parameters(part for part in everything if part.data in ("", data))
    pairs = [(one, _parts_of(one, recorded, identity)) for one in candidates]
    n_fits = _check_fits(folder, pairs, damaged)
    deviation = _check_means(folder, pairs)
    compared, why = _recomputed(plan, [part for _, group in pairs for part in group])
    largest = _check_recomputed(folder, pairs, compared)
    board = [
        {
            "identity": own[0].identity if own else identity or _unrecorded(results, one),
            "label": one.label,
            "value": one.mean,
            "splits": one.splits.tolist(),
        }
        for one, own in pairs
    ]
    parts.write_leaderboard(folder, {"candidates": board})
    before, again = _tried_before(pairs, by_identity(everything))
    return Verified(
        n_candidates=len(candidates),
        n_fits=n_fits,
        incomplete=tuple(one.label for one in candidates if np.isnan(one.splits).any()),
        largest_deviation=deviation,
        largest_recomputed=largest,
        n_recomputed=len(compared),
        notes=(*why, *_computed_otherwise(pairs, compared), *before),
        recorded_again=again,
    )


Pairs = Sequence[tuple[Candidate, list[Part]]]
"""Candidates, each with its parts."""


def _unrecorded(results: Any, candidate: Candidate) -> str:
    """Identity of a candidate without a part: that which its parts would have."""
    params = dict(candidate.params)
    try:
        from sklearn import clone

        made = clone(results.estimator).set_params(**clone(params, safe=False))
        return identity_of("", class_name(made), parameters_of(made))
    except Exception:  # cv_results_ alone, or parameters at which the fits failed too
        return identity_of("", "", of_candidate(params))


def _tried_before(
    pairs: Pairs, groups: Mapping[str, list[Part]]
) -> tuple[list[str], tuple[str, ...]]:
    """Return a note on candidates with several tries, and names of those recorded again."""
    tried, again = dict[str, None](), dict[str, None]()
    for one, own in pairs:
        tries = tries_of(groups[own[0].identity], [one.splits.tolist()]) if own else []
        counted = [t for t in tries if t.counts]
        tried |= {one.label: None} if len(counted) > 1 else {}
        again |= {one.label: None} if any(t.again for t in counted) else {}
    names = listing(list(tried))
    text = f"tried before in this folder, with other predictions: {names}; every try counts"
    return [text] if tried else [], tuple(again)


def _computed_otherwise(pairs: Pairs, compared: Sequence[Compared]) -> list[str]:
    """Return a note on the candidate of which the metric of bbc differs most."""
    of_part = {id(one.part): one for one in compared}
    differing = []
    for one, group in pairs:
        scores = [of_part[id(part)] for part in group if id(part) in of_part]
        if any(not agrees(s.by_default, s.part.score or 0.0, s.tolerance) for s in scores):
            here = float(np.mean([score.by_default for score in scores]))
            there = float(np.mean([score.part.score or 0.0 for score in scores]))
            differing.append((abs(here - there), one.label, there, here))
    if not differing:
        return []
    _, label, there, here = max(differing)
    n_others = len(differing) - 1
    others = f", and otherwise for {count(n_others, 'more candidate')}" if n_others else ""
    return [
        f"the search clips probabilities at the precision of their type, bbc at {CLIP:.2g} "
        f"(--clip): {label} has {there:.6g} by the search, {here:.6g} by bbc{others}"
    ]


Recorded = tuple[str, Mapping[str, str], list[Part]]
"""Identity of a configuration, its parameters as texts, and its parts."""


def _by_parameters(all_parts: Iterable[Part]) -> list[Recorded]:
    """Return the parts of each configuration; one name may have several sets of parameters."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in all_parts:
        groups.setdefault((part.identity, _text(part.params)), []).append(part)
    return [
        (identity, {key: _text(value) for key, value in group[0].params.items()}, group)
        for (identity, _), group in groups.items()
    ]


def _parts_of(candidate: Candidate, recorded: Sequence[Recorded], identity: str) -> list[Part]:
    """Return the parts with the parameters of a candidate; of several, those with its scores."""
    wanted = {key: _text(value) for key, value in of_candidate(dict(candidate.params)).items()}
    groups: dict[str, list[Part]] = {}
    for own, texts, group in recorded:
        if own == identity or (not identity and wanted.items() <= texts.items()):
            groups.setdefault(own, []).extend(group)
    scored = [group for group in groups.values() if any(part.score is not None for part in group)]
    chosen = max(scored, key=lambda g: sum(agreeing(p, candidate.splits) for p in g), default=[])
    best = sorted(chosen, key=lambda p: (not agreeing(p, candidate.splits), -p.session, p.time))
    of_split: dict[int, Part] = {}
    for part in best:
        if part.split is not None:
            of_split.setdefault(part.split, part)
    return list(of_split.values())


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _check_fits(folder: Path, pairs: Pairs, damaged: Sequence[str]) -> int:
    """Every fit with a score has its predictions; return how many there are."""
    wanted, missing = 0, []
    for one, group in pairs:
        of_split = {part.split: part for part in group}
        for split in np.flatnonzero(np.isfinite(one.splits)).tolist():
            wanted, part = wanted + 1, of_split.get(split)
            if part is None or part.predictions is None:
                missing.append((one.label, split, part.problem if part else ""))
    if not missing:
        return wanted
    label, split, problem = missing[0]
    text = f"{wanted - len(missing)} of {wanted} fits recorded"
    first = f"{text}; the first that is missing is split {split} of {label}"
    if damaged and not problem:
        raise InputError(
            f"{first}, and this part is damaged",
            path=str(folder / PARTS / damaged[0]),
            hint="after a loss of power or on a full disk: run the search again with a recorder "
            "of the same folder, and finish; what is whole is kept, and damaged parts are passed "
            "over",
            further=len(damaged) - 1,
        )
    if problem:
        hint = "a response= that all estimators have"
        raise InputError(f"{first}: {problem}", path=str(folder), hint=hint)
    if len(missing) == wanted:
        raise InputError(text, path=str(folder), hint=_ELSEWHERE)
    raise InputError(first, path=str(folder), hint="record the search again")


def _check_means(folder: Path, pairs: Pairs) -> float:
    """The mean of the recorded scores is that of the search; return the largest deviation."""
    largest = 0.0
    for one, group in pairs:
        if not np.isfinite(one.splits).all():
            continue
        scores = {part.split: part.score for part in group}
        mean = float(np.mean([scores[split] for split in range(len(one.splits))]))
        if not agrees(mean, one.mean, tolerance_of(TOLERANCE, one.mean)):
            raise _mismatch(folder, one.label, "the recorded scores have a mean of", mean, one.mean)
        largest = max(largest, abs(mean - one.mean))
    return largest


def _check_recomputed(folder: Path, pairs: Pairs, compared: Sequence[Compared]) -> float | None:
    """The metric on the stored predictions is what was recorded; return the largest deviation."""
    label = {id(part): one.label for one, group in pairs for part in group}
    largest = None
    for one in compared:
        theirs = one.part.score or 0.0
        if not agrees(one.as_the_search, theirs, one.tolerance):
            words = f"on split {one.part.split} the stored predictions have a score of"
            raise _mismatch(folder, label[id(one.part)], words, one.as_the_search, theirs)
        largest = max(largest or 0.0, abs(one.as_the_search - theirs))
    return largest


def _mismatch(folder: Path, label: str, what: str, mine: float, theirs: float) -> InputError:
    return InputError(
        f"{label}: {what} {mine:.12g}, the search says {theirs:.12g}",
        path=str(folder),
        hint="rows, classes or searches are mixed up: record again into another folder",
    )


_AT_ONCE = 64
_NONE_AGAIN = "none of its scores was computed again, and `bbc correct` needs --metric"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The score of a part, computed again.

    Parameters
    ----------
    part
        With the score that was recorded.
    as_the_search, by_default
        With probabilities clipped where scikit-learn clips them, and where bbc does.
    tolerance
        Within which they are equal.
    """

    part: Part
    as_the_search: float
    by_default: float
    tolerance: float


def _recomputed(plan: Design, recorded: Sequence[Part]) -> tuple[list[Compared], list[str]]:
    """Compute the score of each part again where bbc has the metric of the search, or say why not.

    Left out is where conventions differ: test sets without one of the classes, and a positive
    class that does not sort last.
    """
    scored = [part for part in recorded if part.score is not None and np.isfinite(part.score)]
    metric = METRICS.get(canonical(plan.scoring, METRICS))
    if not scored:
        return [], []
    if metric is None or plan.task not in metric.tasks:
        why = "a metric that bbc lacks" if metric is None else f"not a metric of {plan.task} tasks"
        called = f"{plan.scoring}, {why}" if plan.scoring else "a function"
        return [], [f"the search scores by {called}: {_NONE_AGAIN}"]
    if plan.task is Task.BINARY and plan.classes[0] == "1":
        return [], []  # the search may use the other class
    if any(part.weights is not None and not (part.weights > 0).all() for part in scored):
        return [], [f"weights that are not positive: {_NONE_AGAIN}"]
    groups: dict[Any, list[Part]] = {}
    for part in scored:
        truth = plan.truth[plan.tests[part.split]] if part.split is not None else ()
        if part.predictions is None or len(np.unique(truth)) < max(len(plan.classes), 1):
            continue
        weights = None if part.weights is None else part.weights.tobytes()
        form = (part.predictions.shape, part.predictions.dtype)
        groups.setdefault((part.split, part.kind, *form, weights), []).append(part)
    compared = [
        one
        for group in groups.values()
        for start in range(0, len(group), _AT_ONCE)
        for one in _compared(plan, metric, group[start : start + _AT_ONCE])
    ]
    if compared or not groups:
        return compared, []
    return [], [f"what was kept of the predictions gives no {metric.label}: {_NONE_AGAIN}"]


def _compared(plan: Design, metric: Metric, group: list[Part]) -> list[Compared]:
    """Compare the scores of parts of one split, all of one form."""
    predictions = np.asarray(group[0].predictions)
    floats = predictions.dtype if predictions.dtype.kind == "f" else np.dtype(np.float64)
    clipped = with_clip(metric, float(np.finfo(floats).eps))
    sign = -1.0 if plan.scoring.startswith("neg_") else 1.0
    as_the_search = _performances(plan, clipped, group)
    by_default = as_the_search if clipped is metric else _performances(plan, metric, group)
    inexact = metric.wants in (PredictionKind.PROBABILITY, PredictionKind.VALUE)
    share = share_of([predictions]) if inexact else TOLERANCE
    return [
        Compared(part, sign * value, sign * default, tolerance_of(share, part.score or 0.0))
        for part, value, default in zip(group, as_the_search, by_default, strict=True)
        if not np.isnan(value)
    ]


def _performances(plan: Design, metric: Metric, group: list[Part]) -> list[float]:
    """Return the performances of parts of one split, form and weights; NaN where undefined."""
    split, kind = group[0].split, group[0].kind
    assert split is not None
    assert kind is not None
    truth = plan.truth[plan.tests[split]]
    outcome = Outcome(plan.task, truth, plan.classes, weights=group[0].weights)
    values = np.stack([np.asarray(part.predictions) for part in group], axis=1)[None]
    cut = plan.task is Task.BINARY and kind is PredictionKind.SCORE
    try:
        matrix = PredictionMatrix(
            outcome=outcome,
            predictions=values if values.dtype.kind == "f" else values.astype(np.float64),
            configurations=tuple(map(str, range(len(group)))),
            kind=kind,
            threshold=0.0 if cut else None,
        )
        predictions = matrix.as_kind(metric.wants)[0]
    except (UndefinedError, UnsupportedError):  # one of them may be why
        alone = [[part] for part in group] if len(group) > 1 else []
        return [_performances(plan, metric, one)[0] for one in alone] or [np.nan]
    once = np.ones((1, len(truth)), np.uint8)
    performances: list[float] = metric.bind(outcome, predictions)(once)[0].tolist()
    return performances
