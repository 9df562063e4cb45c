"""Closed formulas of a few weighted totals: one matrix product per total."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bbccli.metrics.base import Bind, Predictions
from bbccli.metrics.weighting import (
    CHUNK,
    LARGEST_EXACT,
    Units,
    by_configuration,
    matching,
    paired_sums,
    rest,
    sums_in_parts,
    sums_of_chunk,
    total_weights,
    weighted_sums,
)
from bbccli.outcome import Outcome
from bbccli.types import BoolArray, FloatArray, IntArray

Part = Callable[[Outcome, Predictions], FloatArray | BoolArray]
"""``part(outcome, predictions)``: what is added up, (N, C) or (N, C, K); axis C may be 1."""

Formula = Callable[..., FloatArray]
"""``formula(*totals)``: totals (B, C) or (B, C, K), axis C may be 1, -> performances (B, C)."""

MOST_CELLS = 2**22
"""Terms gathered at a time where each resample has its own configuration; totals by class."""

ROUNDING = 1e-12
"""Share of a sum of squares below which a difference of such sums is rounding."""


def of_totals(parts: Sequence[Part], formula: Formula) -> Bind:
    """Performance as a formula of the weighted totals of some parts.

    Totals of boolean parts are exact counts. Values that are not finite become NaN.

    Examples
    --------
    The root of the mean squared error::

        of_totals((squared_error, one), lambda total, n: np.sqrt(total / n))
    """
    return lambda outcome, predictions: TotalsScorer.of(
        [part(outcome, predictions) for part in parts],
        formula,
        predictions.shape[1],
        outcome.weights,
    )


def one(outcome: Outcome, predictions: Predictions) -> BoolArray:
    """(N, 1) the part whose total is the weight of all samples."""
    return np.ones((len(outcome), 1), bool)


def scatter(squares: FloatArray, total: FloatArray, n: FloatArray) -> FloatArray:
    """Sum of squares about the mean, of the sums of v**2, v and 1; 0 where all v are equal.

    The difference loses digits where v is far from zero: bind values that are centred.
    """
    about_mean = squares - total**2 / n
    return np.where(about_mean > ROUNDING * squares, about_mean, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class TotalsScorer:
    """A formula of weighted totals. Time O(B N C K) per part at the rate of a matrix product.

    Attributes
    ----------
    parts
        Terms (N, C, ...) or (N, 1, ...), times the sample weights; counts are float32.
    formula
        Totals to performances.
    n_configurations
        C.
    """

    parts: tuple[FloatArray, ...]
    formula: Formula
    n_configurations: int

    @classmethod
    def of(
        cls,
        parts: Sequence[FloatArray | BoolArray],
        formula: Formula,
        n_configurations: int,
        sample_weights: FloatArray | None = None,
    ) -> TotalsScorer:
        """Keep counts in float32, exact for whole numbers below 2**24; the rest in float64."""
        kept = tuple(_terms(part, sample_weights) for part in parts)
        return cls(kept, formula, n_configurations)

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Performance of each configuration under each row of weights."""
        n_chosen = self.n_configurations if configurations is None else len(configurations)
        n_classes = max(part.shape[2] if part.ndim > 2 else 0 for part in self.parts)
        step = max(MOST_CELLS // max(n_chosen * n_classes, 1), 1)
        if n_classes and len(weights) > step:
            starts = range(0, len(weights), step)
            return np.vstack([self(weights[a : a + step], configurations) for a in starts])
        if weights.shape[1] > CHUNK:
            totals = [_in_chunks(weights, part, configurations) for part in self.parts]
        else:
            floats = self._as_floats(weights)
            totals = [_product(floats, part, configurations) for part in self.parts]
        found = applied(self.formula, totals)
        return np.array(np.broadcast_to(found, (len(weights), n_chosen)))

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Performance of one configuration per row of weights."""
        if weights.shape[1] > CHUNK:
            return by_configuration(self, weights, configurations)
        values = np.empty(len(weights))
        cells = max(part.size // part.shape[1] for part in self.parts)
        step = max(MOST_CELLS // max(cells, 1), 1)
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            floats = self._as_floats(weights[rows])
            totals = [_pairing(floats, part, configurations[rows]) for part in self.parts]
            values[rows] = applied(self.formula, totals)[:, 0]
        return values

    def totals(self, weights: IntArray, configurations: IntArray | None = None) -> list[FloatArray]:
        """Totals of each part, (B, C', ...) or (B, 1, ...), of a chunk of samples."""
        heavy = total_weights(weights)
        found: list[FloatArray] = []
        for part in self.parts:
            chosen = _columns(part, configurations)
            sums = sums_of_chunk(weights, chosen.reshape(len(part), -1), heavy)
            found.append(sums.astype(np.float64).reshape(len(sums), *chosen.shape[1:]))
        return found

    def of_totals(self, totals: Sequence[FloatArray]) -> FloatArray:
        """Performances (B, C') by the totals of all samples."""
        return np.array(
            np.broadcast_to(applied(self.formula, totals), (len(totals[0]), self.n_configurations))
        )

    def restrict(self, rows: BoolArray) -> TotalsScorer:
        """Keep the samples in `rows`."""
        parts = tuple(part[rows] for part in self.parts)
        return TotalsScorer(parts, self.formula, self.n_configurations)

    @property
    def steady(self) -> bool:
        """Whether each figure is the same to the last bit whatever is scored beside it."""
        return all(
            part.dtype == np.float32 or part.shape[1:] == (self.n_configurations,)
            for part in self.parts
        )

    def in_parts(self, members: Sequence[IntArray]) -> FloatArray:
        """Performance (F, C) of each configuration on the samples of each of F parts."""
        totals = []
        for part in self.parts:
            sums = sums_in_parts(part.reshape(len(part), -1), members)
            totals.append(sums.reshape(len(members), *part.shape[1:]))
        shape = (len(members), self.n_configurations)
        return np.array(np.broadcast_to(applied(self.formula, totals), shape))

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performance without each of the units, under weights (N,): (U, C').

        Totals are differences of totals: time O(N C K).
        """
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        cells = max(part.size // part.shape[1] for part in self.parts)
        step = max(MOST_CELLS // max(cells, 1), 1)
        blocks = []
        for start in range(0, len(chosen), step):
            columns = chosen[start : start + step]
            totals = [_left(_columns(part, columns), weights, units) for part in self.parts]
            shape = (units.n_units, len(columns))
            blocks.append(np.broadcast_to(applied(self.formula, totals), shape))
        return np.hstack(blocks) if blocks else np.empty((units.n_units, 0))

    def _as_floats(self, weights: IntArray) -> dict[np.dtype[np.floating], FloatArray]:
        """The weights in each type that a part has."""
        totals = total_weights(weights)
        return {dtype: matching(weights, dtype, totals) for dtype in {p.dtype for p in self.parts}}


def applied(formula: Formula, totals: Sequence[FloatArray]) -> FloatArray:
    """Evaluate a formula, silently; NaN where the result is not finite."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = formula(*totals)
    return np.where(np.isfinite(values), values, np.nan)


def _terms(part: FloatArray | BoolArray, sample_weights: FloatArray | None) -> FloatArray:
    if sample_weights is not None:
        return part * sample_weights.reshape(-1, *[1] * (part.ndim - 1))
    counted = part.dtype == np.bool_ and len(part) < LARGEST_EXACT
    return part.astype(np.float32 if counted else np.float64)


def _left(part: FloatArray, weights: IntArray, units: Units) -> FloatArray:
    """Totals (U, C', ...) of a part without each of the units; 0, and not what rounding leaves."""
    terms = part * weights.astype(np.float64).reshape(-1, *[1] * (part.ndim - 1))
    with np.errstate(invalid="ignore", over="ignore"):
        totals = rest(terms, units)
        least = ROUNDING * np.abs(terms).sum(axis=0)
    return np.where(np.abs(totals) > least, totals, np.where(np.isnan(totals), np.nan, 0.0))


def _in_chunks(weights: IntArray, part: FloatArray, configurations: IntArray | None) -> FloatArray:
    """Totals (B, C', ...) of a part under every row of weights, of very many samples."""
    chosen = _columns(part, configurations)
    sums = weighted_sums(weights, chosen.reshape(len(part), -1))
    return sums.reshape(len(sums), *chosen.shape[1:])


def _columns(part: FloatArray, configurations: IntArray | None) -> FloatArray:
    everything = configurations is None or part.shape[1] == 1
    return part if everything else part[:, configurations]


def _product(
    floats: dict[np.dtype[np.floating], FloatArray],
    part: FloatArray,
    configurations: IntArray | None,
) -> FloatArray:
    """Totals (B, C', ...) of a part under every row of weights."""
    chosen = _columns(part, configurations)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite losses: NaN, which is undefined
        sums: FloatArray = floats[part.dtype] @ chosen.reshape(len(part), -1)
    return sums.astype(np.float64, copy=False).reshape(len(sums), *chosen.shape[1:])


def _pairing(
    floats: dict[np.dtype[np.floating], FloatArray], part: FloatArray, configurations: IntArray
) -> FloatArray:
    """Totals (B, 1, ...) of a part, of one configuration per row of weights."""
    if part.shape[1] == 1:
        return _product(floats, part, None)
    if part.ndim == 2:
        sums = paired_sums(floats[part.dtype], part, configurations)
    else:
        chosen = part.swapaxes(0, 1)[configurations]
        sums = np.einsum("bn,bn...->b...", floats[part.dtype], chosen)
    return sums.astype(np.float64, copy=False)[:, None]
