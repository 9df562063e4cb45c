"""The variants to judge: methods with intervals. Those that this version lacks are left out.

A new interval, and a new method of the main ones, joins by its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bbccli.methods import METHODS
from bbccli.methods.base import POINT, Gives
from bbccli.stats.intervals import INTERVALS
from bbccli.types import IntervalKind, Pooling

MAIN_METHODS = ("bbc", "bbc-632", "bbc-eb")
"""Judged with every interval on the main search."""

ON_EVERY_SEARCH = {
    "bbc": ("percentile", "calibrated"),
    "bbc-632": ("percentile",),
    "bbc-eb": ("percentile", "calibrated"),
}
"""Judged on the small and the large search too, as are the points."""

AT_EVERY_LEVEL = ("bbc", "bbc-eb")

POINTS = ("cvt", "tt", "nested-selection", "cvm-cv")
OTHERS = ("bbc-632plus", "bbc-f", "bbcd", "naive", "t-folds", "t-corrected", "influence")

ON_SIMULATIONS = (
    *("wmc", "wmcs", "naive-f", "delong", "delong-10p", "hanley-mcneil", "hanley-mcneil-10p"),
    *("tilting", "tilting-10p", "mabt", "wald", "wilson", "clopper-pearson", "jeffreys"),
)
"""Shown to compare with the literature."""

OF_NESTED = {"ncv": "", "ncv-interval": "own"}
"""Methods for nested predictions, with the name of their interval."""

ON_NESTED = (
    *OF_NESTED.items(),
    ("bbc", "percentile"),
    ("bbc", "calibrated"),
    ("naive", "percentile"),
    ("t-corrected", "own"),
)
"""Variants to judge on nested predictions."""

ON_TEN_FOLDS = (
    *((method, kind) for method in MAIN_METHODS for kind in ("percentile", "sharp")),
    ("bbc-f", "percentile"),
    *((method, "") for method in POINTS),
)
"""Variants to judge on studies of 10 folds."""

PUBLISHED = "bbc published"
"""BBC without the size correction."""

DEFAULT = "bbc", "percentile"
"""Reference of the others: percentiles, with the guard."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A method under a changed plan.

    Parameters
    ----------
    method, interval
        As they are called in the store.
    changes
        Of the plan.
    everywhere
        Whether it is judged on every search; else on the main one.
    every_level
        Whether it is judged at every level on the main search; else at 95%.
    always
        Whether it is judged on the metrics and sizes of which a few variants are.
    sized
        Whether it is judged on metrics alone that `bbc` corrects for the size of resamples.
    simulated
        Whether it is judged on simulated settings alone.
    """

    method: str
    interval: str
    changes: dict[str, Any] = field(default_factory=dict, compare=False)
    everywhere: bool = False
    every_level: bool = False
    always: bool = False
    sized: bool = False
    simulated: bool = False

    @property
    def runs(self) -> str:
        """Name of the method that is run."""
        return self.method.split(" ")[0]

    @property
    def key(self) -> tuple[str, str]:
        """Its key in the store."""
        return self.method, self.interval


def variants() -> list[Variant]:
    """All variants that this version has."""
    return [one for one in _all() if one.runs in METHODS]


def _all() -> Iterator[Variant]:
    for method in MAIN_METHODS:
        for kind in INTERVALS:
            everywhere = kind in ON_EVERY_SEARCH.get(method, ())
            levels = kind is not IntervalKind.T and method in AT_EVERY_LEVEL
            yield Variant(method, str(kind), {"interval": kind}, everywhere, levels, always=True)
    yield Variant(PUBLISHED, "percentile", {"size_correction": False}, always=True, sized=True)
    for kind in (IntervalKind.PERCENTILE, IntervalKind.MATCHED):
        yield Variant("bbc", f"{kind}, no guard", {"interval": kind, "guard": False})
    within = {"pooling": Pooling.WITHIN_FOLDS}
    yield Variant("bbc within-folds", "percentile", within)
    for method in POINTS:
        yield Variant(method, "", everywhere=True, always=method in ("cvt", "tt"))
    for method, interval in OF_NESTED.items():
        yield Variant(method, interval)
    for method in (*OTHERS, *ON_SIMULATIONS):
        gives = METHODS[method].gives if method in METHODS else POINT
        drawn, has_interval = Gives.DISTRIBUTION in gives, Gives.INTERVAL in gives
        interval = "percentile" if drawn else "own" if has_interval else ""
        yield Variant(method, interval, simulated=method in ON_SIMULATIONS)
