"""BBC-632 beside BBC."""

from dataclasses import replace

import numpy as np
import pytest
from day import parts
from matrices import binary

from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling

PLAN = Plan(n_resamples=300, seed=2)


@pytest.mark.parametrize("name", ["auc", "accuracy", "log-loss"])
def test_the_formula(name):
    matrix, metric = binary(), METRICS[name]
    bbc = METHODS["bbc"].run(matrix, metric, PLAN)
    found = METHODS["bbc-632"].run(matrix, metric, PLAN)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    naive = candidates(matrix, metric, Pooling.POOLED).score(everything)[0]
    of_winners = [naive[w] for w in bbc.distribution.winners]
    assert found.value == pytest.approx(0.368 * np.mean(of_winners) + 0.632 * bbc.value, rel=1e-12)
    shift = found.value - bbc.value
    np.testing.assert_allclose(found.distribution.values, bbc.distribution.values + shift)
    assert found.experimental
    assert not bbc.experimental


@pytest.mark.sweep
@parts("n_seeds", 30, whole=60)
def test_its_error_is_that_of_both_parts(n_seeds):
    """Many seeds: the spread of the estimate is what its Monte-Carlo error says."""
    matrix, metric = binary(), METRICS["accuracy"]
    runs = [METHODS["bbc-632"].run(matrix, metric, replace(PLAN, seed=s)) for s in range(n_seeds)]
    spread = np.std([run.value for run in runs], ddof=1)
    assert 0.7 < np.mean([run.error.value for run in runs]) / spread < 1.4


def test_marked_in_all_outputs(run, samples):
    path = samples / "breast_cancer.parquet"
    options = ("--method", "bbc-632", "--n-resamples", "50")
    assert "experimental" in run("correct", path, *options)[1]
    assert '"experimental": true' in run("correct", path, *options, "--format", "json")[1]


@pytest.mark.parametrize("name", ["auc", "accuracy", "log-loss"])
def test_one_configuration_is_scored_as_if_it_were_there_twice(name):
    one = binary().of_configurations(np.array([3]))
    twice = replace(
        one, predictions=np.repeat(one.predictions, 2, axis=2), configurations=("c3", "again")
    )
    for method in ("bbc-632", "bbc-632plus", "bbc"):
        alone, found = (METHODS[method].run(each, METRICS[name], PLAN) for each in (one, twice))
        np.testing.assert_allclose(alone.distribution.values, found.distribution.values, rtol=1e-12)
