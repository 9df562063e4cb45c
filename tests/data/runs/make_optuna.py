"""Made `optuna` with Optuna 5.0.0 and scikit-learn 1.9.1: `python make_optuna.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bbccli.recording import Recorder

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, y = X.iloc[:150, :4], y[:150].map({0: "malignant", 1: "benign"})
cv = StratifiedKFold(4, shuffle=True, random_state=0)
rec = Recorder(Path(sys.argv[1]) / "optuna", X, y, cv=cv, scoring="roc_auc")


def objective(trial):
    """The mean of the folds; hopeless trials are pruned."""
    c = trial.suggest_float("C", 1e-4, 100, log=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=c))
    scorer, scores = rec.configuration(f"trial {trial.number}"), []
    for step, (train, test) in enumerate(rec.cv):
        model.fit(X.iloc[train], y.iloc[train])
        scores.append(scorer(model, X.iloc[test], y.iloc[test]))
        trial.report(np.mean(scores), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return np.mean(scores)


sampler = optuna.samplers.TPESampler(seed=0)
pruner = optuna.pruners.MedianPruner(n_startup_trials=3)
study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
study.optimize(objective, n_trials=10)
