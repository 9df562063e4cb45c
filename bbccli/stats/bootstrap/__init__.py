"""The one loop of the bootstrap: select in the bag, score the winner out of it.

BBC and BBC-F differ only in the units drawn, samples or folds; draws that few resamples share are
repeated from their position. It runs in this process (`here`) or on workers with a part of the
configurations each (`on_workers`).

`from_distribution` makes the answer of all methods that resample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import FIRST_RESAMPLES
from bbccli.errors import UndefinedError
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.metrics.statistic import Statistic
from bbccli.notes import Note
from bbccli.notes.intervals import not_calibrated
from bbccli.notes.methods import tolerance_not_reached, undefined_resamples
from bbccli.platform import resources
from bbccli.platform.resources import Progress, current_workers, silent
from bbccli.stats.bootstrap import in_process
from bbccli.stats.bootstrap.in_process import Selections
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals import Basis, guards_losses, interval_of
from bbccli.stats.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.stats.selection import SelectionRule, selection_shares
from bbccli.stats.selection.candidates import Candidates
from bbccli.stats.selection.units import n_units_of, rests_on, worst_sample
from bbccli.types import Direction, FloatArray, IntArray, MetricKind, Models

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker


MOST_KEPT = 2**20
"""Performances in bags that are kept, 8 MB, for what asks for them after the selection."""


def extend(
    selections: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    rule: SelectionRule,
    *,
    maker: Maker | None = None,
    progress: Progress = silent,
) -> None:
    """Add resamples until there are at least `n_resamples`.

    A resample that can't be scored, in the bag or out of it, is skipped, as if drawn again. Blocks
    of resamples run in threads. Memory O(B + N) beside one block of bound configurations.

    Raises UndefinedError: hardly any resample can be used.
    """

    def select(part: Draws) -> Iterator[Selections]:
        if maker is not None:
            return in_process.make_and_score(maker, candidates.metric, candidates.pooling, part)
        workers = current_workers()
        if workers is None or rule.order is not None:
            return in_process.select(candidates, rule, part)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.select(workers, candidates, part, rule.direction)

    # sums of losses are matrix products, of which there is no compiled form
    products = candidates.metric.kind in (MetricKind.MEAN, MetricKind.CONDITIONAL)
    n_sweeps = candidates.n_sweeps * (not products) if maker is None else maker.n_sweeps
    collect(selections, n_resamples, draws, select, n_sweeps, progress)


Score = Callable[[Resamples], tuple[IntArray, FloatArray]]
"""Resamples -> a configuration (B,) and a value (B,) of each."""


def collected(
    selections: Selections,
    n_resamples: int,
    draws: Draws,
    score: Score,
    *,
    n_sweeps: int = 1,
    progress: Progress = silent,
) -> Distribution:
    """Return the first values of any statistic of resamples, with multiplicity.

    selections: values scored before; it grows.
    n_sweeps: passes over all units per resample, a measure of the work.
    Raises UndefinedError: hardly any resample can be used.
    """

    def over(part: Draws) -> Iterator[Selections]:
        return part.over(lambda drawn: Selections(drawn.ordinals, *score(drawn), drawn.sizes))

    collect(selections, n_resamples, draws, over, n_sweeps, progress)
    # scored on all units, not on those out of the bag
    return replace(selections.first(n_resamples), sizes=None)


def collect(
    selections: Selections,
    n_resamples: int,
    draws: Draws,
    select: Callable[[Draws], Iterator[Selections]],
    n_sweeps: int,
    progress: Progress,
) -> None:
    """Add selections from draws until there are enough usable resamples."""
    with resources.use(kernels.decide(draws.n_weights * n_sweeps * n_resamples)):
        while len(selections) < n_resamples:
            n_blocks = -(-(n_resamples - len(selections)) // BLOCK)
            blocks = range(selections.next_block, selections.next_block + n_blocks)
            parts, size = [], len(selections)
            for part in select(draws.part(blocks)):
                parts.append(part.usable())
                size += len(parts[-1])
                if size * sum(kept.shape[1] for kept in part.kept) > MOST_KEPT:
                    parts[-1].kept = ()
                progress(min(size, n_resamples), n_resamples)
            selections.extend(parts, blocks.stop)
            if selections.next_block * BLOCK > PATIENCE * (len(selections) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def measure(
    selections: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    *,
    maker: Maker | None = None,
    in_bag: bool = False,
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        ordinals, winners = selections.ordinals[:n_resamples], selections.winners[:n_resamples]
        again, workers = draws.again(ordinals), current_workers()
        if maker is not None and selections.shares is not None:
            shares = selections.shares[:n_resamples]
            metric, pooling = candidates.metric, candidates.pooling
            judged = attrgetter("in_bag" if in_bag else "out_of_bag")
            return in_process.score_made(maker, metric, pooling, again, shares, judged)
        if workers is None:
            return in_process.score_winners(candidates, again, winners, in_bag=in_bag)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.score_winners(workers, candidates, again, winners, in_bag=in_bag)


Inside = Iterator[tuple[IntArray, FloatArray]]
"""Configurations (C',) and their performances (B, C') in the bags; NaN where undefined."""


def in_bags(
    candidates: Candidates,
    columns: IntArray,
    draws: Draws,
    ordinals: IntArray,
    width: int,
    *,
    out: bool = False,
) -> Inside:
    """Yield the performances of some configurations in some bags, or out of them, `width` at a
    time.

    columns (C',) int: which configurations, ascending.
    ordinals (B,) int: of the resamples.
    """
    blocks, n_configurations = candidates.blocks(), candidates.n_configurations
    share = max(candidates.n_sweeps // n_configurations, 1)
    with resources.use(kernels.decide(draws.n_weights * len(ordinals) * share * len(columns))):
        again = draws.again(ordinals)
        for part in split_columns(columns, min(width, len(blocks[0]))):
            # the scorer of all columns is cached
            whole = len(blocks) == 1
            scorer = candidates.bind(blocks[0] if whole else part)
            score = partial(_inside, scorer, part if whole else np.arange(len(part)), out)
            scored = again.over(score, n_configurations, one_thread=candidates.one_thread)
            # in the order of an array whose columns are chosen: a sum of them is then the same
            yield part, np.asfortranarray(np.concatenate(list(scored)))


def _inside(scorer: Scorer, places: IntArray, out: bool, drawn: Resamples) -> FloatArray:
    """Performances (B, C') in the bag, or out of it."""
    if not out:
        return scorer(drawn.in_bag, places)
    if isinstance(scorer, Statistic):
        return scorer.each(drawn.out_of_bag, places)
    columns = [scorer.paired(drawn.out_of_bag, np.full(len(drawn), place)) for place in places]
    return np.stack(columns, axis=1)


def split_columns(columns: IntArray, width: int) -> list[IntArray]:
    """Split columns into parts of a width."""
    return [columns[start : start + width] for start in range(0, len(columns), width)]


CALIBRATED = frozenset({"bbc", "bbc-632", "bbc-eb"})
"""Methods that the factors of calibrated and sharp intervals were measured for."""


def from_distribution(
    case: Case,
    distribution: Distribution,
    *,
    value: float | None = None,
    mean: float | None = None,
    n_drawn: int | None = None,
    notes: tuple[Note, ...] = (),
) -> Answer:
    """Return the answer that a distribution gives on the winner's performance.

    Resamples in which the metric is undefined don't count; a note gives their number.

    value: the estimate, if nothing was selected in the resamples; else it is their mean, or `mean`.
    n_drawn: number of units drawn from; the samples, or groups of samples, by default.
    """
    distribution, undefined = _defined(distribution, case)
    drawn = value is None
    if value is None:
        value = distribution.mean() if mean is None else mean
    n_drawn = n_drawn or n_units_of(case.matrix)
    basis = _basis(case, case.choice.winner, value, n_drawn, drawn)
    interval, error, on_interval = interval_of(distribution, case.bounded, case.plan, basis)
    error = error if drawn else replace(error, value=0.0)
    tolerance, largest = case.plan.tolerance, error.largest()
    missed = tolerance is not None and not largest <= tolerance
    short = (tolerance_not_reached(tolerance, largest),) if missed else ()
    scaled = guards_losses(case.plan.interval) and case.method not in CALIBRATED
    guessed = (not_calibrated(case.method, case.plan.interval),) if scaled else ()
    shares = distribution.shares(case.matrix.n_configurations)
    return Answer(
        value,
        interval,
        distribution,
        (*notes, *undefined, *on_interval, *guessed, *short),
        error=error,
        n_resamples=len(distribution.values),
        selection=selection_shares(case.matrix, shares) if drawn else (),
    )


def enough(draw: Callable[[int], Distribution], case: Case) -> Distribution:
    """Return `draw(B)` for the plan's B, or for one that meets the tolerance.

    The next B follows from the errors, which shrink as 1 / sqrt(B); it is at least
    `FIRST_RESAMPLES` larger.
    """
    plan = case.plan
    case.enter("resampling")
    if plan.tolerance is None:
        return draw(plan.n_resamples)
    n_resamples = min(FIRST_RESAMPLES, plan.n_resamples)
    while True:
        distribution = draw(n_resamples)
        ratio = _error(distribution, case).largest() / plan.tolerance
        if ratio <= 1 or n_resamples == plan.n_resamples or np.isnan(ratio):
            return distribution
        blocks = max(
            np.ceil(n_resamples * ratio**2 / FIRST_RESAMPLES), n_resamples // FIRST_RESAMPLES + 1
        )
        n_resamples = int(min(blocks * FIRST_RESAMPLES, plan.n_resamples))


def _error(distribution: Distribution, case: Case) -> MonteCarloError:
    if np.isnan(distribution.values).any():
        return MonteCarloError(float("nan"), None, None)
    most = int(np.bincount(distribution.winners).argmax())
    basis = _basis(case, most, distribution.mean(), n_units_of(case.matrix))
    return interval_of(distribution, case.bounded, case.plan, basis)[1]


def _basis(case: Case, winner: int, value: float, n_drawn: int, drawn: bool = True) -> Basis:
    """Return the basis of the interval, with the worst value that the guard counts, if any."""
    matrix, metric, plan = case.matrix, case.metric, case.plan
    n_units = rests_on(matrix, metric, winner) if plan.guard else matrix.n_samples
    endless = metric.direction is Direction.MINIMIZE and np.isinf(case.bounded.bounds[1])
    guarded = plan.guard and endless and guards_losses(plan.interval)
    worst = worst_sample(matrix, metric, winner) if guarded else None
    return Basis(value, n_units, n_drawn, drawn, worst, plan.models is Models.FIXED)


def _defined(distribution: Distribution, case: Case) -> tuple[Distribution, tuple[Note, ...]]:
    """Keep the resamples in which the metric is defined; return a note on the others."""
    undefined = np.isnan(distribution.values)
    if not undefined.any():
        return distribution, ()
    if undefined.all():
        raise UndefinedError(
            f"{case.metric.label} is undefined in every resample",
            hint="collect more samples"
            + " of each class" * case.matrix.task.is_classification
            + ", or use another metric",
        )
    rows = ~undefined
    probabilities = distribution.probabilities
    defined = replace(
        distribution,
        values=distribution.values[rows],
        winners=distribution.winners[rows],
        probabilities=None
        if probabilities is None
        else probabilities[rows] / probabilities[rows].sum(),
        sizes=None if distribution.sizes is None else distribution.sizes[rows],
        kinds=None if distribution.kinds is None else distribution.kinds[rows],
    )
    return defined, (undefined_resamples(int(undefined.sum()), len(undefined), case.metric.label),)
