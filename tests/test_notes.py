"""Figures in notes: rounded as in reports, and never onto what they are not."""

import math

from bbccli.core.notes import (
    beyond_bounds,
    clipped_probabilities,
    no_variance,
    one_se_winner,
    risk_reversed,
    tolerance_not_reached,
)


def test_an_error_above_the_tolerance_reads_as_one():
    assert "is 0.0010004, above the tolerance 0.001" in tolerance_not_reached(0.001, 0.0010004).text
    assert "is 0.0025, above the tolerance 0.001" in tolerance_not_reached(0.001, 0.00251).text


def test_an_estimate_beyond_a_bound_does_not_read_as_the_bound():
    assert (
        "tt, 1.0004, is outside the range of AUC, 0 to 1"
        in beyond_bounds("tt", 1.0004, "AUC", 0, 1).text
    )
    assert "tt, -0.4, is outside" in beyond_bounds("tt", -0.4, "accuracy", 0, 1).text


def test_figures_that_are_compared_share_their_decimals():
    text = one_se_winner("a", "b", 0.8, 0.8126, "AUC", (0, 1)).text
    assert text == "a (AUC 0.800) is within one standard error of the best, b (0.813)"
    assert "best, b (1.000)" in one_se_winner("a", "b", 0.99961, 1.0, "AUC", (0, 1)).text
    assert "a (AUC 0.9996)" in one_se_winner("a", "b", 0.99961, 1.0, "AUC", (0, 1)).text
    clipped = clipped_probabilities("a", "log-loss", 1, 9, 1e-7, 0.25, math.inf).text
    assert "is 0.250 with probabilities clipped at 1e-07, and infinite without" in clipped


def test_a_figure_that_stands_alone_has_no_zeros_at_its_end():
    assert "variance at 1 is 0" in no_variance(1.0).text
    assert "variance at 0.5 is 0" in no_variance(0.5).text
    assert "median concordance is 0.31:" in risk_reversed(0.31).text
