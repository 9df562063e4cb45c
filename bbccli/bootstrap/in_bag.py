"""The performances of any configurations in the bags of BBC's resamples, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli import kernels, resources
from bbccli.bootstrap.by_columns import only
from bbccli.bootstrap.drawing import Drawing
from bbccli.bootstrap.of_samples import selections
from bbccli.case import Case
from bbccli.resampling import BLOCK, draws_of
from bbccli.resources import Engine
from bbccli.selection.candidates import Candidates
from bbccli.types import FloatArray, IntArray

Inside = Iterator[tuple[IntArray, FloatArray]]
"""Configurations (C',) and their performances (B, C') in the bags; NaN where undefined."""


def inside(case: Case, candidates: Candidates, columns: IntArray, n_resamples: int) -> Inside:
    """Yield the performances of some configurations in the first B bags that BBC used.

    What the selection kept of them is not scored again.

    Parameters
    ----------
    candidates
        The configurations under the metric that is asked for: that of the case which selects, or
        the one that measures.
    columns : (C',) int
        Which configurations, ascending.
    n_resamples
        B, of `out_of_bag`.

    Notes
    -----
    Memory O(B C') of a block, which is bounded. Time 0, or that of the selection on the columns.
    """
    found = selections(case)
    width = max(resources.current().memory // (32 * n_resamples), 1)
    kept = found.in_bags() if candidates.metric is case.selector else None
    if kept is not None:
        for part in _parts(columns, width):
            yield part, kept[:n_resamples, part]
        return
    blocks = candidates.blocks()
    width = min(width, len(blocks[0]))
    draws = draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed)
    ordinals = found.ordinals[:n_resamples]
    n_blocks = int(ordinals[-1]) // BLOCK + 1
    share = max(candidates.n_sweeps // candidates.n_configurations, 1)
    with resources.use(kernels.decide(draws.n_weights * n_resamples * share * len(columns))):
        drawing = Drawing.of(draws, 0, n_blocks)
        if candidates.swept and resources.current().engine is Engine.NUMPY:
            drawing = drawing.in_one_thread()  # as where they are selected
        for part in _parts(columns, width):
            yield part, _scored(candidates, part, len(blocks), drawing, ordinals)


def _scored(
    candidates: Candidates, columns: IntArray, n_blocks: int, drawing: Drawing, ordinals: IntArray
) -> FloatArray:
    """Performances (B, C') of some columns in the bags with these ordinals (B,)."""
    # what is bound as a whole is bound already
    bound = np.arange(candidates.n_configurations) if n_blocks == 1 else columns
    scorer, places = candidates.bind(bound), columns if n_blocks == 1 else np.arange(len(columns))
    return np.concatenate(
        list(drawing.over(lambda drawn: scorer(only(ordinals, drawn).in_bag, places)))
    )


def _parts(columns: IntArray, width: int) -> list[IntArray]:
    return [columns[start : start + width] for start in range(0, len(columns), width)]
