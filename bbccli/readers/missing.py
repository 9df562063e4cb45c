"""Incomplete cross-validation: samples to leave out, configurations to drop, gaps to live with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bbccli.core.notes import Note, counted, remarks
from bbccli.errors import InputError
from bbccli.readers.predictions import Values
from bbccli.readers.sheet import Sheet
from bbccli.types import BoolArray, FloatArray, Missing

FEWEST = 0.5
"""Share of the samples that a configuration must predict to be scored on what it predicts."""

MOST_LACKING = 0.2
"""Share of the items that may have no score by a configuration: they are rarely like the others."""


def complete(
    sheet: Sheet, predictions: Values, policy: Missing | None, there: BoolArray | None
) -> tuple[Values, BoolArray, list[Note]]:
    """Leave out samples without any prediction, and deal with gaps in the others.

    Parameters
    ----------
    sheet
        Samples and folds.
    predictions
        (R, N, C) or (R, N, C, K), NaN where missing. A `ColumnFile` has no gaps.
    policy
        What is done about gaps: a key of `GAPS`. None: configurations with gaps are dropped, and
        scores without a truth are those available.
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
        A gap, when the policy is `error`; nothing left; a configuration that
        shares no sample with another one. Of scores: gaps where all that is there is one value, or
        a configuration with more gaps than `MOST_LACKING` allows.
    """
    if not predictions.in_memory:
        return predictions, np.ones(sheet.n_samples, bool), []
    n_absent, path = sheet.n_samples - len(sheet.usable), sheet.path
    missing = _missing(predictions.array)
    if there is None and not n_absent and not missing.any():
        return predictions, np.ones(sheet.n_samples, bool), []
    absent = np.zeros((*missing.shape[:2], 1), bool) if there is None else ~there[:, :, None]
    missing &= ~absent
    policy = policy or (Missing.AVAILABLE if sheet.scored else Missing.DROP)
    on_epochs: list[Note] = []
    if sheet.scored and sheet.unfinished is None:
        predictions, missing, on_epochs = _of_items(predictions, missing, policy, path)
    samples, kept, notes = GAPS[policy](missing, absent)
    notes = [*on_epochs, *notes]
    n_left_out = n_absent + int(missing.all(axis=2).any(axis=0).sum())
    if n_left_out:
        notes.append(remarks.samples_left_out(n_left_out, sheet.n_samples, len(missing)))
    if not kept.all():
        dropped = [n for n, k in zip(predictions.configurations, kept, strict=True) if not k]
        stopped = _of_whole_folds(sheet, missing[:, :, ~kept])
        notes.append(remarks.configurations_dropped(dropped, len(kept), stopped=stopped))
    gaps = missing[:, samples][:, :, kept]
    if gaps.any() and sheet.scored:
        names = [predictions.configurations[c] for c in np.flatnonzero(kept)]
        notes.append(remarks.items_lacking(names, gaps[0].sum(axis=0).tolist(), gaps.shape[1]))
    elif gaps.any():
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


def _of_items(
    predictions: Values, missing: BoolArray, policy: Missing, path: str
) -> tuple[Values, BoolArray, list[Note]]:
    """Give items the mean of their epochs (R, N, C), and refuse what means can't mend.

    Returns scores, what is still missing, in all epochs alike, and notes.
    """
    _refuse_one_value(predictions, missing, path)
    if policy is Missing.ERROR:
        return predictions, missing, []
    predictions, missing, notes = _over_epochs(predictions, missing)
    _, complete_ones, _ = _without_gaps(missing, missing)
    if policy is Missing.AVAILABLE or (policy is Missing.DROP and not complete_ones.any()):
        _check_lacking(predictions, missing, path)
    return predictions, missing, notes


def _refuse_one_value(predictions: Values, missing: BoolArray, path: str) -> None:
    """Refuse gaps (R, N, C) among scores that are all the same, as where successes alone are."""
    known = predictions.array[~missing]
    if missing.any() and len(known) and known.min() == known.max():
        raise InputError(
            f"every score is {known[0]:g}, and {missing.sum()} of {missing.size} are missing: "
            "are items left out that were not solved?",
            path=path,
            hint="a score for every item and configuration: 0 for what was not solved",
        )


def _check_lacking(predictions: Values, missing: BoolArray, path: str) -> None:
    """Refuse configurations that can't be scored on the items that they have.

    They lack more of the items (R, N, C) that any has than `MOST_LACKING` allows; or they lack
    some, and have the best score on all others. What has no score at all is left out later.
    """
    gaps = missing[0, ~missing[0].all(axis=1)]
    n_items, lacking = len(gaps), gaps.sum(axis=0)
    some = (lacking > 0) & (lacking < n_items)
    scores = np.where(missing, -np.inf, predictions.array)
    lowest = np.where(missing, np.inf, predictions.array).min(axis=(0, 1))
    for wrong, problem in (
        (
            some & (lacking > MOST_LACKING * n_items),
            f"more than {MOST_LACKING:.0%} of the items have no score",
        ),
        (some & (lowest == scores.max()), "items have no score, and all others the highest one"),
    ):
        if wrong.any():
            n_common = int((~gaps[:, lacking < n_items].any(axis=1)).sum())
            hint = "a score for every item, 0 for what was not solved"
            hint += f"; --missing common-rows uses the {n_common} that all have" * bool(n_common)
            hint += "; --missing drop leaves out configurations that lack any" * (not some.all())
            counts = np.where(wrong, lacking, 0).tolist()
            text = counted(predictions.configurations, counts, n_items)
            raise InputError(f"{problem}: {text}", path=path, hint=hint)


def _over_epochs(predictions: Values, missing: BoolArray) -> tuple[Values, BoolArray, list[Note]]:
    """Put the mean of an item's other epochs in the place of scores (R, N, C) that are missing.

    So the mean over epochs is that of the epochs that there are, and an item is missing only where
    it has none.
    """
    none = np.broadcast_to(missing.all(axis=0), missing.shape)
    gaps = missing & ~none
    if not gaps.any():
        return predictions, missing, []
    n_scores = np.maximum((~missing).sum(axis=0), 1)
    means = np.where(missing, 0, predictions.array).sum(axis=0) / n_scores
    n_each = missing.shape[0] * missing.shape[1]
    note = remarks.epochs_missing(
        predictions.configurations, gaps.sum(axis=(0, 1)).tolist(), n_each
    )
    return replace(predictions, array=np.where(gaps, means, predictions.array)), none, [note]


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
