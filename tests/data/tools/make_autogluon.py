"""Made `autogluon` with AutoGluon 1.6.3 and pandas 2.3.3.

`python make_autogluon.py FOLDER` in an environment with `autogluon.tabular[lightgbm]`, on
Linux with Python 3.11. Only what a reader may look at is kept.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from autogluon.tabular import TabularPredictor

READ = ("oof.pkl", "y.pkl", "y_val.pkl", "y_pred_proba_val.pkl", "leaderboard.csv", "version.txt")
BAG = {
    "num_bag_folds": 3,
    "num_stack_levels": 0,
    "dynamic_stacking": False,
    "ag_args_ensemble": {"fold_fitting_strategy": "sequential_local"},
}
OF_JA = {"positive_class": "ja"}
LINEAR, FOREST = {"LR": {}, "KNN": {}}, {"RF": {"n_estimators": 5}, "XT": {"n_estimators": 5}}


def make(place, table, fit=None, models=None, later=None, **about):
    """Fit, and `later` models with an ensemble of their own; export the leaderboard, and copy."""
    source = place.with_name(f"{place.name}_whole")
    predictor = TabularPredictor(label="y", path=str(source), verbosity=0, **about)
    predictor.fit(table, hyperparameters=models or LINEAR, **(fit or {}))
    if later:
        predictor.fit_extra(later, ag_args_ensemble=BAG["ag_args_ensemble"])
    predictor.leaderboard().to_csv(source / "leaderboard.csv", index=False)
    shutil.rmtree(place, ignore_errors=True)
    for path in sorted(source.rglob("*")):
        if path.name in READ and not path.match("data/X*.pkl"):
            copy = place / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    shutil.rmtree(source)
    table.to_csv(place / "train.csv", index=False)


def main():
    """A run of each kind."""
    folder = Path(sys.argv[1]) / "autogluon"
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    score = table.a + table.b + rng.normal(size=60)
    two = table.assign(y=np.where(score > 0, "ja", "nein"))
    three = table.assign(y=np.array(["x", "y", "z"])[np.digitize(score, [-0.7, 0.7])])
    more = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    y = np.array(["x", "y", "z"])[np.digitize(more.a, [-0.5, 0.5])]
    y[40] = "few"  # AutoGluon drops at most one row in a hundred
    rare = more.assign(y=y)
    weighted = two.assign(w=np.round(rng.uniform(0.1, 3, 60), 2))
    idle = weighted.assign(w=weighted.w.where(np.arange(60) % 5 > 0, 0))
    imbalanced = table.assign(y=np.where(rng.uniform(size=60) < 0.25, "ja", "nein"))
    numbers = table.assign(y=score)
    dated = two.set_index(pd.date_range("2026-01-01", periods=60))
    weights = {"sample_weight": "w", "weight_evaluation": True}
    quantiles = {"problem_type": "quantile", "quantile_levels": [0.1, 0.9]}
    tuned, mixed = table.assign(y=three.y), two.sample(frac=1, random_state=0)
    extra = tuned.sample(30, random_state=1).set_index(np.arange(60, 90))
    held_out = {**BAG, "tuning_data": extra, "use_bag_holdout": True}
    zeros = table.assign(y=score.clip(lower=0))
    percentage = "mean_absolute_percentage_error"
    make(folder / "holdout", two, eval_metric="f1", **OF_JA)
    make(folder / "holdout_rare", rare, eval_metric="accuracy")
    make(folder / "holdout_dates", dated, eval_metric="roc_auc")
    make(folder / "holdout_numbers", numbers, eval_metric="root_mean_squared_error")
    make(folder / "holdout_quantile", numbers, models=FOREST, **quantiles)
    make(folder / "bag_rare", rare, BAG, eval_metric="accuracy")
    make(folder / "bag_shuffled", mixed, BAG, eval_metric="f1", **OF_JA)
    make(folder / "bag_weights", weighted, BAG, eval_metric="roc_auc", **weights)
    make(folder / "bag_idle", idle, BAG, eval_metric="roc_auc", **weights)
    make(
        folder / "bag_precision", imbalanced, BAG, LINEAR | FOREST, eval_metric="precision", **OF_JA
    )
    make(folder / "bag_holdout", tuned, held_out, eval_metric="log_loss")
    make(folder / "bag_extra", two, BAG, {"KNN": {}}, {"LR": {}, **FOREST}, eval_metric="log_loss")
    make(folder / "bag_zeros", zeros, BAG, eval_metric=percentage)


if __name__ == "__main__":
    main()
