"""The lists of methods and metrics, and everything about one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from bbccli.cli.output import style_for_stdout, write
from bbccli.errors import OptionError, nearest
from bbccli.gate import NAIVE
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, metric_named

Facts = dict[str, Any]


def show_methods(name: str | None, form: str) -> None:
    """Print the methods, or all about one.

    Raises
    ------
    OptionError
        There is none of the name.
    """
    if name is not None and name not in METHODS:
        raise OptionError(f"no method named {name!r}", hint=nearest(name, METHODS))
    every = {one.name: _of_method(one) for one in METHODS.values()}
    _print(every, name, form, _kind)


def show_metrics(name: str | None, form: str) -> None:
    """Print the metrics, or all about one, by any of its names.

    Raises
    ------
    OptionError
        There is none of the name.
    """
    every = {one.name: _of_metric(one) for one in METRICS.values()}
    if name is not None:
        found = metric_named(name)
        name, every = found.name, every | {found.name: _of_metric(found)}
    _print(every, name, form, lambda facts: " and ".join(facts["tasks"]))


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
        write(json.dumps(_finite(chosen), indent=2, ensure_ascii=False) + "\n", "-")
    elif name is not None:
        from bbccli.reports.table import listing_table

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


def _finite(value: Any) -> Any:
    """JSON has no word for infinity: null, as in results."""
    from bbccli.schema import as_json

    if isinstance(value, list):
        return [_finite(one) for one in value]
    return {key: as_json(held) for key, held in value.items()}
