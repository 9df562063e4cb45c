"""The tail and the root finder of the guard, beside scipy's."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erfc

from bbccli.intervals.tail import root, tail


def test_the_tail_is_that_of_scipy():
    u = np.r_[0.0, np.logspace(-14, 2, 20_000)]
    np.testing.assert_allclose(tail(u), erfc(np.sqrt(u)), atol=2e-11)
    assert tail(np.array([1e4, np.inf])) == pytest.approx([0, 0], abs=1e-16)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("level", [1e-9, 0.025, 0.5, 0.975, 1 - 1e-9])
@pytest.mark.parametrize("power", [0.2, 1.0, 7.0])
def test_roots_are_those_of_scipy(level, power):
    calls = []

    def increasing(x):
        calls.append(x)
        return float(np.tanh(3 * x) ** power / np.tanh(3.0) ** power - level)

    assert root(increasing, 0.0, 1.0) == pytest.approx(
        brentq(increasing, 0.0, 1.0, xtol=1e-15), abs=1e-11
    )


def test_a_step_is_found():
    assert root(lambda x: 1.0 if x > 0.3 else -1e-3, 0.0, 1.0) == pytest.approx(0.3, abs=1e-10)
