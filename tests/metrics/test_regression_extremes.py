"""Squares that a float can't hold make a metric undefined, not 0 or infinite."""

import numpy as np
import pytest

from bbccli import METHODS, METRICS, Plan, matrix_of
from bbccli.errors import UndefinedError

RNG = np.random.default_rng(0)
TRUTH, NOISE_TOLERANCE = RNG.normal(size=40), RNG.normal(size=(40, 3))


def of(unit):
    return matrix_of(unit * (TRUTH[:, None] + NOISE_TOLERANCE), unit * TRUTH, task="regression")


@pytest.mark.parametrize(
    ("name", "unit"),
    [("rmse", 1e-200), ("mse", 1e-160), ("r2", 1e-200), ("rmse", 1e200), ("mse", 1e200)],
)
def test_squares_beyond_floats(name, unit):
    with pytest.raises(UndefinedError, match="undefined for every configuration"):
        METHODS["cvt"].run(of(unit), METRICS[name], Plan())


@pytest.mark.parametrize("unit", [1e-130, 1e130])
def test_squares_within_floats(unit):
    plain = METHODS["cvt"].run(of(1.0), METRICS["rmse"], Plan()).naive
    assert METHODS["cvt"].run(of(unit), METRICS["rmse"], Plan()).naive == pytest.approx(
        plain * unit
    )
