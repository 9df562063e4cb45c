"""Measured coverage of 95% intervals where models are trained.

Shares of the studies of the bank, both ends, by kind of metric; a test holds them to its store.
"""

from __future__ import annotations

from collections.abc import Mapping

FAMILIES = (
    "shares",
    "pairs",
    "bounded losses",
    "F, MCC, average precision",
    "R2, Spearman",
    "unbounded losses",
)

COVERED: Mapping[tuple[str, str], Mapping[str, float]] = {
    (method, kind): dict(zip(FAMILIES, shares, strict=True))
    for method, kind, *shares in (
        ("bbc", "percentile", 0.993, 0.993, 0.981, 0.991, 0.975, 0.852),
        ("bbc", "matched", 0.918, 0.914, 0.932, 0.929, 0.922, 0.762),
        ("bbc", "calibrated", 0.974, 0.959, 0.972, 0.977, 0.965, 0.848),
        ("bbc", "sharp", 0.941, 0.932, 0.957, 0.95, 0.945, 0.818),
        ("bbc-632", "percentile", 0.994, 0.995, 0.984, 0.99, 0.98, 0.852),
        ("bbc-632", "sharp", 0.986, 0.985, 0.97, 0.976, 0.957, 0.841),
        ("bbc-eb", "percentile", 0.996, 0.996, 0.984, 0.99, 0.981, 0.863),
        ("bbc-eb", "sharp", 0.982, 0.953, 0.971, 0.97, 0.961, 0.852),
    )
}
"""Method and kind of interval -> family of metrics -> share of the studies."""
