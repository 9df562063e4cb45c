"""Widths planned by a pilot whose models are trained, and widths of later studies.

A repetition is a study of 100 rows of the bank in 10 folds, whose rows the plan draws again, and an
independent study of as many rows as were planned for, whose models are trained on its own rows.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bbccli.planning.pilot import of_pilot
from bbccli.planning.studies import Widths
from benchmarks.bank.judged_by import FAMILIES, is_bounded, metric_of
from benchmarks.bank.populations import TEN_FOLDS, Population
from benchmarks.bank.searches import MAIN, search
from benchmarks.bank.studies import study
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.plans import PLAN, width_seen
from benchmarks.validation.summary import mean_of

PILOT = 100

MATRICES = Path("validation-results/bank")
"""Where the bank keeps what it trained."""


@dataclass(frozen=True, slots=True)
class TrainedSetting:
    """A metric of a population."""

    population: Population
    metric: str
    n_repetitions: int = 12

    @property
    def n(self) -> int:
        """Rows that are planned for."""
        return self.population.sizes[-1]

    @property
    def key(self) -> str:
        """Its name."""
        return f"{self.metric} {self.population.name} pilot={PILOT} N={self.n} C={MAIN}"


def settings() -> list[TrainedSetting]:
    """Metrics with a worst value of the populations that have larger studies."""
    return [
        TrainedSetting(one, metric)
        for one in TEN_FOLDS
        for metric in (*one.metrics, *one.more)
        if one.sizes[-1] > PILOT and is_bounded(metric) and metric_of(metric).name == metric
    ]


def repetition(setting: TrainedSetting, number: int) -> Result:
    """Return the width planned for N rows, and the one seen in as many."""
    metric, plan = metric_of(setting.metric), replace(PLAN, seed=number)
    matrices = (
        replace(
            one.matrix,
            predictions=one.matrix.predictions[:, :, columns],
            configurations=tuple(one.matrix.configurations[c] for c in columns),
        )
        for size in (PILOT, setting.n)
        for one in [study(setting.population, size, number, MATRICES)]
        for columns in [search(one.matrix.configurations, MAIN)]
    )
    pilot, later = matrices
    planned = Widths(of_pilot(pilot, metric, plan), plan).of(setting.n, MAIN)
    return {"planned": planned, "seen": width_seen(later, setting.metric, plan)}


def ratios(store: Kept) -> list[tuple[str, str, float, int]]:
    """Family, population, mean width seen over the planned one, and repetitions, by setting."""
    found = []
    for setting in settings():
        results = [one for one in store.results(setting.key).values() if None not in one.values()]
        if results:
            seen, planned = (np.mean([one[k] for one in results]) for k in ("seen", "planned"))
            family = next(name for name, metrics in FAMILIES.items() if setting.metric in metrics)
            found.append((family, setting.population.name, float(seen / planned), len(results)))
    return found


def block(store: Kept) -> str:
    """Ratios by family of metrics: means over populations, with their standard errors."""
    every = ratios(store)
    rows: list[Row] = []
    for family in dict.fromkeys(one[0] for one in every):
        own = [one for one in every if one[0] == family]
        populations = dict.fromkeys(one[1] for one in own)
        means = [float(np.mean([r for _, name, r, _ in own if name == p])) for p in populations]
        ratio = mean_of(means)
        row: Row = {"metric": family, "populations": len(means), "n": sum(one[3] for one in own)}
        row |= {"seen / planned": ratio, "least": f"{min(means):.2f}", "most": f"{max(means):.2f}"}
        rows.append(row | {"rows, of those planned": f"{ratio.value**2:.2f}"})
    title = "Width where models are trained: what is planned, and what is seen"
    return table(title, ("metric", "populations", "n"), rows)


def in_short(store: Kept) -> str:
    """The ratios as a sentence."""
    alone = [one[2] for one in ratios(store)]
    if not alone:
        return ""
    return (
        f"\n- **Where models are trained**, in {len(alone)} metrics of populations of "
        f"[the bank](validation.md), the mean width seen is {np.mean(alone):.2f} times the planned "
        f"one ({min(alone):.2f} to {max(alone):.2f}), so that on average fewer samples would do."
    )


STUDY = Study("plans-trained", settings, repetition)
