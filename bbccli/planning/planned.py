"""From a basis and a question to a plan.

The fewest rows are found by halving, for both targets fall with the rows: a width is reached where
it is expected to be, an optimism where its upper figure is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bbccli.core.notes import (
    Note,
    few_planned_rows,
    near_perfect,
    no_true_spread,
    not_attainable,
    rough_pilot,
)
from bbccli.core.progress import Progress, silent
from bbccli.metrics import METRICS
from bbccli.metrics.planned import check_apart
from bbccli.planning.basis import PlanBasis
from bbccli.planning.cells import bracket, cell, width
from bbccli.planning.check import check, law_of
from bbccli.planning.records import Cell, Halved, Planned, Target, Wanted

MOST_SAMPLES = 1_000_000
"""Rows at most: where even these do not reach it, something else than rows is lacking."""

FEW_ROWS = 50
"""Rows below which normal approximations are rough."""

SMALL_PILOT = 50, 10
"""Rows and configurations of a pilot below which its figures are rough."""

FIXED = "True performances are fixed: more rows also train better models, which no matrix shows."
NORMAL = "Performances are about normal by chance, and in truth; near the best value they are not."
OF_PILOT = (
    FIXED,
    "New rows come from where those of the pilot did, as many of each class and group.",
    "More configurations are of the same kind as those that were tried.",
    NORMAL,
)
STATED = (FIXED, "Rows are independent of each other, without groups.", NORMAL)


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Request for a plan.

    Attributes
    ----------
    target, value
        Quantity that rows are needed for, and its largest acceptable value; None where there is
        no target.
    samples, configurations
        Of the table; the largest number of configurations is the one that is answered for.
    within
        How far from the best still counts as near it.
    level, seed
        Of the intervals; of random numbers.
    checked
        True to simulate the chosen cell.
    """

    target: Target | None = None
    value: float = 0.0
    samples: Sequence[int] = ()
    configurations: Sequence[int] = ()
    within: float = 0.01
    level: float = 0.95
    seed: int = 0
    checked: bool = False


def planned_for(basis: PlanBasis, asked: PlanRequest, progress: Progress = silent) -> Planned:
    """Return the plan that answers a question.

    Raises
    ------
    OptionError
        A width, an optimism or a distance as large as any two values of the metric are apart.
    UnsupportedError
        A check of a metric that no law of simulation has.
    """
    sizes = {"within": asked.within}
    if asked.target is not None:
        sizes[str(asked.target)] = asked.value
    label = METRICS[basis.metric].label if basis.metric in METRICS else basis.metric
    for name, size in sizes.items():
        check_apart(name, size, label, basis.bounds)
    if asked.checked:
        law_of(basis)
    of = partial(cell, basis, level=asked.level, within=asked.within, seed=asked.seed)
    n_configurations = max(asked.configurations, default=basis.n_configurations)
    half = -(-n_configurations // 2)
    chosen_rows, wanted = next(iter(asked.samples), basis.n_samples or basis.least_samples), None
    fewest: dict[int, int | None] = dict.fromkeys((n_configurations, half))
    if asked.target is not None:
        question = (basis, asked.target, asked.value)
        fewest = {n: rows_for(*question, n, level=asked.level, seed=asked.seed) for n in fewest}
        chosen_rows = fewest[n_configurations] or MOST_SAMPLES
    chosen, halved = of(chosen_rows, n_configurations), None
    if asked.target is not None:
        reached = chosen.width if asked.target is Target.WIDTH else chosen.optimism_upper
        wanted = Wanted(asked.target, asked.value, fewest[n_configurations], reached)
    if n_configurations > 1:
        other = of(chosen_rows, half)
        changes = other.honest - chosen.honest, other.optimism - chosen.optimism
        halved = Halved(half, fewest[half], *changes)
    least = basis.n_samples or max(chosen_rows // 2, basis.least_samples)
    samples = sorted(set(asked.samples or (least, chosen_rows, 2 * chosen_rows)))
    counts = set(asked.configurations or (half, n_configurations, 2 * n_configurations))
    of_check = (asked.level, asked.within, asked.seed, progress)
    return Planned(
        **_told(basis, chosen),
        within=asked.within,
        wanted=wanted,
        chosen=chosen,
        halved=halved,
        cells=tuple(of(n, c) for n in samples for c in sorted(counts)),
        check=check(basis, chosen, *of_check) if asked.checked else None,
        assumptions=STATED if basis.n_samples is None else OF_PILOT,
        notes=tuple(_notes(basis, wanted, chosen)),
    )


def _told(basis: PlanBasis, chosen: Cell) -> dict[str, Any]:
    """Figures of the basis, by the names of `Planned`; chance in the chosen rows."""
    chance = basis.chance(chosen.n_samples)
    names = ("metric", "direction", "n_samples", "n_configurations", "spread", "spread_of_best")
    told = {name: getattr(basis, name) for name in (*names, "correlation", "prevalence")}
    told |= {n: getattr(chance, n) for n in ("noise", "noise_of_best", "noise_at_top", "error")}
    return told | {"expected": basis.direction.sign * basis.expected}


def _notes(basis: PlanBasis, wanted: Wanted | None, chosen: Cell) -> list[Note]:
    found = []
    if wanted is not None and wanted.n_samples is None:
        found.append(not_attainable(wanted.target, wanted.value, wanted.attainable, MOST_SAMPLES))
    if basis.near_perfect:
        found.append(near_perfect())
    if basis.spread == 0:
        found.append(no_true_spread(stated=basis.n_samples is None))
    size = basis.n_samples, basis.n_configurations
    if size[0] is not None and (size[0] < SMALL_PILOT[0] or size[1] < SMALL_PILOT[1]):
        found.append(rough_pilot(size[0], size[1]))
    if chosen.n_samples < FEW_ROWS:
        found.append(few_planned_rows(chosen.n_samples))
    return found


def rows_for(
    basis: PlanBasis,
    target: Target,
    value: float,
    n_configurations: int,
    *,
    level: float,
    seed: int = 0,
) -> int | None:
    """Return the fewest rows at which a target is at most `value`; None where none are."""

    def reached(n_samples: int) -> bool:
        if target is Target.WIDTH:
            return width(basis, n_samples, n_configurations, level, seed) <= value
        return bracket(basis, n_samples, n_configurations).upper <= value

    return first(reached, basis.least_samples, MOST_SAMPLES)


def first(holds: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the first whole number from `least` to `most` where something holds from then on.

    Examples
    --------
    >>> first(lambda n: n >= 137, 10, 1000), first(lambda n: n >= 137, 10, 100)
    (137, None)
    """
    if not holds(most):
        return None
    if holds(least):
        return least
    low, high = least, most
    while high - low > 1:
        middle = max(int((low * high) ** 0.5), low + 1)
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
