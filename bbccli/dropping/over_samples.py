"""Rules that compare samples.

## bbcd

BBCD's test: a bootstrap of the rows predicted so far, of any metric.

1. Let j be the best configuration on the rows predicted so far.
2. B times: draw as many of these rows with replacement. A draw in which j has no performance (an
   AUC without one of the classes) is drawn again.
3. Drop each configuration that is strictly worse than j in more than 99% of the draws.

It needs no folds: rows are drawn, and so it may drop after the first fold.

Source: section 4 of Tsamardinos, Greasidou & Borboudakis 2018, and the code of its simulations.

## brace

BRACE: a blocked race, by the differences to the best in the same samples.

What a sample adds to the difference of two configurations has the difficulty of the sample taken
out. With d_i the loss of a configuration in sample i less that of the best so far, d its mean over
n samples and s its standard deviation, the mean that more samples would give lies, where nothing
was known before, like Student's t with n - 1 degrees of freedom around d. So the probability that
the configuration is worse is

    P = T(d sqrt(n) / s),    T the distribution function of t

1. The best is the configuration that leads so far.
2. Compute P for each of the others.
3. Drop those with P above the threshold.

It is for means of losses what `bbcd` is for any metric, without resamples. The original compares
all pairs, and drops one of two that are nearly equal; here each is compared with the best, and
none is dropped for being like another.

Samples of a group count once, by the sum of their differences, and weights weigh. Losses of
repeats are averaged.

Source: Moore & Lee 1994.

## betting

A race by betting: the truly best configuration is dropped with a probability of at most
1 - threshold, however often one looks, whatever the distribution of the losses.

Bet on "k is better than j", sample by sample, with a stake s of the capital, 0 < s < 1. With the
loss of j less that of k in sample i as a share of the range of losses, d_ij in [-1, 1], the capital

    K_jk = mean over stakes s of prod_i (1 + s d_ij)

is on average not above 1 where k is no better than j, and so it ever reaches c with a probability
of at most 1 / c (Ville's inequality). Of m configurations the truly best one has m - 1 rivals, and
c = (m - 1) / (1 - threshold) for each makes 1 - threshold in all.

1. Take the three configurations that lead so far.
2. Compute the capital of each against each configuration, with stakes of 0.02 to 0.8.
3. Drop configurations against which one of the three has reached c. m counts those that were
   dropped earlier.

It presumes that samples are independent draws, that losses are bounded, and that a model does not
change between folds: the models of folds differ a little, and no bound knows by how much. Samples
of a group are one bet, by the sum of their differences as a share of the largest group; weights
weigh. Later repeats show the same samples again, so only the first one counts.

Source: Ville 1939; Waudby-Smith & Ramdas 2024, section 4; in races of configurations with one mean
for each, Hoeffding races (Maron & Moore 1993) give the same promise and drop far less.

## cvst

CVST: a sequential test on how often a configuration is among the top ones.

1. In each fold, order the configurations by their mean loss. The top ones are the longest run from
   the best whose losses per sample do not differ significantly, at the level
   (1 - threshold) / (C - 1): Cochran's Q where losses are right or wrong, else Friedman's test.
2. The trace of a configuration has a 1 for each fold in which it is among the top ones.
3. Wald's sequential test: drop it when the sum of its trace after s folds is at most
   0.651 s - 1.777. So 0, 0, 0 goes after the third fold.

CVST lets the training set grow from step to step; here the steps are the folds, in the order in
which they were trained, and the trace is that of the configurations that are still in. The lines
of Wald's test are those of CVST's defaults: 10 steps, alpha 0.01, beta 0.1, pi0 0.5.

Source: Krueger, Panknin & Braun 2015; the R package CVST.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bbccli.dropping.base import Interim, Judgement, loss_range, losses, undecided, walked_folds
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.platform import resources
from bbccli.platform.resources import Resources, ordered_map
from bbccli.stats import resampling, significance
from bbccli.stats.resampling import Draws, Unit
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.selection.units import units_of
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, distinct

THRESHOLD = 0.99
"""Share of the draws above which a configuration is dropped."""


def bbcd(interim: Interim, threshold: float) -> Judgement:
    """Drop configurations that are strictly worse than the best in too many draws.

    Source: Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    shares = worse_shares(interim)
    return Judgement(shares > threshold, probability=shares)


def worse_shares(interim: Interim) -> FloatArray:
    """Return the share of B draws in which each of C configurations is worse than the best so far.

    Equal or undefined performances are not worse. A sample's predictions in all repeats are drawn
    together, and so are the samples of a group.

    Raises UndefinedError: the best configuration is undefined in nearly every draw.
    Source: Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    matrix, metric, plan = interim.matrix, interim.metric, interim.plan
    counts = np.zeros(matrix.n_configurations)
    if interim.best < 0:
        return counts
    draws = resampling.draws_of_seen(matrix.n_samples, matrix.groups, plan.seed)
    every = candidates(matrix, metric, plan.pooling)
    settled = kernels.decide(matrix.n_samples * every.n_sweeps * plan.n_resamples)
    with resources.use(settled):
        best = every.bind(np.array([interim.best]))
        for columns in every.blocks():
            count = partial(_count_worse, every.bind(columns), metric.direction)
            drawn = _drawn(draws, best, plan.n_resamples, settled)
            counts[columns] = sum(ordered_map(count, drawn, settled.jobs))
    return counts / plan.n_resamples


Drawn = tuple[IntArray, FloatArray]
"""In-bag weights (B', N) of some draws, and the performance (B', 1) of the best in each."""


def _count_worse(scorer: Scorer, direction: Direction, drawn: Drawn) -> IntArray:
    """Count the draws in which each of (C',) configurations is worse than the best."""
    in_bag, best = drawn
    values = scorer(in_bag)
    worse = direction.leads(best, values) & ~np.isnan(values)
    return np.asarray(worse.sum(axis=0))


def _drawn(draws: Draws, best: Scorer, n_resamples: int, settled: Resources) -> Iterator[Drawn]:
    """Yield the first B draws in which the best is defined, a few blocks at a time."""
    fitting = settled.memory // (
        2 * settled.jobs * resampling.BLOCK * draws.n_weights * resampling.WEIGHT_BYTES
    )
    size = min(max(fitting, 1), resampling.MOST_BLOCKS)
    first, left = 0, n_resamples
    while left:
        n_blocks = min(size, -(-left // resampling.BLOCK))
        in_bag = draws.batch(first, n_blocks).in_bag
        values = best(in_bag)
        usable = np.flatnonzero(~np.isnan(values[:, 0]))[:left]
        first, left = first + n_blocks, left - len(usable)
        if first * resampling.BLOCK > resampling.PATIENCE * (n_resamples - left + resampling.BLOCK):
            raise resampling.too_few_usable(Unit.SAMPLES if draws.members is None else Unit.GROUPS)
        if len(usable):
            every = len(usable) == len(in_bag)
            yield (in_bag, values) if every else (in_bag[usable], values[usable])


SLOPE, INTERCEPT = 0.651, 1.777
"""Of the line under which a trace is given up."""


def brace(interim: Interim, threshold: float) -> Judgement:
    """Drop configurations that are worse than the best with too high a probability.

    Source: Moore & Lee 1994.
    """
    from scipy.special import stdtr

    gains = np.mean(losses(interim), axis=0)
    means, errors, n_units = means_and_errors(interim, gains[:, [interim.best]] - gains)
    best = float(interim.metric.direction.sign * interim.performances[interim.best])
    behind = Direction.MAXIMIZE.leads(np.array(best), best - means)
    if n_units < 2:
        return undecided(interim)
    scaled = np.divide(means, errors, out=np.full(len(means), np.inf), where=errors > 0)
    probability = np.where(behind, stdtr(n_units - 1, scaled), 0.0)
    return Judgement(probability > threshold, probability=probability)


def means_and_errors(interim: Interim, values: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Return means (C,) and standard errors (C,) of values (N, C) of samples, and their number.

    The values of a group are added up.
    """
    matrix, outcome = interim.matrix, interim.matrix.outcome
    weights = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    means = weights @ values / weights.sum()
    parts = weights[:, None] * (values - means) / weights.sum()
    if matrix.groups is not None:
        units = units_of(matrix)
        parts = np.stack([np.bincount(units, column) for column in parts.T], axis=1)
    n_units = len(parts)
    errors = np.sqrt((parts**2).sum(axis=0) * n_units / max(n_units - 1, 1))
    return means, errors, n_units


LEADERS = 3
"""Configurations that bet against the others. All would save at most 1% more models, at C^2 N."""

STAKES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8)
"""Small ones suit small differences in many samples, large ones large differences in few."""


def betting(interim: Interim, threshold: float) -> Judgement:
    """Drop configurations against which the capital of a bet has grown too large.

    Source: Ville 1939; Waudby-Smith & Ramdas 2024, section 4.
    """
    gains, matrix = losses(interim)[0], interim.matrix
    weights = matrix.outcome.weights
    gains = gains if weights is None else gains * weights[:, None]
    units = np.arange(len(gains)) if matrix.groups is None else units_of(matrix)
    largest = np.bincount(units, weights).max() * loss_range(interim)
    leaders = np.argsort(-gains.sum(axis=0), kind="stable")[:LEADERS]
    reached = np.log(max(interim.n_started - 1, 1) / (1 - threshold))
    worse = np.zeros(gains.shape[1], bool)
    for leader in leaders.tolist():
        shares = (gains[:, [leader]] - gains) / largest
        if matrix.groups is not None:
            shares = np.stack([np.bincount(units, column) for column in shares.T], axis=1)
        capital = [np.log1p(stake * shares).sum(axis=0) for stake in STAKES]
        worse |= np.logaddexp.reduce(capital) - np.log(len(STAKES)) >= reached
    worse[interim.best] = False
    return Judgement(worse)


def cvst(interim: Interim, threshold: float) -> Judgement:
    """Drop configurations that were too seldom among the top ones.

    Source: Krueger, Panknin & Braun 2015.
    """
    level = (1 - threshold) / max(interim.matrix.n_configurations - 1, 1)
    tops = [
        top_ones(of_repeat[of_folds == fold], level)
        for of_repeat, of_folds in zip(losses(interim), walked_folds(interim.matrix), strict=True)
        for fold in distinct(of_folds)
    ]
    worse = np.sum(tops, axis=0) <= SLOPE * len(tops) - INTERCEPT
    worse[interim.best] = False
    return Judgement(worse)


def top_ones(gains: FloatArray, level: float) -> BoolArray:
    """Mark (C,) the longest run from the best of gains (n, C) without a significant difference."""
    order = np.argsort(-gains.mean(axis=0), kind="stable")
    ordered = gains[:, order]
    p_values = _cochran if np.isin(np.abs(ordered), (0.0, 1.0)).all() else _friedman
    n_top = 1
    for p_value in p_values(ordered):
        if p_value < level:
            break
        n_top += 1
    top = np.zeros(len(order), bool)
    top[order[:n_top]] = True
    return top


def _cochran(gains: FloatArray) -> Iterator[float]:
    """P of Cochran's Q among the first 2, 3, ..., C columns of gains (n, C), each 0 or +-1."""
    from scipy.special import chdtrc

    between, within = significance.cochran(gains != 0)
    k = np.arange(1, gains.shape[1] + 1)
    # where no sample tells the configurations apart there is nothing to test
    statistic = np.divide((k - 1) * between, within, out=np.zeros(len(k)), where=within > 0)
    yield from chdtrc(k[1:] - 1, statistic[1:]).tolist()


def _friedman(gains: FloatArray) -> Iterator[float]:
    """P of Friedman's test among the first 2, 3, ..., C columns of gains (n, C)."""
    for k in range(2, gains.shape[1] + 1):
        yield significance.friedman_test(mean_ranks(-gains[:, :k])).p
