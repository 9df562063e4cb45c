"""What a search says of its candidates against what was recorded of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import InputError, OptionError
from bbccli.recorded import parts
from bbccli.recorded.counted import TOLERANCE, latest, parts_in
from bbccli.recorded.design import PARTS
from bbccli.recorded.parts import Part
from bbccli.recording.parameters import of_candidate
from bbccli.recording.performances import recomputed
from bbccli.source import agrees, tolerance_of
from bbccli.types import FloatArray

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
        Of the metric on the stored predictions from the recorded scores; None where bbc does not
        have the metric.
    """

    n_candidates: int
    n_fits: int
    incomplete: tuple[str, ...]
    largest_deviation: float
    largest_recomputed: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What the search says: parameters, mean, and the score of each split."""

    params: Mapping[str, Any]
    mean: float
    splits: FloatArray

    @property
    def label(self) -> str:
        """Its parameters, for messages."""
        return " ".join(f"{key}={value}" for key, value in self.params.items()) or "the candidate"


def verified(
    folder: Path, results: Any, metric: str, identity: str, scorers: Sequence[Any]
) -> Verified:
    """Compare, and keep what the search said.

    Parameters
    ----------
    folder
        The recording.
    results
        The search, its `cv_results_`, or what `cross_validate` returned.
    metric
        Key of the metric among several.
    identity
        Of the configuration that `cross_validate` evaluated; empty for a search.
    scorers
        Those of the recorder, by which the metric is found among several.

    Raises
    ------
    OptionError
        Results of another form.
    InputError
        Fits are missing, or a candidate has another score.
    """
    candidates = _candidates(results, metric, identity, scorers)
    everything, damaged = parts_in(folder)
    groups = _by_identity(everything)
    matched = [_recorded(one, groups, identity) for one in candidates]
    n_fits = _check_fits(folder, candidates, matched, damaged)
    deviation = _check_means(folder, candidates, matched)
    board = [
        {"identity": found[0].identity, "value": one.mean, "splits": one.splits.tolist()}
        for one, found in zip(candidates, matched, strict=True)
        if found
    ]
    again = _check_recomputed(folder, candidates, matched)
    parts.write_leaderboard(folder, {"candidates": board})
    failed = [one.label for one in candidates if np.isnan(one.splits).any()]
    return Verified(len(candidates), n_fits, tuple(failed), deviation, again)


Recorded = tuple[str, Mapping[str, str], list[Part]]
"""Identity of a configuration, its parameters as words, and its parts."""


def _candidates(
    results: Any, metric: str, identity: str, scorers: Sequence[Any]
) -> list[Candidate]:
    table = getattr(results, "cv_results_", results)
    try:
        keys = [str(key) for key in table]
    except TypeError:
        keys = []
    if identity:
        key = f"test_{metric or 'score'}"
        if key not in keys:
            tests = [one.removeprefix("test_") for one in keys if one.startswith("test_")]
            known = f"metric= one of: {', '.join(tests)}" if tests else "those of cross_validate"
            raise OptionError(f"the results have no {key!r}", hint=known)
        splits = np.asarray(table[key], np.float64)
        return [Candidate({}, float(splits.mean()), splits)]
    named = [key.removeprefix("mean_test_") for key in keys if key.startswith("mean_test_")]
    name = metric or _own_metric(results, named, scorers)
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


def _own_metric(results: Any, named: list[str], scorers: Sequence[Any]) -> str:
    """The only metric; of several the one whose scorer is ours."""
    if len(named) == 1:
        return named[0]
    scoring = getattr(results, "scoring", None)
    pairs = scoring.items() if isinstance(scoring, Mapping) else ()
    return next((str(key) for key, one in pairs if any(one is own for own in scorers)), "")


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
    agreeing = [part for part in chosen if _agrees(candidate, part)]
    rest = [part for part in chosen if part.split not in {one.split for one in agreeing}]
    return latest(agreeing) + latest(rest)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _agrees(candidate: Candidate, part: Part) -> bool:
    inside = part.split is not None and part.split < len(candidate.splits)
    return inside and part.score == candidate.splits[part.split]


def _n_agreeing(candidate: Candidate, group: list[Part]) -> int:
    return sum(_agrees(candidate, part) for part in group)


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


def _check_recomputed(
    folder: Path, candidates: Sequence[Candidate], matched: Sequence[list[Part]]
) -> float | None:
    """The metric on the stored predictions is what was recorded; return the largest deviation."""
    found = recomputed(folder, [part for group in matched for part in group])
    if found is None:
        return None
    label = {
        part.identity: one.label
        for one, group in zip(candidates, matched, strict=True)
        for part in group
    }
    largest = 0.0
    for identity, split, mine, theirs in found:
        if not agrees(mine, theirs, tolerance_of(TOLERANCE, theirs)):
            words = f"on split {split} the stored predictions have a score of"
            raise _mismatch(folder, label[identity], words, mine, theirs)
        largest = max(largest, abs(mine - theirs))
    return largest


def _mismatch(folder: Path, label: str, what: str, mine: float, theirs: float) -> InputError:
    return InputError(
        f"{label}: {what} {mine:.12g}, the search says {theirs:.12g}",
        path=str(folder),
        hint="rows, classes or searches are mixed up: record again into another folder",
    )
