"""The table of a batch read back: documents with as much as a gate needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bbccli.documents import Document, Json
from bbccli.errors import InputError
from bbccli.readers.arrow import is_nothing, is_number, is_text
from bbccli.readers.sources.opening import read_table
from bbccli.readers.table import Table, check_names
from bbccli.schema import ERROR_SCHEMA, Envelope, ErrorEnvelope
from bbccli.types import TIE_TOLERANCE, Direction, GateOn, GateOutcome, Side

NEEDED = (
    *("path", "metric", "direction", "method", "value", "lower", "upper", "side", "level"),
    *("notes", "gate", "gate_threshold", "gate_margin", "version"),
    *("n_configurations", "ignores_selection", "experimental"),
)

TEXTS = (
    *("path", "sha256", "metric", "selected_by", "direction", "method", "side", "notes", "gate"),
    *("version", "error", "hint"),
)
NUMBERS = (
    *("value", "lower", "upper", "level", "gate_threshold", "gate_margin", "status"),
    "n_configurations",
)
ALWAYS = ("path", "metric", "direction", "method")
WORDS = {"direction": tuple(Direction), "side": tuple(Side), "gate": tuple(GateOutcome)}

HINT = "a .parquet or .jsonl file that `bbc batch` wrote"

OF_ANALYSIS = (
    *("path", "sha256", "selected_by", "pooling", "select", "interval_kind", "guard", "clip"),
    *("seed", "models", "cap"),
)
"""Columns that are the same in all rows of a document."""


def is_table(path: str) -> bool:
    """Whether a path is that of a table, by its suffix."""
    return path.lower().endswith(".parquet")


def is_batch(path: str) -> bool:
    """Whether a table has the columns that a batch writes, and is not one of predictions.

    Raises
    ------
    InputError
        A file that can't be read.
    """
    return set(NEEDED) <= set(read_table(path).names)


def read_rows(path: str) -> list[Document[Any]]:
    """Return the documents of the table of a batch, and error documents, in the order of its rows.

    Raises
    ------
    InputError
        A file that can't be read, or a table of something else.
    """
    frame = read_table(path)
    check_names(frame)
    table: Any = frame.data
    missing = [name for name in NEEDED if name not in table.column_names]
    if missing:
        raise InputError(
            f"is not a table of `bbc batch`: it has no column {missing[0]!r}",
            path=path,
            hint=HINT,
        )
    _check_kinds(frame)
    rows = list(_rows(table))
    for position, row in enumerate(rows):
        _check(row, path, position)
    return [_document(rows) for rows in _grouped(rows)]


def _check_kinds(frame: Table) -> None:
    """Text where there is text, and numbers where there are numbers, or nothing at all."""
    for name in (name for name in (*TEXTS, *NUMBERS) if name in frame.names):
        kind = frame.type_of(name)
        fits = is_text(kind) if name in TEXTS else is_number(kind)
        if not (fits or is_nothing(kind)):
            raise InputError(
                f"is not a table of `bbc batch`: {'numbers' if name in NUMBERS else 'text'} "
                f"expected, not {kind}",
                path=frame.path,
                column=name,
                hint=HINT,
            )


def _check(row: Json, path: str, position: int) -> None:
    """What a document can't do without, and words that have a meaning."""
    without_result = row.get("error") is not None
    lacking = [name for name in (("path",) if without_result else ALWAYS) if row[name] is None]
    if row["gate"] is not None and row["gate_threshold"] is None:
        lacking.append("gate_threshold")
    strange = [name for name, words in WORDS.items() if row[name] not in (None, *words)]
    for name in (*lacking, *strange):
        found = "nothing" if row[name] is None else repr(row[name])
        raise InputError(
            f"is not a table of `bbc batch`: {found} stands in row {position}",
            path=path,
            column=name,
            hint=HINT,
        )


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


def _document(rows: list[Json]) -> Document[Any]:
    first = rows[0]
    if first.get("error") is not None:
        status = first.get("status")
        error = {"problem": first["error"], "hint": first.get("hint") or ""}
        error |= {"status": 2 if status is None else status}
        held = {"schema": ERROR_SCHEMA, "version": first["version"], "path": first["path"]}
        return Document(held, ErrorEnvelope, error=error)
    verdicts = [row for row in rows if row["gate"] is not None]
    return Document(
        kind=Envelope,
        input={name: first[name] for name in ("path", "n_configurations")},
        estimates=[_estimate(row) for row in rows],
        notes=[],
        gate=_gate(verdicts[0]) if verdicts else None,
    )


def _estimate(row: Json) -> Json:
    ends = {name: row[name] for name in ("lower", "upper", "side", "level")}
    return {
        **{name: row[name] for name in ("metric", "direction", "method", "value")},
        **{name: row[name] for name in ("ignores_selection", "experimental")},
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
    known = figure is not None and row["value"] is not None
    near = known and abs(figure - row["value"]) <= TIE_TOLERANCE
    return {
        **{name: row[name] for name in ("metric", "method", "direction")},
        "threshold": threshold,
        "margin": margin,
        "on": (GateOn.ESTIMATE if near else GateOn.BOUND).value,
        "value": figure,
        "outcome": row["gate"],
        "reason": undecided or "",
    }
