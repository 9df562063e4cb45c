"""Predictions as Parquet and CSV with their metadata, the same bytes every time."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn

from configurations import Configuration
from cross_validation import Array

Columns = Mapping[str, Array]
Json = Mapping[str, Any]


def metadata(
    task: str,
    configurations: Sequence[Configuration],
    folds: Array,
    seed: int,
    *,
    outcome: Array | None = None,
    stratified: bool = True,
    flags: Sequence[str] = (),
) -> dict[str, Any]:
    """Metadata of a file; `outcome` is given where it has classes, flags hold for all."""
    described: dict[str, Any] = {
        "spec": "bbc-predictions",
        "version": "1",
        "layout": "wide",
        "task": task,
    }
    if outcome is not None:
        described["classes"] = [str(label) for label in np.unique(outcome)]
    return described | {
        "configs": [_entry(one, flags) for one in configurations],
        "n_candidates_total": len(configurations),
        "cv": {
            "n_folds": len(np.unique(folds)),
            "n_repeats": len(folds),
            "stratified": stratified,
            "seed": seed,
        },
        "source": {"tool": "scikit-learn", "tool_version": sklearn.__version__},
    }


def write_parquet(path: Path, columns: Columns, described: Json) -> None:
    """Write the columns, with the metadata under the file-level key `bbc`."""
    table = pa.Table.from_arrays([pa.array(column) for column in columns.values()], list(columns))
    text = json.dumps(described, separators=(",", ":"))
    table = table.replace_schema_metadata({"bbc": text})
    pq.write_table(table, path, compression="zstd")


def write_csv(path: Path, columns: Columns, described: Json) -> None:
    """Write the columns, and the metadata beside them as `<name>.meta.json`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*map(_cells, columns.values()), strict=True))
    write_json(path.with_suffix(".meta.json"), described)


def write_json(path: Path, content: Json) -> None:
    """Write indented JSON in the order of its keys."""
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _entry(configuration: Configuration, flags: Sequence[str]) -> dict[str, Any]:
    """What the metadata says about one configuration."""
    entry = {
        "id": configuration.id,
        "family": configuration.family,
        "params": configuration.params,
        "complexity": configuration.complexity,
    }
    return entry | {"flags": list(flags)} if flags else entry


def _cells(column: Array) -> list[str]:
    """Text of each value; a float32 is widened first, so that reading float64 gives it back."""
    if column.dtype.kind == "f":
        return [repr(float(value)) for value in column]
    return [str(value) for value in column]
