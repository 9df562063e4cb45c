"""`Recorder.hopeless`: pruning in loops of one's own, between folds."""

import numpy as np
import optuna
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from bbccli import Plan, correct, drop, matrix_of
from bbccli.errors import OptionError, UnsupportedError
from bbccli.recording import Recorder
from bbccli.types import Pooling

N = 200
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
CV = StratifiedKFold(5, shuffle=True, random_state=0)


def recorder(place, **how):
    return Recorder(place / "run", X, Y, **{"cv": CV, "scoring": "accuracy"} | how)


def trained(rec, name, model, folds=slice(None)):
    """Folds that were trained until the configuration was hopeless."""
    scorer = rec.configuration(name)
    for number, (train, test) in enumerate(rec.cv[folds], 1):
        scorer(model.fit(X[train], Y[train]), X[test], Y[test])
        if rec.hopeless(name):
            return number
    return len(rec.cv[folds])


def test_a_loop_stops_a_configuration_that_can_hardly_win(tmp_path):
    rec = recorder(tmp_path)
    assert trained(rec, "good", LogisticRegression()) == 5
    assert trained(rec, "bad", KNeighborsClassifier(159)) < 5
    assert trained(rec, "alike", LogisticRegression(C=0.9)) == 5
    found = correct(rec.folder)
    assert found.winner in ("good", "alike")
    assert any("1 of 3 configurations lacks predictions" in note for note in found.notes)


def test_it_says_what_drop_says_of_the_same_rows(tmp_path):
    rec = recorder(tmp_path, scoring=None)
    names = [f"c{c}" for c in range(6)]
    values = {
        name: np.where(RNG.random(N) < 0.9 - c / 15, Y, 1 - Y) for c, name in enumerate(names)
    }
    for name in names[:-1]:
        for _, test in rec.cv:
            rec.write(name, test, values[name][test])
    rows, folds = np.zeros(0, int), np.full(N, -1)
    for fold, (_, test) in enumerate(rec.cv):
        rec.write(names[-1], test, values[names[-1]][test])
        folds[test], rows = fold, np.sort(np.concatenate([rows, test]))
        matrix = matrix_of(
            np.stack([values[name][rows].astype(str) for name in names], axis=1),
            Y[rows],
            configurations=names,
            folds=folds[rows],
        )
        expected = drop(matrix, "accuracy", Plan(pooling=Pooling.FOLD_MEAN))
        said = rec.hopeless(names[-1], metric="accuracy")
        assert said == (names[-1] in expected.drop)
    assert said


def test_repeats_and_loops_without_folds(tmp_path):
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    rec = recorder(tmp_path, cv=cv)
    assert trained(rec, "good", LogisticRegression()) == 8
    assert trained(rec, "bad", KNeighborsClassifier(149)) < 8
    loose = Recorder(tmp_path / "loose", None, Y)
    for name, share in {"good": 0.9, "bad": 0.5}.items():
        loose.write(name, np.arange(100), np.where(RNG.random(100) < share, Y[:100], 1 - Y[:100]))
    assert loose.hopeless("bad", metric="accuracy")
    assert not loose.hopeless("good", metric="accuracy")


def test_the_first_is_never_hopeless_nor_what_has_no_predictions(tmp_path):
    rec = recorder(tmp_path)
    rec.tried("nothing")
    assert not rec.hopeless("nothing")
    assert trained(rec, "bad", KNeighborsClassifier(159)) == 5
    other = recorder(tmp_path)  # another process goes on in the same folder
    assert not other.hopeless("bad")
    assert trained(other, "good", LogisticRegression()) == 5
    assert rec.hopeless("bad")


def test_what_it_can_not_tell(tmp_path):
    rec = recorder(tmp_path)
    trained(rec, "trial 1", LogisticRegression(), slice(1))
    with pytest.raises(OptionError, match="no configuration 'trial 2'"):
        rec.hopeless("trial 2")
    with pytest.raises(UnsupportedError, match="AUC needs probabilities or scores"):
        rec.hopeless("trial 1", metric="auc")
    with pytest.raises(OptionError, match="pooling is 'mean'"):
        rec.hopeless("trial 1", pooling="mean")
    with pytest.raises(OptionError, match="the recorder has no metric"):
        Recorder(tmp_path / "other", X, Y, cv=CV).hopeless("trial 1")


def test_optuna_prunes_at_folds_and_keeps_the_best_of_the_study(tmp_path):
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def studied(rec, prune):
        def objective(trial):
            model = LogisticRegression(C=trial.suggest_float("C", 1e-5, 10, log=True))
            name, scores = f"trial {trial.number}", []
            scorer = rec.configuration(name)
            for train, test in rec.cv:
                scores.append(scorer(model.fit(X[train], Y[train]), X[test], Y[test]))
                if prune and rec.hopeless(name):
                    raise optuna.TrialPruned
            return np.mean(scores)

        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0)
        )
        study.optimize(objective, n_trials=15)
        return study

    whole = studied(recorder(tmp_path / "whole", scoring="neg_log_loss"), prune=False)
    rec = recorder(tmp_path / "pruned", scoring="neg_log_loss")
    study = studied(rec, prune=True)
    pruned = [t for t in study.trials if t.state is optuna.trial.TrialState.PRUNED]
    assert len(pruned) >= 3
    assert study.best_trial.number == whole.best_trial.number
    assert study.best_value == whole.best_value
    assert correct(rec.folder).winner == f"trial {study.best_trial.number}"
