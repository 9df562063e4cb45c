"""P-values of many pairs of configurations, adjusted for all of them together: max-T.

1. T_ab = |m_a - m_b| / se_ab, with the standard error from the influence values (`evidence`).
2. A draw multiplies the influence values by normal numbers (`simultaneous`), the same for all
   configurations; its statistic of a pair is |D_a - D_b| / se_ab. Of shares of samples T_ab is
   McNemar's.
3. p_ab is (1 + the draws whose largest statistic over all pairs reaches T_ab) / (B + 1).

Pairs that are correlated, as those that share a configuration are, cost less than with Holm.

Source: Westfall & Young 1993, single-step max-T.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.comparisons.evidence import evidence_of, same
from bbccli.comparisons.pairs.run import MaxT
from bbccli.comparisons.simultaneous import over_draws, scores, share_reaching
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.types import FloatArray


def max_t(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> MaxT:
    """Return what adjusts the p-values of some pairs of columns.

    1 where a difference is 0 on every sample; None where it is undefined, or the same on every
    sample but not 0.

    Raises
    ------
    UnsupportedError, UndefinedError
        When called: as `evidence_of`.
    """

    def adjust(pairs: Sequence[tuple[int, int]]) -> list[float | None]:
        evidence = evidence_of(matrix, metric, plan)
        first, second = np.array(pairs).T
        errors = np.array([evidence.errors_against(b)[a] for a, b in pairs])
        differences = evidence.gains[first] - evidence.gains[second]
        none = (errors == 0) & same(differences, evidence.gains[first])
        known = errors > 0
        p = np.where(none, 1.0, np.nan)
        if known.any():
            ours, theirs, scale = first[known], second[known], errors[known]

            weights = evidence.weights(evidence.influence[:, ours] - evidence.influence[:, theirs])

            def largest(drawn: FloatArray) -> FloatArray:
                return np.asarray((np.abs(drawn[:, ours] - drawn[:, theirs]) / scale).max(axis=1))

            maxima = np.concatenate(list(over_draws(evidence, plan, weights, largest)))
            p[known] = share_reaching(maxima, scores(evidence, np.abs(differences[known]) / scale))
        return [None if np.isnan(value) else float(value) for value in p]

    return adjust
