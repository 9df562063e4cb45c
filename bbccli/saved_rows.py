"""The table of a batch read back: documents with as much as a gate needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bbccli.errors import InputError
from bbccli.readers.tables import read_frame
from bbccli.schema import ERROR_SCHEMA
from bbccli.types import TIE_TOLERANCE, GateOn, GateOutcome

Json = dict[str, Any]

NEEDED = (
    *("path", "metric", "direction", "method", "value", "lower", "upper", "side", "level"),
    *("notes", "gate", "gate_threshold", "gate_margin", "version"),
)

OF_ANALYSIS = (
    *("path", "sha256", "selected_by", "pooling", "select", "interval_kind", "guard", "clip"),
    "seed",
)
"""Columns that are the same in all rows of a document."""


def is_table(path: str) -> bool:
    """Whether a path is that of a table, by its suffix."""
    return path.lower().endswith(".parquet")


def read_rows(path: str) -> list[Json]:
    """Return the documents of the table of a batch, and error documents, in the order of its rows.

    Raises
    ------
    InputError
        A file that can't be read, or a table of something else.
    """
    table: Any = read_frame(path).table
    missing = [name for name in NEEDED if name not in table.column_names]
    if missing:
        raise InputError(
            f"is no table of `bbc batch`: it has no column {missing[0]!r}",
            path=path,
            hint="a .parquet or .jsonl file that `bbc batch` wrote",
        )
    return [_document(rows) for rows in _grouped(_rows(table))]


def _rows(table: Any) -> Iterator[Json]:
    columns = [table.column(name).to_pylist() for name in table.column_names]
    for cells in zip(*columns, strict=True):
        yield dict(zip(table.column_names, cells, strict=True))


def _grouped(rows: Iterable[Json]) -> list[list[Json]]:
    """Rows of one document stand together; a method that comes again begins the next."""
    groups: list[list[Json]] = []
    analysis, seen = None, set[tuple[str, str]]()
    for row in rows:
        same = tuple(row.get(name) for name in OF_ANALYSIS)
        method = (row["metric"], row["method"])
        if row.get("error") is not None or same != analysis or method in seen:
            groups.append([])
            analysis, seen = same, set()
        groups[-1].append(row)
        seen.add(method)
    return groups


def _document(rows: list[Json]) -> Json:
    first = rows[0]
    if first.get("error") is not None:
        status = first.get("status")
        error = {"problem": first["error"], "hint": first.get("hint") or ""}
        error |= {"status": 2 if status is None else status}
        held = {"schema": ERROR_SCHEMA, "version": first["version"], "path": first["path"]}
        return held | {"error": error}
    verdicts = [row for row in rows if row["gate"] is not None]
    return {
        "input": {"path": first["path"]},
        "estimates": [_estimate(row) for row in rows],
        "notes": [],
        "gate": _gate(verdicts[0]) if verdicts else None,
    }


def _estimate(row: Json) -> Json:
    ends = {name: row[name] for name in ("lower", "upper", "side", "level")}
    return {
        **{name: row[name] for name in ("metric", "direction", "method", "value")},
        "interval": None if row["side"] is None else ends,
        "notes": [{"code": code} for code in (row["notes"] or "").split()],
    }


def _gate(row: Json) -> Json:
    """The verdict of a row; its figure is as far from the threshold as the margin says."""
    threshold, margin, undecided = row["gate_threshold"], row["gate_margin"], None
    if row["gate"] == GateOutcome.UNDECIDED or margin is None:
        figure, undecided = None, "it was when the table was written"
    else:
        figure = threshold + margin if row["direction"] == "maximize" else threshold - margin
    near = figure is not None and abs(figure - row["value"]) <= TIE_TOLERANCE
    return {
        **{name: row[name] for name in ("metric", "method", "direction")},
        "threshold": threshold,
        "margin": margin,
        "on": (GateOn.ESTIMATE if near else GateOn.BOUND).value,
        "value": figure,
        "outcome": row["gate"],
        "reason": undecided or "",
    }
