"""Logs of an evaluation -> a sheet of scores, a row per item and epoch."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from bbccli.core.notes import listing
from bbccli.core.rounding import count
from bbccli.core.source import Evaluation, LeftOut, ReportedScore, ToolRun
from bbccli.errors import InputError, parameter
from bbccli.readers.evaluations.candidates import (
    LoggedCandidate,
    candidates_of,
    has_epochs,
    in_common,
    newest_of,
    or_empty,
    with_reduced,
    without_tasks,
)
from bbccli.readers.evaluations.files import File
from bbccli.readers.interface import Framework, ItemScores, Log, Predictions
from bbccli.readers.layout.known import hash_of, sheet_of
from bbccli.readers.metadata import Metadata
from bbccli.readers.roles import Request, nearest_names
from bbccli.readers.sheet import Sheet
from bbccli.readers.sources.limits import check_size
from bbccli.types import Errors, Missing, Task

ITEM, EPOCH, TASK = "item", "epoch", "task"

_OWN_KEYS = ("id", "flags", "params", TASK)
"""Keys of a configuration that mean something else in the metadata."""


def sheet_of_logs(
    framework: Framework,
    path: str,
    files: Sequence[File],
    request: Request,
    around: Sequence[Path],
) -> Sheet:
    """Return the scores of a framework's logs, a row per item and epoch.

    `path` is the name for messages; the hash is that of the names and contents of `files`;
    `request.roles` may name a scorer (prediction) and a property of the items (group). Of the
    files `around` them those that were not read are named.
    """
    logs = [or_empty(log) for log in _logs(framework, files)]
    read = {path.resolve() for one in files for path in (one.path, *one.companions)}
    failed = [LeftOut(log.place.name, log.left_out) for log in logs if log.left_out]
    used, older = newest_of([log for log in logs if not log.left_out], request.again)
    if not used:
        reasons = listing([f"{one.name}: {one.reason}" for one in failed]) or "no run in it"
        raise InputError(
            f"has no usable log of {framework.name} ({reasons})",
            path=path,
            hint="finish the evaluation first",
        )
    candidates, elsewhere = in_common(candidates_of(used), path)
    scorer, others, without = _scorer(candidates, request, path)
    candidates = [replace(one, logs=without_tasks(one.logs, without)) for one in candidates]
    elsewhere += [LeftOut(task, f"has no score {scorer}") for task in without]
    if request.errors is not None:
        counting = partial(_counting, scorer, request.errors, framework.name)
        candidates = [replace(one, logs=counting(one)) for one in candidates]
    candidates = _reduced(candidates, scorer, path)
    _check_items(candidates, request, path)
    _check_content(candidates, path)
    _check_scale(candidates, scorer, path)
    evaluation = _evaluation(candidates, scorer, others)
    evaluation = replace(
        evaluation,
        headline=request.roles.prediction is not None
        or (framework.headline and all(next(iter(log.scorers)) == scorer for log in used)),
        failed=tuple(f"{one.name} ({one.reason})" for one in failed),
        repeated=tuple(dict.fromkeys(one.name for one in older)),
        elsewhere=tuple(f"{one.name} ({one.reason})" for one in elsewhere),
        unread=tuple(one.name for one in around if one.resolve() not in read),
    )
    run = _run(candidates, scorer, path)
    left_out = (*failed, *older, *elsewhere)
    run = replace(run, tool=framework.name, left_out=left_out, evaluation=evaluation)
    bounds = {log.scorers[scorer].bounds for one in candidates for log in one.logs.values()}
    about = Metadata(task=Task.SCORE, bounds=bounds.pop() if len(bounds) == 1 else None, run=run)
    sha256 = hash_of(sorted((one.path.name, one.sha256) for one in files))
    sheet = sheet_of(path, _predictions(candidates, scorer, request, path, about), sha256)
    names = {"row_id": ITEM, "repeat": EPOCH, "group": request.roles.group or ""}
    roles = {role: replace(column, name=names[role]) for role, column in sheet.roles.items()}
    return replace(sheet, roles=roles, metadata=_with_properties(sheet.metadata, candidates))


def _reduced(
    candidates: Sequence[LoggedCandidate], scorer: str, path: str
) -> list[LoggedCandidate]:
    """Return the configurations with the epochs of an item reduced, in one way for all."""
    logs = [log for one in candidates for log in one.logs.values()]
    ways = {log.scorers[scorer].reduce for log in logs if has_epochs(log)}
    if len(ways) > 1:
        raise InputError(
            f"{scorer} of an item is reduced in different ways from its epochs",
            path=path,
            hint="give logs with the same reducer of epochs",
        )
    return [
        replace(one, logs={t: with_reduced(log, scorer) for t, log in one.logs.items()})
        for one in candidates
    ]


def _logs(framework: Framework, files: Sequence[File]) -> Sequence[Log]:
    """Return the logs in files; what none of these would hold is a fault of the file."""
    logs: list[Log] = []
    for file in files:
        try:
            logs += framework.load(file)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            key = error.args[0] if isinstance(error, KeyError) else None
            lost = f": it lacks {key}" if isinstance(key, str) else ""
            where = f"{file.place} " if file.place else ""
            raise file.fault(f"{where}is not as {framework.name} writes it{lost}") from None
    return framework.together(logs)


def _scorer(
    candidates: Sequence[LoggedCandidate], request: Request, path: str
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the scorer that counts, the others, and the tasks that lack it."""
    logs = [(task, log) for one in candidates for task, log in one.logs.items()]
    every = list(dict.fromkeys(name for _, log in logs for name in log.scorers))
    lacking = {name: {task for task, log in logs if name not in log.scorers} for name in every}
    chosen = request.roles.prediction
    if chosen is None:
        everywhere = [name for name in every if not lacking[name]]
        if not everywhere:
            raise InputError(
                f"no score is in all logs; there {'are' if every else 'is'} "
                f"{listing(every, 8) or 'none'}",
                path=path,
                hint="name one, to compare on the tasks that have it: "
                + parameter("prediction", every[0])
                if every
                else "score the answers first",
            )
        chosen = everywhere[0]
    n_tasks = len({task for task, _ in logs})
    if chosen not in every or len(lacking[chosen]) == n_tasks:
        raise InputError(
            f"{parameter('prediction')} is {chosen!r}, which is not a score in all logs of a task",
            path=path,
            hint=nearest_names(chosen, every) or f"the scores are {listing(every, 8) or 'none'}",
        )
    others = tuple(name for name in every if name != chosen)
    return chosen, others, tuple(sorted(lacking[chosen]))


def _counting(scorer: str, errors: Errors, tool: str, candidate: LoggedCandidate) -> dict[str, Log]:
    """Return the logs of a configuration, with failed requests counted as the option says."""
    score, logs = 0.0 if errors is Errors.ZERO else None, dict(candidate.logs)
    for task, log in candidate.logs.items():
        info, failed = log.scorers[scorer], [one for one in log.results if one.error]
        if failed and errors is Errors.REFUSE:
            raise InputError(
                f"{count(len(failed), 'request')} of {candidate.name} failed, such as item "
                f"{failed[0].item}: {failed[0].error}",
                path=str(log.place),
                hint="run them again, or use " + parameter("errors", Errors.MISSING),
            )
        if any(_score(one, scorer) != score for one in failed):
            results = [
                one._replace(scores={scorer: score}) if one.error else one for one in log.results
            ]
            changed = replace(info, reported=None, unchecked=f"errors count differently in {tool}")
            logs[task] = replace(log, results=results, scorers={scorer: changed})
    return logs


def _check_items(candidates: Sequence[LoggedCandidate], request: Request, path: str) -> None:
    """Refuse configurations run on different items, unless gaps are allowed by an option."""
    items = {
        one.name: {(task, result.item) for task, log in one.logs.items() for result in log.results}
        for one in candidates
    }
    n_any, n_all = len(set().union(*items.values())), len(set.intersection(*items.values()))
    if n_any == n_all or request.missing not in (None, Missing.ERROR):
        return
    fewest = min(items, key=lambda name: len(items[name]))
    hint = "run all on the same items, or leave out the logs of others"
    common = f"; or use {parameter('missing', Missing.COMMON_ROWS)} to compare them on the {n_all}"
    raise InputError(
        f"{n_all} of {count(n_any, 'item')} are common to the {len(candidates)} configurations; "
        f"{fewest} has {len(items[fewest])}",
        path=path,
        hint=hint + (common if n_all else ""),
    )


def _check_content(candidates: Sequence[LoggedCandidate], path: str) -> None:
    """Refuse logs if over half of the items have a different question and answer under the same
    key.
    """
    first: dict[tuple[str, str], tuple[str, tuple[object, ...]]] = {}
    for one in candidates:
        for task, log in one.logs.items():
            other, whose = set(), ""
            for result in log.results:
                name, content = first.setdefault((task, result.item), (one.name, result.content))
                if content and all(a != b for a, b in zip(content, result.content, strict=False)):
                    other.add(result.item)
                    whose = name
            if 2 * len(other) > len({result.item for result in log.results}):
                raise InputError(
                    f"{count(len(other), 'item')} of {task} differ between {one.name} and "
                    f"{whose} in question and answer, though their keys are the same",
                    path=path,
                    hint="the data set has changed in between: run all on one, or give the logs "
                    "of one",
                )


def _check_scale(candidates: Sequence[LoggedCandidate], scorer: str, path: str) -> None:
    """Refuse proportions or marks (all from 0 to 1) beside percentages (some over 10)."""
    shares, percentages = "", ""
    for one in candidates:
        scores = [_score(r, scorer) for log in one.logs.values() for r in log.results]
        values = [score for score in scores if score is not None]
        if any(0 < one <= 1 for one in values) and min(values) >= 0 and max(values) <= 1:
            shares = shares or one.name
        if values and 10 < max(values) <= 100:
            percentages = percentages or one.name
    if shares and percentages:
        raise InputError(
            f"{scorer} is at most 1 for {shares}, but over 10 for {percentages}",
            path=path,
            hint="these look like proportions and percentages: use the same scale for all",
        )


def _predictions(
    candidates: Sequence[LoggedCandidate],
    scorer: str,
    request: Request,
    path: str,
    about: Metadata,
) -> Predictions:
    """Return the scores, by item and epoch in order of first appearance, and the group of each
    if requested.
    """
    several, group = len(candidates[0].logs) > 1, request.roles.group
    rows: dict[tuple[str, int], int] = {}
    groups: list[str | None] = []
    scores: list[dict[int, float]] = [{} for _ in candidates]
    for one, of_row in zip(candidates, scores, strict=True):
        for task, log in one.logs.items():
            seen = Counter[str]()
            for result in log.results:
                seen[result.item] += 1
                item = f"{task} {result.item}" if several else result.item
                key = item, result.epoch or seen[result.item]
                row = rows.setdefault(key, len(rows))
                told = {ITEM: key[0], EPOCH: str(key[1])} | ({TASK: task} if task else {})
                known = None if group is None else _group(result, told, group, path)
                groups += [known] if row == len(groups) else []
                fault = partial(InputError, path=str(log.place))
                if row in of_row:
                    problem = f"item {item} has two results in epoch {key[1]}"
                    raise fault(problem, hint="keep the results of one run")
                if known != groups[row]:
                    problem = f"{group} of item {item} is {known!r}, and {groups[row]!r} in others"
                    raise fault(problem, hint="check that the items are the same")
                of_row[row] = _finite(result, scorer, one.name, fault)
    check_size(8 * len(rows) * len(candidates), path)
    items, epochs = (list(values) for values in zip(*rows, strict=True))
    roles = {"row_id": items, "repeat": epochs} | ({} if group is None else {"group": groups})
    by_configuration = {}
    for one, own in zip(candidates, scores, strict=True):
        values = np.full(len(rows), np.nan)
        values[list(own)] = list(own.values())
        by_configuration[one.name] = values
    return Predictions(by_configuration, roles, (), about)


def _finite(result: ItemScores, scorer: str, name: str, fault: Callable[..., InputError]) -> float:
    """Return a score, NaN if it is missing; refuse an infinite one."""
    score = result.scores.get(scorer)
    if score is not None and math.isinf(score):
        raise fault(
            f"{scorer} of item {result.item} is infinite for {name}",
            hint="correct it in the log, or remove it to leave the item unscored",
        )
    return math.nan if score is None else score


def _score(result: ItemScores, scorer: str) -> float | None:
    """Return a score; None if it is missing or NaN."""
    score = result.scores.get(scorer)
    return None if score is None or math.isnan(score) else score


def _group(result: ItemScores, known: Mapping[str, object], name: str, path: str) -> str | None:
    """Return the group of an item, by the name of a property."""
    there = {**result.about, **known}
    if name not in there:
        raise InputError(
            f"{parameter('group')} is {name!r}, which is not a property of item {result.item}",
            path=path,
            hint=nearest_names(name, [*there]) or f"it has {listing([*there], 8)}",
        )
    value = there[name]
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def _evaluation(
    candidates: Sequence[LoggedCandidate], scorer: str, others: tuple[str, ...]
) -> Evaluation:
    """Return the counts of items, errors and answers without a score."""
    items: dict[str, set[str]] = {}
    kinds, n_epochs = Counter[tuple[bool, bool]](), 1
    for one in candidates:
        for task, log in one.logs.items():
            epochs = Counter(result.item for result in log.results)
            items.setdefault(task, set()).update(epochs)
            n_epochs = max(n_epochs, *epochs.values())
            kinds.update((bool(r.error), _score(r, scorer) is not None) for r in log.results)
    return Evaluation(
        tasks=tuple(items),
        n_items=tuple(map(len, items.values())),
        score=scorer,
        other_scores=others,
        n_epochs=n_epochs,
        n_errors=kinds[True, False],
        n_scored_errors=kinds[True, True],
        n_unscored=kinds[False, False],
    )


def _run(candidates: Sequence[LoggedCandidate], scorer: str, path: str) -> ToolRun:
    """Return the framework's own figures, averaged over tasks by their numbers of scored items."""
    logs = [(task, log) for one in candidates for task, log in one.logs.items()]
    losses = {log.scorers[scorer].lower_is_better for _, log in logs}
    if len(losses) > 1:
        raise InputError(
            f"{scorer} is a loss in only some logs", path=path, hint="give those of one task"
        )
    metric = "mean-loss" if losses == {True} else "mean-score"
    reported_scores, unchecked = [], ""
    for one in candidates:
        parts = [(log.scorers[scorer], _n_scored(log, scorer)) for log in one.logs.values()]
        unchecked = unchecked or next((part.unchecked for part, _ in parts if part.unchecked), "")
        figures = [(part.reported, n) for part, n in parts if part.reported is not None and n]
        if len(figures) == len(parts):
            value = sum(reported * n for reported, n in figures) / sum(n for _, n in figures)
            tolerance = max(part.tolerance for part, _ in parts)
            reported_scores.append(
                ReportedScore(id=one.name, metric=metric, value=value, tolerance=tolerance)
            )
    return ToolRun(
        tool="",
        metric=metric,
        metric_name=scorer,
        n_samples=len({(task, result.item) for task, log in logs for result in log.results}),
        unchecked=unchecked,
        leaderboard=tuple(reported_scores),
    )


def _n_scored(log: Log, scorer: str) -> int:
    """Count the items with a score in some epoch."""
    return len({one.item for one in log.results if _score(one, scorer) is not None})


def _with_properties(about: Metadata, candidates: Sequence[LoggedCandidate]) -> Metadata:
    """Return metadata with the properties of the configurations, to compare them by."""
    tasks = ", ".join(task for task in candidates[0].logs if task)
    configs = [
        {
            "id": one.name,
            **({TASK: tasks} if tasks else {}),
            **{key: value for key, value in one.about.items() if key not in _OWN_KEYS},
        }
        for one in candidates
    ]
    return replace(about, raw={**about.raw, "configs": configs})
