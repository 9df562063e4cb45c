"""Every resample of every estimate: performance out of the bag, and winner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import PurePath

import numpy as np

from bbccli.errors import OptionError
from bbccli.results import Estimate


def render_distributions(
    path: str, configurations: Sequence[str], estimates: Sequence[Estimate]
) -> bytes:
    """Return the content of a `.json` or `.parquet` file, chosen by the suffix of the path.

    One row, or record, per resample: method, metric, resample, performance, winner, and its
    probability, which is null for resamples that were drawn.

    Raises
    ------
    OptionError
        Another suffix.
    """
    suffix = PurePath(path).suffix
    if suffix not in (".json", ".parquet"):
        raise OptionError(
            f"--distribution cannot write {suffix or 'a file without suffix'}",
            hint="end the name with .json or .parquet",
        )
    columns = _columns(configurations, estimates)
    if suffix == ".json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return (json.dumps(rows, indent=0) + "\n").encode()
    return _parquet(columns)


def _columns(
    configurations: Sequence[str], estimates: Sequence[Estimate]
) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {name: [] for name in NAMES}
    for estimate in estimates:
        found = estimate.distribution
        if found is None:
            continue
        size = len(found.values)
        nothing = [None] * size
        columns["method"] += [estimate.method] * size
        columns["metric"] += [estimate.metric] * size
        columns["resample"] += range(size)
        columns["performance"] += found.values.tolist()
        columns["winner"] += [configurations[c] for c in found.winners]
        columns["probability"] += (
            nothing if found.probabilities is None else np.asarray(found.probabilities).tolist()
        )
    return columns


NAMES = ("method", "metric", "resample", "performance", "winner", "probability")


def _parquet(columns: dict[str, list[object]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    kinds = dict.fromkeys(NAMES, pyarrow.string())
    kinds |= {"resample": pyarrow.int64()}
    kinds |= dict.fromkeys(("performance", "probability"), pyarrow.float64())
    table = pyarrow.table({n: pyarrow.array(c, kinds[n]) for n, c in columns.items()})
    buffer = BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()
