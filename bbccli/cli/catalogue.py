"""`bbc methods`, `bbc metrics` and `bbc schema`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from bbccli.cli import options as o
from bbccli.cli.output import style_for_stdout, write
from bbccli.documents import as_json
from bbccli.errors import OptionError, nearest
from bbccli.gate import NAIVE
from bbccli.json_schema import json_schema
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, metric_named
from bbccli.reports.json import text_of

Facts = dict[str, Any]


def methods(name: o.MethodToShow = None, format: o.CatalogueFormat = "table") -> None:
    """List the methods, one on each line; with a name, tell all about one.

    Examples:

      bbc methods

      bbc methods bbc

      bbc methods --format json
    """
    if name is not None and name not in METHODS:
        raise OptionError(f"no method named {name!r}", hint=nearest(name, METHODS))
    every = {one.name: _of_method(one) for one in METHODS.values()}
    _print(every, name, format, _kind)


def metrics(name: o.MetricToShow = None, format: o.CatalogueFormat = "table") -> None:
    """List the metrics, one on each line; with a name, tell all about one.

    Examples:

      bbc metrics

      bbc metrics auc

      bbc metrics --format json
    """
    every = {one.name: _of_metric(one) for one in METRICS.values()}
    if name is not None:
        found = metric_named(name)
        name, every = found.name, every | {found.name: _of_metric(found)}
    _print(every, name, format, lambda facts: " and ".join(facts["tasks"]))


def schema() -> None:
    """Print the JSON Schema of what `--format json` writes.

    Examples:

      bbc schema

      bbc schema > bbc.schema.json
    """
    write(json.dumps(json_schema(), indent=2) + "\n", "-")


def _kind(facts: Facts) -> str:
    if facts["name"] == NAIVE:
        return "for comparison"
    if facts["ignores_selection"]:
        return "ignore that the winner was selected"
    return "account for the selection of the winner"


def _of_method(method: Method) -> Facts:
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


def _of_metric(metric: Metric) -> Facts:
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


def _print(
    every: Mapping[str, Facts], name: str | None, form: str, kind: Callable[[Facts], str]
) -> None:
    """Write one in full, or all of them: in groups, one whole line each."""
    if form == "json":
        chosen = list(every.values()) if name is None else every[name]
        write(text_of(as_json(chosen)), "-")
    elif name is not None:
        from bbccli.reports.layout import listing_table

        rows = [(key.replace("_", " "), _shown(value)) for key, value in every[name].items()]
        (_, title), *facts = [row for row in rows if row[1]]
        write(listing_table(("name", title), facts, style_for_stdout()), "-")
    else:
        width = max(map(len, every)) + 2
        parts = [
            f"{title}\n"
            + "".join(f"  {facts['name']:<{width}}{facts['summary']}\n" for facts in group)
            for title, group in _groups(every, kind)
        ]
        write("\n".join(parts), "-")


def _groups(
    every: Mapping[str, Facts], kind: Callable[[Facts], str]
) -> list[tuple[str, list[Facts]]]:
    """Groups in the order in which their first member comes."""
    titles = list(dict.fromkeys(map(kind, every.values())))
    ordered = sorted(every.values(), key=lambda facts: titles.index(kind(facts)))
    return [(title, list(group)) for title, group in groupby(ordered, kind)]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        numbers = [f"{one:g}" for one in value if isinstance(one, float)]
        return " to ".join(numbers) if numbers else ", ".join(value)
    return str(value)
