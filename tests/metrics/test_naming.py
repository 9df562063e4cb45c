"""Names of scikit-learn are names of the same metrics."""

import numpy as np
import pytest
from matrices import binary, for_metric
from sklearn.metrics import get_scorer, get_scorer_names

from bbccli.errors import OptionError
from bbccli.metrics import ALIASES, METRICS, choose_metrics, metric_named
from bbccli.types import Direction, Task


class Fixed:
    """A model that has predicted already, as scikit-learn's scorers take one."""

    def __init__(self, task, predictions):
        self._estimator_type = "classifier" if task.is_classification else "regressor"
        self.predictions = predictions
        self.classes_ = np.arange(predictions.shape[1]) if predictions.ndim == 2 else None

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        kind = self._estimator_type
        return Tags(
            kind, TargetTags(required=True), classifier_tags=ClassifierTags(),
            regressor_tags=RegressorTags(),
        )  # fmt: skip

    def fit(self):
        raise NotImplementedError

    def predict(self, x):
        return self.predictions.argmax(axis=1) if self.predictions.ndim == 2 else self.predictions

    def predict_proba(self, x):
        return self.predictions


ALIKE = {name: name for name in sorted(set(get_scorer_names()) & set(METRICS))}
"""Names that are the same there and here."""

CASES = [
    (alias, task)
    for alias, name in (ALIASES | ALIKE).items()
    for task in sorted(METRICS[name].tasks)
    if not (task is Task.MULTICLASS and alias == "neg_brier_score")  # refused by old versions
]


@pytest.mark.parametrize(("alias", "task"), CASES)
def test_an_alias_names_what_scikit_learn_means(alias, task):
    metric = metric_named(alias)
    matrix = for_metric(metric.name, task)
    given = np.asarray(matrix.predictions[0][:, 0], float)
    if task is Task.BINARY:
        given = np.column_stack([1 - given, given])
    theirs = get_scorer(alias)(Fixed(task, given), given, matrix.outcome.values)
    ours = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])(
        np.ones((1, matrix.n_samples), int)
    )[0, 0]
    sign = -1 if alias.startswith("neg_") else 1
    assert ours == pytest.approx(sign * theirs, rel=1e-9)
    assert (metric.direction is Direction.MINIMIZE) == (sign < 0)


def test_what_scikit_learn_calls_as_we_do():
    known = set(get_scorer_names())
    assert set(ALIASES) <= known
    for name in known & set(METRICS):
        assert metric_named(name).name == name


def test_one_metric_by_two_names_is_one():
    chosen = choose_metrics(["roc_auc", "auc", "Log_Loss", "neg_log_loss"], binary())
    assert [metric.name for metric in chosen] == ["auc", "log-loss"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("acuracy", "did you mean accuracy?"),
        ("F1_marco", "did you mean f1-macro?"),
        ("brierr", "did you mean brier?"),
        ("roc_auk", "did you mean roc-auc?"),
        ("xyz", "one of: auc, average-precision"),
    ],
)
def test_a_wrong_name_gets_the_nearest(name, hint):
    with pytest.raises(OptionError, match=f"no metric named '{name}'") as raised:
        metric_named(name)
    assert raised.value.hint.startswith(hint)
