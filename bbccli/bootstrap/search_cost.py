"""What a search cost: naive and corrected best-so-far against the number of configurations.

1. Of c of the C configurations, drawn at random, the best has rank r among all C with probability
   h_c(r) = C(C - r, c - 1) / C(C, c).
2. Naive: the sum over r of h_c(r) m_(r), where m_(r) is the performance of rank r on all samples.
3. Corrected: in each of BBC's resamples, rank the configurations in the bag, as the selection does;
   take the mean over the resamples of the sum over r of h_c(r) times the performance out of the
   bag of the configuration of rank r in it.

So one sort per resample gives the curve for every number of configurations, exactly, for the
resamples at hand; at c = C it is the estimate of BBC. A configuration that can't be scored in a bag
is not ranked there, and what can't be scored out of it does not count. Infinite is not scored.

Where the order is known in which the configurations were tried, a second line has the best of the
first c that were.

Source: the weights of step 1 are those of the expected maximum of a sample without replacement; the
correction is Algorithm 5 of Tsamardinos, Greasidou & Borboudakis 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from bbccli import kernels, resources
from bbccli.bootstrap.by_columns import only
from bbccli.bootstrap.cost_records import SearchCost, TriedOrder
from bbccli.bootstrap.drawing import Drawing
from bbccli.bootstrap.of_samples import out_of_bag, selections
from bbccli.bootstrap.ranks import TOGETHER, best_ranks, expected, ranked
from bbccli.case import Case
from bbccli.errors import UnsupportedError
from bbccli.resampling import BLOCK, Resamples, draws_of
from bbccli.resources import Engine
from bbccli.types import Direction, FloatArray, IntArray, Select

STEPS = (20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90, 100, 110, 120, 130, 150, 160, 180)
"""Round numbers about 10 % apart, from 20 to 200; those beyond are their multiples by tens."""

MOST_CELLS = 2**16
"""Performances that are ranked at once: what a processor keeps close at hand."""

MOST_SCORED = 2**21
"""Performances that are scored at once."""


Scored = tuple[FloatArray, FloatArray]
"""Performances (B', C) in the bag, and out of it."""


def search_cost(case: Case) -> SearchCost:
    """Return what the search cost, under the metric that selects, by the resamples of BBC.

    Raises
    ------
    UnsupportedError
        A selection of something else than the best.
    UndefinedError
        Where BBC is undefined.

    Notes
    -----
    Beside BBC the time of scoring out of the bag and of ranking: O(B C (N + log C)). What BBC
    kept of the performances in the bags is not scored again.
    """
    if case.plan.select is not Select.BEST:
        raise UnsupportedError(
            "the cost of a search is that of taking the best of several configurations, "
            f"not of --select {case.plan.select}",
            hint="--select best",
        )
    n_resamples = len(out_of_bag(case).values)
    direction, performances = case.selector.direction, case.judged.performances()
    counts, order = counts_to(case.matrix.n_configurations), tried_order(case)
    on_all, chances = ranked(performances[None], direction), best_ranks(len(performances), counts)
    values, weights, path = _over_resamples(case, n_resamples, chances, counts, order)
    naive = expected(performances[None], on_all, chances, np.array([0]))
    corrected = _totals(values) / _totals(weights)
    spread = values - weights * corrected
    return SearchCost(
        metric=case.selector.name,
        direction=direction,
        counts=tuple(map(int, counts)),
        naive=_floats(naive[0][0] / naive[1][0]),
        corrected=_floats(corrected),
        error=_floats(np.sqrt((spread**2).sum(axis=0)) / weights.sum(axis=0)),
        enough=int(counts[_first_enough(direction, corrected, spread, weights)]),
        n_resamples=n_resamples,
        tried=None
        if path is None or order is None
        else TriedOrder(
            _floats(on_all.of_first(performances[None], order, counts)[0]), _floats(path)
        ),
    )


def counts_to(n_configurations: int) -> IntArray:
    """Return numbers of configurations from 1 to C: each up to 20, then round ones 10 % apart.

    Examples
    --------
    >>> counts_to(28)[18:]
    array([19, 20, 22, 25, 28])
    """
    round_ones = (step * 10**power for power in range(18) for step in STEPS)
    beyond = takewhile(lambda one: one < n_configurations, round_ones)
    return np.array([*range(1, min(STEPS[0], n_configurations)), *beyond, n_configurations])


def tried_order(case: Case) -> IntArray | None:
    """Return the configurations (C,) in the order in which they were tried, where that is known."""
    run = case.matrix.source.metadata.get("run")
    tried = run.get("tried") if isinstance(run, dict) else None
    if not isinstance(tried, Sequence):
        return None
    places = {name: column for column, name in enumerate(case.matrix.configurations)}
    known = [places[name] for name in dict.fromkeys(map(str, tried)) if name in places]
    return np.array(known) if len(known) == len(places) else None


def _over_resamples(
    case: Case, n_resamples: int, chances: FloatArray, counts: IntArray, order: IntArray | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Sums and weights (B, n) out of the bag, and means (n,) in the order tried."""
    sums, weights = np.empty((2, n_resamples, len(counts)))
    on_path, start = [], 0
    step = max(MOST_CELLS // chances.shape[1] // TOGETHER, 1) * TOGETHER
    for in_bag, out_of_bag_ in _in_parts(scored(case, n_resamples), step):
        rows = np.arange(start, start + len(in_bag))
        found = ranked(in_bag, case.selector.direction)
        sums[rows], weights[rows] = expected(out_of_bag_, found, chances, rows)
        if order is not None:
            on_path.append(found.of_first(out_of_bag_, order, counts))
        start += len(rows)
    path = _means(np.vstack(on_path)) if on_path else None
    return sums, weights, path


def _means(values: FloatArray) -> FloatArray:
    """Means (n,) of what is finite among (B, n); NaN where nothing is."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


def _in_parts(found: Iterator[Scored], step: int) -> Iterator[Scored]:
    """Yield at most so many resamples at once."""
    for in_bag, out_of_bag_ in found:
        for start in range(0, len(in_bag), step):
            yield in_bag[start : start + step], out_of_bag_[start : start + step]


def scored(case: Case, n_resamples: int) -> Iterator[Scored]:
    """Yield performances (B', C) in the bag and out of it, of the first resamples of BBC."""
    judged, found = case.judged, selections(case)
    draws = draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed)
    ordinals, kept = found.ordinals[:n_resamples], found.in_bags()
    n_blocks = int(ordinals[-1]) // BLOCK + 1
    step = max(MOST_SCORED // judged.n_configurations, 1)

    def score(drawn: Resamples) -> list[Scored]:
        used, blocks = only(ordinals, drawn), judged.blocks()
        score_all = judged.score if len(blocks) > 1 else judged.bind(blocks[0])
        first, parts = int(np.searchsorted(ordinals, drawn.ordinals).min(initial=n_resamples)), []
        for start in range(0, len(used), step):
            bags = used.in_bag[start : start + step]
            rows = slice(first + start, first + start + len(bags))
            inside = score_all(bags) if kept is None else kept[rows]
            parts.append((inside, score_all((bags == 0).view(np.uint8))))
        return parts

    n_passes = 2 if kept is None else 1
    with resources.use(kernels.decide(n_passes * draws.n_weights * judged.n_sweeps * n_resamples)):
        drawing = Drawing.of(draws, 0, n_blocks)
        short_calls = judged.swept and resources.current().engine is Engine.NUMPY
        if len(judged.blocks()) > 1 or short_calls:
            drawing = drawing.in_one_thread()
        for parts in drawing.over(score):
            yield from parts


def _first_enough(
    direction: Direction, corrected: FloatArray, spread: FloatArray, weights: FloatArray
) -> int:
    """Position of the first count that no later one beats by two errors of the difference."""
    scaled = spread / weights.sum(axis=0)
    products = scaled.T @ scaled
    squares = np.diag(products)
    errors = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0))
    gains = direction.gain(corrected[None], corrected[:, None])
    beaten = np.triu(gains > 2 * errors + 1e-12, k=1).any(axis=1)
    return int(np.argmin(beaten))


def _totals(values: FloatArray) -> FloatArray:
    """Sums (n,) over resamples (B, n), in the order of those of `bbc`."""
    return np.asarray(np.ascontiguousarray(values.T).sum(axis=1))


def _floats(values: FloatArray) -> tuple[float, ...]:
    return tuple(map(float, values))
