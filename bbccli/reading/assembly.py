"""A sheet and its values -> prediction matrix, with all notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress
from types import MappingProxyType

import numpy as np

from bbccli.domain.matrix import NestedFold, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import STOPPED_EARLY, Source, ToolRun
from bbccli.notes import Note, identities, lacking, of_data, of_metadata
from bbccli.notes.methods import repeated_holdout
from bbccli.reading.checks import notes_on
from bbccli.reading.checks.leakage import equal_to_truth, refuse_copies
from bbccli.reading.checks.repeats import check_duplicates, duplicates
from bbccli.reading.classes import sorted_names
from bbccli.reading.column import EXACT_INTEGERS, Column, by_appearance, natural_order
from bbccli.reading.configuration_filter import EXPECTED, GAPS_WITHIN_FOLDS
from bbccli.reading.layout.dialects import CARET, DIALECTS
from bbccli.reading.missing import check_left_out, complete, missing_in
from bbccli.reading.predictions import Values
from bbccli.reading.roles import NAMES, Request
from bbccli.reading.sample_columns import check_weights, column_of_weights
from bbccli.reading.sample_index import outer_blocks
from bbccli.reading.sheet import RUN, Sheet
from bbccli.types import (
    BoolArray,
    FloatArray,
    IntArray,
    Missing,
    Pooling,
    PredictionKind,
    Task,
    distinct,
)

AVERAGED = "averaged_over_repeats"
"""Flag of predictions without a fold of their own."""

MOST_CLASSES = 5
"""Different whole numbers in a truth that may be classes, if nothing else tells."""

DUMMY = "dummy"
"""Flag of a baseline that is not a candidate."""


def assemble(
    sheet: Sheet, outcome: Outcome, predictions: Values, request: Request
) -> PredictionMatrix:
    """Make the matrix of the complete samples and configurations.

    `outcome` (n_usable,) is the truth of the usable samples; `predictions` are (R, n_usable, C) or
    (R, n_usable, C, K), NaN where missing; of a nested cross-validation, (1, n_rows, ...).
    """
    whole, there = outcome, None if sheet.unfinished else sheet.held_out
    policy = Missing.DROP if sheet.unfinished else request.missing
    outer, inner = _outer_and_inner(sheet, predictions)
    values, kept, gap_notes = complete(sheet, outer, policy, there)
    if there is None and not (sheet.nested or sheet.scored or sheet.unfinished):
        gap_notes = [*check_left_out(outer, values, kept, whole), *gap_notes]
    outcome, samples = whole.take(kept), sheet.usable[kept]
    names = values.configurations
    held = None if there is None else there[:, kept]
    folds, fold_names, fold_notes = _folds(sheet, outcome, samples, held, names)
    group = sheet.of_samples.get("group")
    groups = None if group is None else group.take(np.flatnonzero(kept)).codes()[0]
    alone = groups is not None and len(distinct(groups)) == len(groups)
    groups = None if alone else groups  # groups of one are none
    by_hand = [request.roles.group] if alone and request.roles.group else []
    notes = [
        *sheet.notes,
        *_notes_on_columns(sheet, request, outcome, predictions, groups),
        *gap_notes,
        *fold_notes,
        *map(of_metadata.groups_of_one, by_hand),
        *notes_on_groups(None if sheet.forecasts else groups, folds),
        *_notes_on_classes(sheet, whole, predictions, request.positive),
        *check_duplicates(values, outcome, whole, groups, folds),
        *_notes_on_predictions(sheet, values, outcome, folds, None if held is None else held[0]),
        *_notes_on_candidates(sheet, names),
    ]
    if sheet.unfinished is not None:
        notes = [note for note in notes if note.code not in EXPECTED]
        notes.sort(key=lambda note: note.code == GAPS_WITHIN_FOLDS)
    return PredictionMatrix(
        outcome=outcome,
        predictions=values.array,
        configurations=names,
        kind=values.kind,
        folds=folds,
        fold_names=fold_names,
        groups=groups,
        available=values.available,
        unfinished=sheet.unfinished,
        repeated_holdout=there is not None,
        nested=tuple(_nested_folds(sheet, inner, predictions, names, samples)) or None,
        source=_source(sheet, folds),
        sample_keys=sheet.keys.take(samples),
        notes=tuple(notes),
        vault=sheet.vault,
    )


def _outer_and_inner(sheet: Sheet, predictions: Values) -> tuple[Values, BoolArray]:
    """Return predictions (R, N, C) of the outer test samples, without configurations with inner
    gaps; and the usable inner rows (n_rows,).
    """
    if not sheet.nested:
        return predictions, ~sheet.outer
    missing = missing_in(predictions.array)[0]
    inner = ~sheet.outer & ~missing.all(axis=1)
    outer = predictions.array[0][sheet.rows[:, sheet.usable]]
    outer[:, :, missing[inner].any(axis=0)] = np.nan
    return replace(predictions, array=outer), inner


def _on_scales(values: Values) -> Iterator[Note]:
    """Yield a note on scores beyond all of most others, or percentages beside shares or marks."""
    low, high = values.array.min(axis=(0, 1)), values.array.max(axis=(0, 1))
    shares = (low >= 0) & (high <= 1) & (high > 0)
    off = (low > np.median(high)) | ((high > 10) & shares.any())
    off = shares if 2 * off.sum() > len(off) else off
    if off.any() and not off.all():
        names, first = list(compress(values.configurations, off)), int(np.argmax(off))
        rest = f"others are {low[~off].min():.6g} to {high[~off].max():.6g}"
        yield of_data.off_scale(names, f"{low[first]:.6g} to {high[first]:.6g}", rest)


def _notes_on_predictions(
    sheet: Sheet, values: Values, outcome: Outcome, folds: IntArray | None, first: BoolArray | None
) -> Iterator[Note]:
    """Check the predictions; in repeated hold-out, those of the first repeat."""
    names, known = values.configurations, sheet.declared
    if outcome.task is Task.SCORE:  # a configuration may always be right, or wrong
        yield from chain(duplicates(names, values.array), _on_scales(values))
        return
    copied, every = equal_to_truth(values, outcome), values.array
    if sheet.unfinished is None:
        refuse_copies(names, copied, known)
    if first is not None:
        values = replace(values, array=values.array[:1, first], available=None)
        outcome, folds = outcome.take(first), None
    told = bool(sheet.labels) or sheet.metadata.run is not None
    yield from notes_on(values, outcome, folds, known, copied, told)
    yield from duplicates(names, every)


def _folds(
    sheet: Sheet,
    outcome: Outcome,
    samples: IntArray,
    there: BoolArray | None,
    names: tuple[str, ...],
) -> tuple[IntArray | None, tuple[str, ...], tuple[Note, ...]]:
    """Return (R, N) codes and names of the folds, or a note if they are unknown."""
    if there is not None:
        return None, (), (repeated_holdout(there.sum(axis=1).tolist(), there.shape[1]),)
    if AVERAGED in sheet.metadata.count_flags(names):
        return None, (), (of_metadata.averaged_repeats(),)
    rows, fold = sheet.rows[:, samples], sheet.roles.get("fold")
    if fold is None and outcome.task is Task.SCORE:
        return None, (), ()  # an evaluation has no folds that could be missing
    n_missing = rows.size
    if fold is not None:
        n_missing = int(((fold.named_codes()[0][rows] < 0) | (rows < 0)).sum())
        if not n_missing:
            return *code_folds(fold, rows), ()
    run = sheet.metadata.run
    if run is not None and run.refolded:
        return None, (), (of_data.folds_of_each(),)
    tool = sheet.layout if _selection_of(sheet) is Pooling.FOLD_MEAN else ""
    return None, (), (of_data.folds_unknown(n_missing, rows.size, tool),)


def _notes_on_columns(
    sheet: Sheet, request: Request, outcome: Outcome, predictions: Values, groups: IntArray | None
) -> Iterator[Note]:
    """Yield notes on columns set aside, joins, task, weights, rounded values and bounds."""
    if sheet.spare:
        yield of_metadata.columns_ignored(sheet.spare)
    if sheet.by_position:
        yield of_data.joined_by_position(sheet.by_position)
    task = sheet.metadata.task
    if request.task is None and task is not None and task is not outcome.task:
        yield of_metadata.metadata_contradicted(task, outcome.task)
    inferred = outcome.task is Task.REGRESSION and request.task is None and task is None
    if inferred:
        yield from _on_classes(outcome.values, predictions)
    column = column_of_weights(sheet)
    if column is not None:
        meant = request.roles.weight is not None or "weight" in sheet.metadata.roles
        if not meant and sheet.layout != CARET.name and column.casefold() in NAMES["weight"]:
            yield of_metadata.weight_by_name(column)
        yield from check_weights(outcome, groups)
    for role in ("truth", "time", "weight"):
        if role in sheet.rounding:
            yield of_data.truth_rounded(role, sheet.rounding[role])
    if outcome.task is Task.SCORE and outcome.bounds is None:
        yield of_data.bounds_unknown()
    elif outcome.task is Task.SCORE:
        guessed = request.bounds is None and sheet.metadata.bounds is None
        if guessed and not predictions.all_among([0.0, 1.0]):
            yield of_data.bounds_of_averages()


def _on_classes(truth: FloatArray | IntArray, predictions: Values) -> Iterator[Note]:
    """Yield a note on a truth of few whole numbers, if all its predictions are from 0 to 1 while it
    is not, or are whole numbers too.
    """
    lowest, highest = float(truth.min()), float(truth.max())
    beyond = (lowest < 0 or highest > 1) and max(-lowest, highest) < EXACT_INTEGERS
    if not beyond or not (truth == np.rint(truth)).all():
        return
    present, array = distinct(np.asarray(truth, np.int64)).tolist(), predictions.array
    if len(present) > MOST_CLASSES:
        return
    if predictions.in_unit():
        yield of_metadata.classes_as_values([*map(str, present)])
    elif (array == np.rint(array)).all():
        other = array[~np.isin(array, present)][0]  # else they were labels
        yield of_metadata.classes_as_values([*map(str, present)], f"{other:.0f}")


def notes_on_groups(groups: IntArray | None, folds: IntArray | None) -> Iterator[Note]:
    """Yield a note on groups (N,), numbered as they appear, with samples in several folds (R, N) of
    a repeat.
    """
    if groups is None or folds is None:
        return
    _, first = by_appearance(groups)
    split = groups[(folds != folds[:, first[groups]]).any(axis=0)]
    if len(split):
        even = len({*np.bincount(groups).tolist()}) == 1
        yield of_data.group_spans_folds(len(distinct(split)), len(first), even=even)


def _notes_on_classes(
    sheet: Sheet, outcome: Outcome, predictions: Values, positive: str | None
) -> Iterator[Note]:
    """Yield notes on text that looks like numbers but has another order than these, and on
    predicted labels that neither the truth nor the metadata know.
    """
    metadata, classes = sheet.metadata, outcome.classes
    known = positive is not None or metadata.positive_class is not None or sheet.by_class
    if outcome.task is Task.BINARY and not known and [*classes] != sorted_names(classes):
        yield of_metadata.positive_by_spelling(classes)
    if predictions.kind is PredictionKind.LABEL and not metadata.classes:
        codes = [code for code, n in enumerate(outcome.class_counts) if not n]
        if codes:
            n = int(np.isin(predictions.array, codes).sum())
            yield of_data.unknown_labels([classes[code] for code in codes], n)


def _notes_on_candidates(sheet: Sheet, configurations: tuple[str, ...]) -> Iterator[Note]:
    """Yield notes from the metadata of the configurations."""
    metadata, n_read = sheet.metadata, _n_read(sheet)
    counts = dict(metadata.count_flags(configurations))
    if n_rounded := counts.pop("rounded", 0):
        yield identities.rounded_predictions(n_rounded)
    if counts.pop(STOPPED_EARLY, 0):
        which = [n for n in configurations if STOPPED_EARLY in metadata.flags.get(n, ())]
        yield lacking.some_stopped(which, len(configurations))
    if counts:
        yield lacking.validity_flags(counts)
    if (metadata.n_candidates_total or 0) > n_read:
        yield of_metadata.candidates_missing(metadata.n_candidates_total or 0, n_read)
    if metadata.run is not None:
        yield from _notes_on_run(metadata.run, configurations)


def _notes_on_run(run: ToolRun, configurations: tuple[str, ...]) -> Iterator[Note]:
    """Yield notes on repeated and damaged parts of a run, on the model whose target is the truth if
    others scale theirs, and on excluded logs of an evaluation and the score used.
    """
    evaluation, targets = run.evaluation, run.targets
    kinds: list[tuple[Callable[[Sequence[str]], Note], Sequence[str]]] = [
        (of_metadata.tried_again, [n for n in configurations if n in run.tried_again]),
        (of_metadata.recorded_again, [n for n in configurations if n in run.again]),
        (of_metadata.damaged_parts, run.damaged),
    ]
    if evaluation is not None:
        kinds += [
            (of_metadata.failed_runs, evaluation.failed),
            (of_metadata.run_again, evaluation.repeated),
            (of_metadata.tasks_left_out, evaluation.elsewhere),
            (of_metadata.files_not_read, evaluation.unread),
        ]
    yield from (note(names) for note, names in kinds if names)
    if evaluation is not None and evaluation.other_scores and not evaluation.headline:
        yield of_metadata.first_score(evaluation.score, evaluation.other_scores)
    if targets is None:
        return
    scaled = [n for n in configurations if n in targets.scaled and n != targets.of]
    if targets.unsure:
        yield of_data.targets_clipped(targets.unsure)
    elif scaled:
        n_clipped = len({key for t in targets.clipped if t.id in scaled for key in t.samples})
        yield of_data.targets_scaled(targets.of, scaled, n_clipped, targets.apart)


def _source(sheet: Sheet, folds: IntArray | None) -> Source:
    """Return the origin, with the counts before anything was left out."""
    metadata = sheet.metadata
    raw, selection = metadata.raw, _selection_of(sheet)
    if selection is not None and folds is not None and folds.max() > 0:
        raw = MappingProxyType({"selection": str(selection), **raw})
    weight = column_of_weights(sheet)
    source = Source(
        sheet.path,
        sheet.table.sha256,
        raw,
        sheet.left_out,
        weight=weight,
        run=metadata.run,
        in_order=_in_order(sheet),
    )
    if sheet.unfinished is not None:  # what is yet to come is not left out
        return source
    n_tried = max(metadata.n_candidates_total or 0, _n_read(sheet)) - sheet.n_excluded
    n_tried -= sum(left.reason != DUMMY for left in sheet.left_out)
    return replace(source, n_samples=sheet.n_samples, n_tried=n_tried)


def _in_order(sheet: Sheet) -> tuple[str, ...]:
    """Return the configurations in the order of their trials: as the run says, or as they stand in
    a table, unless its order is that of files or of names.
    """
    run, names = sheet.metadata.run, tuple(sheet.configurations)
    if run is not None and run.tried:
        return run.tried
    if sheet.layout == RUN or len(sheet.table.origins) > 1:
        return ()
    order = natural_order(names)
    by_name = names == tuple(sorted(names)) or order == (*range(len(names)),)
    natural = tuple([names[n] for n in order])  # trial 9, trial 10, sorted as text or not
    return names if not by_name else natural if _counted(natural) else ()


def _counted(names: tuple[str, ...]) -> bool:
    """True if a number that goes up is all that tells the names apart: trial 9, trial 10."""
    parts = [*map(re.compile(r"(\d+)").split, names)]
    if len({len(part) for part in parts}) > 1:
        return False
    varying = [piece for piece in zip(*parts, strict=True) if len(set(piece)) > 1]
    if len(varying) != 1 or not all(map(str.isdecimal, varying[0])):
        return False
    numbers = [*map(int, varying[0])]
    return numbers == sorted(numbers)


def _selection_of(sheet: Sheet) -> Pooling | None:
    """Return the pooling by which the tool selects, if known."""
    dialect = DIALECTS.get(sheet.layout)
    return None if dialect is None else dialect.selection


def _n_read(sheet: Sheet) -> int:
    """Number of candidates in the file, including those excluded by a flag or an option."""
    names = {*sheet.configurations, *[left.name for left in sheet.left_out]}
    flagged = sheet.metadata.flags.items()
    dummies = [name for name, flags in flagged if DUMMY in flags and name in names]
    return len(names) - len(dummies) + sheet.n_excluded


def code_folds(fold: Column, rows: IntArray) -> tuple[IntArray, tuple[str, ...]]:
    """Return folds coded 0..F-1 within each repeat, and their names.

    `fold` is that of each row, (n_rows,); `rows` (R, N) is the row of each sample in each repeat.
    Codes (R, N) follow the natural order of the names, which are "0", "1", ... unless all repeats
    share them.
    """
    codes, names = fold.named_codes()
    order = natural_order(names)
    ranks = np.argsort(order)[codes][rows]
    present = [distinct(repeat) for repeat in ranks]
    dense = np.stack([np.searchsorted(p, r) for p, r in zip(present, ranks, strict=True)])
    if all(np.array_equal(present[0], other) for other in present):
        return dense, tuple(names[order[i]] for i in present[0])
    return dense, tuple(str(i) for i in range(max(map(len, present))))


def _nested_folds(
    sheet: Sheet, inner: BoolArray, values: Values, kept: tuple[str, ...], chosen: IntArray
) -> Iterator[NestedFold]:
    """Yield the outer folds, repeat by repeat, with the predictions of the kept configurations in
    usable inner rows (n_rows,); `chosen` are the samples (N,).
    """
    if not sheet.nested:
        return
    predictions = values.array[0][:, np.isin(values.configurations, kept)]
    position = np.full(sheet.n_samples, -1)
    position[chosen] = np.arange(len(chosen))
    places = position[sheet.samples]
    blocks, names = outer_blocks(sheet)
    for block in distinct(blocks).tolist():
        rows = np.flatnonzero((blocks == block) & (places >= 0))
        test, training = rows[sheet.outer[rows]], rows[inner[rows]]
        training = training[np.argsort(places[training], kind="stable")]
        if not len(test) or not len(training):
            raise sheet.roles["fold"].fault(
                "no sample of the outer fold is left",
                np.flatnonzero(blocks == block),
                hint="complete its predictions",
            )
        folds, fold_names = code_folds(sheet.roles["inner_fold"], training[None])
        repeat, fold = divmod(block, len(names))
        yield NestedFold(
            name=names[fold],
            repeat=repeat,
            training=places[training],
            test=np.sort(places[test]),
            predictions=predictions[training],
            folds=folds[0],
            fold_names=fold_names,
        )
