"""How often 95 % intervals covered the true value where models are trained.

Shares of the studies of the bank, both ends, by kind of metric; a test holds them to its store.
"""

from __future__ import annotations

from collections.abc import Mapping

COVERED: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("bbc", "percentile"): {
        "shares": 0.993,
        "pairs": 0.993,
        "bounded losses": 0.981,
        "F, MCC, average precision": 0.991,
        "R2, Spearman": 0.975,
        "unbounded losses": 0.852,
    },
    ("bbc", "matched"): {
        "shares": 0.918,
        "pairs": 0.914,
        "bounded losses": 0.932,
        "F, MCC, average precision": 0.929,
        "R2, Spearman": 0.922,
        "unbounded losses": 0.762,
    },
    ("bbc", "calibrated"): {
        "shares": 0.974,
        "pairs": 0.959,
        "bounded losses": 0.972,
        "F, MCC, average precision": 0.977,
        "R2, Spearman": 0.965,
        "unbounded losses": 0.848,
    },
    ("bbc", "sharp"): {
        "shares": 0.941,
        "pairs": 0.932,
        "bounded losses": 0.957,
        "F, MCC, average precision": 0.95,
        "R2, Spearman": 0.945,
        "unbounded losses": 0.818,
    },
    ("bbc-632", "percentile"): {
        "shares": 0.994,
        "pairs": 0.995,
        "bounded losses": 0.984,
        "F, MCC, average precision": 0.99,
        "R2, Spearman": 0.98,
        "unbounded losses": 0.852,
    },
    ("bbc-632", "sharp"): {
        "shares": 0.986,
        "pairs": 0.985,
        "bounded losses": 0.97,
        "F, MCC, average precision": 0.976,
        "R2, Spearman": 0.957,
        "unbounded losses": 0.841,
    },
    ("bbc-eb", "percentile"): {
        "shares": 0.996,
        "pairs": 0.996,
        "bounded losses": 0.984,
        "F, MCC, average precision": 0.99,
        "R2, Spearman": 0.981,
        "unbounded losses": 0.863,
    },
    ("bbc-eb", "sharp"): {
        "shares": 0.982,
        "pairs": 0.953,
        "bounded losses": 0.971,
        "F, MCC, average precision": 0.97,
        "R2, Spearman": 0.961,
        "unbounded losses": 0.852,
    },
}
"""Method and kind of interval -> family of metrics -> share of the studies."""
