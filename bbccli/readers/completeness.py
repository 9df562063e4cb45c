"""Incomplete cross-validation: samples to leave out, configurations to drop."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bbccli.errors import InputError
from bbccli.notes import Note
from bbccli.readers import remarks
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class Completed:
    """Predictions without a gap, the samples (N,) that were kept, and what to say about it."""

    predictions: Predictions
    samples: BoolArray
    notes: tuple[Note, ...]


def complete(predictions: Predictions, n_absent: int, path: str, *, strict: bool) -> Completed:
    """Leave out samples without any prediction, drop configurations with gaps in the others.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), NaN where missing.
    n_absent
        Samples left out before, because a repeat lacks their row.
    path
        File, for messages.
    strict
        Whether a gap is an error.

    Raises
    ------
    InputError
        A gap, when `strict`; gaps in every configuration.
    """
    missing = _missing(predictions.array)
    n_samples, n_configurations = missing.shape[1:]
    samples = np.asarray(~missing.all(axis=2).any(axis=0))
    kept = np.asarray(~missing[:, samples].any(axis=(0, 1)))
    notes: list[Note] = []
    n_left_out = n_absent + n_samples - int(samples.sum())
    if n_left_out:
        notes.append(remarks.samples_left_out(n_left_out, n_samples + n_absent))
    if not kept.all():
        dropped = [n for n, k in zip(predictions.configurations, kept, strict=True) if not k]
        notes.append(remarks.configurations_dropped(dropped, n_configurations))
    if strict and notes:
        raise InputError(notes[0].text, path=path, hint=f"{notes[0].remedy}, or drop --strict")
    if not samples.any() or not kept.any():
        raise InputError(
            f"each of the {n_configurations} configurations lacks predictions",
            path=path,
            hint="complete the predictions of at least one configuration",
        )
    return Completed(_select(predictions, samples, kept), samples, tuple(notes))


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
