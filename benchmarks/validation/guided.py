"""What is left of the optimism where scores guide the search, and what the notes say of it."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from bbccli import METHODS, METRICS, Plan, PredictionMatrix
from bbccli.stats.guidance import Guidance, standing_of
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.listed import AXES, GRIDS, halving, listed, tree_of_prompts
from benchmarks.validation.page import table
from benchmarks.validation.searched import (
    BOOSTING,
    SVM,
    Found,
    Switches,
    at_random,
    climbing,
    forward,
    genetic,
    instructed,
    redrawn,
    tpe,
    trained,
)
from benchmarks.validation.summary import mean_of, share_of

PLAN = Plan(n_resamples=200)


@dataclass(frozen=True)
class Cell:
    """A kind of search: how one is made."""

    key: str
    make: Callable[[np.random.Generator], Found]
    n_repetitions: int = 40


@dataclass(frozen=True)
class List:
    """A list of configurations, scored by their AUC or, every other time, by accuracy."""

    key: str
    make: Callable[[np.random.Generator, bool], tuple[PredictionMatrix, str]]
    n_repetitions: int = 40


def of_models(key: str, search: Any, space: Any, *shape: float) -> Cell:
    """`shape`: samples, features, tries, and how strong the signal is."""
    return Cell(key, lambda rng: trained(rng, search, space, *shape))  # type: ignore[arg-type]


def cells() -> list[Cell]:
    """Subsets of features, SVMs and prompts."""
    subsets = [
        (search, p, n, c)
        for n, p, c, searches in (
            (100, 20, 100, (climbing,)),
            (100, 30, 100, (tpe, climbing)),
            (100, 100, 150, (at_random, climbing, genetic)),
            (100, 100, 240, (forward,)),
            (300, 100, 150, (climbing,)),
        )
        for search in searches
    ]
    prompts = [
        Cell(f"{name}, {kind}", lambda rng, k=kind, make=make, more=more: make(rng, k, *more))
        for name, make, more in (
            ("prompts, answers redrawn, N=200", redrawn, (200, 100, 0.1)),
            ("prompts, instructions, N=200", instructed, (200, 100)),
        )
        for kind in ("any", "pareto", "best five", "best")
    ]
    return [
        *(
            of_models(f"{p} switches, N={n}, {s.__name__}", s, Switches(p), n, p, c, 1.0)
            for s, p, n, c in subsets
        ),
        of_models("SVM of 4, N=100, at_random", at_random, SVM, 100, 8, 70, 1.0),
        of_models("SVM of 4, N=100, tpe", tpe, SVM, 100, 8, 70, 1.0),
        *prompts,
        *(
            of_models(f"weak: {name}, N=100", at_random, space, 100, p, 70, signal)
            for name, space, p, signal in (
                ("100 switches, no signal", Switches(100), 100, 0.0),
                ("300 switches", Switches(300), 300, 1.0),
                ("SVM of 4, no signal", SVM, 8, 0.0),
            )
        ),
    ]


def boosting_cells() -> list[Cell]:
    """Boosting with six hyperparameters."""
    return [
        of_models(f"boosting of 6, N=100, {s.__name__}", s, BOOSTING, 100, 10, 60, 1.0)
        for s in (at_random, tpe)
    ]


def lists() -> list[List]:
    """Axes, grids, halving, and unguided trees of prompts."""
    return [
        *(
            List(key, lambda rng, accuracy, one=one: listed(rng, *one, accuracy))
            for key, one in (AXES | GRIDS).items()
        ),
        List("halving", halving),
        List("prompts of any parent", tree_of_prompts),
    ]


def told(matrix: PredictionMatrix, metric: str) -> dict[str, float]:
    """Return what the order tells."""
    found = standing_of(matrix, METRICS[metric], PLAN) or Guidance(0.5, 0.0, 0.5)
    return {"standing": found.mean, "distance": found.distance, "lead": found.lead}


def repetition(setting: Cell, number: int) -> Result:
    """Return errors, too good is positive, whether the interval holds the truth, and the order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = setting.make(np.random.default_rng([52, crc32(setting.key.encode()), number]))
        estimate = METHODS["bbc"].run(found.matrix, METRICS[found.metric], PLAN)
        truth = found.truth(found.matrix.configurations.index(estimate.winner))
        return {
            "truth": truth,
            "naive": estimate.naive - truth,
            "bbc": estimate.value - truth,
            "in": int(estimate.interval.lower <= truth <= estimate.interval.upper),
            **told(found.matrix, found.metric),
        }


def of_list(setting: List, number: int) -> Result:
    """Return what the order of a list tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rng = np.random.default_rng([53, crc32(setting.key.encode()), number])
        return told(*setting.make(rng, number % 2 == 1))


def block(stores: Sequence[Kept]) -> str:
    """Errors and notes of each kind of search."""
    rows: list[Row] = []
    for store, settings in zip(stores, (cells(), boosting_cells()), strict=True):
        for setting in settings:
            kept = [*store.results(setting.key).values()]
            row: Row = {"search": setting.key, "studies": len(kept)}
            if kept:
                row |= {name: f"{mean_of([r[name] for r in kept])}" for name in ("truth", "naive")}
                row["bbc"] = f"{mean_of([r['bbc'] for r in kept])}"
                row["inclusion"] = f"{share_of(sum(int(r['in']) for r in kept), len(kept))}"
                row |= _notes(kept)
            rows.append(row)
    title = "Guided searches: too good by, inclusion of 95% intervals, and notes"
    return table(title, ("search", "studies"), rows)


def block_of_lists(store: Kept) -> str:
    """Notes on lists that nothing guided."""
    rows: list[Row] = []
    for setting in lists():
        kept = [*store.results(setting.key).values()]
        rows.append({"list": setting.key, "lists": len(kept), **(_notes(kept) if kept else {})})
    return table("Lists that no score guided: false alarms", ("list", "lists"), rows)


def _notes(kept: Sequence[Result]) -> Row:
    found = [Guidance(r["standing"], r["distance"], r["lead"]) for r in kept]
    climbs = [one.is_climb for one in found]
    others = [one.is_guided and not one.is_climb for one in found]
    return {
        "standing": f"{np.mean([one.mean for one in found]):.2f}",
        "lead": f"{np.mean([one.lead for one in found]):.2f}",
        "care": f"{share_of(sum(others), len(found))}",
        "doubt": f"{share_of(sum(climbs), len(found))}",
    }


STUDIES = (
    Study("guided", cells, repetition),
    Study("guided-boosting", boosting_cells, repetition),
    Study("guided-lists", lists, of_list),
)
