"""Configurations that are nearly the same: copies, the same ranking, or highly correlated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.types import FloatArray, PredictionKind

NEARLY = 0.999
"""Correlation above which two configurations are nearly the same."""

MOST = 2000
"""Configurations that are compared pair by pair."""

_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Similarity:
    """How many configurations are like an earlier one, and an example of each kind."""

    n_copies: int = field(metadata={"doc": "configurations that repeat an earlier one exactly"})
    n_same_ranks: int = field(
        metadata={"doc": "further ones that order the samples as an earlier one does"}
    )
    n_correlated: int = field(
        metadata={"doc": f"further ones with a correlation above {NEARLY} to an earlier one"}
    )
    n_compared: int = field(metadata={"doc": "configurations compared"})
    examples: tuple[str, ...] = field(metadata={"doc": "one pair of each kind that occurs"})


def similarity(matrix: PredictionMatrix) -> Similarity:
    """Count configurations that are like an earlier one; each counts once, by the closest kind.

    Ranks and correlations are of scores, probabilities and values, over all samples, repeats and
    classes; labels are only compared for being copies.
    """
    columns = _columns(matrix)
    names = matrix.configurations[: len(columns)]
    copies = _earlier(columns)
    taken, examples = set(copies), [_pair(names, copies, "the same predictions")]
    same_ranks: dict[int, int] = {}
    correlated: dict[int, int] = {}
    if matrix.kind is not PredictionKind.LABEL:
        ranks = _ranks(columns)
        same_ranks = {a: b for a, b in _earlier(ranks).items() if a not in taken}
        taken |= set(same_ranks)
        correlated = {a: b for a, b in _correlated(columns).items() if a not in taken}
        examples.append(_pair(names, same_ranks, "the same order of samples"))
        examples.append(_pair(names, correlated, f"a correlation above {NEARLY}"))
    return Similarity(
        len(copies),
        len(same_ranks),
        len(correlated),
        len(columns),
        tuple(one for one in examples if one),
    )


def _columns(matrix: PredictionMatrix) -> FloatArray:
    """(C', R N K) predictions, a row per configuration."""
    first = matrix.predictions[:, :, :MOST]
    return np.ascontiguousarray(np.moveaxis(first, 2, 0)).reshape(first.shape[2], -1)


def _ranks(columns: FloatArray) -> FloatArray:
    """(C', n) ranks of each row, ties sharing one."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(columns, method="dense", axis=1))


def _earlier(rows: FloatArray) -> dict[int, int]:
    """Position of each row that equals an earlier one, and of that one."""
    seen: dict[bytes, int] = {}
    found = {}
    for position, row in enumerate(rows):
        earlier = seen.setdefault(row.tobytes(), position)
        if earlier != position:
            found[position] = earlier
    return found


def _correlated(columns: FloatArray) -> dict[int, int]:
    """Position of each row that is highly correlated with an earlier one, and of that one."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    with np.errstate(over="ignore"):  # numbers beyond 1e154 have no square
        length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    found = {}
    for start in range(0, len(unit), _BLOCK):
        close = unit[start : start + _BLOCK] @ unit.T > NEARLY
        for offset, row in enumerate(close):
            earlier = int(np.argmax(row))
            if row[earlier] and earlier < start + offset:
                found[start + offset] = earlier
    return found


def _pair(names: tuple[str, ...], found: dict[int, int], what: str) -> str:
    """Name the first pair, if there is one."""
    later = next(iter(found), None)
    return "" if later is None else f"{names[later]} and {names[found[later]]}: {what}"
