"""Comparisons of configurations: after selection, of fixed pairs, and across data sets."""

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
    "across": ("compare_across",),
    "baseline": ("AgainstBaseline", "against_baseline"),
    "families": ("between_families", "families_by"),
    "joining": ("Joined", "joined"),
    "pairs": ("compare_pairs",),
    "possible_best": ("best_set",),
    "records": ("Alternative", "BestSet", "Comparison", "Ranks", "Verdict"),
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # Names are imported when first used: a record need not import every test.
    for module, names in _HOME.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"bbccli.comparisons.{module}"), name)
    raise AttributeError(f"module 'bbccli.comparisons' has no attribute {name!r}")
