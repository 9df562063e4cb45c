"""Work through the repetitions that are not on disk yet: in processes, until the time is up."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bbccli import __version__
from bbccli.core.resources import Resources, use
from benchmarks.validation.real import real_settings
from benchmarks.validation.settings import (
    Part,
    Setting,
    bias_settings,
    drop_settings,
    inclusion_settings,
)
from benchmarks.validation.store import Store
from benchmarks.validation.variants import existing, result


@dataclass(frozen=True, slots=True)
class Task:
    """Some variants on one repetition of a setting; all of it can be sent to a process."""

    folder: Path
    part: Part
    setting: str
    repetition: int
    variants: tuple[str, ...]


def settings_of(part: Part, folder: Path) -> list[Setting]:
    """All settings of a part."""
    makers: dict[Part, Callable[[], list[Setting]]] = {
        Part.BIAS: bias_settings,
        Part.INCLUSION: inclusion_settings,
        Part.REAL: lambda: real_settings(folder / "matrices"),
        Part.DROP: drop_settings,
    }
    return makers[part]()


def tasks(part: Part, folder: Path, store: Store, *, full: bool) -> Iterator[Task]:
    """Repetition 0 of every setting, then repetition 1, ...; without what is on disk."""
    settings = [one for one in settings_of(part, folder) if full or one.brief]
    names = [variant.name for variant in existing(part)]
    for repetition in range(max(one.n_repetitions for one in settings)):
        for setting in settings:
            if repetition >= setting.n_repetitions:
                continue
            done = store.results(setting.key).get(repetition, {})
            missing = tuple(name for name in names if name not in done)
            if missing:
                yield Task(folder, part, setting.key, repetition, missing)


def repeat(task: Task) -> dict[str, Any]:
    """Do one task, and return its record."""
    setting = next(s for s in settings_of(task.part, task.folder) if s.key == task.setting)
    variants = [one for one in existing(task.part) if one.name in task.variants]
    with use(Resources(jobs=1)):
        simulated = setting.simulated(task.repetition)
        results = {one.name: result(one, simulated, task.repetition) for one in variants}
    return {
        "setting": task.setting,
        "repetition": task.repetition,
        "seed": setting.seed(task.repetition),
        "version": __version__,
        "results": results,
    }


def work(todo: Iterator[Task], store: Store, jobs: int, seconds: float) -> tuple[int, float]:
    """Do tasks until they or the seconds are used up; return how many, and the seconds taken."""
    start, n_done = time.monotonic(), 0
    for record in _records(todo, jobs, start + seconds):
        store.append(record)
        n_done += 1
    return n_done, time.monotonic() - start


def _records(todo: Iterator[Task], jobs: int, end: float) -> Iterator[dict[str, Any]]:
    """Records in the order in which they are finished; no task is begun after the end."""
    if jobs == 1:
        while time.monotonic() < end and (task := next(todo, None)):
            yield repeat(task)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        pending: set[Future[dict[str, Any]]] = set()
        try:
            while True:
                if time.monotonic() < end:
                    some: Sequence[Task] = list(islice(todo, jobs + 1 - len(pending)))
                    pending |= {pool.submit(repeat, task) for task in some}
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
