"""Tests of pairs against R, statsmodels, scipy, mlxtend and baycomp."""

import json
from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, regression
from oracle_data import ALL, FOLDER, REAL, answers, matrix
from pairs import ask, of_folds, of_labels, of_table
from scipy import stats

from bbccli import Plan
from bbccli.stats.resampling import BLOCK, Unit, generator

FROZEN = json.loads((FOLDER / "comparisons.json").read_text())
EDGES = json.loads((FOLDER / "mcnemar_edge_cases.json").read_text())["cases"]
REAL_TESTS = answers(REAL, "tests")


def close(value):
    return pytest.approx(value, rel=1e-10, abs=1e-300)


@pytest.fixture(params=REAL_TESTS["pairs"], ids=lambda p: f"{p['a']}-{p['b']}")
def asked(request):
    return request.param


def of(asked, test, question="acc"):
    data = matrix(REAL, question)
    pair = [data.configurations.index(asked[key]) for key in "ab"]
    return ask(test, data, {"acc": "accuracy", "auc": "auc"}[question], pair)


def test_mcnemar_as_statsmodels_and_r_have_it(asked):
    b, c = asked["table"][0][1], asked["table"][1][0]
    exact, corrected = of(asked, "mcnemar-exact"), of(asked, "mcnemar-chi2")
    assert exact.p == close(asked["statsmodels_exact_p"])
    assert exact.p == pytest.approx(asked["R_exact_p"], rel=1e-13)
    assert corrected.statistic == close(asked["statsmodels_mcnemar_corrected"]["stat"])
    assert corrected.p == close(asked["statsmodels_mcnemar_corrected"]["p"])
    assert corrected.p == pytest.approx(asked["R_mcnemar_corrected"]["p"], rel=1e-9)
    assert corrected.df == (1,)
    # mid-p: the exact one less the probability of what was seen
    mid = of(asked, "mcnemar").p
    seen = stats.binom.pmf(min(b, c), b + c, 0.5)
    assert mid == close(stats.binomtest(b, b + c).pvalue - seen)
    assert exact.statistic == min(b, c)
    assert exact.effect.value == b / c
    assert exact.difference == pytest.approx((b - c) / 569, rel=1e-13)
    assert exact.n_units == 569


def test_q_of_two_is_mcnemars_without_the_correction(asked):
    found = of(asked, "cochran-q")
    assert found.statistic == close(asked["statsmodels_mcnemar_uncorrected"]["stat"])
    assert found.p == close(asked["statsmodels_mcnemar_uncorrected"]["p"])
    assert found.p == pytest.approx(asked["R_mcnemar_uncorrected"]["p"], rel=1e-9)


def test_two_proportions_as_statsmodels_and_r_have_them(asked):
    found = of(asked, "two-proportions")
    assert found.statistic == close(asked["statsmodels_proportions_z"])
    assert found.p == close(asked["statsmodels_proportions_p"])
    assert found.p == pytest.approx(asked["R_prop_test_p"], rel=1e-9)


@pytest.mark.parametrize("question", ["acc", swept("auc")])
def test_t_over_folds_as_scipy_has_it(asked, question):
    theirs = asked[{"acc": "scipy_t_accuracy", "auc": "scipy_t_auc"}[question]]
    found = of(asked, "k-fold-t", question)
    assert found.statistic == close(theirs["t"])
    assert found.p == close(theirs["p"])
    assert found.df == (theirs["df"],)


@pytest.mark.parametrize("asked", REAL_TESTS["several"], ids=lambda s: f"{len(s['configs'])}")
def test_several_as_statsmodels_mlxtend_and_r_have_them(asked):
    data = matrix(REAL, "acc")
    chosen = [data.configurations.index(name) for name in asked["configs"]]
    q, f = (ask(test, data, "accuracy", chosen) for test in ("cochran-q", "looney-f"))
    assert q.statistic == close(asked["statsmodels_Q"]["Q"])
    assert q.p == close(asked["statsmodels_Q"]["p"])
    assert q.df == (asked["statsmodels_Q"]["df"],)
    assert f.statistic == pytest.approx(asked["R_F"], rel=1e-11)
    assert f.p == pytest.approx(asked["R_F_p"], rel=1e-9, abs=1e-300)
    assert f.p > 0
    if asked["mlxtend_F"] is not None:  # it enumerates 2^24 patterns of the last one
        assert f.statistic == pytest.approx(asked["mlxtend_F"], rel=1e-8)
        assert f.p == pytest.approx(asked["p_textbook_df"], rel=1e-8)
        assert list(f.df) == asked["df_textbook"]
    n, m = 569, len(chosen)
    assert f.statistic == close((n - 1) * q.statistic / (n * (m - 1) - q.statistic))
    assert q.difference is None
    assert q.second == ""
    assert q.compared == tuple(asked["configs"])


@pytest.mark.parametrize("asked", EDGES, ids=lambda e: f"{e['b']}-{e['c']}")
def test_mcnemar_at_the_edges(asked):
    b, c = asked["b"], asked["c"]
    data = of_table(10, b, c, 10)
    exact, corrected, mid = (
        ask(test, data, "accuracy") for test in ("mcnemar-exact", "mcnemar-chi2", "mcnemar")
    )
    if b + c == 0:  # R has no number, mlxtend and statsmodels p = 0
        assert (exact.p, corrected.p, mid.p) == (1, 1, 1)
        assert exact.effect is None
        return
    assert exact.p == close(asked["statsmodels_exact"][1])
    assert exact.p == close(float(asked["R"]["exact_p"]))
    assert corrected.statistic == pytest.approx(float(asked["R"]["corrected_stat"]), rel=1e-13)
    assert corrected.p == pytest.approx(float(asked["R"]["corrected_p"]), rel=1e-9)
    assert mid.p == pytest.approx(exact.p - stats.binom.pmf(min(b, c), b + c, 0.5)) or b == c


@pytest.mark.parametrize("asked", FROZEN["cochran_q"], ids=lambda q: f"{len(q['right'][0])}")
def test_q_as_mlxtend_has_it(asked):
    data = of_labels(asked["right"])
    found = ask("cochran-q", data, "accuracy", range(data.n_configurations))
    assert (found.statistic, found.p) == (close(asked["q"]), close(asked["p"]))


@pytest.mark.parametrize("name", ALL)
def test_delong_as_r_has_it(name):
    data = matrix(name, "auc")
    for theirs in answers(name, "delong")["pair_tests"]:
        pair = [data.configurations.index(theirs[key]) for key in "ab"]
        found = ask("delong", data, "auc", pair)
        assert found.statistic == pytest.approx(theirs["Z"], rel=1e-9, abs=1e-10)
        assert found.p == pytest.approx(theirs["p_two_sided"], rel=1e-8)
        ends = (found.interval.lower, found.interval.upper)
        assert ends == pytest.approx(theirs["conf_int_diff95"], abs=1e-10)
        # by another way: each sample left out in turn
        wald = ask("wald", data, "auc", pair)
        assert wald.statistic == pytest.approx(found.statistic, rel=1e-9)


def test_wald_of_a_mean_is_the_paired_z():
    data = regression(n_samples=60)
    losses = np.abs(data.predictions[0] - data.outcome.values[:, None])
    found = ask("wald", data, "mae", (1, 4))
    theirs = stats.ttest_rel(losses[:, 4], losses[:, 1])  # a loss: fewer is better
    assert found.statistic == close(theirs.statistic)
    assert found.p == close(2 * stats.norm.sf(abs(theirs.statistic)))


@pytest.mark.parametrize("asked", FROZEN["five_by_two"], ids=lambda f: f"{f['t']['p']:.2f}")
def test_five_by_two_as_mlxtend_has_it(asked):
    data = of_folds(asked["first"], asked["second"])
    for key in "tf":
        found = ask(f"five-by-two-{key}", data, "mean-score")
        assert found.statistic == close(asked[key]["statistic"])
        assert found.p == close(asked[key]["p"])
    assert found.df == (10, 5)


@pytest.mark.parametrize("asked", FROZEN["correlated_t"], ids=lambda t: f"{t['n_repeats']}")
def test_beliefs_as_baycomp_has_them(asked):
    shape = asked["n_repeats"], asked["n_folds"]
    data = of_folds(*(np.reshape(asked[key], shape) for key in ("first", "second")))
    found = ask("bayes-t", data, "mean-score", rope=asked["rope"])
    beliefs = found.beliefs
    assert beliefs.worse == close(asked["worse"])
    assert beliefs.equal == pytest.approx(asked["equal"], abs=1e-12)
    assert beliefs.better == close(asked["better"])
    # without a rope it is the one-sided corrected t
    corrected = ask("corrected-t", data, "mean-score")
    one_sided = ask("bayes-t", data, "mean-score").beliefs
    assert min(one_sided.worse, one_sided.better) == close(corrected.p / 2)
    assert corrected.interval == found.interval


def test_permutation_as_scipy_has_it_exactly():
    data = regression(n_samples=12)
    losses = (data.predictions[0] - data.outcome.values[:, None]) ** 2
    theirs = stats.permutation_test(
        (losses[:, 1] - losses[:, 4],), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    found = ask("permutation", data, "mse", (1, 4))
    assert found.error is None
    assert found.p == close(theirs.pvalue)


def test_exact_permutation_of_labels_is_mcnemars_exact_test():
    for b, c in [(3, 9), (7, 7), (0, 6), (1, 0), (12, 5)]:
        data = of_table(6, b, c, 4)
        found = ask("permutation", data, "accuracy")
        assert found.error is None
        assert found.p == close(ask("mcnemar-exact", data, "accuracy").p)


def test_permutation_of_an_auc_by_hand():
    data = binary(n_samples=10, n_configurations=3, seed=4)
    truth = data.outcome.values
    scores = stats.rankdata(data.predictions[0][:, [0, 2]], axis=0)  # two scales may differ

    def auc(column):
        above = column[truth == 1][:, None] - column[truth == 0]
        return np.mean((above > 0) + 0.5 * (above == 0))

    observed, n_as_far = abs(auc(scores[:, 0]) - auc(scores[:, 1])), 0
    for code in range(2**10):
        swap = (code >> np.arange(10)) & 1 == 1
        one = np.where(swap, scores[:, 1], scores[:, 0])
        other = np.where(swap, scores[:, 0], scores[:, 1])
        n_as_far += abs(auc(one) - auc(other)) >= observed - 1e-12
    assert ask("permutation", data, "auc", (0, 2)).p == close(n_as_far / 2**10)


def test_bonett_and_prices_example():
    # Bonett & Price 2012, section 4 is not at hand; worked out from equation 4
    found = ask("mcnemar", of_table(10, 12, 4, 14), "accuracy").interval
    first, second, n = 13 / 42, 5 / 42, 42
    error = np.sqrt((first + second - (first - second) ** 2) / n)
    reach = stats.norm.ppf(0.975) * error
    assert found.lower == pytest.approx(8 / 42 - reach, rel=1e-12)
    assert found.upper == pytest.approx(8 / 42 + reach, rel=1e-12)


def test_corrected_t_uses_the_folds_as_they_are():
    data = binary(n_samples=44, n_configurations=3, n_folds=5, n_repeats=2, seed=2)
    sizes = np.concatenate([np.bincount(row) for row in data.folds])
    assert len(set(sizes)) > 1
    found = ask("corrected-t", data, "accuracy", (0, 2))
    gains = []
    for repeat in range(2):
        for fold in range(5):
            own = data.folds[repeat] == fold
            right = (data.predictions[repeat] > 0.5) == data.outcome.values[:, None]
            gains.append(right[own, 0].mean() - right[own, 2].mean())
    factor = 1 / 10 + np.mean(sizes / (44 - sizes))
    t = np.mean(gains) / (np.std(gains, ddof=1) * np.sqrt(factor))
    assert found.statistic == close(t)
    assert found.p == close(2 * stats.t.sf(abs(t), 9))
    assert found.effect.value == close(np.mean(gains) / np.std(gains, ddof=1))
    plain = ask("k-fold-t", data, "accuracy", (0, 2))
    assert plain.statistic == close(np.mean(gains) / (np.std(gains, ddof=1) / np.sqrt(10)))


def test_greenhouse_and_geisser_by_hand():
    rng = np.random.default_rng(3)
    right = rng.random((50, 4)) < [0.5, 0.6, 0.7, 0.8]
    covariance = np.cov(right.T.astype(float))
    centre = np.eye(4) - 0.25
    roots = np.linalg.eigvalsh(centre @ covariance @ centre)
    found = ask("looney-f", of_labels(right), "accuracy", range(4))
    assert found.epsilon == close(roots.sum() ** 2 / (3 * (roots**2).sum()))


def test_bootstrap_and_beliefs_of_a_mean_near_its_normal_law():
    data = regression(n_samples=120, seed=8)
    plan = Plan(n_resamples=4000, seed=1)
    wald, drawn, believed = (
        ask(test, data, "mae", (4, 5), plan) for test in ("wald", "bootstrap", "bayes-bootstrap")
    )
    width = wald.interval.upper - wald.interval.lower
    for one in (drawn, believed):
        assert one.interval.lower == pytest.approx(wald.interval.lower, abs=0.08 * width)
        assert one.interval.upper == pytest.approx(wald.interval.upper, abs=0.08 * width)
    assert drawn.p == pytest.approx(wald.p, abs=4 * drawn.error + 0.02)
    assert 1 - believed.beliefs.better == pytest.approx(stats.norm.sf(wald.statistic), abs=0.03)


def by_dirichlet_weights(gains, units, seed):
    """The mean gain under each of 200 rows of weights of the units, in order."""
    drawn = [
        weights[units]
        for block, n in enumerate((BLOCK, BLOCK, BLOCK, 8))
        for weights in generator(seed, (Unit.BELIEFS, block)).standard_exponential(
            (n, max(units) + 1)
        )
    ]
    return np.sort([np.average(gains, weights=weights) for weights in drawn])


@pytest.mark.parametrize("grouped", [False, True])
def test_beliefs_are_those_of_dirichlet_weights_by_hand(grouped):
    data = regression(n_samples=30, seed=2)
    units = np.arange(30) // 3 if grouped else np.arange(30)
    data = replace(data, groups=units) if grouped else data
    losses = np.abs(data.predictions[0][:, [4, 5]] - data.outcome.values[:, None])
    gains = by_dirichlet_weights(losses[:, 1] - losses[:, 0], units, seed=3)
    found = ask("bayes-bootstrap", data, "mae", (4, 5), Plan(n_resamples=200, seed=3))
    assert found.beliefs.better == np.mean(gains > 0)
    assert (found.interval.lower, found.interval.upper) == (close(gains[4]), close(gains[194]))


def test_beliefs_next_to_a_bound_are_those_of_the_weights_too():
    gains = by_dirichlet_weights(np.repeat([0, 1, 0], [1, 9, 1]), np.arange(11), seed=3)
    found = ask("bayes-bootstrap", of_table(1, 9, 0, 1), "accuracy", plan=Plan(200, seed=3))
    assert (found.interval.lower, found.interval.upper) == (close(gains[4]), close(gains[194]))
