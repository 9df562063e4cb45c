"""P-values adjusted for the number of comparisons: Holm, Hochberg, Benjamini & Hochberg.

With p_(1) <= ... <= p_(m) in order:

1. Holm: the adjusted p_(i) is max over j <= i of min(1, (m - j + 1) p_(j)). It holds the
   probability of any false finding at the level, whatever the dependence.
2. Hochberg: min over j >= i of min(1, (m - j + 1) p_(j)). The same, for tests that are independent
   or positively dependent; never larger than Holm's.
3. BH: min over j >= i of min(1, m p_(j) / j). It holds the expected share of false findings among
   the findings, for tests that are independent or positively dependent.

`max-t` is not made of p-values, but of the joint distribution of the statistics: see
`simultaneous`.

Source: Holm 1979; Hochberg 1988; Benjamini & Hochberg 1995.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from bbccli.comparisons.records import Beliefs, Comparison, Verdict
from bbccli.types import Adjustment, FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) by Holm's step-down procedure.

    Source: Holm 1979.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _stepwise(p, lambda m, ranks: m - ranks + 1, down=True)


def hochberg(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) by Hochberg's step-up procedure.

    Source: Hochberg 1988.

    >>> hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _stepwise(p, lambda m, ranks: m - ranks + 1, down=False)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) for the false discovery rate.

    Source: Benjamini & Hochberg 1995.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _stepwise(p, lambda m, ranks: m / ranks, down=False)


ADJUSTMENTS: dict[Adjustment, Callable[[FloatArray], FloatArray]] = {
    Adjustment.HOLM: holm,
    Adjustment.HOCHBERG: hochberg,
    Adjustment.BH: benjamini_hochberg,
    Adjustment.NONE: lambda p: p,
}
"""Adjustments of p-values; `max-t` needs more than those."""


def adjusted_p(p: Sequence[float | None], how: Adjustment) -> list[float | None]:
    """Adjust p-values; undefined ones stay undefined and don't count.

    >>> adjusted_p([0.01, None, 0.04], Adjustment.HOLM)
    [0.02, None, 0.04]
    """
    defined = np.array([value for value in p if value is not None])
    raised = iter(ADJUSTMENTS[how](defined).tolist())
    return [None if value is None else next(raised) for value in p]


def with_adjusted(
    comparison: Comparison, p: float | None, how: Adjustment, level: float, sign: float | None
) -> Comparison:
    """Return a comparison with its adjusted p-value, and the verdict that follows from it.

    sign: positive where the first is better: the difference, or an effect.
    """
    verdict = verdict_by_p(sign, p, 1 - level)
    return replace(comparison, p_adjusted=p, adjustment=how.value, verdict=verdict)


def verdict_by_p(
    difference: float | None, p: float | None, alpha: float, beliefs: Beliefs | None = None
) -> Verdict:
    """Return the verdict on a difference at level 1 - alpha, from its p-value or the beliefs in it.

    A test of more than two configurations has no difference: it shows that they are not all alike.

    >>> str(verdict_by_p(0.02, 0.01, 0.05)), str(verdict_by_p(0.02, 0.2, 0.05))
    ('better', 'not-shown')
    """
    if beliefs is not None:
        shown = {
            Verdict.BETTER: beliefs.better,
            Verdict.WORSE: beliefs.worse,
            Verdict.NOT_WORSE: beliefs.better + beliefs.equal,
        }
        return next((v for v, belief in shown.items() if belief >= 1 - alpha), Verdict.NOT_SHOWN)
    if p is None:
        return Verdict.UNDEFINED
    if p > alpha or difference == 0:
        return Verdict.NOT_SHOWN
    if difference is None:
        return Verdict.DIFFERENT
    return Verdict.BETTER if difference > 0 else Verdict.WORSE


def _stepwise(
    p: FloatArray, factors: Callable[[int, FloatArray], FloatArray], *, down: bool
) -> FloatArray:
    """Multiply each p-value by the factor of its rank, and keep them in order."""
    m, order = len(p), np.argsort(p, kind="stable")
    raised = np.minimum(factors(m, np.arange(1.0, m + 1)) * p[order], 1.0)
    monotone = np.maximum.accumulate(raised) if down else np.minimum.accumulate(raised[::-1])[::-1]
    return monotone[np.argsort(order)]
