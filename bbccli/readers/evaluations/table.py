"""Logs of an evaluation -> one long table of scores."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bbccli.core.notes import listing
from bbccli.core.rounding import count
from bbccli.core.source import Evaluation, LeftOut, ReportedScore, ToolRun
from bbccli.errors import InputError, parameter
from bbccli.readers.evaluations.base import File, Framework, Log, Result
from bbccli.readers.evaluations.candidates import (
    Candidate,
    candidates_of,
    in_common,
    newest_of,
    or_empty,
    without_tasks,
)
from bbccli.readers.metadata import Metadata
from bbccli.readers.request import Request
from bbccli.readers.roles import nearest_names
from bbccli.readers.table import Table
from bbccli.types import Errors, Missing, Task

ITEM, EPOCH, TASK, CONFIGURATION, SCORE = "item", "epoch", "task", "config", "score"

_OWN_KEYS = ("id", "flags", "params", TASK)
"""Keys of a configuration in the metadata that mean something else."""


def table_of(framework: Framework, path: str, files: Sequence[File], request: Request) -> Table:
    """Return the scores of the logs of a framework, one row per configuration, item and epoch.

    Parameters
    ----------
    framework
        Whose logs they are.
    path
        Name for messages.
    files
        The logs: the hash is of their names and bytes.
    request
        `roles.prediction` names a scorer, `roles.group` something known of the items.

    Raises
    ------
    InputError
        No log can be used; configurations that have no task, or not all items, in common; no such
        scorer or group.
    """
    logs = [or_empty(log) for log in framework.load(files)]
    failed = [LeftOut(log.place.name, log.left_out) for log in logs if log.left_out]
    used, older = newest_of([log for log in logs if not log.left_out])
    if not used:
        reasons = listing([f"{one.name}: {one.reason}" for one in failed]) or "no run in it"
        raise InputError(
            f"holds no log of {framework.name} that can be used ({reasons})",
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
    _check_items(candidates, request, path)
    _check_content(candidates, path)
    _check_scale(candidates, scorer, path)
    columns = _columns(candidates, scorer, request, path)
    evaluation = _evaluation(candidates, scorer, others)
    evaluation = replace(
        evaluation,
        headline=request.roles.prediction is not None
        or (framework.headline and all(next(iter(log.scorers)) == scorer for log in used)),
        failed=tuple(f"{one.name} ({one.reason})" for one in failed),
        repeated=tuple(dict.fromkeys(one.name for one in older)),
        elsewhere=tuple(f"{one.name} ({one.reason})" for one in elsewhere),
    )
    run = _run(candidates, scorer, path)
    left_out = (*failed, *older, *elsewhere)
    run = replace(run, tool=framework.name, left_out=left_out, evaluation=evaluation)
    import pyarrow as pa

    hashes = sorted(f"{one.path.name} {one.sha256}\n" for one in files)
    digest = hashlib.sha256("".join(hashes).encode("utf-8", "surrogateescape")).hexdigest()
    data = pa.table({name: pa.array(values) for name, values in columns.items()})
    return Table(path, data, digest, _metadata(path, candidates, run, scorer))


def _scorer(
    candidates: Sequence[Candidate], request: Request, path: str
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the scorer that counts, the others, and the tasks that do not have it.

    Raises
    ------
    InputError
        No task has it in the logs of all configurations.
    """
    logs = [(task, log) for one in candidates for task, log in one.logs.items()]
    every = list(dict.fromkeys(name for _, log in logs for name in log.scorers))
    lacking = {name: {task for task, log in logs if name not in log.scorers} for name in every}
    wanted = request.roles.prediction
    if wanted is None:
        everywhere = [name for name in every if not lacking[name]]
        if not everywhere:
            raise InputError(
                f"no score is in all logs; there {'are' if every else 'is'} "
                f"{listing(every, 8) or 'none'}",
                path=path,
                hint=f"{parameter('prediction', every[0])}, for the tasks that have it"
                if every
                else "score the answers first",
            )
        wanted = everywhere[0]
    n_tasks = len({task for task, _ in logs})
    if wanted not in every or len(lacking[wanted]) == n_tasks:
        raise InputError(
            f"{parameter('prediction')} names no score that all logs of a task have: {wanted!r}",
            path=path,
            hint=nearest_names(wanted, every) or f"the scores are {listing(every, 8) or 'none'}",
        )
    others = tuple(name for name in every if name != wanted)
    return wanted, others, tuple(sorted(lacking[wanted]))


def _counting(scorer: str, errors: Errors, tool: str, candidate: Candidate) -> dict[str, Log]:
    """Return the logs of a configuration, with failed requests that count as an option says.

    Raises
    ------
    InputError
        A failed request, where they are refused.
    """
    score, logs = 0.0 if errors is Errors.ZERO else None, dict(candidate.logs)
    for task, log in candidate.logs.items():
        own, failed = log.scorers[scorer], [one for one in log.results if one.error]
        if failed and errors is Errors.REFUSE:
            raise InputError(
                f"{count(len(failed), 'request')} of {candidate.name} failed, such as item "
                f"{failed[0].item}: {failed[0].error}",
                path=str(log.place),
                hint="run them again; or " + parameter("errors", Errors.MISSING),
            )
        if any(_score(one, scorer) != score for one in failed):
            results = [
                one._replace(scores={scorer: score}) if one.error else one for one in log.results
            ]
            changed = replace(own, reported=None, unchecked=f"errors count otherwise in {tool}")
            logs[task] = replace(log, results=results, scorers={scorer: changed})
    return logs


def _check_items(candidates: Sequence[Candidate], request: Request, path: str) -> None:
    """Refuse configurations that were asked other items, unless gaps are allowed by hand.

    Raises
    ------
    InputError
        They were.
    """
    asked = {
        one.name: {(task, result.item) for task, log in one.logs.items() for result in log.results}
        for one in candidates
    }
    n_any, n_all = len(set().union(*asked.values())), len(set.intersection(*asked.values()))
    if n_any == n_all or request.missing not in (None, Missing.ERROR):
        return
    fewest = min(asked, key=lambda name: len(asked[name]))
    hint = "run all on the same items, or leave out the logs of others"
    common = f"; or {parameter('missing', Missing.COMMON_ROWS)}, to compare them on the {n_all}"
    raise InputError(
        f"{n_all} of {count(n_any, 'item')} are common to the {len(candidates)} configurations; "
        f"{fewest} has {len(asked[fewest])}",
        path=path,
        hint=hint + (common if n_all else ""),
    )


def _check_content(candidates: Sequence[Candidate], path: str) -> None:
    """Refuse items of one key that are others for some configurations.

    Raises
    ------
    InputError
        Of more than half of the items both question and answer differ.
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
                    f"{count(len(other), 'item')} of {task} were others for {one.name} than for "
                    f"{whose}, by question and answer, though their keys are the same",
                    path=path,
                    hint="the data set has changed in between: run all on one, or name the logs "
                    "of one",
                )


def _check_scale(candidates: Sequence[Candidate], scorer: str, path: str) -> None:
    """Refuse shares beside percentages.

    Raises
    ------
    InputError
        All scores of one configuration are shares, and those of another one go beyond 10.
    """
    shares, percentages = "", ""
    for one in candidates:
        scores = [_score(r, scorer) for log in one.logs.values() for r in log.results]
        known = [score for score in scores if score is not None]
        if known and min(known) >= 0 and max(known) <= 1 and any(0 < one < 1 for one in known):
            shares = shares or one.name
        if known and 10 < max(known) <= 100:
            percentages = percentages or one.name
    if shares and percentages:
        raise InputError(
            f"{scorer} is at most 1 for {shares} and beyond 10 for {percentages}",
            path=path,
            hint="are these percentages of what the others hold as shares? score all alike",
        )


def _columns(
    candidates: Sequence[Candidate], scorer: str, request: Request, path: str
) -> dict[str, list[Any]]:
    """Return the rows: item, epoch, configuration, score, and the group that is asked for."""
    tasks, group = [*candidates[0].logs], request.roles.group
    named = SCORE if request.roles.prediction is None else scorer
    columns: dict[str, list[Any]] = {ITEM: [], EPOCH: [], CONFIGURATION: [], named: []}
    if group is not None and group not in columns:
        columns[group] = []
    for one in candidates:
        for task, log in one.logs.items():
            seen = Counter[str]()
            for result in log.results:
                seen[result.item] += 1
                columns[ITEM].append(f"{task} {result.item}" if len(tasks) > 1 else result.item)
                columns[EPOCH].append(result.epoch or seen[result.item])
                columns[CONFIGURATION].append(one.name)
                columns[named].append(_score(result, scorer))
                if group == TASK:
                    columns[TASK].append(task)
                elif group in columns and group is not None and group != ITEM:
                    columns[group].append(_known(result, group, path))
    return columns


def _score(result: Result, scorer: str) -> float | None:
    """Return a score; None where there is none, or NaN stands for that."""
    score = result.scores.get(scorer)
    return None if score is None or math.isnan(score) else score


def _known(result: Result, name: str, path: str) -> str | None:
    """Return what is known of an item by a name.

    Raises
    ------
    InputError
        Nothing is.
    """
    if name not in result.about:
        there = [TASK, *result.about]
        raise InputError(
            f"{parameter('group')} names nothing known of item {result.item}: {name!r}",
            path=path,
            hint=nearest_names(name, there) or f"known are {listing(there, 8)}",
        )
    value = result.about[name]
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def _evaluation(
    candidates: Sequence[Candidate], scorer: str, others: tuple[str, ...]
) -> Evaluation:
    """Return how many items there are, and how many answers are errors or without a score."""
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


def _run(candidates: Sequence[Candidate], scorer: str, path: str) -> ToolRun:
    """Return the framework's own figures, over several tasks weighted by their scored items.

    Raises
    ------
    InputError
        Higher is better in some logs, and worse in others.
    """
    logs = [(task, log) for one in candidates for task, log in one.logs.items()]
    losses = {log.scorers[scorer].lower_is_better for _, log in logs}
    if len(losses) > 1:
        raise InputError(f"{scorer} is a loss in some logs", path=path, hint="name those of a task")
    metric = "mean-loss" if losses == {True} else "mean-score"
    found, unchecked = [], ""
    for one in candidates:
        parts = [(log.scorers[scorer], _n_scored(log, scorer)) for log in one.logs.values()]
        unchecked = unchecked or next((part.unchecked for part, _ in parts if part.unchecked), "")
        known = [(part.reported, n) for part, n in parts if part.reported is not None and n]
        if len(known) == len(parts):
            value = sum(reported * n for reported, n in known) / sum(n for _, n in known)
            tolerance = max(part.tolerance for part, _ in parts)
            found.append(
                ReportedScore(id=one.name, metric=metric, value=value, tolerance=tolerance)
            )
    return ToolRun(
        tool="",
        metric=metric,
        metric_name=scorer,
        n_samples=len({(task, result.item) for task, log in logs for result in log.results}),
        unchecked=unchecked,
        leaderboard=tuple(found),
    )


def _n_scored(log: Log, scorer: str) -> int:
    """Count the items that have a score in some epoch."""
    return len({one.item for one in log.results if _score(one, scorer) is not None})


def _metadata(path: str, candidates: Sequence[Candidate], run: ToolRun, scorer: str) -> Metadata:
    """Return what is known of the configurations, so that they can be compared by it."""
    bounds = {log.scorers[scorer].bounds for one in candidates for log in one.logs.values()}
    known = bounds.pop() if len(bounds) == 1 else None
    tasks = ", ".join(task for task in candidates[0].logs if task)
    configs = [
        {
            "id": one.name,
            **({TASK: tasks} if tasks else {}),
            **{key: value for key, value in one.about.items() if key not in _OWN_KEYS},
        }
        for one in candidates
    ]
    flags: dict[str, tuple[str, ...]] = {one.name: () for one in candidates}
    about = Metadata(place=path, task=Task.SCORE, flags=flags, run=run).with_json()
    raw: dict[str, Any] = {**about.raw, "layout": "long", "configs": configs}
    return replace(about, raw=raw | ({"bounds": [*known]} if known else {}), bounds=known)
