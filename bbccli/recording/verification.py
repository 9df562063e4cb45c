"""Compare a recording with the results of its search."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.notes import listing
from bbccli.core.plan import CLIP
from bbccli.core.rounding import count
from bbccli.core.source import agrees, tolerance_of
from bbccli.errors import InputError, OptionError
from bbccli.recording import parts
from bbccli.recording.design import PARTS
from bbccli.recording.parameters import class_name, of_candidate, parameters_of
from bbccli.recording.parts import Part, identity_of
from bbccli.recording.performances import Compared, recomputed
from bbccli.recording.tries import TOLERANCE, agreeing, by_identity, parts_in, tries_of
from bbccli.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What the search says: parameters or a name, mean, and the score of each split."""

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
    """Return what a search, its `cv_results_` or `cross_validate` says of each candidate.

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
    name = metric or _own_metric(results, named, folder)
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


def _own_metric(results: Any, named: list[str], folder: Path) -> str:
    """The only metric; of several the one whose scorer is ours."""
    if len(named) == 1:
        return named[0]
    scoring = getattr(results, "scoring", None)
    pairs = scoring.items() if isinstance(scoring, Mapping) else ()
    ours = (str(key) for key, one in pairs if getattr(one, "folder", None) == folder)
    return next(ours, "")


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


def verified(folder: Path, results: Any, metric: str, configuration: str, data: str) -> Verified:
    """Compare, and keep what the search said.

    Parameters
    ----------
    folder
        The recording.
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
    groups = _by_identity([part for part in everything if part.data in ("", data)])
    matched = [_recorded(one, groups, identity) for one in candidates]
    n_fits = _check_fits(folder, candidates, matched, damaged)
    deviation = _check_means(folder, candidates, matched)
    pairs = list(zip(candidates, matched, strict=True))
    found = recomputed(folder, [part for group in matched for part in group])
    largest = _check_recomputed(folder, pairs, found.compared)
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
    failed = [one.label for one in candidates if np.isnan(one.splits).any()]
    before, again = _tried_before(pairs, by_identity(everything))
    return Verified(
        n_candidates=len(candidates),
        n_fits=n_fits,
        incomplete=tuple(failed),
        largest_deviation=deviation,
        largest_recomputed=largest,
        n_recomputed=len(found.compared),
        notes=(*found.why, *_computed_otherwise(pairs, found.compared), *before),
        recorded_again=again,
    )


Pairs = Sequence[tuple[Candidate, list[Part]]]
"""Candidates, each with the parts that are of it."""


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
    """Return what to say of candidates with several tries, and names of those recorded again."""
    tried, again = [], []
    for one, own in pairs:
        found = tries_of(groups[own[0].identity], [one.splits.tolist()]) if own else []
        filled = [t for t in found if t.counts]
        tried += [one.label] if len(filled) > 1 else []
        again += [one.label] if any(t.again for t in filled) else []
    names = listing(list(dict.fromkeys(tried)))
    said = f"tried before in this folder, with other predictions: {names}; every try counts"
    return [said] if tried else [], tuple(dict.fromkeys(again))


def _computed_otherwise(pairs: Pairs, compared: Sequence[Compared]) -> list[str]:
    """Say of which candidate the metric of bbc differs most from that of the search."""
    own = {id(found.part): found for found in compared}
    differing = []
    for one, group in pairs:
        scores = [own[id(part)] for part in group if id(part) in own]
        if any(found.is_otherwise for found in scores):
            here = float(np.mean([found.by_default for found in scores]))
            said = float(np.mean([found.part.score or 0.0 for found in scores]))
            differing.append((abs(here - said), one.label, said, here))
    if not differing:
        return []
    _, label, said, here = max(differing)
    n_others = len(differing) - 1
    others = f", and otherwise for {count(n_others, 'more candidate')}" if n_others else ""
    return [
        f"the search clips probabilities at the precision of their type, bbc at {CLIP:.2g} "
        f"(--clip): {label} has {said:.6g} by the search, {here:.6g} by bbc{others}"
    ]


Recorded = tuple[str, Mapping[str, str], list[Part]]
"""Identity of a configuration, its parameters as words, and its parts."""


def _by_identity(everything: Sequence[Part]) -> list[Recorded]:
    """Parts of the same configuration, with the words of its parameters."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in everything:
        groups.setdefault((part.identity, _text(part.params)), []).append(part)
    return [
        (identity, {key: _text(value) for key, value in group[0].params.items()}, group)
        for (identity, _), group in groups.items()
    ]


def _recorded(candidate: Candidate, recorded: Sequence[Recorded], identity: str) -> list[Part]:
    """The parts of a candidate: those with its parameters, and of several with its scores."""
    wanted = {key: _text(value) for key, value in of_candidate(dict(candidate.params)).items()}
    found: dict[str, list[Part]] = {}
    for own, words, group in recorded:
        if own == identity or (not identity and wanted.items() <= words.items()):
            found.setdefault(own, []).extend(group)
    groups = [group for group in found.values() if any(part.score is not None for part in group)]
    chosen = max(groups, key=lambda group: _n_agreeing(candidate, group), default=[])
    newest = sorted(chosen, key=lambda part: (-part.session, part.time))
    of_split: dict[int | None, Part] = {}
    for part in sorted(newest, key=lambda part: not agreeing(part, candidate.splits)):
        of_split.setdefault(part.split, part)
    return [part for split, part in of_split.items() if split is not None]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _n_agreeing(candidate: Candidate, group: list[Part]) -> int:
    return sum(agreeing(part, candidate.splits) for part in group)


def _check_fits(
    folder: Path,
    candidates: Sequence[Candidate],
    matched: Sequence[list[Part]],
    damaged: Sequence[str],
) -> int:
    """Every fit with a score has its predictions."""
    wanted = sum(int(np.isfinite(one.splits).sum()) for one in candidates)
    missing = [
        (one.label, split, problems.get(split, ""))
        for one, found in zip(candidates, matched, strict=True)
        for problems in [{part.split: part.problem for part in found}]
        for kept in [{part.split for part in found if part.predictions is not None}]
        for split in np.flatnonzero(np.isfinite(one.splits)).tolist()
        if split not in kept
    ]
    if not missing:
        return wanted
    label, split, problem = missing[0]
    said = f"{wanted - len(missing)} of {wanted} fits recorded"
    if damaged and not problem:
        raise _damaged(folder, said, label, split, damaged)
    if len(missing) == wanted and not problem:
        raise InputError(said, path=str(folder), hint=_ELSEWHERE)
    why = f": {problem}" if problem else ""
    raise InputError(
        f"{said}; the first that is missing is split {split} of {label}{why}",
        path=str(folder),
        hint="record the search again" if not problem else "a response= that all estimators have",
    )


def _damaged(folder: Path, said: str, label: str, split: int, damaged: Sequence[str]) -> InputError:
    return InputError(
        f"{said}; the first that is missing is split {split} of {label}, and this part is damaged",
        path=str(folder / PARTS / damaged[0]),
        hint="after a loss of power or on a full disk: run the search again with a recorder of the "
        "same folder, and finish; what is whole is kept, and damaged parts are passed over",
        further=len(damaged) - 1,
    )


def _check_means(
    folder: Path, candidates: Sequence[Candidate], matched: Sequence[list[Part]]
) -> float:
    """The mean of the recorded scores is what the search says; return the largest deviation."""
    largest = 0.0
    for one, found in zip(candidates, matched, strict=True):
        if not np.isfinite(one.splits).all():
            continue
        scores = {part.split: part.score for part in found}
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
