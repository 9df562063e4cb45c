"""What was read -> prediction matrix, with everything noticed on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.nested import NestedFold
from bbccli.core.notes import Note, declared, remarks
from bbccli.core.outcome import Outcome
from bbccli.core.source import Source, targets_of
from bbccli.readers.checks.repeats import repeated
from bbccli.readers.checks.sanity import duplicates, examine, keys_of, notes_on
from bbccli.readers.checks.target_copies import refuse_copies
from bbccli.readers.coverage import held_out, note_on
from bbccli.readers.facts import Facts, column_of_weights, uneven_weights
from bbccli.readers.folds import code_folds, count_spanning
from bbccli.readers.layout.dialects import DIALECTS
from bbccli.readers.layout.dialects.caret import DIALECT as CARET
from bbccli.readers.layout.dialects.harness import NAME as HARNESS
from bbccli.readers.metadata import Metadata
from bbccli.readers.missing import Completed, complete
from bbccli.readers.nested import nested_folds, without_gaps
from bbccli.readers.predictions import Values
from bbccli.readers.request import Request
from bbccli.readers.roles import NAMES
from bbccli.readers.sheet import Sheet
from bbccli.readers.unfinished import EXPECTED, Narrowed
from bbccli.types import BoolArray, IntArray, Missing, Pooling, Task

AVERAGED = "averaged_over_repeats"
"""Flag of predictions without a fold of their own."""

DUMMY = "dummy"
"""Flag of what is no candidate, so that nobody tried it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that was read.

    Parameters
    ----------
    part
        The sheet, and where its samples are.
    facts
        What is known of the samples.
    outcome : (N,)
        Their truth.
    predictions : (R, N, C) or (R, N, C, K)
        Of all samples, NaN where missing; of a nested cross-validation, (1, n_rows, ...).
    """

    part: Narrowed
    facts: Facts
    outcome: Outcome
    predictions: Values


def assemble(reading: Reading, request: Request) -> PredictionMatrix:
    """Make the matrix of the samples and configurations that are complete.

    Raises
    ------
    InputError
        Nothing is left, gaps that are not allowed, or predictions that are the truth.
    """
    part, facts = reading.part, reading.facts
    sheet, places = part.sheet, part.places
    there = None if part.unfinished else held_out(sheet, places)
    values, kept, gap_notes = _completed(reading, request, there)
    outcome, samples = reading.outcome.take(kept), facts.samples[kept]
    names = values.configurations
    held = None if there is None else there[:, kept]
    folds, fold_names, fold_notes = _folds(reading, samples, held, names)
    groups = _groups(facts, kept)
    notes = [
        *sheet.notes,
        *_notes_on_roles(reading, request.task),
        *_notes_on_weights(sheet, request, outcome, groups),
        *_notes_on_rounding(facts),
        *_notes_on_bounds(outcome),
        *gap_notes,
        *fold_notes,
        *_notes_on_groups(groups, folds),
        *repeated(values, outcome, reading.outcome, groups, folds),
        *_notes_on_predictions(reading, values, outcome, folds, None if held is None else held[0]),
        *_notes_on_candidates(sheet, names),
    ]
    if part.unfinished is not None:
        notes = [note for note in notes if note.code not in EXPECTED] + [*part.notes]
    return PredictionMatrix(
        outcome=outcome,
        predictions=values.array,
        configurations=names,
        kind=values.kind,
        folds=folds,
        fold_names=fold_names,
        groups=groups,
        available=values.available,
        unfinished=part.unfinished,
        repeated_holdout=there is not None,
        nested=_nested(reading, names, samples),
        source=_source(reading, folds),
        sample_keys=places.keys.take(samples),
        notes=tuple(notes),
    )


def _completed(reading: Reading, request: Request, there: BoolArray | None) -> Completed:
    """Predictions without gaps; those that workers read have none."""
    sheet, n_samples = reading.part.sheet, reading.part.places.n_samples
    if not reading.predictions.in_memory:
        return reading.predictions, np.ones(n_samples, bool), ()
    policy = Missing.DROP if reading.part.unfinished else request.missing
    n_absent, found = n_samples - len(reading.facts.samples), _of_outer_rows(reading)
    asked = (found, n_absent, sheet.path)
    fold, folds = sheet.roles.get("fold"), None
    if fold is not None and not len(fold.nulls):
        folds = fold.codes()[0][reading.part.places.rows[:, reading.facts.samples]]
    return complete(*asked, policy=policy, there=there, alike=_alike(sheet), folds=folds)


def _of_outer_rows(reading: Reading) -> Values:
    """Predictions (R, N, C) of the outer test samples, none of configurations with inner gaps."""
    places, found = reading.part.places, reading.predictions
    if places.nested is None:
        return found
    every = found.array[0]
    _, usable = without_gaps(places.nested, every)
    outer = every[places.rows[:, reading.facts.samples]]
    outer[:, :, ~usable] = np.nan
    return replace(found, array=outer)


def _nested(
    reading: Reading, kept: tuple[str, ...], samples: IntArray
) -> tuple[NestedFold, ...] | None:
    """Outer folds with the inner predictions of the configurations and samples that were kept."""
    places, found = reading.part.places, reading.predictions
    if places.nested is None:
        return None
    inner, _ = without_gaps(places.nested, found.array[0])
    predictions = found.array[0][:, np.isin(found.configurations, kept)]
    return tuple(nested_folds(places.nested, inner, predictions, places.samples, samples))


def _notes_on_predictions(
    reading: Reading,
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    first: BoolArray | None,
) -> Iterator[Note]:
    """What the predictions tell: in repeated hold-out, those of the samples of the first repeat."""
    sheet, names = reading.part.sheet, values.configurations
    if outcome.task is Task.SCORE:  # one that is always right, or wrong, is nothing strange
        yield from duplicates(names, keys_of(values.array))
        return
    known = frozenset(sheet.named | set(sheet.metadata.configurations))
    seen = examine(values, outcome, folds, known)
    if reading.part.unfinished is None:
        refuse_copies(names, np.flatnonzero(seen.copied), known, sheet.path)
    if first is None:
        yield from notes_on(values, outcome, folds, known, seen)
        return
    part = replace(values, array=values.array[:1, first], available=None)
    truth = outcome.take(first)
    of_part = replace(examine(part, truth, None, known), copied=seen.copied, keys=[])
    yield from notes_on(part, truth, None, known, of_part)
    yield from duplicates(names, seen.keys)


def _folds(
    reading: Reading, samples: IntArray, there: BoolArray | None, names: tuple[str, ...]
) -> tuple[IntArray | None, tuple[str, ...], tuple[Note, ...]]:
    """(R, N) codes and names of the folds; a note instead where they are unknown."""
    if there is not None:
        return None, (), (note_on(there),)
    flags = reading.part.sheet.metadata.flags
    if any(AVERAGED in flags.get(name, ()) for name in names):
        return None, (), (declared.averaged_repeats(),)
    rows = reading.part.places.rows[:, samples]
    fold = reading.part.sheet.roles.get("fold")
    n_missing = rows.size if fold is None else int(np.isin(rows, fold.nulls).sum())
    if fold is None and reading.outcome.task is Task.SCORE:
        return None, (), ()  # an evaluation has no folds that could be missing
    if fold is None or n_missing:
        tool = reading.part.sheet.layout if _selection_of(reading) is Pooling.FOLD_MEAN else ""
        return None, (), (remarks.folds_unknown(n_missing, rows.size, tool),)
    return *code_folds(fold, rows), ()


def _groups(facts: Facts, chosen: BoolArray) -> IntArray | None:
    """(N,) codes of the groups, in order of first appearance."""
    group = facts.columns.get("group")
    return None if group is None else group.take(np.flatnonzero(chosen)).codes()[0]


def _notes_on_roles(reading: Reading, by_hand: Task | None) -> Iterator[Note]:
    """Columns set aside, joins without a key, and metadata that say another task than the truth."""
    sheet, found = reading.part.sheet, reading.outcome.task
    if sheet.spare:
        yield declared.columns_ignored(sheet.spare)
    if sheet.by_position:
        yield remarks.joined_by_position(sheet.by_position)
    task = sheet.metadata.task
    if by_hand is None and task is not None and task is not found:
        yield declared.metadata_contradicted(task, found)


def _notes_on_weights(
    sheet: Sheet, request: Request, outcome: Outcome, groups: IntArray | None
) -> Iterator[Note]:
    """Weights that nobody asked for, and weights that leave few samples."""
    column = column_of_weights(sheet)
    if column is None:
        return
    meant = request.roles.weight is not None or sheet.metadata.weight is not None
    if not meant and sheet.layout != CARET.name and column.casefold() in NAMES["weight"]:
        yield declared.weight_by_name(column)
    yield from uneven_weights(outcome, groups)


def _notes_on_rounding(facts: Facts) -> Iterator[Note]:
    """Values of one sample that differ between repeats in their last digits."""
    for role in ("truth", "time", "weight"):
        if role in facts.rounding:
            yield remarks.truth_rounded(role, facts.rounding[role])


def _notes_on_bounds(outcome: Outcome) -> Iterator[Note]:
    """Scores of which nobody knows how bad they could be."""
    if outcome.task is Task.SCORE and outcome.bounds is None:
        yield remarks.bounds_unknown()


def _notes_on_groups(groups: IntArray | None, folds: IntArray | None) -> Iterator[Note]:
    """Groups that are torn apart by the folds."""
    if groups is None or folds is None:
        return
    n_spanning = count_spanning(groups, folds)
    if n_spanning:
        yield remarks.group_spans_folds(n_spanning, int(groups.max()) + 1)


def _notes_on_candidates(sheet: Sheet, configurations: tuple[str, ...]) -> Iterator[Note]:
    """What the metadata tell about the configurations."""
    metadata, n_read = sheet.metadata, _n_read(sheet)
    counts = metadata.count_flags(configurations)
    if counts:
        yield declared.validity_flags(counts)
    if (metadata.n_candidates_total or 0) > n_read:
        yield declared.candidates_missing(metadata.n_candidates_total or 0, n_read)
    named = {key: _names(metadata.run, key) for key in ("tried_again", "again", "damaged")}
    for note, key in ((declared.tried_again, "tried_again"), (declared.recorded_again, "again")):
        if names := [one for one in configurations if one in named[key]]:
            yield note(names)
    if named["damaged"]:
        yield declared.damaged_parts(named["damaged"])
    yield from _notes_on_targets(metadata, configurations)


def _notes_on_targets(metadata: Metadata, configurations: tuple[str, ...]) -> Iterator[Note]:
    """Whose target the truth is, where the tool scales those of some models."""
    said = targets_of(metadata.run)
    if said is None:
        return
    scaled = [name for name in configurations if name in said.scaled and name != said.of]
    if said.unsure:
        yield remarks.targets_clipped(said.unsure)
    elif scaled:
        n_clipped = len({key for name in scaled for key in said.clipped.get(name, ())})
        yield remarks.targets_scaled(said.of, scaled, n_clipped, said.apart)


def _names(run: Mapping[str, Any], key: str) -> list[str]:
    """Names in the metadata of a run, which may have been written by hand."""
    said = run.get(key)
    return [str(one) for one in said] if isinstance(said, list) else []


def _source(reading: Reading, folds: IntArray | None) -> Source:
    """Where all of it came from, and how much there was before anything was left out."""
    part = reading.part
    sheet, metadata = part.sheet, part.sheet.metadata
    raw, selection = metadata.raw, _selection_of(reading)
    if selection is not None and folds is not None and folds.max() > 0:
        raw = MappingProxyType({"selection": str(selection), **raw})
    weight = column_of_weights(sheet)
    found = Source(sheet.path, sheet.table.sha256, raw, sheet.left_out, weight=weight)
    if part.unfinished is not None:  # what is not there yet is not left out
        return found
    n_tried = max(metadata.n_candidates_total or 0, _n_read(sheet)) - sheet.n_excluded
    n_tried -= sum(one.reason != DUMMY for one in sheet.left_out)
    return replace(found, n_samples=part.places.n_samples, n_tried=n_tried)


def _selection_of(reading: Reading) -> Pooling | None:
    """How the tool whose dialect this is selects, where it is known."""
    dialect = DIALECTS.get(reading.part.sheet.layout)
    return None if dialect is None else dialect.selection


def _n_read(sheet: Sheet) -> int:
    """Candidates of the file, those included that a flag or an option leaves out."""
    names = [*sheet.configurations, *(one.name for one in sheet.left_out)]
    n_dummies = sum(DUMMY in sheet.metadata.flags.get(name, ()) for name in names)
    return len(names) - n_dummies + sheet.n_excluded


def _alike(sheet: Sheet) -> bool:
    """Whether configurations come from evaluations, each of which has documents of its own."""
    return sheet.layout == HARNESS
