"""The tables of the studies of the bank: all in one, and by metric, size, search and level."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.judged_by import FAMILIES
from benchmarks.bank.lines import lines, main_ones, markdown, name_of
from benchmarks.bank.populations import BY_NAME
from benchmarks.bank.results import LEVELS
from benchmarks.bank.searches import MAIN
from benchmarks.bank.variants import AT_EVERY_LEVEL, MAIN_METHODS
from benchmarks.tables import Row, percent
from benchmarks.validation.summary import SIGNIFICANT, share_of


def whole(frame: pd.DataFrame, title: str = "Methods and intervals") -> str:
    """Method by interval, over all cells of the main search."""
    sums = sums_of(frame[frame["search"] == MAIN])
    n_metrics = len(sums.cells[["population", "metric"]].drop_duplicates())
    note = (
        f"{sums.n_studies:,} studies of {sums.cells['population'].nunique()} populations "
        f"({_half_of(frame)}), {n_metrics} population-metrics, {MAIN} configurations."
    )
    return markdown(title, lines(sums), note)


def in_short(frame: pd.DataFrame) -> str:
    """The rows of that table that decide between the methods."""
    sums = sums_of(frame[frame["search"] == MAIN])
    rows = [one for one in lines(sums) if (one["method"], one["interval"]) in IN_SHORT]
    note = whole(frame).rpartition("\n\n")[2]
    return markdown("The main methods and intervals", rows, note)


IN_SHORT = {
    *((f"`{name}`", kind) for name in ("bbc", "bbc-632") for kind in ("percentile", "sharp")),
    *((f"`{name}`", "percentile") for name in ("bbc-eb", "bbc-f", "naive")),
    *((f"`{name}`", "none") for name in ("cvt", "tt")),
    ("`bbc`", "matched"),
    ("`t-corrected`", "own"),
}
"""Methods and intervals of `in_short`."""


def _half_of(frame: pd.DataFrame) -> str:
    return " and ".join(sorted({BY_NAME[name].half for name in frame["population"]}))


def misses(frame: pd.DataFrame) -> str:
    """Of the main methods, the population-metrics that intervals cover too seldom."""
    counts = coverage(sums_of(main_ones(frame)), ["population", "metric"])
    rows = []
    for variant, of_variant in counts.groupby(["method", "interval"], sort=False):
        low = [one for one in of_variant.itertuples() if share_of(one.both, one.n, LEVEL).mark]
        where = [f"{one.population} {one.metric} {share_of(one.both, one.n)}" for one in low]
        cells = {"of": len(of_variant), SELDOM: ", ".join(where) or "none"}
        rows.append(name_of(variant) | cells)
    note = f"Both ends, 95%; too seldom by a binomial test at {percent(SIGNIFICANT)}."
    return markdown("Where intervals cover too seldom", rows, note, {SELDOM})


SELDOM = "covered too seldom in"

LEVEL = 0.95


def by_metric(frame: pd.DataFrame) -> str:
    """Coverage by population-metric; and points and widths relative to `bbc`."""
    sums = sums_of(main_ones(frame))
    counts = coverage(sums, ["population", "metric"])
    rows = []
    for (population, metric), of_metric in counts.groupby(["population", "metric"], sort=False):
        row: Row = {"population": population, "metric": metric, "n": int(of_metric["n"].max())}
        for one in of_metric.itertuples():
            row[f"{one.method} {one.interval}"] = f"{share_of(one.both, one.n, LEVEL)}"
        rows.append(row)
    title = "Coverage of both ends by population and metric"
    parts = [markdown(title, rows, words={"population", "metric"})]
    for name, kinds in _KINDS.items():
        rows = []
        for population, metric in counts[["population", "metric"]].drop_duplicates().values:
            chosen = frame["population"].eq(population) & frame["metric"].eq(metric)
            one = sums_of(frame[chosen & (frame["search"] == MAIN)])
            cells = {"population": population, "metric": metric}
            for variant, figure in figures(one).items():
                if variant[0] in MAIN_METHODS and variant[1] in kinds:
                    cells[" ".join(variant if name == "width" else variant[:1])] = figure[name]
            rows.append(cells)
        title = name.capitalize() if name == "bias" else f"{name} relative to `bbc`"
        parts.append(markdown(title, rows, words={"population", "metric"}))
    return "\n\n".join(parts)


_KINDS = {
    "bias": ("percentile", ""),
    "RMSE": ("percentile",),
    "width": ("percentile", "matched", "calibrated", "sharp"),
}


def by_family(frame: pd.DataFrame) -> str:
    """Coverage, width and score by family of metrics."""
    parts = {name: frame["metric"].isin(metrics) for name, metrics in FAMILIES.items()}
    told = ("both ends", "width", "score")
    return "\n\n".join(
        _compared(main_ones(frame[chosen]), {"": chosen[chosen]}, name[0].upper() + name[1:], told)
        for name, chosen in parts.items()
        if chosen.any()
    )


def by_size(frame: pd.DataFrame) -> str:
    """Coverage and width by size of the study."""
    size = frame["size"]
    parts = {
        "N = 40": size == 40,
        "N = 50 to 100": (size > 40) & (size <= 100),
        "N > 100": size > 100,
    }
    return _compared(main_ones(frame), parts, "Size of the study")


def by_search(frame: pd.DataFrame) -> str:
    """The same by size of the search."""
    parts = {f"C = {c}": frame["search"] == c for c in sorted(frame["search"].unique())}
    rows = frame[frame["method"].isin(MAIN_METHODS) & ~frame["interval"].str.contains("guard|t$")]
    return _compared(rows, parts, "Size of the search")


def _compared(
    frame: pd.DataFrame,
    parts: dict[str, Any],
    title: str,
    measures: Iterable[str] = ("RMSE", "both ends", "width"),
) -> str:
    rows: dict[tuple[str, str], Row] = {}
    for name, chosen in parts.items():
        own = frame[chosen.reindex(frame.index)]
        if own.empty:
            continue
        for variant, found in figures(sums_of(own)).items():
            row = rows.setdefault(variant, name_of(variant))
            for measure in measures:
                row[f"{measure}, {name}" if name else measure] = found[measure]
    return markdown(title, rows.values())


def by_level(frame: pd.DataFrame) -> str:
    """Coverage at every level, one- and two-sided."""
    rows: dict[tuple[str, str], Row] = {}
    levelled = main_ones(frame)
    levelled = levelled[levelled["method"].isin(AT_EVERY_LEVEL)]
    for level in LEVELS:
        percent = f"{100 * level:.0f}"
        for variant, of_variant in figures(sums_of(levelled, percent)).items():
            row = rows.setdefault(variant, name_of(variant))
            row[f"one-sided {percent}%"] = of_variant["bound"]
            row[f"two-sided {percent}%"] = of_variant["both ends"]
    return markdown("Coverage at other levels", rows.values())
