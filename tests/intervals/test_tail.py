"""The tail and the density of the guard, beside scipy's."""

import numpy as np
import pytest
from scipy.special import erfc

from bbccli.stats.intervals.guard import tail


def test_the_tail_is_that_of_scipy():
    u = np.r_[0.0, np.logspace(-14, 2, 20_000)]
    np.testing.assert_allclose(tail(u)[0], erfc(np.sqrt(u)), atol=1e-12)
    assert tail(np.array([36.0, 1e4, np.inf]))[0] == pytest.approx([0, 0, 0], abs=0)


def test_the_density_is_its_slope():
    u = np.logspace(-14, np.log10(30), 20_000)
    np.testing.assert_allclose(tail(u)[1], np.exp(-u) / np.sqrt(np.pi * u), rtol=1e-6)
    assert tail(np.array([0.0, 40.0]))[1].tolist() == [0, 0]
