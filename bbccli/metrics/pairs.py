"""Shares of concordant pairs: counted under any weights, all together or fold by fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bbccli.kernels import Pairs, concordant_weight
from bbccli.kernels.placements import standing
from bbccli.kernels.sweep import concordant_mass
from bbccli.metrics.base import Bind, Scorer
from bbccli.metrics.weighting import (
    Units,
    by_configuration,
    ratio,
    rest,
    scaled,
    weighted_sums,
    whole,
)
from bbccli.outcome import Outcome
from bbccli.types import BoolArray, FloatArray, IntArray


class PairCounter(Scorer, Protocol):
    """A scorer whose performance is a share of pairs of samples, ties one half."""

    def counted(
        self, weights: IntArray, configurations: IntArray | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Twice the weight of concordant pairs (B, C'), and the weight of all pairs (B, 1)."""

    def counted_paired(
        self, weights: IntArray, configurations: IntArray
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The same of one configuration per row of weights: both (B,)."""

    def restrict(self, rows: BoolArray) -> PairCounter:
        """Return a scorer of the samples in `rows` (N,) alone."""


def pair_share(
    cases: Callable[[Outcome], BoolArray], controls: Callable[[Outcome], BoolArray]
) -> Bind:
    """Weighted share of (case, control) pairs in which the case scores higher; ties one half."""
    return lambda outcome, scores: PairScorer.of(
        scores, cases(outcome), controls(outcome), outcome.weights
    )


@dataclass(frozen=True, slots=True, eq=False)
class PairScorer:
    """Weighted share of concordant pairs. Time O(B N C) after sorting once.

    Counts are exact integers; with sample weights they are sums in float64.
    """

    scores: FloatArray
    cases: BoolArray
    controls: BoolArray
    pairs: Pairs
    sample_weights: FloatArray | None = None

    @classmethod
    def of(
        cls,
        scores: FloatArray,
        cases: BoolArray,
        controls: BoolArray,
        sample_weights: FloatArray | None = None,
    ) -> PairScorer:
        """Prepare scores (N, C)."""
        return cls(scores, cases, controls, Pairs.of(scores, cases, controls), sample_weights)

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.scores.shape[1])

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Share of each configuration under each row of weights."""
        return share_of_pairs(*self.counted(weights, configurations))

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Share of one configuration per row of weights."""
        return share_of_pairs(*self.counted_paired(weights, configurations))

    def counted(
        self, weights: IntArray, configurations: IntArray | None = None
    ) -> tuple[NDArray[Any], FloatArray]:
        """Twice the weight of concordant pairs (B, C'), and the weight of all pairs (B, 1)."""
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        masses = scaled(weights, self.sample_weights)
        return self._concordant(masses, chosen), self._pair_weight(masses)[:, None]

    def counted_paired(
        self, weights: IntArray, configurations: IntArray
    ) -> tuple[NDArray[Any], FloatArray]:
        """The same of one configuration per row of weights: both (B,)."""
        masses = scaled(weights, self.sample_weights)
        counts = by_configuration(self._concordant, masses, configurations)
        return counts, self._pair_weight(masses)

    @property
    def steady(self) -> bool:
        """Whether each figure is the same to the last bit whatever is scored beside it."""
        return self.sample_weights is None

    def restrict(self, rows: BoolArray) -> PairScorer:
        """Keep the samples in `rows`."""
        of_rows = None if self.sample_weights is None else self.sample_weights[rows]
        return PairScorer.of(self.scores[rows], self.cases[rows], self.controls[rows], of_rows)

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Share without each of the units, under weights (N,): (U, C')."""
        return share_of_pairs(*self.counted_without_each(weights, units, configurations))

    def counted_without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Pairs without each of the units, under weights (N,): (U, C') and (U, 1).

        All pairs, less those of the samples of a unit, which count those within it twice: time
        O(N C'); with groups as units O(N C' log N).
        """
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        masses = np.asarray(scaled(weights, self.sample_weights), np.float64)
        of_samples = standing(self.pairs.presorted, masses, chosen)
        counts = of_samples[self.cases].sum(axis=0) - units.sums(of_samples)
        if not units.single:
            counts += self._within(weights, units, chosen)
        sides = np.stack([self.cases, self.controls], axis=1)
        left = rest(sides * masses[:, None], units)
        left[rest(sides * (weights > 0)[:, None], units) == 0] = 0.0
        return counts, left.prod(axis=1, keepdims=True)

    def _within(self, weights: IntArray, units: Units, chosen: IntArray) -> FloatArray:
        """(U, C') twice the weight of the concordant pairs within each unit."""
        found = np.zeros((units.n_units, len(chosen)))
        order = np.argsort(units.codes, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(units.codes[order])) + 1):
            cases, controls = self.cases[members], self.controls[members]
            if cases.any() and controls.any():
                own = None if self.sample_weights is None else self.sample_weights[members]
                scores = self.scores[members][:, chosen]
                counter = PairScorer.of(scores, cases, controls, own)
                found[units.codes[members[0]]] = counter.counted(weights[None, members])[0][0]
        return found

    def _concordant(self, masses: NDArray[Any], configurations: IntArray) -> NDArray[Any]:
        """(B, C') twice the weight of concordant pairs, ties one half."""
        if whole(masses):
            return concordant_weight(self.pairs, masses, configurations)
        return concordant_mass(self.pairs.presorted, masses, configurations)

    def _pair_weight(self, masses: NDArray[Any]) -> FloatArray:
        """(B,) weight of all (case, control) pairs."""
        sides = np.stack([self.cases, self.controls], axis=1).astype(np.float32)
        return np.asarray(weighted_sums(masses, sides).prod(axis=1))


def share_of_pairs(counts: NDArray[Any], pair_weight: NDArray[Any]) -> FloatArray:
    """Half of `counts` per weight of all pairs; NaN, silently, where there is no pair."""
    shares = ratio(counts, 2.0 * pair_weight)
    # sums of real weights in another order may exceed the whole in the last bit
    return shares if whole(counts) else np.clip(shares, 0.0, 1.0)
