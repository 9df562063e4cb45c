"""Percentiles of the scores of the resamples, as in the papers: the default.

An end is one of the B scores only if a · B ≥ 1 (a/2 · B of two ends): 40 resamples at level 0.95,
200 at 0.99. With fewer it is the most extreme one ([few-resamples](notes.md#few-resamples)).

Source: Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section
2.3.
"""

from __future__ import annotations

from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import Basis, Construction, within_bounds


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Distribution:
    """Return the distribution as it was drawn, within the bounds."""
    return within_bounds(drawn, bounds)


INTERVAL = Construction(law)
