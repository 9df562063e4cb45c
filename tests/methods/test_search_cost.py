"""The cost of a search: against all subsets, slowly, and by the laws that it keeps."""

import json
from dataclasses import replace
from itertools import combinations

import matrices
import numpy as np
import pytest
from day import swept
from scipy.stats import norm

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.source import ToolRun
from bbccli.errors import UnsupportedError
from bbccli.metrics.capped import with_clip
from bbccli.platform import resources
from bbccli.platform.records import as_json
from bbccli.platform.resources import resources_of
from bbccli.stats.bootstrap.bbc_samples import out_of_bag
from bbccli.stats.bootstrap.search_cost import (
    best_ranks,
    ranked_bags,
    scored_bags,
    search_cost,
)
from bbccli.stats.case import Case
from bbccli.types import Direction, Pooling, PredictionKind, Select

PLAN = Plan(n_resamples=60, seed=3)


def case_of(matrix, metric="auc", plan=PLAN):
    return Case(matrix, METRICS[metric], METRICS[metric], plan)


def performances(case, n_resamples):
    """In the bag and out of it, all resamples."""
    out_of_bag(case)
    parts = list(scored_bags(case, n_resamples))
    return (np.vstack(part) for part in zip(*parts, strict=True))


def slow(case, n_resamples):
    """Mean over all subsets of each size, by the selection of the package."""
    inside, outside = performances(case, n_resamples)
    n = inside.shape[1]
    naive, corrected = [], []
    everything = case.judged.performances()
    for size in range(1, n + 1):
        found, seen = [], []
        for subset in map(list, combinations(range(n), size)):
            best = case.rule.direction.best(everything[None, subset])[0]
            found.append(everything[subset[best]])
            winners = case.rule.direction.best(inside[:, subset])
            out = outside[np.arange(len(inside)), np.array(subset)[winners]]
            seen += list(out[winners >= 0])
        naive.append(np.mean(found))
        corrected.append(np.nanmean(seen))
    return naive, corrected


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
    case = case_of(matrix, metric, replace(PLAN, pooling=pooling))
    found, (naive, means) = search_cost(case), slow(case, 60)
    inside, outside = performances(case, 60)
    first = int(np.isnan(inside).any() and np.isnan(outside).any())  # then one alone may have none
    assert first == (metric == "precision")
    assert found.counts == tuple(range(1, matrix.n_configurations + 1))
    assert found.naive[first:] == pytest.approx(naive[first:], abs=1e-12)
    drawn = out_of_bag(case).values
    shift = METHODS["bbc"].run(matrix, metric, case.plan).value - drawn.mean()
    assert (abs(shift) > 1e-9) == (metric == "mcc")  # which BBC corrects for its size
    moved = np.array(means) + shift
    assert found.corrected[first:] == pytest.approx(moved[first:], abs=1e-12)
    assert found.naive[-1] == pytest.approx(case.choice.naive, abs=1e-15)
    assert found.error[-1] == pytest.approx(drawn.std() / np.sqrt(len(drawn)))


def test_nothing_depends_on_threads_or_chunks(monkeypatch):
    matrix = matrices.binary(n_configurations=9)
    found = search_cost(case_of(matrix))
    for jobs, cells in ((1, 50), (2, 200), (3, 2**21)):
        again = replace(matrix)
        monkeypatch.setattr("bbccli.stats.bootstrap.search_cost.MOST_CELLS", cells)
        monkeypatch.setattr("bbccli.stats.bootstrap.search_cost.MOST_SCORED", cells)
        with resources.use(resources_of(jobs, "64MB", resources.Engine.NUMPY)):
            assert search_cost(case_of(again)) == found


@pytest.mark.parametrize("metric", ["auc", "brier"])
def test_bags_that_were_not_kept_are_scored_again(metric, monkeypatch):
    matrix = matrices.binary(n_configurations=9)
    found = search_cost(case_of(matrix, metric))
    monkeypatch.setattr("bbccli.stats.bootstrap.MOST_KEPT", 0)
    again = search_cost(case_of(replace(matrix), metric))
    assert again.corrected == pytest.approx(found.corrected, rel=1e-12)
    assert again.enough == found.enough


def test_enough_allows_for_two_errors_of_the_paired_difference():
    # a later number is better by less than two errors of their difference, and by more than none
    seen = []
    for seed in range(6):
        case = case_of(matrices.binary(n_configurations=12, seed=seed))
        found = search_cost(case)
        inside, outside = performances(case, 60)
        weights = best_ranks(12, np.array(found.counts))
        order = ranked_bags(inside, Direction.MAXIMIZE).order
        values = np.take_along_axis(outside, order, axis=1) @ weights.T
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
    case = case_of(matrices.binary(n_configurations=7, seed=4), metric)
    found, (inside, outside) = search_cost(case), performances(case, 60)
    direction = case.metric.direction
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
    known = [search_cost(case_of(matrix, plan=Plan(n_resamples=n))).gain for n in (1, 18, 19)]
    assert [gain is None for gain in known] == [True, True, False]
    found = search_cost(case_of(matrix, plan=Plan(n_resamples=18)))
    assert not found.has_paid and not found.stopped_paying


def test_configurations_that_are_all_the_same_have_no_gain_and_no_claim():
    matrix = matrices.binary(n_configurations=4)
    values = np.repeat(matrix.predictions[:, :, :1], 4, axis=2)
    found = search_cost(case_of(replace(matrix, predictions=values)))
    assert found.enough == 1 and found.gain.value == pytest.approx(0, abs=1e-12)
    assert not found.has_paid and not found.stopped_paying


def right_or_wrong(shares, rho, n_samples, rng):
    """Which samples configurations of known true accuracies (C,) are right on, alike by rho."""
    alike, own = rng.normal(size=(n_samples, 1)), rng.normal(size=(n_samples, len(shares)))
    return np.sqrt(rho) * alike + np.sqrt(1 - rho) * own < norm.ppf(shares)


def true_gains(right, shares, found):
    """What all C truly gain over one and over `enough`, each as chosen on these samples."""
    order = ranked_bags(right.mean(axis=0)[None], Direction.MAXIMIZE).order[0]
    worth = best_ranks(len(shares), np.array([1, found.enough, len(shares)])) @ shares[order]
    return worth[2] - worth[0], worth[2] - worth[1]


ENDING, LATE, EQUAL = (
    np.where(np.arange(20) % 2, 0.85, 0.7),
    np.where(np.arange(20) == 7, 0.85, 0.7),
    np.full(20, 0.75),
)
"""True accuracies: half of them the best, one of them the best, and all the same."""


def studied(shares, rho, n_samples, seed):
    right = right_or_wrong(shares, rho, n_samples, np.random.default_rng([seed, n_samples]))
    matrix = matrices.of_labels(right)
    found = search_cost(case_of(matrix, "accuracy", Plan(n_resamples=100)))
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
    case = case_of(matrices.binary(), plan=replace(PLAN, select=Select.ONE_SE))
    with pytest.raises(UnsupportedError, match="is for --select best, not for --select one-se"):
        search_cost(case)


def tried(matrix, names):
    source = replace(matrix.source, run=ToolRun.of({"run": {"tool": "mine", "tried": names}}))
    return replace(matrix, source=source)


def test_the_order_of_the_trials_is_a_second_line():
    matrix = matrices.binary(n_configurations=6)
    order = [4, 0, 5, 2, 1, 3]
    case = case_of(tried(matrix, [f"c{c}" for c in order]))
    found = search_cost(case)
    inside, outside = performances(case, 60)
    everything = case.judged.performances()
    for count in range(1, 7):
        first = sorted(order[:count])
        best = Direction.MAXIMIZE.best(everything[None, first])[0]
        winners = np.array(first)[Direction.MAXIMIZE.best(inside[:, first])]
        expected_ = outside[np.arange(len(inside)), winners].mean()
        assert found.tried.naive[count - 1] == everything[first[best]]
        assert found.tried.corrected[count - 1] == pytest.approx(expected_)
    assert found.tried.corrected[-1] == pytest.approx(found.corrected[-1])


def test_where_nothing_tried_so_far_can_be_scored_the_line_has_a_gap():
    matrix = matrices.regression(n_configurations=3)
    values = np.array(matrix.predictions)
    values[:, 3, 2] = 1e200
    with np.errstate(over="ignore"):
        case = case_of(tried(replace(matrix, predictions=values), ["c2", "c0", "c1"]), "mse")
        found = search_cost(case)
    text = json.dumps(as_json(found.tried), allow_nan=False)
    assert json.loads(text)["naive"][0] is None and json.loads(text)["corrected"][0] is None
    assert np.isfinite(found.tried.corrected[1:]).all()


@pytest.mark.parametrize(
    "names", [None, swept(["c0"]), swept([f"c{c}" for c in range(5)]), swept("c0"), swept(3)]
)
def test_an_order_that_lacks_a_configuration_is_no_order(names):
    assert search_cost(case_of(tried(matrices.binary(n_configurations=6), names))).tried is None


def ranked_slowly(row, direction):
    """By value, one after the other: those within rounding of the one before go by column."""
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


@pytest.mark.parametrize("most_packed", [2**12, swept(0)])
@pytest.mark.parametrize("direction", Direction)
def test_ranks_of_ties_rounding_zeros_and_gaps(direction, most_packed, monkeypatch):
    monkeypatch.setattr("bbccli.stats.bootstrap.search_cost.MOST_PACKED", most_packed or 1)
    if not most_packed:
        monkeypatch.setattr("bbccli.stats.bootstrap.search_cost.ROUNDED", 12)
    rng = np.random.default_rng(2)
    exact = np.array([0.0, -0.0, 0.5, -0.5, 1e-9, 0.25, -3.0, 7e5, np.nan, np.inf, -np.inf])
    values = rng.choice(exact, (300, 40)) * rng.choice([1, 1, 1 + 2e-16, 1 - 4e-15], (300, 40))
    before = values.copy()
    found = ranked_bags(values, direction)
    np.testing.assert_array_equal(values, before)
    for row, order, n_scored in zip(values, found.order, found.n_scored, strict=True):
        slowly = ranked_slowly(row, direction)
        assert order[:n_scored].tolist() == slowly
        assert sorted(order) == list(range(40))


def test_an_infinite_loss_is_never_the_best_and_leaves_a_clean_figure():
    # without clipping, a probability of zero for what happened costs infinitely much
    matrix = matrices.binary(n_configurations=6)
    values = np.array(matrix.predictions)
    values[:, 3, 5] = 1.0 - matrix.outcome.values[3]  # the best configuration is sure, and wrong
    values[:, :, 0] = 1.0 - matrix.outcome.values  # and another in every sample
    metric = with_clip(METRICS["log-loss"], 0.0)
    with np.errstate(divide="ignore"):
        case = Case(replace(matrix, predictions=values), metric, metric, PLAN)
        found = search_cost(case)
        inside, _ = performances(case, 60)
    assert not np.isfinite(inside[:, [0, 5]]).any()
    lines = np.array([found.naive, found.corrected, found.error])
    assert np.isfinite(lines).all()
    assert found.naive[-1] == pytest.approx(case.choice.naive, rel=1e-15)
    json.dumps(as_json(found), allow_nan=False)
    others = replace(
        matrix, predictions=values[:, :, 1:5], configurations=matrix.configurations[1:5]
    )
    alone = search_cost(Case(others, metric, metric, PLAN))
    assert found.naive[0] == pytest.approx(alone.naive[0], rel=1e-12)
    assert found.corrected[0] == pytest.approx(alone.corrected[0], rel=1e-12)
    assert found.corrected[-1] == pytest.approx(alone.corrected[-1], rel=1e-12)
