"""Hanley and McNeil's formula, and the one of the papers' code that is not."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary
from oracle_data import ALL, answers, matrix

from bbccli.core.areas import hanley_mcneil_variance
from bbccli.core.plan import Plan
from bbccli.errors import UnsupportedError
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.types import Side

AUC = METRICS["auc"]
ONE_SIDED = Plan(evaluation_share=0, side=Side.LOWER)


def taken(data, column, rows):
    """One configuration on some samples."""
    return replace(data.of_configurations([column]).of_samples(rows), folds=None)


def test_by_hand():
    # A = 1/2: Q1 = Q2 = 1/3, so (1/4 + (M + N - 2) / 12) / (M N) = (M + N + 1) / (12 M N)
    assert hanley_mcneil_variance(0.5, 8, 5) == pytest.approx(14 / (12 * 40))
    assert hanley_mcneil_variance(1.0, 8, 5) == 0
    assert hanley_mcneil_variance(0.0, 8, 5) == 0


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALL)
def test_bounds_as_in_the_textbook(name):
    data, expected = matrix(name, "auc"), answers(name, "hanley")
    everything = np.ones(data.n_samples, bool)
    evaluated = np.isin(np.arange(data.n_samples), expected["eval_ids"])
    assert len(expected["configs"]) >= 16
    for configuration, theirs in expected["configs"].items():
        column = data.configurations.index(configuration)
        for rows, answer in ((everything, theirs), (evaluated, theirs["eval_split"])):
            found = METHODS["hanley-mcneil"].run(taken(data, column, rows), AUC, ONE_SIDED)
            assert found.value == pytest.approx(answer["auc"], abs=1e-13)
            bound = min(max(answer["lower95_one_sided"], 0), 1)
            assert found.interval.lower == pytest.approx(bound, abs=1e-10)
            counts = (int((data.outcome.values[rows] == k).sum()) for k in (1, 0))
            error = np.sqrt(hanley_mcneil_variance(found.value, *counts))
            assert error == pytest.approx(answer["se_textbook"], abs=1e-10)
        found = METHODS["hanley-mcneil"].run(
            taken(data, column, everything), AUC, Plan(evaluation_share=0)
        )
        ends = np.clip(theirs["ci95_two_sided_unclipped"], 0, 1)
        assert (found.interval.lower, found.interval.upper) == pytest.approx(ends, abs=1e-10)


def test_a_configuration_with_gaps_counts_the_samples_that_it_predicts():
    data = binary(n_samples=80, n_configurations=1)
    available = np.random.default_rng(0).random((1, 80, 1)) < 0.7
    gappy = replace(data, available=available)
    found, expected = (
        METHODS["hanley-mcneil"].run(m, AUC, Plan(evaluation_share=0))
        for m in (gappy, taken(data, 0, available[0, :, 0]))
    )
    assert found.interval == expected.interval


def test_groups_are_refused():
    with pytest.raises(UnsupportedError, match="these come in groups") as caught:
        METHODS["hanley-mcneil"].run(replace(binary(), groups=np.arange(40) // 2), AUC, Plan())
    assert "delong" in caught.value.hint
