"""How often 95 % intervals covered the true value where models are trained.

Shares of the studies of the bank, both ends, by kind of metric; a test holds them to its store.
"""

from __future__ import annotations

from collections.abc import Mapping

COVERED: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("bbc", "percentile"): {
        "shares": 0.993,
        "pairs": 0.993,
        "bounded losses": 0.979,
        "F, MCC, average precision": 0.991,
        "R2, Spearman": 0.972,
        "unbounded losses": 0.852,
    },
    ("bbc", "matched"): {
        "shares": 0.915,
        "pairs": 0.911,
        "bounded losses": 0.929,
        "F, MCC, average precision": 0.927,
        "R2, Spearman": 0.924,
        "unbounded losses": 0.76,
    },
    ("bbc", "calibrated"): {
        "shares": 0.973,
        "pairs": 0.958,
        "bounded losses": 0.971,
        "F, MCC, average precision": 0.976,
        "R2, Spearman": 0.963,
        "unbounded losses": 0.846,
    },
    ("bbc", "sharp"): {
        "shares": 0.939,
        "pairs": 0.931,
        "bounded losses": 0.955,
        "F, MCC, average precision": 0.948,
        "R2, Spearman": 0.948,
        "unbounded losses": 0.816,
    },
    ("bbc-632", "percentile"): {
        "shares": 0.995,
        "pairs": 0.994,
        "bounded losses": 0.983,
        "F, MCC, average precision": 0.99,
        "R2, Spearman": 0.979,
        "unbounded losses": 0.851,
    },
    ("bbc-632", "sharp"): {
        "shares": 0.986,
        "pairs": 0.985,
        "bounded losses": 0.967,
        "F, MCC, average precision": 0.975,
        "R2, Spearman": 0.959,
        "unbounded losses": 0.84,
    },
    ("bbc-eb", "percentile"): {
        "shares": 0.996,
        "pairs": 0.996,
        "bounded losses": 0.983,
        "F, MCC, average precision": 0.99,
        "R2, Spearman": 0.979,
        "unbounded losses": 0.863,
    },
    ("bbc-eb", "sharp"): {
        "shares": 0.981,
        "pairs": 0.952,
        "bounded losses": 0.968,
        "F, MCC, average precision": 0.97,
        "R2, Spearman": 0.963,
        "unbounded losses": 0.851,
    },
}
"""Method and kind of interval -> family of metrics -> share of the studies."""
