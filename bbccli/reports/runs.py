"""What reports say of the run of a tool: its models, and whether its scores were found again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bbccli.metrics import METRICS
from bbccli.notes import listing
from bbccli.rounding import count, tiny_text
from bbccli.text import visible


def run_lines(read: Mapping[str, Any], metric: str = "", pooling: str = "") -> list[str]:
    """Return a line on the run and one on its scores; none where a file was read.

    Parameters
    ----------
    read
        The `input` of a document; those of earlier versions know no runs.
    metric
        Name of the metric that selects; that of the run where it is empty.
    pooling
        How it selects.
    """
    run = read.get("run")
    if run is None:
        return []
    parts = [f"{visible(run['tool'])} run"]
    parts += [count(read["n_folds"], "fold")] if read["n_folds"] else ["folds unknown"]
    names = [visible(one["name"]) for one in run["left_out"]]
    left_out = f" ({listing(names)} left out)" if names else ""
    parts.append(f"{read['n_configurations']} of {count(run['n_models'], 'model')}{left_out}")
    chosen = metric or run["metric"]
    if chosen:
        own = " (the run's own)" if chosen == run["metric"] else ""
        label = METRICS[chosen].label if chosen in METRICS else visible(chosen)
        parts.append(f"metric {label}{own}")
    parts += [f"selection {pooling}"] if pooling else []
    return [", ".join(parts), f"leaderboard: {_checked(read.get('verification'))}"]


def _checked(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "not checked"
    if found["reason"] is not None:
        return f"not checked: {visible(found['reason'])}"
    return (
        f"{found['n_checked']} of {found['n_scores']} scores recomputed, largest difference "
        + tiny_text(found["largest_difference"])
    )
