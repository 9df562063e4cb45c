"""Nested searches: 8 of 60 of 300 configurations, so that one training serves all three."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np

from benchmarks.bank.tables import Array

LARGEST = 300
SIZES = (8, 60, LARGEST)

MAIN = 60
"""The size of search on which every method is judged."""

FIRST = (
    "knn",
    "kernel",
    "tree",
    "forest",
    "boosting",
    "network",
    "l2",
    "lda",
    "net1.0",
    "net0.05",
)
"""Families in the smallest search, those that the task has; the others follow."""


def search(names: Sequence[str], size: int) -> Array:
    """Columns of a search, in increasing order: a mix of the families, each in turn.

    Families with many configurations make up the rest once the others are used up, so the largest
    search is mostly of stable learners, the smaller ones of all kinds alike.
    """
    by_family: dict[str, list[int]] = defaultdict(list)
    for column in np.random.default_rng(len(names)).permutation(len(names)):
        by_family[names[column].split("|")[0].split(" ")[0]].append(int(column))
    families = [*(one for one in FIRST if one in by_family), *sorted(set(by_family) - set(FIRST))]
    turns = zip_longest(*(by_family[family] for family in families))
    order = [column for column in chain.from_iterable(turns) if column is not None]
    return np.sort(order[:size])
