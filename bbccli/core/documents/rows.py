"""Estimates as rows: the columns of every table of results, their values, and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from bbccli.core.documents.values import Json

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
    }
)
TRUTH = frozenset({"exact", "ignores_selection", "experimental", "guard"})
"""Columns that are not text."""


def rows_of(document: Json) -> list[Json]:
    """Return one row per estimate, by the names of the columns; values as they are."""
    return [_row(document, estimate) for estimate in document["estimates"]]


def row_of(estimate: Json) -> Json:
    """Return what an estimate alone says, by the names of the columns."""
    interval = estimate["interval"] or {}
    error = estimate["error"] or {}
    return {
        **{name: held for name, held in estimate.items() if name in COLUMNS},
        **{name: interval.get(name) for name in ("lower", "upper", "level", "side")},
        **{f"{name}_error": error.get(name) for name in ("value", "lower", "upper")},
        "notes": codes(estimate["notes"]),
    }


def _row(document: Json, estimate: Json) -> Json:
    read, plan, gate = document["input"], document["plan"], _gate_on(document, estimate)
    return {
        **{name: held for name, held in read.items() if name in COLUMNS},
        **row_of(estimate),
        **{name: held for name, held in plan.items() if name in OF_PLAN},
        "interval_kind": plan["interval"],
        "gate": gate.get("outcome"),
        "gate_threshold": gate.get("threshold"),
        "gate_margin": gate.get("margin"),
        "notes": codes([*document["notes"], *estimate["notes"]]),
        "version": document["version"],
    }


OF_PLAN = ("pooling", "select", "guard", "clip", "seed", "models", "cap")


def codes(notes: Any) -> str:
    """Return the codes of some notes, in one cell."""
    return " ".join(note["code"] for note in notes)


def _gate_on(document: Json, estimate: Json) -> Any:
    """The verdict, on the row of the estimate that it is about; one without a method on all."""
    gate = document["gate"]
    if gate is None or gate["metric"] != estimate["metric"]:
        return {}
    return gate if gate["method"] in (None, estimate["method"]) else {}


KINDS = (
    dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(REAL, "float64") | dict.fromkeys(TRUTH, "bool")
)


def kinds_of(*records: type) -> dict[str, str]:
    """Return what a data frame makes of those fields of records that are numbers, or yes or no."""
    kinds = {float: "float64", int: "Int64", bool: "bool"}
    found = {}
    for record in records:
        for name, hint in get_type_hints(record).items():
            known = [kinds[one] for one in (hint, *get_args(hint)) if one in kinds]
            if known and get_origin(hint) is not tuple:
                found[name] = known[0]
    return found


def frame_of(
    rows: Sequence[Json], columns: Sequence[str], kinds: Mapping[str, str] = MappingProxyType(KINDS)
) -> pd.DataFrame:
    """Return rows as a data frame: floats, nullable whole numbers, booleans, and text.

    Parameters
    ----------
    kinds
        Of the columns that are not text.
    """
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series([row.get(name) for row in rows], dtype=kinds.get(name, "object"))
            for name in columns
        }
    )
