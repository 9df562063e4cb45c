"""What configurations predict, and which of them make up a search."""

import numpy as np
import pytest
import sklearn
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsClassifier
from tiny_tables import table

from bbccli.types import Task
from benchmarks.bank import learners
from benchmarks.bank.searches import SIZES, search
from benchmarks.bank.training import training

pytestmark = pytest.mark.sweep

TRAINS = pytest.mark.skipif(
    sklearn.__version__.startswith("1.7."), reason="studies are made with scikit-learn 1.8 or later"
)


def given(task=Task.BINARY):
    rows = table(task)
    n_classes = 2 if task is Task.BINARY else 0
    return training(rows.features[:60], rows.outcome[:60], rows.features[60:], n_classes)


def test_neighbours_are_those_of_scikit_learn():
    one = given()
    found = dict(learners.neighbours(one))
    for k in (1, 5, 30):
        model = KNeighborsClassifier(k).fit(one.features["all"], one.target)
        expected = np.clip(model.predict_proba(one.new["all"]), 0.005, 0.995)
        assert found[f"knn alike|all|{k}"] == pytest.approx(expected, abs=1e-6)


def test_kernels_are_those_of_scikit_learn():
    one = given(Task.REGRESSION)
    found = dict(learners.kernels(one))
    model = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.2 / one.features["all"].shape[1])
    center = one.target.mean()
    expected = center + model.fit(one.features["all"], one.target - center).predict(one.new["all"])
    assert found["kernel 0.2|all|0.3"] == pytest.approx(expected, abs=1e-6)


@TRAINS
@pytest.mark.parametrize("task", [Task.BINARY, Task.REGRESSION])
def test_there_are_300_configurations_that_differ(task):
    found = learners.predictions(given(task))
    assert len(found) >= max(SIZES)
    said = np.stack([np.asarray(one).reshape(180, -1)[:, -1] for one in found.values()])
    assert np.isfinite(said).all()
    assert len(np.unique(said.round(6), axis=0)) > 0.9 * len(found)


def test_features_are_chosen_in_the_training_rows():
    rows = table()
    far = training(rows.features[:60], rows.outcome[:60], rows.features[60:] + 100.0, 2)
    near = training(rows.features[:60], rows.outcome[:60], rows.features[60:], 2)
    assert np.array_equal(far.features["best"], near.features["best"])
    assert near.features["all"].mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-12)


@TRAINS
def test_searches_are_nested_and_mixed():
    names = list(learners.predictions(given()))
    small, main, large = (set(search(names, size)) for size in SIZES)
    assert small < main < large and [len(small), len(main), len(large)] == list(SIZES)
    families = [names[c].split("|")[0].split(" ")[0] for c in small]
    assert len(set(families)) == len(small)
    assert {"tree", "network", "boosting", "knn"} <= set(families)
