"""Whether models are trained between the selection and their use."""

from __future__ import annotations

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.plan import Plan
from bbccli.types import Models


def models_of(plan: Plan, matrix: PredictionMatrix) -> Models:
    """Return what the plan says; else `trained` where the predictions come from folds.

    A fold, a repeat, a part held out and the run of a tool all mean that models were trained on
    some samples to predict others, and the winner will be trained again on all of them. Prompts,
    raters, and models that were finished before these samples were seen are fixed.
    """
    if plan.models is not None:
        return plan.models
    folds = matrix.folds is not None or matrix.repeated_holdout or matrix.n_repeats > 1
    return Models.TRAINED if folds or matrix.source.run else Models.FIXED
