"""An interval without width carries a note."""

from dataclasses import replace

import numpy as np
import pytest
from documents import codes
from matrices import binary, regression

from bbccli.core.plan import Plan
from bbccli.methods import estimate
from bbccli.metrics import METRICS
from bbccli.types import PredictionKind


def constant():
    """Two classes of equal size in every fold; both configurations always say `yes`."""
    matrix = binary(n_samples=40, n_configurations=2, kind=PredictionKind.LABEL)
    return replace(matrix, predictions=np.ones_like(matrix.predictions))


def test_constant_predictions():
    (found,), _ = estimate(constant(), [METRICS["accuracy"]], Plan(guard=False), ["bbc-f"])
    assert (found.interval.lower, found.interval.upper) == (0.5, 0.5)
    (note,) = [note for note in found.notes if note.code == "no-variance"]
    assert note.text.startswith("nearly all resamples of bbc-f give 0.5")
    (wide,), _ = estimate(constant(), [METRICS["accuracy"]], Plan(guard=False), ["bbc"])
    assert wide.interval.lower < wide.interval.upper
    assert "no-variance" not in codes(wide)


@pytest.mark.parametrize("case", ["constant", "perfect", "one error"])
def test_every_interval_without_width_is_noted_once(case):
    if case == "one error":
        matrix, metric = regression(n_repeats=2), METRICS["rmse"]
        # all errors are 1: no resample differs
        shifted = matrix.outcome.values[:, None] + np.ones(matrix.predictions.shape)
        matrix = replace(matrix, predictions=shifted)
    else:
        matrix, metric = constant(), METRICS["accuracy"]
        if case == "perfect":
            right = matrix.outcome.values[None, :, None] * np.ones(matrix.predictions.shape)
            matrix = replace(matrix, predictions=right)
        matrix = replace(
            matrix,
            predictions=np.concatenate([matrix.predictions] * 2),
            folds=np.concatenate([matrix.folds] * 2),
        )
    plan = Plan(n_resamples=60, guard=False)
    estimates, _ = estimate(matrix, [metric], plan, ["all"])
    n_flat = 0
    for found in estimates:
        if found.interval is None:
            continue
        told = [code for code in codes(found) if code in ("no-variance", "collapsed-interval")]
        flat = found.interval.lower == found.interval.upper
        assert bool(told) >= flat
        assert told.count("no-variance") <= 1
        n_flat += flat
    assert n_flat
