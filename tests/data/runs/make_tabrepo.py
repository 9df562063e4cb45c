"""Made `tabrepo` with TabArena 0.1.0, AutoGluon 1.6.3 and scikit-learn 1.9.1.

`python make_tabrepo.py FOLDER` in an environment with `autogluon.tabular[lightgbm]` and
`tabarena`, on Linux with Python 3.11. The artefacts of a task are `<data set>/<fold>`.
"""

import sys
import tempfile
from pathlib import Path

from autogluon.common.utils.simulation_utils import (
    convert_simulation_artifacts_to_tabular_predictions_dict,
)
from autogluon.tabular import TabularPredictor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from tabarena.predictions.tabular_predictions import TabularPredictionsInMemory
from tabarena.simulation.ground_truth import GroundTruth

SMALL = {"num_leaves": 5, "learning_rate": 0.1, "ag_args": {"name_suffix": "Small"}}
MODELS = {"GBM": [{}, SMALL], "RF": {"n_estimators": 30}, "LR": {}}
N_TEST = 40


def artefact(table, metric, place):
    """Fit the models in bags, and return what TabArena stores; scores are printed."""
    train, test = table[:-N_TEST], table[-N_TEST:]
    predictor = TabularPredictor("target", eval_metric=metric, path=place, verbosity=0).fit(
        train,
        num_bag_folds=4,
        num_stack_levels=0,
        fit_weighted_ensemble=False,
        hyperparameters=MODELS,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local", "use_child_oof": False},
        dynamic_stacking=False,
    )
    print(place, predictor.leaderboard()[["model", "score_val"]], sep="\n")
    return predictor.simulation_artifact(test)


def main():
    """A task of each kind: two classes, three, and numbers."""
    folder = Path(sys.argv[1]) / "tabrepo"
    cancer, wine = load_breast_cancer(as_frame=True), load_wine(as_frame=True)
    tasks = {
        "cancer": (cancer, {0: "malignant", 1: "benign"}, "roc_auc"),
        "wine": (wine, {0: "barolo", 1: "grignolino", 2: "barbera"}, "log_loss"),
        "diabetes": (load_diabetes(as_frame=True), None, "rmse"),
    }
    found = {}
    with tempfile.TemporaryDirectory() as place:
        for name, (data, classes, metric) in tasks.items():
            table = data.data.iloc[:, :4].assign(target=data.target).sample(175, random_state=0)
            if classes:
                table["target"] = table["target"].map(classes)
            found[name] = {0: artefact(table, metric, f"{place}/{name}")}
    # what EvaluationRepository.to_dir does for each task
    predictions, truth = convert_simulation_artifacts_to_tabular_predictions_dict(found)
    TabularPredictionsInMemory.from_dict(predictions).to_data_dir(str(folder))
    GroundTruth.from_dict(truth).to_data_dir(str(folder))


if __name__ == "__main__":
    main()
