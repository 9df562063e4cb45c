"""Estimates as rows of CSV (RFC 4180), for spreadsheets and data frames."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from typing import Any

from bbccli.reports.base import Style
from bbccli.text import visible

Json = dict[str, Any]

COLUMNS = (
    "path",
    "sha256",
    "task",
    "n_samples",
    "n_configurations",
    "metric",
    "selected_by",
    "direction",
    "method",
    "winner",
    "naive",
    "value",
    "optimism",
    "lower",
    "upper",
    "level",
    "side",
    "n_resamples",
    "exact",
    "ignores_selection",
    "experimental",
    "value_error",
    "lower_error",
    "upper_error",
    "pooling",
    "select",
    "interval_kind",
    "guard",
    "seed",
    "gate",
    "gate_threshold",
    "gate_margin",
    "notes",
    "version",
    "clip",
)
"""Names of the columns, in order; more may follow in later versions."""

_FORMULA = ("=", "+", "-", "@")


def render(document: Json, style: Style = Style(), /) -> str:
    """Return one row per estimate under a header; numbers in full, nothing for null."""
    return render_all([document])


def render_all(documents: Iterable[Json], style: Style = Style(), /) -> str:
    """Return the rows of several documents under one header."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for document in documents:
        for row in rows_of(document):
            writer.writerow(guarded(row[name]) for name in COLUMNS)
    return buffer.getvalue()


def rows_of(document: Json) -> list[Json]:
    """Return one row per estimate, by the names of the columns; values as they are."""
    return [_row(document, estimate) for estimate in document["estimates"]]


def guarded(value: object) -> object:
    """Keep text on one line, and a spreadsheet from taking it for a formula: a quote marks it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _row(document: Json, estimate: Json) -> Json:
    read, plan, interval = document["input"], document["plan"], estimate["interval"] or {}
    error, gate = estimate["error"] or {}, _gate_on(document, estimate)
    return {
        **{name: read[name] for name in ("path", "sha256", "task", "n_samples")},
        **{name: estimate.get(name) for name in COLUMNS if name in estimate},
        **{name: interval.get(name) for name in ("lower", "upper", "side")},
        **{f"{name}_error": error.get(name) for name in ("value", "lower", "upper")},
        "n_configurations": read["n_configurations"],
        "level": interval.get("level"),
        "pooling": plan["pooling"],
        "select": plan["select"],
        "interval_kind": plan["interval"],
        "guard": plan["guard"],
        "clip": plan["clip"],
        "seed": plan["seed"],
        "gate": gate.get("outcome"),
        "gate_threshold": gate.get("threshold"),
        "gate_margin": gate.get("margin"),
        "notes": " ".join(n["code"] for n in [*document["notes"], *estimate["notes"]]),
        "version": document["version"],
    }


def _gate_on(document: Json, estimate: Json) -> Json:
    """The verdict, on the row of the estimate that it is about; one without a method on all."""
    gate = document["gate"]
    if gate is None or gate["metric"] != estimate["metric"]:
        return {}
    return gate if gate["method"] in (None, estimate["method"]) else {}
