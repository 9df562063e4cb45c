"""Checks of the predictions: each configuration by itself, then all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bbccli.inspection.findings import Findings
from bbccli.matrix import PredictionMatrix
from bbccli.notes import listing
from bbccli.outcome import Outcome
from bbccli.prediction_forms import PLURAL
from bbccli.readers.arrow import is_text
from bbccli.readers.assemble import Parts, outcome_of, samples_of, shaped_of
from bbccli.readers.predictions import interpret
from bbccli.readers.raw import RawPredictions, read_predictions, text_fault
from bbccli.types import FloatArray, IntArray, PredictionKind, Task


def check_columns(findings: Findings, parts: Parts) -> RawPredictions | None:
    """Read every column of predictions by itself, and note each that can't be used.

    Returns
    -------
    RawPredictions
        Of the columns that can; None where there is none.
    """
    frame, rows = parts.frame, parts.alignment.rows
    if parts.nested is not None:
        rows = np.arange(frame.n_rows)[None]
    else:
        samples = findings.attempt("coverage", samples_of, parts)
        if samples is None:
            return None
        rows = rows[:, samples]
    names = parts.assignment.configurations
    texts = [name for name in names if is_text(frame.type_of(name))]
    filled = {n for n in names if frame.table.column(n).null_count < frame.n_rows} if texts else ()
    worded = [name for name in texts if name in filled]
    mixed = bool(worded) and len(worded) < len(filled)
    sound = []
    for name in names:
        if mixed and name in worded:
            findings.error("predictions", text_fault(frame.column(name)))
        elif findings.attempt("predictions", read_predictions, frame, (name,), rows) is not None:
            sound.append(name)
    return read_predictions(frame, tuple(sound), rows) if sound else None


def check_outcome(
    findings: Findings, parts: Parts, raw: RawPredictions, task: Task | None, positive: str | None
) -> tuple[Outcome, Mapping[str, Mapping[str, str]]] | None:
    """Tell task and classes; note an outcome that is none, or whose classes are not predicted."""
    samples = samples_of(parts)
    return findings.attempt("outcome", outcome_of, parts, raw, samples, task, positive)


def check_meaning(
    findings: Findings,
    raw: RawPredictions,
    outcome: Outcome,
    shaped: Mapping[str, Mapping[str, str]],
) -> None:
    """Note every configuration that is no prediction of this task."""
    groups = {name: tuple(own.values()) for name, own in shaped.items()}
    groups = groups or {name: (name,) for name in raw.names}
    places = {name: place for place, name in enumerate(raw.names)}
    for name, columns in groups.items():
        if all(column in places for column in columns):
            own = {name: shaped[name]} if shaped else {}
            part = _some(raw, [places[column] for column in columns])
            findings.attempt("predictions", interpret, part, outcome, own)


def check_kind(findings: Findings, matrix: PredictionMatrix) -> None:
    """Tell what the predictions are, and why they are no probabilities when they nearly are."""
    shown, kind = matrix.predictions, matrix.kind
    numbers = f"{PLURAL[kind]}, all finite" if kind is not PredictionKind.LABEL else PLURAL[kind]
    if kind is not PredictionKind.SCORE or matrix.task is Task.SURVIVAL:
        findings.passed("predictions", numbers)
        return
    outside = float(((shown < 0) | (shown > 1)).mean())
    off = float((np.abs(shown.sum(axis=-1) - 1) > 1e-3).mean()) if shown.ndim == 4 else 0.0
    if 0 < outside < ALMOST:
        findings.warn(
            "predictions",
            f"{outside:.2%} of the predictions are outside 0 and 1: all are taken as scores",
            "correct them if they are meant as probabilities",
        )
    elif not outside and off:
        findings.warn(
            "predictions",
            f"{off:.1%} of the rows of class probabilities do not sum to 1: taken as scores",
            "normalise them if they are meant as probabilities",
        )
    else:
        findings.passed("predictions", numbers)


ALMOST = 0.05
"""Share of predictions out of range up to which they may be meant as probabilities."""


def missing_by_configuration(parts: Parts) -> tuple[tuple[str, int], ...]:
    """Return the predictions that each configuration lacks, in file order."""
    frame, rows = parts.frame, parts.alignment.rows
    placed = np.arange(frame.n_rows) if parts.nested is not None else rows[rows >= 0]
    counts = []
    for configuration, columns in _owned(parts).items():
        lacking = np.zeros(frame.n_rows, bool)
        for name in columns:
            lacking[frame.column(name).nulls] = True
        counts.append((configuration, int(lacking[placed].sum())))
    return tuple(counts)


def check_missing(
    findings: Findings, parts: Parts, counts: Sequence[tuple[str, int]], matrix: PredictionMatrix
) -> None:
    """Tell which configurations lack predictions."""
    lacking = [f"{name} ({count})" for name, count in counts if count]
    if lacking:
        findings.warn(
            "missing",
            f"{len(lacking)} of {len(counts)} configurations lack predictions: {listing(lacking)}; "
            f"{matrix.n_configurations} are left",
            "complete them, or see --missing",
        )
    else:
        findings.passed("missing", "every configuration predicts every sample")


def _owned(parts: Parts) -> Mapping[str, Sequence[str]]:
    """Columns of each configuration."""
    shaped = shaped_of(parts)
    if shaped:
        return {name: tuple(own.values()) for name, own in shaped.items()}
    return {name: (name,) for name in parts.assignment.configurations}


def _some(raw: RawPredictions, chosen: Sequence[int]) -> RawPredictions:
    """Keep some columns, by their places."""
    numbers: FloatArray | None = None if raw.numbers is None else raw.numbers[:, :, chosen]
    texts = tuple(raw.texts[i] for i in chosen) if raw.texts else ()
    rows: IntArray = raw.rows
    if texts and not any(column.is_text for column in texts):  # an empty column beside text
        numbers, texts = np.full((*rows.shape, len(texts)), np.nan), ()
    return RawPredictions(raw.path, tuple(raw.names[i] for i in chosen), numbers, texts, rows)
