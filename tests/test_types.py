import numpy as np
import pytest

from bbccli.types import Direction, Side

BOTH = [Direction.MAXIMIZE, Direction.MINIMIZE]


def test_best_takes_the_first_of_equals():
    assert Direction.MAXIMIZE.best(np.array([0.5, 0.9, 0.9])) == 1
    assert Direction.MINIMIZE.best(np.array([0.5, 0.2, 0.2])) == 1


@pytest.mark.parametrize("direction", BOTH)
def test_rounding_makes_no_winner(direction):
    tenths = np.array([0.1 + 0.2, 0.3])
    assert direction.best(tenths) == 0
    assert direction.best(tenths[::-1]) == 0


@pytest.mark.parametrize("direction", BOTH)
def test_tiny_but_real_differences_do_count(direction):
    losses = np.array([3e-15, 1e-15])
    assert direction.best(losses) == (0 if direction is Direction.MAXIMIZE else 1)


@pytest.mark.parametrize("direction", BOTH)
def test_nan_never_wins_or_leads(direction):
    nan = np.nan
    values = np.array([[nan, 0.4, nan], [nan, nan, nan]])
    assert direction.best(values).tolist() == [1, -1]
    first, second = np.array([0.4, nan, nan, 0.4]), np.array([nan, 0.4, nan, 0.4])
    assert direction.leads(first, second).tolist() == [True, False, False, False]


def test_gain_is_positive_when_better():
    assert Direction.MAXIMIZE.gain(3, 1) == 2
    assert Direction.MINIMIZE.gain(1, 3) == 2


def test_pessimistic_side():
    assert Direction.MAXIMIZE.pessimistic() is Side.LOWER
    assert Direction.MINIMIZE.pessimistic() is Side.UPPER
