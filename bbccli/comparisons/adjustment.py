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

import numpy as np

from bbccli.types import Adjustment, FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) by Holm's step-down procedure.

    References
    ----------
    Holm 1979.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _stepwise(p, lambda m, ranks: m - ranks + 1, down=True)


def hochberg(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) by Hochberg's step-up procedure.

    References
    ----------
    Hochberg 1988.

    Examples
    --------
    >>> hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return _stepwise(p, lambda m, ranks: m - ranks + 1, down=False)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjust p-values (m,) for the false discovery rate.

    References
    ----------
    Benjamini & Hochberg 1995.

    Examples
    --------
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


def adjusted(p: Sequence[float | None], how: Adjustment) -> list[float | None]:
    """Adjust some p-values; those that are undefined stay so, and don't count.

    Examples
    --------
    >>> adjusted([0.01, None, 0.04], Adjustment.HOLM)
    [0.02, None, 0.04]
    """
    known = [value for value in p if value is not None]
    found = iter(ADJUSTMENTS[how](np.array(known)).tolist())
    return [None if value is None else next(found) for value in p]


def _stepwise(
    p: FloatArray, factors: Callable[[int, FloatArray], FloatArray], *, down: bool
) -> FloatArray:
    """Multiply each p-value by the factor of its rank, and keep them in order."""
    m, order = len(p), np.argsort(p, kind="stable")
    raised = np.minimum(factors(m, np.arange(1.0, m + 1)) * p[order], 1.0)
    kept = np.maximum.accumulate(raised) if down else np.minimum.accumulate(raised[::-1])[::-1]
    found = np.empty(m)
    found[order] = kept
    return found
