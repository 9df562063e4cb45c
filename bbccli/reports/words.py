"""What every report for people says of a document, in the same words; names are not yet escaped."""

from __future__ import annotations

from typing import Any

from bbccli.methods import METHODS
from bbccli.reports.numbers import count, decimals_for, fixed, percent
from bbccli.reports.remarks import metric_label, metrics_of, plain

Json = dict[str, Any]


RULES = {
    "best": "best",
    "one-se": "first within one standard error of the best",
    "one-se-simplest": "least complex within one standard error of the best",
}
"""Words for the rules of selection."""

OVER_FOLDS = frozenset({"tt", "bbc-f", "naive-f", "t-folds", "t-corrected"})
"""Methods that always select by the mean over folds."""


def winners(document: Json) -> dict[str, str]:
    """Each distinct winner, and the rules that selected it."""
    rules: dict[str, dict[str, list[str]]] = {}
    for estimate in document["estimates"]:
        of_winner = rules.setdefault(estimate["winner"], {})
        of_winner.setdefault(_field(estimate, document), []).append(_rule(estimate, document))
    start = RULES.get(document["plan"]["select"], "selected by")
    return {
        winner: f"{start} "
        + "; ".join(f"{' and '.join(dict.fromkeys(rule))} {field}" for field, rule in found.items())
        for winner, found in rules.items()
    }


def estimates_of(document: Json, metric: str) -> list[Json]:
    """Estimates of one metric, in order."""
    return [e for e in document["estimates"] if e["metric"] == metric]


def sentences(document: Json) -> list[str]:
    """The sentences to copy into a paper: of each metric the first estimate with an interval.

    An interval that ignores the selection, or has no width, is not for a paper.
    """
    found = []
    for metric in metrics_of(document):
        estimates = estimates_of(document, metric)
        for estimate in [e for e in estimates if _reportable(e)][:1]:
            found.append(sentence(estimate, document, max(decimals_of(estimates) - 1, 0)))
    return found


def sentence(estimate: Json, document: Json, decimals: int) -> str:
    """One estimate, its interval if it has one, and what it rests on."""
    figure = f"{metric_label(estimate['metric'])} {fixed(estimate['value'], decimals, 'undefined')}"
    basis = estimate["method"].upper()
    if estimate["interval"] is None:
        return f"{figure} ({basis})"
    basis = ", ".join([basis, *_kind(document, estimate), _basis(estimate, document)])
    interval = interval_text(estimate["interval"], decimals)
    return f"{figure} ({interval_name(document, [estimate])} {interval}; {basis})"


def method_label(estimate: Json) -> str:
    """What a method does to the naive figure, and what to beware of."""
    name = estimate["method"]
    words = [METHODS[name].label] if name in METHODS else []
    words += ["ignores selection"] if estimate["ignores_selection"] else []
    words += ["experimental"] if estimate["experimental"] else []
    return ", ".join(words)


def is_naive(estimate: Json) -> bool:
    """Whether this is the naive figure itself: an optimism of 0 would say nothing."""
    same = estimate["value"] == estimate["naive"] and estimate["ignores_selection"]
    return bool(estimate["method"] == "cvt" or same)


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


def _reportable(estimate: Json) -> bool:
    interval = estimate["interval"]
    if interval is None or estimate["ignores_selection"]:
        return False
    return interval["lower"] is None or interval["lower"] != interval["upper"]


def _rule(estimate: Json, document: Json) -> str:
    by_fold = estimate["method"] in OVER_FOLDS or document["plan"]["pooling"] == "fold-mean"
    pooled = f"pooled {metric_label(estimate['selected_by'])}"
    return "mean over folds" if by_fold and estimate["n_preselected"] is None else pooled


def _field(estimate: Json, document: Json) -> str:
    """Among how many configurations the winner won, and in which samples where not in all."""
    read, held_out = document["input"], estimate["n_evaluation"]
    preselected = estimate["n_preselected"]
    among = read["n_configurations"] if preselected is None else f"{preselected} preselected"
    if held_out is None:
        return f"of {among}"
    n_samples = read["n_samples"]
    n_deciding = n_samples - held_out if preselected is None else held_out
    return f"of {among} in {n_deciding} of {n_samples} samples"


def _kind(document: Json, estimate: Json) -> list[str]:
    """How the interval was made, where that is not the usual way."""
    plan = document["plan"]
    if estimate["n_resamples"] is None:
        return []
    kinds = [] if plan["interval"] == "percentile" else [plan["interval"]]
    return kinds + (["guarded"] if plan["guard"] else [])


def _basis(estimate: Json, document: Json) -> str:
    """What the interval rests on: resamples, or the samples that evaluated the winner."""
    if estimate["n_resamples"] is None:
        held_out = estimate["n_evaluation"]
        return count(held_out or document["input"]["n_samples"], "sample")
    if estimate["exact"]:
        return f"all {count(estimate['n_resamples'], 'resample')}"
    return f"{count(estimate['n_resamples'], 'resample')}, seed {document['plan']['seed']}"
