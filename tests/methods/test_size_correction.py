"""The correction of `bbc` for the size of what resamples leave out."""

from dataclasses import replace

import matrices
import numpy as np
import pytest
from day import METRICS_BY_DAY, daily, swept

from bbccli import METHODS, METRICS, Plan, compare
from bbccli.domain.outcome import Outcome
from bbccli.stats.case import Case
from bbccli.stats.resampling import draws_of
from bbccli.types import MetricKind, Pooling, PredictionKind, Task

PLAN = Plan(n_resamples=64, seed=5)
FEW = 12
"""With fewer samples R² is corrected by a ratio."""
SIZED = sorted(name for name, one in METRICS.items() if one.kind is MetricKind.OTHER)
UNSIZED = sorted(set(METRICS) - set(SIZED))


def slowly(matrix, metric, selector=None):
    """The estimate by the formula, what was added for the size, and the parts of each resample."""
    metric, selector = METRICS[metric], METRICS[selector or metric]
    case = Case(matrix, metric, selector, PLAN)
    measured, judged = (
        c.bind(np.arange(matrix.n_configurations)) for c in (case.measured, case.judged)
    )
    everything = np.ones((1, matrix.n_samples), np.uint8)
    measured_on_all = measured(everything)[0]
    outside, every, winners, at = [], [], [], 0
    draws = draws_of(matrix.n_samples, matrix.groups, PLAN.seed)
    while len(outside) < PLAN.n_resamples:
        for in_bag in draws.batch(at, 1).in_bag:
            inside, left_out = judged(in_bag[None])[0], (in_bag == 0).astype(np.uint8)[None]
            if np.isnan(inside).all() or len(outside) == PLAN.n_resamples:
                continue
            winner = int(selector.direction.best(inside[None])[0])
            chosen = judged(left_out)[0, winner]
            if np.isnan(chosen):
                continue
            scores = measured(left_out)[0]
            outside.append(scores[winner])
            every.append(scores)
            winners.append(winner)
        at += 1
    shares = np.bincount(winners, minlength=matrix.n_configurations) / len(winners)
    with np.errstate(invalid="ignore"):  # some resamples have no figure
        own = [np.nansum(shares * one) / shares[~np.isnan(one)].sum() for one in every]
    naive = np.nansum(shares * measured_on_all) / shares[~np.isnan(measured_on_all)].sum()
    outside, own = np.array(outside), np.array(own)
    parts = outside - own + naive
    value = np.nanmean(parts)
    if matrix.n_samples < FEW:
        value = np.nanmean(1 - (1 - outside) / (1 - own) * (1 - naive))
    return value, value - np.nanmean(outside), parts


@pytest.mark.parametrize(
    "change", ["groups", swept("weights"), swept("repeats"), swept("selected by another")]
)
def test_it_is_the_formula_of_other_data_too(change):
    matrix = matrices.binary(n_samples=60, n_repeats=2 if change == "repeats" else 1)
    if change == "groups":
        matrix = replace(matrix, groups=np.random.default_rng(1).integers(0, 15, 60))
    if change == "weights":
        matrix = replace(matrix, outcome=matrices.weighing(matrix.outcome))
    selector = "log-loss" if change == "selected by another" else None
    found = METHODS["bbc"].run(matrix, "average-precision", PLAN, select_by=selector)
    value, added, _ = slowly(matrix, "average-precision", selector)
    assert found.value == pytest.approx(value, abs=1e-10)
    assert found.size_correction == pytest.approx(added, abs=1e-10)


@pytest.mark.parametrize("name", SIZED)
def test_a_single_configuration_keeps_its_figure(name):
    matrix = matrices.for_metric(name, n_configurations=1)
    found = METHODS["bbc"].run(matrix, METRICS[name], PLAN)
    assert found.value == pytest.approx(found.naive, abs=1e-12)
    assert abs(found.error.value) < 1e-12
    assert found.interval.lower < found.interval.upper


@pytest.mark.parametrize("name", UNSIZED)
def test_other_metrics_stay_as_they_were(name):
    matrix = matrices.for_metric(name)
    with_it, without = (
        METHODS["bbc"].run(matrix, METRICS[name], replace(PLAN, size_correction=given))
        for given in (True, False)
    )
    assert with_it.value == without.value
    assert with_it.interval == without.interval
    assert with_it.size_correction is None


def test_means_over_folds_stay_as_they_were():
    plan = replace(PLAN, pooling=Pooling.FOLD_MEAN)
    assert METHODS["bbc"].run(matrices.regression(), "rmse", plan).size_correction is None


def test_nothing_leaves_the_bounds():
    """Of one positive in ten, the average precision out of the bag may be as low as it gets."""
    for seed in range(20):
        matrix = matrices.binary(n_samples=24, seed=seed)
        found = METHODS["bbc"].run(matrix, "average-precision", replace(PLAN, seed=seed))
        values = found.distribution.values
        assert 0 <= values.min() <= values.max() <= 1
        assert 0 <= found.interval.lower <= found.interval.upper <= 1
        assert 0 <= found.value <= 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["r2", "explained-variance"])
def test_few_samples_out_of_the_bag_are_in_doubt(name, seed):
    """The sum would be 1.000 (1.000 to 1.000), or lie outside its interval."""
    matrix = matrices.regression(n_samples=8, seed=seed)
    found = METHODS["bbc"].run(matrix, name, PLAN)
    value, shift, _ = slowly(matrix, name)
    assert found.value == pytest.approx(value)
    assert found.size_correction == pytest.approx(shift)
    assert found.interval.lower < found.value < found.interval.upper < 1
    assert found.value == pytest.approx(np.median(found.distribution.values))
    assert "few-left-out" in [note.code for note in found.notes]


@pytest.mark.parametrize("name", ["r2", "rmse"])
def test_many_samples_are_not(name):
    found = METHODS["bbc"].run(matrices.regression(n_samples=50), name, PLAN)
    assert "few-left-out" not in [note.code for note in found.notes]


def expectations(name, sizes, n_drawn):
    """Mean figure of one configuration on so many samples of a population, and its error."""
    matrix = matrices.for_metric(name, n_samples=300, n_configurations=1)
    scorer = Case(matrix, METRICS[name], METRICS[name], PLAN).judged.bind(np.array([0]))
    rng = np.random.default_rng(2)
    for size in sizes:
        values = scorer(rng.multinomial(size, np.full(300, 1 / 300), n_drawn))[:, 0]
        values = values[~np.isnan(values)]
        yield values.mean(), values.std() / np.sqrt(len(values))


def size_bias(name, n_drawn=4000):
    """By how much the expectation on few samples differs from that on many, in standard errors."""
    (few, error), (many, other) = expectations(name, (20, 120), n_drawn)
    return abs(few - many) / np.hypot(error, other)


@pytest.mark.parametrize("name", daily(UNSIZED, {*METRICS_BY_DAY} & {*UNSIZED}))
def test_a_metric_without_a_correction_has_no_size_bias(name):
    assert size_bias(name) < 4


def test_resamples_without_a_figure_do_not_lower_the_monte_carlo_error():
    truth = np.arange(40) < 2
    scores = np.random.default_rng(0).uniform(size=(1, 40, 4))
    matrix = matrices.of(
        Outcome(Task.BINARY, truth.astype(int), ("no", "yes")), scores, PredictionKind.PROBABILITY
    )
    estimate = METHODS["bbc"].run(matrix, "average-precision", PLAN, select_by="accuracy")
    n_defined = len(estimate.distribution.values)
    assert n_defined < PLAN.n_resamples
    *_, parts = slowly(matrix, "average-precision", "accuracy")
    expected = np.nanstd(parts, ddof=1) / np.sqrt(n_defined)
    assert estimate.error.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_samples", [8, 50])
def test_a_difference_of_few_samples_is_in_doubt_too(n_samples):
    matrix = matrices.regression(n_samples=n_samples)
    found = compare(matrix, metric="r2", baseline=matrix.configurations[0])
    codes = [note.code for one in found.record.comparisons[:1] for note in one.notes]
    assert ("few-left-out" in codes) == (n_samples == 8)
