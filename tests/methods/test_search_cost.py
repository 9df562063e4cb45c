"""The cost of a search: against all subsets, slowly, and by the laws that it keeps."""

import json
from dataclasses import replace
from itertools import combinations

import matrices
import numpy as np
import pytest
from day import swept
from scipy.stats import hypergeom, norm

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.source import ToolRun
from bbccli.errors import UnsupportedError
from bbccli.platform import resources
from bbccli.platform.records import as_json
from bbccli.platform.resources import resources_of
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Direction, Pooling, PredictionKind, Select
from bbccli.use_cases.correct import cost_of_search

PLAN = Plan(n_resamples=60, seed=3)


def cost(matrix, metric="auc", plan=PLAN):
    return cost_of_search(matrix, METRICS.get(metric, metric), plan, needed=True)


def on_all(matrix, metric, plan=PLAN):
    return candidates(matrix, METRICS.get(metric, metric), plan.pooling).performances()


def performances(matrix, metric="auc", plan=PLAN):
    """In the bag and out of it (B, C), of the resamples whose winner is defined in both."""
    metric = METRICS.get(metric, metric)
    score = candidates(matrix, metric, plan.pooling).score
    bags = draws_of(matrix.n_samples, None, plan.seed).batch(0, -(-plan.n_resamples // 16)).in_bag
    inside, outside = score(bags), score((bags == 0).astype(np.uint8))
    winners = metric.direction.best(inside)
    usable = ~np.isnan(outside[np.arange(len(bags)), winners]) & (winners >= 0)
    return inside[usable][: plan.n_resamples], outside[usable][: plan.n_resamples]


def of_subsets(matrix, metric, plan):
    """Mean over all subsets of each size, naive and corrected, by the selection of the package."""
    inside, outside = performances(matrix, metric, plan)
    naive, corrected = [], []
    everything, direction = on_all(matrix, metric, plan), METRICS[metric].direction
    for size in range(1, inside.shape[1] + 1):
        found, seen = [], []
        for subset in map(list, combinations(range(inside.shape[1]), size)):
            best = direction.best(everything[None, subset])[0]
            found.append(everything[subset[best]])
            winners = direction.best(inside[:, subset])
            out = outside[np.arange(len(inside)), np.array(subset)[winners]]
            seen += list(out[winners >= 0])
        naive.append(np.mean(found))
        corrected.append(np.nanmean(seen))
    return naive, corrected


def chances(n_configurations, counts):
    """(n, C) that the best of so many has each rank: none before it is among them, but it is."""
    none_before = hypergeom.pmf(0, n_configurations, np.arange(n_configurations + 1), counts)
    return -np.diff(none_before)


def ranked(row, direction):
    """Places by value, one after the other: those within rounding of the one before by column."""
    known = sorted((c for c in range(len(row)) if np.isfinite(row[c])), key=lambda c: row[c])
    if direction is Direction.MAXIMIZE:
        known.reverse()
    groups = []
    for c in known:
        before = row[groups[-1][-1]] if groups else np.inf
        if groups and abs(row[c] - before) <= 4e-13 * abs(before):
            groups[-1].append(c)
        else:
            groups.append([c])
    return [c for group in groups for c in sorted(group)]


def of_ranks(inside, outside, counts, direction):
    """The corrected figures by the chances of the ranks in each bag."""
    of_rank, sums, weights = chances(inside.shape[1], np.array(counts)[:, None]), 0.0, 0.0
    for row, out in zip(inside, outside, strict=True):
        values = out[ranked(row, direction)]
        of_row, there = of_rank[:, : len(values)], np.isfinite(values)
        sums = sums + of_row[:, there] @ values[there]
        weights = weights + of_row[:, there].sum(axis=1)
    return sums / weights


def at_times_undefined():
    """No positive is predicted in many bags: the precision is undefined there."""
    matrix = matrices.binary(n_samples=16, n_configurations=5, kind=PredictionKind.LABEL)
    values = np.array(matrix.predictions)
    values[:, 2:, 1], values[:, 1:, 2] = 0, 0
    return replace(matrix, predictions=values)


@pytest.mark.parametrize(
    ("matrix", "metric", "pooling"),
    [
        *(
            mark(matrices.binary(n_samples=60, n_configurations=6), name, pooling)
            for mark, name, pooling in (
                (pytest.param, "auc", Pooling.POOLED),
                (swept, "auc", Pooling.FOLD_MEAN),
                *((swept, name, Pooling.POOLED) for name in ("accuracy", "brier", "mcc")),
            )
        ),
        (at_times_undefined(), "precision", Pooling.POOLED),
    ],
)
def test_against_all_subsets(matrix, metric, pooling):
    """Of each number, and of all of them the estimate of BBC, with the error of its mean."""
    plan = replace(PLAN, pooling=pooling)
    found, (naive, means) = cost(matrix, metric, plan), of_subsets(matrix, metric, plan)
    inside, outside = performances(matrix, metric, plan)
    first = int(np.isnan(inside).any() and np.isnan(outside).any())  # then one alone may have none
    assert first == (metric == "precision")
    assert found.counts == tuple(range(1, matrix.n_configurations + 1))
    assert found.naive[first:] == pytest.approx(naive[first:], abs=1e-12)
    drawn = outside[np.arange(60), METRICS[metric].direction.best(inside)]
    shift = METHODS["bbc"].run(matrix, metric, plan).value - drawn.mean()
    assert (abs(shift) > 1e-9) == (metric == "mcc")  # which BBC corrects for its size
    moved = np.array(means) + shift
    assert found.corrected[first:] == pytest.approx(moved[first:], abs=1e-12)
    assert found.error[-1] == pytest.approx(drawn.std() / np.sqrt(60))


@pytest.mark.parametrize(("n_configurations", "n_resamples"), [(40, 2000), swept(4200, 256)])
def test_many_of_them_by_ranks(n_configurations, n_resamples):
    """More than are ranked at once, than are kept, and than are packed into a number."""
    right = np.random.default_rng(0).random((20, n_configurations)) < 0.7
    matrix, plan = matrices.of_labels(right), Plan(n_resamples=n_resamples, seed=3)
    with resources.use(resources_of(2, "64MB", resources.Engine.NUMPY)):
        found = cost(matrix, "accuracy", plan)
    inside, outside = performances(matrix, "accuracy", plan)
    order = np.argsort(-inside, axis=1, kind="stable")  # equal counts are equal numbers
    means = np.take_along_axis(outside, order, axis=1).mean(axis=0)
    expected = chances(n_configurations, np.array(found.counts)[:, None]) @ means
    assert found.corrected == pytest.approx(expected, rel=1e-9)
    with resources.use(resources_of(1, "64MB", resources.Engine.NUMPY)):
        assert cost(replace(matrix), "accuracy", plan) == found


def test_enough_allows_for_two_errors_of_the_paired_difference():
    # a later number is better by less than two errors of their difference, and by more than none
    seen = []
    for seed in range(6):
        matrix = matrices.binary(n_configurations=12, seed=seed)
        found, (inside, outside) = cost(matrix), performances(matrix)
        order = [ranked(row, Direction.MAXIMIZE) for row in inside]
        of_rank = chances(12, np.array(found.counts)[:, None])
        values = np.take_along_axis(outside, np.array(order), axis=1) @ of_rank.T
        beaten = [
            any(
                (gains := values[:, later] - values[:, number]).mean()
                > 2 * gains.std() / np.sqrt(len(gains)) + 1e-12
                for later in range(number + 1, 12)
            )
            for number in range(12)
        ]
        assert found.enough == found.counts[beaten.index(False)]
        seen.append(found.enough != found.counts[int(np.argmax(found.corrected))])
    assert any(seen)


@pytest.mark.parametrize("metric", ["auc", "brier"])
def test_gains_hold_at_once_in_the_resamples_that_they_are_made_of(metric):
    matrix, direction = matrices.binary(n_configurations=7, seed=4), METRICS[metric].direction
    found, (inside, outside) = cost(matrix, metric), performances(matrix, metric)
    best_of = np.empty((60, 7))
    for size in range(1, 8):
        subsets = [np.array(one) for one in combinations(range(7), size)]
        winners = [one[direction.best(inside[:, one])] for one in subsets]
        best_of[:, size - 1] = np.mean([outside[np.arange(60), one] for one in winners], axis=0)
    gains = direction.sign * (best_of[:, -1:] - best_of[:, :-1])
    mean, spread = gains.mean(axis=0), gains.std(axis=0)
    largest = np.sort((np.abs(gains - mean) / spread).max(axis=1))
    at = found.enough - 1
    for gain, place in ((found.gain, 0), (found.gain_beyond, at)):
        assert gain.value == pytest.approx(mean[place])
        end = largest[57] * spread[place]  # 0.95 * 61 is 57.95: the 58th of 60
        assert gain.interval.lower == pytest.approx(mean[place] - end)
        assert gain.interval.upper == pytest.approx(mean[place] + end)


def test_too_few_resamples_have_no_interval_and_claim_nothing():
    matrix = matrices.binary(n_configurations=9)
    found = [cost(matrix, plan=Plan(n_resamples=n)) for n in (1, 18, 19)]
    assert [one.gain is None for one in found] == [True, True, False]
    assert not found[1].has_paid and not found[1].stopped_paying


def test_configurations_that_are_all_the_same_have_no_gain_and_no_claim():
    matrix = matrices.binary(n_configurations=4)
    values = np.repeat(matrix.predictions[:, :, :1], 4, axis=2)
    found = cost(replace(matrix, predictions=values))
    assert found.enough == 1 and found.gain.value == pytest.approx(0, abs=1e-12)
    assert not found.has_paid and not found.stopped_paying


def right_or_wrong(shares, rho, n_samples, rng):
    """Which samples configurations of known true accuracies (C,) are right on, alike by rho."""
    alike, own = rng.normal(size=(n_samples, 1)), rng.normal(size=(n_samples, len(shares)))
    return np.sqrt(rho) * alike + np.sqrt(1 - rho) * own < norm.ppf(shares)


def true_gains(right, shares, found):
    """What all C truly gain over one and over `enough`, each as chosen on these samples."""
    order = np.argsort(-right.mean(axis=0), kind="stable")
    worth = chances(len(shares), np.array([[1], [found.enough], [len(shares)]])) @ shares[order]
    return worth[2] - worth[0], worth[2] - worth[1]


ENDING, LATE, EQUAL = (
    np.where(np.arange(20) % 2, 0.85, 0.7),
    np.where(np.arange(20) == 7, 0.85, 0.7),
    np.full(20, 0.75),
)
"""True accuracies: half of them the best, one of them the best, and all the same."""


def studied(shares, rho, n_samples, seed):
    right = right_or_wrong(shares, rho, n_samples, np.random.default_rng([seed, n_samples]))
    found = cost(matrices.of_labels(right), "accuracy", Plan(n_resamples=100))
    return found, *true_gains(right, shares, found)


@pytest.mark.parametrize(
    ("shares", "n_samples", "can_tell"),
    [(ENDING, 10_000, True), (ENDING, 300, False), (LATE, 300, False), (EQUAL, 3000, False)],
    ids=["ending", "ending in few", "late", "equal"],
)
def test_it_says_that_searching_stopped_paying_only_where_it_did_and_the_samples_tell(
    shares, n_samples, can_tell
):
    claims = 0
    for seed in range(4):
        found, gain, beyond = studied(shares, 0.9, n_samples, seed)
        assert not found.stopped_paying or beyond <= 0.1 * (gain - beyond)
        claims += found.stopped_paying
    assert claims >= 2 if can_tell else claims == 0


@pytest.mark.sweep
@pytest.mark.parametrize("shares", [ENDING, LATE, EQUAL, np.linspace(0.65, 0.85, 20)])
@pytest.mark.parametrize("n_samples", [80, 400])
def test_true_gains_are_within_their_intervals(shares, n_samples):
    """Whichever number was chosen by its figure; 95% of 200 less two standard errors is 184."""
    covered = 0
    for seed in range(200):
        found, gain, beyond = studied(shares, 0.6, n_samples, seed)
        pairs = [(found.gain, gain), (found.gain_beyond, beyond)]
        ends = [(g.interval.lower, g.interval.upper, true) for g, true in pairs if g is not None]
        covered += all(lower - 1e-12 <= true <= upper + 1e-12 for lower, upper, true in ends)
        assert not found.stopped_paying or beyond <= 0.1 * (gain - beyond)
        assert not found.has_paid or gain > 0
    assert covered >= 184


def test_a_rule_of_one_standard_error_is_refused():
    with pytest.raises(UnsupportedError, match="is for --select best, not for --select one-se"):
        cost(matrices.binary(), plan=replace(PLAN, select=Select.ONE_SE))


def tried(matrix, names):
    source = replace(matrix.source, run=ToolRun.of({"run": {"tool": "mine", "tried": names}}))
    return replace(matrix, source=source)


def test_the_order_of_the_trials_is_a_second_line():
    matrix = matrices.binary(n_configurations=6)
    order = [4, 0, 5, 2, 1, 3]
    found = cost(tried(matrix, [f"c{c}" for c in order]))
    (inside, outside), everything = performances(matrix), on_all(matrix, "auc")
    for count in range(1, 7):
        first = sorted(order[:count])
        best = Direction.MAXIMIZE.best(everything[None, first])[0]
        winners = np.array(first)[Direction.MAXIMIZE.best(inside[:, first])]
        assert found.tried.naive[count - 1] == everything[first[best]]
        mean = outside[np.arange(60), winners].mean()
        assert found.tried.corrected[count - 1] == pytest.approx(mean)
    assert found.tried.corrected[-1] == pytest.approx(found.corrected[-1])


def test_the_line_of_the_trials_is_corrected_for_size_as_the_other_is():
    matrix = matrices.binary(n_configurations=6)
    found = cost(tried(matrix, [f"c{c}" for c in range(6)]), "mcc")
    assert found.tried.corrected[-1] == pytest.approx(found.corrected[-1])


def test_where_nothing_tried_so_far_can_be_scored_the_line_has_a_gap():
    matrix = matrices.regression(n_configurations=3)
    values = np.array(matrix.predictions)
    values[:, 3, 2] = 1e200
    with np.errstate(over="ignore"):
        found = cost(tried(replace(matrix, predictions=values), ["c2", "c0", "c1"]), "mse")
    written = json.loads(json.dumps(as_json(found.tried), allow_nan=False))
    assert written["naive"][0] is None and written["corrected"][0] is None
    assert np.isfinite(found.tried.corrected[1:]).all()


@pytest.mark.parametrize(
    "names", [None, swept(["c0"]), swept([f"c{c}" for c in range(5)]), swept("c0"), swept(3)]
)
def test_an_order_that_lacks_a_configuration_is_no_order(names):
    assert cost(tried(matrices.binary(n_configurations=6), names)).tried is None


class Odd:
    """A scorer whose columns are off by rounding, and some of which can't be scored."""

    def __init__(self, scorer, sign):
        self.scorer, self.n_configurations = scorer, scorer.n_configurations
        self.factors = np.random.default_rng(2).choice([1, 1 + 2e-16, 1 - 4e-15], len(self))
        self.never, self.worst = np.arange(len(self)) % 7 == 3, -sign * np.inf

    def __len__(self):
        return self.n_configurations

    def __call__(self, weights, configurations=None):
        columns = np.arange(len(self)) if configurations is None else configurations
        values = (2 * self.scorer(weights, columns) - 1).round(1)  # many tie, some are 0
        values = np.where(values == 0.6, self.worst, values * self.factors[columns])
        values = np.where(columns % 2 == 0, values, np.where(values == 0, -0.0, values))
        return np.where(self.never[columns], np.nan, values)

    def paired(self, weights, configurations):
        return np.diag(self(weights, configurations))


@pytest.mark.parametrize("direction", Direction)
def test_ranks_of_ties_rounding_zeros_gaps_and_the_infinite(direction):
    """What is off by rounding ties, the infinite is never the best, and figures are clean."""

    def bind(outcome, predictions):
        return Odd(METRICS["accuracy"].bind(outcome, predictions), direction.sign)

    odd = replace(METRICS["accuracy"], name="odd", direction=direction, bind=bind)
    right = np.random.default_rng(1).random((24, 16)) < np.linspace(0.4, 0.8, 16)
    matrix = matrices.of_labels(right)
    with np.errstate(invalid="ignore"):
        found, (inside, outside) = cost(matrix, odd), performances(matrix, odd)
        expected = of_ranks(inside, outside, found.counts, direction)
    assert np.isinf(inside).any() and np.isinf(outside).any()
    assert found.corrected == pytest.approx(expected, rel=1e-9)
    naive = of_ranks(*[on_all(matrix, odd)[None]] * 2, found.counts, direction)
    assert found.naive == pytest.approx(naive, rel=1e-9)
    assert np.isfinite([found.naive, found.corrected, found.error]).all()
