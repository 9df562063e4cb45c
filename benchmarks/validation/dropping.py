"""What the page shows of dropping: speed-up, and bias of what is estimated after it."""

from pathlib import Path

from benchmarks.tables import Row
from benchmarks.validation.rows import beta, sample_of, table, variants_of
from benchmarks.validation.run import settings_of
from benchmarks.validation.settings import Part
from benchmarks.validation.store import Store
from benchmarks.validation.summary import mean_of

SAVED = ("speed-up", "winner kept", "truth lost")


def drop_block(folder: Path, store: Store) -> str:
    """A table for each setting, a row for each rule, beside methods that drop nothing."""
    parts = []
    for setting in settings_of(Part.DROP, folder):
        rows: list[Row] = []
        for variant in variants_of(Part.DROP):
            one = sample_of(setting, store, variant)
            if not len(one):
                continue
            row: Row = {"variant": f"`{variant.name}`", "n": len(one), "bias": one.bias()}
            row["standard deviation"] = one.spread()
            said = [r.get(variant.name, {}) for r in store.results(setting.key).values()]
            for name in SAVED:
                if values := [s[name] for s in said if name in s]:
                    row[name] = mean_of(values)
            rows.append(row)
        told = setting.row
        title = f"{beta(told['law'])}, N = {told['N']}, C = {told['C']}"
        parts.append(table(title, ("variant", "n"), rows))
    return "\n\n".join(part for part in parts if part)
