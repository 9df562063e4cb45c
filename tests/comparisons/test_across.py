"""Families over data sets: against scipy and scikit-posthocs, by hand, and by their laws."""

import json
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matrices import binary
from oracle_data import FOLDER
from scipy import stats
from thorough import examples

from bbccli import METHODS, METRICS, Plan
from bbccli.comparisons import Verdict
from bbccli.comparisons.across import DEFAULTS, TESTS, compare_across, performances_of
from bbccli.errors import OptionError, UndefinedError
from bbccli.platform.records import as_json
from bbccli.types import Adjustment

FROZEN = json.loads((FOLDER / "comparisons.json").read_text())

# AUCs of four variants of a learner on 14 data sets, with ties.
AUCS = np.array([
    [.763, .768, .771, .798], [.599, .591, .590, .569], [.954, .971, .968, .967],
    [.628, .661, .654, .657], [.882, .888, .886, .898], [.936, .931, .916, .931],
    [.661, .668, .609, .685], [.583, .583, .563, .625], [.775, .838, .866, .875],
    [1.000, 1.000, 1.000, 1.000], [.940, .962, .965, .962], [.619, .666, .614, .669],
    [.972, .981, .975, .975], [.957, .978, .946, .970],
])  # fmt: skip
VARIANTS = ("plain", "pruned", "boosted", "both")


def test_a_family_of_one_has_its_performance_and_another_what_bbc_says():
    data, metric, plan = binary(), METRICS["auc"], Plan(n_resamples=50)
    alone = performances_of(data, metric, plan)
    found = performances_of(data, metric, plan, {"one": [2], "several": [4, 0, 5]})
    several = METHODS["bbc"].run(data.of_configurations(np.array([4, 0, 5])), metric, plan)
    assert found == {"one": alone["c2"], "several": several.value}
    assert alone["c2"] != alone["c3"]


def across(values, metric="auc", **options):
    values = np.asarray(values, float)
    families = options.pop("families", tuple(f"f{k}" for k in range(values.shape[1])))
    data_sets = [f"d{d}" for d in range(len(values))]
    return compare_across(values, families, data_sets, METRICS[metric], **options)


def of(found, test):
    return [one for one in (*found.overall, *found.pairs) if one.test == test]


def test_an_example():
    found = across(AUCS, families=VARIANTS, tests=["all"])
    assert across(AUCS, families=VARIANTS, tests=["wilcoxon", "all"]) == found
    expected = stats.rankdata(-AUCS, axis=1).mean(axis=0)
    ranks = {one.family: one.mean_rank for one in found.standings}
    assert [ranks[name] for name in VARIANTS] == pytest.approx(expected.tolist())
    assert [one.family for one in found.standings] == [VARIANTS[k] for k in np.argsort(expected)]
    (friedman,), (f,) = of(found, "friedman"), of(found, "iman-davenport")
    assert friedman.statistic == pytest.approx(stats.friedmanchisquare(*AUCS.T).statistic)
    assert f.statistic == pytest.approx(13 * friedman.statistic / (42 - friedman.statistic))
    assert f.df == (3, 39)
    # q of four is 2.569 in Demsar 2006, table 5: of 14 data sets a difference of 1.25
    assert found.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=3e-4)
    (contest,) = [c for c in found.contests if (c.first, c.second) == ("plain", "pruned")]
    assert (contest.wins, contest.ties, contest.losses) == (2, 2, 10)
    assert found.standings[0].performance == AUCS[:, 3].mean()
    assert sum(one.wins for one in found.standings) == 17  # three more where all four tie


def wilcoxon(d):
    """The p-value of two families that differ by `d`."""
    (found,) = across(np.column_stack([d, np.zeros(len(d))]), "mse", tests=["wilcoxon"]).pairs
    return found.p


def wilcoxon_by_scipy(d):
    every = stats.PermutationMethod(n_resamples=2 ** len(d))
    return stats.wilcoxon(d, zero_method="pratt", method=every)


@pytest.mark.sweep
@pytest.mark.skipif(
    "PermutationMethod" not in (stats.wilcoxon.__doc__ or ""), reason="an older scipy"
)
@pytest.mark.parametrize("seed", range(8))
def test_wilcoxon_is_exact_as_scipy_has_it(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 10))
    for d in (rng.normal(size=n), np.round(rng.normal(size=n), 0), np.round(rng.normal(size=n), 1)):
        if not d.any():
            continue
        assert wilcoxon(d) == pytest.approx(wilcoxon_by_scipy(d).pvalue, rel=1e-10)
    d = rng.normal(size=25)
    assert wilcoxon(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_of_many_is_normal_as_scipy_has_it(seed):
    rng = np.random.default_rng(seed)
    d = np.round(rng.normal(0.2, size=40), 1)
    assert (d == 0).any()
    known = "asymptotic" in (stats.wilcoxon.__doc__ or "")
    name = "asymptotic" if seed and known else "approx"  # its older name
    theirs = stats.wilcoxon(d, zero_method="pratt", method=name, correction=False)
    assert wilcoxon(d) == pytest.approx(theirs.pvalue, rel=1e-10)


def test_rank_biserial_by_hand():
    # ranks 1, 2, 3.5, 3.5; positive 2 + 3.5 + 3.5, negative 1
    found = across([[0.51, 0.5], [0.6, 0.58], [0.7, 0.66], [0.5, 0.51], [0.64, 0.6]][:5])
    d = np.round([0.01, 0.02, 0.04, -0.01, 0.04], 2)
    ranks = stats.rankdata(np.abs(d))
    expected = (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum()
    assert found.pairs[0].effect.name == "rank-biserial"
    assert found.pairs[0].effect.value == pytest.approx(expected)


@pytest.mark.parametrize("asked", FROZEN["nemenyi"], ids=lambda n: f"{len(n['performances'])}")
def test_nemenyi_as_scikit_posthocs_has_it(asked):
    found = across(asked["performances"], tests=["nemenyi"])
    theirs, k = np.array(asked["p"]), len(asked["p"])
    expected = [theirs[i, j] for i in range(k) for j in range(i + 1, k)]
    np.testing.assert_allclose([one.p for one in found.pairs], expected, rtol=1e-9, atol=1e-12)
    assert [one.p_adjusted for one in found.pairs] == [one.p for one in found.pairs]
    ranks = {one.family: one.mean_rank for one in found.standings}
    for one in found.pairs:
        apart = abs(ranks[one.first] - ranks[one.second]) > found.critical_difference
        assert (one.verdict in (Verdict.BETTER, Verdict.WORSE)) == apart
    # with two families it is the studentized range of two: twice the normal tail
    if k == 2:
        assert found.pairs[0].p == pytest.approx(2 * stats.norm.sf(abs(found.pairs[0].statistic)))


def test_a_loss_is_better_where_it_is_smaller():
    gains, losses = across(AUCS, tests=["all"]), across(1 - AUCS, "error", tests=["all"])
    assert [s.family for s in gains.standings] == [s.family for s in losses.standings]
    assert gains.contests == losses.contests
    for one, other in zip(gains.pairs, losses.pairs, strict=True):
        assert one.p == pytest.approx(other.p)
        assert one.verdict == other.verdict
        assert one.difference == pytest.approx(other.difference)


def test_rounding_parts_no_ties():
    values = np.array([[0.9 - 0.8, 0.8 - 0.7, 0.1]] * 7)
    assert len(set(values[0])) > 1
    found = across(values, tests=["all"])
    assert {s.mean_rank for s in found.standings} == {2}
    assert {one.p for one in (*found.overall, *found.pairs)} == {1}
    assert {(c.wins, c.ties, c.losses) for c in found.contests} == {(0, 7, 0)}


def test_only_complete_data_sets_count():
    values = AUCS.copy()
    values[3, 1] = np.nan
    found, expected = across(values), across(np.delete(AUCS, 3, axis=0))
    assert found.left_out == ("d3",)
    assert len(found.data_sets) == 13
    assert found.standings == expected.standings
    assert [note.code for note in found.notes] == ["incomplete-data-sets"]
    assert "1 of 14" in found.notes[0].text
    with pytest.raises(
        UndefinedError, match="no data set has a performance of every configuration"
    ):
        across([[0.5, np.nan], [np.nan, 0.5]])


def test_holm_is_the_default_and_verdicts_follow():
    found = across(AUCS)
    p = sorted((one.p, one.p_adjusted) for one in found.pairs)
    expected = np.maximum.accumulate([(6 - i) * p[i][0] for i in range(6)])
    np.testing.assert_allclose([q for _, q in p], np.minimum(expected, 1))
    for one in found.pairs:
        sign = np.sign(one.effect.value)
        shown = {1: Verdict.BETTER, -1: Verdict.WORSE}[sign]
        assert one.verdict == (shown if one.p_adjusted <= 0.05 else Verdict.NOT_SHOWN)
    plain = across(AUCS, adjust=Adjustment.NONE)
    assert {one.p_adjusted for one in plain.pairs} == {None}
    with pytest.raises(OptionError, match="max-t"):
        across(AUCS, adjust=Adjustment.MAX_T)


def test_groups_are_runs_that_are_not_told_apart():
    rng = np.random.default_rng(1)
    values = np.array([0.5, 0.6, 0.61, 0.62, 0.8]) + rng.normal(0, 0.01, (20, 5))
    found = across(values, tests=["nemenyi"])
    names = [one.family for one in found.standings]
    assert names[0] == "f4"
    assert names[-1] == "f0"
    apart = {frozenset((p.first, p.second)) for p in found.pairs if p.p_adjusted <= 0.05}
    for group in found.groups:
        start = names.index(group[0])
        assert group == tuple(names[start : start + len(group)])
        assert len(group) > 1
        assert not any(frozenset(two) in apart for two in product(group, group))
    for first, second in pairwise(names):
        together = any({first, second} <= set(group) for group in found.groups)
        assert together == (frozenset((first, second)) not in apart)
    assert not any(set(a) < set(b) for a in found.groups for b in found.groups)
    same = across(np.full((9, 3), 0.5), tests=["nemenyi"])
    assert same.groups == (("f0", "f1", "f2"),)
    assert across(values, tests=["friedman"]).groups == ()


def test_few_data_sets_say_so():
    found = across(AUCS[:5])
    assert {note.code for one in found.pairs for note in one.notes} == {"few-data-sets"}
    assert "can't be below 0.062" in found.pairs[0].notes[0].text
    assert min(one.p for one in found.pairs) >= 2**-4
    assert across(AUCS[:6]).pairs[0].notes == ()
    single = across(AUCS[:1], tests=["all"])
    for one in (*single.overall, *of(single, "nemenyi")):
        assert one.p is None
        assert one.verdict is Verdict.UNDEFINED
        assert "undefined-test" in {note.code for note in one.notes}
    assert single.critical_difference is None
    two = across(AUCS[:, :2], tests=["all"])
    assert [one.p for one in two.overall] == [None, None]
    assert all(one.p for one in two.pairs)


TABLES = arrays(
    float,
    st.tuples(st.integers(1, 9), st.integers(2, 5)),
    elements=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5 + 1e-16, 1.0]) | st.floats(0, 1),
)


@pytest.mark.sweep
@given(TABLES)
@settings(max_examples=examples(60))
def test_nothing_degenerate_is_nan_or_certain(values):
    found = across(values, tests=["all"])
    for one in (*found.overall, *found.pairs):
        assert one.p is None or 0 < one.p <= 1
        assert one.p_adjusted is None or 0 < one.p_adjusted <= 1
        assert (one.p is None) == ("undefined-test" in {note.code for note in one.notes})
        for number in (one.statistic, one.difference, *((one.effect and [one.effect.value]) or [])):
            assert number is None or np.isfinite(number)
    assert sum(s.mean_rank for s in found.standings) == pytest.approx(
        values.shape[1] * (values.shape[1] + 1) / 2
    )
    assert "nan" not in str(as_json(found))


def test_names():
    with pytest.raises(OptionError, match="no test over data sets named 'wilcox'") as caught:
        across(AUCS, tests=["wilcox"])
    assert caught.value.hint == "did you mean wilcoxon?"
    with pytest.raises(OptionError, match="ranking needs two configurations"):
        across(AUCS[:, :1])
    assert set(DEFAULTS) < set(TESTS)
