"""Incomplete cross-validation: samples to leave out, configurations to drop, gaps to live with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bbccli.core.notes import Note, remarks
from bbccli.errors import InputError
from bbccli.readers.layout.dialects.harness import NAME as HARNESS
from bbccli.readers.predictions import Values
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, FloatArray, Missing

FEWEST = 0.5
"""Share of the samples that a configuration must predict to be scored on what it predicts."""


def complete(
    sheet: Sheet, predictions: Values, policy: Missing, there: BoolArray | None
) -> tuple[Values, BoolArray, list[Note]]:
    """Leave out samples without any prediction, and deal with gaps in the others.

    Parameters
    ----------
    sheet
        Samples and folds. In the dialect of evaluations each configuration has a list of samples
        of its own; these must be the same unless the policy is to compare what is there.
    predictions
        (R, N, C) or (R, N, C, K), NaN where missing. A `ColumnFile` has no gaps.
    policy
        What is done about gaps: a key of `GAPS`.
    there : (R, N) bool, optional
        Where a repeat holds a sample, of repeated hold-out: elsewhere no prediction is missing.

    Returns
    -------
    Values
        Finite predictions of the samples and configurations that were kept, and where there is one.
    (N,) bool
        The samples kept, of those that were read.
    list of Note
        About the samples and configurations left out, and the gaps that remain.

    Raises
    ------
    InputError
        A gap, when the policy is `error`; lists that differ; nothing left; a configuration that
        shares no sample with another one.
    """
    if not predictions.in_memory:
        return predictions, np.ones(sheet.n_samples, bool), []
    n_absent, path = sheet.n_samples - len(sheet.usable), sheet.path
    missing = _missing(predictions.array)
    absent = np.zeros((*missing.shape[:2], 1), bool) if there is None else ~there[:, :, None]
    missing &= ~absent
    if sheet.layout == HARNESS and policy is Missing.DROP:
        _check_alike(missing, path)
    samples, kept, notes = GAPS[policy](missing, absent)
    n_left_out = n_absent + int(missing.all(axis=2).any(axis=0).sum())
    if n_left_out:
        notes.append(remarks.samples_left_out(n_left_out, sheet.n_samples, len(missing)))
    if not kept.all():
        dropped = [n for n, k in zip(predictions.configurations, kept, strict=True) if not k]
        stopped = _of_whole_folds(sheet, missing[:, :, ~kept])
        notes.append(remarks.configurations_dropped(dropped, len(kept), stopped=stopped))
    gaps = missing[:, samples][:, :, kept]
    if gaps.any():
        n_wanted = gaps.shape[2] * np.count_nonzero(~absent[:, samples])
        notes.append(remarks.available_cases(float(gaps.sum() / n_wanted)))
    if policy is Missing.ERROR and notes:
        hint = f"{notes[0].remedy}, or --missing drop, or --missing common-rows"
        raise InputError(notes[0].text, path=path, hint=hint)
    if not samples.any() or not kept.any():
        raise _nothing_left(missing, path)
    left, gaps = _select(predictions, samples, kept), gaps | absent[:, samples]
    _refuse_strangers(gaps, left.configurations, path)
    return (_filled(left, gaps) if gaps.any() else left), samples, notes


Kept = tuple[BoolArray, BoolArray, list[Note]]
"""Samples (N,) and configurations (C,) to go on with, and what to say about it."""


def _without_gaps(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations that predict every sample that any one predicts."""
    samples = np.asarray(~missing.all(axis=2).any(axis=0))
    return samples, np.asarray(~missing[:, samples].any(axis=(0, 1))), []


def _drop(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations without gaps; where there is none, those with few."""
    samples, kept, notes = _without_gaps(missing, absent)
    return (samples, kept, notes) if kept.any() else _available(missing, absent)


def _available(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the configurations that predict enough samples to be scored on those."""
    samples, kept, notes = _without_gaps(missing, absent)
    if samples.any():
        n_wanted = np.maximum((~absent[:, samples]).sum(axis=1), 1)
        shares = 1 - missing[:, samples].sum(axis=1) / n_wanted
        kept = np.asarray(shares.min(axis=0) >= FEWEST)
        # what only the others predict tells nothing of those that are kept
        predicted = samples & ~missing[:, :, kept].all(axis=2).any(axis=0)
        n_of_others = int(samples.sum() - predicted.sum())
        if n_of_others and kept.any():
            notes = [remarks.samples_of_dropped(n_of_others, len(samples))]
        samples = predicted
    return samples, kept, notes


def _common_rows(missing: BoolArray, absent: BoolArray) -> Kept:
    """Keep the samples that all configurations predict."""
    samples, kept, notes = _without_gaps(missing, absent)
    if kept.all():
        return samples, kept, notes
    common = samples & ~missing.any(axis=(0, 2))
    note = remarks.common_rows(int(common.sum()), int(samples.sum()))
    return common, np.ones_like(kept), [note]


GAPS: Mapping[Missing, Callable[[BoolArray, BoolArray], Kept]] = {
    Missing.ERROR: _without_gaps,
    Missing.DROP: _drop,
    Missing.COMMON_ROWS: _common_rows,
    Missing.AVAILABLE: _available,
}
"""What to keep where predictions (R, N, C) are missing; a sample that is absent (R, N, 1) from a
repeat needs none there."""


def _check_alike(missing: BoolArray, path: str) -> None:
    """Refuse lists of samples that differ between configurations, of gaps (R, N, C)."""
    held = ~missing.any(axis=0)
    n_any, n_all = (int(there(held, axis=1).sum()) for there in (np.any, np.all))
    if n_all == n_any:
        return
    sizes = sorted({int(size) for size in held.sum(axis=0)})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    hint = "evaluate all on the same documents"
    raise InputError(
        f"{n_all} of {n_any} documents are common to the {held.shape[1]} configurations, which "
        f"have {each} each",
        path=path,
        hint=f"{hint}; or --missing common-rows, to compare them on the {n_all}" if n_all else hint,
    )


def _refuse_strangers(gaps: BoolArray, names: Sequence[str], path: str) -> None:
    """Refuse a configuration that predicts no sample (R, N, C) that another one predicts."""
    held = ~gaps
    shared = held & (held.sum(axis=2, keepdims=True) > 1)
    alone = np.flatnonzero(~shared.any(axis=(0, 1)))
    if len(names) > 1 and len(alone):
        raise InputError(
            f"configuration {names[alone[0]]!r} predicts no sample that another one predicts",
            path=path,
            hint="the same row_id for the same sample; files that hold parts of the samples need "
            "a column `config`",
        )


def _of_whole_folds(sheet: Sheet, missing: BoolArray) -> bool:
    """True if gaps (R, N, C) begin and end with folds, as those of pruned trials do."""
    fold = sheet.roles.get("fold")
    if fold is None or len(fold.nulls):
        return False
    folds = fold.codes()[0][sheet.rows[:, sheet.usable]]
    for own, there in zip(missing, folds, strict=True):
        for one in np.unique(there):
            gaps = own[there == one]
            if (gaps.any(axis=0) != gaps.all(axis=0)).any():
                return False
    return True


def _nothing_left(missing: BoolArray, path: str) -> InputError:
    """Build the error about predictions (R, N, C) of which every configuration lacks too many."""
    n_samples, n_configurations = missing.shape[1:]
    n_common = int((~missing.any(axis=(0, 2))).sum())
    advice = f"--missing common-rows uses the {n_common} of {n_samples} samples that all predict"
    return InputError(
        f"each of the {n_configurations} configurations lacks too many predictions "
        f"({missing.mean():.0%} of all are missing)",
        path=path,
        hint=advice if n_common else "complete the predictions of at least one configuration",
    )


def _missing(array: FloatArray) -> BoolArray:
    """(R, N, C) whether a prediction, or that of any class, is missing."""
    missing = np.isnan(array)
    return np.asarray(missing.any(axis=3)) if missing.ndim == 4 else missing


def _filled(predictions: Values, gaps: BoolArray) -> Values:
    """Predictions whose gaps (R, N, C) hold one that the same configuration made elsewhere."""
    first = np.argmin(gaps, axis=1)[:, None]  # (R, 1, C): a sample that is predicted
    shown, where = predictions.array, gaps
    if shown.ndim == 4:
        first, where = first[..., None], gaps[..., None]
    known = np.take_along_axis(shown, first, axis=1)
    return replace(predictions, array=np.where(where, known, shown), available=~gaps)


def _select(predictions: Values, samples: BoolArray, kept: BoolArray) -> Values:
    """Predictions of the kept samples and configurations; not copied where nothing changes."""
    array, names = predictions.array, predictions.configurations
    if not samples.all():
        array = array[:, samples]
    if not kept.all():
        array = array[:, :, kept]
        names = tuple(name for name, keep in zip(names, kept, strict=True) if keep)
    return replace(predictions, array=array, configurations=names)
