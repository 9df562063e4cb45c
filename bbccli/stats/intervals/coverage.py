"""How often 95 % intervals covered the true value where models are trained.

Shares of the studies of the bank, both ends, by kind of metric; a test holds them to its store.
"""

from __future__ import annotations

from collections.abc import Mapping

COVERED: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("bbc", "percentile"): {},
}
"""Method and kind of interval -> family of metrics -> share of the studies."""
