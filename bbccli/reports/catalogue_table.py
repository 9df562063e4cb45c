"""The methods or metrics that there are: one in full, or all of them in groups, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from bbccli.documents import Json
from bbccli.gate import NAIVE
from bbccli.reports.base import Style
from bbccli.reports.layout import listing_table


def render(documents: Sequence[Json], style: Style) -> str:
    """Return what is known of each method or metric; of a single one all of it."""
    if len(documents) == 1:
        return _in_full(documents[0], style)
    width = max(len(facts["name"]) for facts in documents) + 2
    parts = [
        f"{title}\n" + "".join(f"  {facts['name']:<{width}}{facts['summary']}\n" for facts in group)
        for title, group in _groups(documents)
    ]
    return "\n".join(parts)


def _in_full(facts: Json, style: Style) -> str:
    rows = [(key.replace("_", " "), _shown(value)) for key, value in facts.items()]
    (_, title), *shown = [row for row in rows if row[1]]
    return listing_table(("name", title), shown, style)


def _groups(documents: Sequence[Json]) -> list[tuple[str, list[Json]]]:
    """Groups in the order in which their first member comes."""
    titles = list(dict.fromkeys(map(_title, documents)))
    ordered = sorted(documents, key=lambda facts: titles.index(_title(facts)))
    return [(title, list(group)) for title, group in groupby(ordered, _title)]


def _title(facts: Json) -> str:
    if "tasks" in facts:
        return " and ".join(facts["tasks"])
    if facts["name"] == NAIVE:
        return "for comparison"
    if facts["ignores_selection"]:
        return "ignore that the winner was selected"
    return "account for the selection of the winner"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        numbers = [f"{one:g}" for one in value if isinstance(one, float)]
        return " to ".join(numbers) if numbers else ", ".join(value)
    return str(value)
