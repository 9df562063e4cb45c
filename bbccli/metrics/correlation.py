"""Metrics of the association of predicted and true values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import BothForms, Metric, OfColumn, Part, by_column, of_totals, ones
from bbccli.metrics.kernels.pairs import controls_around
from bbccli.metrics.regression import residual, squared_error
from bbccli.metrics.statistic import ROUNDING_TOLERANCE
from bbccli.metrics.weighting import EVERY_SAMPLE, Formula, ratio
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, PredictionKind, Task

if TYPE_CHECKING:
    from bbccli.metrics.kernels.running import Grid

CONSTANT_TRUTH = "if the true values are all equal"
AS_SKLEARN = "scikit-learn gives 0, or 1 without an error"
CONSTANT = "if the true values, or the predictions, are all equal"


def centred(values: FloatArray | IntArray) -> FloatArray:
    """Return values (N, C) less their medians, so that sums of their squares keep their digits.

    One extreme value would shift the mean, and lose the digits again.
    """
    return np.asarray(values - np.median(values, axis=0), np.float64)


def truth(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, 1) true values, centred."""
    return _centred(outcome)


@lru_cache(maxsize=1)  # a metric is bound to winner after winner
def _centred(outcome: Outcome) -> FloatArray:
    return centred(outcome.values[:, None])


def predicted(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) predictions, centred."""
    return centred(predictions.astype(np.float64))


def cross_product(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) truth times prediction, both centred."""
    return truth(outcome, predictions) * predicted(outcome, predictions)


def left_over(outcome: Outcome, predictions: FloatArray) -> FloatArray:
    """(N, C) residuals, centred."""
    return centred(residual(outcome, predictions))


def weight(outcome: Outcome, predictions: FloatArray) -> FloatArray | BoolArray:
    """(N, 1) the part whose total is the sum of squared sample weights."""
    return ones(outcome, predictions) if outcome.weights is None else outcome.weights[:, None]


def squared(part: Callable[[Outcome, FloatArray], FloatArray]) -> Part:
    """Return the part whose terms are squares."""
    return lambda outcome, predictions: part(outcome, predictions) ** 2


def scatter(squares: FloatArray, total: FloatArray, n: FloatArray) -> FloatArray:
    """Sum of squares about the mean, from the sums of v**2, v and 1; 0 where all v are equal.

    The difference loses digits where v is far from zero, so bind centred values.
    """
    about_mean = squares - total**2 / n
    return np.where(about_mean > ROUNDING_TOLERANCE * squares, about_mean, 0.0)


def all_error(sse: FloatArray, n: FloatArray) -> FloatArray:
    """The sum of squared residuals."""
    return sse


def error_of_several(sse: FloatArray, ww: FloatArray, n: FloatArray) -> FloatArray:
    """The same of two samples or more, NaN of one, by Kish's effective number."""
    return np.where(n**2 > ww * (1 + ROUNDING_TOLERANCE), sse, np.nan)


def explained(error: Formula) -> Formula:
    """1 - error / SST, with the total sum of squares about the mean of the same samples.

    error: ``error(*totals, n)``; the formula takes ``(*totals, yy, y, n)``.
    """

    def of(*totals: FloatArray) -> FloatArray:
        *errors, yy, y, n = totals
        return 1 - error(*errors, n) / scatter(yy, y, n)

    return of


def explained_or_constant(error: Formula) -> Formula:
    """As `explained`, but where all true values that are bound are equal as in scikit-learn: 0, or
    1 without an error.
    """

    def of(*totals: FloatArray) -> FloatArray:
        half = len(totals) // 2
        *errors, yy, y, n = totals[half:]
        left = error(*errors, n)
        constant = np.where(left > 0, 0.0, np.where(left == 0, 1.0, np.nan))
        return np.where(scatter(yy, y, n) > 0, explained(error)(*totals[:half]), constant)

    return of


def correlation(
    xy: FloatArray, xx: FloatArray, x: FloatArray, yy: FloatArray, y: FloatArray, n: FloatArray
) -> FloatArray:
    """Pearson's r."""
    spread = np.sqrt(scatter(xx, x, n) * scatter(yy, y, n))
    return np.clip(np.where(spread > 0, (xy - x * y / n) / spread, np.nan), -1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class SortedColumns:
    """N values of C columns in order.

    order (C, N) int32: samples by increasing value.
    below, upto (C, N) int32: number of samples with a smaller value, and with one no larger, in
        that order.
    tied (C,) bool: True if any two samples have the same value.
    """

    order: IntArray
    below: IntArray
    upto: IntArray
    tied: BoolArray

    @classmethod
    def of(cls, values: FloatArray | IntArray) -> SortedColumns:
        """Sort values (N, C)."""
        columns = np.ascontiguousarray(values.T)
        order = np.argsort(columns, axis=1).astype(np.int32)
        ordered = np.take_along_axis(columns, order, axis=1)
        below, upto = controls_around(ordered, np.ones(ordered.shape, bool))
        return cls(order, below, np.ascontiguousarray(upto), np.any(upto - below > 1, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class MidRanks:
    """Mid-ranks of samples under weights: the weight below each plus half of that tied with it.

    They are centred at the middle of all weight, which is their mean. Two sums over them need no
    ties between values: a group of weight w at mid-rank m has w m^2 = the integral of x^2 over its
    ranks, less w^3 / 12. So all untied columns have the same spread, (T^3 - the sum of w^3) / 12,
    with total weight T.
    """

    lanes: FloatArray
    grid: Grid
    running: FloatArray
    spread: FloatArray
    """(L,) sum of squared ranks of values without ties."""

    @classmethod
    def of(cls, lanes: FloatArray) -> MidRanks:
        """Prepare for lanes (N + 1, L)."""
        from bbccli.metrics.kernels.running import Grid

        grid = Grid.of(len(lanes) - 1, lanes.shape[1])
        total = lanes.sum(axis=0)
        # products, as powers may differ from them in the last bit
        cubes = np.einsum("il,il,il->l", lanes, lanes, lanes)
        spread = np.maximum(total * total * total - cubes, 0.0) / 12
        return cls(lanes, grid, grid.table(lanes), spread)

    def accumulate(self, ranking: SortedColumns, c: int) -> FloatArray:
        """Running totals in the cells of the grid, (n_cells, L)."""
        order = ranking.order[c]
        cells = self.grid.arrange(self.lanes, order, self.running[1:])
        return self.grid.accumulate(cells)

    def in_order(self, ranking: SortedColumns, c: int) -> FloatArray:
        """Mid-ranks (N, L) of the samples in the order of a column."""
        self.accumulate(ranking, c)
        middle = self.running.take(self.grid.place[ranking.below[c]], axis=0)
        middle += self.running.take(self.grid.place[ranking.upto[c]], axis=0)
        # the total in this order: in another, equal values might have ranks beside 0
        middle -= self.running[self.grid.place[-1]]
        middle /= 2
        return np.asarray(middle)


def rank_correlation(outcome: Outcome, predictions: FloatArray) -> BothForms:
    """Rank the truth and the predictions (N, C), to correlate the ranks within each resample."""
    of_truth = SortedColumns.of(outcome.values[:, None])
    ranking = SortedColumns.of(predictions)

    def ranked(lanes: FloatArray) -> tuple[MidRanks, FloatArray, FloatArray]:
        """Ranks, those of the truth times the weights (N + 1, L), and their spread (L,)."""
        ranks, true = MidRanks.of(lanes), np.zeros_like(lanes)
        true[of_truth.order[0]] = ranks.in_order(of_truth, 0)
        weighted = true * lanes
        return ranks, weighted, (weighted * true).sum(axis=0)

    def shared(covered: FloatArray, spread: FloatArray, true_spread: FloatArray) -> FloatArray:
        return np.asarray(np.clip(ratio(covered, np.sqrt(spread * true_spread)), -1.0, 1.0))

    def under(lanes: FloatArray) -> OfColumn:
        ranks, weighted, true_spread = ranked(lanes)
        half_weights = (weighted * lanes).sum(axis=0) / 2
        cells = np.empty_like(ranks.running[1:])

        def of(c: int) -> FloatArray:
            order = ranking.order[c]
            if ranking.tied[c]:
                middle = ranks.in_order(ranking, c)
                covered = np.einsum("il,il->l", weighted.take(order, axis=0), middle)
                spread = np.einsum("il,il,il->l", lanes.take(order, axis=0), middle, middle)
            else:
                through = ranks.accumulate(ranking, c)
                ranks.grid.arrange(weighted, order, cells)
                # the mid-rank is the total through a sample less half its weight
                covered = np.einsum("il,il->l", cells, through) - half_weights
                spread = ranks.spread
            return shared(covered, spread, true_spread)

        return of

    def swept(forms: Any, lanes: FloatArray, chosen: IntArray) -> FloatArray:
        ranks, weighted, true_spread = ranked(lanes)
        covered, squares = np.empty((2, len(chosen), lanes.shape[1]))
        columns = ranking.order, ranking.upto, ranking.tied
        forms.rank_sums(lanes[None], weighted, *columns, chosen, covered, squares)
        spread = np.where(ranking.tied[chosen][:, None], squares / 4, ranks.spread)
        return shared(covered / 2, spread, true_spread)

    return BothForms(under, swept)


_agreement = partial(
    Metric,
    tasks=frozenset({Task.REGRESSION}),
    wants=PredictionKind.VALUE,
    direction=Direction.MAXIMIZE,
    bounds=(-np.inf, 1.0),
    rests_on=EVERY_SAMPLE,
)
"""A metric of values of which 1 is best."""


LEFT_OVER = (squared(left_over), left_over, squared(truth), truth, ones)

SUMS = (cross_product, squared(predicted), predicted, squared(truth), truth, ones)

R2 = _agreement(
    name="r2",
    label="R²",
    summary="share of the variance of the outcome that the predictions explain",
    bind=of_totals((squared_error, squared(truth), truth, ones), explained(all_error)),
    bind_zero=of_totals(
        (squared_error, weight, squared(truth), truth, ones),
        explained_or_constant(error_of_several),
        whole=True,
    ),
    reference="Kvålseth 1985",
    formula="1 - Σ (yᵢ - ŷᵢ)² / Σ (yᵢ - ȳ)²",
    undefined=f"{CONSTANT_TRUTH}; {AS_SKLEARN}",
    remarks="The mean ȳ is that of the samples scored, such as those of a fold or out of the bag.",
)

EXPLAINED_VARIANCE = _agreement(
    name="explained-variance",
    label="explained variance",
    summary="like r2, but ignoring an error that all predictions share",
    bind=of_totals(LEFT_OVER, explained(scatter)),
    bind_zero=of_totals(LEFT_OVER, explained_or_constant(scatter), whole=True),
    reference="Kvålseth 1985",
    formula="1 - Var(y - ŷ) / Var(y)",
    undefined=f"{CONSTANT_TRUTH}; {AS_SKLEARN}",
)

PEARSON = _agreement(
    name="pearson",
    label="Pearson correlation",
    summary="linear correlation of predictions and outcome",
    bind=of_totals(SUMS, correlation),
    reference="Pearson 1895",
    formula="Σ (yᵢ - ȳ)(ŷᵢ - m) / √(Σ (yᵢ - ȳ)² Σ (ŷᵢ - m)²), with m the mean of the ŷᵢ",
    undefined=CONSTANT,
    bounds=(-1.0, 1.0),
)

PEARSON_SQUARED = _agreement(
    name="pearson-squared",
    label="squared correlation",
    summary="squared linear correlation of predictions and outcome, also of an inverse relation",
    bind=of_totals(SUMS, lambda *sums: correlation(*sums) ** 2),
    reference="Kvålseth 1985",
    formula="r², with Pearson's r",
    undefined=CONSTANT,
    bounds=(0.0, 1.0),
    remarks="Reversed predictions, or predictions off by a factor, score as well as good ones: r2 "
    "is the safer choice. The code of BBC-F uses it.",
)

SPEARMAN = _agreement(
    name="spearman",
    label="Spearman correlation",
    summary="linear correlation of the ranks of predictions and outcome",
    bind=by_column(rank_correlation),
    reference="Spearman 1904",
    formula="Pearson's r of the mid-ranks of ŷ and y",
    undefined=CONSTANT,
    bounds=(-1.0, 1.0),
    remarks="The samples in a bag, and those out of it, are ranked among themselves; repeated ones "
    "tie. Predictions are ranked over all folds together, so a shift between folds counts against "
    "a configuration; `--pooling fold-mean` ranks within folds.",
)

METRICS = (R2, EXPLAINED_VARIANCE, PEARSON, PEARSON_SQUARED, SPEARMAN)
