"""What the predictions themselves tell about their validity."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

import numpy as np

from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.checks.direction import on_turned, polarity, ranks_of, standings
from bbccli.readers.checks.perfection import in_order, on_perfection, performances
from bbccli.readers.checks.strays import strays
from bbccli.readers.predictions import Predictions
from bbccli.types import FloatArray, IntArray

_PREFIX = 16


def doubts(
    predictions: Predictions,
    outcome: Outcome,
    folds: IntArray | None = None,
    copies: IntArray | None = None,
    known: frozenset[str] = frozenset(),
) -> Iterator[Note]:
    """Yield notes on columns that are unlikely to be predictions, on polarity and on duplicates.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), finite.
    outcome
        Truth of the N samples.
    folds : (R, N), optional
        Fold of each sample in each repeat.
    copies : optional
        Configurations that equal the truth.
    known
        Configurations that are known to be such.
    """
    names, copied = predictions.configurations, [] if copies is None else copies.tolist()
    if copied:
        yield remarks.equals_truth([names[c] for c in copied])
    yield from strays(predictions, outcome, folds, known)
    score = partial(performances, predictions, outcome)
    ordered = in_order(predictions, outcome, folds)
    ranks = ranks_of(predictions, outcome)
    found = standings(predictions, outcome, folds, predictions.array[0].size, ranks)
    yield from on_order(predictions, outcome, folds, ordered, found, score, copied, ranks)
    pairs = _duplicates(predictions.array, names)
    if pairs:
        yield remarks.duplicate_configurations(len(pairs), pairs[0])


def on_order(
    predictions: Predictions,
    outcome: Outcome,
    folds: IntArray | None,
    ordered: IntArray,
    found: FloatArray,
    score: Callable[[IntArray], FloatArray],
    passed_over: Collection[int],
    ranks: FloatArray | None = None,
) -> Iterator[Note]:
    """Yield notes on what goes with the truth too well, and on what goes against it.

    Parameters
    ----------
    ordered, found : (C,)
        What `in_order` and `standings` say of the configurations.
    score
        Configurations -> their `performances`.
    passed_over
        Configurations that are known to equal the truth.
    ranks
        `ranks_of` the predictions, if they are known.
    """
    perfect = tuple(on_perfection(predictions, outcome, ordered, score, passed_over))
    yield from perfect
    reversed_ = tuple(polarity(predictions, outcome, ranks))
    yield from reversed_
    if not reversed_:
        told = (ordered < 0) & bool(perfect)
        yield from on_turned(predictions, outcome, np.where(told, np.nan, found), score, folds)


def doubts_of_scores(scores: Predictions) -> Iterator[Note]:
    """Yield notes on scores (R, N, C) that are compared with no truth.

    A configuration that is always right, or always wrong, is nothing strange here.
    """
    pairs = _duplicates(scores.array, scores.configurations)
    if pairs:
        yield remarks.duplicate_configurations(len(pairs), pairs[0])


def _duplicates(array: FloatArray, names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs (earlier, later) of configurations with the same predictions."""
    start = np.moveaxis(array[:, :_PREFIX], 2, 0)
    alike: dict[bytes, list[int]] = {}
    for position, prefix in enumerate(start):
        alike.setdefault(prefix.tobytes(), []).append(position)
    pairs: list[tuple[int, int]] = []
    for positions in alike.values():
        seen: dict[bytes, int] = {}
        for position in positions if len(positions) > 1 else ():
            earlier = seen.setdefault(array[:, :, position].tobytes(), position)
            if earlier != position:
                pairs.append((earlier, position))
    return [(names[a], names[b]) for a, b in sorted(pairs)]
