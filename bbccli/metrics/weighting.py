"""Sums under weights, and the number of samples that a performance rests on.

Sums are counted exactly where weights are whole numbers, else in float64.

The samples that a performance rests on limit its precision. With ten positives among 500 samples, a
recall is as uncertain as on ten samples. A metric names the sets of samples that it rests on, and
the smallest of them counts: for an AUC the smaller class, for a recall the positive class. With
groups, the groups that contain such a sample are counted. With weights, the size of a set is Kish's
effective one: one sample of weight 1000 among 60 of weight 1 is worth one sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.outcome import Outcome, effective_size
from bbccli.metrics import kernels
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, Task, distinct

Sets = Callable[[Outcome, NDArray[Any]], BoolArray]
"""``sets(outcome, predictions)``: which of N samples are in each of S sets, (N, S)."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The samples that a metric rests on.

    words: for the documentation, such as "the positive samples".
    sets: their sets, from the outcome and the winner's predictions (N,) in the form that the metric
        wants.
    """

    words: str
    sets: Sets

    def n_units(
        self,
        outcome: Outcome,
        predictions: NDArray[Any],
        *,
        groups: IntArray | None = None,
        available: BoolArray | None = None,
    ) -> float:
        """Return the size of the smallest set that is not empty; 1 if all are.

        Of weighted samples it is Kish's effective size, which need not be whole.

        outcome: of N samples.
        predictions (N,) or (N, K): of the winner, in the form that the metric wants.
        groups (N,) int, optional: where samples come in groups, the number of groups in a set is
            its size.
        available (N,) bool, optional: where there is a prediction.

        >>> outcome = Outcome(Task.BINARY, np.array([0, 0, 0, 1]), ("no", "yes"))
        >>> POSITIVES.n_units(outcome, np.zeros(4)), EVERY_SAMPLE.n_units(outcome, np.zeros(4))
        (1, 4)
        """
        members = self.sets(outcome, predictions)
        if available is not None:
            members = members & available[:, None]
        weights = outcome.weights
        sizes = [_count(column, groups, weights) for column in members.T if column.any()]
        return min(sizes, default=1)


def _count(members: BoolArray, groups: IntArray | None, weights: FloatArray | None) -> float:
    if weights is not None:
        return effective_size(weights[members], None if groups is None else groups[members])
    if groups is None:
        return int(np.count_nonzero(members))
    return int(np.count_nonzero(np.bincount(groups[members])))


def _of_truth(code: int) -> Sets:
    return lambda outcome, _: np.asarray(outcome.values == code)[:, None]


def _of_prediction(code: int) -> Sets:
    return lambda _, predictions: np.asarray(predictions == code)[:, None]


def _every_sample(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.ones((len(outcome), 1), bool)


def _each_class(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.asarray(outcome.values[:, None] == np.arange(len(outcome.classes)))


def _each_class_predicted(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    predicted = predictions[:, None] == np.arange(len(outcome.classes))
    return np.hstack([_each_class(outcome, predictions), predicted])


def _beside_the_largest(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.asarray(outcome.values != np.argmax(outcome.class_counts))[:, None]


def _events(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    if outcome.event is None:
        return _every_sample(outcome, predictions)
    return np.asarray(outcome.event)[:, None]


def _by_task(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    if outcome.task.is_classification:
        return _each_class(outcome, predictions)
    sets = _events if outcome.task is Task.SURVIVAL else _every_sample
    return sets(outcome, predictions)


EVERY_SAMPLE = SampleSize("all samples", _every_sample)
POSITIVES = SampleSize("the positive samples", _of_truth(1))
NEGATIVES = SampleSize("the negative samples", _of_truth(0))
PREDICTED_POSITIVE = SampleSize("the samples that the winner predicts positive", _of_prediction(1))
PREDICTED_NEGATIVE = SampleSize("the samples that the winner predicts negative", _of_prediction(0))
EACH_CLASS = SampleSize("the samples of the smallest class", _each_class)
EACH_CLASS_PREDICTED = SampleSize(
    "the samples of the smallest class, or of the one predicted least if they are fewer",
    _each_class_predicted,
)
BESIDE_THE_LARGEST = SampleSize("the samples outside the largest class", _beside_the_largest)
EVENTS = SampleSize("the samples whose event was seen", _events)
BY_TASK = SampleSize(
    "the samples of the smallest class, the samples whose event was seen, or all samples", _by_task
)
"""For a metric that names no samples: what is safe for its task."""


Formula = Callable[..., FloatArray]
"""``formula(*totals)``: totals (B, C) or (B, C, K), axis C may be 1, -> performances (B, C)."""

LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in float32."""

CHUNK = 2**16
"""Samples per matrix product: of more samples, so many weights at a time are made floats."""

ONE_STRETCH = 2**13
"""Terms that a dot product adds up in one thread; of more, the parts depend on their number."""

GATHERED = 2**17
"""Terms that are gathered at a time: so few stay in the cache."""

MOST_CELLS = 2**22
"""Totals by class or weights that are scored at a time."""

WORTH_A_PRODUCT = 2**16
"""Weights that are multiplied with one column sooner than row by row, each with its own."""


Score = Callable[[NDArray[Any], IntArray | None], NDArray[Any]]
"""Weights (B, N) and configurations (C',) -> figures (B, C', ...)."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units that are left out as a whole: samples, or groups of samples.

    codes (N,) int: unit of each sample, from 0 to U - 1.
    n_units: U.
    """

    codes: IntArray
    n_units: int

    @property
    def single(self) -> bool:
        """True if each sample is a unit of its own, in their order."""
        n_samples = len(self.codes)
        return self.n_units == n_samples and bool((self.codes == np.arange(n_samples)).all())

    def within(self, rows: IntArray) -> tuple[IntArray, Units]:
        """Return the units of the samples in `rows`, and these samples' codes among them."""
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        return present, Units(codes, len(present))

    def sums(self, terms: NDArray[Any]) -> FloatArray:
        """Add up terms (N, ...) within each unit: (U, ...) float64."""
        floats = np.asarray(terms, np.float64)
        if self.single:
            return floats
        order = np.argsort(self.codes, kind="stable")
        present, starts = np.unique(self.codes[order], return_index=True)
        totals = np.zeros((self.n_units, *floats.shape[1:]))
        totals[present] = np.add.reduceat(floats[order], starts, axis=0)
        return totals


def scaled(weights: IntArray, sample_weights: FloatArray | None) -> NDArray[Any]:
    """Return weights (B, N) times the sample weights (N,), as they are without those."""
    return weights if sample_weights is None else weights * sample_weights


def are_whole(weights: NDArray[Any]) -> bool:
    """Return True if weights are whole numbers by their type."""
    return weights.dtype.kind in "iub"


@dataclass(eq=False)
class Weighting:
    """Rows of weights (B, N), with values shared by several totals computed once."""

    weights: NDArray[Any]
    _floats: dict[Any, FloatArray] = field(default_factory=dict)
    _among: dict[int, tuple[IntArray, Weighting]] = field(default_factory=dict)
    _shared: dict[Any, NDArray[Any]] = field(default_factory=dict)

    @cached_property
    def totals(self) -> FloatArray:
        """Total (B,) of each row; exact for integers."""
        counted = are_whole(self.weights)
        if counted and self.weights.shape[1] <= CHUNK:
            floats = self.weights.astype(np.float32)
            totals = floats @ np.ones(floats.shape[1], np.float32)
            # no partial sum is larger than the total: one that float32 can hold is exact
            if totals.max(initial=0.0) < LARGEST_EXACT:
                self._floats[floats.dtype] = floats
                return totals.astype(np.float64)
        sums = self.weights.sum(axis=1, dtype=np.int64 if counted else np.float64)
        return np.asarray(sums, np.float64)

    def floats(self, dtype: np.dtype[np.floating]) -> FloatArray:
        """Weights as floats of a type, or wider where they need it."""
        totals = self.totals
        if dtype not in self._floats:
            self._floats[dtype] = floats_for(self.weights, dtype, totals)
        return self._floats[dtype]

    def once(self, total: Any, of: Callable[[Weighting], NDArray[Any]]) -> NDArray[Any]:
        """Return a total that all configurations share, added up when it is first asked for."""
        if total not in self._shared:
            self._shared[total] = of(self)
        return self._shared[total]

    def among(self, rows: IntArray) -> Weighting:
        """Weights of some samples alone."""
        if id(rows) not in self._among:  # the rows are kept, lest another array gets their id
            self._among[id(rows)] = rows, Weighting(self.weights[:, rows])
        return self._among[id(rows)][1]


def floats_for(weights: IntArray, dtype: np.dtype[np.floating], totals: FloatArray) -> FloatArray:
    """Return weights (B, N) as floats of a type, or wider where they or their totals need it."""
    heavy = totals.max(initial=0.0) >= LARGEST_EXACT
    wanted = np.float64 if heavy or not are_whole(weights) else dtype
    return weights.astype(wanted, order="C")  # what is not adjacent is added up in another order


def sums_of_chunk(
    weights: NDArray[Any], terms: FloatArray | BoolArray, totals: FloatArray
) -> FloatArray:
    """Return the contribution of a chunk of samples (n,) to sums (B, M).

    A single column of real terms gives the same to the last bit whatever is scored beside it;
    counts always do.

    totals (B,): total of each row of weights, over the chunk or over all samples.
    """
    floats = floats_for(weights, float_type(terms), totals)
    typed = terms.astype(floats.dtype, copy=False)
    if terms.shape[1] == 1 and terms.dtype == np.float64:
        return row_sums(floats, np.broadcast_to(typed.T, floats.shape))[:, None]
    return np.asarray(floats @ typed)


def row_sums(weights: FloatArray, terms: NDArray[Any]) -> FloatArray:
    """Return the sum (B,) of each row of terms (B, N) under its weights (B, N).

    It is the same to the last bit whatever the other rows are; a matrix product is not, because its
    order of summation depends on its shape.
    """
    if weights.shape[1] <= ONE_STRETCH:
        return dots(weights, terms)
    return np.asarray((weights * terms).sum(axis=1))


def dots(weights: FloatArray, terms: NDArray[Any]) -> FloatArray:
    """Return the dot product (...) of each pair of vectors (..., N), whatever the others are."""
    return np.asarray(np.matmul(weights[..., None, :], terms[..., None])[..., 0, 0])


def paired_sums(weights: FloatArray, terms: FloatArray, columns: IntArray) -> FloatArray:
    """Return the sum (B, ...) of one column of terms (N, C, ...) per row of weights (B, N).

    Counts are exact in any order: of classes, or of many cells for each column, they are added up
    column by column, as matrix products; others row by row, from adjacent columns.
    """
    shared = distinct(columns)
    counts = terms.dtype == weights.dtype == np.float32
    if counts and (terms.ndim > 2 or weights.size > WORTH_A_PRODUCT * len(shared)):
        return by_configuration(lambda rows, c: (rows @ terms[:, c[0]])[:, None], weights, columns)
    by_column = terms.swapaxes(0, 1)
    if len(terms) <= ONE_STRETCH:
        by_column = np.ascontiguousarray(by_column[shared])
        columns = np.searchsorted(shared, columns)
    sums = np.empty((len(weights), *terms.shape[2:]))
    step = max(GATHERED * terms.shape[1] // terms.size, 1)
    for start in range(0, len(weights), step):
        rows = slice(start, start + step)
        chosen = by_column[columns[rows] if len(shared) > 1 else columns[:1]]
        if terms.ndim == 2:
            sums[rows] = row_sums(weights[rows], chosen)
        else:
            sums[rows] = np.einsum("bn,bn...->b...", weights[rows], chosen)
    return sums


def sums_in_parts(terms: NDArray[Any], members: Sequence[IntArray]) -> FloatArray:
    """Return the sums (F, C) of terms (N, C) over the samples of each of F parts.

    They are the same to the last bit whatever the other columns are; of counts they are exact.
    """
    sums = np.empty((len(members), terms.shape[1]))
    for part, rows in enumerate(members):
        width = max(CHUNK // max(len(rows), 1), 1)
        for start in range(0, terms.shape[1], width):
            columns = slice(start, start + width)
            sums[part, columns] = np.ascontiguousarray(terms[rows, columns].T).sum(axis=1)
    return sums


def float_type(terms: FloatArray | BoolArray) -> np.dtype[np.floating]:
    """Return the type that terms are added up in: float32 for counts."""
    dtype: np.dtype[np.floating] = np.result_type(terms.dtype, np.float32)
    return dtype


def by_configuration(
    score: Callable[[NDArray[Any], IntArray], NDArray[Any]],
    weights: NDArray[Any],
    configurations: IntArray,
) -> NDArray[Any]:
    """Score each row of weights (B, N) on its own configuration (B,): (B, ...).

    Rows of one configuration are scored together, and nothing else is copied.

    score: weights (B', N), configurations (C',) -> (B', C', ...).
    """
    values: NDArray[Any] = np.empty(0)
    for c in distinct(configurations):
        rows = np.flatnonzero(configurations == c)
        scores = score(weights if len(rows) == len(weights) else weights[rows], np.array([c]))
        if not len(values):
            values = np.empty((len(weights), *scores.shape[2:]), scores.dtype)
        values[rows] = scores[:, 0]
    return values


def ratio(numerator: IntArray | FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient that is NaN, silently, where there is nothing to divide by."""
    defined = np.where(denominator > 0, denominator, np.nan)
    return np.asarray(numerator / defined, np.float64)


def finite(formula: Formula) -> Formula:
    """Evaluate a formula silently; NaN where its value is not finite."""

    def of(*totals: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = formula(*(np.asarray(total, np.float64) for total in totals))
        defined = np.isfinite(values)
        return values if defined.all() else np.where(defined, values, np.nan)

    return of


def share_of_pairs(counts: NDArray[Any], pair_weight: NDArray[Any]) -> FloatArray:
    """Half of `counts` per weight of all pairs; NaN, silently, where there is no pair."""
    shares = ratio(counts, 2.0 * pair_weight)
    # sums of real weights in another order may exceed the whole in the last bit
    return shares if are_whole(counts) else np.clip(shares, 0.0, 1.0)


ONE_PASS = (ratio, share_of_pairs)
"""Formulas that keep nothing between: made in parts, their values would only be copied."""


def without_each(
    scorer: Score, weights: IntArray, units: Units, configurations: IntArray | None = None
) -> FloatArray:
    """Return the performances without each of U units, under weights (N,) of 0 and 1: (U, C').

    Without a unit of no weight it is that of all; NaN where the rest is undefined. A scorer may
    have a closed form as a method of this name.
    """
    closed = getattr(scorer, "without_each", None)
    if closed is not None:
        values: FloatArray = closed(weights, units, configurations)
        return values
    return one_by_one(scorer, weights, units, configurations)


def one_by_one(
    score: Score, weights: IntArray, units: Units, configurations: IntArray | None = None
) -> NDArray[Any]:
    """Return the same by one evaluation for each unit. Time O(U N C')."""
    full = score(weights[None], configurations)
    without = np.repeat(full, units.n_units, axis=0)
    present = np.flatnonzero(units.sums(weights) > 0)
    step = max(MOST_CELLS // max(len(weights), 1), 1)
    with resources.use(kernels.decide(len(present) * full.shape[1] * len(weights))):
        for start in range(0, len(present), step):
            chosen = present[start : start + step]
            without[chosen] = score(weights * (units.codes != chosen[:, None]), configurations)
    return without


def added(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Add up arrays, from the first to the last."""
    return np.asarray(sum(parts[1:], parts[0]))


def members_among(members: Sequence[IntArray], rows: BoolArray) -> tuple[IntArray, ...]:
    """Return the members of each part that are in `rows` (N,), counted among those alone."""
    place = np.cumsum(rows) - 1
    return tuple(place[inside[rows[inside]]] for inside in members)


def with_changes(
    parts: Sequence[tuple[IntArray, NDArray[Any], NDArray[Any]]], n_units: int
) -> FloatArray:
    """Return sums over parts without each of U units, which change only the parts that contain
    them.

    parts: the units in each part, its figure (1, ...), and its figures (U', ...) without each.
    """
    full = added([figure for _, figure, _ in parts])
    sums = np.repeat(np.asarray(full, np.float64), n_units, axis=0)
    for here, figure, left in parts:
        sums[here] += left.astype(np.float64) - figure
    return sums
