"""The lists of methods and metrics, and everything about one of them."""

from __future__ import annotations

from collections.abc import Mapping

from bbccli.cli.output import style_for_stdout, write
from bbccli.documents import Json
from bbccli.errors import OptionError, nearest
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, metric_named
from bbccli.reports import FORMS, Kind


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
    _print(every, name, form)


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
    _print(every, name, form)


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
