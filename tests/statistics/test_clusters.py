"""Clustered data: what resampling whole groups is for. Slow: `make slow`."""

import numpy as np
import pytest
from matrices import of
from scipy.stats import binomtest

from bbccli import METHODS, METRICS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Task

pytestmark = pytest.mark.slow

REPETITIONS, N_GROUPS, PER_GROUP, N_CONFIGURATIONS = 200, 40, 10, 10
CORRELATION, ACCURACY = 0.5, 0.7


def study(seed, clustered):
    """Ten equal configurations that are right with probability 0.7, in clusters or not.

    A sample's latent luck is shared by its group to the intra-class correlation of one half.
    """
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    n_samples = N_GROUPS * PER_GROUP
    groups = np.repeat(np.arange(N_GROUPS), PER_GROUP)
    shared = rng.normal(size=(N_GROUPS, 1))[groups]
    share = CORRELATION if clustered else 0.0
    luck = np.sqrt(share) * shared
    luck = luck + np.sqrt(1 - share) * rng.normal(size=(n_samples, N_CONFIGURATIONS))
    truth = np.arange(n_samples) % 2
    labels = np.where(luck < norm.ppf(ACCURACY), truth[:, None], 1 - truth[:, None])
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    return of(outcome, labels[None].astype(float), PredictionKind.LABEL, 10, seed), groups


def inclusion(*, clustered, by_group):
    """How many of the two-sided intervals hold the true accuracy, and their mean width."""
    held, widths = 0, []
    for seed in range(REPETITIONS):
        matrix, groups = study(seed, clustered)
        if by_group:
            matrix = PredictionMatrix(
                matrix.outcome, matrix.predictions, matrix.configurations, matrix.kind,
                groups=groups,
            )  # fmt: skip
        found = METHODS["bbc"].run(matrix, METRICS["accuracy"], Plan(n_resamples=300))
        held += found.interval.lower <= ACCURACY <= found.interval.upper
        widths.append(found.interval.upper - found.interval.lower)
    return held, np.mean(widths)


def test_groups_keep_the_inclusion_that_single_rows_lose(capsys):
    independent, _ = inclusion(clustered=False, by_group=False)
    grouped, wide = inclusion(clustered=True, by_group=True)
    rowwise, narrow = inclusion(clustered=True, by_group=False)
    with capsys.disabled():
        print(
            f"\n95% intervals of {REPETITIONS} studies that hold the truth: "
            f"independent rows {independent}; clusters, by group {grouped} (width {wide:.3f}); "
            f"clusters, by row {rowwise} (width {narrow:.3f})"
        )
    error = np.sqrt(REPETITIONS * 0.95 * 0.05 * 2)
    assert abs(grouped - independent) < 4 * error
    assert binomtest(rowwise, REPETITIONS, 0.95, alternative="less").pvalue < 1e-6
    assert narrow < 0.7 * wide
