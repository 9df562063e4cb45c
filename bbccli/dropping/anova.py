"""ANOVA race: a mixed model of the performances by fold, with the folds as random effects.

1. Performance = configuration + fold + error, estimated by REML.
2. A two-sided Wald interval, at the level of the threshold, for the difference of each
   configuration to the one with the best mean.
3. Drop a configuration whose interval lies wholly on the worse side of zero.

Every configuration has been in every fold, so the design is balanced and REML has a closed form:
differences of means, and the mean square of the error from the two-way table. Where the folds
differ by less than the error does, their variance is estimated as zero, and both sums of squares
are pooled. The first test comes after three folds.

Source: Kuhn 2014; the form is that of `tune_race_anova` in the R package finetune.
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, compare, leader
from bbccli.dropping.standing import Standing
from bbccli.types import FloatArray


def anova(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations whose difference to the best is significant.

    References
    ----------
    Kuhn 2014.
    """

    def test(gains: FloatArray) -> Verdict:
        from scipy.special import ndtr, ndtri

        best, means, behind = leader(gains)
        error = np.sqrt(2 * error_variance(gains) / len(gains))
        differences = means - means[best]
        upper = differences + ndtri((1 + threshold) / 2) * error
        with np.errstate(divide="ignore", invalid="ignore"):
            p_value = np.where(behind, 2 * ndtr(differences / error), 1.0)
        return Verdict(behind & (upper < 0), p_value=p_value)

    return compare(standing, test)


def error_variance(gains: FloatArray) -> float:
    """REML estimate of the error's variance from gains (S, C) of S folds, S and C at least 2."""
    n_folds, n_raced = gains.shape
    by_fold, overall = gains.mean(axis=1), float(gains.mean())
    residuals = gains - by_fold[:, None] - gains.mean(axis=0) + overall
    of_error, of_folds = (n_folds - 1) * (n_raced - 1), n_folds - 1
    error = float((residuals**2).sum())
    folds = n_raced * float(((by_fold - overall) ** 2).sum())
    if folds / of_folds >= error / of_error:
        return float(error / of_error)
    return float((error + folds) / (of_error + of_folds))


RULE = Rule(
    name="anova",
    label="mixed model over folds",
    run=anova,
    needs=frozenset({Requirement.FOLDS}),
    threshold=0.95,
    min_folds=3,
    reference="Kuhn 2014",
)
