"""Truth -> outcome: which task it is, the names of the classes, the positive one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bbccli.errors import InputError, UndefinedError
from bbccli.notes import listing
from bbccli.outcome import Outcome
from bbccli.readers.frame import Column, number_of
from bbccli.readers.metadata import Metadata
from bbccli.readers.predictions import CLASS_SEPARATOR
from bbccli.readers.raw import RawPredictions
from bbccli.types import BoolArray, FloatArray, IntArray, Task

Shaped = Mapping[str, Mapping[str, str]]


def class_columns(
    names: Sequence[str], present: Sequence[str], declared: Iterable[str], path: str
) -> Shaped:
    """Tell which columns `config::class` belong to which configuration.

    Parameters
    ----------
    names
        Names of the configuration columns.
    present
        Names of the classes of the truth.
    declared
        Configurations named in the metadata: their names are never split.
    path
        File, for messages.

    Returns
    -------
    mapping
        Column of each class of each configuration; empty when no column ends in a class.

    Raises
    ------
    InputError
        Some columns end in a class and others have no class at all.
    """
    split = split_by_class(names, present, declared)
    if not split:
        return {}
    shaped: dict[str, dict[str, str]] = {}
    for name in names:
        if name not in split:
            raise InputError(
                "column has no class, others have",
                path=path,
                column=name,
                hint=f"name it `{name}{CLASS_SEPARATOR}{present[0]}` and so on, or drop it",
            )
        configuration, tail = split[name]
        shaped.setdefault(configuration, {})[tail] = name
    return shaped


def split_by_class(
    names: Sequence[str], present: Sequence[str], declared: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """Split names `config::class` into configuration and class, the class as the truth spells it.

    Names without a class are left out; there are none of the others unless a class is `present`.
    """
    declared = set(declared)
    splits = {n: n.rpartition(CLASS_SEPARATOR) for n in names if n not in declared}
    split = {n: (head, _spelled(tail, present)) for n, (head, sep, tail) in splits.items() if sep}
    return split if {tail for _, tail in split.values()} & set(present) else {}


def spelled_alike(shaped: Shaped, present: Sequence[str]) -> Shaped:
    """Return the columns of each class, the classes spelled as in the truth."""
    return {
        configuration: {_spelled(name, present): column for name, column in own.items()}
        for configuration, own in shaped.items()
    }


def decide_task(
    truth: Column, raw: RawPredictions, shaped: Shaped, task: Task | None, metadata: Metadata
) -> Task:
    """Tell which task a truth is of: by the flag, by the metadata where they fit, by its values.

    Raises
    ------
    InputError
        A task that does not fit the truth.
    """
    _, present = truth.named_codes()
    if task is not None:
        return _checked(task, truth, present)
    if metadata.task is not None and _problem(metadata.task, truth, present) is None:
        return metadata.task
    classes = {*present, *(name for own in shaped.values() for name in own)}
    if len(classes) <= 2:
        return Task.BINARY
    if shaped or truth.is_text or truth.is_boolean:
        return Task.MULTICLASS
    if truth.is_integer and raw.all_among([number_of(name) for name in present]):
        return Task.MULTICLASS
    return Task.REGRESSION


def classification(
    truth: Column, task: Task, shaped: Shaped, metadata: Metadata, positive: str | None
) -> Outcome:
    """Return the outcome of a binary or multiclass task, (N,).

    Raises
    ------
    InputError
        A class of the truth that the predictions or the metadata do not have, or a positive class
        that is none.
    UndefinedError
        A truth of one value.
    """
    codes, present = truth.named_codes()
    if len(present) < 2:
        raise UndefinedError(
            f"{truth.path}: the truth has one class only ({present[0]!r})",
            hint="a performance over classes needs samples of at least two",
        )
    known = _known_classes(truth, codes, present, shaped, metadata)
    classes = _sorted(present if task is Task.BINARY else {**known, **dict.fromkeys(present)})
    if task is Task.BINARY:
        classes = _positive_last(classes, positive, metadata, truth.path)
    recode = np.array([classes.index(name) for name in present])
    return Outcome(task, recode[codes], tuple(classes))


def regression(truth: Column) -> Outcome:
    """Return the outcome of a regression, (N,) finite values.

    Raises
    ------
    InputError
        A value that is text or infinite.
    """
    return Outcome(Task.REGRESSION, truth.numbers("truth"))


def survival(time: Column, event: Column, task: Task | None = None) -> Outcome:
    """Return the outcome of a survival task: times (N,) and events (N,).

    Raises
    ------
    InputError
        A time that is negative or no number, an event other than 0 and 1, or another task set by
        hand.
    """
    if task not in (None, Task.SURVIVAL):
        raise InputError(
            f"--task {task} needs a truth, the columns are a time and an event",
            path=time.path,
            hint="drop --task, or give --truth NAME",
        )
    times: FloatArray = time.numbers("time")
    negative = np.flatnonzero(times < 0)
    if len(negative):
        raise time.fault("time is negative", negative, hint="times start at 0")
    return Outcome(Task.SURVIVAL, times, event=_events(event))


def _events(event: Column) -> BoolArray:
    """(N,) True where the event was seen."""
    codes, names = event.named_codes()
    meanings = np.array([number_of(name) for name in names])[codes]
    strange = np.flatnonzero((meanings != 0) & (meanings != 1))
    if len(strange):
        raise event.fault(
            "event is neither 0 nor 1",
            strange,
            hint="1 where the event was seen, 0 where the sample was censored",
        )
    return np.asarray(meanings == 1)


def _checked(task: Task, truth: Column, present: Sequence[str]) -> Task:
    """Return a task set by hand, which must fit the truth."""
    problem = _problem(task, truth, present)
    if problem is None:
        return task
    raise InputError(
        f"--task {task}: {problem}",
        path=truth.path,
        column=truth.name,
        hint="give another --task, or another truth column by --truth NAME",
    )


def _problem(task: Task, truth: Column, present: Sequence[str]) -> str | None:
    """Why a task does not fit the truth; None when it does."""
    if task is Task.BINARY and len(present) > 2:
        return f"the truth has {len(present)} values ({listing(_sorted(present))})"
    if task is Task.REGRESSION and truth.is_text:
        return "the truth is text"
    if task is Task.SURVIVAL:
        return "survival needs the columns `time` and `event` instead of a truth"
    return None


def _known_classes(
    truth: Column,
    codes: IntArray,
    present: Sequence[str],
    shaped: Shaped,
    metadata: Metadata,
) -> dict[str, None]:
    """Classes that the predictions or the metadata name, among which are those of the truth."""
    sources = {
        "the predictions": dict.fromkeys(name for own in shaped.values() for name in own),
        "the metadata": dict.fromkeys(_spelled(name, present) for name in metadata.classes),
    }
    for source, known in sources.items():
        strange = [name for name in present if known and name not in known]
        if strange:
            raise truth.fault(
                f"truth is none of the classes of {source} ({listing(list(known), 8)})",
                np.flatnonzero(np.isin(codes, [present.index(name) for name in strange])),
                hint="spell the classes alike everywhere",
            )
    return sources["the predictions"] or sources["the metadata"]


def _positive_last(
    classes: list[str], positive: str | None, metadata: Metadata, path: str
) -> list[str]:
    """Move the positive class to the end."""
    wanted = positive if positive is not None else metadata.positive_class
    if wanted is None:
        return classes
    wanted = _spelled(wanted, classes)
    if wanted not in classes:
        source = "--positive" if positive is not None else "the metadata's positive_class"
        raise InputError(
            f"{source} is {wanted!r}, which is no class",
            path=path,
            hint=f"the classes are {' and '.join(classes)}",
        )
    return [name for name in classes if name != wanted] + [wanted]


def _spelled(name: str, classes: Sequence[str]) -> str:
    """Spelling of a class in the truth: 1.0 names the class 1, true the class True."""
    if name in classes:
        return name
    number = number_of(name)
    return next((one for one in classes if number_of(one) == number), name)


def _sorted(names: Iterable[str]) -> list[str]:
    """By value when all names are numbers, else by spelling."""
    names = list(names)
    numbers = [number_of(name) for name in names]
    if np.isnan(numbers).any():
        return sorted(names)
    return sorted(names, key=number_of)
