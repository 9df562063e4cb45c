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
from dataclasses import replace
from itertools import count
from typing import TypeAlias

from bbccli.domain.source import LeftOut
from bbccli.errors import InputError, parameter
from bbccli.notes import listing
from bbccli.reading.interface import Log
from bbccli.types import Again

Runs: TypeAlias = dict[str, dict[str, Log]]
"""By the name of a configuration, its log on each task."""

_BARE = ("model", "prompt", "solver")
"""Keys whose values are names by themselves."""

_LONGEST = 60
"""Longest value in a name, in characters; prompts may be pages long."""


def _key(values: object) -> str:
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
            time = log.created if again is Again.EPOCH else None
            by_seeds.setdefault(_key([log.seeds, time]), []).append(log)
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
    ours, theirs = (
        Counter(
            (r.item, r.scores.get(next(iter(run.scorers), "")), bool(r.error)) for r in run.results
        )
        for run in (log, newest)  # the first scorer alone: formats of a log differ in others
    )
    if ours == theirs:
        return True
    if log.created and newest.created and log.created.before(newest.created):
        return False
    raise InputError(
        f"{log.place.name} and {newest.place.name} have different results of one configuration, "
        "and it is unknown which is newer",
        path=str(newest.place),
        hint="leave one out; or give two configurations different names; or count both with "
        + parameter("again", Again.EPOCH),
    )


def _as_epochs(runs: Sequence[Log]) -> Log:
    """Return runs as one, with their results as epochs of the items."""
    *_, newest = runs
    if len(runs) == 1:
        return newest
    scorers = {}
    for name, info in newest.scorers.items():
        each = ([r.item for r in o.results if r.scores.get(name) is not None] for o in runs)
        scored = [*map(Counter, each)]
        figures = [run.scorers[name].reported for run in runs if name in run.scorers]
        known = [figure for figure in figures if figure is not None]
        alike = len(known) == len(runs) and all(counts == scored[0] for counts in scored)
        scorers[name] = replace(info, reported=sum(known) / len(known) if alike else None)
    in_order = (sorted(run.results, key=lambda result: result.epoch) for run in runs)
    results = [result._replace(epoch=0) for results in in_order for result in results]
    return replace(newest, results=results, scorers=scorers)


def _alike(logs: Iterable[Log]) -> Iterable[list[Log]]:
    """Group logs by task and configuration."""
    groups: dict[tuple[str, str], list[Log]] = {}
    for log in logs:
        groups.setdefault((log.task, _key(log.configuration)), []).append(log)
    return groups.values()


def _told_apart(logs: Sequence[Log]) -> list[Log]:
    """Add the details in which otherwise equal configurations differ."""
    apart = []
    for alike in _alike(logs):
        values: dict[str, set[str]] = {}
        for log in alike:
            for name, value in log.details.items():
                values.setdefault(name, set()).add(_key(value))
        several = [name for name, some in values.items() if len(some) > 1]
        for log in alike:
            more = {n: log.details[n] for n in several if n in log.details}
            apart.append(replace(log, configuration={**more, **log.configuration, **more}))
    return apart


def runs_of(logs: Sequence[Log]) -> Runs:
    """Return the logs of each configuration, named by the keys in which they differ."""
    runs: dict[str, dict[str, Log]] = {}
    for log in logs:
        runs.setdefault(_key(log.configuration), {})[log.task] = log
    names = telling_names([next(iter(logs.values())).configuration for logs in runs.values()])
    return dict(zip(names, runs.values(), strict=True))


def telling_names(configurations: Sequence[Mapping[str, object]]) -> list[str]:
    """Return names of configurations, made of the first keys that tell all of them apart.

    Examples
    --------
    >>> telling_names([{"model": "a", "prompt": "short"}, {"model": "a", "prompt": "cot"}])
    ['short', 'cot']
    >>> telling_names([{"model": "a", "temperature": 0}, {"model": "b", "temperature": 1}])
    ['a', 'b']
    >>> telling_names([{"model": "a", "temperature": 0}, {"model": "a", "temperature": 1}])
    ['temperature=0', 'temperature=1']
    """
    keys = list(dict.fromkeys(key for configuration in configurations for key in configuration))
    chosen: list[str] = []
    n_apart = 1
    for key in keys:
        more = [*chosen, key]
        n_more = len({_key({k: about.get(k) for k in more}) for about in configurations})
        if n_more > n_apart:
            chosen, n_apart = more, n_more
    shown = chosen or keys[:1]
    parts = [[_part(key, about[key]) for key in shown if key in about] for about in configurations]
    names = [" x ".join(part) or "default" for part in parts]
    counts = Counter(names)
    for at, name in enumerate(names):  # long values with the same beginning
        if counts[name] > 1:
            numbered = (f"{name} ({number})" for number in count(1))
            names[at] = next(name for name in numbered if name not in names)
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


def in_common(runs: Runs) -> tuple[Runs, list[LeftOut]]:
    """Keep the tasks that all configurations ran, in the order of their first log."""
    tasks = list(dict.fromkeys(task for logs in runs.values() for task in logs))
    lacking = {t: [name for name, logs in runs.items() if t not in logs] for t in tasks}
    left = [LeftOut(t, f"not run by {listing(names)}") for t, names in lacking.items() if names]
    if len(left) == len(tasks):
        each = [f"{task} by {len(runs) - len(names)}" for task, names in lacking.items()]
        raise InputError(
            f"no task was run by all {len(runs)} configurations: {listing(each)}",
            hint="give the logs of one task",
        )
    kept = {n: {t: log for t, log in logs.items() if not lacking[t]} for n, logs in runs.items()}
    return kept, left
