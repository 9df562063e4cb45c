"""`Recorder(refold=True)`: folds for each try, and what follows."""

import numpy as np
import pytest
from day import swept
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)

from bbccli import METHODS, METRICS, Plan, matrix_of, read
from bbccli.errors import BbcError, InputError, OptionError
from bbccli.recording import Recorder

N = 150
RNG = np.random.default_rng(4)
X = RNG.normal(size=(N, 6))
Y = (X[:, 0] + 1.5 * RNG.normal(size=N) > 0).astype(int)
GROUPS = np.repeat(np.arange(30), 5)
SUBSETS = [[0], [1], [0, 2], [3, 4], [0, 1, 5]]


def recorder(place, cv=5, y=Y, **how):
    return Recorder(place / "run", X, y, cv=cv, scoring="roc_auc", refold=True, **how)


def tried(rec, name, columns):
    for train, test in rec.folds(name):
        model = LogisticRegression().fit(X[train][:, columns], Y[train])
        rec.write(name, test, model.predict_proba(X[test][:, columns])[:, 1])


def by_definition(rec):
    """Each subset cross-validated with folds of its own: (N, C)."""
    return np.column_stack(
        [
            cross_val_predict(
                LogisticRegression(), X[:, c], Y, cv=rec.folds(str(c)), method="predict_proba"
            )[:, 1]
            for c in SUBSETS
        ]
    )


@pytest.fixture
def rec(tmp_path):
    rec = recorder(tmp_path)
    for columns in SUBSETS:
        tried(rec, str(columns), columns)
    return rec


def test_each_name_has_folds_of_its_own_and_keeps_them(tmp_path):
    rec, other = recorder(tmp_path), recorder(tmp_path / "other")
    tests = {name: [test.tolist() for _, test in rec.folds(name)] for name in ("a", "b")}
    assert tests["a"] != tests["b"]
    assert tests["a"] == [test.tolist() for _, test in other.folds("a")]
    for one in tests.values():
        assert np.array_equal(np.sort(np.concatenate(one)), np.arange(N))
        assert all(abs(Y[test].mean() - Y.mean()) < 0.04 for test in one)  # stratified
    seeded = recorder(tmp_path / "seeded", StratifiedKFold(5, shuffle=True, random_state=1))
    assert tests["a"] != [test.tolist() for _, test in seeded.folds("a")]


def test_the_recording_is_the_pooled_predictions_of_each_try(rec):
    matrix, slow = read(rec.folder), by_definition(rec)
    assert matrix.configurations == tuple(map(str, SUBSETS))
    assert np.allclose(matrix.predictions[0], slow)
    assert matrix.folds is None
    assert "folds-of-each" in [note.code for note in matrix.notes]
    own = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=200))
    same = METHODS["bbc"].run(matrix_of(slow, Y), METRICS["auc"], Plan(n_resamples=200))
    assert own.value == pytest.approx(same.value, abs=1e-12)
    assert own.interval.lower == pytest.approx(same.interval.lower, abs=1e-12)


def test_rows_of_other_folds_are_refused(tmp_path):
    rec = recorder(tmp_path)
    _, test = rec.folds("a")[0]
    with pytest.raises(OptionError, match="the rows are no test set"):
        rec.write("b", test, np.zeros(len(test)))
    for _, test in rec.folds("a"):
        rec.write("a", test[::-1], test[::-1] / N)  # in any order
    assert np.allclose(read(rec.folder).predictions[0, :, 0], np.arange(N) / N)


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        ([(np.arange(75), np.arange(75, N))], "always the same"),
        swept(LeaveOneOut(), "always the same"),
        swept(TimeSeriesSplit(3), "test each row once"),
        swept(ShuffleSplit(4, test_size=0.3), "test each row once"),
        swept(RepeatedKFold(n_splits=5, n_repeats=2), "test each row once"),
    ],
)
def test_folds_that_can_not_be_drawn_anew_are_refused(tmp_path, cv, said):
    with pytest.raises(OptionError, match=said):
        recorder(tmp_path, cv)
    assert not (tmp_path / "run").exists()


def test_a_search_is_refused_with_the_reason(tmp_path):
    rec = recorder(tmp_path)
    for ask in (
        lambda: rec.cv,
        lambda: rec.scorer,
        lambda: rec.configuration("a"),
        lambda: rec.finish({}),
    ):
        with pytest.raises(OptionError, match="each try has folds of its own"):
            ask()
    with pytest.raises(OptionError, match=r"the folds of rec\.cv"):
        Recorder(tmp_path / "fixed", X, Y, cv=5).folds("a")


@pytest.mark.parametrize(
    ("method", "plan"), [("bbc-f", {}), ("tt", {}), ("bbc", {"pooling": "fold-mean"})]
)
def test_what_is_over_folds_is_refused_with_the_reason(rec, method, plan):
    with pytest.raises(BbcError, match="fold"):
        METHODS[method].run(read(rec.folder), METRICS["auc"], Plan(**plan))


@pytest.mark.parametrize("cv", [GroupKFold(5), StratifiedGroupKFold(5)])
def test_groups_stay_together_in_each_try(tmp_path, cv):
    rec = recorder(tmp_path, cv, groups=GROUPS)
    tests = [[set(GROUPS[test]) for _, test in rec.folds(name)] for name in "ab"]
    assert tests[0] != tests[1]
    assert all(sum(map(len, one)) == 30 for one in tests)


def test_values_and_a_vault_go_with_it(tmp_path):
    values = X[:, 0] + RNG.normal(size=N)
    rec = Recorder(tmp_path / "r", X, values, cv=KFold(4), scoring="r2", refold=True, vault=0.34)
    for name in ("a", "b"):
        for train, test in rec.folds(name):
            assert set(train) | set(test) == set(rec.rows)
            rec.write(name, test, Ridge().fit(X[train], values[train]).predict(X[test]))
    look = rec.open("a", Ridge())
    assert look.number == 1
    assert read(rec.folder).n_samples == len(rec.rows)
    assert METHODS["vault"].run(read(rec.folder), METRICS["r2"], Plan()).value == look.value


def test_a_loop_may_drop_a_hopeless_try(rec):
    for _, test in rec.folds("bad"):
        rec.write("bad", test, 1.0 - Y[test])
    assert rec.hopeless("bad", min_samples=20)


def test_a_recording_with_one_set_of_folds_is_another_one(tmp_path):
    recorder(tmp_path)
    recorder(tmp_path)  # continues
    with pytest.raises(InputError, match="other data, folds or metric"):
        Recorder(tmp_path / "run", X, Y, cv=5, scoring="roc_auc")
