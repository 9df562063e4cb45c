"""Made `openml` with openml 0.15.1 and scikit-learn 1.9.1, on Python 3.11.

`python make_openml.py FOLDER`. The client runs its models on tasks that are only in memory, instead
of a server's; `scores.csv` holds the measures that it computed.
"""

import csv
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
import openml
import pandas as pd
from openml.tasks import OpenMLClassificationTask, OpenMLRegressionTask
from openml.tasks.split import OpenMLSplit, Split
from openml.tasks.task import TaskType
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

N = 40
RNG = np.random.default_rng(1)
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
Y = np.where(X.a + RNG.normal(size=N) > 0, "tested negative", "ja, gut")
DATA = type("Data", (), {"name": "toy", "dataset_id": 1})()
CLASSES, VALUES = pd.Series(pd.Categorical(Y), name="class"), (X.a * 2 + X.b).rename("z")


class Classes(OpenMLClassificationTask):
    """A task of two classes."""

    def get_X_and_y(self, dataset_format="dataframe"):  # noqa: N802
        """Return features and classes."""
        return X, CLASSES


class Values(OpenMLRegressionTask):
    """A regression."""

    def get_X_and_y(self, dataset_format="dataframe"):  # noqa: N802
        """Return features and values."""
        return X, VALUES


def splits(n_repeats, n_folds):
    """Return random folds."""
    drawn = {}
    for repeat in range(n_repeats):
        order = RNG.permutation(N)
        tests = [order[fold::n_folds] for fold in range(n_folds)]
        parts = [Split(np.setdiff1d(order, test), test) for test in tests]
        drawn[repeat] = {fold: OrderedDict([(0, one)]) for fold, one in enumerate(parts)}
    return OpenMLSplit("toy", "", drawn)


def main():
    """Run all models."""
    target = Path(sys.argv[1]) / "openml"
    classes = Classes(
        *(TaskType.SUPERVISED_CLASSIFICATION, "Supervised Classification", 1, "class"),
        class_labels=list(CLASSES.cat.categories),
    )
    values = Values(TaskType.SUPERVISED_REGRESSION, "Supervised Regression", 1, "z")
    classes.task_id, classes.split, values.task_id, values.split = 1, splits(1, 4), 2, splits(2, 3)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    models = {"1": LogisticRegression(), "2": tree, "3": GaussianNB()}
    others = {"11": Ridge(100), "12": DecisionTreeRegressor(max_depth=2, random_state=0)}
    openml.datasets.get_dataset = lambda *_, **__: DATA
    scores = []
    for kind, task, runs in (("classes", classes, models), ("values", values, others)):
        openml.runs.run.get_task = lambda *_, task=task, **__: task
        for name, model in runs.items():
            run = openml.runs.run_model_on_task(model, task, avoid_duplicate_runs=False, seed=1)
            folder = target / kind / name
            run.to_filesystem(folder, store_model=False)
            (folder / "flow.xml").unlink()  # of the model, and the machine
            (folder / "description.xml").unlink()
            for measure in ("predictive_accuracy", "mean_absolute_error"):
                found = run.fold_evaluations.get(measure, {}).values()
                folds = [one for by_fold in found for one in by_fold.values()]
                scores += [[kind, name, measure, float(np.mean(folds))]] if folds else []
    with (target / "scores.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["kind", "configuration", "measure", "value"], *scores])


main()
