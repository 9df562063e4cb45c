"""Draws in fixed blocks, each from its own generator, scored in threads, in order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bbccli import kernels, resources
from bbccli.plan import FIRST_RESAMPLES, Plan
from bbccli.resampling import BLOCK
from bbccli.threads import ordered_map
from bbccli.types import FloatArray

AT_MOST_AUTOMATIC = 10 * FIRST_RESAMPLES
"""Draws where a plan leaves their number open."""


def n_draws(plan: Plan) -> int:
    """Return how many draws a plan asks for; 10,000 at most where their number is automatic.

    Examples
    --------
    >>> n_draws(Plan(n_resamples=500)), n_draws(Plan(n_resamples=100_000, tolerance=0.001))
    (500, 10000)
    """
    if plan.tolerance is None:
        return plan.n_resamples
    return min(plan.n_resamples, AT_MOST_AUTOMATIC)


def over_blocks(
    n_rows: int,
    score: Callable[[int, int, int], FloatArray],
    n_cells: int,
    *,
    block: int = BLOCK,
) -> FloatArray:
    """Apply a function to blocks of rows, each with its number, first row and end: (B,) or (B, M).

    What a block gives must depend on its number and rows alone; so the result does not depend on
    the threads.

    Parameters
    ----------
    n_cells
        Weights times sweeps: how much work it is, for the choice of the kernels.
    block
        Rows of each.
    """
    starts = range(0, n_rows, block)
    with resources.use(kernels.decide(n_cells)) as settled:
        parts = ordered_map(
            lambda start: score(start // block, start, min(start + block, n_rows)),
            starts,
            settled.jobs,
        )
        return np.concatenate(list(parts))
