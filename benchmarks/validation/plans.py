"""Measure how often a plan is right.

A repetition is a pilot and a later study of the same law, and what the plan by the pilot said of
the study.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.random import Generator

from bbccli import METHODS, METRICS, read
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.planning.pilot import PilotBasis, of_pilot
from bbccli.planning.planner import MOST_SAMPLES
from bbccli.planning.simulation import binormal, noisy, right_or_wrong
from bbccli.planning.studies import Widths
from bbccli.types import FloatArray
from benchmarks.tables import Row, percent
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.summary import mean_of, share_of

PLAN = Plan(n_resamples=200)
N_REPETITIONS = 300
N_WIDTHS = 100
"""Repetitions in which a width is planned too."""

ASSURANCE = 0.8

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

WIDTHS = {
    ("exponential", 100, "accuracy"): 0.1,
    ("plateau", 100, "accuracy"): 0.1,
    ("exponential", 40, "accuracy"): 0.2,
    ("exponential", 80, "auc"): 0.12,
    ("exponential", 100, "mse"): 0.2,
}
"""Widths that are wanted, by law, rows of the pilot, and metric."""

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
FILES = {
    "progression": ("auc", 80),
    "breast_cancer": ("auc", 100),
    "digits": ("accuracy", 100),
    "diabetes": ("r2", 100),
    "whas500": ("concordance", 100),
}
"""Files that are taken for populations, whose rows are drawn again; metric and rows of pilots."""


@dataclass(frozen=True, slots=True)
class PlanSetting:
    """A law of pilots and studies."""

    metric: str
    law: str
    pilot: int
    n: int
    c: int
    correlation: float | None
    n_repetitions: int = N_REPETITIONS

    @property
    def width(self) -> float | None:
        """Width that is wanted; None where none is planned."""
        return WIDTHS.get((self.law, self.pilot, self.metric))

    @property
    def key(self) -> str:
        """Its name."""
        size = f"pilot={self.pilot} N={self.n} C={self.c}"
        size += "" if self.correlation is None else f" r={self.correlation:g}"
        return f"{self.metric} {self.law} {size}"

    def draw(self, rng: Generator, n_samples: int) -> tuple[PredictionMatrix, FloatArray]:
        """Draw a pilot or a study, and its true performances."""
        if self.law in FILES:
            whole = population(self.law)
            rows = rng.integers(0, whole.n_samples, n_samples)
            return whole.of_samples(rows), _performances(whole, self.metric)
        gains = LAWS[self.law](rng, self.c)
        law, best, unit = {
            "accuracy": (right_or_wrong, 0.75, 0.03),
            "auc": (binormal, 0.8, 0.03),
            "mse": (noisy, 0.4, -0.06),
        }[self.metric]
        true = np.clip(best + unit * gains, 0.02, 0.98)
        simulated = law(true, n_samples, rng, correlation=self.correlation)
        return simulated.matrix, simulated.performances


@cache
def population(name: str) -> PredictionMatrix:
    """Return a file of `sample_data`."""
    return replace(read(SAMPLES / f"{name}.parquet"), sample_keys=None)


def settings() -> list[PlanSetting]:
    """Eight laws in four sizes, and five files."""
    sizes = [
        ("accuracy", 100, 400, 100, 0.5),
        ("accuracy", 40, 40, 30, 0.0),
        ("auc", 80, 320, 40, 0.8),
        ("mse", 100, 200, 60, 0.5),
    ]
    of_files = [
        PlanSetting(metric, name, pilot, 200, population(name).n_configurations, None)
        for name, (metric, pilot) in FILES.items()
    ]
    return [PlanSetting(metric, law, *rest) for metric, *rest in sizes for law in LAWS] + of_files


def repetition(setting: PlanSetting, number: int) -> Result:
    """Return what the plan by a pilot says, and what a study shows."""
    rng = np.random.default_rng([crc32(setting.key.encode()), number])
    metric = METRICS[setting.metric]
    pilot, _ = setting.draw(rng, setting.pilot)
    basis = of_pilot(pilot, metric, replace(PLAN, seed=number))
    outlook = basis.outlook(setting.n, setting.c, 0.01)
    winner, all_of_them, honest = _seen(*setting.draw(rng, setting.n), setting.metric)
    result = {
        "lower": outlook.lower,
        "middle": outlook.middle,
        "upper": outlook.upper,
        "honest": metric.direction.sign * outlook.honest,
        "seen": winner,
        "seen of all": all_of_them,
        "seen honest": honest,
    }
    if setting.width is None or number >= N_WIDTHS:
        return result | dict.fromkeys(OF_WIDTH)
    return result | _of_widths(setting, basis, rng, replace(PLAN, seed=number))


OF_WIDTH = (
    *("planned width", "seen width", "rows", "rows lower", "rows upper", "width in rows"),
    *("rows assured", "width in rows assured"),
)


def _of_widths(setting: PlanSetting, basis: PilotBasis, rng: Generator, plan: Plan) -> Result:
    """Widths planned for N rows and seen in them; rows for a width, and the width in them."""
    widths, least = Widths(basis, plan), basis.least_samples
    planned, sure = (
        widths.rows_for(setting.width, setting.c, least, MOST_SAMPLES, assurance)
        for assurance in (None, ASSURANCE)
    )
    lower, upper = widths.range_of(planned, least)
    sizes = (setting.n, planned, sure)
    seen = [n and width_seen(setting.draw(rng, n)[0], setting.metric, plan) for n in sizes]
    values = (
        widths.of(setting.n, setting.c),
        seen[0],
        planned,
        lower,
        upper,
        seen[1],
        sure,
        seen[2],
    )
    return dict(zip(OF_WIDTH, values, strict=True))


def _seen(matrix: PredictionMatrix, true: FloatArray, name: str) -> tuple[float, float, float]:
    """Optimism of the winner, and of all on average; the winner's true performance."""
    sign = METRICS[name].direction.sign
    gains = sign * _performances(matrix, name)
    off, best = gains - sign * true, gains >= gains.max() - 1e-12
    return float(off[best].mean()), float(off.mean()), float(true[best].mean())


def _performances(matrix: PredictionMatrix, name: str) -> FloatArray:
    metric = METRICS[name]
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    return np.asarray(scorer(np.ones((1, matrix.n_samples), np.uint8))[0], float)


def width_seen(study: PredictionMatrix, metric: str, plan: Plan) -> float:
    interval = METHODS["bbc"].run(study, METRICS[metric], plan).interval
    return float("nan") if interval is None else interval.upper - interval.lower


def block(store: Kept) -> str:
    """Two tables: the optimism that pilots tell, and the widths that are planned by them."""
    names = ("metric", "law", "pilot", "N", "C", "r", "n")
    optimism, widths = rows_of(store)
    parts = [
        table("Optimism: what pilots tell, and what is seen", names, optimism),
        table("Width: what is planned, and what is seen", (*names, "wanted"), widths),
    ]
    return "\n\n".join(part for part in parts if part)


def rows_of(store: Kept) -> tuple[list[Row], list[Row]]:
    """Rows of both tables, one for each setting."""
    optimism: list[Row] = []
    widths: list[Row] = []
    for setting in settings():
        results = list(store.results(setting.key).values())
        row = {"metric": setting.metric, "law": setting.law, "pilot": setting.pilot}
        correlation = "" if setting.correlation is None else setting.correlation
        row |= {"N": setting.n, "C": setting.c, "r": correlation}
        if results:
            optimism.append(row | {"n": len(results)} | optimism_of(results))
        planned = [one for one in results if one["planned width"] is not None]
        if planned and setting.width is not None:
            row |= {"n": len(planned), "wanted": setting.width}
            widths.append(row | widths_of(planned, setting.width))
    return optimism, widths


def in_all(store: Kept) -> str:
    """Sums of both tables, as sentences."""
    optimism, widths = rows_of(store)
    if not optimism or not widths:
        return ""
    covered = sum(row["mean bracket"] == "covers" for row in optimism)
    shares = [row["pilots that cover"].value for row in optimism]
    repetitions = _ends([float(row["n"]) for row in optimism], 0)
    ratios = _ends([float(row["seen / planned"]) for row in widths], 2)
    least, most = percent(min(shares)), percent(max(shares))
    lines = [
        f"- **Optimism.** In {covered} of {len(optimism)} settings the mean bracket covers what is "
        f"seen ({repetitions} repetitions each). A single pilot's does in "
        f"{percent(np.mean(shares))} of the repetitions, in {least} to {most} by setting.",
        f"- **Width.** In {len(widths)} settings the mean width seen is {ratios} times the planned "
        f"one ({_ends([float(row['n']) for row in widths], 0)} repetitions each).",
    ]
    measures = {
        "met": "The planned samples give the wanted width",
        "met, assured 80%": "With `--assurance 0.8` they do",
        "ranges that cover": "The range of a pilot covers the samples that it takes",
    }
    for name, text in measures.items():
        shares = [row[name].value for row in widths]
        ends = f"{percent(min(shares))} to {percent(max(shares))}"
        lines.append(f"- {text} in {percent(np.mean(shares))} of the repetitions ({ends}).")
    return "\n".join(lines)


def _ends(values: list[float], decimals: int) -> str:
    """Write the least and the most of some values."""
    ends = dict.fromkeys(f"{one:.{decimals}f}" for one in (min(values), max(values)))
    return " to ".join(ends)


def optimism_of(results: list[Result]) -> Row:
    """Mean bracket, what was seen, and the share of pilots whose bracket holds it.

    All configurations are too good by 0 on average: what they have in common is taken off, in
    proportion to its covariance with the winner's (a control variate).
    """
    seen, all_of_them = (
        np.array([one[k] for one in results], float) for k in ("seen", "seen of all")
    )
    if len(results) > 2 and all_of_them.std() > 0:
        covariance = np.cov(seen, all_of_them)
        seen = seen - covariance[0, 1] / covariance[1, 1] * all_of_them
    true, error = float(seen.mean()), float(seen.std() / np.sqrt(len(seen)))
    inside = sum(one["lower"] <= true <= one["upper"] for one in results)
    lower, middle, upper = (
        np.mean([one[k] for one in results]) for k in ("lower", "middle", "upper")
    )
    holds = lower - 2 * error <= true <= upper + 2 * error
    return {
        "lower": f"{lower:.4f}",
        "middle": f"{middle:.4f}",
        "upper": f"{upper:.4f}",
        "seen": mean_of(seen.tolist()),
        "mean bracket": "covers" if holds else "misses",
        "pilots that cover": share_of(inside, len(results)),
        "honest, off by": mean_of([one["honest"] - one["seen honest"] for one in results]),
    }


def widths_of(results: list[Result], width_planned: float) -> Row:
    """Seen over planned width, the rows that are planned, and how often a width was met in them.

    The rows that it truly takes are those of the mean width: it falls with their root.
    """
    ratio = np.mean([one["seen width"] for one in results]) / np.mean(
        [one["planned width"] for one in results]
    )
    rows, width = (np.array([one[k] for one in results], float) for k in ("rows", "width in rows"))
    truly = (np.nanmean(width * np.sqrt(rows)) / width_planned) ** 2
    usual = np.nanquantile(rows, [0.1, 0.9])
    inside = sum((one["rows lower"] or 0) <= truly <= (one["rows upper"] or inf) for one in results)
    shares = {
        "met": np.sum(width <= width_planned),
        "met, assured 80%": sum(
            (one["width in rows assured"] or inf) <= width_planned for one in results
        ),
        "ranges that cover": inside,
    }
    return {
        "seen / planned": f"{ratio:.2f}",
        "rows it takes": f"{truly:.0f}",
        "rows planned, 10 to 90%": " to ".join(f"{q:.0f}" for q in usual),
        "width in them": mean_of(width[~np.isnan(width)].tolist()),
        **{name: share_of(int(share), len(results)) for name, share in shares.items()},
    }


STUDY = Study("plans", settings, repetition)
