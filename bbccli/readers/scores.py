"""Scores without a truth: what bounds them, and what does not go with them."""

from __future__ import annotations

import math

import numpy as np

from bbccli.core.outcome import Outcome
from bbccli.errors import OptionError, parameter
from bbccli.readers.arrow import to_numbers
from bbccli.readers.prediction_array import Cube
from bbccli.readers.request import Request, is_given
from bbccli.readers.sheet import Sheet
from bbccli.types import Task

Bounds = tuple[float, float]


def bounds_of_text(text: str) -> Bounds:
    """Return the bounds that `--bounds` names.

    Raises
    ------
    OptionError
        They are not two numbers, the lower one first.

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
        raise OptionError(problem, hint="two numbers, for example 0,1 or 1,5") from None


def checked_bounds(bounds: Bounds) -> Bounds:
    """Return bounds that are finite and in order.

    Raises
    ------
    OptionError
        They are not.
    """
    low, high = bounds
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise OptionError(
            f"{parameter('bounds')} are {low:g} and {high:g}",
            hint="two numbers, the lower one first",
        )
    return float(low), float(high)


def task_of(request: Request, sheet: Sheet) -> Task | None:
    """Return the task that is asked for, or that the metadata declare."""
    return request.task or sheet.metadata.task


def refuse_truth(request: Request, task: Task | None) -> None:
    """Refuse what says something of a truth where there is none, and bounds where there is one.

    Raises
    ------
    OptionError
        An option that does not go with the task.
    """
    if task is not Task.SCORE:
        if request.bounds is not None:
            raise OptionError(
                f"{parameter('bounds')} is for scores without a truth",
                hint=f"give {parameter('task', Task.SCORE)}, or leave it out",
            )
        return
    roles = request.roles
    given = {
        "truth": roles.truth,
        "time": roles.time,
        "event": roles.event,
        "positive": request.positive,
        "labels": request.labels,
    }
    wrong = [parameter(name) for name, value in given.items() if is_given(value)]
    if wrong:
        raise OptionError(
            f"{wrong[0]} does not go with {parameter('task', Task.SCORE)}: scores are compared "
            "with no truth",
            hint=f"leave {wrong[0]} out, or give another {parameter('task')}",
        )


def outcome_of_scores(sheet: Sheet, cube: Cube, request: Request, n_samples: int) -> Outcome:
    """Return an outcome of N samples that holds no truth, only the bounds of their scores.

    Raises
    ------
    InputError
        A score beyond the bounds.
    """
    bounds = request.bounds or sheet.metadata.bounds
    if bounds is not None:
        _refuse_beyond(sheet, cube, checked_bounds(bounds))
    elif cube.all_among([0.0, 1.0]):
        bounds = (0.0, 1.0)
    return Outcome(Task.SCORE, np.zeros(n_samples), bounds=bounds)


def _refuse_beyond(sheet: Sheet, cube: Cube, bounds: Bounds) -> None:
    """Refuse the first score beyond the bounds."""
    low, high = bounds
    if cube.numbers is None or not ((cube.numbers < low) | (cube.numbers > high)).any():
        return
    for cell in sheet.cells:
        column = sheet.column(cell)
        numbers = to_numbers(column.values)
        wrong = np.flatnonzero((numbers < low) | (numbers > high))
        if len(wrong):
            hint = "correct it, or give other --bounds"
            raise column.fault(f"score is not within {low:g} and {high:g}", wrong, hint=hint)
