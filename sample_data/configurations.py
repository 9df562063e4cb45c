"""Configurations: scaling, feature selection and learner in one pipeline, over a grid each.

Every step that looks at the data sits inside the pipeline and so inside the fold. Ids are the
family and the tuned parameters, for example `svm-rbf C=1 gamma=0.1 k=5`; `k` is the number of
features that a univariate F test keeps, and no `k` means all of them.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import complexity as df
from complexity import Complexity, TrainingSize

SEED = 0

ALL = None  # every feature
NO_LIMIT = None  # on the depth of a tree
SELECTIONS = (3, 5, ALL)

SHORT_NAMES = {
    "alphas": "alpha",
    "l1_ratio": "l1",
    "learning_rate": "rate",
    "max_depth": "depth",
    "max_features": "features",
    "min_samples_leaf": "leaf",
    "n_estimators": "trees",
    "n_neighbors": "neighbours",
    "var_smoothing": "smoothing",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """One candidate pipeline, unfitted, with what the metadata says about it."""

    id: str
    family: str
    params: dict[str, Any]
    complexity: float
    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class Family:
    """A learner with a grid of tuning parameters and of numbers of selected features."""

    name: str
    learner: BaseEstimator
    complexity: Complexity
    grid: Mapping[str, Sequence[Any]]
    selections: Sequence[int | None] = (ALL,)
    selection_test: Callable[..., Any] = f_classif

    def configurations(self, size: TrainingSize) -> Iterator[Configuration]:
        """Yield one configuration for each cell of the grid and each number of features."""
        for values in itertools.product(*self.grid.values()):
            params = dict(zip(self.grid, values, strict=True))
            for k in self.selections:
                yield self._configuration(size, params, k)

    def _configuration(
        self, size: TrainingSize, params: dict[str, Any], k: int | None
    ) -> Configuration:
        learner = clone(self.learner).set_params(**params)
        steps = [StandardScaler(), learner]
        if k is not ALL:
            steps.insert(1, SelectKBest(self.selection_test, k=k))
            size = replace(size, n_features=k)
        named = params if k is ALL else {**params, "k": k}
        return Configuration(
            id=" ".join([self.name, *map(_label, named.items())]),
            family=self.name,
            params=named,
            complexity=round(self.complexity(size, params), 3),
            pipeline=make_pipeline(*steps),
        )


def expand(families: Sequence[Family], size: TrainingSize) -> list[Configuration]:
    """Configurations of all families, in order."""
    return [one for family in families for one in family.configurations(size)]


def binary(size: TrainingSize) -> list[Configuration]:
    """Classifiers of two classes."""
    return expand([*_linear_classifiers(), *_local_classifiers(), *_tree_classifiers()], size)


def multiclass(size: TrainingSize) -> list[Configuration]:
    """Classifiers that give a probability for each of several classes."""
    leaves = {"min_samples_leaf": (1, 3, 5)}
    families = [
        Family(
            "logistic-l2",
            LogisticRegression(max_iter=5000),
            df.logistic,
            {"C": (0.001, 0.01, 0.1, 1)},
        ),
        Family("knn", KNeighborsClassifier(), df.neighbours, {"n_neighbors": (1, 3, 5, 9)}),
        Family("naive-bayes", GaussianNB(), df.naive_bayes, {"var_smoothing": (0.01, 0.1, 1)}),
        Family(
            "lda",
            LinearDiscriminantAnalysis(solver="lsqr"),
            df.lda,
            {"shrinkage": (0.1, 0.5, 0.9)},
        ),
        Family(
            "tree", DecisionTreeClassifier(random_state=SEED), df.tree, {"max_depth": (4, 6, 8)}
        ),
        Family("forest", RandomForestClassifier(random_state=SEED), df.forest, leaves),
        Family("extra-trees", ExtraTreesClassifier(random_state=SEED), df.forest, leaves),
    ]
    return expand(families, size)


def regression(size: TrainingSize) -> list[Configuration]:
    """Regressors of a continuous outcome."""
    trees = {"max_depth": (3, NO_LIMIT), "min_samples_leaf": (1, 5)}
    families = [
        Family(
            "ridge",
            Ridge(),
            df.ridge,
            {"alpha": (0.1, 1, 10, 100, 1000)},
            SELECTIONS,
            f_regression,
        ),
        Family("lasso", Lasso(max_iter=10_000), df.penalised_mean_loss, {"alpha": (0.1, 1, 3, 10)}),
        Family(
            "elastic-net",
            ElasticNet(max_iter=10_000),
            df.penalised_mean_loss,
            {"alpha": (0.01, 0.1, 1, 3)},
        ),
        Family("svm-rbf", SVR(), df.radial_svm, {"C": (10, 100, 1000), "gamma": (0.01, 0.1)}),
        Family(
            "knn",
            KNeighborsRegressor(),
            df.neighbours,
            {"n_neighbors": (3, 5, 9, 15, 25)},
            (5, ALL),
            f_regression,
        ),
        Family(
            "tree",
            DecisionTreeRegressor(random_state=SEED),
            df.tree,
            {"max_depth": (1, 2, 3, 4), "min_samples_leaf": (5, 20)},
        ),
        Family(
            "forest", RandomForestRegressor(max_features=0.5, random_state=SEED), df.forest, trees
        ),
        Family("extra-trees", ExtraTreesRegressor(random_state=SEED), df.forest, trees),
        Family(
            "boosting",
            GradientBoostingRegressor(random_state=SEED),
            df.boosting,
            {"n_estimators": (50, 100), "max_depth": (1, 2, 3), "learning_rate": (0.1,)},
        ),
    ]
    return expand(families, size)


def _linear_classifiers() -> list[Family]:
    """Linear and quadratic boundaries in the selected features."""
    return [
        Family(
            "logistic-l2",
            LogisticRegression(max_iter=5000),
            df.logistic,
            {"C": (0.001, 0.01, 0.1, 1, 10, 100)},
            SELECTIONS,
        ),
        Family(
            "logistic-l1",
            LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=5000, random_state=SEED),
            df.logistic,
            {"C": (0.1, 0.3, 1, 3, 10)},
            SELECTIONS,
        ),
        Family(
            "svm-linear", SVC(kernel="linear"), df.linear_svm, {"C": (0.01, 0.1, 1, 10)}, SELECTIONS
        ),
        Family(
            "lda",
            LinearDiscriminantAnalysis(solver="lsqr"),
            df.lda,
            {"shrinkage": (0.0, 0.1, 0.5, 0.9)},
            SELECTIONS,
        ),
        Family(
            "qda",
            QuadraticDiscriminantAnalysis(solver="eigen"),
            df.qda,
            {"shrinkage": (0.1, 0.3, 0.5, 0.9)},
            SELECTIONS,
        ),
        Family(
            "naive-bayes",
            GaussianNB(),
            df.naive_bayes,
            {"var_smoothing": (1e-9, 0.1, 1)},
            SELECTIONS,
        ),
    ]


def _local_classifiers() -> list[Family]:
    """Boundaries made of neighbourhoods."""
    return [
        Family(
            "svm-rbf",
            SVC(),
            df.radial_svm,
            {"C": (0.1, 1, 10, 100), "gamma": (0.01, 0.1, 1)},
            (5, ALL),
        ),
        Family(
            "knn",
            KNeighborsClassifier(),
            df.neighbours,
            {"n_neighbors": (1, 3, 5, 9, 15, 25)},
            SELECTIONS,
        ),
    ]


def _tree_classifiers() -> list[Family]:
    """Trees and ensembles of trees, which select features by themselves."""
    grown = {
        "max_depth": (2, 4, NO_LIMIT),
        "min_samples_leaf": (1, 5),
        "max_features": ("sqrt", 0.5),
    }
    return [
        Family(
            "tree",
            DecisionTreeClassifier(random_state=SEED),
            df.tree,
            {"max_depth": (1, 2, 3, 5, NO_LIMIT), "min_samples_leaf": (1, 5, 10)},
        ),
        Family("forest", RandomForestClassifier(random_state=SEED), df.forest, grown),
        Family("extra-trees", ExtraTreesClassifier(random_state=SEED), df.forest, grown),
        Family(
            "boosting",
            GradientBoostingClassifier(random_state=SEED),
            df.boosting,
            {
                "n_estimators": (20, 50, 100),
                "max_depth": (1, 2, 3),
                "learning_rate": (0.03, 0.1),
            },
        ),
    ]


def _label(parameter: tuple[str, Any]) -> str:
    """`name=value` as it stands in an id."""
    name, value = parameter
    if isinstance(value, (list, tuple)):
        (value,) = value
    text = "none" if value is None else str(value) if isinstance(value, str) else f"{value:g}"
    return f"{SHORT_NAMES.get(name, name)}={text}"
