"""What the guard does to methods: few samples of a class, perfect winners, folds."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from documents import codes
from matrices import binary, by_hand, of, regression
from scipy.special import erfcinv
from scipy.stats import beta

from bbccli import METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.errors import UnsupportedError
from bbccli.methods import METHODS, Gives, Need, estimate
from bbccli.types import IntervalKind, Pooling, PredictionKind, Side, Task

LOWER = Plan(side=Side.LOWER, n_resamples=200)


def all_right(n_positive, n_negative, n_configurations=2):
    """Configurations that make no mistake."""
    truth = np.repeat([1, 0], [n_positive, n_negative])
    predictions = np.repeat(truth[None, :, None] * 1.0, n_configurations, axis=2)
    return of(Outcome(Task.BINARY, truth, ("n", "p")), predictions, PredictionKind.PROBABILITY)


def run(matrix, method, metric, plan):
    ((found,), _) = estimate(matrix, [METRICS[metric]], plan, [method])
    return found


def test_ten_positives_of_500_tell_of_the_recall_what_ten_samples_tell():
    """Counted as 500 samples the bound was 0.996."""
    found = run(all_right(10, 490), "bbc", "recall", LOWER)
    assert found.interval.lower == pytest.approx(beta(10.5, 0.5).ppf(0.05), abs=2e-3)
    assert found.interval.lower == pytest.approx(0.829, abs=2e-3)
    every = run(all_right(10, 490), "bbc", "accuracy", LOWER)
    assert every.interval.lower == pytest.approx(beta(500.5, 0.5).ppf(0.05), abs=2e-3)


@pytest.mark.parametrize("metric", ["auc", "accuracy", "error", "brier", "recall", "mcc"])
@pytest.mark.parametrize(
    "method", ["bbc", swept("bbc-f"), "bbc-632", swept("naive"), swept("naive-f")]
)
@pytest.mark.parametrize("kind", daily(IntervalKind, [IntervalKind.PERCENTILE, IntervalKind.SHARP]))
def test_a_guarded_interval_has_a_width(method, metric, kind):
    found = run(all_right(20, 20), method, metric, Plan(n_resamples=100, interval=kind))
    assert found.interval.lower < found.interval.upper
    assert "collapsed-interval" not in codes(found)


class TestCollapsed:
    @pytest.mark.parametrize(
        ("data", "metric", "side"),
        [
            # only the end on the worse side says that nothing can be worse
            *[(by_hand(), metric, side) for metric in ("accuracy", "error") for side in Side],
            # the side that was not estimated
            (all_right(20, 20), "accuracy", Side.UPPER),
            (all_right(20, 20), "error", Side.LOWER),
        ],
    )
    def test_other_ends_at_the_best_value_are_not(self, data, metric, side):
        found = run(data, "bbc", metric, Plan(n_resamples=100, guard=False, side=side))
        assert "collapsed-interval" not in codes(found)

    @pytest.mark.parametrize("method", ["wald", "t-folds"])
    def test_methods_that_cannot_be_guarded_point_to_one_that_is(self, method):
        found = run(all_right(20, 20), method, "accuracy", Plan())
        (note,) = [note for note in found.notes if note.code == "collapsed-interval"]
        assert note.remedy == "use bbc, whose interval is guarded"

    def test_a_metric_without_a_worst_value_says_why(self):
        data = regression()
        exact = np.repeat(data.outcome.values[None, :, None], 6, axis=2)
        found = run(replace(data, predictions=exact), "bbc", "rmse", Plan(n_resamples=50))
        assert {*codes(found)} >= {"collapsed-interval", "guard-without-bound"}

    def test_an_ordinary_run_is_silent(self):
        for data, metric in ((regression(), "rmse"), (binary(), "auc")):
            found = run(data, "bbc", metric, Plan(n_resamples=100))
            assert not {*codes(found)} & {"collapsed-interval", "guard-without-bound"}


class TestBrier:
    """Of two classes 1 is the worst that can be, of more it is 2."""

    def test_the_bounds(self):
        of_two, of_three = (Outcome(t, np.arange(6) % 2, tuple("abc")[:k]) for t, k in (
            (Task.BINARY, 2), (Task.MULTICLASS, 3)
        ))  # fmt: skip
        assert METRICS["brier"].within(of_two).bounds == (0.0, 1.0)
        assert METRICS["brier"].within(of_three).bounds == (0.0, 2.0)

    def test_the_guard_pulls_towards_1(self):
        found = run(all_right(20, 20), "bbc", "brier", replace(LOWER, side=Side.UPPER))
        assert found.interval.upper == pytest.approx(beta(0.5, 40.5).ppf(0.95), abs=1e-3)


class TestFoldMeans:
    MEANS = Plan(n_resamples=100, pooling=Pooling.FOLD_MEAN)

    @pytest.mark.parametrize("method", ["bbc", "bbc-632", "bbcd"])
    def test_their_spread_is_not_matched(self, method):
        plan = replace(self.MEANS, interval=IntervalKind.MATCHED)
        with pytest.raises(UnsupportedError, match="don't go with means over folds") as caught:
            METHODS[method].run(binary(), METRICS["auc"], plan)
        assert "--pooling within-folds" in caught.value.hint

    def test_that_of_folds_drawn_is(self):
        plan = replace(self.MEANS, interval=IntervalKind.MATCHED)
        assert "matched-interval" in codes(METHODS["bbc-f"].run(binary(), METRICS["auc"], plan))


GUARDED = [
    method.name
    for method in METHODS.values()
    if Gives.DISTRIBUTION in method.gives
    and not method.needs & {Need.NESTED, Need.SIZES, Need.VAULT}
]


@pytest.mark.parametrize("name", GUARDED)
def test_the_guard_reaches_every_method_that_resamples(name):
    data = binary(n_repeats=2 if Need.REPEATS in METHODS[name].needs else 1)
    on, off = (
        METHODS[name].run(data, METRICS["auc"], Plan(n_resamples=100, guard=guard)).interval
        for guard in (True, False)
    )
    if on is not None:
        assert on.lower < off.lower


def test_resamples_are_drawn_until_the_guarded_ends_are_known():
    """Shares of 100 samples stand still for long; between two of them the guarded ends move."""
    plan = Plan(n_resamples=20_000, tolerance=0.003)
    on, off = (
        METHODS["naive"].run(binary(100), METRICS["accuracy"], replace(plan, guard=guard))
        for guard in (True, False)
    )
    assert on.error.largest() <= 0.003
    assert on.n_resamples > off.n_resamples
    assert "tolerance-not-reached" not in codes(on)


def weighing(matrix, weights):
    return replace(matrix, outcome=replace(matrix.outcome, weights=weights))


ONE_OF_1000 = np.where(np.arange(60) == 7, 1000.0, 1.0)


@pytest.mark.parametrize(
    ("method", "interval"), [("bbc", "percentile"), ("naive", "t"), ("bbc-f", "percentile")]
)
def test_one_sample_of_weight_1000_among_60_tells_what_one_sample_tells(method, interval):
    """Counted as 60 samples the bound was 0.969."""
    matrix = weighing(all_right(30, 30), ONE_OF_1000)
    plan = replace(LOWER, interval=IntervalKind(interval))
    u = erfcinv(0.05) ** 2
    n_effective = ONE_OF_1000.sum() ** 2 / (ONE_OF_1000**2).sum()
    found = run(matrix, method, "accuracy", plan)
    assert found.interval.lower == pytest.approx(np.exp(-u / (n_effective + 0.25)), abs=1e-6)
    assert found.interval.lower < 0.3


def test_of_a_class_its_own_weights_count():
    weights = np.where(np.arange(60) < 30, np.where(np.arange(60) == 7, 1000.0, 1.0), 5.0)
    heavy, even = (
        run(weighing(all_right(30, 30), w), "bbc", "recall", LOWER).interval.lower
        for w in (weights, np.where(np.arange(60) < 30, 1.0, 1000.0))
    )
    assert heavy < 0.3
    assert even == run(all_right(30, 30), "bbc", "recall", LOWER).interval.lower


# Intervals without width


def constant():
    """Two classes of equal size in every fold; both configurations always say `yes`."""
    matrix = binary(n_samples=40, n_configurations=2, kind=PredictionKind.LABEL)
    return replace(matrix, predictions=np.ones_like(matrix.predictions))


@pytest.mark.parametrize("case", ["constant", "perfect", "one error"])
def test_every_interval_without_width_is_noted_once(case):
    if case == "one error":
        matrix, metric = regression(n_repeats=2), METRICS["rmse"]
        # all errors are 1: no resample differs
        shifted = matrix.outcome.values[:, None] + np.ones(matrix.predictions.shape)
        matrix = replace(matrix, predictions=shifted)
    else:
        matrix, metric = constant(), METRICS["accuracy"]
        if case == "perfect":
            right = matrix.outcome.values[None, :, None] * np.ones(matrix.predictions.shape)
            matrix = replace(matrix, predictions=right)
        matrix = replace(
            matrix,
            predictions=np.concatenate([matrix.predictions] * 2),
            folds=np.concatenate([matrix.folds] * 2),
        )
    plan = Plan(n_resamples=60, guard=False)
    estimates, _ = estimate(matrix, [metric], plan, ["all", "bbc"])
    n_flat = 0
    for found in estimates:
        if found.interval is None:
            continue
        told = [code for code in codes(found) if code in ("no-variance", "collapsed-interval")]
        flat = found.interval.lower == found.interval.upper
        assert bool(told) >= flat
        assert told.count("no-variance") <= 1
        n_flat += flat
    assert n_flat
