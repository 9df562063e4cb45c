"""Adjusted p-values: by their definitions, and against statsmodels."""

from functools import cache

import numpy as np
import pytest
from matrices import binary

from bbccli import METRICS, Plan
from bbccli.comparisons import compare_pairs

THEIRS = {"holm": "holm", "hochberg": "simes-hochberg", "bh": "fdr_bh"}


def slowly(p, how):
    """The definition, p-value by p-value: the least level at which each is rejected."""
    m, order = len(p), np.argsort(p, kind="stable")
    steps = [(m - k if how != "bh" else m / (k + 1)) * p[i] for k, i in enumerate(order)]
    found = [max(steps[: k + 1]) if how == "holm" else min(steps[k:]) for k in range(m)]
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(found, 1)
    return adjusted


@cache
def compared(seed, n_configurations, how):
    """P and adjusted p of all pairs, by tests of which some have none, and some equal ones."""
    matrix = binary(n_samples=60, n_configurations=n_configurations, seed=seed)
    tests = ["mcnemar", "wald", "k-fold-t"]
    names = [matrix.configurations]
    found, _ = compare_pairs(matrix, METRICS["accuracy"], Plan(), names, tests, adjust=how)
    return [[(one.p, one.p_adjusted) for one in found if one.test == test] for test in tests]


@pytest.mark.parametrize("how", [*THEIRS, "none"])
@pytest.mark.parametrize(("seed", "n_configurations"), [(0, 2), (1, 3), (2, 6), (3, 9)])
def test_as_defined(seed, n_configurations, how):
    for pairs in compared(seed, n_configurations, how):
        known = [(p, adjusted) for p, adjusted in pairs if p is not None]
        assert all(adjusted is None for p, adjusted in pairs if p is None)
        p, adjusted = np.array(known, float).T
        if how == "none" or len(pairs) == 1:
            assert np.isnan(adjusted).all()
        else:
            np.testing.assert_allclose(adjusted, slowly(p, how), rtol=1e-12)


@pytest.mark.sweep  # to import statsmodels takes longer than all that is tested here
@pytest.mark.parametrize("how", THEIRS)
def test_the_definitions_are_those_of_statsmodels(how):
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(0)
    for m in (1, 2, 3, 10, 50):
        for p in (rng.random(m), rng.random(m) ** 4, np.round(rng.random(m), 1)):
            expected = multipletests(np.maximum(p, 1e-9), method=THEIRS[how])[1]
            np.testing.assert_allclose(slowly(np.maximum(p, 1e-9), how), expected, rtol=1e-12)
