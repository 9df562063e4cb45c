"""Laws that every metric keeps, by iterating the registry."""

import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from day import swept
from matrices import bound, for_metric, weighing
from numpy.testing import assert_allclose, assert_array_equal

from bbccli.domain.outcome import Outcome
from bbccli.metrics import METRICS
from bbccli.platform.resources import Resources, use
from bbccli.types import Direction, PredictionKind, Task

# Performances are unit-free or of the order of 1 here; differences of sums lose digits near 0.
CLOSE = {"rtol": 1e-12, "atol": 1e-13}
CASES = [(name, task) for name in METRICS for task in Task if task in METRICS[name].tasks]
UNO = "the censoring distribution of Uno's concordance is that of the samples that are bound"


@cache
def made(name, task, weights="unit"):
    """A metric, a matrix that it can score, and the metric's scorer on it."""
    matrix = for_metric(name, task)
    if weights == "weighted":
        matrix = replace(matrix, outcome=weighing(matrix.outcome))
    return METRICS[name], matrix, bound(METRICS[name], matrix)


WEIGHTED = [(*case, weights) for case in CASES for weights in ("unit", "weighted")]


@pytest.fixture(params=CASES, ids="-".join)
def case(request):
    return made(*request.param)


@pytest.fixture(params=WEIGHTED, ids="-".join)
def weighted_case(request):
    return made(*request.param)


def some_weights(matrix, n_rows=9, seed=1):
    weights = np.random.default_rng(seed).integers(0, 4, size=(n_rows, matrix.n_samples))
    return weights.astype(np.uint16)


def everything(matrix):
    return np.ones((1, matrix.n_samples), np.uint8)


def score_rows(metric, matrix, rows):
    """Performances of the given rows, each of weight one."""
    predictions = matrix.as_kind(metric.wants)[0][rows]
    scorer = metric.bind(take(matrix.outcome, rows), predictions)
    return scorer(np.ones((1, len(rows)), np.uint8))[0]


def take(outcome, rows):
    fields = {
        name: None if getattr(outcome, name) is None else getattr(outcome, name)[rows]
        for name in ("values", "event", "weights")
    }
    return replace(outcome, **fields)


@pytest.mark.sweep
def test_integer_weights_repeat_rows(weighted_case):
    metric, matrix, scorer = weighted_case
    if metric.name == "concordance-uno":
        pytest.skip(UNO)
    weights = some_weights(matrix)
    for row, found in zip(weights, scorer(weights), strict=True):
        repeated = np.repeat(np.arange(matrix.n_samples), row)
        np.testing.assert_allclose(found, score_rows(metric, matrix, repeated), **CLOSE)


def test_multiples_of_weights_change_nothing(weighted_case):
    _, matrix, scorer = weighted_case
    weights = some_weights(matrix)
    np.testing.assert_allclose(scorer(3 * weights), scorer(weights), **CLOSE)
    heavy = weights.astype(np.int64) * 2**25
    np.testing.assert_allclose(scorer(heavy), scorer(weights), **CLOSE)


def test_real_weights_weigh_as_sample_weights_do(case):
    metric, matrix, scorer = case
    if metric.name == "concordance-uno":
        pytest.skip(UNO)
    chosen = np.array([3, 1, 3])
    weights = np.random.default_rng(4).gamma(2.0, size=(3, matrix.n_samples)) + 0.01
    unit, found = everything(matrix), scorer(weights)
    for row, values in zip(weights, found, strict=True):
        weighted = metric.bind(
            replace(matrix.outcome, weights=row), matrix.as_kind(metric.wants)[0]
        )
        np.testing.assert_allclose(values, weighted(unit)[0], **CLOSE)
    np.testing.assert_allclose(scorer.paired(weights, chosen), found[np.arange(3), chosen], **CLOSE)


def test_order_of_samples_does_not_matter(weighted_case):
    metric, matrix, _ = weighted_case
    shuffled = np.random.default_rng(2).permutation(matrix.n_samples)
    np.testing.assert_allclose(
        score_rows(metric, matrix, shuffled),
        score_rows(metric, matrix, np.arange(matrix.n_samples)),
        **CLOSE,
    )


def test_columns_are_independent(weighted_case):
    _, matrix, scorer = weighted_case
    weights = some_weights(matrix)
    chosen = np.array([4, 0, 4, 2])
    np.testing.assert_allclose(scorer(weights, chosen), scorer(weights)[:, chosen], **CLOSE)


def test_a_single_configuration_can_be_asked_for_twice(case):
    metric, matrix, _ = case
    single = replace(
        matrix, predictions=matrix.predictions[:, :, :1], configurations=matrix.configurations[:1]
    )
    scorer, weights = bound(metric, single), some_weights(matrix)
    np.testing.assert_allclose(
        scorer(weights, np.array([0, 0])), np.repeat(scorer(weights), 2, axis=1), **CLOSE
    )


def test_each_is_scored_as_a_winner_to_the_last_bit(weighted_case):
    _, matrix, scorer = weighted_case
    weights, chosen = some_weights(matrix), np.array([4, 0, 2])
    found = scorer.each(weights, chosen)
    for c, values in zip(chosen, found.T, strict=True):
        np.testing.assert_array_equal(values, scorer.paired(weights, np.full(len(weights), c)))


@pytest.mark.parametrize("n_samples", [500, 9_000])
def test_each_of_many_samples_is_scored_as_a_winner_to_the_last_bit(n_samples):
    matrix, chosen = for_metric("r2", n_samples=n_samples), np.array([4, 0, 2])
    scorer, weights = bound(METRICS["r2"], matrix), some_weights(matrix, 40)
    for rows in (weights, weights[:1], np.asfortranarray(weights)):
        winners = [scorer.paired(rows, np.full(len(rows), c)) for c in chosen]
        np.testing.assert_array_equal(scorer.each(rows, chosen).T, winners)
    in_rows = scorer.each(weights, chosen)
    np.testing.assert_array_equal(scorer.each(np.asfortranarray(weights), chosen), in_rows)


def test_a_resample_alone_has_the_average_precision_that_it_has_among_many():
    matrix = for_metric("average-precision", n_samples=500)
    scorer, weights = bound(METRICS["average-precision"], matrix), some_weights(matrix, 40)
    np.testing.assert_array_equal(scorer(weights[:1]), scorer(weights)[:1])


def test_each_alone_is_scored_like_a_single_one_to_the_last_bit(weighted_case):
    _, matrix, scorer = weighted_case
    chosen = np.array([4, 0, 2])
    found = scorer.each(everything(matrix), chosen, alone=True)[0]
    alone = [scorer(everything(matrix), one)[0, 0] for one in chosen[:, None]]
    np.testing.assert_array_equal(found, alone)


def test_paired_scores_are_the_diagonal(weighted_case):
    _, matrix, scorer = weighted_case
    weights = some_weights(matrix)
    chosen = np.random.default_rng(3).integers(0, scorer.n_configurations, len(weights))
    np.testing.assert_allclose(
        scorer.paired(weights, chosen), scorer(weights)[np.arange(len(weights)), chosen], **CLOSE
    )


def test_restriction_is_a_weight_of_zero(weighted_case):
    _, matrix, scorer = weighted_case
    weights = some_weights(matrix)
    rows = np.random.default_rng(4).random(matrix.n_samples) < 0.6
    restricted = scorer.restrict(rows)
    np.testing.assert_allclose(restricted(weights[:, rows]), scorer(weights * rows), **CLOSE)
    assert restricted.n_configurations == scorer.n_configurations


def test_rows_of_weights_are_independent(case):
    _, matrix, scorer = case
    weights = some_weights(matrix)
    alone = np.concatenate([scorer(row[None]) for row in weights])
    np.testing.assert_allclose(scorer(weights), alone, **CLOSE)


def test_bounds_are_kept(weighted_case):
    metric, matrix, scorer = weighted_case
    lower, upper = metric.bounds
    values = scorer(some_weights(matrix, 50))
    defined = values[~np.isnan(values)]
    assert len(defined) > values.size / 2
    assert (defined >= lower - 1e-15).all()
    assert (defined <= upper + 1e-15).all()


def test_no_weight_is_undefined(weighted_case):
    _, matrix, scorer = weighted_case
    nothing = np.zeros((2, matrix.n_samples), np.uint8)
    assert np.isnan(scorer(nothing)).all()
    assert np.isnan(scorer.paired(nothing, np.array([0, 1]))).all()


def perfect_and_worst(matrix, metric):
    """Two configurations (N, 2[, K]): the truth, and its opposite; scores at their bounds."""
    wants = metric.wants
    if matrix.task is Task.SURVIVAL:  # at equal times the event was first
        risks = 0.01 * matrix.outcome.event - matrix.outcome.values
        return np.column_stack([risks, -risks])
    if matrix.task is Task.SCORE:
        ends = np.array(matrix.outcome.bounds)[:: -metric.direction.sign]
        return np.tile(ends, (matrix.n_samples, 1))
    truth, n_classes = matrix.outcome.values, len(matrix.outcome.classes)
    if wants is PredictionKind.LABEL:
        return np.column_stack([truth, n_classes - 1 - truth])
    if wants is PredictionKind.VALUE:
        return np.column_stack([truth, truth.max() + truth.min() - truth])
    if matrix.task is Task.BINARY:
        return np.column_stack([truth, 1.0 - truth])
    return np.stack([np.eye(n_classes)[truth], 1 - np.eye(n_classes)[truth]], axis=1)


def test_a_perfect_prediction_reaches_the_best_bound(weighted_case):
    metric, matrix, _ = weighted_case
    both = perfect_and_worst(matrix, metric)
    perfect, worst = metric.bind(matrix.outcome, both)(everything(matrix))[0]
    best = metric.within(matrix.outcome).bounds[metric.direction is Direction.MAXIMIZE]
    assert perfect == pytest.approx(best, abs=1e-15)
    if metric.name != "pearson-squared":
        assert metric.direction.gain(perfect, worst) > 0.1


WORST = {
    Task.BINARY: {
        **dict.fromkeys(["mcc", "kappa", "qwk-classes", "youden", "gini"], -1),
        **dict.fromkeys(["error", "brier"], 1),
        **dict.fromkeys(["log-loss"], 23 * np.log(2)),
        **dict.fromkeys(["average-precision"], 0.5),
    },
    Task.REGRESSION: {"pearson": -1, "spearman": -1, "pearson-squared": 1},
}


@pytest.mark.parametrize(
    ("name", "task"),
    [(n, t) for n, t in CASES if t is Task.BINARY or n in WORST[Task.REGRESSION]],
)
def test_the_opposite_of_the_truth_is_worst(name, task):
    matrix = for_metric(name, task)
    opposite = perfect_and_worst(matrix, METRICS[name])[:, 1:]
    value = METRICS[name].bind(matrix.outcome, opposite)(everything(matrix)).item()
    assert value == pytest.approx(WORST[task].get(name, 0), abs=1e-12)


# Undefined values

POSITIVES = np.array([0, 0, 0, 1, 1, 1])
CLASSES = np.array([0, 0, 1, 1, 2, 2])
VALUES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
EQUAL_ENDS = np.array([1.1, 2.0, 4.0, 8.0, 16.0, 1.1])

# A metric is undefined exactly in these of the situations below, and defined in the others.
UNDEFINED = {
    "auc": {"no positive", "no negative"},
    "gini": {"no positive", "no negative"},
    "average-precision": {"no positive"},
    "balanced-accuracy": {"no positive", "no negative"},
    "youden": {"no positive", "no negative"},
    "mcc": {"no positive", "no negative"},
    "precision": {"none said positive"},
    "npv": {"all said positive"},
    "recall": {"no positive"},
    "specificity": {"no negative"},
    "f1": {"no positive"},
    "f2": {"no positive"},
    "f0.5": {"no positive"},
    "jaccard": {"no positive"},
    "kappa": {"no positive", "no negative"},
    "qwk-classes": {"none positive or said so"},
    # as of several classes: one of the two is missing, or never said
    "auc-ovo": {"no positive", "no negative"},
    "auc-ovr": {"no positive", "no negative"},
    "recall-macro": {"no positive", "no negative"},
    "f1-macro": {"no positive", "no negative"},
    "precision-macro": {"none said positive", "all said positive"},
    "precision-weighted": {"none said positive", "all said positive"},
}
SITUATIONS = {
    # weights, labels
    "usual": ([1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 0]),
    "no positive": ([1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 0]),
    "no negative": ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0]),
    "none said positive": ([1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]),
    "all said positive": ([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]),
    "none positive or said so": ([1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]),
}
IMPLIED = {"none positive or said so": {"no positive", "none said positive"}}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("name", [name for name, task in CASES if task is Task.BINARY])
def test_binary_metrics_are_undefined_exactly_where_said(name, situation):
    weights, said = SITUATIONS[situation]
    outcome = Outcome(Task.BINARY, POSITIVES, ("no", "yes"))
    metric = METRICS[name]
    predictions = np.array(said) if metric.wants is PredictionKind.LABEL else np.array(said, float)
    value = metric.bind(outcome, predictions[:, None])(np.array([weights])).item()
    # a class without weight does not count in a weighted mean
    implied = set() if name == "precision-weighted" else IMPLIED.get(situation, set())
    assert np.isnan(value) == bool(({situation} | implied) & UNDEFINED.get(name, set()))


UNDEFINED_OF_CLASSES = {
    "auc-ovo": {"class missing"},
    "auc-ovr": {"class missing"},
    "balanced-accuracy": {"class missing"},
    "recall-macro": {"class missing"},
    "precision-macro": {"class never said", "class missing and never said"},
    "precision-weighted": {"class never said"},
    "f1-macro": {"class missing"},
}
SITUATIONS_OF_CLASSES = {
    "usual": ([1, 1, 1, 1, 1, 1], [0, 1, 1, 2, 2, 0]),
    "class missing": ([1, 1, 1, 1, 0, 0], [0, 1, 1, 2, 2, 0]),
    "class never said": ([1, 1, 1, 1, 1, 1], [0, 1, 1, 0, 0, 0]),
    "class missing and never said": ([1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 2, 0]),
}


@pytest.mark.parametrize("situation", SITUATIONS_OF_CLASSES)
@pytest.mark.parametrize("name", [name for name, task in CASES if task is Task.MULTICLASS])
def test_multiclass_metrics_are_undefined_exactly_where_said(name, situation):
    weights, said = SITUATIONS_OF_CLASSES[situation]
    outcome = Outcome(Task.MULTICLASS, CLASSES, ("a", "b", "c", "never seen"))
    metric = METRICS[name]
    labels = metric.wants is PredictionKind.LABEL
    predictions = np.array(said) if labels else np.eye(4)[said]
    value = metric.bind(outcome, predictions[:, None])(np.array([weights])).item()
    holds = {situation} | ({"class missing"} if "class missing" in situation else set())
    assert np.isnan(value) == bool(holds & UNDEFINED_OF_CLASSES.get(name, set()))


CONSTANT = {"constant truth", "constant predictions"}
UNDEFINED_OF_VALUES = {
    "r2": {"constant truth"},
    "explained-variance": {"constant truth"},
    "pearson": CONSTANT,
    "pearson-squared": CONSTANT,
    "spearman": CONSTANT,
    "mape": {"truth of zero"},
    "poisson-deviance": {"prediction of zero"},
}
SITUATIONS_OF_VALUES = {
    "usual": ([1, 1, 1, 1, 1, 1], VALUES, VALUES + 1),
    "constant truth": ([3, 0, 0, 0, 0, 2], EQUAL_ENDS, VALUES),
    "constant predictions": ([1, 1, 2, 0, 0, 0], VALUES, np.where(VALUES < 8, 0.1, VALUES)),
    "truth of zero": ([1, 1, 1, 1, 1, 1], VALUES - 1, VALUES),
    "prediction of zero": ([1, 1, 1, 1, 1, 1], VALUES, VALUES - 1),
    "zeros without weight": ([0, 1, 1, 1, 1, 1], VALUES - 1, (VALUES - 1) ** 2),
}


@pytest.mark.parametrize("situation", SITUATIONS_OF_VALUES)
@pytest.mark.parametrize("name", [name for name, task in CASES if task is Task.REGRESSION])
def test_regression_metrics_are_undefined_exactly_where_said(name, situation):
    weights, truth, predictions = SITUATIONS_OF_VALUES[situation]
    scorer = METRICS[name].bind(Outcome(Task.REGRESSION, truth), predictions[:, None])
    expected = situation in UNDEFINED_OF_VALUES.get(name, set())
    assert np.isnan(scorer(np.array([weights])).item()) == expected
    assert np.isnan(scorer.paired(np.array([weights]), np.array([0])).item()) == expected


def test_what_a_metric_says_of_itself():
    assert all(name == metric.name for name, metric in METRICS.items())
    for metric in METRICS.values():
        assert metric.bounds[0] < metric.bounds[1]
        for words in (metric.label, metric.summary, metric.undefined, metric.reference):
            assert words
            assert words == words.strip()
        assert not metric.summary.endswith(".")
    labels = [metric.label for metric in METRICS.values()]
    assert len(set(labels)) == len(labels)


# The order of scores


@pytest.mark.parametrize("name", ["auc", "gini", "average-precision"])
def test_monotone_transforms_leave_rankings_alone(name):
    matrix = for_metric(name)
    bind, raw = METRICS[name].bind, matrix.predictions[0]
    np.testing.assert_array_equal(
        bind(matrix.outcome, raw)(everything(matrix)),
        bind(matrix.outcome, np.exp(3 * raw))(everything(matrix)),
    )


def test_monotone_transforms_leave_spearman_alone():
    matrix = for_metric("spearman")
    bind, raw = METRICS["spearman"].bind, matrix.predictions[0]
    weights = some_weights(matrix)
    squared = replace(matrix.outcome, values=matrix.outcome.values**2)
    np.testing.assert_array_equal(
        bind(matrix.outcome, raw)(weights), bind(squared, np.exp(raw))(weights)
    )


def test_ranks_of_light_samples_are_those_of_heavy_ones():
    matrix, rng = for_metric("spearman"), np.random.default_rng(0)
    weights = some_weights(matrix)
    values = rng.normal(size=matrix.n_samples)
    untied = rng.normal(size=(matrix.n_samples, 2))
    predictions = np.hstack([untied, matrix.predictions[0][:, :2]])
    scorer = METRICS["spearman"].bind(replace(matrix.outcome, values=values), predictions)
    np.testing.assert_allclose(scorer(weights / 2**12), scorer(weights), **CLOSE)


@pytest.mark.parametrize("factor", [60, 1700, 60_000])
def test_auc_counts_are_exact_at_the_borders_of_the_lane_types(factor):
    """Twice the weight of the pairs is below 2**24, below 2**32, and far beyond."""
    matrix = for_metric("auc")
    scorer = METRICS["auc"].bind(matrix.outcome, matrix.predictions[0])
    light = np.ones((1, matrix.n_samples), np.uint64)
    np.testing.assert_array_equal(scorer(light * np.uint64(factor)), scorer(light))


@pytest.mark.parametrize("light", [1, 2])
def test_counts_of_heavy_samples_are_exact(light):
    """One more than 2**24 is more than float32 can count."""
    outcome = Outcome(Task.BINARY, np.array([1] * light + [0]), ("no", "yes"))
    heavy = np.ones((1, light + 1), np.int64)
    heavy[0, 0] = 2**24
    for name in ("accuracy", "precision"):
        scorer = METRICS[name].bind(outcome, np.ones((light + 1, 1), np.int64))
        right = (2**24 + light - 1) / (2**24 + light)
        assert scorer(heavy).item() == right
        assert scorer.paired(heavy, np.array([0])).item() == right


def test_digits_survive_a_large_offset():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60)
    predictions = truth[:, None] + rng.normal(size=(60, 1))
    weights = rng.integers(0, 4, (5, 60))
    for name in ("r2", "explained-variance", "pearson", "pearson-squared"):
        near, far = (
            METRICS[name].bind(Outcome(Task.REGRESSION, truth + s), predictions + s)(weights)
            for s in (0, 1e6)
        )
        np.testing.assert_allclose(far, near, rtol=1e-9)


@pytest.mark.parametrize("n_rows", [1, swept(40)])
@pytest.mark.parametrize("n_samples", [3, swept(17), swept(100)])
def test_equal_predictions_have_no_rank_correlation_under_any_weights(n_samples, n_rows):
    rng = np.random.default_rng(n_samples)
    sample_weights = rng.exponential(size=n_samples) + 0.01
    outcome = Outcome(Task.REGRESSION, rng.normal(size=n_samples), weights=sample_weights)
    predictions = np.column_stack([np.zeros(n_samples), rng.normal(size=n_samples)])
    weights = rng.poisson(1, (n_rows, n_samples)) + 1
    found = METRICS["spearman"].bind(outcome, predictions)(weights)
    assert np.isnan(found[:, 0]).all()
    assert not np.isnan(found[:, 1]).any()
    alone = np.eye(n_samples, dtype=int)
    assert np.isnan(METRICS["spearman"].bind(outcome, predictions)(alone)).all()


BY_CLASS = sorted(name for name, metric in METRICS.items() if metric.by_class)


@pytest.mark.parametrize("name", BY_CLASS)
def test_many_classes_are_scored_as_few_are(name, monkeypatch):
    """Also under weights, in folds that lack a class, and whatever the memory."""
    rng = np.random.default_rng(8)
    truth, predicted = np.arange(60) % 4, rng.integers(0, 5, (60, 3))
    predicted[:, 0] = np.where(rng.random(60) < 0.7, truth, predicted[:, 0])
    weights = rng.integers(0, 4, (70, 60))
    inside = truth != 2
    for given in (None, rng.random(60)):
        outcome = Outcome(Task.MULTICLASS, truth, tuple("abcde"), weights=given)
        few = METRICS[name].bind(outcome, predicted)
        with monkeypatch.context() as patched:
            patched.setattr("bbccli.metrics.confusion.MANY_CLASSES", 1)
            many = METRICS[name].bind(outcome, predicted)
        assert type(many.parts[0]).__name__ == "ByClass"
        expected = few(weights)
        assert np.isfinite(expected).any()
        with use(Resources(jobs=4096, memory=16 * 10**6)):
            assert_allclose(many(weights), expected, rtol=1e-12)
        assert_array_equal(many(weights), np.vstack([many(row[None]) for row in weights]))
        chosen = np.array([2, 0])
        assert_array_equal(many(weights, chosen), many(weights)[:, chosen])
        own = rng.integers(0, 3, 70)
        assert_array_equal(many.paired(weights, own), many(weights)[np.arange(70), own])
        for scorer in (few, many):
            assert_allclose(
                scorer.restrict(inside)(weights[:, inside]), few(weights * inside), rtol=1e-12
            )


@pytest.mark.parametrize("name", ["mcc", pytest.param("f1-weighted", marks=pytest.mark.sweep)])
def test_many_classes_take_no_more_memory(name):
    """Arrays (N, C, K) of a byte each would take 24 MB, and so would all weights as floats."""
    n_samples, n_classes = 3000, 2000
    truth = np.arange(n_samples) % n_classes
    outcome = Outcome(Task.MULTICLASS, truth, tuple(map(str, range(n_classes))))
    predicted = np.column_stack([truth, truth[::-1], np.roll(truth, 1), truth])
    weights = np.ones((1000, n_samples), np.uint8)
    with use(Resources(jobs=1, memory=16 * 10**6)):
        tracemalloc.start()
        values = METRICS[name].bind(outcome, predicted)(weights)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert values[0, 0] == 1
    assert peak < 16 * 10**6
