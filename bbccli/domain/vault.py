"""Rows that the search never saw: what was opened on them, and at which level each counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError, parameter
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, IntArray

FEWEST = 20
"""Sealed rows below which no figure is given: 80% right of 20 means .56 to .94."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The opening that an estimate rests on.

    name: the model opened, as it was called
    number: which opening it is, from 1
    n_openings: openings counted so far
    planned: openings planned when the rows were sealed
    n_samples: sealed rows
    level: level of its interval, which the number of openings leaves
    counted: true if bbc counts the openings; false if nothing does
    """

    name: str
    number: int
    n_openings: int
    planned: int
    n_samples: int
    level: float
    counted: bool

    @property
    def where(self) -> str:
        """The samples that evaluate it."""
        return f"{self.n_samples} samples sealed before the search"

    @property
    def which(self) -> str:
        """Which opening it is, and of how many."""
        beyond = self.n_openings > self.planned
        most = f"{self.n_openings}, {self.planned} planned" if beyond else str(self.planned)
        return f"opening {self.number} of {most}"


def outside_of(
    number: int, shown: Sequence[bool], planned: int, n_samples: int, outside: float
) -> float:
    """Return the probability of a miss that is left for an opening.

    While only "not yet" was said before, the search has one history, and each of the planned
    openings gets an equal part. Once a figure was shown, the search may follow it: the j-th
    opening has one model for each outcome of the earlier ones, (n + 1)^(j - 1) of them, and these
    share 2^-j of what is left.

    number: the opening, from 1.
    shown: of each opening so far, whether a figure was shown.
    planned, n_samples: as in `Vault`.
    outside: probability of a miss of all openings together.
    """
    if not any(shown[:-1]) and len(shown) <= planned:
        return outside / planned
    return float(outside * 0.5**number / (n_samples + 1.0) ** (number - 1))


LEAST = 50
"""Rows sealed at least, unless that is more than half: 60 rows that are 80% right mean .68 to .89.
"""

STRATA = 5
"""Strata of values, by their ranks."""


def sealed_rows(
    truth: NDArray[Any] | None,
    n_samples: int,
    share: float,
    groups: IntArray | None = None,
    *,
    seed: int = 0,
    option: str = "vault",
) -> BoolArray:
    """Return which of N rows (N,) are sealed: whole groups, of each class the same share.

    The same rows, share and seed always give the same ones, so that what is sealed once is sealed
    in every folder.

    truth (N,), optional: classes, or numbers, which are stratified by their ranks.
    option: what the share is called where it is given.
    Raises OptionError: fewer than 20 rows to seal.
    """
    if not 0 < share <= 0.5:
        problem = f"{parameter(option)} is {share:g}, not above 0 and at most 0.5"
        raise OptionError(problem, hint="such as 0.2")
    n_wanted = min(max(round(share * n_samples), LEAST), n_samples // 2)
    if n_wanted < FEWEST:
        raise OptionError(
            f"a vault needs {FEWEST} rows or more, at most half of all; there are {n_samples}",
            hint="with so few, repeat the search in outer folds (ncv) instead",
        )
    strata = _strata(truth, n_samples)
    units = np.arange(n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(units)
    of_unit = np.zeros((len(sizes), int(strata.max()) + 1), np.int64)
    np.add.at(of_unit, (units, strata), 1)
    main, chosen = of_unit.argmax(axis=1), np.zeros(len(sizes), bool)
    order = np.random.default_rng(seed).permutation(len(sizes))
    for stratum in range(of_unit.shape[1]):
        ours = order[main[order] == stratum]
        ends = np.cumsum(sizes[ours])
        wanted = n_wanted / n_samples * sizes[ours].sum()
        chosen[ours[: np.searchsorted(ends, wanted + 0.5)]] = True
    lacking, staying = n_wanted - sizes[chosen].sum(), of_unit[~chosen].sum(axis=0)
    for unit in order[~chosen[order]]:  # what rounding and large groups left open
        if lacking <= 0:
            break
        inside = of_unit[unit]
        if sizes[unit] <= lacking and (staying > inside)[inside > 0].all():
            chosen[unit] = True
            lacking, staying = lacking - sizes[unit], staying - inside
    sealed = chosen[units]
    if sealed.sum() < FEWEST:
        raise OptionError(
            f"whole groups leave {int(sealed.sum())} rows for the vault, fewer than {FEWEST}",
            hint="a larger share, or smaller groups",
        )
    return np.asarray(sealed)


def _strata(truth: NDArray[Any] | None, n_samples: int) -> IntArray:
    """Return the stratum of each row (N,)."""
    if truth is None:
        return np.zeros(n_samples, np.int64)
    if truth.dtype.kind != "f":
        return np.asarray(np.unique(truth, return_inverse=True)[1])
    ranks = np.argsort(np.argsort(truth, kind="stable"), kind="stable")
    return np.asarray(ranks * STRATA // n_samples)
