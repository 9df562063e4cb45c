"""DeLong's interval of patients with several samples each. Slow: `make slow`."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from bbccli import METHODS, METRICS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.types import PredictionKind, Task

pytestmark = pytest.mark.slow

REPETITIONS, N_PATIENTS, PER_PATIENT, DISTANCE = 400, 60, 5, 1.2
TRUE_AUC = norm.cdf(DISTANCE / 2)


def held(seed, *, grouped):
    """Whether the interval holds the AUC of scores of which half the variance is the patient's."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(N_PATIENTS), PER_PATIENT)
    truth = patient % 2
    scores = DISTANCE * truth + rng.normal(size=N_PATIENTS)[patient] + rng.normal(size=len(truth))
    matrix = PredictionMatrix(
        Outcome(Task.BINARY, truth, ("no", "yes")),
        scores[None, :, None],
        ("only",),
        PredictionKind.SCORE,
        groups=patient if grouped else None,
    )
    interval = METHODS["delong"].run(matrix, METRICS["auc"], Plan(evaluation_share=0)).interval
    return interval.lower <= TRUE_AUC <= interval.upper


def test_groups_keep_the_level_and_samples_alone_do_not():
    n_held = [sum(held(seed, grouped=g) for seed in range(REPETITIONS)) for g in (True, False)]
    assert binomtest(n_held[0], REPETITIONS, 0.95).pvalue > 1e-3
    assert n_held[1] < 0.85 * REPETITIONS
