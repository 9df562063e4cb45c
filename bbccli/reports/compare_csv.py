"""What `bbc compare` says as rows of CSV: comparisons, members of the set, ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.core.documents import Json
from bbccli.reports.base import Style
from bbccli.reports.csv import as_text

OF_COMPARISONS = (
    *("path", "metric", "first", "second", "test", "first_selected", "second_selected"),
    *("first_value", "second_value", "difference", "corrected", "lower", "upper", "level"),
    *("bound", "bound_above", "statistic", "df", "p", "alternative", "p_adjusted", "adjustment"),
    *("error", "effect", "effect_size", "rope", "worse", "equal", "better", "n_units"),
    *("ignores_selection", "margin", "verdict", "notes"),
)
OF_MEMBERS = (
    *("path", "metric", "configuration", "performance", "difference", "lower", "upper", "level"),
    *("p", "inside"),
)


def render(documents: Sequence[Json], style: Style) -> str:
    """Return a row per comparison, or per configuration where only the set was asked for."""
    compared = any(document["comparisons"] or document["ranks"] for document in documents)
    columns, rows_of = (OF_COMPARISONS, _compared) if compared else (OF_MEMBERS, _members)
    return as_text(columns, (row for document in documents for row in rows_of(document)))


def _about(document: Json) -> Json:
    path = document["input"]["path"] if not document["data_sets"] else ""
    return {"path": path, "metric": document["metric"], "margin": document["margin"]}


def _compared(document: Json) -> Iterator[Json]:
    ranks = document["ranks"] or {"overall": [], "pairs": []}
    for one in [*document["comparisons"], *ranks["overall"], *ranks["pairs"]]:
        interval, effect = one["interval"] or {}, one["effect"] or {}
        yield (
            _about(document)
            | one
            | {name: interval.get(name) for name in ("lower", "upper", "level")}
            | {"effect": effect.get("name"), "effect_size": effect.get("value")}
            | {"df": " ".join(f"{df:g}" for df in one["df"])}
            | (one["beliefs"] or {})
            | {"notes": " ".join(note["code"] for note in one["notes"])}
        )


def _members(document: Json) -> Iterator[Json]:
    found = document["best_set"]
    for member in found["members"] if found else ():
        yield _about(document) | {"level": found["level"]} | member
