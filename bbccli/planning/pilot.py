"""The basis that a pilot gives.

What a pilot leaves open is which of its configurations are truly better: those near the top differ
by chance as much as in truth. So two truths are simulated that should enclose the real one.

1. m_j are the performances, L_ij the influence of unit i on configuration j: of a mean of losses
   the loss less the mean, of an AUC the placement less the AUC. Rows, or groups of rows, are units.
2. A study of N rows has the performances theta_j + sqrt(n / N) sum_i w_i L_ij, where the w_i are
   counts of a bootstrap sample of the n rows of the pilot, less 1: configurations that err on the
   same rows do so again.
3. Contenders are the configurations that are at most three standard errors, of the difference in
   the same rows, below the best. Of the two truths one has all contenders as good as the best; it
   gives the upper figure of the optimism, which is raised by a tenth. In the other one contenders
   lie half again as far below the best as they were seen to; it gives the lower figure.
4. The optimism is the mean of w L of the winner less that of all configurations, which is 0 on
   average and takes off what all have in common.
5. The winner's true performance is anchored at the corrected figures of the pilot: what the best of
   c configurations is worth by BBC (the cost of the search), up to C. To it comes what the mean of
   both truths says of other rows, and of more configurations.
6. More configurations than the pilot's are copies of those in it, drawn at random. Their errors
   share what all have in common, and of the rest the mean correlation of the contenders with the
   best one.

7. Studies of intervals are rows of the pilot, drawn again. In them its configurations differ by the
   chance of the pilot as well, so that selection looks easier than it is: widths are raised by a
   tenth.

Source: steps 1 and 2 are the bootstrap of influence values (Efron & Tibshirani 1993, chapters 6 and
11), step 3 are contenders as by Hsu's multiple comparisons with the best. What these
factors achieve is measured: see docs/plan.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import ceil, sqrt

import numpy as np
from numpy.random import Generator

from bbccli.comparisons.influences import Influences, evidence_of
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, parameter
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import attainable, with_plan
from bbccli.planning.basis import DrawnStudy, Outlook, best_of
from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.search_cost import search_cost
from bbccli.stats.case import Case
from bbccli.types import BoolArray, FloatArray, IntArray, Task

NEAR = 2.0
"""Standard errors from the best value within which a performance is nearly perfect."""

REACH = 3.0
"""Standard errors of the difference within which a configuration is a contender."""

EQUAL, APART = 1.0, -0.5
"""Shares by which contenders are drawn towards the best, in the two truths."""

RAISED = 1.1
"""Factor of the upper figure, and of widths."""

N_DRAWN = 400
"""Simulated studies behind an outlook."""

MOST_DRAWN = 2 * 10**7
"""Performances of them, at most."""


def of_pilot(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> PilotBasis:
    """Return the basis from a matrix, under a metric.

    Raises UnsupportedError: a metric that jumps: it has no influence values.
    Raises UndefinedError: fewer than two defined configurations; or as BBC or the influence values.
    """
    evidence = evidence_of(matrix, metric, plan)
    defined = np.flatnonzero(evidence.defined)
    if len(defined) < 2:
        which = "only 1" if len(defined) else "no"
        raise UndefinedError(
            f"{metric.label} varies for {which} configuration of the pilot, so nothing is known of "
            "the others",
            hint="a pilot in which it varies for two configurations or more; or "
            f"{parameter('expected')} without a file",
        )
    selector = with_plan(metric, plan)
    cost = search_cost(Case(matrix, selector, selector, plan))
    sign = metric.direction.sign
    return PilotBasis(
        metric=replace(metric, bounds=attainable(selector, matrix.outcome)),
        matrix=matrix.of_configurations(defined),
        evidence=evidence.take(defined),
        counts=np.array(cost.counts, float),
        figures=sign * np.array(cost.corrected),
        seed=plan.seed,
    )


@dataclass(frozen=True, eq=False)
class PilotBasis:
    """A pilot as a `PlanBasis`.

    matrix, evidence: the configurations with a defined performance, and their influence values.
    counts, figures (K,): numbers of configurations, and the corrected gains of the best of each
        number.
    """

    metric: Metric
    matrix: PredictionMatrix
    evidence: Influences
    counts: FloatArray
    figures: FloatArray
    seed: int

    law = "samples of the pilot, resampled"
    wider = RAISED

    @property
    def n_samples(self) -> int:
        """Rows of the pilot."""
        return self.matrix.n_samples

    @property
    def n_epochs(self) -> int:
        """Repeats of the pilot, which are epochs of scores."""
        return self.matrix.n_repeats

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.evidence.n_configurations

    @property
    def expected(self) -> float:
        """Gain of the winner by BBC."""
        return float(self.figures[-1])

    @cached_property
    def may_be_best(self) -> BoolArray:
        """(C,) True for contenders."""
        gains, best = self.evidence.gains, int(np.argmax(self.evidence.gains))
        return np.asarray(gains >= gains[best] - REACH * self.evidence.errors_against(best))

    @property
    def contenders(self) -> int:
        """Number of contenders."""
        return int(self.may_be_best.sum())

    def _scaled(self, columns: BoolArray | IntArray) -> FloatArray:
        """Contributions (U, C') of each unit to the errors of some configurations."""
        return np.asarray(self.evidence.influence[:, columns] * self.evidence.scale[:, None])

    def error(self, n_samples: int) -> float:
        """Return the standard error of a contender's performance."""
        variance = float(self.evidence.variances[self.may_be_best].mean())
        return sqrt(variance * self.n_samples / n_samples)

    @cached_property
    def doubt(self) -> float:
        """Standard error of the variance of a contender, relative to it."""
        squares = self._scaled(self.may_be_best) ** 2
        totals = squares.sum(axis=0)
        errors = squares.std(axis=0, ddof=1)[totals > 0] / totals[totals > 0]
        return sqrt(len(squares)) * float(errors.mean()) if len(errors) else 0.0

    @cached_property
    def correlation(self) -> float:
        """Mean correlation of the errors of the best configuration and another contender."""
        scaled = self._scaled(self.may_be_best)
        sizes = np.sqrt((scaled**2).sum(axis=0))
        best = int(np.argmax(self.evidence.gains[self.may_be_best]))
        others = (sizes > 0) & (np.arange(len(sizes)) != best)
        if not others.any() or not sizes[best]:
            return 0.0
        correlations = scaled[:, best] @ scaled[:, others] / (sizes[best] * sizes[others])
        return float(np.clip(correlations.mean(), 0.0, 1.0))

    def chance_and_truth(self, n_samples: int, share: int) -> tuple[float, float]:
        """Noise relative to the others, and spread of the true gains, of the best 1 / share.

        For means of losses the noise is that of a two-way table of rows and configurations: the
        root of the residual mean square over the rows.
        """
        best = self._best(share)
        scaled = self._scaled(best)
        apart = scaled - scaled.mean(axis=1, keepdims=True)
        noise = float((apart**2).sum()) / (len(best) - 1)
        spread = max(float(self.evidence.gains[best].var(ddof=1)) - noise, 0.0)
        return sqrt(noise * self.n_samples / n_samples), sqrt(spread)

    def epoch_noise(self, share: int) -> float | None:
        """Return the contribution of a single epoch to the squared noise of `chance_and_truth`.

        It is the mean variance of a score over epochs, in the rows of the pilot; None without
        epochs, or if a performance is not a mean of scores.
        """
        n_epochs = self.matrix.n_repeats
        if n_epochs < 2 or self.matrix.task is not Task.SCORE:
            return None
        best = self._best(share)
        scores = self.matrix.predictions[:, :, best].astype(np.float64)
        apart = scores - scores.mean(axis=2, keepdims=True)
        return float(apart.var(axis=0, ddof=1).sum()) / (len(best) - 1) / self.n_samples**2

    def _best(self, share: int) -> IntArray:
        count = max(ceil(self.n_configurations / share), 2)
        return np.argsort(-self.evidence.gains, kind="stable")[:count]

    @property
    def near_perfect(self) -> bool:
        """True if the contenders are within two standard errors of the best value."""
        mean = self.evidence.gains[self.may_be_best].mean()
        return bool(best_of(self.metric) - mean <= NEAR * self.error(self.n_samples))

    @property
    def least_samples(self) -> int:
        """Rows with two units of each stratum."""
        return max(ceil(2 * self.n_samples / (int(self.evidence.df.min()) + 1)), 10)

    @property
    def prevalence(self) -> float | None:
        """Share of the positive class, of a metric of pairs."""
        if self.metric.of_pairs and self.matrix.task is Task.BINARY:
            return float(np.mean(self.matrix.outcome.values))
        return None

    def outlook(self, n_samples: int, n_configurations: int, within: float) -> Outlook:
        """Return the expected optimism and performance of the winner."""
        if n_configurations == 1:
            return Outlook(0.0, 0.0, 0.0, float(self.figures[0]), (1.0, 1.0))
        equal, apart = (
            self._of_truth(n_samples, n_configurations, towards, within)
            for towards in (EQUAL, APART)
        )
        lower, upper = sorted((apart[0], RAISED * equal[0]))
        n_known = min(n_configurations, self.n_configurations)
        honest = float(np.interp(n_known, self.counts, self.figures))
        honest += sum(
            (now[1] - self._of_truth(self.n_samples, n_known, towards, within)[1]) / 2
            for now, towards in ((equal, EQUAL), (apart, APART))
        )
        low, high = sorted((equal[2], apart[2]))
        if self.near_perfect:  # a perfect pilot does not tell how often rows are missed
            honest = min(honest, best_of(self.metric) - self._unseen_failure)
            lower, upper = 0.0, best_of(self.metric) - honest
        result = Outlook(lower, (lower + upper) / 2, upper, honest, (low, high))
        return result.capped(best_of(self.metric))

    @property
    def _unseen_failure(self) -> float:
        """Median chance of a failure that no unit of a perfect pilot showed."""
        lowest, highest = self.metric.bounds
        chance = 1 - 0.5 ** (1 / self.evidence.n_units)
        return chance * (highest - lowest) if np.isfinite(highest - lowest) else 0.0

    def _of_truth(
        self, n_samples: int, n_configurations: int, towards: float, within: float
    ) -> tuple[float, float, float]:
        """Optimism, true gain, and share near the best, for the winners of simulated studies."""
        gains = self._gains(towards)
        columns, noise = self._noise(n_configurations)
        noise = sqrt(self.n_samples / n_samples) * noise
        true = gains[columns]
        rows = np.arange(len(noise))
        winners = np.argmax(true + noise, axis=1)
        off = noise[rows, winners] - noise.mean(axis=1)
        chosen = true[rows, winners]
        near = chosen >= true.max(axis=1) - within
        return float(off.mean()), float(chosen.mean()), float(near.mean())

    def _gains(self, towards: float) -> FloatArray:
        """True gains (C,), with contenders drawn part of the way towards the best."""
        gains = self.evidence.gains
        return np.where(self.may_be_best, gains + towards * (gains.max() - gains), gains)

    def _noise(self, n_configurations: int) -> tuple[IntArray, FloatArray]:
        """Draw configurations (D, C') for simulated studies, and noise in the rows of the pilot.

        The same random numbers serve every number of rows.
        """
        rng, evidence = np.random.default_rng(self.seed), self.evidence
        n_pilot = self.n_configurations
        n_drawn = int(np.clip(MOST_DRAWN // max(n_configurations, n_pilot), 20, N_DRAWN))
        weights = np.empty((n_drawn, evidence.n_units))
        for stratum, size in enumerate(evidence.sizes):
            at = evidence.strata == stratum
            weights[:, at] = rng.multinomial(size, np.full(size, 1 / size), n_drawn) - 1
        noise = (weights * evidence.scale) @ evidence.influence
        order = np.argsort(rng.random((n_drawn, n_pilot)), axis=1)
        if n_configurations <= n_pilot:
            columns = order[:, :n_configurations]
            return columns, np.take_along_axis(noise, columns, axis=1)
        more = rng.integers(0, n_pilot, (n_drawn, n_configurations - n_pilot))
        common = noise.mean(axis=1, keepdims=True)
        apart = noise - common
        copied = self.correlation * np.take_along_axis(apart, more, axis=1)
        sizes = apart.std(axis=0)
        independent = sqrt(1 - self.correlation**2) * rng.standard_normal(more.shape) * sizes[more]
        columns = np.concatenate([np.broadcast_to(np.arange(n_pilot), noise.shape), more], axis=1)
        return columns, np.concatenate([noise, common + copied + independent], axis=1)

    def study(
        self, n_samples: int, n_configurations: int, rng: Generator, most: int | None = None
    ) -> DrawnStudy:
        """Redraw rows of the pilot, with a truth between the two extremes, anchored at BBC.

        Class counts are kept in proportion, and groups are drawn whole. Beyond `most`
        configurations, only the pilot's best take part.
        """
        n_pilot, evidence = self.n_configurations, self.evidence
        columns = np.arange(n_pilot)
        if n_configurations < n_pilot:
            columns = rng.choice(n_pilot, n_configurations, replace=False)
        columns = np.sort(columns[np.argsort(-evidence.gains[columns], kind="stable")][:most])
        gains = self._gains((EQUAL + APART) / 2) - self._excess_gain
        rows, groups = self._rows(n_samples, rng)
        matrix = replace(self.matrix.of_configurations(columns), sample_keys=None)
        matrix = replace(matrix.of_samples(rows), groups=groups)
        return DrawnStudy(matrix, gains[columns], (gains - evidence.gains)[columns])

    @cached_property
    def _excess_gain(self) -> float:
        """Lead of the winner's true gain, between the two truths, over BBC's figure."""
        size = self.n_samples, self.n_configurations
        _, gain, _ = self._of_truth(*size, (EQUAL + APART) / 2, 0.0)
        return gain - self.expected

    def _rows(self, n_samples: int, rng: Generator) -> tuple[IntArray, IntArray | None]:
        """Rows (N,) drawn again, and their groups, if the pilot has any."""
        groups, outcome = self.matrix.groups, self.matrix.outcome
        if groups is not None:
            members = [np.flatnonzero(groups == name) for name in np.unique(groups)]
            n_groups = round(n_samples * len(members) / self.n_samples)
            drawn = [members[integer] for integer in rng.integers(0, len(members), n_groups)]
            sizes = list(map(len, drawn))
            return np.concatenate(drawn), np.repeat(np.arange(n_groups), sizes)
        if not self.matrix.task.is_classification:
            return rng.integers(0, self.n_samples, n_samples), None
        shares = outcome.class_counts / self.n_samples
        counts = np.maximum(np.round(n_samples * shares).astype(int), 2)
        of_class = [np.flatnonzero(outcome.values == code) for code in range(len(counts))]
        drawn = [rng.choice(at, n) for at, n in zip(of_class, counts, strict=True) if len(at)]
        return np.concatenate(drawn), None
