"""Selection of logs, and the configurations that they belong to.

Failed logs, and those of tasks that only some configurations ran, are excluded; if a configuration
ran twice on a task, the newest log counts. Configurations are named by the keys in which they
differ.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from bbccli.core.notes import listing
from bbccli.core.source import LeftOut
from bbccli.errors import InputError, parameter
from bbccli.readers.interface import ItemScores, Log
from bbccli.types import Again

_BARE = ("model", "prompt", "solver")
"""Keys whose values are names by themselves."""

_LONGEST = 60
"""Longest value in a name, in characters; prompts may be pages long."""


@dataclass(frozen=True, slots=True)
class LoggedCandidate:
    """A configuration.

    Parameters
    ----------
    name
        Of the keys that tell it from the others.
    about
        All that tells configurations apart.
    logs
        Its log on each task.
    """

    name: str
    about: Mapping[str, object]
    logs: Mapping[str, Log]


def or_empty(log: Log) -> Log:
    """Return a log, excluded if no answer has a score."""
    if log.left_out or any(
        score is not None for one in log.results for score in one.scores.values()
    ):
        return log
    return replace(log, left_out="no answer has a score")


def without_tasks(logs: Mapping[str, Log], without: Sequence[str]) -> dict[str, Log]:
    """Return logs by task, without some tasks."""
    return {task: log for task, log in logs.items() if task not in without}


def _key(values: Mapping[str, object]) -> str:
    return json.dumps(values, sort_keys=True, default=str)


def newest_of(logs: Sequence[Log], again: Again | None = None) -> tuple[list[Log], list[LeftOut]]:
    """Return one log for each task and configuration, and those replaced by newer ones; runs with
    other seeds are epochs of one, and of other times as well if `again` says so.
    """
    used: list[Log] = []
    older: list[LeftOut] = []
    for alike in _alike(_told_apart(logs)):
        by_seeds: dict[str, list[Log]] = {}
        for log in alike:
            run = {"seeds": log.seeds, "time": log.created if again is Again.EPOCH else None}
            by_seeds.setdefault(_key(run), []).append(log)
        runs = []
        for repetitions in by_seeds.values():
            newest = max(repetitions, key=_by_time)
            runs.append(newest)
            for log in repetitions:
                if log is not newest:
                    reason = "again in" if _same(log, newest) else "run again later in"
                    older.append(LeftOut(log.place.name, f"{reason} {newest.place.name}"))
        used.append(_as_epochs(sorted(runs, key=_by_time)))
    return used, older


def _by_time(log: Log) -> tuple[float, str]:
    """Return the key by which runs are ordered, the newest last; those without a time first."""
    return (log.created.start if log.created else -math.inf, str(log.place))


def _same(log: Log, newest: Log) -> bool:
    """True if both hold the same results; an InputError if others, and either may be newer."""
    if _outcomes(log) == _outcomes(newest):
        return True
    if log.created and newest.created and log.created.before(newest.created):
        return False
    raise InputError(
        f"{log.place.name} and {newest.place.name} have different results of one configuration, "
        "and it is unknown which is newer",
        path=str(newest.place),
        hint="leave one out; or give two configurations different names; or count both: "
        + parameter("again", Again.EPOCH),
    )


def _as_epochs(runs: Sequence[Log]) -> Log:
    """Return runs as one, with their results as epochs of the items."""
    *_, newest = runs
    if len(runs) == 1:
        return newest
    scorers = {}
    for name, info in newest.scorers.items():
        scored = [Counter(r.item for r in run.results if has_score(r, name)) for run in runs]
        infos = [run.scorers[name] for run in runs if name in run.scorers]
        figures = [one.reported for one in infos if one.reported is not None]
        alike = len(figures) == len(runs) and all(one == scored[0] for one in scored)
        scorers[name] = replace(info, reported=sum(figures) / len(figures) if alike else None)
    results = [one._replace(epoch=0) for run in runs for one in sorted(run.results, key=_epoch)]
    return replace(newest, results=results, scorers=scorers)


def _epoch(result: ItemScores) -> int:
    return result.epoch


def has_score(result: ItemScores, scorer: str) -> bool:
    """True unless a score is missing or NaN."""
    score = result.scores.get(scorer)
    return score is not None and not math.isnan(score)


def has_epochs(log: Log) -> bool:
    """True if some item has several results."""
    return len({one.item for one in log.results}) < len(log.results)


def with_reduced(log: Log, scorer: str) -> Log:
    """Return a log with one score of each item, where its framework reduces those of its epochs."""
    reduce = log.scorers[scorer].reduce
    if reduce is None:
        return log
    epochs: dict[str, list[ItemScores]] = {}
    for one in sorted(log.results, key=_epoch):
        epochs.setdefault(one.item, []).append(one)
    results = []
    for item in epochs.values():
        scored = [one for one in item if has_score(one, scorer)]
        value = reduce([one.scores[scorer] or 0.0 for one in scored]) if scored else None
        results.append((scored or item)[0]._replace(scores={scorer: value}, epoch=1))
    return replace(log, results=results)


def _alike(logs: Iterable[Log]) -> Iterable[list[Log]]:
    """Group logs by task and configuration."""
    groups: dict[tuple[str, str], list[Log]] = {}
    for log in logs:
        groups.setdefault((log.task, _key(log.configuration)), []).append(log)
    return groups.values()


def _told_apart(logs: Sequence[Log]) -> list[Log]:
    """Add the details in which otherwise equal configurations differ."""
    found = []
    for alike in _alike(logs):
        names = dict.fromkeys(name for log in alike for name in log.details)
        differ = [
            name
            for name in names
            if len({_key({"": log.details[name]}) for log in alike if name in log.details}) > 1
        ]
        for log in alike:
            more = {n: log.details[n] for n in differ if n in log.details}
            found.append(replace(log, configuration={**more, **log.configuration, **more}))
    return found


def _outcomes(log: Log) -> Counter[tuple[str, float | None, bool]]:
    """Return how often each item has each value of the first scorer, whatever the format of the
    log.
    """
    first = next(iter(log.scorers), "")
    return Counter((one.item, one.scores.get(first), bool(one.error)) for one in log.results)


def candidates_of(logs: Sequence[Log]) -> list[LoggedCandidate]:
    """Return the configurations, named by the keys in which they differ."""
    found: dict[str, dict[str, Log]] = {}
    for log in logs:
        found.setdefault(_key(log.configuration), {})[log.task] = log
    about = [next(iter(own.values())).configuration for own in found.values()]
    of_each = zip(names_of(about), about, found.values(), strict=True)
    return [LoggedCandidate(name, values, own) for name, values, own in of_each]


def names_of(configurations: Sequence[Mapping[str, object]]) -> list[str]:
    """Return names of configurations, made of the first keys that tell all of them apart.

    Examples
    --------
    >>> names_of([{"model": "a", "prompt": "short"}, {"model": "a", "prompt": "cot"}])
    ['short', 'cot']
    >>> names_of([{"model": "a", "temperature": 0}, {"model": "b", "temperature": 1}])
    ['a', 'b']
    >>> names_of([{"model": "a", "temperature": 0}, {"model": "a", "temperature": 1}])
    ['temperature=0', 'temperature=1']
    """
    keys = list(dict.fromkeys(key for one in configurations for key in one))
    chosen: list[str] = []
    n_apart = 1
    for key in keys:
        more = (*chosen, key)
        n_more = len({_key({k: one.get(k) for k in more}) for one in configurations})
        if n_more > n_apart:
            chosen, n_apart = [*more], n_more
    names = [
        " x ".join(_part(key, one[key]) for key in chosen or keys[:1] if key in one) or "default"
        for one in configurations
    ]
    counts = Counter(names)
    for at, name in enumerate(names):  # long values with the same beginning
        if counts[name] > 1:
            numbered = (f"{name} ({number})" for number in count(1))
            names[at] = next(one for one in numbered if one not in names)
    return names


def _part(key: str, value: object) -> str:
    """Return the part of a name for a key and its value: a model as it is called, anything else in
    one short line.
    """
    if key == "model":
        return str(value)
    text = " ".join((value if isinstance(value, str) else json.dumps(value, default=str)).split())
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 3]}..."
    return text if key in _BARE else f"{key}={text}"


def in_common(
    candidates: Sequence[LoggedCandidate], path: str
) -> tuple[list[LoggedCandidate], list[LeftOut]]:
    """Keep the tasks that all configurations ran, in the order of their first log."""
    tasks = list(dict.fromkeys(task for one in candidates for task in one.logs))
    lacking = {t: [one.name for one in candidates if t not in one.logs] for t in tasks}
    left = [LeftOut(t, f"not run by {listing(names)}") for t, names in lacking.items() if names]
    if len(left) == len(tasks):
        each = [f"{task} by {len(candidates) - len(lacking[task])}" for task in tasks]
        raise InputError(
            f"no task was run by all {len(candidates)} configurations: {listing(each)}",
            path=path,
            hint="give the logs of one task",
        )
    out = [one.name for one in left]
    return [replace(one, logs=without_tasks(one.logs, out)) for one in candidates], left
