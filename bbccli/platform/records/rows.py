"""Estimates as rows: columns of all tables of results, values, and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("path", "sha256", "task", "n_samples", "n_configurations"),
    *("metric", "selected_by", "direction", "method", "winner"),
    *("naive", "value", "optimism", "lower", "upper", "level", "side"),
    *("n_resamples", "exact", "ignores_selection", "experimental"),
    *("value_error", "lower_error", "upper_error"),
    *("pooling", "select", "interval_kind", "guard", "seed"),
    *("gate", "gate_threshold", "gate_margin", "notes", "version", "clip", "models", "cap"),
    *("n_samples_read", "n_tried", "size_correction"),
    *("calibration", "cut", "tuned_for", "gain", "gain_lower", "gain_upper"),
)
"""Names of the columns, in order; more may follow in later versions."""

OF_ERROR = ("error", "hint", "status")
OF_BATCH = (*COLUMNS, *OF_ERROR)
"""Columns of the table of a batch."""

OF_ESTIMATE = (*COLUMNS[COLUMNS.index("metric") : COLUMNS.index("upper_error") + 1], "notes")
"""Columns that an estimate alone can fill."""

WHOLE = frozenset(
    {
        *("n_samples", "n_configurations", "n_resamples", "seed", "status", "resample"),
        *("n_samples_read", "n_tried"),
    }
)
REAL = frozenset(
    {
        *("naive", "value", "optimism", "lower", "upper", "level", "clip", "cap"),
        *("value_error", "lower_error", "upper_error", "gate_threshold", "gate_margin"),
        *("performance", "probability", "size_correction"),
        *("cut", "gain", "gain_lower", "gain_upper"),
    }
)
TRUTH = frozenset({"exact", "ignores_selection", "experimental", "guard"})
"""Columns that are not text."""


def rows_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row per estimate, by the names of the columns; values as they are."""
    return [_row(document, estimate) for estimate in document["estimates"]]


def estimate_row(estimate: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that depend on an estimate alone, by name."""
    interval = estimate["interval"] or {}
    error = estimate["error"] or {}
    return {
        **{name: value for name, value in estimate.items() if name in COLUMNS},
        **{name: interval.get(name) for name in ("lower", "upper", "level", "side")},
        **{f"{name}_error": error.get(name) for name in ("value", "lower", "upper")},
        "notes": codes(estimate["notes"]),
    }


def _row(document: dict[str, Any], estimate: dict[str, Any]) -> dict[str, Any]:
    read, plan, gate = document["input"], document["plan"], _gate_on(document, estimate)
    made = {"cut": None} | (estimate.get("made") or {})
    gained = [gain for gain in document.get("gains", ()) if gain["metric"] == estimate["metric"]]
    (gain,) = gained if gained and estimate["interval"] else ({"interval": {}},)
    return {
        **{name: value for name, value in read.items() if name in COLUMNS},
        **estimate_row(estimate),
        **{name: value for name, value in plan.items() if name in OF_PLAN},
        "select": plan["select"] + (f":{n}" if (n := plan.get("members")) else ""),
        "interval_kind": plan["interval"],
        "gate": gate.get("outcome"),
        "gate_threshold": gate.get("threshold"),
        "gate_margin": gate.get("margin"),
        "notes": codes([*document["notes"], *estimate["notes"]]),
        "version": document["version"],
        "cut": read.get("threshold") if made["cut"] is None else made["cut"],
        **{name: made.get(name) for name in ("calibration", "tuned_for")},
        "gain": gain.get("value"),
        **{f"gain_{end}": gain["interval"].get(end) for end in ("lower", "upper")},
    }


OF_PLAN = ("pooling", "select", "guard", "clip", "seed", "models", "cap")


def codes(notes: Any) -> str:
    """Return the codes of some notes, in one cell."""
    return " ".join(note["code"] for note in notes)


def _gate_on(document: dict[str, Any], estimate: dict[str, Any]) -> Any:
    """The verdict, on the row of the estimate that it judged; without a method, on all rows."""
    gate = document["gate"]
    if gate is None or gate["metric"] != estimate["metric"]:
        return {}
    return gate if gate["method"] in (None, estimate["method"]) else {}


KINDS = (
    dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(REAL, "float64") | dict.fromkeys(TRUTH, "bool")
)


def dtypes_of_rows(*records: type) -> dict[str, str]:
    """Return the data-frame types of the record fields that are numbers or booleans."""
    kinds = {float: "float64", int: "Int64", bool: "bool"}
    dtypes = {}
    for record in records:
        for name, hint in get_type_hints(record).items():
            matching = [kinds[kind] for kind in (hint, *get_args(hint)) if kind in kinds]
            if matching and get_origin(hint) is not tuple:
                dtypes[name] = matching[0]
    return dtypes


def frame_of(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    kinds: Mapping[str, str] = MappingProxyType(KINDS),
) -> pd.DataFrame:
    """Return rows as a data frame: floats, nullable whole numbers, booleans, and text.

    kinds: of the columns that are not text.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series([row.get(name) for row in rows], dtype=kinds.get(name, "object"))
            for name in columns
        }
    )
