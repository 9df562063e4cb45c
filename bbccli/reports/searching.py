"""What reports say of the cost of a search."""

from __future__ import annotations

from bbccli.bootstrap.cost_records import SearchCost
from bbccli.reports import phrases
from bbccli.rounding import Digits, count


def cost_digits(cost: SearchCost) -> Digits:
    """How the figures of a cost are written: with three significant digits."""
    return phrases.digits_by(cost.metric, [*cost.naive, *cost.corrected])


def cost_sentence(cost: SearchCost) -> str:
    """Say after how many configurations searching stopped paying.

    Examples
    --------
    >>> naive, corrected = (0.8, 0.85, 0.9), (0.79, 0.82, 0.81)
    >>> cost_sentence(SearchCost(
    ...     "auc", Direction.MAXIMIZE, (1, 2, 3), naive, corrected, (0.002,) * 3, 2, 500))
    'Searching stopped paying after 2 of 3 configurations: the best of 2 is worth 0.820 AUC, \
the best of all 3 is worth 0.810; naively, it seemed to rise from 0.850 to 0.900.'
    """
    label, digits, last = (
        phrases.metric_label(cost.metric),
        cost_digits(cost),
        cost.counts[-1],
    )
    if last == 1:
        return "A single configuration takes part: no search can be seen."
    at = cost.counts.index(cost.enough)
    naive, corrected = (
        [digits.performance(line[i], "undefined") for i in (at, -1)]
        for line in (cost.naive, cost.corrected)
    )
    if cost.enough == last:
        rise = f"from {digits.performance(cost.corrected[0], 'undefined')} for one"
        return (
            f"The search paid to its end: the best of {count(last, 'configuration')} is worth "
            f"{corrected[1]} {label}, {rise}."
        )
    moved = "rise" if cost.direction == "maximize" else "fall"
    seemed = f"it seemed to {moved} from {naive[0]} to {naive[1]}"
    if naive[0] == naive[1]:
        seemed = f"both seemed to be worth {naive[0]}"
    return (
        f"Searching stopped paying after {cost.enough} of {count(last, 'configuration')}: the "
        f"best of {cost.enough} is worth {corrected[0]} {label}, the best of all {last} is "
        f"worth {corrected[1]}; naively, {seemed}."
    )
