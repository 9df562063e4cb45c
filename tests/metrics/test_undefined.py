"""What is undefined counts as scikit-learn counts it, if the metadata say that it did."""

import copy
import pickle
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sklearn.metrics as sk
from matrices import of

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import Source
from bbccli.metrics import choose_metric
from bbccli.metrics.weighting import Units
from bbccli.stats.selection.candidates import Candidates, fold_performances
from bbccli.types import Pooling, PredictionKind, Task

BINARY = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f2": partial(sk.fbeta_score, beta=2),
    "jaccard": sk.jaccard_score,
}
OF_CLASSES = {"balanced-accuracy": sk.balanced_accuracy_score, "mcc": sk.matthews_corrcoef} | {
    f"{name}-{average}": partial(score, average=average)
    for name, score in (
        ("precision", sk.precision_score),
        ("recall", sk.recall_score),
        ("f1", sk.f1_score),
    )
    for average in ("macro", "weighted")
}
CASES = [(name, 2, oracle) for name, oracle in (BINARY | OF_CLASSES).items()] + [
    (name, n_classes, oracle) for name, oracle in OF_CLASSES.items() for n_classes in (4, 40)
]


def matrix(n_classes, seed=0, weights=None):
    """Rare classes, some in no fold's truth; configurations that predict few classes, and one
    of which the truth has none.
    """
    rng = np.random.default_rng(seed)
    n = 90
    truth = rng.choice(n_classes, n, p=np.r_[0.9, np.full(n_classes - 1, 0.1 / (n_classes - 1))])
    truth[:n_classes] = np.arange(n_classes)
    guesses = [np.where(rng.random(n) < q, truth, 0) for q in (0.02, 0.5)]
    guesses += [np.zeros(n, int), rng.integers(0, n_classes, n)]
    names = tuple(f"c{k:02}" for k in range(n_classes))
    task = Task.BINARY if n_classes == 2 else Task.MULTICLASS
    outcome = Outcome(task, truth, names, weights=weights)
    made = of(outcome, np.stack(guesses, 1)[None].astype(float), PredictionKind.LABEL, 6, seed)
    folds = np.where(truth == 1, 0, np.arange(n) % 6)[None]  # of the others none has class 1
    return replace(made, folds=folds, source=Source(metadata={"undefined": 0}))


def expected(oracle, data, rows, c):
    weights = None if data.outcome.weights is None else data.outcome.weights[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return oracle(
            data.outcome.values[rows], data.predictions[0, rows, c], sample_weight=weights
        )


@pytest.mark.parametrize(("name", "n_classes", "oracle"), CASES)
def test_folds_are_those_of_scikit_learn(name, n_classes, oracle):
    for weights in (None, np.random.default_rng(1).random(90) + 0.1):
        data = matrix(n_classes, weights=weights)
        metric = choose_metric(name, data)
        folds = data.folds[0]
        by_fold = [
            [expected(oracle, data, np.flatnonzero(folds == f), c) for c in range(4)]
            for f in range(6)
        ]
        np.testing.assert_allclose(fold_performances(data, metric)[0], by_fold, atol=1e-12)
        means = Candidates(data, metric, Pooling.FOLD_MEAN).performances()
        np.testing.assert_allclose(means, np.mean(by_fold, axis=0), atol=1e-12)


VALUES = {
    "r2": sk.r2_score,
    "explained-variance": sk.explained_variance_score,
    "mape": sk.mean_absolute_percentage_error,
    "average-precision": sk.average_precision_score,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_folds_of_one_value_are_those_of_scikit_learn(name, weighted):
    """Of one value, or class, is fold 0, with a configuration that is right in it and one that is
    not; fold 1 is a single sample.
    """
    rng = np.random.default_rng(0)
    classes = name == "average-precision"
    truth = rng.integers(0, 2, 60) if classes else np.maximum(rng.normal(0, 5, 60).round(1), 0)
    folds = np.where(np.arange(60) < 12, 0, 2 + np.arange(60) % 2)
    truth[folds == 0], folds[30] = 0, 1
    right = truth * 0.5 if classes else np.where(folds == 0, truth, truth + rng.normal(0, 1, 60))
    values = np.stack([right, rng.random(60)], 1)[None]
    weights = rng.dirichlet(np.ones(60)) if weighted else None  # of every fold below 2
    task, names = (Task.BINARY, ("no", "yes")) if classes else (Task.REGRESSION, ())
    kind = PredictionKind.PROBABILITY if classes else PredictionKind.VALUE
    data = of(Outcome(task, truth, names, weights=weights), values, kind, 4)
    data = replace(data, folds=folds[None], source=Source(metadata={"undefined": 0}))
    metric = choose_metric(name, data)
    by_fold = [
        [expected(VALUES[name], data, np.flatnonzero(folds == f), c) for c in range(2)]
        for f in range(4)
    ]
    scorers = by_each_fold(data, metric)
    found = [scorer(np.ones((1, n), np.uint8))[0] for scorer, n in scorers]
    np.testing.assert_allclose(found, by_fold, atol=1e-12)
    scorer, n = scorers[0]
    draws = np.random.default_rng(0).integers(0, 3, (20, n)).astype(np.uint8)
    if name in ("r2", "explained-variance"):
        assert (scorer(draws) == [1, 0]).all()
    plain = replace(data, source=Source())
    assert name == "mape" or np.isnan(by_each_fold(plain, METRICS[name])[0][0](draws)).all()


def by_each_fold(data, metric):
    bound = Candidates(data, metric, Pooling.POOLED).bind(np.arange(data.n_configurations))
    rows = [data.folds[0] == fold for fold in range(data.n_folds)]
    return [(bound.restrict(own), own.sum()) for own in rows]


@pytest.mark.parametrize("n_classes", [2, 4, 40])
def test_only_what_is_undefined_on_all_samples_counts_in_a_resample(n_classes):
    """A resample that lacks what the fold has says nothing; one of a fold without is still 0."""
    data = matrix(n_classes)
    zero, name = Candidates(data, choose_metric("precision-macro", data), Pooling.POOLED), "c"
    scorer = zero.bind(np.arange(4))
    rng = np.random.default_rng(3)
    weights = rng.multinomial(90, np.full(90, 1 / 90), 30).astype(np.uint8)
    values, truth = data.predictions[0], data.outcome.values
    found = scorer(weights)
    for w, row in zip(weights, found, strict=True):
        for c in range(4):
            of_class = []
            for k in range(n_classes):
                guessed = values[:, c] == k
                if not guessed.any() and not (truth == k).any():
                    continue
                share = w[guessed & (truth == k)].sum(), w[guessed].sum()
                gap = np.nan if guessed.any() else 0.0
                of_class.append(share[0] / share[1] if share[1] else gap)
            np.testing.assert_allclose(row[c], np.mean(of_class), atol=1e-12, err_msg=name)
    columns = rng.integers(0, 4, 30)
    np.testing.assert_array_equal(scorer.paired(weights, columns), found[np.arange(30), columns])
    some = np.array([3, 1])
    np.testing.assert_array_equal(scorer(weights, some), found[:, some])
    left = scorer.without_each(weights[0].astype(np.int64), Units(np.arange(90), 90), some)
    for i in (0, 5, 77):
        without = weights[:1].copy()
        without[0, i] = 0
        np.testing.assert_allclose(left[i], scorer(without, some)[0], atol=1e-12)


def test_a_configuration_that_predicts_no_positive_in_a_fold_is_0_there_in_every_resample():
    data = matrix(2)
    fold = data.folds[0] == 0
    values = np.array(data.predictions)
    values[0, fold, 1] = 0
    data = replace(data, predictions=values)
    scorer = Candidates(data, choose_metric("precision", data), Pooling.POOLED).bind(np.arange(4))
    own = scorer.restrict(fold)
    weights = np.random.default_rng(0).integers(0, 2, (20, fold.sum())).astype(np.uint8)
    assert (own(weights)[:, 1] == 0).all()


def test_metrics_with_0_survive_a_copy():
    for name in (BINARY | OF_CLASSES).keys() - {"recall-weighted"}:  # the accuracy
        zero = choose_metric(name, matrix(2))
        assert zero is not METRICS[name]
        assert choose_metric(zero, matrix(2)) is zero
        assert pickle.loads(pickle.dumps(zero)) is zero
        assert copy.deepcopy(zero) is zero
    assert choose_metric("accuracy", matrix(2)) is METRICS["accuracy"]
    assert choose_metric("precision", replace(matrix(2), source=Source())) is METRICS["precision"]


def test_a_winner_by_fewer_folds_carries_a_doubt():
    """It is right once, and predicts no other positive: 1 by the folds that count, else .2."""
    truth = np.arange(60) % 5 == 0
    rng = np.random.default_rng(0)
    timid = np.arange(60) == 0
    good = np.where(rng.random(60) < 0.85, truth, ~truth)
    outcome = Outcome(Task.BINARY, truth.astype(int), ("no", "yes"))
    values = np.stack([timid, good], 1)[None].astype(float)
    data = of(outcome, values, PredictionKind.LABEL, 5)
    plan = Plan(pooling=Pooling.FOLD_MEAN, n_resamples=20)
    found = METHODS["bbc"].run(data, "precision", plan)
    assert (found.winner, found.naive) == ("c0", 1.0)
    (doubt,) = [note for note in found.notes if note.code == "undefined-folds"]
    assert "undefined in 4 of 5 folds" in doubt.text
    counted = replace(data, source=Source(metadata={"undefined": 0}))
    found = METHODS["bbc"].run(counted, "precision", plan)
    assert found.winner == "c1"
    assert not [note for note in found.notes if note.code == "undefined-folds"]
    assert Candidates(counted, choose_metric("precision", counted), plan.pooling).figure(0) == 0.2
