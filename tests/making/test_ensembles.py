"""Ensembles made in every bag: against slow loops, and the laws that they keep."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from making import loops
from matrices import binary, multiclass, regression

from bbccli import METHODS, METRICS, Plan, correct
from bbccli.errors import OptionError, UnsupportedError
from bbccli.metrics.capped import with_plan
from bbccli.platform import resources
from bbccli.stats.case import maker_of
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind, Select

CASES = [
    (binary, "log-loss"),
    (binary, "auc"),
    (binary, "f1"),
    (multiclass, "log-loss"),
    (multiclass, "brier"),
    (regression, "rmse"),
    (regression, "mae"),
]


def shares_of(matrix, name, rule, weights, **options):
    plan = Plan(select=rule, **options)
    return maker_of(matrix, with_plan(METRICS[name], plan), plan).combine(weights)


def bags(matrix, n=6):
    everything = np.ones((1, matrix.n_samples), np.uint16)
    return np.vstack([everything, draws_of(matrix.n_samples, None, 3).batch(0, 1).in_bag[:n]])


@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize(
    ("make", "name"), daily(CASES, [(binary, "log-loss"), (multiclass, "brier")], unpack=True)
)
def test_the_slow_loop_makes_the_same_mean(make, name, n_repeats):
    matrix = make(n_repeats=n_repeats)
    expected = [loops.mean(matrix, name, w, 3) for w in bags(matrix)]
    np.testing.assert_allclose(
        shares_of(matrix, name, "mean:3", bags(matrix)), expected, atol=1e-10
    )


@pytest.mark.parametrize(
    ("selector", "name", "groups"),
    [
        *((name, name, None) for name in ("log-loss", "auc")),
        *(("log-loss", other, None) for other in ("accuracy", "auc")),  # of the same ensembles
        ("log-loss", "log-loss", np.repeat(np.arange(15), 4)),  # out of the bag as a whole
    ],
)
def test_what_is_made_is_scored_out_of_the_bag(selector, name, groups):
    matrix = replace(binary(n_samples=60), groups=groups)
    plan, expected = Plan(select="greedy:3", n_resamples=15), []
    found = METHODS["bbc"].run(matrix, name, plan, select_by=selector)
    for w in draws_of(60, groups, 0).batch(0, 1).in_bag[:15]:
        made = matrix.predictions @ loops.greedy(matrix, selector, w, 3)
        expected.append(loops.figure(matrix, name, (w == 0).astype(int), made))
    np.testing.assert_allclose(found.distribution.values, expected, atol=1e-10)
    assert found.value == pytest.approx(np.mean(expected), abs=1e-10)


@pytest.mark.parametrize("pooling", ["pooled", "fold-mean"])
@pytest.mark.parametrize(
    ("make", "name"),
    daily(
        [*CASES, (binary, "mcc"), (multiclass, "accuracy"), (regression, "r2")],
        [(binary, "log-loss"), (multiclass, "accuracy"), (regression, "r2")],
        unpack=True,
    ),
)
def test_a_mean_of_one_is_bbc_to_the_last_bit(make, name, pooling):
    if pooling == "fold-mean" and name == "r2":
        pytest.skip("undefined in folds of a few samples")
    matrix = make(n_samples=60, n_repeats=2)
    weights = np.arange(60) % 3 + 0.5
    matrix = replace(matrix, outcome=replace(matrix.outcome, weights=weights))
    plan = Plan(n_resamples=100, pooling=pooling, size_correction=False)
    found, expected = (
        METHODS["bbc"].run(matrix, name, replace(plan, select=select))
        for select in ("mean:1", "best")
    )
    assert found.value == expected.value
    assert found.interval == expected.interval
    np.testing.assert_array_equal(found.distribution.values, expected.distribution.values)


def test_members_are_told_with_their_weights():
    matrix = binary(n_samples=60)
    made = METHODS["bbc"].run(matrix, "log-loss", Plan(select="greedy:5", n_resamples=50)).made
    expected = loops.greedy(matrix, "log-loss", np.ones(60, int), 5)
    told = {one.configuration: one.weight for one in made.members}
    assert {name: told.get(name, 0.0) for name in matrix.configurations} == pytest.approx(
        dict(zip(matrix.configurations, expected, strict=True))
    )
    shares = shares_of(
        matrix, "log-loss", "greedy:5", draws_of(60, None, 0).batch(0, 1).in_bag[:50]
    )
    for one in made.members:
        of_one = shares[:, matrix.configurations.index(one.configuration)]
        assert one.share == pytest.approx((of_one > 0).mean())
        assert one.mean == pytest.approx(of_one.mean())
    assert made.mean_members == pytest.approx((shares > 0).sum(axis=1).mean())


@pytest.mark.parametrize("name", ["log-loss", "rmse"])
def test_the_gain_is_of_the_same_resamples(name):
    matrix = (regression if name == "rmse" else binary)(n_samples=60)
    found = correct(matrix, metric=name, select="greedy:3", n_resamples=80)
    (gain,), (single,) = found.record.gains, found.record.single
    assert single.winner in matrix.configurations
    assert gain.looked == pytest.approx(single.naive - found.naive)
    assert gain.value == pytest.approx(single.value - found.value)
    assert single.value == METHODS["bbc"].run(matrix, name, Plan(n_resamples=80)).value
    assert gain.interval.lower <= gain.value <= gain.interval.upper
    lead = [
        METHODS["bbc"].run(matrix, name, Plan(select=s, n_resamples=80)).distribution.values
        for s in ("best", "greedy:3")
    ]
    assert gain.wins == pytest.approx((lead[0] > lead[1]).mean())


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("greedy:0", "greedy:0.: the number is not in 1 to"),
        swept("greedy:x", "not a number"),
        swept("greedy:", "not a number"),
        swept("mean", "number"),
        swept("best:3", "takes no number"),
        swept("greedy:2:3", "not a number"),
        swept("greedy:-1", "not a number"),
        ("gredy", "select"),
    ],
)
def test_a_rule_that_is_none_is_refused(rule, word):
    with pytest.raises(OptionError, match=word):
        Plan(select=rule)


def test_greedy_alone_is_of_25_rounds():
    assert Plan(select="greedy") == Plan(select=Select.GREEDY, members=25)


@pytest.mark.parametrize(
    ("kind", "name"), [(PredictionKind.LABEL, "accuracy"), (PredictionKind.SCORE, "auc")]
)
def test_what_has_no_mean_is_refused(kind, name):
    with pytest.raises(UnsupportedError, match="mean"):
        METHODS["bbc"].run(binary(kind=kind), name, Plan(select="mean:2"))


@pytest.mark.parametrize("method", ["tt", swept("bbc-f"), swept("bbc-632"), swept("tilting")])
def test_methods_that_repeat_no_ensemble_refuse_it(method):
    with pytest.raises(UnsupportedError, match="can't repeat"):
        METHODS[method].run(binary(), "accuracy", Plan(select="mean:2"))


def test_only_complete_configurations_are_members():
    matrix = binary(n_samples=60)
    available = np.ones(matrix.predictions.shape, bool)
    available[0, 3, 6] = False  # the best lacks a prediction
    plan = Plan(select="greedy:4", n_resamples=20)
    made = METHODS["bbc"].run(replace(matrix, available=available), "log-loss", plan).made
    assert matrix.configurations[6] not in {one.configuration for one in made.members}
    rest = matrix.of_configurations(np.arange(6))
    assert made == METHODS["bbc"].run(rest, "log-loss", plan).made


def test_a_second_metric_is_the_same_in_any_number_of_batches():
    """Each batch of resamples is scored with the members of its own."""
    plan, found = Plan(select="greedy:3", n_resamples=200), []
    for jobs in (1, 2):
        with resources.use(replace(resources.current(), jobs=jobs)):
            one = METHODS["bbc"].run(binary(), "accuracy", plan, select_by="log-loss")
            found.append(one.distribution.values)
    np.testing.assert_array_equal(*found)
