"""Percentiles of the performances, the papers' interval and the default.

With the B performances in order, L(1) <= ... <= L(B), and a = 1 - level, the ends are order
statistics: see the table above.

Source: Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section
2.3.
"""

from __future__ import annotations

from bbccli.intervals.base import Basis, Construction, within
from bbccli.results import Distribution


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Distribution:
    """Return the distribution as it was drawn, within the bounds."""
    return within(drawn, bounds)


INTERVAL = Construction(law)
