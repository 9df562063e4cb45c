"""Logs of an evaluation -> a sheet of scores, a row per item and epoch."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import ne
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bbccli.domain.source import Evaluation, LeftOut, ReportedScore, ToolRun
from bbccli.errors import InputError, naming, nearest, parameter
from bbccli.notes import listing
from bbccli.platform.resources import check_size
from bbccli.platform.text import count
from bbccli.reading.evaluations.candidates import Runs, in_common, newest_of, runs_of
from bbccli.reading.evaluations.files import File
from bbccli.reading.interface import Framework, ItemScores, Log, Predictions, ScorerInfo
from bbccli.reading.layout.known import hash_of_files, sheet_of
from bbccli.reading.metadata import Metadata
from bbccli.reading.roles import Request
from bbccli.reading.sheet import Sheet
from bbccli.types import Errors, Missing, Task

ITEM, EPOCH, TASK = "item", "epoch", "task"

_OWN_KEYS = ("id", "flags", "params", TASK)
"""Keys of a configuration that mean something else in the metadata."""

_TOLERANCE = 1e-6
"""Largest difference of a framework's figure that rounding explains."""


class _Entry(NamedTuple):
    """A result of a configuration, and its score, if it has one."""

    who: str
    task: str
    log: Log
    result: ItemScores
    score: float | None

    @property
    def item(self) -> tuple[str, str]:
        return self.task, self.result.item


def sheet_of_logs(
    framework: Framework, path: str, files: Sequence[File], request: Request, around: Sequence[Path]
) -> Sheet:
    """Return the scores of a framework's logs, a row per item and epoch.

    `path` is the name of the sheet; the hash is that of the names and contents of `files`;
    `request.roles` may name a scorer (prediction) and a property of the items (group). Of the
    files `around` them those that were not read are named.
    """
    logs = _logs(framework, files, request.roles.row_id)
    read = {path.resolve() for file in files for path in (file.path, *file.companions)}
    failed = [LeftOut(log.place.name, log.left_out) for log in logs if log.left_out]
    used, older = newest_of([log for log in logs if not log.left_out], request.again)
    if not used:
        reasons = listing([f"{left.name}: {left.reason}" for left in failed]) or "no run in it"
        raise InputError(
            f"has no usable log of {framework.name} ({reasons})",
            hint="give logs of finished runs, with a number or a mark for each answer",
        )
    runs, elsewhere = in_common(runs_of(used))
    scorer, others, without = _scorer(runs, request)
    elsewhere += [LeftOut(task, f"has no score {scorer}") for task in without]
    runs = _settled(runs, scorer, without, request.errors, framework.name)
    entries = [
        _Entry(who, task, log, result, result.scores.get(scorer))
        for who, logs in runs.items()
        for task, log in logs.items()
        for result in log.results
    ]
    _check_items(entries, len(runs), request)
    contents = check_content((e.who, *e.item, e.result.content) for e in entries)
    _check_scale(entries, scorer)
    evaluation = replace(
        _evaluation(entries, scorer, others),
        asked=contents,
        headline=request.roles.prediction is not None
        or (framework.headline and all(next(iter(log.scorers)) == scorer for log in used)),
        failed=tuple(f"{failure.name} ({failure.reason})" for failure in failed),
        repeated=tuple(dict.fromkeys(log.name for log in older)),
        elsewhere=tuple(f"{left.name} ({left.reason})" for left in elsewhere),
        unread=tuple(file.name for file in around if file.resolve() not in read),
    )
    run = _run(runs, scorer)
    left_out = (*failed, *older, *elsewhere)
    scored = {entry.item for entry in entries if entry.score is not None}
    run = replace(
        run, tool=framework.name, n_samples=len(scored), left_out=left_out, evaluation=evaluation
    )
    about = Metadata(task=Task.SCORE, bounds=_bounds(runs, entries, scorer), run=run)
    sha256 = hash_of_files(sorted((file.path.name, file.sha256) for file in files))
    sheet = sheet_of(path, _predictions(runs, entries, scorer, request, about), sha256)
    asked = request.roles
    names = {"row_id": asked.row_id or ITEM, "repeat": EPOCH, "group": asked.group or ""}
    roles = {role: replace(column, name=names[role]) for role, column in sheet.roles.items()}
    raw = {**sheet.metadata.raw, "configs": [_properties(*item) for item in runs.items()]}
    return replace(sheet, roles=roles, metadata=replace(sheet.metadata, raw=raw))


def _logs(framework: Framework, files: Sequence[File], key: str | None) -> list[Log]:
    """Return the logs in files, with items named by a fact about them if one is the `key`; what
    none of these would hold is a fault of the file.
    """
    logs: list[Log] = []
    for file in files:
        try:
            logs += [replace(log, place=file.path) for log in framework.load(file)]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            lacking = error.args[0] if isinstance(error, KeyError) else None
            lost = f": it lacks {lacking}" if isinstance(lacking, str) else ""
            where = f"{file.place} " if file.place else ""
            raise file.fault(f"{where}is not in the format of {framework.name}{lost}") from None
    together = framework.together(logs)
    return [_whole(log if key in (None, ITEM) else _keyed(log, key or "")) for log in together]


def _keyed(log: Log, name: str) -> Log:
    """Return a log with a fact about each item for its key."""
    with naming(log.place):
        keys = {result.item: _fact("row_id", name, result, {}) for result in log.results}
        if None in keys.values() or len({*keys.values()}) < len(keys):
            raise InputError(
                f"{parameter('row_id')} is {name!r}, which is no key: items lack it, or share a "
                "value",
                hint="name a fact that differs between all items",
            )
    return replace(log, results=[r._replace(item=str(keys[r.item])) for r in log.results])


def _whole(log: Log) -> Log:
    """Return a log with all scorers, those that it describes first; left out if no answer has a
    score.
    """
    names = dict.fromkeys(name for result in log.results for name in result.scores)
    ordered = [name for name in log.scorers if name in names]
    scorers = {name: log.scorers.get(name, ScorerInfo()) for name in (*ordered, *names)}
    scored = any(score is not None for result in log.results for score in result.scores.values())
    left_out = log.left_out or ("" if scored else "no answer has a score")
    return replace(log, scorers=scorers, left_out=left_out)


def _scorer(runs: Runs, request: Request) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the scorer that counts, the others, and the tasks that lack it."""
    logs = [(task, log) for logs in runs.values() for task, log in logs.items()]
    tasks = {task for task, _ in logs}
    every = list(dict.fromkeys(name for _, log in logs for name in log.scorers))
    lacking = {name: {task for task, log in logs if name not in log.scorers} for name in every}
    offered = [name for name in every if len(lacking[name]) < len(tasks)]
    same = "score all answers by the same scorer, or leave out the logs of others"
    chosen = request.roles.prediction
    if chosen is None:
        chosen = next((name for name in every if not lacking[name]), None)
        if chosen is None:
            held = Counter(name for _, log in logs for name in log.scorers)
            shares = [f"{name} in {held[name]} of {len(logs)}" for name in every]
            raise InputError(
                f"no score is in all logs; there {'are' if every else 'is'} "
                f"{listing(shares, 8) or 'none'}",
                hint="name one, to compare on the tasks that have it: "
                + parameter("prediction", offered[0])
                if offered
                else same,
            )
    if chosen not in offered:
        raise InputError(
            f"{parameter('prediction')} is {chosen!r}, which is not a score in all logs of a task",
            hint=nearest(
                chosen, offered, f"choose from {listing(offered, 8)}" if offered else same
            ),
        )
    others = tuple(name for name in every if name != chosen)
    return chosen, others, tuple(sorted(lacking[chosen]))


def _settled(
    runs: Runs, scorer: str, without: Sequence[str], errors: Errors | None, tool: str
) -> Runs:
    """Return the logs of the tasks with this scorer alone: failed requests count as the option
    says, and the scores of an item in its epochs are reduced as the framework does, in one way.
    """
    kept = {n: {t: log for t, log in logs.items() if t not in without} for n, logs in runs.items()}
    ways = {
        log.scorers[scorer].reduce
        for logs in kept.values()
        for log in logs.values()
        if len({result.item for result in log.results}) < len(log.results)
    }
    if len(ways) > 1:
        raise InputError(
            f"{scorer} of an item is reduced in different ways from its epochs",
            hint="give logs with the same reducer of epochs",
        )
    for name, logs in kept.items():
        for task, log in logs.items():
            logs[task] = _reduced(_counted(log, scorer, errors, tool, name), scorer)
    return kept


def _counted(log: Log, scorer: str, errors: Errors | None, tool: str, name: str) -> Log:
    """Return a log with failed requests counted as the option says."""
    failed = [result for result in log.results if result.error]
    if failed and errors is Errors.REFUSE:
        raise InputError(
            f"{count(len(failed), 'request')} of {name} failed, such as item "
            f"{failed[0].item}: {failed[0].error}",
            path=str(log.place),
            hint="run them again, or use " + parameter("errors", Errors.MISSING),
        )
    score = 0.0 if errors is Errors.ZERO else None
    if errors is None or all(failure.scores.get(scorer) == score for failure in failed):
        return log
    counted = {scorer: score}
    results = [r._replace(scores=counted) if r.error else r for r in log.results]
    unchecked = f"errors count differently in {tool}"
    info = replace(log.scorers[scorer], reported=None, unchecked=unchecked)
    return replace(log, results=results, scorers={scorer: info})


def _reduced(log: Log, scorer: str) -> Log:
    """Return a log with one score of each item, if its framework reduces those of its epochs."""
    reduce = log.scorers[scorer].reduce
    if reduce is None:
        return log
    epochs: dict[str, list[ItemScores]] = {}
    for result in sorted(log.results, key=lambda result: result.epoch):
        epochs.setdefault(result.item, []).append(result)
    results = []
    for item in epochs.values():
        scored = [result for result in item if result.scores.get(scorer) is not None]
        value = reduce([result.scores[scorer] or 0.0 for result in scored]) if scored else math.nan
        reduced = {scorer: None if math.isnan(value) else value}
        results.append((scored or item)[0]._replace(scores=reduced, epoch=1))
    return replace(log, results=results)


def _check_items(entries: Sequence[_Entry], n: int, request: Request) -> None:
    """Refuse configurations run on different items, unless gaps are allowed by an option."""
    items: dict[str, set[tuple[str, str]]] = {}
    for entry in entries:
        items.setdefault(entry.who, set()).add(entry.item)
    n_any, n_all = len(set().union(*items.values())), len(set.intersection(*items.values()))
    if n_any == n_all or request.missing not in (None, Missing.ERROR):
        return
    fewest = min(items, key=lambda name: len(items[name]))
    hint = "run all on the same items, or leave out the logs of others"
    common = f"; or use {parameter('missing', Missing.COMMON_ROWS)} to compare them on the {n_all}"
    raise InputError(
        f"{n_all} of {count(n_any, 'item')} are common to the {n} configurations; "
        f"{fewest} has {len(items[fewest])}",
        hint=hint + (common if n_all else ""),
    )


def check_content(asked: Iterable[tuple[str, str, str, tuple[object, ...]]]) -> dict[Any, Any]:
    """Refuse results, by whose they are, task and item, if over a fifth of the items of a run that
    others have too have a different question and answer under the same key; return these by task
    and item.
    """
    first: dict[tuple[str, str], tuple[str, tuple[object, ...]]] = {}
    shared: dict[tuple[str, str], dict[str, str]] = {}
    for who, task, item, ours in asked:
        other, theirs = first.setdefault((task, item), (who, ours))
        if theirs and ours and other != who:
            shared.setdefault((who, task), {})[item] = other if all(map(ne, theirs, ours)) else ""
    for (who, task), others in shared.items():
        if 5 * len(differ := [whose for whose in others.values() if whose]) > len(others):
            raise InputError(
                f"{count(len(differ), 'item')} of {task} {'differ' + 's' * (len(differ) == 1)} "
                f"between {who} and {differ[-1]} in question and answer under the same keys",
                hint="the data set has changed in between: run all on one, or give the logs of one",
            )
    return {key: content for key, (_, content) in first.items()}


def _check_scale(entries: Sequence[_Entry], scorer: str) -> None:
    """Refuse proportions or marks (all from 0 to 1) beside percentages (some over 10)."""
    scores: dict[str, list[float]] = {}
    for entry in entries:
        if entry.score is not None:
            scores.setdefault(entry.who, []).append(entry.score)
    ends = {who: (min(some), max(some), max(map(bool, some))) for who, some in scores.items()}
    shares = [who for who, (low, high, any_) in ends.items() if any_ and 0 <= low <= high <= 1]
    percentages = [who for who, (_, high, _) in ends.items() if 10 < high <= 100]
    if shares and percentages:
        raise InputError(
            f"{scorer} is at most 1 for {shares[0]}, but over 10 for {percentages[0]}",
            hint="these look like proportions and percentages: use the same scale for all",
        )


def _bounds(runs: Runs, entries: Sequence[_Entry], scorer: str) -> tuple[float, float] | None:
    """Return the bounds that the framework knows, or those of marks."""
    if all(entry.score in (None, 0, 1) for entry in entries):
        return (0.0, 1.0)
    bounds = {log.scorers[scorer].bounds for logs in runs.values() for log in logs.values()}
    return bounds.pop() if len(bounds) == 1 else None


def _predictions(
    runs: Runs, entries: Sequence[_Entry], scorer: str, request: Request, about: Metadata
) -> Predictions:
    """Return the scores, by item and epoch in order of first appearance, and the group of each
    if requested.
    """
    several, group = len(next(iter(runs.values()))) > 1, request.roles.group
    rows: dict[tuple[str, int], int] = {}
    groups: list[str | None] = []
    scores: dict[str, dict[int, float]] = {name: {} for name in runs}
    seen = Counter[tuple[str, str, str]]()
    for who, task, log, result, score in entries:
        asked = who, task, result.item
        seen[asked] += 1
        item = f"{task} {result.item}" if several else result.item
        key = item, result.epoch or seen[asked]
        row = rows.setdefault(key, len(rows))
        known = None
        if group is not None:
            place = {ITEM: item, EPOCH: str(key[1])} | ({TASK: task} if task else {})
            known = _fact("group", group, result, place)
        groups += [known] if row == len(groups) else []
        fault = hint = ""
        if row in scores[who]:
            fault = f"item {item} has two results in epoch {key[1]}"
            hint = "keep the results of one run"
        elif known != groups[row]:
            fault = f"{group} of item {item} is {known!r}, and {groups[row]!r} in others"
            hint = "check that the items are the same"
        elif score is not None and math.isinf(score):
            fault = f"{scorer} of item {result.item} is infinite for {who}"
            hint = "correct it in the log, or remove it to leave the item unscored"
        if fault:
            raise InputError(fault, path=str(log.place), hint=hint)
        scores[who][row] = math.nan if score is None else score
    check_size(8 * len(rows) * len(runs))
    items, epochs = (list(values) for values in zip(*rows, strict=True))
    roles = {"row_id": items, "repeat": epochs} | ({} if group is None else {"group": groups})
    by_configuration = {name: np.full(len(rows), np.nan) for name in runs}
    for name, by_row in scores.items():
        by_configuration[name][list(by_row)] = list(by_row.values())
    return Predictions(by_configuration, roles, (), about)


def _fact(role: str, name: str, result: ItemScores, known: Mapping[str, object]) -> str | None:
    """Return the group of an item, or its key, by the name of a property."""
    there = {**result.about, **known}
    if name not in there:
        raise InputError(
            f"{parameter(role)} is {name!r}, which is not a property of item {result.item}",
            hint=nearest(name, there, f"it has {listing([*there], 8)}"),
        )
    value = there[name]
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def _evaluation(entries: Sequence[_Entry], scorer: str, others: tuple[str, ...]) -> Evaluation:
    """Return the counts of items, errors and answers without a score."""
    epochs = Counter((entry.who, *entry.item) for entry in entries)
    tasks = Counter(task for task, _ in dict.fromkeys(entry.item for entry in entries))
    kinds = Counter((bool(entry.result.error), entry.score is not None) for entry in entries)
    return Evaluation(
        tasks=tuple(tasks),
        n_items=tuple(tasks.values()),
        score=scorer,
        other_scores=others,
        n_epochs=max(epochs.values()),
        n_errors=kinds[True, False],
        n_scored_errors=kinds[True, True],
        n_unscored=kinds[False, False],
    )


def _run(runs: Runs, scorer: str) -> ToolRun:
    """Return the framework's own figures, averaged over tasks by their numbers of scored items."""
    infos = {name: [log.scorers[scorer] for log in logs.values()] for name, logs in runs.items()}
    every = [info for some in infos.values() for info in some]
    losses = {info.lower_is_better for info in every}
    if len(losses) > 1:
        raise InputError(f"{scorer} is a loss in only some logs", hint="give those of one task")
    metric = "mean-loss" if losses == {True} else "mean-score"
    reported = []
    for name, logs in runs.items():
        scored = [
            len({result.item for result in log.results if result.scores.get(scorer) is not None})
            for log in logs.values()
        ]
        parts = zip(infos[name], scored, strict=True)
        figures = [(info.reported, n) for info, n in parts if info.reported is not None and n]
        if len(figures) == len(logs):
            value = sum(figure * n for figure, n in figures) / sum(scored)
            score = ReportedScore(id=name, metric=metric, value=value, tolerance=_TOLERANCE)
            reported.append(score)
    return ToolRun(
        tool="",
        metric=metric,
        metric_name=scorer,
        unchecked=next((info.unchecked for info in every if info.unchecked), ""),
        leaderboard=tuple(reported),
    )


def _properties(name: str, logs: Mapping[str, Log]) -> dict[str, object]:
    """Return the properties of a configuration, to compare it by."""
    tasks = ", ".join(task for task in logs if task)
    about = next(iter(logs.values())).configuration
    known = {key: value for key, value in about.items() if key not in _OWN_KEYS}
    return {"id": name, **({TASK: tasks} if tasks else {}), **known}
