"""Nearly equal configurations: copies, equal rankings, or high correlations."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.reading.checks.repeats import earlier_equals, keys_of_predictions
from bbccli.types import FloatArray, PredictionKind

NEARLY = 0.999
"""Correlation above which two configurations are nearly equal."""

MOST = 2000
"""Largest number of configurations compared pair by pair."""

_SHARE = 32
"""Bytes for each cell of a chunk of the samples: centred, scaled, and for the product."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """Numbers of configurations that are like an earlier one, with examples.

    n_copies: configurations that repeat an earlier one exactly
    n_same_ranks: further ones that rank the samples like an earlier one does
    n_correlated: further ones with a correlation above 0.999 to an earlier one
    n_compared: configurations compared
    examples: one pair of each kind that occurs
    """

    n_copies: int
    n_same_ranks: int
    n_correlated: int
    n_compared: int
    examples: tuple[str, ...]


def similarity(matrix: PredictionMatrix) -> Similarity:
    """Count configurations that are like an earlier one, each once, by the closest kind.

    Ranks and correlations are those of scores, probabilities and values, over all samples, repeats
    and classes; labels are only compared for being copies.
    """
    n_compared = min(matrix.n_configurations, MOST)
    names = matrix.configurations[:n_compared]
    kinds = {
        "the same predictions": earlier_equals(
            keys_of_predictions(matrix.predictions[:, :, :n_compared])
        )
    }
    same_ranks, correlated = "the same order of samples", f"a correlation above {NEARLY}"
    kinds |= {same_ranks: {}, correlated: {}}
    if matrix.kind is not PredictionKind.LABEL:
        columns = (_column(matrix, c) for c in range(n_compared))
        of_each = (np.unique(column, return_inverse=True)[1].tobytes() for column in columns)
        kinds[same_ranks] = earlier_equals(blake2b(r, digest_size=16).digest() for r in of_each)
        kinds[correlated] = _correlated(matrix, n_compared)
    taken, counts, examples = set[int](), list[int](), list[str]()
    for what, pairs in kinds.items():
        new = [later for later in pairs if later not in taken]
        taken |= {*new}
        counts.append(len(new))
        examples += [f"{names[later]} and {names[pairs[later]]}: {what}" for later in new[:1]]
    return Similarity(counts[0], counts[1], counts[2], n_compared, tuple(examples))


def _column(matrix: PredictionMatrix, column: int) -> FloatArray:
    """Return the (R N K) predictions of a configuration."""
    return np.ascontiguousarray(matrix.predictions[:, :, column]).reshape(-1)


def _correlated(matrix: PredictionMatrix, n_compared: int) -> dict[int, int]:
    """Return each column that is highly correlated with an earlier one -> that column."""
    centre, length = np.empty((2, n_compared))
    for c in range(n_compared):
        column = _column(matrix, c)
        centre[c] = column.mean()
        with np.errstate(over="ignore"):  # squares overflow beyond 1e154
            length[c] = np.sqrt(((column - centre[c]) ** 2).sum())
    rows = matrix.predictions[:, :, :n_compared]
    step = max(resources.current().memory // (_SHARE * rows[0, 0].size), 1)
    products = np.zeros((n_compared, n_compared))
    for start in range(0, rows.shape[1], step):
        for part in rows[:, start : start + step]:
            flat = np.moveaxis(part, 1, 0).reshape(n_compared, -1) - centre[:, None]
            unit = np.divide(
                flat, length[:, None], out=np.zeros_like(flat), where=length[:, None] > 0
            )
            products += unit @ unit.T
    first = np.argmax(products > NEARLY, axis=1)
    near = products[np.arange(n_compared), first] > NEARLY
    return {c: int(first[c]) for c in range(n_compared) if near[c] and first[c] < c}
