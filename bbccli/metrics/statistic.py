"""The algebra of metrics: a statistic is a formula of totals under weights.

A total is a weighted `Sum` of terms, `Concordant` pairs of samples, or anything else that adds up
under weights. Scoring, leaving samples out, restricting, and sums over parts all follow from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bbccli.metrics.kernels import concordant_paired, concordant_weight, prepared
from bbccli.metrics.kernels import pairs as presorted
from bbccli.metrics.weighting import (
    CHUNK,
    MOST_CELLS,
    ONE_PASS,
    ONE_STRETCH,
    Formula,
    Units,
    Weighting,
    added,
    are_whole,
    by_configuration,
    dots,
    float_type,
    members_among,
    one_by_one,
    paired_sums,
    scaled,
    sums_in_parts,
    sums_of_chunk,
    with_changes,
)
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray

IN_CACHE = 2**15
"""Performances that are made of totals at a time."""

ROUNDING_TOLERANCE = 1e-12
"""A difference of sums of squares below this share of them is rounding."""


class Total(ABC):
    """Something that adds up under weights; slow here, in closed form in subclasses.

    Totals are (B, C', ...) for C' configurations, or (B, 1, ...) if they share them.
    """

    n_classes = 0
    """Totals of each configuration, if there are several."""

    n_samples = 0
    """N, if the total says so."""

    adds_up = False
    """True if `in_parts` is faster than scoring under the weights of each part."""

    exact = False
    """True if the totals are counts, the same in any order."""

    @abstractmethod
    def of(self, weights: Weighting, configurations: IntArray | None = None) -> NDArray[Any]:
        """Return the totals under B rows of weights."""

    @abstractmethod
    def take(self, rows: Any) -> Self:
        """Keep the samples in `rows`."""

    def paired(self, weights: Weighting, configurations: IntArray) -> NDArray[Any]:
        """Return the total (B, 1, ...) of one configuration per row of weights."""
        return by_configuration(self._scored, weights.weights, configurations)[:, None]

    def each(self, weights: Weighting, chosen: IntArray, *, alone: bool) -> NDArray[Any]:
        """Return the totals (B, C', ...), each as `paired` makes it; as `of` if it is `alone`."""
        return self.of(weights, chosen)

    def without(
        self, weights: IntArray, units: Units, configurations: IntArray | None
    ) -> NDArray[Any]:
        """Return the totals (U, C', ...) without each of the units, under weights (N,)."""
        return one_by_one(self._scored, weights, units, configurations)

    def in_parts(self, members: Sequence[Any]) -> NDArray[Any]:
        """Return the totals (F, C, ...) of the samples of each of F parts."""
        raise NotImplementedError

    def _scored(self, weights: NDArray[Any], configurations: IntArray | None) -> NDArray[Any]:
        return self.of(Weighting(weights), configurations)


@dataclass(frozen=True, eq=False)
class Sum(Total):
    """Weighted sums of terms.

    terms (N, C, ...) or (N, 1, ...): counts in float32, exact for whole numbers below 2**24, or
        bool if there are very many; others in float64, times the sample weights.
    undefined (the same shape, float32), optional: 1 where a term is undefined, and so is every sum
        in which it has weight.
    """

    terms: NDArray[Any]
    undefined: FloatArray | None = None
    adds_up = True

    @classmethod
    def bound(cls, values: NDArray[Any], sample_weights: FloatArray | None = None) -> Self:
        """Bind terms, which are undefined where they are NaN."""
        if values.dtype == np.bool_ and sample_weights is None:
            return cls(values if len(values) > CHUNK else values.astype(np.float32))
        terms: FloatArray = np.asarray(values, np.float64)
        gaps = np.isnan(terms)
        undefined = gaps.astype(np.float32) if gaps.any() else None
        terms = terms if undefined is None else np.where(gaps, 0.0, terms)
        if sample_weights is not None:
            terms = terms * sample_weights.reshape(-1, *[1] * (terms.ndim - 1))
        return cls(terms, undefined)

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """True if the terms are counts."""
        return bool(self.terms.dtype != np.float64)

    @property
    def n_samples(self) -> int:  # type: ignore[override]
        """N."""
        return len(self.terms)

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """K, if the terms are of K classes."""
        return int(self.terms.shape[2]) if self.terms.ndim > 2 else 0

    def take(self, rows: Any) -> Self:
        """Keep the samples in `rows`."""
        undefined = None if self.undefined is None else self.undefined[rows]
        return type(self)(self.terms[rows], undefined)

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> FloatArray:
        """Add up by matrix products; counts of not too many samples stay in float32."""

        def sums(terms: NDArray[Any]) -> FloatArray:
            if len(terms) <= CHUNK:
                return np.asarray(weights.floats(float_type(terms)) @ terms)
            chunks = (slice(a, a + CHUNK) for a in range(0, len(terms), CHUNK))
            totals = np.zeros((len(weights.weights), terms.shape[1]))
            for part in chunks:
                totals += sums_of_chunk(weights.weights[:, part], terms[part], weights.totals)
            return totals

        return self._over(sums, configurations)

    def paired(self, weights: Weighting, configurations: IntArray) -> FloatArray:
        """Add up a column for each row of weights."""
        if self.terms.shape[1] == 1:
            return weights.once(self, self.of)
        if len(self.terms) > CHUNK:
            return np.asarray(super().paired(weights, configurations))
        floats = weights.floats(float_type(self.terms))
        sums = paired_sums(floats, self.terms, configurations).astype(np.float64)[:, None]
        if self.undefined is not None:
            sums[Sum(self.undefined).paired(weights, configurations) > 0] = np.nan
        return sums

    def each(self, weights: Weighting, chosen: IntArray, *, alone: bool) -> FloatArray:
        """Add up row by row and column by column, and so in one order."""
        if self.exact or self.terms.shape[1] == 1:
            return self.of(weights, chosen)
        if alone or self.terms.ndim > 2 or len(self.terms) > ONE_STRETCH:
            add, rows = self.of if alone else self.paired, np.ones(len(weights.weights), int)
            return np.concatenate([add(weights, c * rows) for c in chosen], axis=1)
        terms = np.ascontiguousarray(self.terms.T[chosen])
        sums: FloatArray = dots(weights.floats(terms.dtype)[:, None], terms)
        if self.undefined is not None:
            sums[Sum(self.undefined).of(weights, chosen) > 0] = np.nan
        return sums

    def without(
        self, weights: IntArray, units: Units, configurations: IntArray | None
    ) -> FloatArray:
        """Subtract the terms of each unit: time O(N C')."""

        def left(terms: NDArray[Any]) -> FloatArray:
            weighted = terms * weights.astype(np.float64)[:, None]
            of_units = units.sums(weighted)
            sums = np.asarray(of_units.sum(axis=0) - of_units)
            if terms.dtype == np.float64:
                least = ROUNDING_TOLERANCE * np.abs(weighted, out=weighted).sum(axis=0)
                sums[(sums <= least) & (sums >= -least)] = 0.0
                sums[:, ~np.isfinite(least)] = np.nan
            return sums

        return self._over(left, configurations)

    def in_parts(self, members: Sequence[IntArray]) -> FloatArray:
        """Add up the samples of each part."""

        def sums(terms: NDArray[Any]) -> FloatArray:
            totals = sums_in_parts(terms, members)
            finite = np.isfinite(totals)
            totals[finite & ~finite.all(axis=0)] = np.nan  # inf times a weight of 0
            return totals

        return self._over(sums, None)

    def _over(
        self, sums: Callable[[NDArray[Any]], FloatArray], configurations: IntArray | None
    ) -> FloatArray:
        """Apply sums to terms (N, M) of some configurations; NaN where one is undefined."""
        everything = configurations is None or self.terms.shape[1] == 1
        terms = self.terms if everything else self.terms[:, configurations]
        flat = terms.reshape(len(terms), np.prod(terms.shape[1:], dtype=int))  # of no rows, too
        totals = sums(flat).reshape(-1, *terms.shape[1:])
        if self.undefined is not None:
            totals[Sum(self.undefined)._over(sums, configurations) > 0] = np.nan
        return totals


class Weight(Sum):
    """The weight of all samples: a sum of (N, 1) ones, times the sample weights."""

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> FloatArray:
        """Add up the rows of weights."""
        if self.exact:
            return weights.totals[:, None]
        return np.asarray(weights.weights @ self.terms)


@dataclass(frozen=True, eq=False)
class Concordant(Total):
    """Twice the weight of the pairs whose case scores higher than the control; ties count once.

    Whole weights are counted exactly. Time O(B N C) after sorting once.
    """

    scores: FloatArray
    cases: BoolArray
    controls: BoolArray
    sample_weights: FloatArray | None = None
    _sorting: Lock = field(default_factory=Lock, init=False)
    _sorted: list[presorted.PresortedPairs] = field(default_factory=list, init=False)

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """True if whole weights are not multiplied by others."""
        return self.sample_weights is None

    @property
    def adds_up(self) -> bool:  # type: ignore[override]
        """True if the scores are so many that their sorted values are found faster than pairs."""
        return self.exact and len(self.scores) >= presorted.LONG

    @property
    def pairs(self) -> presorted.PresortedPairs:
        """Cases and controls, sorted when they are first weighted, by one thread."""
        with self._sorting:
            if not self._sorted:
                self._sorted.append(prepared(self.scores, self.cases, self.controls))
            return self._sorted[0]

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> NDArray[Any]:
        """Count the pairs by the kernels."""
        masses = scaled(weights.weights, self.sample_weights)
        return self._count(masses, self._chosen(configurations))

    def paired(self, weights: Weighting, configurations: IntArray) -> NDArray[Any]:
        """Count the pairs of one configuration per row of weights."""
        masses = scaled(weights.weights, self.sample_weights)
        each = concordant_paired(self.pairs, masses, configurations)
        counts = by_configuration(self._count, masses, configurations) if each is None else each
        return counts[:, None]

    def take(self, rows: Any) -> Concordant:
        """Keep the samples in `rows`."""
        return self._of(rows, slice(None))

    def without(
        self, weights: IntArray, units: Units, configurations: IntArray | None
    ) -> FloatArray:
        """Subtract the pairs of a unit's samples, which count those within it twice.

        Time O(N C'); with groups as units O(N C' log N).
        """
        chosen = self._chosen(configurations)
        masses = np.asarray(scaled(weights, self.sample_weights), np.float64)
        of_samples = presorted.concordant_by_sample(self.pairs, masses, chosen)
        counts = of_samples[self.cases].sum(axis=0) - units.sums(of_samples)
        if units.single:
            return np.asarray(counts)
        order = np.argsort(units.codes, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(units.codes[order])) + 1):
            if self.cases[members].any() and self.controls[members].any():
                within = self._of(members, chosen)
                counts[units.codes[members[0]]] += within.of(Weighting(weights[None, members]))[0]
        return np.asarray(counts)

    def in_parts(self, members: Sequence[IntArray]) -> IntArray:
        """Count the pairs within each part by the values of their scores."""
        parts = ((self.scores[m], self.cases[m], self.controls[m]) for m in members)
        return np.stack([presorted.concordant_by_value(*part) for part in parts])

    def _of(self, rows: Any, columns: Any) -> Concordant:
        sample_weights = None if self.sample_weights is None else self.sample_weights[rows]
        scores = self.scores[rows][:, columns]
        return Concordant(scores, self.cases[rows], self.controls[rows], sample_weights)

    def _count(self, masses: NDArray[Any], configurations: IntArray) -> NDArray[Any]:
        if are_whole(masses):
            return concordant_weight(self.pairs, masses, configurations)
        from bbccli.metrics.kernels.sweep import concordant_mass

        return concordant_mass(self.pairs, masses, configurations)

    def _chosen(self, configurations: IntArray | None) -> IntArray:
        return np.arange(self.scores.shape[1]) if configurations is None else configurations


class AllPairs(Sum):
    """The weight (B, 1) of all (case, control) pairs: a product of sums over both (N, 1, 2)."""

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """None."""
        return 0

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> FloatArray:
        """Multiply the weight of the cases by that of the controls."""
        return np.asarray(super().of(weights).prod(axis=2, dtype=np.float64))

    def in_parts(self, members: Sequence[IntArray]) -> FloatArray:
        """Multiply them in each part."""
        return np.asarray(super().in_parts(members).prod(axis=2, dtype=np.float64))

    def without(
        self, weights: IntArray, units: Units, configurations: IntArray | None
    ) -> FloatArray:
        """Multiply the weights that are left."""
        return np.asarray(super().without(weights, units, configurations).prod(axis=2))


@dataclass(frozen=True, eq=False)
class InParts(Total):
    """Totals of parts of the samples, such as folds, added up.

    members (F arrays of int): the samples of each part, ascending.
    parts (F totals): each of the samples of one part.
    """

    members: tuple[IntArray, ...]
    parts: tuple[Total, ...]

    def of(self, weights: Weighting, configurations: IntArray | None = None) -> NDArray[Any]:
        """Add up the parts."""
        return added([part.of(weights.among(rows), configurations) for part, rows in self._parts])

    def paired(self, weights: Weighting, configurations: IntArray) -> NDArray[Any]:
        """Add up the parts, of one configuration per row of weights."""
        parts = [part.paired(weights.among(rows), configurations) for part, rows in self._parts]
        return added(parts)

    def take(self, rows: Any) -> InParts:
        """Keep the samples in `rows`."""
        parts = tuple(part.take(rows[inside]) for part, inside in self._parts)
        return InParts(members_among(self.members, rows), parts)

    def without(
        self, weights: IntArray, units: Units, configurations: IntArray | None
    ) -> NDArray[Any]:
        """Change the parts that hold a unit."""
        changes = []
        for part, rows in self._parts:
            here, within = units.within(rows)
            full = part.of(Weighting(weights[None, rows]), configurations)
            changes.append((here, full, part.without(weights[rows], within, configurations)))
        return with_changes(changes, units.n_units)

    @property
    def _parts(self) -> Iterable[tuple[Total, IntArray]]:
        return zip(self.parts, self.members, strict=True)


@dataclass(frozen=True, eq=False)
class Statistic:
    """A metric bound to samples: a formula of totals.

    parts: the totals.
    formula: performance from the totals; NaN where undefined.
    n_configurations: C.
    whole: True if the formula also takes the totals of all samples under a weight of 1:
        ``formula(*totals, *of_all)``.
    """

    parts: tuple[Total, ...]
    formula: Formula
    n_configurations: int
    whole: bool = False

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Performance (B, C') of each configuration under each row of weights (B, N)."""
        n_chosen = self.n_configurations if configurations is None else len(configurations)
        cells = n_chosen * max(part.n_classes for part in self.parts)
        step = max(MOST_CELLS // cells, 1) if cells else len(weights)
        if len(weights) > step:
            starts = range(0, len(weights), step)
            return np.vstack([self(weights[a : a + step], configurations) for a in starts])
        shared = Weighting(weights)
        with np.errstate(invalid="ignore", over="ignore"):
            totals = [part.of(shared, configurations) for part in self.parts]
        totals += [_chosen(total, configurations) for total in self._of_all]
        return self._value(totals, (len(weights), n_chosen))

    def paired(self, weights: IntArray | Weighting, configurations: IntArray) -> FloatArray:
        """Performance (B,) of one configuration per row of weights (B, N)."""
        shared = weights if isinstance(weights, Weighting) else Weighting(weights)
        with np.errstate(invalid="ignore", over="ignore"):
            totals = [part.paired(shared, configurations) for part in self.parts]
        totals += [_chosen(total, configurations).swapaxes(0, 1) for total in self._of_all]
        return self._value(totals, (len(configurations), 1))[:, 0]

    def each(self, weights: IntArray, chosen: IntArray, *, alone: bool = False) -> FloatArray:
        """Performance (B, C'), to the last bit as `paired` scores one: a product of several columns
        adds up in another order. If `alone`, as one is called.
        """
        if self.counted:
            return self(weights, chosen)
        shared = Weighting(weights)
        with np.errstate(invalid="ignore", over="ignore"):
            totals = [part.each(shared, chosen, alone=alone) for part in self.parts]
        totals += [_chosen(total, chosen) for total in self._of_all]
        return self._value(totals, (len(weights), len(chosen)))

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performance (U, C') without each of the units, under weights (N,)."""
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        cells = len(weights) * max(part.n_classes for part in self.parts)
        step = max(MOST_CELLS // cells, 1) if cells else max(len(chosen), 1)
        blocks = []
        for start in range(0, len(chosen), step):
            columns = chosen[start : start + step]
            with np.errstate(invalid="ignore", over="ignore"):
                totals = [part.without(weights, units, columns) for part in self.parts]
            totals += [_chosen(total, columns) for total in self._of_all]
            blocks.append(self._value(totals, (units.n_units, len(columns))))
        return np.hstack(blocks) if blocks else np.empty((units.n_units, 0))

    def restrict(self, rows: BoolArray) -> Self:
        """Keep the samples in `rows`."""
        return replace(self, parts=tuple(part.take(rows) for part in self.parts))

    def in_parts(self, members: Sequence[IntArray]) -> FloatArray:
        """Performance (F, C) of each configuration on the samples of each of F parts."""
        totals = [part.in_parts(members) for part in self.parts]
        totals += totals if self.whole else []
        return self._value(totals, (len(members), self.n_configurations))

    @property
    def adds_up(self) -> bool:
        """True if `in_parts` is faster, or surer to the last bit, than products of matrices."""
        products = all(isinstance(part, Sum) and part.exact for part in self.parts)
        return not products and all(part.adds_up for part in self.parts)

    @property
    def counted(self) -> bool:
        """True if all totals are counts, which are exact in any order."""
        return all(part.exact for part in self.parts)

    @cached_property
    def _of_all(self) -> list[NDArray[Any]]:
        """Totals (1, C, ...) of all samples, if the formula takes them."""
        everything = Weighting(np.ones((1, self.parts[0].n_samples), np.uint8))
        return [part.of(everything) for part in self.parts] if self.whole else []

    def _value(self, totals: Sequence[NDArray[Any]], shape: tuple[int, int]) -> FloatArray:
        step = max(IN_CACHE // max(shape[1], 1), 1)
        if len(totals) > 1 and shape[0] > step and self.formula not in ONE_PASS:
            blocks = []
            for start in range(0, shape[0], step):
                some = [t if len(t) == 1 else t[start : start + step] for t in totals]
                blocks.append(self._value(some, (min(step, shape[0] - start), shape[1])))
            return np.vstack(blocks)
        values = self.formula(*totals)
        if values.shape == shape or (values.shape[0] == shape[0] and values.shape[1] > 1):
            return values
        return np.array(np.broadcast_to(values, shape))


def _chosen(total: NDArray[Any], configurations: IntArray | None) -> NDArray[Any]:
    """Return totals (1, C', ...) of some configurations; shared ones (1, 1, ...) as they are."""
    shared = configurations is None or total.shape[1] == 1
    return total if shared else total[:, configurations]
