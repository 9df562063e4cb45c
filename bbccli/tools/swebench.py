"""SWE-bench: the report of a run, `MODEL.RUN.json`, with the instances by their fate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bbccli.reading.evaluations.files import File
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.layout.stack import names_of_files

_SCORE = "resolved"
_UNRESOLVED, _ERRORS, _NOT_SUBMITTED = "unresolved_ids", "error_ids", "not submitted"

_REASONS = _INFRASTRUCTURE, _AMBIGUOUS = "infra_failure_ids", "ambiguous_failure_ids"
_FATES = {
    "resolved_ids": "",
    _UNRESOLVED: "",
    "empty_patch_ids": "",
    _ERRORS: "error of the harness",
    _INFRASTRUCTURE: "failure of the infrastructure",
    _AMBIGUOUS: "ambiguous failure",
    "failed_ids": "failure of the evaluation",
    "pending_ids": "not evaluated yet",
    "incomplete_ids": _NOT_SUBMITTED,
}
"""Lists of a report; errors of instances without a verdict on a patch, which it counts as not
resolved."""


def _load(file: File) -> list[Log]:
    """Return every instance of the data set, submitted or not."""
    fates: dict[str, str] = {}
    for key in _FATES:
        for name in file.json.get(key) or ():
            # failures with a reason are among the unresolved or the errors, too
            if (before := fates.get(name, _UNRESOLVED)) != _UNRESOLVED and not (
                before == _ERRORS and key in _REASONS
            ):
                fault = f"{name} is among {before}, and again among {key}"
                raise file.fault(fault, "evaluate the predictions again")
            fates[name] = key
    total, counted = (file.json.get(f"{key}_instances") for key in ("total", "resolved"))
    if len(fates) != total:
        problem = f"lacks the verdict on some instances: {len(fates)} of {total!r} are named"
        hint = "give the complete report of swebench.harness.run_evaluation, with its lists of ids"
        raise file.fault(problem, hint)
    results = []
    for name, fate in fates.items():
        scores = {_SCORE: float(fate == "resolved_ids")}
        about = {"repository": name.partition("__")[0]}
        results.append(ItemScores(name, scores, error=_FATES[fate], about=about))
    model, _, run = file.stem.rpartition(".")
    # a model is evaluated again as another agent, so that its runs are configurations
    configuration = {"model": model, "run": run} if model else {}
    # a count as yet: of how many instances, all reports together tell
    scorers = {_SCORE: ScorerInfo(reported=None if counted is None else float(counted))}
    return [Log(configuration=configuration, results=results, scorers=scorers)]


def _together(logs: Sequence[Log]) -> list[Log]:
    """Return logs in which what no report submitted has no score: runs are often on a part of the
    data set. Files with bare names, such as results.json, are called after their folders.
    """
    submitted = {r.item for log in logs for r in log.results if r.error != _NOT_SUBMITTED}
    bare = [str(log.place) for log in logs if not log.configuration]
    names = dict(zip(bare, names_of_files(bare), strict=True))
    whole = []
    for log in logs:
        results = [r if r.item in submitted else r._replace(scores={}) for r in log.results]
        counted = log.scorers[_SCORE].reported
        reported = None if counted is None or not submitted else counted / len(submitted)
        configuration = log.configuration or {"model": names[str(log.place)]}
        scorers = {_SCORE: ScorerInfo(reported=reported)}
        whole.append(replace(log, configuration=configuration, results=results, scorers=scorers))
    return whole


FRAMEWORK = Framework(
    "SWE-bench",
    "`MODEL.RUN.json`, the report of an evaluation",
    "1 if resolved, else 0",
    # also damaged reports, so that they are not overlooked
    lambda file: (
        {"total_instances", "resolved_ids"} <= file.keys
        or (not file.keys and b'"total_instances"' in file.head)
    ),
    _load,
    _together,
)
