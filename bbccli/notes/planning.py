"""Notes on plans: what a study that is yet to come can't be told."""

from __future__ import annotations

from bbccli.notes.note import Note
from bbccli.rounding import count, figure


def not_attainable(target: str, value: float, attainable: float, most: int) -> Note:
    """No number of rows that was looked at reaches what is wanted."""
    return Note(
        "not-attainable",
        f"{target} {figure(value)} takes more than {most:,} rows: the smallest with as many is "
        f"{figure(attainable)}",
        "ask for less, or for fewer configurations",
    )


def near_perfect() -> Note:
    """The best configurations of the pilot are close to the best value."""
    return Note(
        "near-perfect",
        "the best configurations are within two standard errors of the best possible value, where "
        "the normal model does not hold: its upper figure of the optimism is cut at the distance "
        "of the best configuration to the median one",
        "take the optimism as an upper limit; a pilot with more rows tells more",
    )


def no_true_spread(*, stated: bool) -> Note:
    """No spread was stated, or chance explains all the differences of a pilot."""
    chance = "chance alone explains how the performances differ"
    why = "the spread is stated to be 0" if stated else chance
    return Note(
        "no-true-spread",
        f"{why}, so all configurations are taken to be equally good",
        "fewer configurations would do as well",
    )


def rough_pilot(n_samples: int, n_configurations: int) -> Note:
    """The pilot is small."""
    return Note(
        "rough-pilot",
        f"a pilot of {count(n_samples, 'row')} and {count(n_configurations, 'configuration')} "
        "tells the noise and the spread only roughly",
        "at least 50 rows and 10 configurations",
    )


def few_planned_rows(n_samples: int) -> Note:
    """So few rows that performances are not normal."""
    return Note(
        "few-planned-rows",
        f"the figures take performances for normal, which those of {count(n_samples, 'row')} are "
        "not",
        "plan for at least 50 rows, or go by what --check simulates",
    )
