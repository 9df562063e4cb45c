"""The tables of docs/validation.md and docs/validation-tables.md, from the store alone.

Until a default is decided they show the half of the populations that is for development.
"""

from collections.abc import Callable, Iterable
from inspect import getdoc
from pathlib import Path
from sys import modules
from typing import Any

import pandas as pd

from benchmarks.bank import decision
from benchmarks.bank.figures import MEASURES, Sums, figures, inclusions, sums_of
from benchmarks.bank.items import SIMULATIONS
from benchmarks.bank.judged_by import CAP, is_capped
from benchmarks.bank.nesting import FILE, N_CONFIGURATIONS, N_REPEATS, NAMES
from benchmarks.bank.populations import BY_NAME, POPULATIONS, Half
from benchmarks.bank.results import FOLDER, LEVELS, read
from benchmarks.bank.searches import MAIN
from benchmarks.bank.variants import AT_EVERY_LEVEL, DEFAULT, MAIN_METHODS
from benchmarks.tables import Row, Table, as_markdown
from benchmarks.validation.page import between
from benchmarks.validation.settings import Part, bias_settings, inclusion_settings
from benchmarks.validation.summary import SIGNIFICANT, Figure, share_error

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("validation.md", "validation-tables.md")

DECIDED = False
"""Whether the default is decided; only then is the untouched half shown."""

FEWEST = 5
"""Repetitions below which a cell is not in the tables: a ratio of two spreads would say nothing."""


def renew(store: Path = FOLDER, docs: Path = DOCS) -> None:
    """Put the tables between their markers; everything else is kept."""
    blocks = blocks_of(read(store))
    for name in PAGES:
        page = docs / name
        text = page.read_text(encoding="utf-8")
        for marker, block in blocks.items():
            text = between(text, marker, block)
        page.write_text(text, encoding="utf-8")


def blocks_of(frame: pd.DataFrame) -> dict[str, str]:
    """All blocks by the names of their markers; empty ones where nothing was run."""
    shown = of_half(frame, Half.UNTOUCHED if DECIDED else Half.DEVELOPMENT)
    plain = shown[~shown["metric"].map(is_capped).astype(bool)]
    blocks = {
        "bank": _main,
        "bank-misses": _misses,
        "bank-metrics": _metrics,
        "bank-sizes": _sizes,
        "bank-searches": _searches,
        "bank-levels": _levels,
    }
    found = {name: block(plain) if len(plain) else "" for name, block in blocks.items()}
    found["bank-capped"] = _capped(shown) if len(shown) else ""
    found["bank-populations"] = _populations(frame)
    found["bank-rule"] = getdoc(modules[decision.__name__]) or ""
    found["bank-nested"] = _nested(frame)
    found["bank-simulated"] = _simulated(frame)
    return found


def of_half(frame: pd.DataFrame, half: Half) -> pd.DataFrame:
    """Rows of the populations of a half, of cells with repetitions enough."""
    names = [name for name, one in BY_NAME.items() if one.half is half]
    rows = frame[frame["population"].isin(names)]
    n = rows.groupby(["population", "size"])["repetition"].transform("nunique")
    return rows[n >= FEWEST]


def _main(frame: pd.DataFrame) -> str:
    """Method by interval, over all cells of the main search."""
    sums = sums_of(frame[frame["search"] == MAIN])
    n_metrics = len(sums.cells[["population", "metric"]].drop_duplicates())
    note = (
        f"{sums.n_studies:,} studies of {sums.cells['population'].nunique()} populations "
        f"({_half_of(frame)}), {n_metrics} population-metrics, {MAIN} configurations."
    )
    return _table("Methods and intervals", _lines(sums), note)


def _half_of(frame: pd.DataFrame) -> str:
    return " and ".join(sorted({BY_NAME[name].half for name in frame["population"]}))


def _lines(sums: Sums, names: Iterable[str] = MEASURES) -> list[Row]:
    """One row for each variant."""
    return [
        _variant(variant) | {name: found[name] for name in names}
        for variant, found in figures(sums).items()
    ]


def _variant(variant: tuple[str, str]) -> Row:
    return {"method": f"`{variant[0]}`", "interval": variant[1] or "none"}


def _misses(frame: pd.DataFrame) -> str:
    """Of the main methods, the population-metrics where the bound holds too seldom."""
    found = inclusions(sums_of(_main_ones(frame)), ["population", "metric"])
    rows = []
    for variant, own in found.groupby(["method", "interval"], sort=False):
        low = [
            f"{one.population} {one.metric} {_share(one)}" for one in own.itertuples() if _low(one)
        ]
        rows.append(
            _variant(variant) | {"of": len(own), "held too seldom in": ", ".join(low) or "none"}
        )
    note = f"One-sided, 95 %; too seldom by a binomial test at {SIGNIFICANT:.0%}."
    return _table("Where bounds hold too seldom", rows, note, {"held too seldom in"})


def _main_ones(frame: pd.DataFrame) -> pd.DataFrame:
    """The main methods with the guard, on the main search."""
    kinds = ~frame["interval"].str.contains("guard") & (frame["interval"] != "t")
    return frame[(frame["search"] == MAIN) & frame["method"].isin(MAIN_METHODS) & kinds]


def _share(row: Any) -> str:
    return f"{Figure(row.included / row.n, share_error(row.included, row.n))}"


def _low(row: Any, level: float = 0.95) -> bool:
    from scipy.stats import binomtest

    return bool(binomtest(row.included, row.n, level, alternative="less").pvalue < SIGNIFICANT)


def _metrics(frame: pd.DataFrame) -> str:
    """Inclusion by population-metric; and errors of the points relative to `bbc`."""
    sums = sums_of(_main_ones(frame))
    found = inclusions(sums, ["population", "metric"])
    rows = []
    for (population, metric), own in found.groupby(["population", "metric"], sort=False):
        row: Row = {"population": population, "metric": metric, "n": int(own["n"].max())}
        for one in own.itertuples():
            row[f"{one.method} {one.interval}"] = _share(one) + (" ↓" if _low(one) else "")
        rows.append(row)
    inclusion = _table("Inclusion by population and metric", rows, words={"population", "metric"})
    parts = []
    for name in ("RMSE", "tightness"):
        rows = []
        for population, metric in found[["population", "metric"]].drop_duplicates().values:
            mine = frame["population"].eq(population) & frame["metric"].eq(metric)
            one = sums_of(frame[mine & (frame["search"] == MAIN)])
            told = {"population": population, "metric": metric}
            for variant, figure in figures(one).items():
                if variant[0] in MAIN_METHODS and variant[1] in _KINDS[name]:
                    told[" ".join(variant if name != "RMSE" else variant[:1])] = figure[name]
            rows.append(told)
        title = f"{name} relative to `bbc`"
        parts.append(_table(title, rows, words={"population", "metric"}))
    return "\n\n".join([inclusion, *parts])


_KINDS = {"RMSE": ("percentile",), "tightness": ("percentile", "matched", "calibrated", "sharp")}


def _capped(frame: pd.DataFrame) -> str:
    """Inclusion of squared errors as they are, and with a cap."""
    populations = frame.loc[frame["metric"].map(is_capped).astype(bool), "population"].unique()
    own = frame[frame["population"].isin(populations) & (frame["method"] == DEFAULT[0])]
    if own.empty:
        return ""
    found = inclusions(sums_of(_main_ones(own)), ["population", "metric"])
    rows = []
    for (population, metric), one in found.groupby(["population", "metric"], sort=False):
        shares = {line.interval: _share(line) for line in one.itertuples()}
        rows.append({"population": population, "metric": metric, "n": int(one["n"].max())} | shares)
    note = f"Inclusion of the one-sided 95 % bounds of `bbc`; capped by `--cap {CAP:g}`."
    return _table("Capped errors", rows, note, {"population", "metric"})


def _sizes(frame: pd.DataFrame) -> str:
    """Inclusion and tightness by size of the study, small and large."""
    small = frame["size"] <= 100
    return _compared(_main_ones(frame), {"N ≤ 100": small, "N > 100": ~small}, "Size of the study")


def _searches(frame: pd.DataFrame) -> str:
    """The same by size of the search."""
    parts = {f"C = {c}": frame["search"] == c for c in sorted(frame["search"].unique())}
    rows = frame[frame["method"].isin(MAIN_METHODS) & ~frame["interval"].str.contains("guard|t$")]
    return _compared(rows, parts, "Size of the search")


def _compared(frame: pd.DataFrame, parts: dict[str, Any], title: str) -> str:
    rows: dict[tuple[str, str], Row] = {}
    for name, chosen in parts.items():
        own = frame[chosen.reindex(frame.index)]
        if own.empty:
            continue
        for variant, found in figures(sums_of(own)).items():
            row = rows.setdefault(variant, _variant(variant))
            for measure in ("RMSE", "inclusion", "tightness"):
                row[f"{measure}, {name}"] = found[measure]
    return _table(title, rows.values())


def _levels(frame: pd.DataFrame) -> str:
    """Inclusion at every level, one- and two-sided."""
    rows: dict[tuple[str, str], Row] = {}
    own = _main_ones(frame)
    own = own[own["method"].isin(AT_EVERY_LEVEL)]
    for level in LEVELS:
        percent = f"{100 * level:.0f}"
        for variant, found in figures(sums_of(own, percent)).items():
            row = rows.setdefault(variant, _variant(variant))
            row[f"one-sided {percent} %"] = found["inclusion"]
            row[f"two-sided {percent} %"] = found["two-sided"]
    return _table("Inclusion at other levels", rows.values())


def _populations(frame: pd.DataFrame) -> str:
    """What was run: populations, sizes, repetitions."""
    counts = frame.groupby(["population", "size"])["repetition"].nunique()
    rows = [
        {
            "population": one.name,
            "half": one.half,
            "stands for": one.kind,
            "metrics": ", ".join(one.metrics),
            "repetitions": ", ".join(
                f"{counts.get((one.name, size), 0)} of N = {size}" for size in one.sizes
            ),
        }
        for one in POPULATIONS
    ]
    return _table("Populations and repetitions", rows, words=set(rows[0]))


def _nested(frame: pd.DataFrame) -> str:
    """What was said of nested cross-validations."""
    rows = frame[frame["population"].str.startswith(f"{FILE} ")] if len(frame) else frame
    if rows.empty:
        return ""
    sums = sums_of(rows)
    note = (
        f"{sums.n_studies:,} studies of {', '.join(NAMES)}, {N_CONFIGURATIONS} configurations, "
        f"{N_REPEATS} repeats of 5 outer folds; accuracy and Brier score."
    )
    return _table("Nested cross-validation", _lines(sums), note)


def _simulated(frame: pd.DataFrame) -> str:
    """Simulated settings: those of the papers, and those beyond."""
    parts = {
        "The settings of 2018": [one.key for one in bias_settings()],
        "The settings of 2024": [one.key for one in inclusion_settings() if one.of_paper],
        "Beyond the papers": [
            one.key
            for one in inclusion_settings()
            if not one.of_paper and one.part is Part.INCLUSION
        ],
    }
    found = []
    for title, names in parts.items():
        rows = frame[frame["population"].isin(names)]
        n = rows.groupby(["population", "size"])["repetition"].transform("nunique")
        rows = rows[n >= FEWEST]
        if len(rows):
            sums = sums_of(rows)
            note = f"{sums.n_studies:,} repetitions of {len(sums.cells)} settings ({SIMULATIONS})."
            found.append(_table(title, _lines(sums), note))
    return "\n\n".join(found)


def _table(
    title: str, rows: Iterable[Row], note: str = "", words: set[str] | frozenset[str] = frozenset()
) -> str:
    """A table whose words stand to the left, and whose figures to the right."""
    kept = list(rows)
    left = {"method", "interval", *words}
    show: dict[str, Callable[[Any], str]] = {
        name: str if name in left else _shown for row in kept for name in row
    }
    return as_markdown(Table(title, title, show, kept, note))


def _shown(value: object) -> str:
    """Any value; not `str` itself, which would set its column to the left."""
    return f"{value}"
