"""Configurations for a right-censored outcome; predictions are risk scores, higher = earlier."""

import sksurv
from sksurv.ensemble import (
    ComponentwiseGradientBoostingSurvivalAnalysis,
    ExtraSurvivalTrees,
    GradientBoostingSurvivalAnalysis,
    RandomSurvivalForest,
)
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.tree import SurvivalTree

import complexity as df
from complexity import TrainingSize
from configurations import SEED, Configuration, Family, expand

SOURCE = {"tool": "scikit-survival", "tool_version": sksurv.__version__}


def survival(size: TrainingSize) -> list[Configuration]:
    """Cox regressions, survival trees and their ensembles."""
    return expand([*_cox_regressions(), *_survival_trees(), *_boosted_survival()], size)


def _cox_regressions() -> list[Family]:
    """Proportional hazards with ridge and elastic-net penalties."""
    return [
        Family(
            "cox-ridge",
            CoxPHSurvivalAnalysis(n_iter=200),
            df.penalised_mean_loss,
            {"alpha": (0.001, 0.01, 0.1, 1)},
        ),
        Family(
            "coxnet",
            CoxnetSurvivalAnalysis(),
            df.coxnet,
            {"l1_ratio": (0.5, 1.0), "alphas": ([0.01], [0.03], [0.1])},
        ),
    ]


def _survival_trees() -> list[Family]:
    """One tree, or many grown on bootstrap samples or with random cuts."""
    leaves = {"min_samples_leaf": (5, 15, 30)}
    settings = {"n_estimators": 50, "low_memory": True, "random_state": SEED}
    return [
        Family(
            "survival-tree",
            SurvivalTree(min_samples_leaf=10, low_memory=True, random_state=SEED),
            df.tree,
            {"max_depth": (1, 2, 4)},
        ),
        Family("survival-forest", RandomSurvivalForest(**settings), df.forest, leaves),
        Family("extra-survival-trees", ExtraSurvivalTrees(**settings), df.forest, leaves),
    ]


def _boosted_survival() -> list[Family]:
    """Boosted partial likelihood, by trees or by one coefficient at a time."""
    return [
        Family(
            "boosting",
            GradientBoostingSurvivalAnalysis(random_state=SEED),
            df.boosting,
            {"n_estimators": (50, 100), "max_depth": (1, 2), "learning_rate": (0.1,)},
        ),
        Family(
            "componentwise-boosting",
            ComponentwiseGradientBoostingSurvivalAnalysis(random_state=SEED),
            df.componentwise_boosting,
            {"n_estimators": (50, 200), "learning_rate": (0.1,)},
        ),
    ]
