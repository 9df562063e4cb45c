"""The bracket of the optimism against simulated searches with known truth."""

import itertools

import pytest
from brackets import LAWS, seen

CORRELATIONS = (0.0, 0.5, 0.9)


@pytest.mark.sweep
@pytest.mark.parametrize(("metric", "beta", "correlation"), [("accuracy", (24, 6), 0.5)])
def test_the_bracket_holds_what_searches_show(metric, beta, correlation):
    found = list(seen(metric, beta, correlation, seed=1, n_repeats=150))
    assert all(one.holds for one in found), found
    assert all(one.lower < one.upper < 3 * one.lower for one in found), found


@pytest.mark.slow
def test_the_bracket_holds_the_truth_in_nine_of_ten_cells():
    laws = itertools.product(LAWS, [(9, 6), (14, 6), (24, 6)], CORRELATIONS)
    found = {law: list(seen(*law, n_repeats=400)) for law in laws}
    missed = {law: [s for s in cells if not s.holds] for law, cells in found.items()}
    every = [one for cells in found.values() for one in cells]
    n_missed = sum(map(len, missed.values()))
    assert n_missed == 0, missed
    # and without an allowance for the error of the simulation
    assert sum(one.lower <= one.true <= one.upper for one in every) >= 0.9 * len(every)
    # where the truth is not inside, it is not far
    assert all(0.7 * one.lower < one.true + 2 * one.error for one in every)
    assert all(one.true - 2 * one.error < 1.3 * one.upper for one in every)


@pytest.mark.slow
@pytest.mark.parametrize("metric", LAWS)
def test_near_the_best_value_the_upper_figure_is_a_limit(metric):
    for one in seen(metric, (297, 3), 0.5):
        assert one.true - 2 * one.error <= 1.1 * one.upper
