"""The catalogue of methods and metrics: one in full, or all of them in groups, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from bbccli.core.documents import Json
from bbccli.errors import OptionError, nearest
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, metric_named
from bbccli.reports import Style
from bbccli.reports.blocks import BlockTable
from bbccli.reports.terminal import NARROWEST, terminal
from bbccli.schema.gate import NAIVE


def methods(name: str | None) -> list[Json]:
    """Return everything about each method, or about one.

    Raises
    ------
    OptionError
        There is none of the name.
    """
    if name is not None and name not in METHODS:
        raise OptionError(f"no method named {name!r}", hint=nearest(name, METHODS))
    return [_of_method(METHODS[one]) for one in (METHODS if name is None else [name])]


def metrics(name: str | None) -> list[Json]:
    """Return everything about each metric, or about one, by any of its names.

    Raises
    ------
    OptionError
        There is none of the name.
    """
    return [_of_metric(one) for one in (METRICS.values() if name is None else [metric_named(name)])]


def _of_method(method: Method) -> Json:
    return {
        "name": method.name,
        "summary": method.summary,
        "label": method.label,
        "needs": sorted(method.needs),
        "gives": sorted(method.gives),
        "ignores_selection": method.ignores_selection,
        "experimental": method.experimental,
        "default": method.name in DEFAULT_METHODS,
        "source": method.reference,
    }


def _of_metric(metric: Metric) -> Json:
    return {
        "name": metric.name,
        "summary": metric.summary,
        "label": metric.label,
        "aliases": [alias for alias, name in ALIASES.items() if name == metric.name],
        "tasks": sorted(metric.tasks),
        "needs": metric.wants.value,
        "direction": metric.direction.value,
        "bounds": list(metric.bounds),
        "formula": metric.formula,
        "under_weights": metric.under_weights,
        "undefined": metric.undefined,
        "remarks": metric.remarks,
        "source": metric.reference,
    }


def render(documents: Sequence[Json], style: Style) -> str:
    """Return what is known of each method or metric; of a single one all of it."""
    if len(documents) == 1:
        rows = [(key.replace("_", " "), _shown(value)) for key, value in documents[0].items()]
        (_, title), *shown = [row for row in rows if row[1]]
        return terminal([BlockTable.of_text(("name", title), shown)], style)
    width = max(len(facts["name"]) for facts in documents) + 2
    groups: dict[str, str] = {}
    for facts in documents:
        name = f"  {facts['name']:<{width}}"
        room = max(style.width, len(name) + NARROWEST)
        indent = " " * len(name)
        line = fill(facts["summary"], room, initial_indent=name, subsequent_indent=indent)
        groups[_title(facts)] = groups.get(_title(facts), "") + f"{line}\n"
    return "\n".join(f"{title}\n{lines}" for title, lines in groups.items())


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
