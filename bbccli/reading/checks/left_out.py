"""Configurations that are left out because they lack predictions, though none is better."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import BbcError
from bbccli.metrics import default_metric
from bbccli.notes import Note, lacking
from bbccli.platform.rounding import figure
from bbccli.reading.missing import FEWEST, missing_in
from bbccli.reading.predictions import Values
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import BoolArray, Pooling

MOST_CELLS = 2**24
"""Predictions up to which configurations that were left out are scored."""


def check_left_out(
    every: Values, kept: Values, samples: BoolArray, outcome: Outcome
) -> Iterator[Note]:
    """Yield a note on the configuration that outscores all others on the samples that it predicts.

    `every` are the predictions (R, N, C[, K]) of all configurations, NaN where missing; `samples`
    (N,) those that are kept. Only configurations that predict enough samples to be scored are
    compared, by the metric of the task.
    """
    array, names = every.array, every.configurations
    staying_names = {*kept.configurations}
    lost = [c for c, name in enumerate(names) if name not in staying_names]
    if not lost or kept.available is not None or array.size > MOST_CELLS:
        return
    missing = np.asarray(missing_in(array).any(axis=0))
    staying = [c for c in range(len(names)) if c not in lost]
    shares = 1 - missing[samples].mean(axis=0)
    stubs = [names[c] for c in lost if shares[c] < FEWEST]
    notes: dict[float, Note] = {}
    for c in (c for c in lost if shares[c] >= FEWEST):
        rows = samples & ~missing[:, c]
        part = array[:, rows][:, :, [*staying, c]]
        some = tuple(names[i] for i in (*staying, c))
        try:
            matrix = PredictionMatrix(
                outcome=outcome.take(rows), predictions=part, configurations=some, kind=every.kind
            )
            metric = default_metric(matrix)
            performances = Candidates(matrix, metric, Pooling.POOLED).performances()
        except BbcError:  # a metric that is undefined here, or a task without one
            continue
        sign = metric.direction.sign
        ahead = float(sign * performances[-1] - np.fmax.reduce(sign * performances[:-1]))
        if not ahead > 0:
            continue
        scored, counts = f"{metric.label} {figure(performances[-1])}", (rows.sum(), samples.sum())
        note = lacking.best_left_out(names[c], scored, *counts, stubs, higher=sign > 0)
        notes.setdefault(ahead, note)
    if notes:
        yield notes[max(notes)]
