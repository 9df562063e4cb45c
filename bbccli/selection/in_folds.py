"""A scorer on each fold of one repeat."""

from __future__ import annotations

import numpy as np

from bbccli.metrics.base import Scorer
from bbccli.selection.pooling import members_of, runs_of
from bbccli.types import FloatArray, IntArray, distinct


def scored_in_folds(scorer: Scorer, folds: IntArray) -> FloatArray:
    """Return the performances (F, C) in folds (N,).

    They are scored run by run of the folds, so that no fold looks through all samples.
    Sums over parts of the samples are made configuration by configuration where the scorer can, so
    that they are the same whatever configurations are bound together.
    """
    in_parts = getattr(scorer, "in_parts", None)
    if in_parts is not None:
        found: FloatArray = in_parts(members_of(folds))
        return found
    parts = []
    for some in runs_of(members_of(folds)):
        inside = np.zeros(len(folds), bool)
        inside[np.concatenate(some)] = True
        run, of_run = (scorer, folds) if inside.all() else (scorer.restrict(inside), folds[inside])
        parts.append(run((of_run == distinct(of_run)[:, None]).astype(np.uint8)))
    return np.vstack(parts)
