"""What is made in each bag, put together from its steps, and scored as any configuration is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bbccli.domain.estimate import EnsembleMember, Made
from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UndefinedError, parameter
from bbccli.metrics import METRICS
from bbccli.metrics.base import Metric
from bbccli.metrics.kernels.members import rounded
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.stats.making.interface import Calibrate, Combine, Find
from bbccli.stats.selection import MOST_SHARES
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import FloatArray, IntArray, Pooling, PredictionKind


class Steps(NamedTuple):
    """What is made in B bags.

    shares (B, C): of the members. made (R, N, B, ...): predictions. cuts (B,), optional.
    """

    shares: FloatArray
    made: FloatArray
    cuts: FloatArray | None


@dataclass(frozen=True, eq=False)
class Maker:
    """A rule bound to configurations: its steps, each repeated in the same bag.

    matrix: the configurations that may be members.
    rule: what it does, in a few words.
    combine, calibrate, find: the steps; None for one that is left out.
    calibration, tuned_for: names of the calibration, and of the metric that the cut is for.
    n_sweeps: passes over all samples that a bag takes, a measure of the work.
    of_several: False if a single configuration is selected, which keeps its name.
    called: name of what is made, if not that of the rule; tool: that deploys it; reported: its
        score by the tool.
    chosen_by: metric that chooses members, if not the one that selects.
    """

    matrix: PredictionMatrix
    rule: str
    combine: Combine = field(repr=False)
    calibrate: Calibrate | None = field(default=None, repr=False)
    find: Find | None = field(default=None, repr=False)
    calibration: str | None = None
    tuned_for: str | None = None
    of_several: bool = True
    n_sweeps: int = 1
    called: str = ""
    tool: str | None = None
    chosen_by: str = ""
    reported: float | None = None

    @cached_property
    def of_all(self) -> Steps:
        """What is made of all samples."""
        everything = np.ones((1, self.matrix.n_samples), np.uint8)
        return self.steps(everything, self.combine(everything))

    @property
    def name(self) -> str:
        """Name of what is made of all samples: its only member, or the rule."""
        members = np.flatnonzero(self.of_all.shares[0] > 0)
        alone = len(members) == 1 and not self.of_several
        return self.matrix.configurations[members[0]] if alone else self.called or self.rule

    @property
    def label(self) -> str:
        """The name, with the steps that follow."""
        steps = [self.calibration, self.tuned_for and f"tuned for {METRICS[self.tuned_for].label}"]
        return ", ".join([self.name, *filter(None, steps)])

    @cached_property
    def shipped(self) -> PredictionMatrix:
        """What is made of all samples, as a matrix of this one configuration.

        Raises UndefinedError: nothing can be made of them.
        """
        shares, made, cuts = self.of_all
        if np.isnan(shares).any() or (cuts is not None and np.isnan(cuts).any()):
            rule, why = parameter("select", self.rule), "its metric is undefined"
            if not np.isnan(shares).any():
                rule, why = "a tuned cut", f"{why}, or predictions are equal within folds"
            raise UndefinedError(
                f"nothing can be made of these samples by {rule}: {why}",
                hint="give another --metric; see bbc metrics",
            )
        matrix = of_columns(self.matrix, made, (self.name,))
        return matrix if cuts is None else matrix.with_threshold(float(cuts[0]))

    def steps(self, weights: IntArray, shares: FloatArray) -> Steps:
        """Return what is made of members with shares (B, C) in each bag (B, N)."""
        made = self.predictions(weights, shares)
        cuts = None if self.find is None else self.find(weights, made)
        return Steps(shares, made, cuts)

    def predictions(self, weights: IntArray, shares: FloatArray) -> FloatArray:
        """Return the predictions (R, N, B, ...) that are made in each bag (B, N), without a cut."""
        made = self.mixed(shares)
        return made if self.calibrate is None else self.calibrate(weights, made)

    def mixed(self, shares: FloatArray) -> FloatArray:
        """Return the predictions (R, N, B, ...) of members with shares (B, C)."""
        members = np.flatnonzero((shares > 0).any(axis=0))
        predictions = self.matrix.predictions[:, :, members]
        added = np.nan_to_num(shares[:, members])
        several = (added > 0).sum(axis=1) > 1
        if not several.any() and len(members):
            return predictions[:, :, added.argmax(axis=1)].astype(np.float64)
        mixed = np.einsum("rnc...,bc->rnb...", predictions, added, optimize=True)
        mixed[:, :, several] = rounded(mixed[:, :, several])
        return np.asarray(mixed, np.float64)

    def described(self, shares: FloatArray | None) -> Made:
        """Describe what is made of all samples, and its members in the bags: shares (B, C)."""
        final, names = self.of_all.shares[0], self.matrix.configurations
        often, mean = (None, None) if shares is None else ((shares > 0).mean(0), shares.mean(0))
        order = np.lexsort((np.arange(len(final)), -(final if mean is None else mean), -final))
        listed = [c for c in order if final[c] > 0 or (mean is not None and mean[c] > 0)]
        cuts = self.of_all.cuts
        return Made(
            rule=self.rule,
            ensemble=self.of_several,
            tool=self.tool,
            reported=self.reported,
            n_members=int((final > 0).sum()),
            mean_members=None if often is None else float(often.sum()),
            members=tuple(
                EnsembleMember(
                    names[c],
                    float(final[c]),
                    None if often is None else float(often[c]),
                    None if mean is None else float(mean[c]),
                )
                for c in listed[:MOST_SHARES]
            ),
            calibration=self.calibration,
            cut=None if cuts is None else float(cuts[0]),
            tuned_for=self.tuned_for,
        )

    def score(
        self,
        metric: Metric,
        pooling: Pooling,
        weights: IntArray,
        shares: FloatArray,
        judged: IntArray,
    ) -> FloatArray:
        """Score what is made in each bag (B, N) on rows `judged` (B, N): (B,), NaN if undefined."""
        values = np.full(len(weights), np.nan)
        n_repeats, n_samples, _, *classes = self.matrix.predictions.shape
        cell = metric.cell_bytes(n_samples, *classes) + 40 * (self.calibrate is not None)
        per_bag = n_repeats * n_samples * (cell + 16 * int(np.prod(classes)))
        for rows in _parts(np.flatnonzero(~np.isnan(shares).any(axis=1)), per_bag):
            _, made, cuts = self.steps(weights[rows], shares[rows])
            matrix = self.matrix
            if cuts is not None and metric.wants is PredictionKind.LABEL:
                made = np.where(np.isnan(cuts), 0.0, made > cuts)
                matrix = replace(matrix, kind=PredictionKind.LABEL, threshold=None)
            figures = scored(matrix, made, metric, pooling, judged[rows])
            values[rows] = figures if cuts is None else np.where(np.isnan(cuts), np.nan, figures)
        return values


def _parts(rows: IntArray, bytes_of_row: int) -> Iterator[IntArray]:
    """Split rows so that what is made for a part fits the memory of a thread."""
    settled = resources.current()
    step = max(settled.memory // (4 * settled.jobs * bytes_of_row), 1)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def scored(
    matrix: PredictionMatrix, made: FloatArray, metric: Metric, pooling: Pooling, weights: IntArray
) -> FloatArray:
    """Score each made configuration (R, N, B, ...) under its own row of weights (B, N): (B,)."""
    if len(weights) == 1:  # a single column counts as shared by all, and adds up in another order
        made, weights = np.repeat(made, 2, axis=2), np.repeat(weights, 2, axis=0)
        return scored(matrix, made, metric, pooling, weights)[:1]
    names = tuple(map(str, range(len(weights))))
    columns = np.arange(len(names))
    every = Candidates(of_columns(matrix, made, names), metric, pooling)
    return every.bind(columns).paired(weights, columns)


def of_columns(
    matrix: PredictionMatrix, made: FloatArray, names: tuple[str, ...]
) -> PredictionMatrix:
    """Return a matrix of the same samples with other configurations."""
    available = matrix.available
    if available is not None:  # the parts of a repeated hold-out, the same of all configurations
        available = np.repeat(available[:, :, :1], len(names), axis=2)
    return replace(
        matrix, predictions=made, configurations=names, available=available, nested=None, smaller=()
    )
