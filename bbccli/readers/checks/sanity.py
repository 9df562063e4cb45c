"""Sanity checks of predictions: parts of the configurations by themselves, then joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import numpy as np

from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.checks.direction import on_turned, polarity, ranks_of, standings
from bbccli.readers.checks.leakage import in_order, on_perfection, performances
from bbccli.readers.checks.non_predictions import Marks, marks, on_marks
from bbccli.readers.checks.target_copies import equal_to_truth
from bbccli.readers.predictions import Values, over_columns
from bbccli.types import BoolArray, FloatArray, IntArray

_PREFIX = 16


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """Results of the checks of each configuration by itself.

    Attributes
    ----------
    copied : (C,) bool
        Configurations that equal the truth.
    marked
        Those that do not look like predictions.
    ordered, standing : (C,)
        Results of `in_order` and `standings`.
    keys
        Of each configuration; equal where the predictions are.
    ranks : (N, C), optional
        `ranks_of` the predictions, if they are known.
    """

    copied: BoolArray
    marked: Marks
    ordered: IntArray
    standing: FloatArray
    keys: list[bytes]
    ranks: FloatArray | None = None


def examine(
    values: Values, outcome: Outcome, folds: IntArray | None, known: frozenset[str]
) -> Examined:
    """Examine every configuration by itself, here or on the workers that read the predictions.

    Parameters
    ----------
    values
        (R, N, C) or (R, N, C, K), complete.
    outcome
        Truth of the N samples.
    folds : (R, N), optional
        Fold of each sample in each repeat.
    known
        Configurations that are known to be what they look like.
    """
    parts = over_columns(values.array, partial(_examined, values, outcome, folds, known))
    return parts[0] if len(parts) == 1 else _joined(parts)


def notes_on(
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    known: frozenset[str],
    examined: Examined,
) -> Iterator[Note]:
    """Yield notes on columns that are unlikely to be predictions, on polarity and on duplicates."""
    copied = np.flatnonzero(examined.copied).tolist()
    if copied:
        yield remarks.equals_truth([values.configurations[c] for c in copied])
    yield from on_marks(values, outcome, examined.marked, known)
    score = partial(_performances, values, outcome)
    yield from _on_order(values, outcome, folds, examined, score, copied)
    yield from duplicates(values.configurations, examined.keys)


def duplicates(names: tuple[str, ...], keys: Iterable[bytes]) -> Iterator[Note]:
    """Yield a note if the keys of some configurations are equal, and so their predictions."""
    pairs = earlier_equals(keys)
    if pairs:
        later = min(pairs, key=lambda one: (pairs[one], one))
        yield remarks.duplicate_configurations(len(pairs), (names[pairs[later]], names[later]))


def earlier_equals(keys: Iterable[bytes]) -> dict[int, int]:
    """Return the position of each key that occurred before, and where it did first."""
    seen: dict[bytes, int] = {}
    first = [seen.setdefault(key, position) for position, key in enumerate(keys)]
    return {later: earlier for later, earlier in enumerate(first) if earlier != later}


def keys_of(array: FloatArray, *, whole: bool = True) -> list[bytes]:
    """Return a key of each configuration of (R, N, C) or (R, N, C, K), equal where they are.

    Few rows tell most configurations apart, if they are all there (`whole`).
    """
    starts = [rows.tobytes() for rows in np.moveaxis(array[:, :_PREFIX], 2, 0)]
    often = Counter(starts)
    return [
        start
        if whole and often[start] == 1
        else blake2b(array[:, :, c].tobytes(), digest_size=16).digest()
        for c, start in enumerate(starts)
    ]


def _examined(
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    known: frozenset[str],
    columns: IntArray | slice,
) -> Examined:
    """Examine some configurations."""
    whole, n_cells = values.in_memory, int(np.prod(values.array.shape[1:]))
    if not whole:
        names = tuple(np.array(values.configurations, object)[columns])
        values = replace(values, array=values.array[:, :, columns], configurations=names)
    ranks = ranks_of(values, outcome) if whole else None
    copied = np.zeros(len(values.configurations), bool)
    copied[equal_to_truth(values, outcome)] = True
    return Examined(
        copied,
        marks(values, outcome, folds, known, n_cells),
        in_order(values, outcome, folds),
        standings(values, outcome, folds, n_cells, ranks),
        keys_of(values.array, whole=whole),
        ranks,
    )


def _joined(parts: list[Examined]) -> Examined:
    """Join what was seen of consecutive configurations."""

    def join(name: str, records: list[Examined] | list[Marks]) -> np.ndarray:
        return np.concatenate([getattr(record, name) for record in records])

    marked = [part.marked for part in parts]
    return Examined(
        join("copied", parts),
        Marks(*(join(name, marked) for name in ("constant", "by_fold", "outside"))),
        join("ordered", parts),
        join("standing", parts),
        [key for part in parts for key in part.keys],
    )


def _performances(values: Values, outcome: Outcome, columns: IntArray) -> FloatArray:
    """`performances` of some configurations, a part on each worker."""
    of_some = partial(performances, values, outcome)
    return np.concatenate(over_columns(values.array, of_some, columns))


def _on_order(
    values: Values,
    outcome: Outcome,
    folds: IntArray | None,
    examined: Examined,
    score: Callable[[IntArray], FloatArray],
    passed_over: Collection[int],
) -> Iterator[Note]:
    """Yield notes on what goes with the truth too well, and on what goes against it."""
    ordered = examined.ordered
    perfect = tuple(on_perfection(values, outcome, ordered, score, passed_over))
    yield from perfect
    reversed_ = tuple(polarity(values, outcome, examined.ranks))
    yield from reversed_
    if not reversed_:
        told = (ordered < 0) & bool(perfect)
        standing = np.where(told, np.nan, examined.standing)
        yield from on_turned(values, outcome, standing, score, folds)
