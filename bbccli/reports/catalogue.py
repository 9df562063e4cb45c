"""The catalogue of methods and metrics: one in full, or all of them in groups, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill

from bbccli.documents.gate import NAIVE
from bbccli.errors import OptionError, nearest
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.metrics import ALIASES, METRICS, Metric, canonical, meant_by, metric_named
from bbccli.notes import NOTES, listing
from bbccli.platform.records import Json
from bbccli.reports import Style
from bbccli.reports.content.explain import of_method, of_metric
from bbccli.reports.forms.terminal import NARROWEST, terminal
from bbccli.stats.intervals import INTERVALS

MIN_WORD = 3
"""Letters of a word that is looked for in summaries, at least one more."""


def methods(name: str | None) -> list[Json]:
    """Return everything about each method, or about one.

    Raises OptionError: there is none of the name.
    """
    if name is not None and name not in METHODS:
        raise OptionError(f"no method named {name!r}", hint=hint_of(name, METHODS, "methods"))
    return [_of_method(METHODS[method]) for method in (METHODS if name is None else [name])]


def metrics(name: str | None) -> list[Json]:
    """Return everything about each metric, or about one, by any of its names.

    Raises OptionError: there is none of the name.
    """
    if name is None:
        return [_of_metric(metric) for metric in METRICS.values()]
    if canonical(name, METRICS) not in METRICS and ":" not in name:
        spellings = [*METRICS, *(alias.replace("_", "-") for alias in ALIASES)]
        hint = hint_of(name.lower().replace("_", "-"), spellings, "metrics")
        raise OptionError(f"no metric named {name!r}", hint=hint)
    return [_of_metric(metric_named(name))]


def hint_of(name: str, known: Iterable[str], command: str) -> str:
    """Return a hint for an unknown name: its meaning elsewhere, or similar names.

    Where no name is, those count whose summary has the word.

    Parameters
    ----------
    known
        Names that the command would have taken.
    command
        That lists them.
    """
    told = {code: one.meaning for code, one in NOTES.items()}
    told |= {name: method.summary for name, method in METHODS.items()}
    told |= {name: metric.summary for name, metric in METRICS.items()}
    known, word = list(dict.fromkeys(known)), name.lower()
    other = canonical(meant_by(word.replace("_", "-")), METRICS)
    if other in (*told, *INTERVALS) and other not in known:
        return f"bbc explain {other}"
    meant = [one for one in known if len(word) > MIN_WORD and word in told.get(one, "").lower()]
    others = f"{listing(meant)} may be what you mean; " if meant else ""
    return nearest(
        other if other in known else name, known, f"{others}bbc {command} lists all names"
    )


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
    """Return a line on each method or metric; for a single one the text of `bbc explain`."""
    if len(documents) == 1:
        return terminal((of_metric if "tasks" in documents[0] else of_method)(documents[0]), style)
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
