"""Made `autosklearn` with auto-sklearn 0.15.0 and scikit-learn 0.24.2, on Python 3.9 and Linux.

`python make_autosklearn.py FOLDER` in an environment with `auto-sklearn==0.15.0` (`numpy<1.24`).
The data manager and the models are pickles that no reader opens: they are emptied.
"""

import shutil
import sys
from pathlib import Path

from autosklearn.classification import AutoSklearnClassifier
from sklearn.datasets import load_breast_cancer

READ = ("true_targets_ensemble.npy", "runhistory.json")


def main():
    """Fit with few models, and copy what a reader may look at."""
    target = Path(sys.argv[1]) / "autosklearn"
    source = target.with_name("autosklearn_whole")
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806
    automl = AutoSklearnClassifier(
        time_left_for_this_task=180,
        per_run_time_limit=40,
        initial_configurations_via_metalearning=0,
        include={"classifier": ["decision_tree", "gaussian_nb", "lda", "k_nearest_neighbors"]},
        resampling_strategy="cv",
        resampling_strategy_arguments={"folds": 4},
        tmp_folder=str(source),
        delete_tmp_folder_after_terminate=False,
        max_models_on_disc=None,
        smac_scenario_args={"runcount_limit": 9},
        n_jobs=1,
        seed=1,
    )
    automl.fit(X[:150, :4], y[:150])
    print(automl.leaderboard(ensemble_only=False))
    shutil.rmtree(target, ignore_errors=True)
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.name in READ or path.name.startswith("predictions_ensemble_"):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        elif path.suffix in (".model", ".pkl"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()


if __name__ == "__main__":
    main()
