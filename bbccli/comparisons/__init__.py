"""Which configuration is better: after selection, of fixed pairs, and across data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bbccli.comparisons.across import compare_across
    from bbccli.comparisons.baseline import AgainstBaseline, against_baseline
    from bbccli.comparisons.families import between_families, families_by
    from bbccli.comparisons.joining import Joined, joined
    from bbccli.comparisons.pairs import compare_pairs
    from bbccli.comparisons.possible_best import best_set
    from bbccli.comparisons.records import Alternative, BestSet, Comparison, Ranks, Verdict

__all__ = [
    "AgainstBaseline",
    "Alternative",
    "BestSet",
    "Comparison",
    "Joined",
    "Ranks",
    "Verdict",
    "against_baseline",
    "best_set",
    "between_families",
    "compare_across",
    "compare_pairs",
    "families_by",
    "joined",
]

_HOME = {
    "AgainstBaseline": "baseline",
    "Alternative": "records",
    "BestSet": "records",
    "Comparison": "records",
    "Joined": "joining",
    "Ranks": "records",
    "Verdict": "records",
    "against_baseline": "baseline",
    "best_set": "possible_best",
    "between_families": "families",
    "compare_across": "across",
    "compare_pairs": "pairs",
    "families_by": "families",
    "joined": "joining",
}


def __getattr__(name: str) -> object:
    # Names are imported when first used: a record need not import every test.
    if name not in _HOME:
        raise AttributeError(f"module 'bbccli.comparisons' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"bbccli.comparisons.{_HOME[name]}"), name)
