"""SWE-bench: the report of a run, `MODEL.RUN.json`, with the instances by their fate."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bbccli.notes import listing
from bbccli.reading.evaluations.files import File
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo

_SCORE = "resolved"

_FATES = {
    "resolved_ids": "",
    "unresolved_ids": "",
    "empty_patch_ids": "",
    "error_ids": "error of the harness",
    "infra_failure_ids": "failure of the infrastructure",
    "ambiguous_failure_ids": "ambiguous failure",
    "failed_ids": "failure of the evaluation",
    "pending_ids": "not evaluated yet",
    "incomplete_ids": "not submitted",
}
"""Lists of a report; errors of instances without a verdict on a patch, which it counts as not
resolved."""

_UNIONS = ("completed_ids", "submitted_ids")


def _load(file: File) -> list[Log]:
    """Return every instance: the official denominator is all of them, submitted or not."""
    fates: dict[str, str] = {}
    for key in _FATES:
        for name in _ids(file, key):
            if fates.setdefault(name, key) != key:
                raise file.fault(
                    f"{name} is among {fates[name]} and {key}", "evaluate the predictions again"
                )
    total, counted = (_whole(file.json.get(f"{key}_instances")) for key in ("total", "resolved"))
    if total is None:
        raise file.fault("total_instances is not a number")
    unknown = [name for key in _UNIONS for name in _ids(file, key) if name not in fates]
    if unknown or len(fates) != total:
        what = f"{unknown[0]} has no verdict" if unknown else f"{len(fates)} of {total} are named"
        raise file.fault(
            f"lacks the verdict on some instances: {what}",
            "give the complete report of swebench.harness.run_evaluation, with its lists of ids",
        )
    results = [
        ItemScores(
            name,
            {_SCORE: float(fate == "resolved_ids")},
            error=_FATES[fate],
            about={"repository": name.partition("__")[0]},
        )
        for name, fate in fates.items()
    ]
    reported = counted / total if counted is not None and total else None
    model, _, run = file.stem.rpartition(".")
    # a model is evaluated again as another agent, so that its runs are configurations
    configuration = {"model": model, "run": run} if model else {"model": run}
    scorers = {_SCORE: ScorerInfo(reported=reported)}
    return [Log(place=file.path, configuration=configuration, results=results, scorers=scorers)]


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _ids(file: File, key: str) -> list[str]:
    ids = file.json.get(key) or []
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise file.fault(f"{key} is not a list of instances")
    if twice := [item for item, n in Counter(ids).items() if n > 1]:
        raise file.fault(f"{key} names {listing(sorted(twice))} twice")
    return ids


FRAMEWORK = Framework(
    "SWE-bench",
    "`MODEL.RUN.json`, the report of an evaluation",
    "1 if resolved, else 0, of all instances",
    # also damaged reports, so that they are not overlooked
    lambda file: (
        {"total_instances", "resolved_ids"} <= file.keys
        or (not file.keys and b'"total_instances"' in file.head)
    ),
    _load,
)
