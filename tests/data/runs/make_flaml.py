"""Made `flaml` with FLAML 2.7.0, scikit-learn 1.9.1, LightGBM 4.7.0: `python make_flaml.py FOLDER`.

Needs `flaml[automl]`.
"""

import sys
from pathlib import Path

from flaml import AutoML
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, check_cv

from bbccli.recording import Recorder

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, y = X.iloc[:150, :4], y[:150]
cv = StratifiedKFold(4, shuffle=True, random_state=0)
rec = Recorder(Path(sys.argv[1]) / "flaml", X, y, cv=cv, scoring="roc_auc")


def metric(X_val, y_val, estimator, *args, **kwargs):  # noqa: N803
    """A loss, as FLAML wants it."""
    return 1 - rec.scorer(estimator, X_val, y_val), {}


AutoML().fit(
    X,
    y,
    task="classification",
    metric=metric,
    eval_method="cv",
    split_type=check_cv(rec.cv),
    sample=False,
    estimator_list=["lgbm", "rf", "extra_tree", "lrl1"],
    max_iter=10,
    seed=0,
    verbose=0,
    n_jobs=1,
)
