"""Made `autogluon` and `autogluon_classes` with AutoGluon 1.6.3 and scikit-learn 1.9.1.

`python make_autogluon.py FOLDER` in an environment with `autogluon.tabular[lightgbm]`, on Linux
with Python 3.11. The models themselves are emptied: no pickle but `oof.pkl` is of use, and none is
opened.
"""

import shutil
import sys
from pathlib import Path

from autogluon.tabular import TabularPredictor
from sklearn.datasets import load_breast_cancer, load_wine

SEQUENTIAL = {"fold_fitting_strategy": "sequential_local"}
BY_FOLD = {"use_child_oof": False}
FORESTS = {"RF": {"n_estimators": 30}, "XT": {"n_estimators": 30, "ag_args_ensemble": BY_FOLD}}
QUICK = {**FORESTS, "KNN": {"ag_args_ensemble": BY_FOLD}, "LR": {}}
SMALL = {"num_leaves": 5, "learning_rate": 0.1, "ag_args": {"name_suffix": "Small"}}


def emptied(source, target):
    """Copy what a reader may look at; every other file of a model holds nothing."""
    shutil.rmtree(target, ignore_errors=True)
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.name in ("oof.pkl", "leaderboard.csv", "version.txt"):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        elif path.name in ("model.pkl", "predictor.pkl"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()


def make(target, table, metric, models, levels):
    """Fit, export the leaderboard as the documentation says, and copy."""
    source = target.with_name(f"{target.name}_whole")
    predictor = TabularPredictor(label="target", eval_metric=metric, path=str(source), verbosity=0)
    predictor.fit(
        table,
        num_bag_folds=5,
        num_stack_levels=levels,
        hyperparameters=models,
        ag_args_ensemble=SEQUENTIAL,
        dynamic_stacking=False,
    )
    predictor.leaderboard().to_csv(source / "leaderboard.csv", index=False)
    emptied(source, target)
    table.to_csv(target / "train.csv", index=False)


def main():
    """Both runs."""
    folder = Path(sys.argv[1])
    cancer, wine = load_breast_cancer(as_frame=True), load_wine(as_frame=True)
    table = cancer.data.iloc[:150, :4].assign(
        target=cancer.target[:150].map({0: "malignant", 1: "benign"})
    )
    make(folder / "autogluon", table, "roc_auc", {"GBM": [{}, SMALL], **QUICK}, 1)
    table = wine.data.iloc[:, :4].assign(target=wine.target.map({0: 9, 1: 10, 2: 100}))
    make(folder / "autogluon_classes", table, "log_loss", QUICK, 0)


if __name__ == "__main__":
    main()
