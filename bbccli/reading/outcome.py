"""Truth -> outcome: the task, the names of the classes, the positive one."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.errors import InputError, OptionError, UndefinedError, parameter
from bbccli.notes import listing
from bbccli.platform.text import count
from bbccli.reading.arrow import to_numbers
from bbccli.reading.classes import check_classes_told, in_order, sorted_names, spelled
from bbccli.reading.column import Column, number_of
from bbccli.reading.metadata import Metadata
from bbccli.reading.numerals import is_date
from bbccli.reading.predictions import Values
from bbccli.reading.roles import Request, is_given
from bbccli.reading.sample_columns import numbers_of
from bbccli.reading.sheet import Sheet
from bbccli.types import Task

MOST_EPOCHS = 10
"""Most epochs of which scores between 0 and 1 may be averages."""

MOST_UNKNOWN = 20
"""Most different words, beside classes, that are answers of their own."""

OUTLIER = -1.0
"""Label of an outlier, as scikit-learn has it."""

ROUNDED = 0.005 + 1e-9
"""Tolerance for proportions with two decimals."""


def outcome_of(sheet: Sheet, values: Values, request: Request) -> Outcome:
    """Return the outcome of the usable samples, (n_usable,); refuse a truth that does not fit the
    task.
    """
    task = task_of(request, sheet)
    truth, labels = sheet.of_samples.get("truth"), sheet.labels
    if task is Task.SCORE:
        outcome = _outcome_of_scores(sheet, values, request)
    elif truth is None:
        _refuse_positive(request.positive, Task.SURVIVAL)
        outcome = survival(sheet.of_samples["time"], sheet.of_samples["event"], request.task)
    else:
        check_classes_told(sheet)
        _refuse_doubtful(truth, values, labels, request.task)
        few = values.words or sheet.metadata.classes or len(truth.codes()[1]) <= MOST_UNKNOWN
        if few and not labels and request.task in (None, Task.MULTICLASS):
            labels = _with_unknown(truth.named_codes()[1], values, sheet.metadata.classes)
        task = decide_task(truth, values, labels, request.task, sheet.metadata)
        if task is not Task.BINARY:
            _refuse_positive(request.positive, task)
        if task is Task.REGRESSION:
            outcome = Outcome(task, truth.numbers("truth"))
        else:
            outcome = classification(truth, task, labels, sheet.metadata, request.positive)
    return outcome if sheet.weights is None else replace(outcome, weights=sheet.weights)


def _with_unknown(present: Sequence[str], values: Values, named: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of a truth with labels that it lacks, if some predictions are such: an
    answer like "abstain", or -1 for an outlier; else nothing. Metadata may have `named` all.

    Most predictions of each configuration must be classes. No more than `MOST_UNKNOWN` words may
    not, and none of these may differ from a class only in case or blanks, or be like 1,234 if the
    classes are numbers.
    """
    if named:
        every = tuple(dict.fromkeys([*present, *(spelled(name, present) for name in named)]))
        needed = values.all_among([*map(number_of, every)]) or {*values.words} - {*present}
        return every if needed and {*values.words} <= {*every} else ()
    classes = set(present)
    unknown = [word for word in values.words if word not in classes]
    spelt = {" ".join(name.split()).casefold() for name in (*present, *unknown)}
    numbers = [number_of(name) for name in present]
    if not values.words and _has_outliers(values, numbers):
        known, there, unknown = values.array >= 0, ~np.isnan(values.array), [f"{OUTLIER:g}"]
    elif not np.isnan(numbers).any() and any(re.match(r"\W*\d", word) for word in unknown):
        return ()
    elif 0 < len(unknown) <= MOST_UNKNOWN and len(spelt) == len(present) + len(unknown):
        known = np.isin(values.array, [i for i, word in enumerate(values.words) if word in classes])
        there = values.array >= 0
    else:
        return ()
    mostly = 2 * known.sum(axis=(0, 1)) > there.sum(axis=(0, 1))
    return (*present, *unknown) if mostly.all() else ()


def _has_outliers(values: Values, classes: Sequence[float]) -> bool:
    """True if all predictions are among the classes, each of which occurs, or `OUTLIER`, too."""
    every = [OUTLIER, *classes]
    numbered = not np.isnan(classes).any() and min(classes) > OUTLIER
    if not numbered or len(every) > MOST_UNKNOWN or not values.all_among(every):
        return False
    return all((values.array == label).any() for label in every)


def _refuse_doubtful(
    truth: Column, values: Values, labels: Collection[str], task: Task | None
) -> None:
    """Refuse dates and ambiguous numbers in a truth, unless they are names of classes."""
    if not truth.is_text or labels or (task and task.is_classification):
        return
    present, predicted = set(truth.named_codes()[1]), set(values.words)
    if all(map(is_date, present)):
        raise truth.fault(
            "truth holds dates",
            np.arange(len(truth)),
            hint="give numbers (of days); or, if each date is a class, "
            + parameter("task", Task.BINARY if len(present) <= 2 else Task.MULTICLASS),
        )
    if len(present) <= 2 or (predicted and predicted <= present):
        return
    from bbccli.reading.numerals import doubt

    fault = doubt(truth, of="truth")
    if fault is not None:
        raise fault


def _refuse_positive(positive: str | None, task: Task) -> None:
    """Refuse a positive class for tasks that are not binary."""
    if positive is not None:
        raise OptionError(
            f"{parameter('positive', positive)} needs a binary task, but this one is {task}",
            hint=f"drop {parameter('positive')}, or give {parameter('task', Task.BINARY)}",
        )


def decide_task(
    truth: Column, values: Values, labels: Sequence[str], task: Task | None, metadata: Metadata
) -> Task:
    """Return the task of a truth: by option, by metadata that fit, or by its values."""
    _, present = truth.named_codes()
    if task is not None and (problem := _problem(task, truth, present)) is not None:
        raise truth.fault(
            f"{parameter('task', task)}: {problem}",
            hint="give another --task, or another truth column by --truth NAME",
        )
    if task is not None:
        return task
    if metadata.task is not None and _problem(metadata.task, truth, present) is None:
        return metadata.task
    if len({*present, *labels}) <= 2:
        return Task.BINARY
    if labels or truth.is_text or truth.is_boolean:
        return Task.MULTICLASS
    # those of 0.0 and 1.0 are classes as those of 0 and 1 are
    whole = all(number_of(name).is_integer() for name in present)
    if whole and values.all_among([*map(number_of, present)]):
        return Task.MULTICLASS
    return Task.REGRESSION


def classification(
    truth: Column, task: Task, labels: Sequence[str], metadata: Metadata, positive: str | None
) -> Outcome:
    """Return the outcome of a binary or multiclass task, (N,).

    `labels` are classes with columns of predictions; a class of the truth must be among them and
    those of the metadata. `positive` is the positive class by option.
    """
    codes, present = truth.named_codes()
    if len(present) < 2:
        raise UndefinedError(
            f"{truth.path}: the truth has only one class ({present[0]!r})",
            hint="give samples of at least two classes",
        )
    known = _known_classes(truth, labels, metadata)
    _refuse_alike(truth, known)
    classes = sorted_names({**known, **dict.fromkeys(present)})
    if task is Task.BINARY:
        classes = positive_last(in_order(truth), positive, metadata, truth.path)
    recode = np.array([classes.index(name) for name in present])
    return Outcome(task, recode[codes], tuple(classes))


def survival(time: Column, event: Column, task: Task | None = None) -> Outcome:
    """Return the outcome of a survival task: times (N,) and events (N,)."""
    if task not in (None, Task.SURVIVAL):
        raise InputError(
            f"{parameter('task', task)} needs a truth, but the columns are a time and an event",
            path=time.path,
            hint=f"drop {parameter('task')}, or give {parameter('truth', 'NAME')}",
        )
    times = numbers_of(time, "time", "numbers are needed here")
    negative = np.flatnonzero(times < 0)
    if len(negative):
        raise time.fault("time is negative", negative, hint="give times from 0")
    codes, names = event.named_codes()
    # cBioPortal writes 1:DECEASED
    meanings = np.array([number_of(name.partition(":")[0]) for name in names])[codes]
    strange = np.flatnonzero((meanings != 0) & (meanings != 1))
    if len(strange):
        raise event.fault(
            "event is neither 0 nor 1",
            strange,
            hint="write 1 for an observed event, 0 for a censored sample",
        )
    return Outcome(Task.SURVIVAL, times, event=meanings == 1)


def _problem(task: Task, truth: Column, present: Sequence[str]) -> str | None:
    """Return why a task does not fit the truth; None if it does."""
    if task is Task.BINARY and len(present) > 2:
        return f"the truth has {len(present)} values ({listing(sorted_names(present))})"
    if task is Task.REGRESSION and truth.is_text:
        return "the truth is text"
    if task is Task.SURVIVAL:
        return "survival needs the columns 'time' and 'event' instead of a truth"
    return None


def _known_classes(truth: Column, labels: Sequence[str], metadata: Metadata) -> dict[str, None]:
    """Return the classes named by predictions or metadata, which must include those of the
    truth.
    """
    codes, present = truth.named_codes()
    declared = dict.fromkeys(spelled(name, present) for name in metadata.classes)
    for source, known in (("predictions", dict.fromkeys(labels)), ("metadata", declared)):
        strange = [code for code, name in enumerate(present) if known and name not in known]
        if strange:
            raise truth.fault(
                f"truth is not one of the classes of the {source} ({listing(list(known), 8)})",
                np.flatnonzero(np.isin(codes, strange)),
                hint="spell the classes the same way everywhere",
            )
    return dict.fromkeys(labels) or declared


def _refuse_alike(truth: Column, known: Collection[str]) -> None:
    """Refuse classes that may be one, or none, unless predictions or metadata know them."""
    codes, present = truth.named_codes()
    seen: dict[str, str] = {}
    for code, name in enumerate(present):
        if name in known:
            continue
        if name.strip().casefold() == "n/a":
            raise truth.fault(
                "truth may be missing, or a class of this name",
                np.flatnonzero(codes == code),
                hint="fill in the truth, or remove the sample's rows; if it is a class, list all "
                "'classes' in the metadata",
            )
        other = seen.setdefault(" ".join(name.split()).casefold(), name)
        if other != name:
            counts = [int((codes == present.index(label)).sum()) for label in (other, name)]
            raise truth.fault(
                f"classes {other!r} ({count(counts[0], 'row')}) and {name!r} "
                f"({count(counts[1], 'row')}) differ only in case or blanks",
                np.flatnonzero(codes == code),
                hint="use one spelling if they are one class; otherwise list all 'classes' in the "
                "metadata",
            )


def positive_last(
    classes: list[str], positive: str | None, metadata: Metadata, path: str
) -> list[str]:
    """Move the positive class to the end."""
    wanted = positive if positive is not None else metadata.positive_class
    if wanted is None:
        return classes
    wanted = spelled(wanted, classes)
    if wanted not in classes:
        source = parameter("positive") if positive is not None else "the metadata's positive_class"
        raise InputError(
            f"{source} is {wanted!r}, which is not one of the classes",
            path=path,
            hint=f"the classes are {' and '.join(classes)}",
        )
    return [name for name in classes if name != wanted] + [wanted]


Bounds = tuple[float, float]


def bounds_of_text(text: str) -> Bounds:
    """Return the bounds given by `--bounds`.

    Examples
    --------
    >>> bounds_of_text("1,5")
    (1.0, 5.0)
    """
    low, _, high = text.partition(",")
    try:
        return checked_bounds((float(low), float(high)))
    except (ValueError, OptionError):
        problem = f"{parameter('bounds')} {text!r} is not LOW,HIGH"
        raise OptionError(problem, hint="give two numbers, for example 0,1 or 1,5") from None


def checked_bounds(bounds: Bounds) -> Bounds:
    """Return bounds if they are finite and in order."""
    low, high = bounds
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise OptionError(
            f"{parameter('bounds')} are {low:g} and {high:g}",
            hint="give two numbers, the lower one first",
        )
    return float(low), float(high)


def task_of(request: Request, sheet: Sheet) -> Task | None:
    """Return the task given by the option or the metadata."""
    return request.task or sheet.metadata.task


def refuse_truth(request: Request, task: Task | None) -> None:
    """Refuse options on a truth if there is none, and bounds if there is one."""
    if task is not Task.SCORE:
        if request.bounds is not None:
            raise OptionError(
                f"{parameter('bounds')} is for scores without a truth",
                hint=f"give {parameter('task', Task.SCORE)}, or leave it out",
            )
        return
    given = {role: getattr(request.roles, role) for role in ("truth", "time", "event")}
    given |= {"positive": request.positive, "labels": request.labels}
    wrong = [parameter(name) for name, value in given.items() if is_given(value)]
    if wrong:
        raise OptionError(
            f"{wrong[0]} does not go with {parameter('task', Task.SCORE)}: scores have no truth",
            hint=f"leave {wrong[0]} out, or give another {parameter('task')}",
        )


def _outcome_of_scores(sheet: Sheet, values: Values, request: Request) -> Outcome:
    """Return an outcome without a truth, with the bounds of the scores."""
    bounds = request.bounds or sheet.metadata.bounds
    if bounds is not None:
        _refuse_beyond(sheet, values, checked_bounds(bounds))
    elif values.all_among([0.0, 1.0]) or are_averages(values):
        bounds = (0.0, 1.0)
    return Outcome(Task.SCORE, np.zeros(len(sheet.usable)), bounds=bounds)


def are_averages(values: Values) -> bool:
    """True if scores may be averages of right or wrong over a few epochs.

    All are fractions i/k with k up to `MOST_EPOCHS`, to two decimals or more; both 0 and 1 occur,
    and others too.
    """
    if values.words:
        return False
    scores = np.unique(values.array[~np.isnan(values.array)])
    if len(scores) < 3 or scores[0] != 0 or scores[-1] != 1:
        return False
    n_epochs = np.arange(2, MOST_EPOCHS + 1)[:, None]
    off = np.abs(scores - np.round(scores * n_epochs) / n_epochs).min(axis=0)
    return bool((off <= ROUNDED).all())


def _refuse_beyond(sheet: Sheet, values: Values, bounds: Bounds) -> None:
    """Refuse the first score outside the bounds."""
    low, high = bounds
    if values.words or not ((values.array < low) | (values.array > high)).any():
        return
    for cell in sheet.cells:
        column = sheet.column(cell)
        numbers = to_numbers(column.values)
        wrong = np.flatnonzero((numbers < low) | (numbers > high))
        if len(wrong):
            hint = "correct it, or give other --bounds"
            raise column.fault(f"score is not within {low:g} and {high:g}", wrong, hint=hint)
