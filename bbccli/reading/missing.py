"""Incomplete cross-validation: samples to leave out, configurations to drop, gaps to keep.

Of configurations left out for want of predictions, those that may be better are noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import BbcError, InputError
from bbccli.metrics import default_metric
from bbccli.notes import Note, counted, lacking, listing
from bbccli.platform.text import figure, percent
from bbccli.reading.predictions import Values
from bbccli.reading.sheet import Sheet
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import BoolArray, FloatArray, Missing, Pooling

FEWEST = 0.5
"""Proportion of the samples that a configuration must predict to be scored on those."""

MOST_LACKING = 0.2
"""Largest proportion of items without a score of a configuration: such items are seldom typical."""


def complete(
    sheet: Sheet, predictions: Values, policy: Missing | None, there: BoolArray | None
) -> tuple[Values, BoolArray, list[Note]]:
    """Leave out samples without any prediction, and treat gaps in the others.

    Parameters
    ----------
    sheet
        Samples and folds.
    predictions
        (R, N, C) or (R, N, C, K), NaN where missing.
    policy
        A key of `GAPS`. None: configurations with gaps are dropped; scores without a truth are
        scored where available.
    there : (R, N) bool, optional
        Samples in each repeat of a repeated hold-out: elsewhere no prediction is missing.

    Returns
    -------
    Values
        Finite predictions of the kept samples and configurations, and where they are available.
    (N,) bool
        The samples kept.
    list of Note
        Notes on samples and configurations left out, and on remaining gaps.
    """
    n_samples, missing = sheet.n_samples, missing_in(predictions.array)
    n_left_out = n_samples - len(sheet.usable)
    if there is None and not n_left_out and not missing.any():
        return predictions, np.ones(n_samples, bool), [*sheet.unpredicted]
    absent = np.zeros((*missing.shape[:2], 1), bool) if there is None else ~there[:, :, None]
    missing &= ~absent
    policy = policy or (Missing.AVAILABLE if sheet.scored else Missing.DROP)
    on_epochs: list[Note] = []
    if sheet.scored and sheet.unfinished is None:
        predictions, missing, on_epochs = _of_items(predictions, missing, policy)
    names = predictions.configurations
    samples, kept, notes = GAPS[policy](missing, absent)
    notes = [*on_epochs, *notes]
    notes += sheet.unpredicted
    n_left_out += int(missing.all(axis=2).any(axis=0).sum()) - sheet.n_unpredicted
    if n_left_out:
        notes.append(lacking.samples_left_out(n_left_out, n_samples, len(missing)))
    if not kept.all():
        stopped = _of_whole_folds(sheet, missing[:, :, ~kept])
        dropped = list(compress(names, ~kept))
        notes.append(lacking.configurations_dropped(dropped, len(kept), stopped=stopped))
    gaps = missing[:, samples][:, :, kept]
    if gaps.any() and sheet.scored:
        n_lacking = gaps[0].sum(axis=0).tolist()
        notes.append(lacking.items_lacking(list(compress(names, kept)), n_lacking, gaps.shape[1]))
    elif gaps.any():
        n_wanted = gaps.shape[2] * np.count_nonzero(~absent[:, samples])
        notes.append(lacking.available_cases(float(gaps.sum() / n_wanted)))
    if policy is Missing.ERROR and notes:
        hint = f"{notes[0].remedy}, or " + _instead(names, missing)
        raise InputError(notes[0].text, hint=hint)
    if not samples.any() or not kept.any():
        hint = _instead(names, missing)
        parts, first = np.unique(~missing.reshape(-1, len(names)), axis=1, return_index=True)
        if not hint and len(first) > 1 and (parts.sum(axis=1) == 1).all():  # m_fold1, m_fold2, ...
            fillers = listing([names[c] for c in np.sort(first)])
            raise InputError(
                f"each configuration predicts one of {len(first)} parts of the samples",
                hint=f"if {fillers} are of one configuration, write them into one column",
            )
        raise InputError(
            f"each of the {len(names)} configurations lacks too many predictions "
            f"({percent(missing.mean(), 0)} of all are missing)",
            hint=hint or "complete the predictions of at least one configuration",
        )
    array = predictions.array if samples.all() else predictions.array[:, samples]
    array = array if kept.all() else array[:, :, kept]
    left = replace(predictions, array=array, configurations=tuple(compress(names, kept)))
    return _filled(left, gaps | absent[:, samples]), samples, notes


Kept = tuple[BoolArray, BoolArray, list[Note]]
"""Samples (N,) and configurations (C,) to keep, and notes."""


def _without_gaps(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations that predict every sample that any one predicts."""
    samples = np.asarray(~missing.all(axis=2).any(axis=0))
    return samples, np.asarray(~missing[:, samples].any(axis=(0, 1))), []


def _drop(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations without gaps; if there are none, those with few."""
    samples, kept, notes = _without_gaps(missing, absent)
    return (samples, kept, notes) if kept.any() else _available(missing, absent)


def _available(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations that predict enough samples to be scored on those."""
    samples, kept, notes = _without_gaps(missing, absent)
    if samples.any():
        n_wanted = np.maximum((~absent[:, samples]).sum(axis=1), 1)
        shares = 1 - missing[:, samples].sum(axis=1) / n_wanted
        kept = np.asarray(shares.min(axis=0) >= FEWEST)
        # samples predicted only by the others are of no use
        predicted = samples & ~missing[:, :, kept].all(axis=2).any(axis=0)
        n_of_others = int(samples.sum() - predicted.sum())
        if n_of_others and kept.any():
            notes = [lacking.samples_of_dropped(n_of_others, len(samples))]
        samples = predicted
    return samples, kept, notes


def _common_rows(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the samples that all configurations predict."""
    samples, kept, notes = _without_gaps(missing, absent)
    if kept.all():
        return samples, kept, notes
    common = samples & ~missing.any(axis=(0, 2))
    note = lacking.common_rows(int(common.sum()), int(samples.sum()))
    return common, np.ones_like(kept), [note]


GAPS: Mapping[Missing, Callable[[BoolArray, BoolArray], Kept]] = {
    Missing.ERROR: _without_gaps,
    Missing.DROP: _drop,
    Missing.COMMON_ROWS: _common_rows,
    Missing.AVAILABLE: _available,
}
"""Treatment of missing predictions (R, N, C) -> function that says what to keep.

A sample that is absent (R, N, 1) from a repeat needs no prediction there.
"""


def _of_items(
    predictions: Values, missing: BoolArray, policy: Missing
) -> tuple[Values, BoolArray, list[Note]]:
    """Replace missing epochs of items by the mean of the others (R, N, C), and refuse larger gaps,
    and any in constant scores: failures may have been left out.

    So the mean over epochs is that of the available ones, and an item is missing only if all are.
    Return scores, remaining gaps, the same in all epochs, and notes.
    """
    array, notes = predictions.array, list[Note]()
    present = array[~missing]
    if missing.any() and len(present) and present.min() == present.max():
        raise InputError(
            f"every score is {present[0]:g}, and {missing.sum()} of {missing.size} are missing: "
            "were unsolved items left out?",
            hint="give a score for every item and configuration: 0 for unsolved items",
        )
    if policy is Missing.ERROR:
        return predictions, missing, []
    none = np.broadcast_to(missing.all(axis=0), missing.shape)
    gaps = missing & ~none
    if gaps.any():
        means = np.where(missing, 0, array).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        n_each, n_gaps = missing[..., 0].size, gaps.sum(axis=(0, 1)).tolist()
        notes = [lacking.epochs_missing(predictions.configurations, n_gaps, n_each)]
        predictions = replace(predictions, array=np.where(gaps, means, array))
    _, complete_ones, _ = _without_gaps(none, none)
    if policy is Missing.AVAILABLE or (policy is Missing.DROP and not complete_ones.any()):
        _check_lacking(predictions, none)
    return predictions, none, notes


def _check_lacking(predictions: Values, missing: BoolArray) -> None:
    """Refuse configurations that can't be scored on the items that they have.

    They lack more of the items (R, N, C) than `MOST_LACKING` allows, or they lack some and have the
    best score on all others. Those without any score are left out later.
    """
    gaps = missing[0, ~missing[0].all(axis=1)]
    n_items, lacking = len(gaps), gaps.sum(axis=0)
    some = (lacking > 0) & (lacking < n_items)
    scores = np.where(missing, -np.inf, predictions.array)
    lowest = np.where(missing, np.inf, predictions.array).min(axis=(0, 1))
    many = f"more than {percent(MOST_LACKING)} of the items have no score"
    best = "items have no score, and all others have the highest one"
    too_many, are_best = lacking > MOST_LACKING * n_items, lowest == scores.max()
    for wrong, problem in ((some & too_many, many), (some & are_best, best)):
        if wrong.any():
            n_common = int((~gaps[:, lacking < n_items].any(axis=1)).sum())
            hint = "give a score for every item, 0 for unsolved ones"
            if n_common:
                hint += f"; or give --missing common-rows to use the {n_common} that all have"
            if not some.all():
                hint += "; or --missing drop to leave out configurations that lack any"
            counts = (wrong * lacking).tolist()
            text = counted(predictions.configurations, counts, n_items)
            raise InputError(f"{problem}: {text}", hint=hint)


def _of_whole_folds(sheet: Sheet, missing: BoolArray) -> bool:
    """True if gaps (R, N, C) are whole folds, as those of pruned trials are."""
    column = sheet.roles.get("fold")
    if column is None or len(column.nulls):
        return False
    of_samples = column.codes()[0][sheet.rows[:, sheet.usable]]
    for in_repeat, folds in zip(missing, of_samples, strict=True):
        for fold in np.unique(folds):
            gaps = in_repeat[folds == fold]
            if (gaps.any(axis=0) != gaps.all(axis=0)).any():
                return False
    return True


def _instead(names: Sequence[str], missing: BoolArray) -> str:
    """Say how predictions (R, N, C), some of which are missing, can be used as they are."""
    predicted = ~missing.all(axis=2).any(axis=0)
    if not predicted.any():
        return ""
    lacks = missing[:, predicted].mean(axis=(0, 1))
    stubs = [name for name, share in zip(names, lacks, strict=True) if share > 1 - FEWEST]
    if len(stubs) == len(names):
        stubs, lacks = [], np.zeros_like(lacks)
    others = missing[:, :, lacks <= 1 - FEWEST]
    n_common = int((~others.any(axis=(0, 2))).sum()) if others.size else 0
    if not n_common:
        return ""
    exclude = "".join(f"--exclude {name!r} " for name in stubs)
    return (
        f"{exclude}--missing common-rows uses the {n_common} of {missing.shape[1]} samples "
        f"that all {'others ' * bool(stubs)}predict"
    )


def missing_in(array: FloatArray) -> BoolArray:
    """(R, N, C) True if a prediction, or that of any class, is missing."""
    missing = np.isnan(array)
    return np.asarray(missing.any(axis=3)) if missing.ndim == 4 else missing


def _filled(predictions: Values, gaps: BoolArray) -> Values:
    """Fill gaps (R, N, C) with another prediction of the same configuration; refuse one that shares
    no sample with the others.
    """
    if not gaps.any():
        return predictions
    shared = ~gaps & ((~gaps).sum(axis=2, keepdims=True) > 1)
    alone = np.flatnonzero(~shared.any(axis=(0, 1)))
    if gaps.shape[2] > 1 and len(alone):
        raise InputError(
            f"configuration {predictions.configurations[alone[0]]!r} shares no samples with the "
            "others",
            hint="give the same row_id to the same sample; files with parts of the samples need "
            "a column 'config'",
        )
    return replace(predictions, array=_with_known(predictions.array, gaps), available=~gaps)


def _with_known(array: FloatArray, gaps: BoolArray) -> FloatArray:
    """Fill gaps (R, N, C) in predictions with another one of the same configuration."""
    first = np.argmin(gaps, axis=1)[:, None]  # (R, 1, C): a predicted sample
    if array.ndim == 4:
        first, gaps = first[..., None], gaps[..., None]
    return np.where(gaps, np.take_along_axis(array, first, axis=1), array)


MOST_CELLS, MOST_SCORED = 2**24, 2**10
"""Predictions up to which configurations that were left out are scored; and how many of these, the
best, are compared with the others on their samples.
"""


def check_left_out(
    every: Values, kept: Values, samples: BoolArray, outcome: Outcome
) -> Iterator[Note]:
    """Yield a note on the configuration that outscores all others on the samples that it predicts.

    `every` are the predictions (R, N, C[, K]) of all configurations, NaN where missing; `samples`
    (N,) those that are kept. Only configurations that predict enough samples to be scored are
    compared, by the metric of the task.
    """
    array, names, staying = every.array, every.configurations, {*kept.configurations}
    lost = np.array([name not in staying for name in names])
    if not lost.any() or kept.available is not None or array.size > MOST_CELLS:
        return
    missing = missing_in(array)
    there = samples[:, None] & ~missing.any(axis=0)
    few = there[samples].mean(axis=0) < FEWEST
    own = np.flatnonzero(lost & ~few)
    columns = np.append(np.flatnonzero(~lost), own)
    weights, own = there[:, own].T.astype(np.uint8), np.arange(len(staying), len(columns))
    try:
        matrix = PredictionMatrix(
            outcome=outcome,
            predictions=_with_known(array[:, :, columns], missing[:, :, columns]),
            configurations=tuple(names[c] for c in columns),
            kind=every.kind,
        )
        metric = default_metric(matrix)
        candidates = Candidates(matrix, metric, Pooling.POOLED)
        scored = candidates.paired(weights, own)
        likely = np.argsort(-metric.direction.sign * scored, kind="stable")[:MOST_SCORED]
        scored, weights, own = scored[likely], weights[likely], own[likely]
        others = candidates.bind(np.arange(len(staying)))(weights)
    except BbcError:  # a task without a metric
        return
    sign = metric.direction.sign
    ahead = sign * scored - np.fmax.reduce(sign * others, axis=1)
    if (ahead > 0).any():
        best = int(np.nanargmax(ahead))
        name, stubs = names[columns[own[best]]], list(compress(names, lost & few))
        told = name, f"{metric.label} {figure(scored[best])}", weights[best].sum(), samples.sum()
        yield lacking.best_left_out(*told, stubs, higher=sign > 0)
