"""The optimism of simulated searches beside the bracket that pilots give."""

from dataclasses import dataclass

import numpy as np

from bbccli.core.plan import Plan
from bbccli.metrics import METRICS
from bbccli.planning.cells import bracket
from bbccli.planning.pilot import of_pilot
from bbccli.planning.simulation import binormal, right_or_wrong

LAWS = {"accuracy": right_or_wrong, "auc": binormal}
CELLS = [(100, 30), (100, 300), (400, 300)]


@dataclass(frozen=True)
class Seen:
    """Mean figures of a few pilots, and the mean optimism with its standard error."""

    lower: float
    upper: float
    true: float
    error: float

    @property
    def holds(self):
        """Whether the bracket holds the truth, within two standard errors of it."""
        return self.lower - 2 * self.error <= self.true <= self.upper + 2 * self.error


def performances(rng, beta, count):
    return np.clip(rng.beta(*beta, count), 0.001, 0.999)


def pilots(metric, beta, correlation, rng, n_pilots=6):
    """Bases of matrices of 100 rows and 100 configurations."""
    draws = (performances(rng, beta, 100) for _ in range(n_pilots))
    drawn = [LAWS[metric](true, 100, rng, correlation=correlation) for true in draws]
    return [of_pilot(one.matrix, METRICS[metric], Plan(n_resamples=20)) for one in drawn]


def true_optimism(metric, beta, correlation, cell, rng, n_repeats):
    """Mean optimism of the best, ties counted in equal parts, and its standard error."""
    found = []
    for _ in range(n_repeats):
        true = performances(rng, beta, cell[1])
        matrix = LAWS[metric](true, cell[0], rng, correlation=correlation).matrix
        scorer = METRICS[metric].bind(matrix.outcome, matrix.as_kind(METRICS[metric].wants)[0])
        observed = scorer(np.ones((1, cell[0]), np.uint8))[0]
        best = observed >= observed.max() - 1e-12
        off = observed - true
        # what all configurations have in common is 0 on average
        found.append(off[best].mean() - off.mean())
    return np.mean(found), np.std(found) / np.sqrt(n_repeats)


def seen(metric, beta, correlation, seed=0, n_repeats=200, cells=CELLS):
    """Bracket and truth of each cell."""
    rng = np.random.default_rng(seed)
    bases = pilots(metric, beta, correlation, rng)
    for cell in cells:
        brackets = [bracket(basis, *cell) for basis in bases]
        lower, upper = (np.mean([getattr(one, k) for one in brackets]) for k in ("lower", "upper"))
        yield Seen(lower, upper, *true_optimism(metric, beta, correlation, cell, rng, n_repeats))
