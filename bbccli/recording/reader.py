"""The folder of a `Recorder`: a row for each predicted sample and repeat."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.source import FoldCurves, LeftOut, ReportedScore, ToolRun
from bbccli.errors import InputError
from bbccli.platform.resources import check_size
from bbccli.reading.interface import Order, Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs.file_parsing import files_in
from bbccli.recording import attempts, partial, store
from bbccli.recording.attempts import Try, share_of, tries_of
from bbccli.recording.scorer import METRIC_FAILED
from bbccli.recording.store import Design, Listed, Part, Parts
from bbccli.recording.vault import vault_in
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling, PredictionKind, Task

Listing = Mapping[str, list[Listed]]
"""Candidates by identity, in the order in which searches listed them."""


class Recording:
    """A folder, finished or not: predictions of C configurations for N samples in R repeats.

    Attributes
    ----------
    path
        The folder.
    design
        Truth, classes and folds.
    tries
        The C configurations: tries with predictions that count.
    parts
        Their parts.
    listed
        Candidates of searches.
    kind
        Kind of the predictions; scores if some configurations have scores and others probabilities.
    predictions : (R, N, C) or (R, N, C, K)
        NaN where missing.
    folds : (R, N) int, optional
        Fold of each sample in each repeat, -1 if no fold tests it; None if unknown or different
        between configurations.
    left_out
        Excluded tries.
    damaged
        Unreadable files.
    """

    def __init__(
        self, path: Path, design: Design, found: Parts, listed: Iterable[Listed] = ()
    ) -> None:
        parts, damaged = found
        self.path, self.design, self.damaged = path, design, tuple(damaged)
        self.listed: Listing = store.by_identity(listed)
        tries = self._named([self._placed(part) for part in parts])
        self.left_out = tuple(_left_out(tries, self.listed))
        self.tries = [attempt for attempt in tries if attempt.counts]
        if not self.tries:
            raise _nothing(path, tries, self.damaged)
        self.parts = [part for attempt in self.tries for part in attempt.parts]
        predicted = [part for part in self.parts if part.predictions is not None]
        self.kind = partial.common_kind({part.kind for part in predicted if part.kind}, path)
        self.predictions = self._array(predicted)
        self.folds = self._folds(predicted)

    def _named(self, parts: Sequence[Part]) -> list[Try]:
        """Return all tries, named: those of searches in their order, then by first trial."""
        groups = store.by_identity(parts)
        known: dict[tuple[str, int], str] = {}
        for part in parts:
            if part.name and part.score is not None:
                about = str((part.estimator, part.params))
                if known.setdefault((part.name, part.session), about) != about:
                    problem = "several configurations have the same name"
                    hint = "use rec.scorer for a search: it distinguishes them by their parameters"
                    raise InputError(problem, path=self.path, value=part.name, hint=hint)
        tries: list[Try] = []
        for identity in dict.fromkeys([*self.listed, *groups]):
            splits = [candidate.splits for candidate in self.listed.get(identity, ())]
            tries += tries_of(groups.get(identity, ()), splits)
        labels = [candidate.label for of_one in self.listed.values() for candidate in of_one]
        names = attempts.short_names([attempt.parts[0] for attempt in tries], labels)
        for attempt, name in zip(tries, names, strict=True):
            attempt.name = name
        return tries

    def _placed(self, part: Part) -> Part:
        """Return a part with its rows and its repeat, possibly taken from its split."""
        plan, rows, repeat = self.design, part.rows, part.repeat
        if rows is None and part.split is None and part.predictions is None:  # only tried
            return part
        if part.split is not None:
            self._check(part, part.split < len(plan.tests))
            rows, repeat = plan.tests[part.split], plan.places[part.split][0]
        at = np.asarray(rows)
        self._check(part, at.dtype.kind == "i" and at.size)
        alike = part.weights is None or part.weights.shape == at.shape
        self._check(part, alike and at.min() >= 0 and at.max() < plan.n_samples)
        return replace(part, rows=at, repeat=repeat)

    def _check(self, part: Part, fits: object) -> None:
        if not fits:
            problem = "a part does not fit the folds of the recording"
            name, hint = part.name or part.identity, "record it again in another folder"
            raise InputError(problem, path=self.path, value=name, hint=hint)

    def _array(self, predicted: Sequence[Part]) -> FloatArray:
        """Return predictions (R, N, C) or (R, N, C, K), NaN where missing."""
        plan, labels = self.design, self.kind is PredictionKind.LABEL
        n_repeats = 1 + max([r for r, _ in plan.places] + [part.repeat for part in predicted])
        n_classes = len(plan.classes)
        axes = (n_classes,) if plan.task is Task.MULTICLASS and not labels else ()
        n_values = n_repeats * plan.n_samples * len(self.tries) * math.prod(axes)
        check_size(n_values * partial.dtype_of(predicted).itemsize, str(self.path))
        for part in predicted:
            values = np.asarray(part.predictions)
            codes = values.dtype.kind == "i" and ((values >= 0) & (values <= n_classes)).all()
            self._check(part, values.shape == (*np.asarray(part.rows).shape, *axes))
            self._check(part, codes or not labels)
        return partial.arranged(plan, [attempt.parts for attempt in self.tries], n_repeats, axes)

    def _folds(self, predicted: Iterable[Part]) -> IntArray | None:
        """Return the fold of each sample (R, N): from the design, or if all parts agree."""
        folds = self.design.folds(len(self.predictions))
        for part in () if self.design.places else predicted:
            before = folds[part.repeat, part.rows]
            if part.fold is None or ((before >= 0) & (before != part.fold)).any():
                return None
            folds[part.repeat, part.rows] = part.fold
        return folds

    @property
    def repeated_holdout(self) -> bool:
        """True if each repeat is one split that tests a part of the samples."""
        places = self.design.places
        return len(places) > 1 and places[-1] == (len(places) - 1, 0)

    @property
    def complete(self) -> BoolArray:
        """(C,) True for configurations with all predictions that they should have."""
        present = np.isfinite(self.predictions)
        if present.ndim == 4:
            present = np.asarray(present.all(axis=3))
        expected = np.asarray(present.any(axis=2))
        if self.design.tests and self.folds is not None:  # a fold that all lack is missing too
            expected |= self.folds >= 0
        return np.asarray((present == expected[:, :, None]).all(axis=(0, 1)))


def recognises(path: Path) -> bool:
    """True for the folder of a recording."""
    return (path / store.HEADER).is_file()


def load(path: Path) -> Predictions:
    """Read the tries of a recording, finished or not."""
    files = files_in(path, store.HEADER, store.ARRAYS, *store.PATTERNS)
    check_size(sum(file.stat().st_size for file in files), str(path))
    design, found = store.load_design(path), store.parts_in(path)
    return handed_over(Recording(path, design, found, store.listed_in(path)))


def _nothing(path: Path, tries: Iterable[Try], damaged: Sequence[str]) -> InputError:
    """Return why a recording has no predictions."""
    problem = next((p.problem for attempt in tries for p in attempt.parts if p.problem), "")
    why = problem or (f"{len(damaged)} files are damaged" if damaged else "")
    if problem.startswith(METRIC_FAILED):
        hint = "record by a scoring that each test set has, such as accuracy, with "
        hint += "Recorder(response='predict_proba'); bbc correct --metric NAME then takes yours"
    else:
        hint = "give rec.scorer to the search, rec.cv as its cv, and the X and y of the recorder "
        hint += "(where it codes labels, as FLAML does, both get codes; successive halving over "
        hint += "samples scores other rows); or call rec.write()"
    return InputError(f"holds no predictions{why and '; '}{why}", path=path, hint=hint)


def _left_out(tries: Iterable[Try], listed: Listing) -> Iterator[LeftOut]:
    """Yield the excluded tries."""
    recorded = set()
    for attempt in tries:
        recorded.add(attempt.identity)
        if not attempt.used:
            yield LeftOut(attempt.name, "scored again by the same scorer, with other predictions")
        elif not attempt.counts:
            problems = (part.problem for part in attempt.parts if part.problem)
            yield LeftOut(attempt.name, next(problems, "no predictions"))
    for identity, candidates in listed.items():
        if identity not in recorded:
            yield LeftOut(candidates[-1].label or identity, "every fit failed")


def handed_over(run: Recording) -> Predictions:
    """Return a recording; a repeated hold-out has no folds within a repeat."""
    run.design = partial.with_default_score(run.design, run.parts)
    plan, tries = partial.with_others(run.design, run.parts), run.tries
    weights, weighted, otherwise = _weights(run)
    tested = np.isfinite(run.predictions).any(axis=(2, 3)[: run.predictions.ndim - 2])
    there = tested if run.folds is None else tested | (run.folds >= 0)
    if weights is not None:  # a sample of weight 0 does not count
        there &= weights > 0
    repeats, rows = np.nonzero(there)
    predictions: NDArray[Any] = run.predictions[repeats, rows]
    if run.kind is PredictionKind.LABEL:
        names = np.array([*plan.classes, None], dtype=object)
        predictions = names[np.where(np.isfinite(predictions), predictions, -1).astype(np.int64)]
    elif plan.positive:  # of the last class
        mirrored = run.kind is PredictionKind.PROBABILITY
        predictions = 1 - predictions if mirrored else -predictions
    several = run.folds is not None and not run.repeated_holdout and run.folds.max() > 0
    selection = Pooling.FOLD_MEAN if several else Pooling.POOLED
    board, complete = dict(_leaderboard(run, selection)), run.complete
    identities = [attempt.identity for attempt in tries]
    any_score = any(np.isfinite(part.known_score) for part in run.parts)
    report = ToolRun(
        tool="recorder",
        left_out=run.left_out,
        metric=plan.scoring or None,
        metric_name=None if plan.scoring or not any_score else "a custom scorer",
        unchecked=otherwise if board else "no search reported its scores",
        tried=tuple(attempt.name for attempt in sorted(tries, key=lambda attempt: attempt.started)),
        leaderboard=tuple(score for c, score in board.items() if complete[c]),
        curves=tuple(_curves(run)),
        again=tuple(attempt.name for attempt in tries if attempt.again),
        tried_again=tuple(t.name for c, t in enumerate(tries) if t.identity in identities[:c]),
        damaged=run.damaged,
        weighted=weighted,
        refolded=run.design.refold,
        directions=attempts.directions_of(tries),
    )
    return Predictions(
        {attempt.name: predictions[:, c] for c, attempt in enumerate(tries)},
        _roles(run, weights, repeats, rows),
        files_in(run.path, store.HEADER, "*.npz", "*/*.npz", "*/*.json"),
        Metadata(
            task=plan.task,
            classes=plan.classes,
            positive_class=plan.positive or None,
            flags={attempt.name: attempt.flags for attempt in tries},
            axes=_axes(tries),
            selection=selection if several else None,
            undefined=0 if plan.scoring else None,
            n_candidates_total=len(tries) + len(run.left_out),
            run=report,
        ),
        vault_in(run.path) if plan.sealed else None,
    )


def _roles(
    run: Recording, weights: FloatArray | None, repeats: IntArray, rows: IntArray
) -> dict[str, Any]:
    """Return the values of the samples (n_rows,), by role."""
    plan = run.design
    columns: dict[str, Any] = {"row_id": rows if plan.rows is None else plan.rows[rows]}
    if len(run.predictions) > 1:
        columns["repeat"] = repeats
    if run.folds is not None and not run.repeated_holdout:
        folds = run.folds[repeats, rows]
        columns |= {"fold": folds} if (folds >= 0).all() else {}
    truth = plan.truth[rows]
    columns["truth"] = np.array(plan.classes)[truth] if plan.classes else truth
    of_samples = {"group": plan.groups, "weight": weights}
    return columns | {role: v[rows] for role, v in of_samples.items() if v is not None}


def _leaderboard(run: Recording, selection: Pooling) -> Iterator[tuple[int, ReportedScore]]:
    """Yield position and score of each configuration by the search, in the sign of bbc; else the
    mean score.
    """
    for position, attempt in enumerate(run.tries):
        listed = attempts.candidate_of(attempt, run.listed.get(attempt.identity, ()))
        scores = [p.score for _, p in sorted(attempt.splits.items()) if p.score is not None]
        mean = np.mean(scores) if scores and len(scores) == len(run.design.tests) else np.nan
        value = run.design.sign * (listed.value if listed else float(mean))
        if np.isfinite(value):
            kinds = (None, PredictionKind.LABEL)
            share = share_of(part.predictions for part in attempt.parts if part.kind not in kinds)
            about = {"metric": run.design.scoring, "selection": selection}
            yield position, ReportedScore.rounded(share, id=attempt.name, value=value, **about)


def _axes(tries: Iterable[Try]) -> dict[str, dict[str, Any]]:
    """Return the epoch of each try that has one, and the name of its configuration."""
    axes: dict[str, dict[str, Any]] = {}
    for attempt in tries:
        name, epoch = attempt.parts[0].name.rpartition("@")[0], attempt.parts[0].epoch
        axes |= {} if epoch is None else {attempt.name: {"configuration": name, "epoch": epoch}}
    return axes


def _curves(run: Recording) -> Iterator[FoldCurves]:
    """Yield the scores of the iterations of what was stopped in every fold of a single repeat."""
    folds = [fold for repeat, fold in run.design.places if repeat == 0]
    for attempt in run.tries if len(folds) == len(run.design.places) else ():
        parts = [attempt.splits[split] for split in range(len(folds)) if split in attempt.splits]
        metrics = {part.curve_metric for part in parts}
        if len(parts) == len(folds) and len(metrics) == 1 and "" not in metrics:
            curves = tuple(part.curve for part in parts)
            yield FoldCurves(id=attempt.name, metric=metrics.pop(), folds=curves)


def _weights(run: Recording) -> tuple[FloatArray | None, bool, str]:
    """Return the weights of the samples, and whether the scores of a search used them.

    Returns
    -------
    weights : (N,), optional
        Those given to the recorder, else those given to its scorer; 1 if unknown.
    weighted
        True if all scores are weighted so.
    otherwise
        Why they are not, if there are weights.
    """
    weights = run.design.weights
    scored = [part for part in run.parts if part.score is not None and part.split is not None]
    weighted = [part for part in scored if part.weights is not None]
    hint = "record them in separate folders, or give the weights: Recorder(sample_weight=)"
    fault = functools.partial(InputError, path=run.path, hint=hint)
    if weights is None and weighted:
        if len(weighted) < len(scored):
            raise fault("some fits were scored with sample weights, others without")
        weights = np.full(run.design.n_samples, np.nan)
        for part in weighted:
            before = weights[part.rows]
            if ((before != part.weights) & ~np.isnan(before)).any():
                raise fault("fits were scored with different weights of a sample")
            weights[part.rows] = part.weights
        return np.where(np.isnan(weights), 1.0, weights), True, ""
    if weights is None or not scored:
        return weights, False, ""
    same = [np.array_equal(weights[part.rows], np.asarray(part.weights)) for part in weighted]
    if len(weighted) == len(scored) and all(same):
        return weights, True, ""
    how = "with other weights than those" if weighted else "without the weights"
    return weights, False, f"the search scored {how} of the recorder"


RUNS = (RunReader("recorder", f"`{store.HEADER}`", recognises, load, Order.FIRST),)
