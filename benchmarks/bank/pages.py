"""The tables of docs/validation.md and benchmarks/validation-tables.md, from the store alone."""

from inspect import getdoc
from pathlib import Path
from sys import modules

import pandas as pd

from benchmarks.bank import decision, picture
from benchmarks.bank.figures import sums_of
from benchmarks.bank.items import SMALL
from benchmarks.bank.judged_by import is_capped
from benchmarks.bank.lines import FEWEST
from benchmarks.bank.main_tables import (
    by_family,
    by_level,
    by_metric,
    by_search,
    by_size,
    in_short,
    misses,
    whole,
)
from benchmarks.bank.other_tables import (
    of_capped,
    of_nested,
    of_size_correction,
    of_ten_folds,
    what_was_run,
)
from benchmarks.bank.populations import BY_NAME
from benchmarks.bank.results import FOLDER, read
from benchmarks.bank.searches import MAIN
from benchmarks.bank.simulated import beside_the_paper, bias_chart, of_bias, of_simulations
from benchmarks.bank.verdicts import of_verdicts
from benchmarks.validation.page import DOCS, between

PAGES = ("validation.md", "../benchmarks/validation-tables.md")
BIAS_CHART = "validation-bias.svg"


def renew(store: Path = FOLDER, docs: Path = DOCS) -> None:
    """Put the tables between their markers; everything else is kept."""
    frame = read(store)
    blocks = blocks_of(frame)
    for name in PAGES:
        page = docs / name
        text = page.read_text(encoding="utf-8")
        for marker, block in blocks.items():
            text = between(text, marker, block)
        page.write_text(text, encoding="utf-8")
    (docs / BIAS_CHART).write_text(bias_chart(frame), encoding="utf-8")
    main = _main_search(frame)
    if len(main):
        (docs / picture.NAME).write_text(picture.picture(sums_of(main)), encoding="utf-8")


def blocks_of(frame: pd.DataFrame) -> dict[str, str]:
    """All blocks by the names of their markers; empty ones where nothing was run."""
    shown = _enough(frame)
    of_all = _of_all(shown)
    plain, every = _plain(shown), _plain(of_all)
    blocks = {
        "bank": (whole, every),
        "bank-in-short": (in_short, every),
        "bank-misses": (misses, plain),
        "bank-metrics": (by_metric, plain),
        "bank-sizes": (by_size, plain),
        "bank-searches": (by_search, every),
        "bank-levels": (by_level, every),
        "bank-families": (by_family, shown),
        "bank-capped": (of_capped, shown),
        "bank-size-correction": (of_size_correction, shown),
    }
    texts = {name: block(rows) if len(rows) else "" for name, (block, rows) in blocks.items()}
    texts["bank-ten-folds"] = _in_ten_folds(_plain(_enough(frame, 10)))
    texts["bank-populations"] = what_was_run(frame)
    texts["bank-verdicts"] = of_verdicts(shown) if len(shown) else ""
    texts["bank-rule"] = getdoc(modules[decision.__name__]) or ""
    texts["bank-nested"] = of_nested(frame)
    texts["bank-simulated"] = of_simulations(frame)
    texts["bank-bias"] = of_bias(frame)
    texts["bank-paper"] = beside_the_paper(frame)
    return texts


TEN = "Methods and intervals, 10 folds"


def _in_ten_folds(frame: pd.DataFrame) -> str:
    """All in one, of the metrics of the table in five folds; and by family."""
    return f"{whole(_of_all(frame), TEN)}\n\n{of_ten_folds(frame)}" if len(frame) else ""


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Without capped metrics, which have a table of their own."""
    return frame[~frame["metric"].map(is_capped).astype(bool)]


def _of_all(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the metrics and sizes on which all variants are judged."""
    metrics = {(one.name, metric) for one in BY_NAME.values() for metric in one.metrics}
    rows = zip(frame["population"], frame["metric"], strict=True)
    of_all = pd.Series([pair in metrics for pair in rows], frame.index, bool)
    return frame[of_all & (frame["size"] != SMALL)]


def _main_search(frame: pd.DataFrame) -> pd.DataFrame:
    """Describe the studies behind the table and the figure."""
    plain = _plain(_of_all(_enough(frame)))
    return plain[plain["search"] == MAIN]


def _enough(frame: pd.DataFrame, n_folds: int = 5) -> pd.DataFrame:
    """Rows of the populations, of the repetitions that every variant has, where they are enough.

    So figures that are relative to `bbc` are of the same studies.
    """
    names = [one.name for one in BY_NAME.values() if one.n_folds == n_folds]
    rows = frame[frame["population"].isin(names)]
    study = ["population", "size"]
    by_variant = rows.groupby([*study, "method", "interval"])["repetition"].nunique()
    common = by_variant.groupby(study).min().rename("common")
    n = rows[study].join(common, on=study)["common"]
    return rows[(n >= FEWEST) & (rows["repetition"] < n)]
