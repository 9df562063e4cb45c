"""Incomplete cross-validation: samples to leave out, configurations to drop."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import Note
from bbccli.readers import remarks
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray, Missing


@dataclass(frozen=True, slots=True)
class Completed:
    """Predictions without a gap, the samples (N,) that were kept, and what to say about it."""

    predictions: Predictions
    samples: BoolArray
    notes: tuple[Note, ...]


def complete(predictions: Predictions, n_absent: int, path: str, *, policy: Missing) -> Completed:
    """Leave out samples without any prediction, and deal with gaps in the others.

    Configurations with gaps are dropped (`drop`), or only samples that all configurations predict
    are kept (`common-rows`).

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), NaN where missing.
    n_absent
        Samples left out before, because a repeat lacks their row.
    path
        File, for messages.
    policy
        What is done about gaps.

    Raises
    ------
    InputError
        A gap, when the policy is `error`; nothing left.
    """
    missing = _missing(predictions.array)
    n_samples, n_configurations = missing.shape[1:]
    samples = np.asarray(~missing.all(axis=2).any(axis=0))
    kept = np.asarray(~missing[:, samples].any(axis=(0, 1)))
    notes: list[Note] = []
    if policy is Missing.COMMON_ROWS and not kept.all():
        common = samples & ~missing.any(axis=(0, 2))
        notes.append(remarks.common_rows(int(common.sum()), int(samples.sum())))
        samples, kept = common, np.ones(n_configurations, bool)
    n_left_out = n_absent + int(missing.all(axis=2).any(axis=0).sum())
    if n_left_out:
        notes.append(remarks.samples_left_out(n_left_out, n_samples + n_absent))
    if not kept.all():
        dropped = [n for n, k in zip(predictions.configurations, kept, strict=True) if not k]
        notes.append(remarks.configurations_dropped(dropped, n_configurations))
    if policy is Missing.ERROR and notes:
        hint = f"{notes[0].remedy}, or --missing drop, or --missing common-rows"
        raise InputError(notes[0].text, path=path, hint=hint)
    if not samples.any() or not kept.any():
        raise _nothing_left(missing, path)
    return Completed(_select(predictions, samples, kept), samples, tuple(notes))


def _nothing_left(missing: BoolArray, path: str) -> InputError:
    """Build the error about predictions (R, N, C) of which every configuration lacks some."""
    n_samples, n_configurations = missing.shape[1:]
    n_common = int((~missing.any(axis=(0, 2))).sum())
    advice = f"--missing common-rows uses the {n_common} of {n_samples} samples that all predict"
    return InputError(
        f"each of the {n_configurations} configurations lacks predictions "
        f"({missing.mean():.0%} of all are missing)",
        path=path,
        hint=advice if n_common else "complete the predictions of at least one configuration",
    )


def _missing(array: FloatArray) -> BoolArray:
    """(R, N, C) whether a prediction, or that of any class, is missing."""
    missing = np.isnan(array)
    return np.asarray(missing.any(axis=3)) if missing.ndim == 4 else missing


def _select(predictions: Predictions, samples: BoolArray, kept: BoolArray) -> Predictions:
    """Predictions of the kept samples and configurations; not copied where nothing changes."""
    array, names = predictions.array, predictions.configurations
    if not samples.all():
        array = array[:, samples]
    if not kept.all():
        array = array[:, :, kept]
        names = tuple(name for name, keep in zip(names, kept, strict=True) if keep)
    return replace(predictions, array=array, configurations=names)
