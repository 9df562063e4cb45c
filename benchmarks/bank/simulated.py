"""The tables of simulated settings, the chart of bias, and our coverage beside the 2024 paper's."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from benchmarks.bank import chart
from benchmarks.bank.figures import sums_of
from benchmarks.bank.items import SIMULATIONS
from benchmarks.bank.lines import FEWEST, lines, markdown
from benchmarks.tables import Row
from benchmarks.validation import paper
from benchmarks.validation.page import table
from benchmarks.validation.settings import Setting, beta, bias_settings, inclusion_settings
from benchmarks.validation.summary import Figure, differs, mean_of, rmse_of, share_of

LEVEL = 0.95

BIASED = ("cvt", "tt", "nested-selection", "bbc", "bbc-632")
"""Methods of the study of bias."""

SHOWN_C = (50, 200, 1000)
"""Numbers of configurations in its table."""

PANELS_C = (50, 200, 500, 2000)

OF_PAPER = {
    "naive-f": ("naive-f", "percentile"),
    "bbc": ("bbc", "percentile, no guard"),
    "bbc-f": ("bbc-f", "percentile"),
} | {
    method: (method, "own")
    for method in (
        *("delong", "hanley-mcneil", "tilting"),
        *("delong-10p", "hanley-mcneil-10p", "tilting-10p", "mabt"),
    )
}
"""Variants by the names of the methods in the paper's files."""


def of_simulations(frame: pd.DataFrame) -> str:
    """Simulated settings: those of the papers, and those beyond."""
    of_2024 = [one.key for one in inclusion_settings() if one.of_2024]
    parts = {
        "The settings of 2018": [one.key for one in bias_settings()],
        "The settings of 2024": of_2024,
        "Beyond the papers": [one.key for one in inclusion_settings() if not one.of_2024],
    }
    parts_shown = []
    for title, names in parts.items():
        rows = frame[frame["population"].isin(names)]
        n = rows.groupby(["population", "size"])["repetition"].transform("nunique")
        rows = rows[n >= FEWEST]
        if len(rows):
            sums = sums_of(rows)
            note = f"{sums.n_studies:,} repetitions of {len(sums.cells)} settings ({SIMULATIONS})."
            parts_shown.append(markdown(title, lines(sums), note))
    return "\n\n".join(parts_shown)


def of_bias(frame: pd.DataFrame) -> str:
    """Bias and RMSE of each method in accuracy, for one law."""
    errors = _errors(frame)
    rows: list[Row] = []
    for setting in bias_settings():
        law, n, c = (setting.row[name] for name in ("law", "N", "C"))
        if law != (9, 6) or c not in SHOWN_C:
            continue
        by_method = {name: errors.get((setting.key, name)) for name in BIASED}
        row: Row = {"N": n, "C": c}
        row |= {
            name: f"{mean_of(off)}, {rmse_of(off)}"
            for name, off in by_method.items()
            if off is not None
        }
        rows.append(row)
    return table(f"Bias and RMSE, true accuracies from {beta((9, 6))}", ("N", "C"), rows)


def bias_chart(frame: pd.DataFrame) -> str:
    """Rows of laws, columns of numbers of configurations, a line for each method."""
    errors = _errors(frame)
    panels: dict[tuple[tuple[int, int], int], dict[str, dict[int, Figure]]] = {}
    for setting in bias_settings():
        law, n, c = (setting.row[name] for name in ("law", "N", "C"))
        if c in PANELS_C:
            drawn = panels.setdefault((law, c), {name: {} for name in BIASED})
            for name in BIASED:
                if (setting.key, name) in errors:
                    drawn[name][n] = mean_of(errors[setting.key, name])
    rows = [
        [
            chart.Panel(f"{beta(law)}, C = {c}", panel)
            for (other, c), panel in panels.items()
            if other == law
        ]
        for law in dict.fromkeys(law for law, _ in panels)
    ]
    return chart.svg(rows, BIASED)


def _errors(frame: pd.DataFrame) -> Mapping[tuple[str, str], np.ndarray]:
    """Estimate minus truth, by setting of 2018 and method."""
    rows = frame[
        frame["population"].isin([one.key for one in bias_settings()])
        & frame["method"].isin(BIASED)
        & frame["interval"].isin(["", "percentile"])
        & frame["estimate"].notna()
    ]
    return {
        key: part.to_numpy()
        for key, part in rows.groupby(["population", "method"], sort=False)["estimate"]
    }


def beside_the_paper(frame: pd.DataFrame) -> str:
    """Our inclusion and tightness beside the paper's, in its settings."""
    settings = [one for one in inclusion_settings() if one.of_2024]
    rows = frame[frame["population"].isin([one.key for one in settings])]
    by_variant = rows.groupby(["population", "method", "interval"])["one_95"]
    distances = {key: -part.to_numpy() for key, part in by_variant}
    inclusion, tightness = [], []
    for setting in settings:
        first, second = _leading(setting), _leading(setting)
        for method, variant in OF_PAPER.items():
            theirs = paper.published().get((setting.key, method))
            ours = distances.get((setting.key, *variant), np.array([]))
            ours = ours[np.isfinite(ours)]
            if theirs is None or not len(ours):
                continue
            k, n = int((ours >= 0).sum()), len(ours)
            mark = " ≠" if differs(k, n, theirs.inclusion, paper.N_REPETITIONS) else ""
            first[method] = f"{share_of(k, n, LEVEL)}, {theirs.inclusion:.3f}{mark}"
            second[method] = f"{mean_of(ours)}, {theirs.tightness:.3f}"
        inclusion.append(first)
        tightness.append(second)
    names = ("law", "N", "C", "class 0")
    parts = (
        table("Inclusion, ours and the paper's", names, inclusion),
        table("Tightness, ours and the paper's", names, tightness),
    )
    return "\n\n".join(part for part in parts if part)


def _leading(setting: Setting) -> Row:
    """The columns that say what a setting of 2024 is."""
    row = setting.row
    return {"law": beta(row["law"])} | {name: row[name] for name in ("N", "C", "class 0")}
