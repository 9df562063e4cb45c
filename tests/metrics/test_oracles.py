"""Metrics against R (frozen answers), and scikit-learn and scipy (in this process)."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sklearn.metrics as sk
from day import METRICS_BY_DAY, daily, swept
from matrices import bound, for_metric, multiclass, regression, weighing
from oracle_data import METRIC_OF, METRIC_OF_VALUES, QUESTIONS, VALUES, answers, matrix
from scipy.stats import spearmanr

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.platform.resources import Engine, Resources, use
from bbccli.stats.selection.candidates import candidates, fold_performances
from bbccli.types import Pooling, PredictionKind, Task

PREFIX = {"auc": "auc", "acc": "acc_gt"}
OF_R = [*QUESTIONS, *((VALUES, question) for question in METRIC_OF_VALUES)]


def everything(data):
    return np.ones((1, data.n_samples), np.uint8)


def of_r(name, question):
    """R's figures of all samples, means over folds, and by configuration and fold."""
    told = answers(name, "metrics")
    if name == VALUES:
        parts = [told["metrics"][question][key] for key in ("pooled", "fold_avg", "per_fold")]
    else:
        keys = [f"{PREFIX[question]}_{key}" for key in ("pooled", "fold_avg", "per_fold")]
        parts = [{c: told[key][c] for c in sorted(told[key])} for key in keys]
    return [np.array([*one.values()], float) for one in parts]


@pytest.mark.parametrize(("name", "question"), OF_R)
def test_performances_are_those_of_r(name, question):
    data, metric = matrix(name, question), (METRIC_OF | METRIC_OF_VALUES)[question]
    pooled, fold_mean = (
        candidates(data, metric, pooling).score(everything(data))[0]
        for pooling in (Pooling.POOLED, Pooling.FOLD_MEAN)
    )
    (by_fold,) = fold_performances(data, metric)
    for ours, theirs in zip((pooled, fold_mean, by_fold.T), of_r(name, question), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


# scikit-learn: called as oracle(truth, predictions, sample_weight=weights), NaN where undefined


def correlation(truth, predictions, sample_weight):
    covariance = np.cov(truth, predictions, aweights=sample_weight, ddof=0)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


def mid_ranks(values, weights):
    return np.array([weights[values < v].sum() + weights[values == v].sum() / 2 for v in values])


def rank_correlation(truth, predictions, sample_weight):
    whole = sample_weight.astype(int)
    if (whole == sample_weight).all():
        return spearmanr(np.repeat(truth, whole), np.repeat(predictions, whole)).statistic
    ranks = [mid_ranks(values, sample_weight) for values in (truth, predictions)]
    return correlation(*ranks, sample_weight)


def gini(truth, scores, sample_weight):
    return 2 * sk.roc_auc_score(truth, scores, sample_weight=sample_weight) - 1


def one_versus_one(truth, chances, sample_weight):
    """scikit-learn has it without weights: the mean of its binary AUC over ordered pairs."""
    classes = range(chances.shape[1])
    return np.mean(
        [
            sk.roc_auc_score(truth[rows] == i, chances[rows, i], sample_weight=sample_weight[rows])
            for i in classes
            for j in classes
            if i != j
            for rows in [np.isin(truth, [i, j])]
        ]
    )


def averaged(score, **options):
    return partial(score, zero_division=np.nan, **options)


AVERAGES = {
    f"{kind}-{average}": averaged(score, average=average)
    for kind, score in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
    )
    for average in ("macro", "micro", "weighted")
}
BINARY = {
    "accuracy": sk.accuracy_score,
    "error": sk.zero_one_loss,
    "balanced-accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "qwk-classes": partial(sk.cohen_kappa_score, weights="quadratic"),
    "precision": averaged(sk.precision_score),
    "recall": averaged(sk.recall_score),
    "specificity": averaged(sk.recall_score, pos_label=0),
    "npv": averaged(sk.precision_score, pos_label=0),
    "f1": averaged(sk.f1_score),
    "f2": averaged(sk.fbeta_score, beta=2),
    "f0.5": averaged(sk.fbeta_score, beta=0.5),
    "jaccard": sk.jaccard_score,
    "youden": partial(sk.balanced_accuracy_score, adjusted=True),
    "auc": sk.roc_auc_score,
    "gini": gini,
    "average-precision": sk.average_precision_score,
    "log-loss": sk.log_loss,
    "brier": sk.brier_score_loss,
    "auc-ovr": partial(sk.roc_auc_score, multi_class="ovr"),
    "auc-ovo": partial(sk.roc_auc_score, multi_class="ovo"),
    **AVERAGES,
}
MULTICLASS = {
    **{name: BINARY[name] for name in ("accuracy", "error", "balanced-accuracy", "mcc", "kappa")},
    **AVERAGES,
    "mae-rank": sk.mean_absolute_error,
    "qwk-classes": partial(sk.cohen_kappa_score, weights="quadratic"),
    "auc-ovr": partial(sk.roc_auc_score, multi_class="ovr"),
    "auc-ovo": one_versus_one,
    "log-loss": sk.log_loss,
    "brier": partial(sk.brier_score_loss, labels=[0, 1, 2]),
}


def median_error(truth, predicted, sample_weight):
    """Whole weights as repetitions: scikit-learn before 1.8 takes the lower of two middle ones."""
    whole = sample_weight.astype(int)
    if (whole == sample_weight).all():
        return sk.median_absolute_error(np.repeat(truth, whole), np.repeat(predicted, whole))
    return sk.median_absolute_error(truth, predicted, sample_weight=sample_weight)


quadratic_kappa = partial(sk.cohen_kappa_score, weights="quadratic")


def rounded_kappa(truth, predicted, sample_weight):
    """scikit-learn numbers the ratings that occur, so all between the ends are named."""
    truth = np.rint(truth).astype(int)
    predicted = np.rint(predicted).astype(int)
    both = np.concatenate([truth, predicted])
    ratings = range(both.min(), both.max() + 1)
    return quadratic_kappa(truth, predicted, labels=ratings, sample_weight=sample_weight)


REGRESSION = {
    "rmse": sk.root_mean_squared_error,
    "mse": sk.mean_squared_error,
    "mae": sk.mean_absolute_error,
    "medae": median_error,
    "mape": sk.mean_absolute_percentage_error,
    "poisson-deviance": sk.mean_poisson_deviance,
    "r2": sk.r2_score,
    "explained-variance": sk.explained_variance_score,
    "pearson": correlation,
    "pearson-squared": lambda *args, **kwargs: correlation(*args, **kwargs) ** 2,
    "spearman": rank_correlation,
    "qwk": rounded_kappa,
}


def mean(_, scores, *, sample_weight):
    return np.average(scores, weights=sample_weight)


SCORES = {"mean-score": mean, "mean-loss": mean}

ORACLES = {
    (name, task): oracle
    for task, oracles in (
        (Task.BINARY, BINARY),
        (Task.MULTICLASS, MULTICLASS),
        (Task.REGRESSION, REGRESSION),
        (Task.SCORE, SCORES),
    )
    for name, oracle in oracles.items()
}
BY_DAY = [case for case in ORACLES if case[0] in METRICS_BY_DAY]


def test_every_metric_has_an_oracle():
    tasks = {(n, t) for n, m in METRICS.items() for t in m.tasks if t is not Task.SURVIVAL}
    assert tasks == set(ORACLES)


def against(oracle, metric, data, weights, sample_weights=1.0):
    """Compare each row of weights and each configuration with an oracle."""
    predictions = data.as_kind(metric.wants)[0]
    ours = bound(metric, data)(weights)
    assert np.isnan(ours).mean() < 0.2
    for row, found in zip(weights, ours, strict=True):
        for c in np.flatnonzero(~np.isnan(found)):
            kept = row > 0
            expected = oracle(
                data.outcome.values[kept],
                predictions[kept, c],
                sample_weight=(row * sample_weights)[kept],
            )
            assert found[c] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(("name", "task"), ORACLES)
def test_unit_weights(name, task):
    data = for_metric(name, task)
    against(ORACLES[name, task], METRICS[name], data, everything(data))


@pytest.mark.parametrize(("name", "task"), daily(ORACLES, BY_DAY, unpack=True))
def test_integer_weights(name, task):
    data = for_metric(name, task)
    weights = np.random.default_rng(0).integers(0, 5, (2, data.n_samples)).astype(np.uint16)
    against(ORACLES[name, task], METRICS[name], data, weights)


@pytest.mark.parametrize(("name", "task"), daily(ORACLES, BY_DAY, unpack=True))
def test_sample_weights(name, task):
    data = for_metric(name, task)
    data = replace(data, outcome=weighing(data.outcome))
    weights = np.random.default_rng(1).integers(0, 5, (2, data.n_samples)).astype(np.uint16)
    against(ORACLES[name, task], METRICS[name], data, weights, data.outcome.weights)


@pytest.mark.parametrize("kind", [PredictionKind.LABEL, PredictionKind.SCORE])
def test_other_kinds_of_predictions(kind):
    data = for_metric("accuracy", Task.BINARY, kind=kind)
    if kind is PredictionKind.SCORE:
        data = data.with_threshold(0.0)
    against(sk.accuracy_score, METRICS["accuracy"], data, everything(data))
    data = for_metric("accuracy", Task.MULTICLASS, kind=kind)
    against(sk.accuracy_score, METRICS["accuracy"], data, everything(data))


@pytest.mark.parametrize("name", SCORES)
def test_scores_that_are_a_yes_or_no(name):
    data = for_metric(name)
    said = (data.predictions > np.median(data.predictions)).astype(float)
    outcome = replace(data.outcome, bounds=(0.0, 1.0))
    data = replace(data, outcome=outcome, predictions=said)
    against(SCORES[name], METRICS[name], data, everything(data))


def test_the_median_error_of_repeated_rows_is_numpys_to_the_last_bit():
    data = for_metric("medae", n_samples=23)
    errors = np.abs(data.outcome.values[:, None] - data.predictions[0])
    weights = np.random.default_rng(3).integers(0, 4, (200, data.n_samples))
    ours = bound(METRICS["medae"], data)(weights)
    expected = [np.median(np.repeat(errors, row, axis=0), axis=0) for row in weights]
    np.testing.assert_array_equal(ours, expected)


def test_constant_predictions_are_worth_what_scikit_learn_says():
    truth, said = np.array([0, 0, 1, 1, 1]), np.ones(5, int)
    for name in ("mcc", "kappa"):
        outcome = replace(for_metric(name, Task.BINARY).outcome, values=truth)
        ours = METRICS[name].bind(outcome, said[:, None])(np.ones((1, 5), int)).item()
        assert ours == BINARY[name](truth, said) == 0


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if Task.REGRESSION in m.tasks])
def test_a_distance_is_not_maximised(name):
    matrix = regression(n_configurations=3, seed=4)
    truth = matrix.outcome.values
    far = np.roll(truth, 7) + 3
    predictions = np.stack([far, truth * 1.01 + 0.01, far + 1], axis=1)[None]
    winner = METHODS["bbc"].run(replace(matrix, predictions=predictions), METRICS[name], Plan(20))
    assert winner.winner == "c1"


def test_scores_closer_than_float32_are_no_ties():
    truth = np.array([0, 0, 0, 1, 1, 1])
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    scores = (0.5 + 1e-9 * np.arange(6))[:, None]
    assert len(np.unique(scores.astype(np.float32))) == 1
    for name in ("auc", "average-precision", "gini"):
        assert METRICS[name].bind(outcome, scores)(np.ones((1, 6), int)).item() == 1.0


def test_one_versus_one_survives_a_subset_without_a_class():
    matrix = multiclass()
    rows = matrix.outcome.values != 1
    weights = np.ones((1, int(rows.sum())), int)
    scorer = bound(METRICS["auc-ovo"], matrix)
    assert np.isnan(scorer.restrict(rows)(weights)).all()  # not another class's column
    alone = Outcome(Task.MULTICLASS, matrix.outcome.values[rows], matrix.outcome.classes)
    ours = METRICS["auc-ovo"].bind(alone, matrix.predictions[0][rows])(weights)[0]
    by_pair = [
        METRICS["auc"].bind(
            Outcome(Task.BINARY, (alone.values == k).astype(int), ("rest", "class")),
            matrix.predictions[0][rows][:, :, k],
        )(weights)[0]
        for k in (0, 2)
    ]
    np.testing.assert_allclose(ours, np.mean(by_pair, axis=0), rtol=1e-12)


@pytest.mark.parametrize("decimals", [8, 1, 0])
@pytest.mark.parametrize("weighted", [False, swept(True)])
@pytest.mark.parametrize("name", ["average-precision", "spearman", "medae"])
def test_the_compiled_forms_of_sorted_columns(name, weighted, decimals):
    """Ties, constant columns, resamples without weight, some columns: as in numpy."""
    pytest.importorskip("numba")
    rng, n = np.random.default_rng(decimals), 38  # half of the weight may be a total
    binary_task = name == "average-precision"
    slow = ORACLES[name, Task.BINARY if binary_task else Task.REGRESSION]
    truth = np.round(rng.normal(size=n), decimals)
    outcome = Outcome(Task.REGRESSION, truth)
    if binary_task:
        outcome = Outcome(Task.BINARY, (truth > 0).astype(int), ("no", "yes"))
    if weighted:
        outcome = replace(outcome, weights=rng.random(n))
    predictions = np.round(rng.normal(size=(n, 6)) + truth[:, None], decimals)
    predictions[:, 4] = 0.5
    scorer, chosen = METRICS[name].bind(outcome, predictions), np.array([5, 0, 4])
    weights = rng.multinomial(n, np.full(n, 1 / n), 150).astype(np.uint16)
    weights[3], weights[4, outcome.values > 0] = 0, 0
    for rows in (weights[:17], weights[:64], weights):
        for columns in (None, chosen):
            found = {}
            for engine in (Engine.NUMPY, Engine.NUMBA):
                with use(Resources(engine=engine)):
                    found[engine] = scorer(rows, columns)
            if binary_task or weighted:
                np.testing.assert_allclose(
                    found[Engine.NUMBA], found[Engine.NUMPY], rtol=1e-12, atol=1e-14
                )
            else:
                np.testing.assert_array_equal(found[Engine.NUMBA], found[Engine.NUMPY])
    with use(Resources(engine=Engine.NUMBA)):
        values = scorer(weights)
    mass = weights if outcome.weights is None else weights * outcome.weights
    for row, column in ((0, 0), (20, 3), (149, 5), (70, 1)):
        expected = slow(outcome.values, predictions[:, column], sample_weight=mass[row])
        assert values[row, column] == pytest.approx(expected, rel=1e-12, abs=1e-13)


BY_CLASS = [name for name, metric in METRICS.items() if metric.by_class]


@pytest.mark.parametrize("name", BY_CLASS)
def test_two_classes_are_counted_as_any_number_is(name, monkeypatch):
    """Of the counts of F1; in parts of the resamples; also one class alone, and real weights."""
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 2, 40), rng.integers(0, 2, (40, 6))
    predicted[:, 1], predicted[:, 2], predicted[:, 3] = 0, 1, truth
    weights = rng.multinomial(40, np.full(40, 1 / 40), 30).astype(np.uint8)
    weights[3], weights[4, truth == 1], weights[5, predicted[:, 4] == 1] = 0, 0, 0
    scorers = [
        bind(Outcome(task, truth, ("no", "yes")), predicted)
        for bind in (METRICS[name].bind, METRICS[name].zeroed.bind)
        for task in (Task.BINARY, Task.MULTICLASS)
    ]
    real = weights * rng.random(40)
    for two, many in (scorers[:2], scorers[2:]):
        np.testing.assert_array_equal(two(weights), many(weights))
        chosen = np.arange(30) % 6
        np.testing.assert_array_equal(two.paired(weights, chosen), many.paired(weights, chosen))
        np.testing.assert_allclose(two(real), many(real), rtol=1e-12, atol=1e-13)
        expected = two(weights)
        with monkeypatch.context() as patch:
            patch.setattr("bbccli.metrics.statistic.IN_CACHE", 20)
            np.testing.assert_array_equal(two(weights), expected)
            np.testing.assert_array_equal(many(weights), expected)
    weighted = replace(Outcome(Task.BINARY, truth, ("no", "yes")), weights=rng.random(40))
    many = METRICS[name].bind(replace(weighted, task=Task.MULTICLASS), predicted)
    found = METRICS[name].bind(weighted, predicted)(weights)
    np.testing.assert_allclose(found, many(weights), rtol=1e-12, atol=1e-13)
