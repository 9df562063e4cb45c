"""Columns with one value per sample in every repeat: truth, time, event, group and weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bbccli.domain.outcome import Outcome, effective_size
from bbccli.errors import parameter, row_of
from bbccli.notes import Note, of_metadata
from bbccli.reading.arrow import pa, to_numbers
from bbccli.reading.column import Column, joint, number_of, repeated
from bbccli.reading.sheet import WIDE, Problems, Sheet
from bbccli.types import FloatArray, IntArray, distinct

CONSTANT = ("truth", "time", "event", "group", "weight")
"""Roles with one value per sample."""

ROUNDING_TOLERANCE = 1e-9
"""Relative difference up to which two numbers are the same, written with other digits."""

_SINGLE = float(np.finfo(np.float32).eps)
_NOISE_TOLERANCE = 4 * float(np.finfo(np.float64).eps)
"""Relative to the mean absolute value of a column: what is left of 0 after scaling back and
forth.
"""

FAR_BELOW = 1 / 3
"""Proportion of the samples, of each class, from which their effective number is far below it.

Weights that only balance the classes are even within each class.
"""

NO_WEIGHT = "use --unweighted if the column does not hold sample weights"


def with_sample_columns(sheet: Sheet, problems: Problems) -> Sheet:
    """Add the columns (n_usable,) of the usable samples."""
    fold = sheet.roles.get("fold")
    if fold is not None and not (fold.is_integer or fold.is_boolean):
        with problems.of("roles"):
            _refuse_measurements(fold)
            _refuse_slips(fold)
    columns: dict[str, Column] = {}
    rounding: dict[str, float] = {}
    played = [role for role in CONSTANT if role in sheet.roles]
    for role in played:
        with problems.of("constant"):
            columns[role], rounding[role] = _constant(sheet, role)
    problems.saw("constant", played)
    problems.saw("coverage", sheet)
    usable: IntArray = np.arange(sheet.n_samples)
    with problems.of("coverage"):
        usable = _samples_to_use(sheet)
    columns = {role: column.take(usable) for role, column in columns.items()}
    weights = None
    if "weight" in columns and len(columns) == len(played):
        with problems.of("constant"):
            weights = _weights(columns["weight"])
    problems.raise_first("coverage")
    rounding = {role: relative for role, relative in rounding.items() if relative}
    return replace(sheet, usable=usable, of_samples=columns, weights=weights, rounding=rounding)


def _refuse_measurements(fold: Column) -> None:
    """Refuse folds of real numbers that differ in most rows."""
    if fold.is_text:
        return
    values = to_numbers(fold.values)
    broken = np.flatnonzero(np.isfinite(values) & (values % 1 != 0))
    if len(broken) and 2 * len(np.unique(values)) > len(values):
        raise fold.fault(
            "fold is not an integer or a name",
            broken,
            hint="number the folds 0, 1, 2 and so on; rename the column if it does not hold folds",
        )


def _refuse_slips(fold: Column) -> None:
    """Refuse what is no whole number if two folds or more are, and the rest would fill less than
    half of the smallest: a typing error. Sites 101, 102 and "North" are folds of a size.
    """
    codes, names = fold.named_codes()
    whole = np.array([number_of(name) % 1 == 0 for name in names], bool)
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    if whole.sum() > 1 and 0 < 2 * sizes[~whole].sum() < sizes[whole].min():
        raise fold.fault(
            "fold is not a whole number, as the others are",
            np.flatnonzero(np.append(~whole, False)[codes]),
            hint="write the number of its fold; if it is a fold of its own, give it a number",
        )


def _samples_to_use(sheet: Sheet) -> IntArray:
    """Return samples in every repeat, or in any repeat for repeated hold-out."""
    if sheet.held_out is not None:
        return np.arange(sheet.n_samples)
    samples = np.flatnonzero(sheet.covered)
    if not len(samples):
        raise sheet.fault(
            f"no sample is in all {sheet.n_repeats} repeats",
            hint="give a sample the same row_id in every repeat; put folds of one "
            "cross-validation in a column 'fold'; repeated hold-out has no folds within a repeat",
        )
    return samples


def _constant(sheet: Sheet, role: str) -> tuple[Column, float]:
    """Return the first entry (N,) of each sample, and the largest relative difference of others."""
    column, rounding = sheet.roles[role], 0.0
    hint = f"fill in the {role}, or remove the sample's rows"
    column.present(role, hint=hint + (f"; {NO_WEIGHT}" if role == "weight" else ""))
    if len(column) > sheet.n_samples:
        rounding = check_constant(
            column,
            sheet.first[sheet.samples],
            f"{role} differs between repeats of one sample",
            f"{_key_of_repeats(sheet)}give a sample the same {role} in every repeat",
        )
    return column.take(sheet.first), rounding


def _key_of_repeats(sheet: Sheet) -> str:
    """Return the option for a column that tells samples apart in every repeat, in which rows that
    lack a key count by position; empty if there is none.
    """
    if sheet.layout != WIDE or "row_id" in sheet.roles or "repeat" not in sheet.roles:
        return ""
    repeats, known = sheet.roles["repeat"].codes()[0], {c.name for c in sheet.roles.values()}
    for name in sheet.table.names:
        if name not in known and name in sheet.table.kinds.discrete:
            codes = sheet.table.column(name).codes()[0]
            once = not len(repeated(joint([repeats, codes])))
            if once and len(distinct(codes)) == sheet.n_samples:
                return f"{parameter('row_id', name)} if it names the samples; otherwise "
    return "add a column 'row_id' if their order differs between repeats; otherwise "


def check_constant(column: Column, reference: IntArray, problem: str, hint: str) -> float:
    """Refuse values (n,) that differ from their reference entries (n,); return the largest rounding
    error.

    The error names the value of a sample that most others contradict, else the later one, and both
    values.
    """
    codes, _ = column.codes()
    values = codes.astype(np.float64)
    real = pa.types.is_floating(column.values.type) and bool((codes != codes[reference]).any())
    if real:
        values = to_numbers(column.values).astype(np.float64)
    files = np.searchsorted([origin.start for origin in column.origins], column.rows, "right")
    varies, rounding = differing(values, reference, files if real else None)
    if not len(varies):
        return rounding
    odd, other = odd_one(values, reference, int(varies[0]))
    path, _, row = column.place(other)
    given = column.values[other].as_py()
    there = f"{row_of(path, row)} of {path} has {given!r} for the same sample"
    rest = varies[reference[varies] != reference[odd]]
    raise column.fault(problem, np.append(odd, rest), hint=f"{there}: {hint}")


def differing(
    values: FloatArray, reference: IntArray, files: IntArray | None
) -> tuple[IntArray, float]:
    """Find the values that differ from another one by more than their notation.

    Numbers are equal if they differ by 1e-9 of the larger one; by the precision of float32, if one
    of the two files holds nothing else; or by the rounding errors of numbers of the column's size.
    Integers that differ are never equal in double precision.

    Parameters
    ----------
    values : (n,)
        Numbers, or codes.
    reference : (n,)
        Entry that each one should equal.
    files : (n,), optional
        File of each value; None for codes, which are equal or not.

    Returns
    -------
    entries
        Those that differ.
    rounding
        Largest difference that counts as rounding, relative to the larger value, or to the mean
        absolute value of the column if that is more.
    """
    varies = np.flatnonzero(values != values[reference])
    if not len(varies) or files is None:
        return varies, 0.0
    ours, theirs = values[varies], values[reference[varies]]
    with np.errstate(over="ignore"):
        exact = values.astype(np.float32) == values
    # files that hold nothing but float32 numbers
    single = np.bincount(files, ~exact, minlength=int(files.max()) + 1) == 0
    either = single[files[varies]] | single[files[reference[varies]]]
    mean = float(np.abs(values[np.isfinite(values)]).mean())
    with np.errstate(invalid="ignore"):  # infinite values are refused elsewhere
        size, apart = np.maximum(np.abs(ours), np.abs(theirs)), np.abs(ours - theirs)
        small = apart <= np.where(either, _SINGLE, ROUNDING_TOLERANCE) * size
        small |= apart <= _NOISE_TOLERANCE * mean
        whole = (ours == np.round(ours)) & (theirs == np.round(theirs))
        small &= ~whole | either
        relative = apart / np.maximum(size, mean)
    return varies[~small], float(relative[small].max(initial=0.0))


def odd_one(values: FloatArray, reference: IntArray, entry: int) -> tuple[int, int]:
    """Return which value of a sample most others contradict, and one of these."""
    there = np.flatnonzero(reference == reference[entry])
    given = values[there]
    near = np.abs(given[:, None] - given) < abs(values[entry] - values[reference[entry]]) / 2
    votes = near.sum(axis=1)
    most = there[int(np.argmax(votes))]
    if votes.max() == votes[there == reference[entry]].max():
        return entry, int(reference[entry])
    far = np.abs(given - values[most]) >= abs(values[entry] - values[reference[entry]]) / 2
    return int(there[far][0]), int(most)


def numbers_of(column: Column, role: str, hint: str) -> FloatArray:
    """Return the numbers of a column (n,); errors describe what other content looks like."""
    if column.is_text:
        from bbccli.reading.numerals import doubt

        fault = doubt(column, of=role)
        if fault is not None:
            raise fault
    return column.numbers(role, hint)


def _weights(weight: Column) -> FloatArray:
    """Return (N,) sample weights."""
    hint = f"remove rows that do not count, and give the others a positive number; or {NO_WEIGHT}"
    weights = numbers_of(weight, "weight", hint)
    wrong = np.flatnonzero(weights <= 0)
    if len(wrong):
        raise weight.fault("weight is not positive", wrong, hint=hint)
    return weights


def column_of_weights(sheet: Sheet) -> str | None:
    """Return the name, in the file, of the column of weights."""
    column = sheet.roles.get("weight")
    return column.place(0)[1] if column is not None and len(column) else None


def check_weights(outcome: Outcome, groups: IntArray | None) -> Iterator[Note]:
    """Yield a note on the first class, or on all samples, dominated by a few heavy ones."""
    weights, codes = outcome.weights, np.zeros(len(outcome), np.int64)
    if weights is None:
        return
    if outcome.task.is_classification:
        codes = outcome.values.astype(np.int64)
    for code in distinct(codes).tolist():
        in_class = codes == code
        members = None if groups is None else groups[in_class]
        n_units = int(in_class.sum()) if members is None else len(distinct(members))
        n_effective = effective_size(weights[in_class], members)
        if n_effective < FAR_BELOW * n_units:
            unit = "sample" if groups is None else "group"
            of_class = f" of class {outcome.classes[code]}" if outcome.classes else ""
            yield of_metadata.uneven_weights(n_effective, n_units, unit, of_class)
            return
