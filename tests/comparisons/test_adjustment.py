"""Adjusted p-values: against statsmodels, and by their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bbccli.comparisons.adjustment import ADJUSTMENTS, adjusted_p
from bbccli.types import Adjustment

THEIRS = {Adjustment.HOLM: "holm", Adjustment.HOCHBERG: "simes-hochberg", Adjustment.BH: "fdr_bh"}
P = arrays(float, st.integers(1, 12), elements=st.floats(1e-12, 1) | st.sampled_from([0.01, 1.0]))


@pytest.mark.sweep  # to import statsmodels takes longer than all that is tested here
@pytest.mark.parametrize("how", THEIRS)
def test_as_statsmodels_has_them(how):
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(0)
    for m in (1, 2, 3, 10, 50):
        for p in (rng.random(m), rng.random(m) ** 4, np.round(rng.random(m), 1)):
            expected = multipletests(np.maximum(p, 1e-9), method=THEIRS[how])[1]
            np.testing.assert_allclose(ADJUSTMENTS[how](np.maximum(p, 1e-9)), expected, rtol=1e-12)


def test_by_hand():
    p = np.array([0.04, 0.01, 0.03, 0.02])
    assert ADJUSTMENTS[Adjustment.HOLM](p) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert ADJUSTMENTS[Adjustment.HOCHBERG](p) == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert ADJUSTMENTS[Adjustment.BH](p) == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert ADJUSTMENTS[Adjustment.NONE](p) is p


@given(P)
def test_laws(p):
    for how, adjust in ADJUSTMENTS.items():
        found = adjust(p)
        assert (found >= p).all() and (found <= 1).all()
        order = np.argsort(p, kind="stable")
        assert (np.diff(found[order]) >= 0).all()
        assert found[order[0]] <= len(p) * p.min() * (1 + 1e-12)
        shuffled = np.random.default_rng(0).permutation(len(p))
        np.testing.assert_allclose(adjust(p[shuffled]), found[shuffled])
        if len(p) == 1:
            assert found == p, how
    holm, hochberg, bh = (ADJUSTMENTS[how](p) for how in THEIRS)
    assert (bh <= hochberg + 1e-15).all() and (hochberg <= holm + 1e-15).all()


def test_what_is_undefined_does_not_count():
    assert adjusted_p([None, 0.02, None, 0.03], Adjustment.HOLM) == [None, 0.04, None, 0.04]
    assert adjusted_p([None], Adjustment.BH) == [None]
    assert adjusted_p([], Adjustment.HOLM) == []
    assert set(ADJUSTMENTS) == set(Adjustment) - {Adjustment.MAX_T}
