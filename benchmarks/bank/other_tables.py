"""The tables beside those of the studies: what was run, capped errors, nested, size correction."""

import pandas as pd

from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.items import SMALL
from benchmarks.bank.judged_by import CAP, FAMILIES, is_capped
from benchmarks.bank.lines import lines, main_ones, markdown, name_of
from benchmarks.bank.nesting import FILE, N_CONFIGURATIONS, N_REPEATS, NAMES
from benchmarks.bank.populations import POPULATIONS
from benchmarks.bank.variants import DEFAULT, PUBLISHED
from benchmarks.tables import Row
from benchmarks.validation.summary import share_of


def what_was_run(frame: pd.DataFrame) -> str:
    """List the populations, sizes and repetitions that were run."""
    counts = frame.groupby(["population", "size"])["repetition"].nunique()
    rows = [
        {
            "population": one.name,
            "half": one.half,
            "stands for": one.kind,
            "metrics": ", ".join((*one.metrics, *one.more)),
            "repetitions": ", ".join(
                f"{counts.get((one.name, size), 0)} of N = {size}" for size in one.sizes
            ),
        }
        for one in POPULATIONS
    ]
    return markdown("Populations and repetitions", rows, words=set(rows[0]))


def of_nested(frame: pd.DataFrame) -> str:
    """Results on nested cross-validations."""
    rows = frame[frame["population"].str.startswith(f"{FILE} ")] if len(frame) else frame
    if rows.empty:
        return ""
    sums = sums_of(rows)
    note = (
        f"{sums.n_studies:,} studies of {', '.join(NAMES)}, {N_CONFIGURATIONS} configurations, "
        f"{N_REPEATS} repeats of 5 outer folds; accuracy and Brier score."
    )
    return markdown("Nested cross-validation", lines(sums), note)


def of_ten_folds(frame: pd.DataFrame) -> str:
    """Results in ten folds by family of metrics, and how often intervals of 40 rows cover."""
    parts = []
    for family, metrics in FAMILIES.items():
        own = frame[frame["metric"].isin(metrics)]
        if own.empty:
            continue
        rows = {
            variant: name_of(variant) | {name: found[name] for name in TOLD}
            for variant, found in figures(sums_of(own)).items()
        }
        few = own[own["size"] == SMALL]
        for variant, found in figures(sums_of(few)).items() if len(few) else ():
            rows[variant][f"both ends, N = {SMALL}"] = found["both ends"]
        parts.append(markdown(f"{family[0].upper()}{family[1:]}, 10 folds", rows.values()))
    return "\n\n".join(parts)


TOLD = ("bias", "RMSE", "both ends", "width")


def of_size_correction(frame: pd.DataFrame) -> str:
    """BBC with its size correction and as published, of each metric that has one."""
    corrected, published = DEFAULT, (PUBLISHED, DEFAULT[1])
    sized = frame.loc[frame["method"] == PUBLISHED, "metric"].unique()
    rows = []
    for metric in sorted(sized):
        sized_rows = frame[
            (frame["metric"] == metric) & frame["method"].isin([PUBLISHED, DEFAULT[0]])
        ]
        by_variant = figures(sums_of(sized_rows[sized_rows["interval"] == DEFAULT[1]]))
        cells: Row = {"metric": metric}
        for name, variant in (("published", published), ("corrected", corrected)):
            cells |= {f"{m}, {name}": by_variant[variant][m] for m in ("bias", "RMSE", "both ends")}
        rows.append(cells)
    note = "In units of the corrected `bbc`, as elsewhere."
    return markdown("Size correction", rows, note, {"metric"}) if rows else ""


def of_capped(frame: pd.DataFrame) -> str:
    """Coverage of errors as they are, and with a cap."""
    populations = frame.loc[frame["metric"].map(is_capped).astype(bool), "population"].unique()
    chosen = frame[frame["population"].isin(populations) & (frame["method"] == DEFAULT[0])]
    if chosen.empty:
        return ""
    counts = coverage(sums_of(main_ones(chosen)), ["population", "metric"])
    rows = []
    for (population, metric), one in counts.groupby(["population", "metric"], sort=False):
        shares = {line.interval: f"{share_of(line.both, line.n)}" for line in one.itertuples()}
        rows.append({"population": population, "metric": metric, "n": int(one["n"].max())} | shares)
    note = f"Coverage of both ends of the 95% intervals of `bbc`; capped by `--cap {CAP:g}`."
    return markdown("Capped errors", rows, note, {"population", "metric"})
