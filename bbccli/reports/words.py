"""What every report for people says of a document, in the same words; names are not yet escaped."""

from __future__ import annotations

from typing import Any

from bbccli.methods import METHODS
from bbccli.reports.numbers import count, decimals_for, fixed, percent
from bbccli.reports.remarks import metric_label, metrics_of, plain

Json = dict[str, Any]


def winners(document: Json) -> dict[str, str]:
    """Each distinct winner, and the rules that selected it."""
    rules: dict[str, list[str]] = {}
    for estimate in document["estimates"]:
        rules.setdefault(estimate["winner"], []).append(_rule(estimate, document))
    size = document["input"]["n_configurations"]
    return {
        winner: f"best {' and '.join(dict.fromkeys(found))} of {size}"
        for winner, found in rules.items()
    }


def estimates_of(document: Json, metric: str) -> list[Json]:
    """Estimates of one metric, in order."""
    return [e for e in document["estimates"] if e["metric"] == metric]


def sentences(document: Json) -> list[str]:
    """The sentences to copy into a paper: of each metric the first estimate with an interval."""
    found = []
    for metric in metrics_of(document):
        estimates = estimates_of(document, metric)
        for estimate in [e for e in estimates if e["interval"]][:1]:
            found.append(sentence(estimate, document, max(decimals_of(estimates) - 1, 0)))
    return found


def sentence(estimate: Json, document: Json, decimals: int) -> str:
    """One estimate, its interval if it has one, and what it rests on."""
    figure = f"{metric_label(estimate['metric'])} {fixed(estimate['value'], decimals, 'undefined')}"
    parts = [estimate["method"].upper()]
    if estimate["n_resamples"] is not None:
        parts.append(_resamples(estimate, document))
    basis = ", ".join(parts)
    if estimate["interval"] is None:
        return f"{figure} ({basis})"
    interval = interval_text(estimate["interval"], decimals)
    return f"{figure} ({interval_name(document, [estimate])} {interval}; {basis})"


def method_label(name: str) -> str:
    """What a method does to the naive figure; empty for a method of another version."""
    return METHODS[name].label if name in METHODS else ""


def is_naive(estimate: Json) -> bool:
    """Whether this is the figure that is shown for comparison only."""
    return bool(estimate["method"] == "cvt")


def interval_name(document: Json, estimates: list[Json]) -> str:
    """Level, and which end is estimated when it is one."""
    level = percent(document["plan"]["level"])
    sides = {e["interval"]["side"] for e in estimates if e["interval"]}
    one_sided = f"{sides.pop()} bound" if sides and sides != {"two"} else ""
    return f"{level} {one_sided or 'interval'}"


def interval_text(interval: Json | None, decimals: int) -> str:
    """Both ends, or the one that was estimated."""
    if interval is None:
        return ""
    lower = fixed(interval["lower"], decimals, missing="unbounded")
    upper = fixed(interval["upper"], decimals, missing="unbounded")
    return {"lower": lower, "upper": upper}.get(interval["side"], f"{lower} to {upper}")


def decimals_of(estimates: list[Json]) -> int:
    """Decimals for the performances of one metric."""
    return decimals_for(e[key] for e in estimates for key in ("value", "naive"))


def gate_sentence(gate: Json) -> str:
    """Say what the gate found, and by how much.

    Examples
    --------
    >>> gate_sentence(
    ...     {"threshold": 0.8, "direction": "maximize", "on": "bound", "metric": "auc",
    ...      "method": "bbc", "value": 0.723, "margin": -0.077, "outcome": "missed", "reason": ""}
    ... )
    'gate missed: AUC, lower bound of bbc is 0.723, 0.077 under 0.8'
    """
    start = f"gate {gate['outcome']}: "
    if gate["outcome"] == "undecided":
        return f"{start}{gate['reason']}; what can't be computed does not pass"
    margin, threshold = gate["margin"], f"{gate['threshold']:.6g}"
    above = (margin > 0) == (gate["direction"] == "maximize")
    distance = f"{abs(margin):.3g} {'over' if above else 'under'} {threshold}"
    figure = f"{metric_label(gate['metric'])}, {judged_figure(gate)} is {gate['value']:.6g}"
    return f"{start}{figure}, {distance if margin else f'just {threshold}'}"


def gate_line(document: Json) -> str:
    """Name the data and say what the gate found, for a terminal."""
    return plain(f"{document['input']['path']}: {gate_sentence(document['gate'])}")


def judged_figure(gate: Json) -> str:
    """Name the figure that a gate looks at."""
    end = "lower" if gate["direction"] == "maximize" else "upper"
    figure = "estimate" if gate["on"] == "estimate" else f"{end} bound"
    return f"{figure} of {gate['method']}" if gate["method"] else figure


def _rule(estimate: Json, document: Json) -> str:
    by_fold = estimate["method"] == "bbc-f" or document["plan"]["pooling"] == "fold-mean"
    return "mean over folds" if by_fold else f"pooled {metric_label(estimate['selected_by'])}"


def _resamples(estimate: Json, document: Json) -> str:
    if estimate["exact"]:
        return f"all {count(estimate['n_resamples'], 'resample')}"
    return f"{count(estimate['n_resamples'], 'resample')}, seed {document['plan']['seed']}"
