"""Errors of values under a cap: the slow loop, the bounds, and what asks for it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from matrices import binary, regression

from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.errors import OptionError, UndefinedError
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.metrics.planned import cap_of, with_cap
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling, Task

PLAN = Plan(n_resamples=100, seed=1, cap=0.6)


def slow(matrix, name, share):
    """Performances (C,) by a loop over samples."""
    truth = matrix.outcome.values
    middle = sorted(truth)[len(truth) // 2]  # an odd number of samples
    distances = sorted(abs(t - middle) for t in truth)
    place = share * (len(truth) - 1)
    low = int(place)
    cap = distances[low] + (place - low) * (distances[low + 1] - distances[low])
    values = []
    for c in range(matrix.n_configurations):
        errors = [
            min(abs(t - p), cap) for t, p in zip(truth, matrix.predictions[0, :, c], strict=True)
        ]
        power = 1 if name == "mae" else 2
        mean = np.mean([e**power for e in errors])
        values.append(mean**0.5 if name == "rmse" else mean)
    return values, cap


@pytest.mark.parametrize("name", ["rmse", "mse", "mae"])
def test_the_slow_loop(name):
    matrix = regression()
    metric = with_cap(METRICS[name], 0.6)
    expected, cap = slow(matrix, name, 0.6)
    every = candidates(matrix, metric, Pooling.POOLED).performances()
    np.testing.assert_allclose(every, expected, rtol=1e-12)
    assert max(expected) < candidates(matrix, METRICS[name], Pooling.POOLED).performances().max()
    worst = cap**2 if name == "mse" else cap
    assert metric.within(matrix.outcome).bounds == pytest.approx((0.0, worst))
    assert cap_of(matrix.outcome, 0.6) == pytest.approx(cap)


@pytest.mark.parametrize("method", ["cvt", "tt", "bbc", "bbc-f", "bbc-eb", "naive"])
def test_methods_cap_and_guard(method):
    """With a worst value the interval is guarded."""
    matrix, metric = regression(), METRICS["mse"]
    found = METHODS[method].run(matrix, metric, PLAN)
    capped = with_cap(metric, 0.6)
    assert found.value == METHODS[method].run(matrix, capped, replace(PLAN, cap=None)).value
    assert found.metric == "mse"
    if found.interval:
        bare = METHODS[method].run(matrix, metric, replace(PLAN, guard=False))
        assert bare.interval.upper < found.interval.upper <= cap_of(matrix.outcome, 0.6) ** 2


@pytest.mark.sweep
def test_other_metrics_are_left_as_they_are():
    for name in ("auc", "medae", "r2", "log-loss"):
        assert with_cap(METRICS[name], 0.9) is METRICS[name]
    assert with_cap(METRICS["mse"], None) is METRICS["mse"]
    once = with_cap(METRICS["mse"], 0.9)
    assert with_cap(once, 0.9) is once
    found, plain = (
        METHODS["bbc"].run(binary(), METRICS["auc"], p) for p in (PLAN, Plan(100, seed=1))
    )
    assert found.value == plain.value


def test_no_spread_of_the_outcome_is_no_cap():
    outcome = Outcome(Task.REGRESSION, np.array([1.0, 1.0, 1.0, 5.0]))
    with pytest.raises(UndefinedError, match="cap=0.5 is an error of 0"):
        cap_of(outcome, 0.5)


@pytest.mark.parametrize("cap", [0, -1, 1.5, float("nan")])
def test_out_of_range(cap):
    with pytest.raises(OptionError, match="cap is"):
        Plan(cap=cap)


@pytest.mark.sweep
def test_command_line(run, samples):
    path, options = samples / "diabetes.parquet", ("--n-resamples", "50", "--metric", "mse")
    out = run.printed("correct", path, *options, "--cap", "0.9", "--format", "json")
    document = json.loads(out)
    assert document["plan"]["cap"] == 0.9
    plain = json.loads(run("correct", path, *options, "--format", "json")[1])
    assert plain["plan"]["cap"] is None
    assert document["estimates"][0]["naive"] < plain["estimates"][0]["naive"]
    shown = run("correct", path, *options, "--cap", "0.9")[1]
    assert "capped MSE: no error counts as more than" in " ".join(shown.split())
