"""Weights that a search hands to its scorer, and estimators' own score."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bbccli.analysis.verification import verified
from bbccli.errors import InputError
from bbccli.readers import read
from bbccli.recording import Recorder, parts
from bbccli.recording.arrays import packed, unpacked

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
W = RNG.integers(1, 9, 60).astype(float)
CV = KFold(3, shuffle=True, random_state=1)


def scored(rec, weights=None, powers=(0.01, 1.0)):
    """Score models as a search of scikit-learn 1.9 does, which hands weights on."""
    for power in powers:
        for train, test in rec.cv:
            model = LogisticRegression(C=power).fit(X[train], Y[train])
            own = {} if weights is None else {"sample_weight": weights[test]}
            rec.scorer(model, X[test], Y[test], **own)


def recorder(tmp_path, **how):
    return Recorder(tmp_path / "run", X, Y, cv=CV, scoring="roc_auc", **how)


def found(tmp_path):
    matrix = verified(read(tmp_path / "run"))
    return matrix.outcome.weights, matrix.source.verification


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
    ("own", "given", "n_checked", "words"),
    [
        (None, W, 2, None),
        (W, W, 2, None),
        (W, None, 0, "without the weights"),
        (W, W + 1, 0, "with other weights than those"),
    ],
    ids=["scorer", "both", "recorder", "others"],
)
def test_weights_are_those_of_the_recorder_or_else_of_the_scorer(
    tmp_path, own, given, n_checked, words
):
    scored(recorder(tmp_path, sample_weight=own), given)
    weights, said = found(tmp_path)
    np.testing.assert_array_equal(weights, W)
    reason = words and f"the search scored {words} of the recorder"
    assert (said.n_checked, said.reason) == (n_checked, reason)


@pytest.mark.one_in(1)
@pytest.mark.parametrize(("other", "words"), [(None, "others without"), (W + 1, "different")])
def test_weights_of_some_fits(tmp_path, other, words):
    rec = recorder(tmp_path)
    scored(rec, W)
    scored(rec, other, powers=(7.0,))
    with pytest.raises(InputError, match=words) as error:
        read(tmp_path / "run")
    assert "Recorder(sample_weight=)" in error.value.hint


def search(rec, weights):
    grid = {"C": [0.1, 9]}
    made = GridSearchCV(LogisticRegression(), grid, cv=rec.cv, scoring=rec.scorer)
    return made.fit(X, Y, sample_weight=weights)


def test_a_search_with_weights(tmp_path):
    rec = recorder(tmp_path)
    assert rec.finish(search(rec, W)).n_recomputed == 6
    assert found(tmp_path)[1].n_checked == 2


def test_weights_of_zero_are_told(tmp_path):
    rec = recorder(tmp_path)
    made = search(rec, np.where(np.arange(60) < 5, 0.0, W))
    kept = [parts.read(file).weights is not None for file in parts.paths(rec.folder)]
    if any(kept):  # not before scikit-learn 1.9
        with pytest.warns(UserWarning, match="not positive"):
            rec.finish(made)


def test_without_scoring_it_is_the_estimators_own_score(tmp_path):
    rec = Recorder(tmp_path / "run", X, Y, cv=CV)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [0.01, 9]}
    made = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer).fit(X, Y)
    with pytest.warns(UserWarning, match="--metric"):
        rec.finish(made)
    plain = GridSearchCV(model, grid, cv=rec.cv).fit(X, Y)
    means = [one.cv_results_["mean_test_score"] for one in (made, plain)]
    np.testing.assert_array_equal(*means)
    assert str(read(tmp_path / "run").kind) == "label"


def changed_first_part(tmp_path, change):
    scored(recorder(tmp_path), weights=W)
    path = next(parts.paths(tmp_path / "run"))
    arrays = dict(unpacked(path.read_bytes()))
    change(arrays)
    path.write_bytes(packed(arrays))


@pytest.mark.parametrize("values", [["x"], [np.nan], [np.inf], [[1.0, 2.0]]])
def test_weights_that_are_no_numbers_are_damage(tmp_path, values):
    def change(arrays):
        arrays["weights"] = np.repeat(np.array(values), len(arrays["weights"]), axis=0)

    changed_first_part(tmp_path, change)
    matrix = read(tmp_path / "run")
    assert matrix.n_configurations == 1
    assert "damaged-parts" in {note.code for note in matrix.notes}


def test_weights_of_other_samples_and_folds_that_there_are_not_are_refused(tmp_path):
    def shorten(arrays):
        arrays["weights"] = arrays["weights"][:3]
        del arrays["predictions"]

    def renumber(arrays):
        about = json.loads(arrays["about"].tobytes()) | {"split": 99}
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)

    for name, change in (("a", shorten), ("b", renumber)):
        changed_first_part(tmp_path / name, change)
        with pytest.raises(InputError, match="does not fit the folds of the recording"):
            read(tmp_path / name / "run")
