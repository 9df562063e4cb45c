"""What is known of each sample beside its predictions: one value, in every repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bbccli.readers.checks.subsets import refuse_subsets_as_folds
from bbccli.readers.column import Column
from bbccli.readers.constant import check_constant
from bbccli.readers.coverage import samples_to_use
from bbccli.readers.place import Places
from bbccli.readers.problems import Raise
from bbccli.readers.sheet import Sheet
from bbccli.types import FloatArray, IntArray

CONSTANT = ("truth", "time", "event", "group", "weight")
"""Roles that have one value per sample."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Outcome, group and weight of the N samples that can be used.

    Parameters
    ----------
    samples : (N,)
        Their numbers among all samples.
    columns : (N,) each
        Columns of the roles that are played.
    weights : (N,), optional
        Sample weights.
    rounding
        How far the values of one sample are apart, by role, where they are.
    """

    samples: IntArray
    columns: Mapping[str, Column]
    weights: FloatArray | None = None
    rounding: Mapping[str, float] = field(default_factory=dict)


def facts_of(sheet: Sheet, places: Places, problems: Raise) -> Facts:
    """Collect what is known of the samples that every repeat holds.

    Raises
    ------
    InputError
        Folds that are subsets, a value that is missing or differs between repeats, a weight that
        is none, or no sample that every repeat holds.
    """
    if "fold" in sheet.roles:
        problems.attempt("roles", refuse_subsets_as_folds, sheet.roles["fold"], otherwise=None)
    columns: dict[str, Column] = {}
    rounding: dict[str, float] = {}
    played = [role for role in CONSTANT if role in sheet.roles]
    for role in played:
        of_role = (sheet.roles[role], role, places)
        found = problems.attempt("constant", constant, *of_role, otherwise=None)
        if found is not None:
            columns[role], rounding[role] = found
    problems.done("constant", played)
    problems.done("coverage", (sheet, places))
    samples = problems.attempt("coverage", samples_to_use, sheet, places, otherwise=None)
    usable = np.arange(places.n_samples) if samples is None else samples
    columns = {role: column.take(usable) for role, column in columns.items()}
    weights = None
    if "weight" in columns and len(columns) == len(played):
        weights = problems.attempt("constant", _weights, columns["weight"], otherwise=None)
    problems.settle("coverage")
    return Facts(usable, columns, weights, {role: r for role, r in rounding.items() if r})


def constant(column: Column, role: str, places: Places) -> tuple[Column, float]:
    """Return one entry per sample, (N,), of a column that varies by rounding at most.

    Returns
    -------
    column : (N,)
        The first entry of each sample.
    rounding
        Largest relative difference between entries of a sample.

    Raises
    ------
    InputError
        A missing entry, or the first one that differs from the sample's earlier entry.
    """
    column.present(role, hint=f"fill in the {role}, or remove the sample's rows")
    rounding = 0.0
    if len(column) > len(places.first):
        rounding = check_constant(
            column,
            places.first[places.samples],
            f"{role} differs between repeats of one sample",
            f"the {role} of a sample is the same in every repeat",
        )
    return column.take(places.first), rounding


def _weights(weight: Column) -> FloatArray:
    """(N,) sample weights."""
    weights = weight.numbers("weight")
    wrong = np.flatnonzero(weights <= 0)
    if len(wrong):
        hint = "a positive number per sample; 1 where samples count alike"
        raise weight.fault("weight is not positive", wrong, hint=hint)
    return weights
