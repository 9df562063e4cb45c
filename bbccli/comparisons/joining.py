"""Several matrices of the same samples as one, in which each is a family.

Samples are matched by their keys, in the order of the first matrix. All matrices must agree on a
sample's truth, group and weight. Folds are kept if all have the same ones; else they are left out
with a note, and rows are compared instead of folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.comparisons.families import with_families
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.source import Source
from bbccli.errors import InputError, OptionError, parameter
from bbccli.notes import Note, listing
from bbccli.notes.of_data import joined_by_position, joined_folds_differ, truth_rounded
from bbccli.platform.arguments import choice
from bbccli.platform.dataclass import dataclass
from bbccli.reading.classes import spelled
from bbccli.reading.keys import names_alike
from bbccli.reading.sample_columns import differing, odd_one
from bbccli.types import BoolArray, IntArray, Missing, Task

SHOWN = 3
"""Keys that a message names."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """One matrix of several, and the columns that came from each."""

    matrix: PredictionMatrix
    families: dict[str, tuple[int, ...]]


def joined(
    matrices: Sequence[PredictionMatrix],
    names: Sequence[str],
    missing: Missing | str = Missing.ERROR,
) -> Joined:
    """Join matrices of the same samples; each becomes a family of its name.

    Configurations whose names occur in several matrices are called ``NAME/configuration``.

    Parameters
    ----------
    matrices
        Two or more, of one task, one kind of predictions and as many repeats.
    names
        What they are called; distinct.
    missing
        `error`, or `common-rows` to keep the samples that all of them hold.

    Raises
    ------
    OptionError
        Fewer than two, names that are not distinct, or another way to deal with missing rows.
    InputError
        Samples that only some hold, or none in common; another task, kind or number of repeats;
        another truth, group or weight of a sample; keys in some matrices alone, or of two names.
    """
    missing = choice(Missing, missing, "missing")
    matrices = _same_classes(matrices)
    _check(matrices, names, missing)
    by_position = _by_position(matrices, names)
    _check_asked(matrices, names)
    rows = _common(matrices, names, missing)
    aligned = [matrix.of_samples(kept) for matrix, kept in zip(matrices, rows, strict=True)]
    notes = [note for matrix in matrices for note in matrix.notes]
    notes += _check_same(aligned, names)
    notes += [joined_by_position(names)] if by_position else []
    first = aligned[0]
    same_folds = all(_same_folds(first, other) for other in aligned[1:])
    unknown = any(matrix.folds is None for matrix in aligned)  # there is a note on that
    notes += [] if same_folds or unknown else [joined_folds_differ(names)]
    columns = np.cumsum([0, *(matrix.n_configurations for matrix in matrices)])
    families = {
        name: tuple(range(start, end))
        for name, start, end in zip(names, columns[:-1], columns[1:], strict=True)
    }
    configurations = _named(matrices, names)
    matrix = replace(
        first,
        predictions=np.concatenate([matrix.predictions for matrix in aligned], axis=2),
        configurations=configurations,
        folds=first.folds if same_folds else None,
        fold_names=first.fold_names if same_folds else (),
        groups=next((m.groups for m in aligned if m.groups is not None), None),
        available=_available(aligned),
        source=_source(matrices, configurations),
        notes=tuple(dict.fromkeys(notes)),
        unfinished=None,
    )
    return Joined(with_families(matrix, families), families)


def _check(matrices: Sequence[PredictionMatrix], names: Sequence[str], missing: Missing) -> None:
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"{twice} is given twice", hint="give each file once")
    if len(matrices) < 2:
        raise OptionError(
            "there is only one file, so there is nothing to join", hint="give two or more"
        )
    if missing not in (Missing.ERROR, Missing.COMMON_ROWS):
        common = parameter("missing", Missing.COMMON_ROWS)
        raise OptionError(
            f"{parameter('missing', missing)} does not apply to samples that only one file holds",
            hint=f"{common} keeps those that all of them hold",
        )
    first = matrices[0]
    for other, name in zip(matrices[1:], names[1:], strict=True):
        for aspect, ours, theirs in (
            ("tasks", first.task, other.task),
            ("classes", listing(list(first.outcome.classes)), listing(list(other.outcome.classes))),
            ("kinds of predictions", first.kind, other.kind),
            ("numbers of repeats", first.n_repeats, other.n_repeats),
            ("kinds of repeats", _repeats(first), _repeats(other)),
            ("evaluations", _evaluation(first, other), _evaluation(other, first)),
        ):
            if ours != theirs:
                raise InputError(
                    f"{names[0]} and {name} can't be joined: their {aspect} differ, {ours} and "
                    f"{theirs}",
                    path=other.source.path,
                    hint="files of the same study, written in the same way",
                )


def _by_position(matrices: Sequence[PredictionMatrix], names: Sequence[str]) -> bool:
    """True if no matrix has keys; raises where their keys are in different columns, or none has one
    and rows are missing, which may be any.
    """
    keys = [matrix.sample_keys for matrix in matrices]
    columns = [None if key is None else key.column for key in keys]
    for column, name, matrix in zip(columns[1:], names[1:], matrices[1:], strict=True):
        if (column or "").casefold() != (columns[0] or "").casefold():
            have = [f"has the key {c!r}" if c else "has no key" for c in (columns[0], column)]
            raise InputError(
                f"{names[0]} {have[0]}, {name} {have[1]}",
                path=matrix.source.path,
                hint="call the key of the samples 'row_id' in all files",
            )
    sizes = [max(matrix.source.n_samples, matrix.n_samples) for matrix in matrices]
    if columns[0] is None and len({*sizes}) > 1:
        raise InputError(
            f"{listing(list(names))} have {min(sizes)} to {max(sizes)} samples, and no key",
            path=matrices[int(np.argmin(sizes))].source.path,
            hint="add a column 'row_id' with the key of the sample to each file",
        )
    return columns[0] is None


def _repeats(matrix: PredictionMatrix) -> str:
    return "repeated hold-out" if matrix.repeated_holdout else "each predicts all samples"


def _evaluation(matrix: PredictionMatrix, other: PredictionMatrix) -> str:
    """Return the score of logs and, where keys don't tell it, the task; if unknown the other's."""
    for run in (matrix.source.run, other.source.run):
        if run is not None and run.evaluation is not None:
            tasks = run.evaluation.tasks
            return " of ".join([run.evaluation.score, *filter(None, tasks[: len(tasks) == 1])])
    return ""


def _check_asked(matrices: Sequence[PredictionMatrix], names: Sequence[str]) -> None:
    """Refuse logs of evaluations that asked something else under the same keys."""
    runs = zip(names, (matrix.source.run for matrix in matrices), strict=True)
    logs = [(name, run.evaluation) for name, run in runs if run and run.evaluation]
    if logs:
        from bbccli.reading.evaluations.scores import check_content

        check_content((who, *key, log.asked[key]) for who, log in logs for key in log.asked)


def _common(
    matrices: Sequence[PredictionMatrix], names: Sequence[str], missing: Missing
) -> list[IntArray]:
    """Rows of each matrix in the order of the first one."""
    alike = names_alike([(matrix.source.path, matrix.sample_keys) for matrix in matrices])
    keys = alike or [matrix.keys for matrix in matrices]
    common = keys[0][np.all([np.isin(keys[0], other) for other in keys[1:]], axis=0)]
    forms = [f"{name} has {str(key[0])!r}" for name, key in zip(names, keys, strict=True)]
    for of_file, name, matrix in zip(keys, names, matrices, strict=True):
        absent = of_file[~np.isin(of_file, common)]
        if len(absent) and missing is Missing.ERROR:
            shown = listing([str(key) for key in absent[:SHOWN]])
            raise InputError(
                f"{len(absent)} of {len(of_file)} samples of {name} are not in all files, such as "
                f"{shown}",
                path=matrix.source.path,
                hint=f"{parameter('missing', str(Missing.COMMON_ROWS))} compares on the samples "
                "that all of them hold"
                if len(common)
                else f"no key is in all files: {listing(forms)}; write those of one sample alike",
            )
    if not len(common):
        raise InputError(
            f"{listing(list(names))} have no sample in common",
            hint="the same row_id for the same sample in all files",
        )
    orders = [np.argsort(of_file, kind="stable") for of_file in keys]
    pairs = zip(keys, orders, strict=True)
    return [order[np.searchsorted(key, common, sorter=order)] for key, order in pairs]


def _check_same(matrices: Sequence[PredictionMatrix], names: Sequence[str]) -> Iterator[Note]:
    """Refuse samples on which matrices disagree; yield differences due to rounding.

    Raises InputError: the first sample; names the matrix that most others contradict, else the
        later one.
    """
    n_samples, classes = matrices[0].n_samples, matrices[0].outcome.classes
    for column, arrays in _columns(matrices):
        present = [at for at, part in enumerate(arrays) if part is not None]
        if 0 < len(present) < len(arrays) and column != "group":
            absent = next(at for at, part in enumerate(arrays) if part is None)
            ours, theirs = sorted((absent, present[0]))
            raise InputError(
                f"only one of {names[ours]} and {names[theirs]} gives the {column} of the samples",
                path=matrices[absent].source.path,
                hint=f"give the {column} in both",
            )
        if len(present) < 2:
            continue
        values = np.concatenate([np.asarray(arrays[at], np.float64) for at in present])
        reference = np.tile(np.arange(n_samples), len(present))
        exact = column in ("group", "event") or bool(column == "truth" and classes)
        files = None if exact else np.repeat(np.arange(len(present)), n_samples)
        wrong, rounding = differing(values, reference, files)
        if rounding:
            yield truth_rounded("time" if matrices[0].task is Task.SURVIVAL else column, rounding)
        if len(wrong):
            entries = odd_one(values, reference, int(wrong[0]))
            odd, other = (present[entry // n_samples] for entry in entries)
            sample = int(wrong[0]) % n_samples
            both = [_value(matrices[at], arrays[at], sample, column) for at in (odd, other)]
            keys = matrices[odd].sample_keys
            raise InputError(
                f"{names[odd]} and {names[other]} differ in the {column} of sample "
                f"{matrices[0].keys[sample]}" + (f": {' and '.join(both)}" if all(both) else ""),
                path=matrices[odd].source.path,
                row=None if keys is None or keys.rows is None else int(keys.rows[sample]),
                hint="rows of one sample have the same row_id and the same truth in all files; "
                f"{parameter('across', True)} if they are of different data sets",
                further=len(np.unique(reference[wrong])) - 1,
            )


def _columns(matrices: Sequence[PredictionMatrix]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each column that has to agree, in each matrix; None where absent."""
    outcomes = [matrix.outcome for matrix in matrices]
    yield "truth", [outcome.values for outcome in outcomes]
    yield "event", [outcome.event for outcome in outcomes]
    yield "weight", [outcome.weights for outcome in outcomes]
    groups = [matrix.groups for matrix in matrices]
    yield "group", [None if group is None else _codes(group) for group in groups]


def _value(matrix: PredictionMatrix, values: NDArray[Any], row: int, column: str) -> str:
    """Show a sample's value, where it means something to the reader."""
    if column == "group":
        return ""
    classes = matrix.outcome.classes if column == "truth" else ()
    return classes[int(values[row])] if classes else str(values[row])


def _same_classes(matrices: Sequence[PredictionMatrix]) -> list[PredictionMatrix]:
    """Name the classes as in the first matrix; True and 1, or 1.0 and 1, are the same."""
    classes = matrices[0].outcome.classes if len(matrices) else ()
    return [
        replace(matrix, outcome=replace(matrix.outcome, classes=classes))
        if tuple(spelled(name, classes) for name in matrix.outcome.classes) == classes
        and matrix.outcome.classes != classes
        else matrix
        for matrix in matrices
    ]


def _codes(groups: IntArray) -> IntArray:
    """Number the groups (N,) by first occurrence; names are not kept."""
    _, first, code = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[code])


def _same_folds(first: PredictionMatrix, other: PredictionMatrix) -> bool:
    """True if two matrices have the same partition into folds, whatever their names."""
    if first.folds is None or other.folds is None:
        return first.folds is None and other.folds is None
    pairs = zip(first.folds, other.folds, strict=True)
    return all(np.array_equal(_codes(ours), _codes(theirs)) for ours, theirs in pairs)


def _available(matrices: Sequence[PredictionMatrix]) -> BoolArray | None:
    if all(matrix.available is None for matrix in matrices):
        return None
    parts = [
        np.ones(matrix.predictions.shape[:3], bool)
        if matrix.available is None
        else matrix.available
        for matrix in matrices
    ]
    return np.concatenate(parts, axis=2)


def _named(matrices: Sequence[PredictionMatrix], names: Sequence[str]) -> tuple[str, ...]:
    """Names of all configurations; repeated ones are prefixed with the name of their matrix."""
    every = [(n, c) for n, m in zip(names, matrices, strict=True) for c in m.configurations]
    alone = len({c for _, c in every}) == len(every)
    return tuple(c if alone else f"{name}/{c}" for name, c in every)


def _source(matrices: Sequence[PredictionMatrix], configurations: Sequence[str]) -> Source:
    entries = [m.source.configurations.get(c, {}) for m in matrices for c in m.configurations]
    configs = [{**entry, "id": id_} for entry, id_ in zip(entries, configurations, strict=True)]
    return Source(
        path=", ".join(matrix.source.path for matrix in matrices),
        sha256=", ".join(matrix.source.sha256 for matrix in matrices),
        metadata={**matrices[0].source.metadata, "configs": configs},
        left_out=tuple(left for matrix in matrices for left in matrix.source.left_out),
        run=matrices[0].source.run,
    )
