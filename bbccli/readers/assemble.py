"""Aligned columns -> prediction matrix, with everything noticed on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import InputError, OptionError
from bbccli.matrix import PredictionMatrix, Source, Unfinished
from bbccli.nested import NestedFold
from bbccli.notes import Note
from bbccli.outcome import Outcome
from bbccli.readers import remarks
from bbccli.readers.agreement import differing
from bbccli.readers.alignment import Alignment, constant
from bbccli.readers.columns import Assignment
from bbccli.readers.completeness import complete
from bbccli.readers.copies import equal_to_truth, refuse_copies
from bbccli.readers.doubts import doubts
from bbccli.readers.folds import code_folds, code_groups, count_spanning
from bbccli.readers.frame import Column, Frame
from bbccli.readers.holdout import held_out, note_on
from bbccli.readers.metadata import Metadata
from bbccli.readers.nested import NestedRows, nested_folds, without_gaps
from bbccli.readers.outcome import (
    Shaped,
    class_columns,
    classification,
    decide_task,
    regression,
    spelled_alike,
    survival,
)
from bbccli.readers.predictions import Predictions, interpret
from bbccli.readers.raw import RawPredictions, read_predictions
from bbccli.types import BoolArray, FloatArray, IntArray, Missing, Task

DUPLICATES = "duplicate-configurations"
"""Code of the note that is about all repeats together."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that a table and its companions hold, in the wide layout.

    Parameters
    ----------
    frame
        The table of predictions.
    columns : (n_rows,) each
        Columns of the roles that are played, those of separate files included.
    assignment
        Names of the configuration columns, and of columns set aside.
    placed
        Which row holds which sample of which repeat; None before that is known.
    metadata
        What the metadata say.
    notes
        What was noticed before.
    nested
        Which rows are inner and which are outer, where the cross-validation is a nested one.
    named
        Configurations named by hand.
    """

    frame: Frame
    columns: Mapping[str, Column]
    assignment: Assignment
    placed: Alignment | None
    metadata: Metadata
    notes: tuple[Note, ...] = ()
    nested: NestedRows | None = None
    named: frozenset[str] = frozenset()

    @property
    def alignment(self) -> Alignment:
        """Which row holds which sample of which repeat, once that is known."""
        if self.placed is None:
            raise ValueError("the rows are not placed yet")
        return self.placed


def assemble(
    parts: Parts,
    *,
    task: Task | None,
    positive: str | None,
    missing: Missing,
    unfinished: Unfinished | None = None,
) -> PredictionMatrix:
    """Make the matrix of the samples and configurations that are complete.

    Raises
    ------
    InputError, UndefinedError, OptionError
        Whatever the files hold that no matrix can; see the modules of each part.
    """
    frame, alignment = parts.frame, parts.alignment
    samples = samples_of(parts)
    # of a nested cross-validation all rows are read at once, so that all mean the same
    rows = np.arange(frame.n_rows)[None] if parts.nested else alignment.rows[:, samples]
    raw = read_predictions(frame, parts.assignment.configurations, rows)
    outcome, shaped = outcome_of(parts, raw, samples, task, positive)
    outcome = replace(outcome, weights=weights_of(parts, samples))
    found = interpret(raw, outcome, shaped)
    there = None if unfinished else held_out(alignment, parts.columns.get("fold"))
    completed = complete(
        _of_outer_rows(parts, found, samples),
        alignment.n_samples - len(samples),
        frame.path,
        policy=missing,
        there=there,
    )
    predictions = completed.predictions
    outcome, samples = outcome.take(completed.samples), samples[completed.samples]
    known = parts.named | set(parts.metadata.configurations)
    copies = equal_to_truth(predictions, outcome, completed.available)
    if unfinished is None:
        refuse_copies(predictions.configurations, copies, known, frame.path)
    own_samples = None if there is None else there[0, completed.samples]
    if there is None:
        folds, fold_names, fold_notes = _folds(parts, samples)
    else:
        folds, fold_names, fold_notes = None, (), (note_on(there[:, completed.samples]),)
    groups = _groups(parts, samples)
    n_read = len(shaped) or len(parts.assignment.configurations)
    return PredictionMatrix(
        outcome=outcome,
        predictions=predictions.array,
        configurations=predictions.configurations,
        kind=predictions.kind,
        folds=folds,
        fold_names=fold_names,
        groups=groups,
        available=completed.available,
        unfinished=unfinished,
        repeated_holdout=there is not None,
        nested=_nested(parts, found, predictions.configurations, samples),
        source=Source(frame.path, frame.sha256, parts.metadata.raw),
        notes=(
            *parts.notes,
            *_notes_on_roles(parts, outcome.task, task),
            *_notes_on_rounding(parts),
            *completed.notes,
            *fold_notes,
            *_notes_on_groups(groups, folds),
            *_doubts(predictions, outcome, folds, copies, known, own_samples),
            *_notes_on_candidates(parts.metadata, n_read, predictions.configurations),
        ),
    )


def _of_outer_rows(parts: Parts, found: Predictions, samples: IntArray) -> Predictions:
    """Predictions (R, N, C) of the outer test samples, none of configurations with inner gaps."""
    if parts.nested is None:
        return found
    every = found.array[0]
    _, usable = without_gaps(parts.nested, every)
    outer = every[parts.alignment.rows[:, samples]]
    outer[:, :, ~usable] = np.nan
    return replace(found, array=outer)


def _nested(
    parts: Parts, found: Predictions, kept: tuple[str, ...], samples: IntArray
) -> tuple[NestedFold, ...] | None:
    """Outer folds with the inner predictions of the configurations and samples that were kept."""
    if parts.nested is None:
        return None
    inner, _ = without_gaps(parts.nested, found.array[0])
    predictions = found.array[0][:, np.isin(found.configurations, kept)]
    return tuple(nested_folds(parts.nested, inner, predictions, parts.alignment, samples))


def _doubts(
    predictions: Predictions,
    outcome: Outcome,
    folds: IntArray | None,
    copies: IntArray,
    known: frozenset[str],
    first: BoolArray | None,
) -> Iterator[Note]:
    """What the predictions tell: in repeated hold-out, the `first` repeat on its samples (N,)."""
    whole = doubts(predictions, outcome, folds, copies, known)
    if first is None:
        yield from whole
        return
    own = replace(predictions, array=predictions.array[:1, first])
    for note in doubts(own, outcome.take(first), None, copies, known):
        if note.code != DUPLICATES:
            yield note
    yield from (note for note in whole if note.code == DUPLICATES)


def samples_of(parts: Parts) -> IntArray:
    """Samples that every repeat holds, or that any does in repeated hold-out."""
    if held_out(parts.alignment, parts.columns.get("fold")) is not None:
        return np.arange(parts.alignment.n_samples)
    samples = np.flatnonzero(parts.alignment.in_every_repeat)
    if not len(samples):
        raise InputError(
            f"no sample is in all {parts.alignment.n_repeats} repeats",
            path=parts.frame.path,
            hint="a sample has the same row_id in every repeat; folds of one cross-validation are "
            "a column `fold`; repeated hold-out has no folds within a repeat",
        )
    return samples


def outcome_of(
    parts: Parts, raw: RawPredictions, samples: IntArray, task: Task | None, positive: str | None
) -> tuple[Outcome, Shaped]:
    """Outcome of the given samples; and the columns of each class, where there are such."""
    constants = {
        role: constant(parts.columns[role], role, parts.alignment).take(samples)
        for role in ("truth", "time", "event")
        if role in parts.columns
    }
    truth, metadata = constants.get("truth"), parts.metadata
    if truth is None:
        _refuse_positive(positive, Task.SURVIVAL)
        return survival(constants["time"], constants["event"], task), {}
    shaped = shaped_of(parts)
    decided = decide_task(truth, raw, shaped, task, metadata)
    if decided is not Task.BINARY:
        _refuse_positive(positive, decided)
    if decided is Task.REGRESSION:
        return regression(truth), {}
    return classification(truth, decided, shaped, metadata, positive), shaped


def shaped_of(parts: Parts) -> Shaped:
    """Return the column of each class of each configuration; empty where each is one column."""
    if "truth" not in parts.columns:
        return {}
    _, present = parts.columns["truth"].named_codes()
    known, names = parts.assignment.shaped, parts.assignment.configurations
    if known is not None:
        there = set(names)
        alike = spelled_alike(known, present)
        return {c: own for c, own in alike.items() if there.issuperset(own.values())}
    return class_columns(names, present, parts.metadata.configurations, parts.frame.path)


def _refuse_positive(positive: str | None, task: Task) -> None:
    """Only binary tasks have a positive class."""
    if positive is not None:
        raise OptionError(
            f"--positive {positive} needs a binary task, this one is {task}",
            hint="drop --positive, or give --task binary",
        )


def _folds(
    parts: Parts, samples: IntArray
) -> tuple[IntArray | None, tuple[str, ...], tuple[Note, ...]]:
    """(R, N) codes and names of the folds; a note instead where they are unknown."""
    rows = parts.alignment.rows[:, samples]
    fold = parts.columns.get("fold")
    n_missing = rows.size if fold is None else int(np.isin(rows, fold.nulls).sum())
    if fold is None or n_missing:
        return None, (), (remarks.folds_unknown(n_missing, rows.size),)
    return *code_folds(fold, rows), ()


def _groups(parts: Parts, samples: IntArray) -> IntArray | None:
    """(N,) codes of the groups."""
    group = parts.columns.get("group")
    if group is None:
        return None
    return code_groups(constant(group, "group", parts.alignment), samples)


def weights_of(parts: Parts, samples: IntArray) -> FloatArray | None:
    """(N,) sample weights."""
    if "weight" not in parts.columns:
        return None
    weight = constant(parts.columns["weight"], "weight", parts.alignment).take(samples)
    hint = "a positive number per sample; 1 where samples count alike"
    weights = weight.present("weight", hint=hint).numbers("weight")
    wrong = np.flatnonzero(weights <= 0)
    if len(wrong):
        raise weight.fault("weight is not positive", wrong, hint=hint)
    return weights


def _notes_on_roles(parts: Parts, found: Task, by_hand: Task | None) -> Iterator[Note]:
    """Columns set aside, and metadata that say another task than the truth does."""
    if parts.assignment.spare:
        yield remarks.columns_ignored(parts.assignment.spare)
    declared = parts.metadata.task
    if by_hand is None and declared is not None and declared is not found:
        yield remarks.metadata_contradicted(declared, found)


def _notes_on_rounding(parts: Parts) -> Iterator[Note]:
    """Values of one sample that differ between repeats in their last digits."""
    earlier = parts.alignment.first[parts.alignment.samples]
    for role in ("truth", "time", "weight"):
        if role in parts.columns:
            _, apart = differing(parts.columns[role], earlier)
            if apart:
                yield remarks.truth_rounded(role, apart)


def _notes_on_groups(groups: IntArray | None, folds: IntArray | None) -> Iterator[Note]:
    """Groups that are torn apart by the folds."""
    if groups is None or folds is None:
        return
    n_spanning = count_spanning(groups, folds)
    if n_spanning:
        yield remarks.group_spans_folds(n_spanning, int(groups.max()) + 1)


def _notes_on_candidates(
    metadata: Metadata, n_read: int, configurations: tuple[str, ...]
) -> Iterator[Note]:
    """What the metadata tell about the configurations."""
    counts = metadata.count_flags(configurations)
    if counts:
        yield remarks.validity_flags(counts)
    if (metadata.n_candidates_total or 0) > n_read:
        yield remarks.candidates_missing(metadata.n_candidates_total or 0, n_read)
