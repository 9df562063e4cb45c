"""Rows and tables of figures: one row for each setting, or for each variant."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.tables import Row, Table, as_markdown
from benchmarks.validation.settings import Part, Setting
from benchmarks.validation.store import Store
from benchmarks.validation.summary import Sample, sample
from benchmarks.validation.variants import VARIANTS, Group, Variant

WORDS = frozenset({"variant", "metric", "part"})
"""Columns set to the left."""

Measure = Callable[[Sample], object]


def sample_of(setting: Setting, store: Store, variant: Variant) -> Sample:
    """What a variant said of a setting."""
    return sample(store.results(setting.key).values(), variant.name, setting.metric)


def variants_of(part: Part, group: Group | None = None) -> list[Variant]:
    """Variants of a part, of one group or of all, whether or not they exist."""
    return [one for one in VARIANTS if part in one.parts and group in (None, one.group)]


def row_of(
    setting: Setting,
    store: Store,
    names: Sequence[str],
    measure: Measure,
    variants: Iterable[Variant],
    *,
    bounds: bool = False,
) -> Row:
    """What a setting is, its repetitions, and a measure of each variant that said anything."""
    row = leading(setting, store, names)
    for variant in variants:
        one = sample_of(setting, store, variant)
        if one.n_bounds if bounds else len(one):
            row[variant.name] = measure(one)
    return row


def leading(setting: Setting, store: Store, names: Sequence[str]) -> Row:
    """The columns that say what a setting is, and `n`, its repetitions."""
    told: dict[str, Any] = dict(setting.row) | {"n": len(store.results(setting.key))}
    if "law" in told:
        told["law"] = beta(told["law"])
    return {name: told[name] for name in names}


def table(title: str, names: Sequence[str], rows: Iterable[Row]) -> str:
    """A table of the rows that hold more than what they are, under a heading; or nothing."""
    kept = [row for row in rows if set(row) - set(names)]
    if not kept:
        return ""
    every = dict.fromkeys([*names, *(name for row in kept for name in row)])
    columns = {name: str if name in WORDS else shown for name in every}
    return as_markdown(Table(title, title, columns, kept))


def shown(value: object) -> str:
    """Any value; not `str` itself, which would set its column to the left."""
    return f"{value}"


def beta(law: Any) -> str:
    """Name of a Beta law."""
    return f"Be({law[0]}, {law[1]})"
