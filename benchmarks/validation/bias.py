"""What the page shows of the part on bias: tables, and Figure 1 of the 2018 paper."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import Row
from benchmarks.validation import chart
from benchmarks.validation.rows import beta, leading, row_of, sample_of, table, variants_of
from benchmarks.validation.run import settings_of
from benchmarks.validation.settings import Part, Setting
from benchmarks.validation.store import Store
from benchmarks.validation.summary import Figure, Sample, average

MOST_PANELS = 4
"""Numbers of configurations drawn side by side."""


def bias_block(folder: Path, store: Store) -> str:
    """A table of biases for each law, and one of spreads."""
    settings, names = settings_of(Part.BIAS, folder), ("N", "C", "n")
    parts = []
    for law in dict.fromkeys(s.row["law"] for s in settings):
        variants = variants_of(Part.BIAS)
        rows = [
            row_of(s, store, names, Sample.bias, variants) for s in settings if s.row["law"] == law
        ]
        parts.append(table(f"Bias, true accuracies from {beta(law)}", names, rows))
    parts.append(table("Standard deviation, RMSE", ("law", "N", "n"), _spreads(settings, store)))
    return "\n\n".join(part for part in parts if part)


def _spreads(settings: Sequence[Setting], store: Store) -> list[Row]:
    """Standard deviation and RMSE, means over the numbers of configurations."""
    rows = []
    for key in dict.fromkeys((s.row["law"], s.row["N"]) for s in settings):
        alike = [s for s in settings if (s.row["law"], s.row["N"]) == key]
        row = leading(alike[0], store, ("law", "N"))
        row["n"] = sum(len(store.results(s.key)) for s in alike)
        for variant in variants_of(Part.BIAS):
            found = [one for s in alike if len(one := sample_of(s, store, variant)) > 1]
            if found:
                spread = average(one.spread() for one in found)
                row[variant.name] = f"{spread}, {average(one.rmse() for one in found)}"
        rows.append(row)
    return rows


def bias_chart(folder: Path, store: Store) -> str:
    """Rows of laws, columns of numbers of configurations, a line for each method."""
    done = [s for s in settings_of(Part.BIAS, folder) if store.results(s.key)]
    if not done:
        return ""
    names = [one.name for one in variants_of(Part.BIAS)]
    sizes = sorted({s.row["C"] for s in done})
    sizes = sizes[:: -(-len(sizes) // MOST_PANELS)]
    rows = []
    for law in dict.fromkeys(s.row["law"] for s in done):
        alike = [s for s in done if s.row["law"] == law]
        rows.append([_panel(c, [s for s in alike if s.row["C"] == c], store) for c in sizes])
    drawn = [n for n in names if any(panel.lines[n] for row in rows for panel in row)]
    return chart.svg(rows, drawn)


def _panel(n_configurations: int, settings: Sequence[Setting], store: Store) -> chart.Panel:
    lines: dict[str, dict[int, Figure]] = {one.name: {} for one in variants_of(Part.BIAS)}
    for setting in settings:
        for variant in variants_of(Part.BIAS):
            if len(one := sample_of(setting, store, variant)):
                lines[variant.name][setting.row["N"]] = one.bias()
    law = beta(settings[0].row["law"]) if settings else ""
    return chart.Panel(f"{law}, C = {n_configurations}", lines)
