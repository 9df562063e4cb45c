"""In how many directions the estimators of a recording differ, and what follows for the notes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from bbccli import METRICS, Plan, matrix_of
from bbccli.reading import read
from bbccli.stats.guidance import on_guidance
from tests.methods.test_guidance import best, prompts
from tests.recordings import Chances, X, Y, recorder, scored


def directions(tmp_path, estimators, features=None):
    """Record estimators, one after the other."""
    for number, estimator in enumerate(estimators):
        x = X if features is None else features[number]
        rec = recorder(tmp_path, X=x)
        scored(rec, rec.configuration(f"trial {number}"), estimator, X=x)
    return read(tmp_path / "run").source.run.directions


COSTS = (1.0, 0.1, 10.0, 0.5)


@pytest.mark.parametrize(
    ("estimators", "expected"),
    [
        ([LogisticRegression(C=c) for c in COSTS], 1),
        ([SVC(C=c, gamma=g) for c, g in zip(COSTS, COSTS[::-1], strict=True)], 2),
        ([SVC(C=c, gamma=g) for c, g in zip(COSTS, ["auto", "scale", 0.5, 2.0], strict=True)], 4),
        ([SVC(kernel=one) for one in ("rbf", "poly", "linear", "rbf")], 2),
        ([LogisticRegression(C=c) for c in sorted(COSTS)], None),  # as a version goes up
        ([Chances(power=p) for p in (3, 1, 3)], 1),
        ([Chances(power=p, seedless=True) for p in (3, 1, 3)], None),  # something else differs
        ([LogisticRegression(C=1.0), LogisticRegression(C=1.0)], None),
    ],
)
def test_a_number_is_one_direction_and_so_is_every_other_value_but_one(
    tmp_path, estimators, expected
):
    assert directions(tmp_path, estimators) == expected


def test_other_features_are_no_number(tmp_path):
    estimators = [LogisticRegression(C=c) for c in COSTS]
    other = X.copy()
    other[:, 2] *= -1
    assert directions(tmp_path, estimators, [X, X, X, other]) is None


def test_predictions_without_their_estimator_say_nothing(tmp_path):
    rec = recorder(tmp_path)
    for number, c in enumerate(COSTS):
        for train, test in rec.cv:
            fitted = clone(LogisticRegression(C=c)).fit(X[train], Y[train])
            rec.write(f"trial {number}", test, fitted.predict_proba(X[test]))
    assert read(tmp_path / "run").source.run.directions is None


@pytest.mark.parametrize(
    ("n_directions", "code"),
    [(None, "guided-climb"), (6, "guided"), (7, "guided-climb"), (99, "guided-climb")],
)
def test_a_climb_in_up_to_six_directions_is_no_doubt(tmp_path, n_directions, code):
    directions(tmp_path, [LogisticRegression(C=c) for c in COSTS])
    run = replace(read(tmp_path / "run").source.run, directions=n_directions)
    climb = matrix_of(prompts(best, 100, np.random.default_rng(0)), task="score")
    matrix = replace(climb, source=replace(climb.source, run=run))
    assert [one.code for one in on_guidance(matrix, METRICS["mean-score"], Plan())] == [code]
