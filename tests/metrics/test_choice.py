"""Which metrics a matrix can have, in which form they get its predictions, and custom ones."""

import textwrap
from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, for_metric, multiclass, regression
from sklearn.metrics import get_scorer, get_scorer_names

from bbccli import METHODS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.errors import OptionError, UnsupportedError
from bbccli.metrics import (
    ALIASES,
    METRICS,
    choose_metric,
    choose_metrics,
    default_metric,
    fitting,
    mean_of,
    metric_named,
)
from bbccli.types import Direction, PredictionKind, Task

LABEL, SCORE, PROBABILITY = PredictionKind.LABEL, PredictionKind.SCORE, PredictionKind.PROBABILITY


@pytest.mark.parametrize(
    ("matrix", "name"),
    [
        (binary(), "auc"),
        swept(binary(kind=SCORE), "auc"),
        swept(binary(kind=LABEL), "accuracy"),
        swept(multiclass(), "accuracy"),
        swept(multiclass(kind=SCORE), "accuracy"),
        swept(multiclass(kind=LABEL), "accuracy"),
        swept(regression(), "rmse"),
    ],
)
def test_default_metric(matrix, name):
    assert default_metric(matrix).name == name


@pytest.mark.parametrize("make", [binary, swept(multiclass)])
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [(LABEL, {LABEL}), swept(SCORE, {SCORE}), swept(PROBABILITY, {LABEL, SCORE, PROBABILITY})],
)
def test_every_form_fits_its_metrics(make, kind, wanted):
    matrix = make(kind=kind)
    if kind is SCORE and make is multiclass:
        wanted = {LABEL, SCORE}  # the highest score wins
    expected = [m for m in METRICS.values() if matrix.task in m.tasks and m.wants in wanted]
    assert fitting(matrix) == expected


def test_a_threshold_opens_scores_to_metrics_of_classes():
    matrix = binary(kind=SCORE)
    with pytest.raises(UnsupportedError, match="accuracy needs class labels") as caught:
        choose_metric("accuracy", matrix)
    assert "--threshold" in caught.value.hint
    assert "auc" in caught.value.hint
    assert choose_metric("accuracy", matrix.with_threshold(0.3)).name == "accuracy"


def test_what_a_threshold_predicts():
    matrix = binary()
    raw = matrix.predictions
    np.testing.assert_array_equal(matrix.as_kind(LABEL), raw > 0.5)
    np.testing.assert_array_equal(matrix.with_threshold(0.3).as_kind(LABEL), raw > 0.3)
    np.testing.assert_array_equal(
        matrix.with_threshold(0.3).as_kind(LABEL, np.array([2, 0])), raw[:, :, [2, 0]] > 0.3
    )
    assert matrix.as_kind(LABEL).dtype == np.int64
    assert matrix.with_threshold(0.3).with_threshold(None).threshold is None


def test_the_largest_class_column_is_predicted_the_first_on_ties():
    matrix = multiclass()
    tied = np.array([0.4, 0.4, 0.2])
    labels = replace(matrix, predictions=np.broadcast_to(tied, matrix.predictions.shape))
    assert (labels.as_kind(LABEL) == 0).all()


def test_metrics_of_scores_refuse_labels():
    with pytest.raises(UnsupportedError, match="AUC needs probabilities or scores") as caught:
        choose_metric("auc", binary(kind=LABEL))
    assert "write probabilities or scores instead of classes" in caught.value.hint
    assert "accuracy" in caught.value.hint


@pytest.mark.parametrize("kind", [LABEL, swept(SCORE)])
@pytest.mark.parametrize("name", ["brier", swept("log-loss")])
def test_metrics_of_probabilities_refuse_anything_else(name, kind):
    message = "needs probabilities; these predictions are"
    with pytest.raises(UnsupportedError, match=message) as caught:
        choose_metric(name, binary(kind=kind))
    remedy = {LABEL: "instead of classes", SCORE: "from 0 to 1, not percentages"}[kind]
    assert remedy in caught.value.hint


def test_sample_weights_are_kept_with_their_rows():
    outcome = Outcome(Task.REGRESSION, np.arange(3.0), weights=np.array([1.0, 2.0, 3.0]))
    rows = np.array([True, False, True])
    assert outcome.take(rows).weights.tolist() == [1.0, 3.0]
    assert not outcome.weights.flags.writeable


# Metrics of the user's own

MODULE = """
import numpy as np
from bbccli.metrics import Metric, mean_of
from bbccli.types import Direction, PredictionKind, Task

COSTS = np.array([[0.0, 1.0], [10.0, 0.0]])

COST = Metric(
    name="cost", label="cost", summary="mean cost of a decision",
    tasks=frozenset({Task.BINARY}), wants=PredictionKind.LABEL,
    direction=Direction.MINIMIZE, bounds=(0.0, 10.0),
    bind=mean_of(lambda outcome, labels: COSTS[outcome.values[:, None], labels]),
    reference="our clinic",
)

def helper():
    pass

class Thing:
    pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_costs.py").write_text(MODULE)
    (tmp_path / "my_broken.py").write_text("import no_such_module_of_mine")
    (tmp_path / "my_empty.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    return tmp_path


def test_a_custom_metric_is_loaded_by_name(folder):
    matrix = binary(kind=LABEL)
    metric = choose_metric("my_costs:COST", matrix)
    found = METHODS["bbc"].run(matrix, metric, Plan(50))
    assert found.metric == "cost"
    assert 0 <= found.value <= 10


def test_a_cost_matrix_by_hand():
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    bind = mean_of(lambda outcome, labels: costs[outcome.values[:, None], labels])
    outcome = Outcome(Task.BINARY, np.array([0, 0, 1, 1]), ("no", "yes"))
    labels = np.array([[0], [1], [1], [0]])
    assert bind(outcome, labels)(np.array([[1, 1, 1, 1], [1, 2, 1, 0]])).ravel().tolist() == [
        2.75,
        0.5,
    ]


@pytest.mark.parametrize(
    ("name", "problem", "hint"),
    [
        ("my_nothing:COST", "cannot import 'my_nothing': No module named 'my_nothing'", "COST"),
        swept("my_broken:COST", "cannot import 'my_broken': No module named 'no_such_mod", "COST"),
        swept("my_costs:PRICE", "my_costs has no 'PRICE'", "metrics in it: COST"),
        swept("my_empty:COST", "my_empty has no 'COST'", "there is no metric in it"),
        swept(
            "my_costs:COSTS", "my_costs:COSTS is of type ndarray, not a bbccli.metrics.Metric", ""
        ),
        swept("my_costs:helper", "my_costs:helper is a function", "metrics in it: COST"),
        swept("my_costs:Thing", "my_costs:Thing is the class Thing", "metrics in it: COST"),
        (":COST", "':COST' is not the name of a module and a metric in it", "for example"),
        swept("my costs:", "'my costs:' is not the name", "for example"),
    ],
)
def test_what_is_no_metric(folder, name, problem, hint):
    with pytest.raises(OptionError) as caught:
        choose_metric(name, binary())
    assert textwrap.shorten(caught.value.problem, 500).startswith(problem)
    assert hint in caught.value.hint


def test_a_custom_metric_has_to_fit_as_any_other(folder):
    with pytest.raises(UnsupportedError, match="cost is for binary tasks; this one is regression"):
        choose_metric("my_costs:COST", regression())


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


def test_one_metric_by_two_names_is_one():
    chosen = choose_metrics(["roc_auc", "auc", "Log_Loss", "neg_log_loss"], binary())
    assert [metric.name for metric in chosen] == ["auc", "log-loss"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("acuracy", "did you mean accuracy?"),
        swept("F1_marco", "did you mean f1-macro?"),
        swept("brierr", "did you mean brier?"),
        swept("roc_auk", "did you mean roc-auc?"),
        swept("sensitivity", "did you mean recall?"),
        swept("PPV", "did you mean precision?"),
        swept("auprc", "did you mean average-precision?"),
        ("auc_roc", "did you mean auc?"),
        swept("f1_score", "did you mean f1?"),
        swept("brier_score_loss", "did you mean brier?"),
        swept("mean_squared_error", "did you mean mse?"),
        swept("xyz", "one of: auc, average-precision"),
        swept("auc,accuracy", "give one name at a time"),
        swept("auc accuracy", "give one name at a time"),
        ("auc, acuracy", "did you mean"),
    ],
)
def test_a_wrong_name_gets_the_nearest(name, hint):
    with pytest.raises(OptionError, match=f"no metric named '{name}'") as raised:
        metric_named(name)
    assert raised.value.hint.startswith(hint)
