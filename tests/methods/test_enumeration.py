"""All resamples of the folds: the winner of each is the one that the rule selects."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bbccli.stats.bootstrap import of_folds
from bbccli.stats.resampling import every_resample
from bbccli.stats.selection.rule import SelectionRule
from bbccli.types import Direction


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("most_compared", [0, 2**11])
def test_the_winner_is_the_first_of_the_best(monkeypatch, direction, most_compared):
    monkeypatch.setattr(of_folds, "MOST_COMPARED", most_compared)
    rng, rule = np.random.default_rng(3), SelectionRule(direction)
    in_bag, _ = every_resample(6)
    starts = np.arange(0, len(in_bag), of_folds.CHUNK)
    for _ in range(20):
        # few values, so that many tie, and some up to rounding alone
        judged = rng.integers(0, 4, (6, 30)) / 4 + rng.integers(-1, 2, (6, 30)) * 1e-14
        expected = of_folds._selected(in_bag, judged, rule, starts)
        assert_array_equal(of_folds._enumerate(judged, judged, rule).winners, expected)


def test_what_another_reaches_everywhere_can_not_win():
    gains = np.array([[1, 1, 2, 1, 2], [1, 1, 1, 0, 2]])
    assert_array_equal(of_folds._unbeaten(gains), [0, 2, 4])


@pytest.mark.parametrize("winner", [0, 1])
def test_an_undefined_fold_counts_where_it_is_scored_alone(winner):
    judged = np.array([[1.0, 0.0]] * 4) if winner == 0 else np.array([[0.0, 1.0]] * 4)
    measured = np.array([[0.5, 0.25]] * 4)
    measured[2, winner] = np.nan
    found = of_folds._enumerate(judged, measured, SelectionRule(Direction.MAXIMIZE))
    in_bag, _ = every_resample(4)
    assert_array_equal(np.isnan(found.values), in_bag[:, 2] == 0)
    assert_array_equal(found.values[in_bag[:, 2] > 0], measured[0, winner])
