"""`bbc methods`, `bbc metrics` and `bbc schema`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bbccli.cli import options as o
from bbccli.cli.output import style_for_stdout, write
from bbccli.documents import Json
from bbccli.errors import OptionError, nearest
from bbccli.json_schema import json_schema
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, metric_named
from bbccli.reports import FORMS, Kind


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
    _print(every, name, format)


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
    _print(every, name, format)


def schema() -> None:
    """Print the JSON Schema of what `--format json` writes.

    Examples:

      bbc schema

      bbc schema > bbc.schema.json
    """
    write(json.dumps(json_schema(), indent=2) + "\n", "-")


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


def _print(every: Mapping[str, Json], name: str | None, form: str) -> None:
    """Write one in full, or all of them."""
    chosen = list(every.values()) if name is None else [every[name]]
    write(FORMS[form].render(chosen, style_for_stdout(), Kind.CATALOGUE), "-")
