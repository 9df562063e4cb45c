"""Work in threads is as in one: order, exceptions, and what numpy is told about errors."""

import time

import numpy as np
import pytest

from bbccli.platform.workers import ordered_map


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_are_in_order(jobs):
    def slow_first(number):
        time.sleep(0.01 if number == 0 else 0)
        return number

    assert list(ordered_map(slow_first, range(9), jobs)) == list(range(9))


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_is_the_caller_s(jobs):
    with pytest.raises(ZeroDivisionError):
        list(ordered_map(lambda number: 1 // number, [2, 1, 0, 3], jobs))


@pytest.mark.parametrize("jobs", [1, 3])
def test_errors_that_are_quiet_here_are_quiet_there(jobs):
    huge = np.full(2, 1e200)
    with np.errstate(over="ignore"):
        (found,) = ordered_map(np.square, [huge], jobs)
    assert np.isinf(found).all()
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        list(ordered_map(np.square, [huge], jobs))
