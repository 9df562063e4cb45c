"""What the page shows of intervals: inclusion and tightness, ours and the 2024 paper's."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import Row
from benchmarks.validation import paper
from benchmarks.validation.rows import leading, row_of, sample_of, table, variants_of
from benchmarks.validation.run import settings_of
from benchmarks.validation.settings import Part, Setting
from benchmarks.validation.store import Store
from benchmarks.validation.summary import Figure, Sample, average, differs
from benchmarks.validation.variants import VARIANTS, Group

FEW = 0.9
"""Share of repetitions with an interval below which their number is shown."""


def inclusion_block(folder: Path, store: Store) -> str:
    """A summary over the settings of the paper; inclusion and tightness by setting."""
    settings = settings_of(Part.INCLUSION, folder)
    names = ("metric", "law", "N", "C", "class 0", "n")
    parts = [_summary([s for s in settings if s.of_paper], store)]
    for group in Group:
        variants = variants_of(Part.INCLUSION, group)
        for title, measure in (("Inclusion", _inclusion), ("Tightness", Sample.tightness)):
            rows = [row_of(s, store, names, measure, variants, bounds=True) for s in settings]
            parts.append(table(f"{title}: {group}", names, rows))
    return "\n\n".join(part for part in parts if part)


def _summary(settings: Sequence[Setting], store: Store) -> str:
    """One row for each variant, over settings."""
    rows: list[Row] = []
    for variant in variants_of(Part.INCLUSION):
        every = [sample_of(s, store, variant) for s in settings]
        found = [one for one in every if one.n_bounds]
        if not found:
            continue
        inclusions = [one.inclusion() for one in found]
        n_said = sum(len(one) + one.n_problems for one in every)
        rows.append(
            {
                "variant": f"`{variant.name}`",
                "settings": len(found),
                "mean inclusion": average(inclusions),
                "least": min(inclusions, key=lambda one: one.value),
                "too low in": sum(bool(one.mark) for one in inclusions),
                "mean tightness": average(one.tightness() for one in found),
                "without interval": f"{1 - sum(one.n_bounds for one in found) / n_said:.0%}",
            }
        )
    return table("The settings of the 2024 paper together", ("variant",), rows)


def paper_block(folder: Path, store: Store) -> str:
    """Our inclusion and tightness beside the paper's."""
    settings = [s for s in settings_of(Part.INCLUSION, folder) if s.of_paper]
    variants = [one for one in VARIANTS if one.name in paper.METHODS]
    names = ("law", "N", "C", "class 0", "n")
    parts = []
    for title, beside in (("Inclusion", _inclusions), ("Tightness", _tightnesses)):
        rows = []
        for setting in settings:
            row = leading(setting, store, names)
            for variant in variants:
                theirs = paper.published().get((setting.key, variant.name))
                ours = sample_of(setting, store, variant)
                if theirs and ours.n_bounds:
                    row[variant.name] = beside(ours, theirs)
            rows.append(row)
        parts.append(table(f"{title}, ours and the paper's", names, rows))
    return "\n\n".join(part for part in parts if part)


def real_block(folder: Path, store: Store) -> str:
    """A table for each study: every variant's bias, spread, inclusion and tightness."""
    parts = []
    for setting in settings_of(Part.REAL, folder):
        told = setting.row
        title = f"{told['data']}, N = {told['N']}, {told['C']}, {told['metric']}"
        rows = []
        for variant in variants_of(Part.REAL):
            one = sample_of(setting, store, variant)
            if len(one):
                rows.append({"variant": f"`{variant.name}`", "n": len(one)} | _every_figure(one))
        parts.append(table(title, ("variant", "n"), rows))
    return "\n\n".join(part for part in parts if part)


def _every_figure(one: Sample) -> Row:
    row: Row = {"bias": one.bias(), "standard deviation": one.spread(), "RMSE": one.rmse()}
    if one.n_bounds:
        row |= {"inclusion": _inclusion(one), "tightness": one.tightness()}
    return row


def _inclusion(one: Sample) -> str:
    """Share of intervals that hold the truth, and their number where many are missing."""
    n = len(one) + one.n_problems
    return f"{one.inclusion()}" + (f" [{one.n_bounds}]" if one.n_bounds < FEW * n else "")


def _inclusions(ours: Sample, theirs: paper.Published) -> str:
    share = ours.inclusion()
    other = differs(ours.n_included, ours.n_bounds, theirs.inclusion, paper.N_REPETITIONS)
    return f"{Figure(share.value, share.error)}, {theirs.inclusion:.3f}{' ≠' if other else ''}"


def _tightnesses(ours: Sample, theirs: paper.Published) -> str:
    return f"{ours.tightness()}, {theirs.tightness:.3f}"
