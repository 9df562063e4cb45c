"""How often a plan is right: `python -m benchmarks.validation.plans`.

A repetition is a pilot and a later study of the same law, and what the plan by the pilot said of
the study. It is known from the setting and its number, kept when it is done, and not run again.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator

from bbccli import METHODS, METRICS
from bbccli.core.plan import Plan
from bbccli.core.resources import Resources, use
from bbccli.planning.pilot import PilotBasis, of_pilot
from bbccli.planning.planned import MOST_SAMPLES
from bbccli.planning.simulation import Simulated, binormal, noisy, right_or_wrong
from bbccli.planning.studies import Widths
from bbccli.types import FloatArray
from benchmarks.tables import Row
from benchmarks.validation.kept import FOLDER, Kept
from benchmarks.validation.page import PAGE, between
from benchmarks.validation.rows import table
from benchmarks.validation.summary import Figure, mean_of, share_error

PLAN = Plan(n_resamples=400)
N_REPETITIONS = 300
N_WIDTHS = 60
"""Repetitions in which a width is planned too."""

STATEMENT = 1
"""Version of what is stated; one more forgets what was said before."""

ASSURANCE = 0.8

Result = Mapping[str, Any]

LAWS: dict[str, Callable[[Generator, int], FloatArray]] = {
    "all equal": lambda rng, c: np.zeros(c),
    "normal": lambda rng, c: rng.standard_normal(c) - 1,
    "plateau": lambda rng, c: np.where(np.arange(c) < 0.4 * c, 0.0, -6.0),
    "tail": lambda rng, c: np.where(np.arange(c) < c // 2, 0.0, -2.5 * rng.exponential(size=c)),
    "exponential": lambda rng, c: -1.5 * rng.exponential(size=c),
    "one ahead": lambda rng, c: np.where(np.arange(c) < 1, 0.0, -2.0),
    "uniform": lambda rng, c: -5 * rng.random(c),
    "families": lambda rng, c: -4 * np.repeat(rng.random(-(-c // 5)), 5)[:c],
}
"""True gains about the best, in units of the spread."""

OF_WIDTHS = ("all equal", "plateau", "exponential")
"""Laws under which widths are planned."""


@dataclass(frozen=True, slots=True)
class PlanSetting:
    """A law of pilots and studies."""

    metric: str
    law: str
    pilot: int
    n: int
    c: int
    correlation: float
    width: float

    @property
    def key(self) -> str:
        """Its name."""
        size = f"pilot={self.pilot} N={self.n} C={self.c} r={self.correlation:g}"
        return f"{self.metric} {self.law} {size}"

    def draw(self, rng: Generator, n_samples: int) -> Simulated:
        """Draw a pilot or a study."""
        gains = LAWS[self.law](rng, self.c)
        common = {"correlation": self.correlation}
        if self.metric == "mse":
            return noisy(np.clip(0.4 - 0.06 * gains, 0.02, 0.98), n_samples, rng, **common)
        if self.metric == "auc":
            return binormal(np.clip(0.8 + 0.03 * gains, 0.02, 0.98), n_samples, rng, **common)
        return right_or_wrong(np.clip(0.75 + 0.03 * gains, 0.02, 0.98), n_samples, rng, **common)


def settings() -> list[PlanSetting]:
    """Eight laws in four sizes."""
    sizes = [
        ("accuracy", 100, 400, 100, 0.5, 0.1),
        ("accuracy", 60, 60, 30, 0.0, 0.15),
        ("auc", 80, 320, 100, 0.8, 0.12),
        ("mse", 100, 200, 60, 0.5, 0.2),
    ]
    return [PlanSetting(metric, law, *rest) for metric, *rest in sizes for law in LAWS]


def repetition(setting: PlanSetting, number: int) -> Result:
    """Return what the plan by a pilot says, and what a study shows."""
    rng = np.random.default_rng([crc32(setting.key.encode()), number])
    metric = METRICS[setting.metric]
    pilot = setting.draw(rng, setting.pilot).matrix
    basis = of_pilot(pilot, metric, replace(PLAN, seed=number))
    found = basis.outlook(setting.n, setting.c, 0.01)
    optimism, honest = _seen(setting.draw(rng, setting.n), setting.metric)
    told = {
        "lower": found.lower,
        "middle": found.middle,
        "upper": found.upper,
        "honest": metric.direction.sign * found.honest,
        "seen": optimism,
        "seen honest": honest,
    }
    if setting.law not in OF_WIDTHS or number >= N_WIDTHS:
        names = ("planned width", "seen width", "rows", "met", "rows assured", "met assured")
        return told | dict.fromkeys(names)
    return told | _of_widths(setting, basis, rng, replace(PLAN, seed=number))


def _of_widths(setting: PlanSetting, basis: PilotBasis, rng: Generator, plan: Plan) -> Result:
    """Widths planned for N rows and seen in them; and whether a wanted width is met as planned."""
    widths = Widths(basis, plan)
    told: dict[str, Any] = {
        "planned width": widths.of(setting.n, setting.c),
        "seen width": _width(setting.draw(rng, setting.n), setting.metric, plan),
    }
    for name, assurance in (("", None), (" assured", ASSURANCE)):
        least = basis.least_samples
        rows = widths.rows_for(setting.width, setting.c, least, MOST_SAMPLES, assurance)
        told["rows" + name] = rows
        seen = None if rows is None else _width(setting.draw(rng, rows), setting.metric, plan)
        told["met" + name] = None if seen is None else seen <= setting.width
    return told


def _seen(study: Simulated, name: str) -> tuple[float, float]:
    """Optimism of the winner less that of all, and its true performance."""
    metric = METRICS[name]
    sign, matrix = metric.direction.sign, study.matrix
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    gains = sign * scorer(np.ones((1, matrix.n_samples), np.uint8))[0]
    off, best = gains - sign * study.performances, gains >= gains.max() - 1e-12
    return float(off[best].mean() - off.mean()), float(study.performances[best].mean())


def _width(study: Simulated, metric: str, plan: Plan) -> float:
    found = METHODS["bbc"].run(study.matrix, METRICS[metric], plan).interval
    return float("nan") if found is None else found.upper - found.lower


def todo(store: Kept) -> Iterator[tuple[PlanSetting, int]]:
    """Yield repetition 0 of every setting, then repetition 1, ...; without what is kept."""
    for number in range(N_REPETITIONS):
        for setting in settings():
            if number not in store.results(setting.key):
                yield setting, number


def repeat(store: Kept, seconds: float) -> int:
    """Repeat until the seconds are used up; return how often. What was done is kept in any case."""
    end, n_done = time.monotonic() + seconds, 0
    try:
        with use(Resources(jobs=1)):
            for setting, number in todo(store):
                if time.monotonic() >= end:
                    break
                store.add(setting.key, number, repetition(setting, number))
                n_done += 1
    finally:
        store.write()
    return n_done


def renew(store: Kept, page: Path = PAGE) -> None:
    """Put the tables on the page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(between(text, "plans", block(store)), encoding="utf-8")


def block(store: Kept) -> str:
    """Two tables: the optimism that pilots tell, and the widths that are planned by them."""
    optimism: list[Row] = []
    widths: list[Row] = []
    for setting in settings():
        said = list(store.results(setting.key).values())
        row = {"metric": setting.metric, "law": setting.law, "pilot": setting.pilot}
        row |= {"N": setting.n, "C": setting.c, "r": setting.correlation, "n": len(said)}
        if said:
            optimism.append(row | optimism_of(said))
        if planned := [one for one in said if one["planned width"] is not None]:
            widths.append(row | {"n": len(planned), "wanted": setting.width} | widths_of(planned))
    names = ("metric", "law", "pilot", "N", "C", "r", "n")
    parts = [
        table("Optimism: what pilots tell, and what is seen", names, optimism),
        table("Width: what is planned, and what is seen", (*names, "wanted"), widths),
    ]
    return "\n\n".join(part for part in parts if part)


def optimism_of(said: list[Result]) -> Row:
    """Mean bracket, what was seen, and the share of pilots whose bracket holds it."""
    seen = [one["seen"] for one in said]
    true = float(np.mean(seen))
    inside = sum(one["lower"] <= true <= one["upper"] for one in said)
    lower, middle, upper = (np.mean([one[k] for one in said]) for k in ("lower", "middle", "upper"))
    return {
        "lower": f"{lower:.4f}",
        "middle": f"{middle:.4f}",
        "upper": f"{upper:.4f}",
        "seen": mean_of(seen),
        "mean bracket": "covers" if lower <= true <= upper else "misses",
        "pilots that cover": Figure(inside / len(said), share_error(inside, len(said)), ""),
        "honest, off by": mean_of([one["honest"] - one["seen honest"] for one in said]),
    }


def widths_of(said: list[Result]) -> Row:
    """Seen over planned width, rows, and how often a width was met."""
    ratios = [one["seen width"] / one["planned width"] for one in said]
    met = sum(bool(one["met"]) for one in said)
    assured = sum(bool(one["met assured"]) for one in said)
    rows = [one["rows"] for one in said if one["rows"] is not None]
    return {
        "seen / planned": mean_of(ratios),
        "rows, 10 to 90 %": " to ".join(f"{q:.0f}" for q in np.quantile(rows, [0.1, 0.9])),
        "met": Figure(met / len(said), share_error(met, len(said)), ""),
        "met, assured 80 %": Figure(assured / len(said), share_error(assured, len(said)), ""),
    }


def main(arguments: list[str] | None = None) -> None:
    """Repeat for so many minutes, then renew the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation.plans")
    parser.add_argument("--minutes", type=float, default=10, help="0 only renews the page")
    parser.add_argument("--store", type=Path, default=FOLDER, metavar="DIR")
    parser.add_argument("--page", type=Path, default=PAGE, help="page whose tables are renewed")
    options = parser.parse_args(arguments)
    store = Kept(options.store, "plans", STATEMENT)
    n_done = repeat(store, 60 * options.minutes)
    renew(store, options.page)
    print(f"{n_done} repetitions, in {options.store}", file=sys.stderr)


if __name__ == "__main__":
    main()
