"""CVM-CV: a point, from repeats that took no part in the selection."""

import numpy as np
import pytest
from matrices import of_labels

from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.methods.base import Gives
from bbccli.metrics import METRICS


def right(*counts, n_samples=10):
    """Labels of which `counts[r][c]` are right for configuration c in repeat r."""
    hits = np.arange(n_samples)[None, :, None] < np.array(counts)[:, None, :]
    folds = np.tile(np.arange(n_samples) // 2, (len(counts), 1))
    return of_labels(hits, configurations="abc", folds=folds, fold_names=tuple("01234"))


def test_the_selecting_repeat_does_not_evaluate():
    # b wins the first repeat and has 5 and 6 in the others, c the second (7, 4), a the third (6, 5)
    matrix = right([6, 9, 7], [5, 5, 8], [8, 6, 4])
    found = METHODS["cvm-cv"].run(matrix, METRICS["accuracy"], Plan())
    assert found.value == pytest.approx(np.mean([0.5, 0.6, 0.7, 0.4, 0.6, 0.5]))
    assert found.winner == "b"
    assert found.naive == pytest.approx(2 / 3)


def test_a_point_alone():
    """A percentile bootstrap of a maximum repeats the optimism: its inclusion was 0.60."""
    method = METHODS["cvm-cv"]
    assert method.gives == {Gives.POINT}
    found = method.run(right([6, 9, 7], [5, 5, 8]), METRICS["accuracy"], Plan())
    assert (found.interval, found.n_resamples, found.distribution) == (None, None, None)


@pytest.mark.sweep
def test_a_gate_on_the_command_line(run, samples):
    path = samples / "breast_cancer_repeats.parquet"
    options = ("--method", "cvm-cv", "--fail-under", "0.5")
    err = run.refused("correct", path, *options, "--gate-method", "cvm-cv")
    assert "gives no interval, so it has no bound" in " ".join(err.split())
    status, out, _ = run("correct", path, *options)
    assert status == 4
    assert "no method has a bound" in " ".join(out.split())
    out = run.printed("correct", path, *options, "--gate-on", "estimate")
    assert "estimate of cvm-cv" in " ".join(out.split())
