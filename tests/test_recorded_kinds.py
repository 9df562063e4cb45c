"""What a recorder takes predictions for, and what it asks of scikit-learn for the metric."""

import numpy as np
import pytest
import sklearn
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from bbccli.errors import OptionError
from bbccli.readers.runs.recording import load
from bbccli.recording import Recorder
from bbccli.recording.responses import UnfitError, kept
from bbccli.types import PredictionKind, Task

TWO, THREE = np.arange(12) % 2, np.array(list("abc" * 4))
ROWS = np.arange(12)
THIRDS = np.full((12, 3), 1 / 3)


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
    ("y", "predictions", "kind"),
    [
        (TWO, np.linspace(0.0, 1.0, 12), PredictionKind.PROBABILITY),
        (TWO, np.linspace(0.0, 1.01, 12), PredictionKind.SCORE),
        (TWO, np.linspace(-0.01, 1.0, 12), PredictionKind.SCORE),
        (TWO, np.linspace(1.0, 3.0, 12), PredictionKind.SCORE),
        (THREE, THIRDS, PredictionKind.PROBABILITY),
        (THREE, THIRDS / 2, PredictionKind.SCORE),
        (THREE, THIRDS + np.array([1.0, -1.0, 0.0]), PredictionKind.SCORE),
        (TWO, TWO, PredictionKind.LABEL),
    ],
)
def test_numbers_are_probabilities_where_they_can_be(tmp_path, y, predictions, kind):
    rec = Recorder(tmp_path / "run", None, y)
    rec.write("one", ROWS, predictions, fold=0)
    assert load(rec.folder).kind is kind


def test_the_first_label_that_is_no_class_is_named(tmp_path):
    rec = Recorder(tmp_path / "run", None, TWO)
    with pytest.raises(OptionError, match=r"predicts .*7.*, which is none of the classes"):
        rec.write("one", ROWS, np.where(ROWS == 3, 7, np.where(ROWS == 5, 9, TWO)), fold=0)


def test_what_the_metric_requests_is_requested(tmp_path):
    with sklearn.config_context(enable_metadata_routing=True):
        metric = make_scorer(accuracy_score).set_score_request(sample_weight="importance")
        rec = Recorder(tmp_path / "run", np.c_[ROWS], TWO, cv=3, scoring=metric)
        asked = rec.scorer.get_metadata_routing().score.requests
    assert asked == {"sample_weight": "importance", "row_id": True}


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_scores_of_pairs_of_classes_are_no_scores_of_classes(shape):
    """Of three classes there are three pairs: only the estimator tells one from the other."""
    labels = np.array(["a", "b", "c"])
    estimator = SVC(decision_function_shape=shape).fit(np.c_[ROWS, ROWS % 5], THREE)
    heard = {"decision_function": estimator.decision_function(np.c_[ROWS, ROWS % 5])}
    assert heard["decision_function"].shape == (12, 3)
    if shape == "ovo":
        with pytest.raises(UnfitError, match="no column for each class"):
            kept(heard, estimator, labels, Task.MULTICLASS)
    else:
        predictions, kind = kept(heard, estimator, labels, Task.MULTICLASS)
        assert kind is PredictionKind.SCORE
        np.testing.assert_array_equal(predictions, heard["decision_function"])


def test_a_search_on_a_single_split(tmp_path):
    one = ShuffleSplit(1, test_size=0.5, random_state=1)
    rec = Recorder(tmp_path / "run", np.c_[ROWS % 5, ROWS], TWO, cv=one, scoring="accuracy")
    made = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=rec.cv, scoring=rec.scorer
    )
    assert rec.finish(made.fit(np.c_[ROWS % 5, ROWS], TWO)).n_fits == 2
