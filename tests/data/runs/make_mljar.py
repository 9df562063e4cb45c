"""Made the runs of regression with mljar-supervised 1.3.2: `python make_mljar.py FOLDER`.

Needs `mljar-supervised`. `mljar_diabetes` scales its targets, `mljar_lognormal` their logarithms,
`mljar_weights` has weights of samples, `mljar_rare` copies of the rows of a rare class, and
`mljar_ranks` is scored by ranks, with equal targets and weights; both are in `../tools`. Of each
folder only what `bbc` reads is kept.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes
from supervised import AutoML

KEPT = (
    *("params.json", "data_info.json", "leaderboard.csv", "folds/*_validation_indices.npy"),
    *("*/framework.json", "*/ensemble.json", "*/predictions_*.csv", "*/learner_fold_*.log"),
)


def make(name: str, data: Any, y: Any, algorithms: list[str], metric: str, **given: Any) -> None:
    with tempfile.TemporaryDirectory() as made:
        AutoML(
            results_path=f"{made}/run",
            algorithms=algorithms,
            eval_metric=metric,
            validation_strategy={"validation_type": "kfold", "k_folds": 3, "shuffle": True},
            start_random_models=1,
            hill_climbing_steps=0,
            top_models_to_improve=0,
            golden_features=False,
            features_selection=False,
            kmeans_features=False,
            mix_encoding=False,
            stack_models=False,
            train_ensemble=True,
            explain_level=0,
            total_time_limit=60,
            n_jobs=1,
            random_state=1,
        ).fit(data, y, **given)
        for pattern in KEPT:
            for place in Path(f"{made}/run").glob(pattern):
                kept = Path(sys.argv[1]) / name / place.relative_to(f"{made}/run")
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(place, kept)


rng = np.random.default_rng(3)
diabetes, progression = load_diabetes(return_X_y=True, as_frame=True)
simple = ["Baseline", "Linear", "Decision Tree"]
near = [*simple, "Nearest Neighbors"]
make("mljar_diabetes", diabetes[:150], progression[:150], near, "rmse")
X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
y = pd.Series(np.exp(1.5 * X["a"] + rng.normal(size=120)))
make("mljar_lognormal", X, y, near, "mae")
cancer, malignant = load_breast_cancer(return_X_y=True, as_frame=True)
weights = pd.Series(rng.integers(1, 5, 150).astype(float))
make("mljar_weights", cancer.iloc[:150, :4], malignant[:150], simple, "auc", sample_weight=weights)
rare = pd.Series(np.where(rng.uniform(size=120) < 0.06, "few", "many"))
make("mljar_rare", X, rare, near, "logloss")
tied = pd.Series(np.round(10 * X["a"] + rng.normal(0, 5, 120)))
heavy = pd.Series(rng.integers(1, 5, 120).astype(float))
make("mljar_ranks", X, tied, near, "spearman", sample_weight=heavy)
