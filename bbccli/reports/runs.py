"""What reports say of the run of a tool: its models, and whether its scores were found again."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.metrics import METRICS
from bbccli.notes import listing
from bbccli.reports import counts
from bbccli.rounding import count, digits_for, tiny_text
from bbccli.schema import Input, Run
from bbccli.source import TwoFigures, Verification
from bbccli.text import visible


def run_lines(read: Input, metric: str = "", pooling: str = "", winner: str = "") -> list[str]:
    """Return a line on the run and one on its scores; none where a file was read.

    Parameters
    ----------
    read
        The `input` of a document; those of earlier versions know no runs.
    metric
        Name of the metric that selects; that of the run where it is empty.
    pooling
        How it selects.
    winner
        Whose score is shown where the tool computes scores otherwise.
    """
    run = read.run
    if run is None:
        return []
    parts = [f"{visible(run.tool)} run"]
    parts += [counts.folds(read) or "folds unknown"]
    names = [visible(one.name) for one in run.left_out]
    left_out = f" ({listing(names)} left out)" if names else ""
    parts.append(f"{read.n_configurations} of {count(run.n_models, 'model')}{left_out}")
    parts += [f"metric {one}" for one in [_metric(run, metric)] if one]
    parts += [f"selection {pooling}"] if pooling else []
    found = read.verification
    lines = [", ".join(parts), f"leaderboard: {_checked(found)}"]
    return lines + (_otherwise(run.tool, found.otherwise, winner) if found else [])


def _metric(run: Run, metric: str) -> str:
    """The metric that selects, and that of the run where it is another or has another name."""
    own, called = run.metric, visible(run.metric_name or "")
    if not metric and not own:
        return f"{called} (unknown to bbc)" if called else ""
    label, of_run = (METRICS[one].label if one in METRICS else one or "" for one in (metric, own))
    if metric in ("", own):
        return f"{of_run} (the run's own{called and f', {called}'})"
    other = called or of_run
    return f"{visible(label)} (the run's own is {other})" if other else visible(label)


def _otherwise(tool: str, found: Sequence[TwoFigures], winner: str) -> list[str]:
    """Both figures of a score that the tool computes otherwise: of the winner, or where most."""
    if not found:
        return []
    one = next((one for one in found if one.name == winner), found[0])
    label = METRICS[one.metric].label if one.metric in METRICS else one.metric
    digits = digits_for([one.tool, one.here])
    by = "the search" if tool == "recorder" else visible(tool)
    more = f"; so are {count(len(found) - 1, 'other')}" if len(found) > 1 else ""
    return [
        f"computed otherwise: {visible(one.name)} has {visible(label)} "
        f"{digits.performance(one.tool)} by {by}, which clips probabilities at "
        f"{one.tool_clip:.2g}, and {digits.performance(one.here)} clipped at "
        f"{one.here_clip:.2g}{more}"
    ]


def _checked(found: Verification | None) -> str:
    if found is None:
        return "not checked"
    if found.reason is not None:
        return f"not checked: {visible(found.reason)}"
    return (
        f"{found.n_checked} of {found.n_scores} scores recomputed, largest difference "
        + tiny_text(found.largest_difference or 0.0)
    )
