"""Made `h2o` with H2O 3.46.0.12 and Java 17: `python make_h2o.py FOLDER`."""

import sys
from pathlib import Path

import h2o
import numpy as np
import pandas as pd
from h2o.automl import H2OAutoML


def main():
    """Three classes; two targets are missing. H2O predicts these rows and scores them never."""
    folder = Path(sys.argv[1]) / "h2o"
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(220, 4)).round(4), columns=list("abcd"))
    score = table.a + 0.7 * table.b + rng.normal(size=220)
    table["y"] = np.array(["x", "y", "z"])[np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))]
    table.loc[[10, 11], "y"] = None
    table.to_csv(folder / "whole.csv", index=False)
    h2o.init()
    frame = h2o.import_file(str(folder / "whole.csv"), na_strings=[""])
    frame["y"] = frame["y"].asfactor()
    kept = ("keep_cross_validation_predictions", "keep_cross_validation_fold_assignment")
    automl = H2OAutoML(
        max_models=3,
        seed=1,
        nfolds=4,
        sort_metric="logloss",
        exclude_algos=["DeepLearning", "StackedEnsemble", "XGBoost"],
        **dict.fromkeys(kept, True),
    )
    automl.train(y="y", training_frame=frame)
    automl.leaderboard.as_data_frame().to_csv(folder / "leaderboard.csv", index=False)
    for name in automl.leaderboard.as_data_frame()["model_id"]:
        model, place = h2o.get_model(name), str(folder / name)
        predictions, folds = (
            model.cross_validation_holdout_predictions(),
            model.cross_validation_fold_assignment(),
        )
        h2o.export_file(predictions, f"{place}.cv_holdout_predictions.csv", force=True)
        h2o.export_file(folds, f"{place}.cv_fold_assignment.csv", force=True)
    (folder / "whole.csv").unlink()
    table[["y"]].to_csv(folder / "train.csv", index=False)


if __name__ == "__main__":
    main()
