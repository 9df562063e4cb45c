"""What is known of each sample beside its predictions: one value, in every repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from bbccli.core.notes import Note, declared
from bbccli.core.outcome import Outcome, effective_size
from bbccli.readers.checks.subsets import refuse_subsets_as_folds
from bbccli.readers.column import Column
from bbccli.readers.constant import check_constant
from bbccli.readers.coverage import samples_to_use
from bbccli.readers.place import Places
from bbccli.readers.problems import Raise
from bbccli.readers.sheet import Sheet
from bbccli.types import FloatArray, IntArray, distinct

CONSTANT = ("truth", "time", "event", "group", "weight")
"""Roles that have one value per sample."""


FAR_BELOW = 1 / 3
"""Share of the samples, of each class, below which their effective number is far below it.

Within classes: weights that only balance the classes leave each of them as even as it was.
"""

NO_WEIGHT = "--unweighted if the column does not weight the samples"


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
    hint = f"fill in the {role}, or remove the sample's rows"
    column.present(role, hint=hint + (f"; {NO_WEIGHT}" if role == "weight" else ""))
    rounding = 0.0
    if len(column) > len(places.first):
        rounding = check_constant(
            column,
            places.first[places.samples],
            f"{role} differs between repeats of one sample",
            f"the {role} of a sample is the same in every repeat",
        )
    return column.take(places.first), rounding


def numbers_of(column: Column, role: str, hint: str) -> FloatArray:
    """Return the numbers of a column (n,); what they look like, in the error about others."""
    if column.is_text:
        from bbccli.readers.numerals import doubt

        fault = doubt(column, of=role)
        if fault is not None:
            raise fault
    return column.numbers(role, hint)


def _weights(weight: Column) -> FloatArray:
    """(N,) sample weights."""
    hint = f"a positive number per sample; {NO_WEIGHT}"
    weights = numbers_of(weight, "weight", hint)
    wrong = np.flatnonzero(weights <= 0)
    if len(wrong):
        raise weight.fault("weight is not positive", wrong, hint=hint)
    return weights


def column_of_weights(sheet: Sheet) -> str | None:
    """Return the name, in the file, of the column of weights."""
    column = sheet.roles.get("weight")
    return column.place(0)[1] if column is not None and len(column) else None


def uneven_weights(outcome: Outcome, groups: IntArray | None) -> Iterator[Note]:
    """Yield a note on the first class, or on all samples, that a few heavy ones decide."""
    weights, codes = outcome.weights, np.zeros(len(outcome), np.int64)
    if weights is None:
        return
    if outcome.task.is_classification:
        codes = outcome.values.astype(np.int64)
    for code in distinct(codes).tolist():
        own = codes == code
        members = None if groups is None else groups[own]
        n_units = int(own.sum()) if members is None else len(distinct(members))
        n_effective = effective_size(weights[own], members)
        if n_effective < FAR_BELOW * n_units:
            unit = "sample" if groups is None else "group"
            of_class = f" of class {outcome.classes[code]}" if outcome.classes else ""
            yield declared.uneven_weights(n_effective, n_units, unit, of_class)
            return
