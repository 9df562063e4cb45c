"""From a basis and a question to a plan.

Both targets fall with the number of rows. A width is reached if the interval of `bbc correct` is
expected to be that narrow, or is in a given share of the studies; an optimism if its upper figure
is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, isfinite
from typing import Any

import numpy as np

from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, parameter
from bbccli.metrics.capped import check_below_range
from bbccli.notes import Note
from bbccli.notes.plans import (
    few_planned_rows,
    near_perfect,
    no_true_spread,
    not_attainable,
    rough_pilot,
)
from bbccli.planning.assumed import StatedBasis
from bbccli.planning.basis import first
from bbccli.planning.records import Cell, Check, Epochs, Halved, Planned, Target, Wanted
from bbccli.planning.studies import PlanBasis, Widths, by_simulation
from bbccli.platform.arguments import real
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, silent

MOST_SAMPLES = 1_000_000
"""Rows at most: if even these do not reach it, rows are not the problem."""

FEW_ROWS = 50
"""Rows below which normal approximations are rough."""

SMALL_PILOT = 50, 10
"""Rows and configurations of a pilot below which its figures are rough."""

MOST_FOLLOWED = 5
"""Times that an answer follows a check."""

POWER = 0.8
"""Share of the studies in which a difference is told."""

TOP = 4
"""A difference is of two among the best 1 / TOP of the configurations."""

MANY_EPOCHS = (1, 2, 4, 8)
"""Numbers of epochs that a plan shows."""

UNKNOWN = 0.25
"""Range of a probability that leaves it unknown."""

FIXED = (
    "The models' true performance stays fixed; in practice more samples also train better models."
)
OF_PILOT = (
    FIXED,
    "New samples come from the same population as the pilot, with the same class balance and "
    "group sizes.",
    "Any further configurations resemble those tried.",
)
STATED = (
    FIXED,
    "Rows are independent of each other, without groups.",
    "Sampling errors and true performances are about normal; near the best value they are not.",
)


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Request for a plan.

    target, value: quantity that rows are needed for, and its largest acceptable value; None without
        a target.
    samples, configurations: of the table; the answer is for the largest number of configurations.
    within: how far from the best still counts as near it; None for a hundredth of the range of the
        metric or, if infinite, of the expected performance.
    assurance: share of the studies that are to reach a width, in (0, 1), None for the mean width;
        or that are to tell two configurations apart, None for `POWER`.
    checked: True to simulate the chosen cell.
    details: True for cells of half and twice as many configurations.
    """

    target: Target | None = None
    value: float = 0.0
    samples: Sequence[int] = ()
    configurations: Sequence[int] = ()
    within: float | None = None
    assurance: float | None = None
    checked: bool = False
    details: bool = False

    def __post_init__(self) -> None:
        if self.assurance is None:
            return
        if not 0 < real(self.assurance, "assurance") < 1:
            raise OptionError(
                f"{parameter('assurance')} is {self.assurance:g}, not between 0 and 1",
                hint="the share of studies in which the width is to be reached, such as 0.8",
            )
        if self.target not in (Target.WIDTH, Target.DIFFERENCE):
            raise OptionError(
                f"{parameter('assurance')} goes with {parameter('width')} or "
                f"{parameter('difference')}",
                hint="ask for a width too, such as 0.1",
            )


def planned_for(
    basis: PlanBasis, request: PlanRequest, plan: Plan, progress: Progress = silent
) -> Planned:
    """Return the plan that answers a request.

    plan: of the planned intervals, as for `bbc correct`.
    Raises OptionError: a width, an optimism or a distance as large as the range of the metric.
    Raises UnsupportedError: a check of a cell that is too large.
    """
    return _Planner(basis, request, plan).planned(progress)


class _Planner:
    def __init__(self, basis: PlanBasis, request: PlanRequest, plan: Plan) -> None:
        self.basis, self.request, self.plan = basis, request, plan
        self.sign = basis.metric.direction.sign
        self.within = _within(basis) if request.within is None else request.within
        self.widths = Widths(basis, plan)
        sizes = {} if request.within is None else {"within": request.within}
        if request.target is not None:
            sizes[str(request.target)] = request.value
        for name, size in sizes.items():
            check_below_range(name, size, basis.metric.label, basis.metric.bounds)
        for n_samples in request.samples:
            if n_samples < basis.least_samples:
                raise OptionError(
                    f"{parameter('samples')} is {n_samples}, too few to resample",
                    hint=f"plan for {basis.least_samples} samples or more",
                )

    def planned(self, progress: Progress) -> Planned:
        """Return the whole plan."""
        basis, request = self.basis, self.request
        count = max(request.configurations, default=basis.n_configurations)
        half, wanted = -(-count // 2), None
        rows = next(iter(request.samples), basis.n_samples or basis.least_samples)
        if request.target is not None:
            wanted = self.wanted(count)
            rows = wanted.n_samples or MOST_SAMPLES
        checked = None
        if request.checked:
            rows, checked = self._checked(rows, count, progress)
            if wanted is not None and wanted.n_samples not in (None, rows):
                wanted = self._wanted(rows, wanted.n_samples_lower, rows)
        chosen = self.cell(rows, count)
        if wanted is not None:
            wanted = replace(wanted, attainable=self._reached(chosen, checked))
        halved = None
        if count > 1 and request.details:
            other = self.cell(chosen.n_samples, half)
            changes = other.honest - chosen.honest, other.optimism - chosen.optimism
            fewer = self.wanted(half).n_samples if request.target is not None else None
            halved = Halved(half, fewer, *changes)
        return Planned(
            **self._of_basis(chosen),
            within=self.within,
            wanted=wanted,
            chosen=chosen,
            halved=halved,
            cells=tuple(self._cells(chosen, half)),
            check=checked,
            details=request.details,
            epochs=self._epochs(),
            assumptions=STATED if basis.n_samples is None else OF_PILOT,
            notes=tuple(self._notes(wanted, chosen)),
        )

    def _reached(self, chosen: Cell, checked: Check | None) -> float:
        """Value that the chosen rows attain of the target."""
        if self.request.target is Target.DIFFERENCE:
            return self._smallest_difference(chosen.n_samples)
        if self.request.target is Target.OPTIMISM:
            return chosen.optimism_upper
        if checked is not None:
            return checked.width if checked.width_assured is None else checked.width_assured
        return self.widths.of(chosen.n_samples, chosen.n_configurations, self.request.assurance)

    def _smallest_difference(self, n_samples: int, n_epochs: float | None = None) -> float:
        """Return the smallest difference between two configurations that this many rows tell apart.

        (z_(1 - a/2) + z_power) times the standard error of a difference in the same rows, which is
        sqrt(2) times the noise of each relative to the others. With another number of epochs, the
        part of its square that epochs explain is divided by this number instead.

        Source: Miller 2024, section 5: n = (z_(a/2) + z_b)^2 (omega^2 + sigma^2 / K) / delta^2.
        """
        from scipy.special import ndtri

        noise, _ = self.basis.chance_and_truth(n_samples, TOP)
        square = 2 * noise**2
        of_epoch = self.basis.epoch_noise(TOP)
        if of_epoch is not None and n_epochs is not None and self.basis.n_samples is not None:
            part = 2 * of_epoch * self.basis.n_samples / n_samples
            square += part / n_epochs - part / self.basis.n_epochs
        z = ndtri((1 + self.plan.level) / 2) + ndtri(self.request.assurance or POWER)
        return float(z * np.sqrt(square))

    def _rows_for_difference(self, n_epochs: float | None = None) -> int | None:
        def holds(n_samples: int) -> bool:
            return self._smallest_difference(n_samples, n_epochs) <= self.request.value

        return first(holds, self.basis.least_samples, MOST_SAMPLES)

    def _epochs(self) -> tuple[Epochs, ...]:
        """Items against epochs; empty where unknown, or where all variance is of epochs."""
        basis = self.basis
        of_epoch = basis.epoch_noise(TOP)
        if self.request.target is not Target.DIFFERENCE or of_epoch is None:
            return ()
        noise, _ = basis.chance_and_truth(basis.n_samples or basis.least_samples, TOP)
        if noise**2 <= of_epoch / basis.n_epochs:
            return ()
        numbers = sorted({*MANY_EPOCHS, self.basis.n_epochs})
        finite = [Epochs(n, self._rows_for_difference(n)) for n in numbers]
        return (*finite, Epochs(None, self._rows_for_difference(np.inf)))

    def _cells(self, chosen: Cell, half: int) -> list[Cell]:
        rows, count = chosen.n_samples, chosen.n_configurations
        least = self.basis.n_samples or max(rows // 2, self.basis.least_samples)
        samples = sorted(set(self.request.samples or (least, rows, 2 * rows)))
        usual = (half, count, 2 * count) if self.request.details else (count,)
        counts = sorted(set(self.request.configurations or usual))
        return [self.cell(n, c) for n in samples for c in counts]

    def cell(self, n_samples: int, n_configurations: int) -> Cell:
        """Return a cell; performances have the metric's own sign."""
        outlook = self.basis.outlook(n_samples, n_configurations, self.within)
        low, high = outlook.near
        return Cell(
            n_samples=n_samples,
            n_configurations=n_configurations,
            naive=self.sign * (outlook.honest + outlook.middle),
            honest=self.sign * outlook.honest,
            optimism=outlook.middle,
            optimism_lower=outlook.lower,
            optimism_upper=outlook.upper,
            width=self.widths.of(n_samples, n_configurations),
            near_best=(low + high) / 2 if high - low < UNKNOWN else float("nan"),
            near_best_lower=low,
            near_best_upper=high,
            difference=self._smallest_difference(n_samples)
            if self.request.target is Target.DIFFERENCE
            else None,
        )

    def wanted(self, count: int) -> Wanted:
        """Return the rows that the target takes with so many configurations."""
        basis, request = self.basis, self.request
        least, target = basis.least_samples, request.target or Target.WIDTH
        if target is Target.WIDTH:
            rows = self.widths.rows_for(
                request.value, count, least, MOST_SAMPLES, request.assurance
            )
            return self._wanted(rows, None, None)
        if target is Target.DIFFERENCE:
            return self._wanted(self._rows_for_difference(), None, None)
        low, rows = (self._first_rows(figure, count) for figure in ("lower", "upper"))
        return self._wanted(rows, low, rows)

    def _first_rows(self, figure: str, count: int) -> int | None:
        """Fewest rows at which a figure of the optimism reaches the target."""

        def holds(n_samples: int) -> bool:
            outlook = self.basis.outlook(n_samples, count, self.within)
            return bool(getattr(outlook, figure) <= self.request.value)

        return first(holds, self.basis.least_samples, MOST_SAMPLES)

    def _wanted(self, rows: int | None, lower: int | None, upper: int | None) -> Wanted:
        target = self.request.target or Target.WIDTH
        if target is Target.WIDTH:
            lower, upper = self.widths.range_of(rows, self.basis.least_samples)
        value, assurance = self.request.value, self.request.assurance
        if target is Target.DIFFERENCE:
            assurance = assurance or POWER
        return Wanted(target, value, rows, float("nan"), lower, upper, assurance)

    def _checked(self, rows: int, count: int, progress: Progress) -> tuple[int, Check]:
        """Return the rows that simulated studies ask for, and what studies of this size say."""
        width = self.request.value if self.request.target is Target.WIDTH else None

        def seen(n_samples: int) -> Check:
            size = n_samples, count
            terms = self.within, width, self.request.assurance
            return by_simulation(self.basis, size, self.plan, *terms, progress)

        result = seen(rows)
        for _ in range(MOST_FOLLOWED):
            if (other := self._rows_by_check(rows, result)) == rows:
                break
            rows, result = other, seen(other)
        return rows, result

    def _rows_by_check(self, rows: int, result: Check) -> int:
        """Rows that a target takes by a check of so many; the same, but where it is sure.

        An optimism is planned by its upper figure, so that a check may show less.
        """
        target, value = self.request.target, self.request.value
        if target in (None, Target.DIFFERENCE) or rows >= MOST_SAMPLES:
            return rows
        seen, error = result.optimism, result.optimism_error
        if target is Target.WIDTH:
            seen, error = result.width_assured or result.width, result.width_error
        fewer = target is Target.WIDTH and seen + 2 * error < value
        if not isfinite(seen) or not (fewer or seen - 2 * error > value):
            return rows
        return int(
            np.clip(ceil(rows * (seen / value) ** 2), self.basis.least_samples, MOST_SAMPLES)
        )

    def _of_basis(self, chosen: Cell) -> dict[str, Any]:
        basis = self.basis
        names = ("n_samples", "n_configurations", "contenders", "correlation", "prevalence")
        (noise, spread), (noise_of_best, spread_of_best), (noise_at_top, _) = (
            basis.chance_and_truth(chosen.n_samples, share) for share in (1, 4, 10)
        )
        return {name: getattr(basis, name) for name in names} | {
            "metric": basis.metric.name,
            "direction": basis.metric.direction,
            "expected": self.sign * basis.expected,
            "error": basis.error(chosen.n_samples),
            "noise": noise,
            "noise_of_best": noise_of_best,
            "noise_at_top": noise_at_top,
            "spread": spread,
            "spread_of_best": spread_of_best,
        }

    def _notes(self, wanted: Wanted | None, chosen: Cell) -> list[Note]:
        basis, notes = self.basis, []
        if wanted is not None and wanted.n_samples is None:
            size = wanted.target, wanted.value, wanted.attainable
            notes.append(not_attainable(*size, MOST_SAMPLES))
        if basis.near_perfect:
            notes.append(near_perfect())
        if isinstance(basis, StatedBasis) and basis.stated.spread == 0:
            notes.append(no_true_spread())
        rows, count = basis.n_samples, basis.n_configurations
        if rows is not None and (rows < SMALL_PILOT[0] or count < SMALL_PILOT[1]):
            notes.append(rough_pilot(rows, count))
        if chosen.n_samples < FEW_ROWS:
            notes.append(few_planned_rows(chosen.n_samples))
        return notes


def _within(basis: PlanBasis) -> float:
    """A hundredth of the range of a metric or, without bounds, of the expected performance."""
    low, high = basis.metric.bounds
    return 0.01 * (high - low if isfinite(high - low) else abs(basis.expected))
