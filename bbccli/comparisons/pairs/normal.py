"""A difference and its standard error: z, p-value and interval."""

from __future__ import annotations

from math import isnan

from bbccli.comparisons.pairs.case import PairAnswer, PairCase, two_sided_normal, undefined
from bbccli.intervals.ends import normal

ROUNDING = 1e-10
"""Share of the performances below which a standard error is rounding."""


def z_test(
    case: PairCase, difference: float, error: float, n_units: int, lacking: str
) -> PairAnswer:
    """Return the normal test of a difference from its standard error.

    Without a difference p is 1, also where the error is 0. Undefined where the error is NaN, for
    want of units (`lacking` names what there is but one of), or 0 beside a difference.
    """
    equal = abs(difference) <= case.rounding
    if isnan(error):
        why = f"{lacking} has no variance; two are the least"
        return undefined(case, why, "more samples", n_units=n_units)
    if error <= ROUNDING * float(abs(case.values).max()):
        if not equal:
            why = f"the difference, {difference:.3g}, has no variance"
            return undefined(case, why, "more samples", n_units=n_units)
        return PairAnswer(statistic=0.0, p=1.0, n_units=n_units)
    z = 0.0 if equal else difference / error
    interval = normal(difference, error, case.bounded, case.plan)
    return PairAnswer(statistic=z, p=two_sided_normal(z), interval=interval, n_units=n_units)
