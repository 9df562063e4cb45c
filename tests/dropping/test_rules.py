"""Each rule on examples worked out by hand, and against slow or independent computations."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from day import swept
from matrices import of, of_labels, regression
from scipy.optimize import minimize
from scipy.stats import norm, rankdata, t, ttest_rel, wilcoxon

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.domain.matrix import Unfinished
from bbccli.domain.outcome import Outcome
from bbccli.dropping import RULES, drop
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.types import PredictionKind, Task

ACCURACY, MEAN_SCORE = METRICS["accuracy"], METRICS["mean-score"]
RNG = np.random.default_rng(5)


def labels(right, n_folds=5, **changes):
    """A matrix of right and wrong labels (N, C), its folds in the order of the rows."""
    n_samples = len(right)
    changes.setdefault("fold_names", tuple(str(f) for f in range(n_folds)))
    return of_labels(right, folds=(np.arange(n_samples) * n_folds // n_samples)[None], **changes)


def by_fold(shares, size=20):
    """A matrix whose accuracies by fold are these (F, C), in steps of 1 / size."""
    shares = np.asarray(shares)
    counts = np.round(shares * size).astype(int)
    right = np.arange(size)[None, :, None] < counts[:, None, :]
    return labels(right.reshape(-1, shares.shape[1]), len(shares))


def of_gains(gains):
    """A matrix whose mean scores by fold are these (F, C)."""
    outcome = Outcome(Task.SCORE, np.zeros(len(gains)))
    return of(outcome, gains[None], PredictionKind.VALUE, len(gains))


def verdict(rule, matrix, threshold=None, metric=ACCURACY, plan=Plan(200)):
    """What a rule says of those that are still in, however few samples there are."""
    found = drop(matrix, metric, plan, rule=rule, threshold=threshold, min_samples=0).decisions
    still = [one for one in found if one.fate != "dropped earlier"]
    return SimpleNamespace(
        worse=np.array([one.fate == "drop" for one in still]),
        probability=np.array([one.probability for one in still], float),
        p_value=np.array([one.p_value for one in still], float),
    )


def test_bbcd_counts_the_draws_in_which_it_is_worse():
    # four samples; b is right where a is, but for the first: worse whenever that is drawn
    found = verdict("bbcd", labels([[1, 0], [1, 1], [0, 0], [1, 1]] * 1, 2))
    assert found.probability[0] == 0
    assert abs(found.probability[1] - (1 - 0.75**4)) < 4 * np.sqrt(0.25 / 200)


def test_bbcd_ties_do_not_count():
    found = verdict("bbcd", labels([[1, 1, 0], [0, 0, 1]] * 20))
    assert found.probability[1] == 0
    assert not found.worse.any()


def test_bbcd_draws_groups_together():
    right = np.array([[1, 0]] * 30 + [[1, 1]] * 30)
    together = labels(right, groups=np.repeat([0, 1], 30))
    # b is worse unless only the second group is drawn
    share = verdict("bbcd", together).probability[1]
    assert abs(share - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 200)
    assert verdict("bbcd", labels(right)).probability[1] == 1


def test_bbcd_does_not_count_what_is_undefined():
    # precision: a is right at 20 positives; b predicts one positive, wrongly, and so has no
    # precision in a draw without that sample
    truth = np.arange(60) % 2
    said = np.zeros((60, 2))
    said[1:40:2, 0] = 1
    said[0, 1] = 1
    matrix = of(Outcome(Task.BINARY, truth, ("no", "yes")), said[None], PredictionKind.LABEL)
    found = verdict("bbcd", matrix, metric=METRICS["precision"])
    drawn = 1 - (59 / 60) ** 60
    assert abs(found.probability[1] - drawn) < 4 * np.sqrt(drawn * (1 - drawn) / 200)
    assert not found.worse.any()


@pytest.mark.parametrize("unit", ["samples", "groups"])
def test_bbcd_gives_up_where_the_best_is_undefined_in_most_draws(unit, monkeypatch):
    monkeypatch.setattr("bbccli.stats.resampling.PATIENCE", 1)  # all are usable, but for a block
    scores = np.linspace(0, 1, 40)[None, :, None] * [1.0, -1.0]
    outcome = Outcome(Task.BINARY, (np.arange(40) == 39).astype(int), ("no", "yes"))
    matrix = of(outcome, scores, PredictionKind.SCORE)
    if unit == "groups":
        matrix = replace(matrix, groups=np.arange(40) // 2)
    with pytest.raises(UndefinedError, match=f"almost no resample of the {unit} can be used"):
        verdict("bbcd", matrix, metric=METRICS["auc"], plan=Plan(2000))


def slow_brace(loss, groups=None, weights=None):
    """Probabilities by loops over samples, from losses (N, C); groups are added up."""
    n, n_configurations = loss.shape
    weights = np.ones(n) if weights is None else weights
    groups = np.arange(n) if groups is None else groups
    found, best = np.zeros(n_configurations), np.average(loss, axis=0, weights=weights).argmin()
    for c in range(n_configurations):
        behind = [loss[i, c] - loss[i, best] for i in range(n)]
        mean = sum(weights[i] * behind[i] for i in range(n)) / sum(weights)
        if mean <= 0:
            continue
        sums = [
            sum(weights[i] * (behind[i] - mean) for i in range(n) if groups[i] == g)
            for g in np.unique(groups)
        ]
        square = sum(s**2 for s in sums) * len(sums) / (len(sums) - 1) / sum(weights) ** 2
        found[c] = t.cdf(mean / np.sqrt(square), len(sums) - 1)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["plain", "groups", swept("weights"), "both"])
def test_brace_by_loops(seed, kind):
    matrix = regression(60, n_configurations=5, seed=seed)
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 20, 60) if kind in ("groups", "both") else None
    weights = rng.random(60) + 0.2 if kind in ("weights", "both") else None
    matrix = replace(matrix, groups=groups, outcome=replace(matrix.outcome, weights=weights))
    loss = np.abs(matrix.predictions[0] - matrix.outcome.values[:, None])
    expected = slow_brace(loss, groups, weights)
    found = verdict("brace", matrix, 0.9, METRICS["mae"])
    assert found.probability == pytest.approx(expected, abs=1e-9)
    assert found.worse.tolist() == (expected > 0.9).tolist()
    assert np.count_nonzero(expected) == 4


def test_brace_is_the_paired_t_test_of_scipy():
    right = (RNG.random((90, 6)) < np.linspace(0.5, 0.8, 6)).astype(int)
    found = verdict("brace", labels(right)).probability
    best = int(right.mean(axis=0).argmax())
    for c in set(range(6)) - {best}:
        p = ttest_rel(right[:, best], right[:, c], alternative="greater").pvalue
        ties = right[:, best].sum() == right[:, c].sum()
        assert found[c] == pytest.approx(0 if ties else 1 - p, abs=1e-12)


def test_brace_averages_repeats_and_takes_out_what_samples_share():
    # b is wrong where a is, and in one sample of ten more; c is wrong as often as b, elsewhere
    a = np.arange(200) % 2 == 0
    b = a & (np.arange(200) % 20 != 0)
    c = np.roll(b, 1)
    found = verdict("brace", labels(np.stack([a, b, c], axis=1)))
    assert found.probability[1] > 0.999 > found.probability[2] > 0.5
    assert found.worse.tolist() == [False, True, False]
    once = labels(np.stack([a, b, c], axis=1))
    twice = replace(
        once,
        predictions=np.concatenate([once.predictions] * 2),
        folds=np.concatenate([once.folds] * 2),
    )
    assert verdict("brace", twice).probability == pytest.approx(found.probability)


def test_brace_of_differences_that_do_not_vary():
    always = labels(np.tile([[1, 1, 0]], (60, 1)))
    assert verdict("brace", always).worse.tolist() == [False, False, True]
    assert not verdict("brace", replace(always, groups=np.zeros(60, int))).worse.any()


def test_brace_of_a_difference_within_rounding():
    """Of errors near a million, the last digit of a float."""
    far = 1e6 + np.arange(60)[:, None] + np.array([0, 2.0**-32])
    matrix = of(Outcome(Task.REGRESSION, np.zeros(60)), far[None], PredictionKind.VALUE, 5)
    assert not verdict("brace", matrix, metric=METRICS["mae"]).worse.any()


def slow_betting(matrix, loss, threshold, n_started):
    """Which of C configurations go, by loops over rivals, stakes and units, from losses (N, C)."""
    n, n_configurations = loss.shape
    groups = np.arange(n) if matrix.groups is None else matrix.groups
    weights = np.ones(n) if matrix.outcome.weights is None else matrix.outcome.weights
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    largest = max(sum(weights[i] for i in unit) for unit in members)
    means = [-sum(weights[i] * loss[i, c] for i in range(n)) for c in range(n_configurations)]
    leaders = sorted(range(n_configurations), key=means.__getitem__, reverse=True)[:3]
    gone = []
    for j in range(n_configurations):
        capitals = []
        for k in leaders:
            total = 0.0
            for stake in (0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8):
                capital = 1.0
                for unit in members:
                    won = sum(weights[i] * (loss[i, j] - loss[i, k]) for i in unit)
                    capital *= 1 + stake * won / largest
                total += capital / 7
            capitals.append(total)
        gone.append(max(capitals) >= (n_started - 1) / (1 - threshold))
    return gone


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["plain", "groups", swept("weights"), "both"])
def test_betting_by_loops(seed, kind):
    rng = np.random.default_rng(seed)
    matrix = labels(rng.random((120, 9)) < np.linspace(0.35, 0.9, 9))
    groups = rng.integers(0, 60, 120) if kind in ("groups", "both") else None
    weights = rng.random(120) + 0.2 if kind in ("weights", "both") else None
    matrix = replace(matrix, groups=groups, outcome=replace(matrix.outcome, weights=weights))
    loss = (matrix.predictions[0] != matrix.outcome.values[:, None]).astype(float)
    expected = slow_betting(matrix, loss, 0.8, 9)
    assert verdict("betting", matrix, 0.8).worse.tolist() == expected
    assert any(expected) or kind != "plain"


def test_betting_by_hand():
    # b is wrong in n samples of 100 in which a is right: prod (1 + s) = (1 + s)^n
    stakes = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8])
    capital = [np.mean((1 + stakes) ** n) for n in range(20)]
    n = next(n for n in range(20) if capital[n] >= 20)
    for n_wrong, gone in ((n - 1, False), (n, True)):
        matrix = labels(np.stack([np.arange(100) >= 0, np.arange(100) >= n_wrong], axis=1))
        assert verdict("betting", matrix, 0.95).worse.tolist() == [False, gone]
    # one that left earlier was a rival of the truly best too
    left = replace(matrix, unfinished=Unfinished(("c", "d"), (1, 1)))
    assert not verdict("betting", left, 0.95).worse.any()
    # a later repeat shows nothing new
    twice = replace(
        matrix,
        predictions=np.concatenate([matrix.predictions, 0 * matrix.predictions]),
        folds=np.concatenate([matrix.folds] * 2),
    )
    assert verdict("betting", twice, 0.95).worse.tolist() == [False, True]


def test_the_second_may_bet_better_than_the_first():
    # c is wrong in 20 samples in which a is right and right in 10 others; b is right where c is,
    # and in 9 more: the capital of b against c grows, that of a does not
    n = np.arange(100)
    c = n >= 29
    a = (n < 20) | (n >= 39)
    b = (n < 9) | c
    matrix = labels(np.stack([a, b, c], axis=1))
    assert verdict("betting", matrix, 0.6).worse.tolist() == [False, False, True]
    assert not verdict("betting", matrix.of_configurations([0, 2]), 0.6).worse.any()


def test_betting_keeps_its_promise_however_often_one_looks():
    # two equal models, looked at after every sample: a test at each look would drop both at last
    lost = 0
    for seed in range(100):
        right = np.random.default_rng(seed).random((150, 2)) < 0.6
        looks = (verdict("betting", labels(right[:n]), 0.8).worse for n in range(5, 151, 5))
        lost += any(look[0] for look in looks)
    assert lost <= 0.2 * 100 + 3 * np.sqrt(100 * 0.2 * 0.8)
    assert lost > 0


APART = [[0.9, 0.6, 0.3]] * 5
ONCE_EACH = [[0.6, 0.9, 0.3], [0.9, 0.3, 0.6], *APART[2:]]
OF_TWO = [[0.9, 0.6], [0.8, 0.8], [0.7, 0.6], [0.9, 0.6], [0.9, 0.6]]
LAST_LOSES = [[0.9, 0.8, 0.1], [0.8, 0.9, 0.1], [0.9, 0.8, 0.1]]
BY_A_TENTH = [[0.9, 0.7], [0.4, 0.3], [0.8, 0.5]]


@pytest.mark.parametrize(
    ("rule", "shares", "worse"),
    [
        # ranks 1, 2, 3 in each fold: R = 5, 10, 15; chi2 = 10; the critical difference is 0
        ("friedman", APART, [False, True, True]),
        # two folds the other way round: R = 6, 10, 14, A = 70, chi2 = 6.4 (p 0.041), critical
        # difference t(0.975, 8) sqrt(2 (350 - 332) / 8) = 2.306 * 2.121 = 4.89
        ("friedman", ONCE_EACH, [False, False, True]),
        ("friedman", OF_TWO, [False, True]),
        ("friedman", [OF_TWO[0], [0.5, 0.9], *OF_TWO[2:]], [False, False]),
        ("friedman", OF_TWO[:4], [False, False]),  # too early
        ("anova", BY_A_TENTH, [False, True]),
        ("anova", BY_A_TENTH[:2], [False, False]),  # burn-in
        ("win-loss", LAST_LOSES, [False, False, True]),
        ("win-loss", LAST_LOSES[:2], [False, False, False]),
        ("wilcoxon", [[0.9, 0.5]] * 4, [False, True]),
        ("wilcoxon", [[0.9, 0.5]] * 3, [False, False]),  # 2^-3 > 0.1
    ],
)
def test_rules_over_folds_by_hand(rule, shares, worse):
    assert verdict(rule, by_fold(shares)).worse.tolist() == worse


def test_friedman_compares_only_after_the_overall_test():
    # Conover's comparison alone would drop the first (p 0.030), Friedman's test sees no
    # difference among the four (p 0.145)
    ranks = [[0, 3, 1, 2], [0, 3, 1, 2], [1, 0, 3, 2], [1, 2, 3, 0], [0, 3, 1, 2]]
    shares = (np.array(ranks) + 2) / 10
    found = verdict("friedman", by_fold(shares))
    assert not found.worse.any()
    assert found.p_value.min() == pytest.approx(0.1447, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [0.0, swept(2.0)])
def test_anova_is_reml(seed, spread):
    """The closed form maximises the restricted likelihood of the mixed model."""
    rng = np.random.default_rng(seed)
    n_folds, n_raced = 5, 4
    gains = rng.normal(size=(n_folds, n_raced)) + spread * rng.normal(size=(n_folds, 1))
    design = np.tile(np.eye(n_raced), (n_folds, 1))
    values = gains.ravel()
    blocks = np.kron(np.eye(n_folds), np.ones((n_raced, n_raced)))

    def deviance(logs):
        error, fold = np.exp(logs)
        covariance = error * np.eye(len(values)) + fold * blocks
        inverse = np.linalg.inv(covariance)
        information = design.T @ inverse @ design
        rest = values - design @ np.linalg.solve(information, design.T @ inverse @ values)
        return (
            np.linalg.slogdet(covariance)[1]
            + np.linalg.slogdet(information)[1]
            + rest @ inverse @ rest
        )

    best = min(
        (minimize(deviance, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
         for start in ([0, 0], [0, -20])),
        key=lambda found: found.fun,
    )  # fmt: skip
    means = gains.mean(axis=0)
    error = np.sqrt(2 * np.exp(best.x[0]) / n_folds)
    expected = np.where(means < means.max(), 2 * norm.cdf((means - means.max()) / error), 1)
    found = verdict("anova", of_gains(gains), metric=MEAN_SCORE)
    np.testing.assert_allclose(found.p_value, expected, rtol=0.01)


def test_p_values_by_hand():
    # differences -0.2, -0.1, -0.3: mean -0.2; error variance of two configurations is half the
    # variance of the differences, 0.005; SE = sqrt(2 * 0.005 / 3) = 0.0577; -0.2 + 1.96 SE < 0
    matrix = by_fold(BY_A_TENTH)
    assert verdict("anova", matrix).p_value[1] == pytest.approx(0.000532, abs=1e-5)
    assert not verdict("anova", matrix, 0.9999).worse.any()
    found = verdict("wilcoxon", by_fold([[0.9, 0.5]] * 4))
    assert found.p_value[1] == pytest.approx(2.0**-4)


@pytest.mark.parametrize("seed", range(3))
def test_abilities_maximise_the_penalised_likelihood(seed):
    """Firth's correction is the likelihood times the root of the information (Jeffreys).

    The thresholds at which a configuration just goes tell its ability, and its standard error.
    """
    gains = np.round(np.random.default_rng(seed).normal(size=(4, 4)) + np.arange(4) / 2, 0)
    first, second = gains[:, :, None], gains[:, None]
    wins = ((first > second) * 0.5 + (first >= second) * 0.5).sum(axis=0)  # a tie is half of one
    np.fill_diagonal(wins, 0)
    contests = wins + wins.T

    def laplacian(ability):
        chance = 1 / (1 + np.exp(ability - ability[:, None]))
        mass = contests * chance * (1 - chance)
        return chance, np.diag(mass.sum(axis=1)) - mass

    def minus(free):
        chance, information = laplacian(np.append(free, -free.sum()))
        return -(wins * np.log(chance)).sum() - np.linalg.slogdet(information[1:, 1:])[1] / 2

    free = minimize(minus, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    ability = np.append(free, -free.sum())
    best = wins.sum(axis=1).argmax()
    rest = [c for c in range(4) if c != best and wins[c].any()]
    others = np.delete(np.arange(4), best)
    errors = np.sqrt(np.diag(np.linalg.inv(laplacian(ability)[1][np.ix_(others, others)])))
    assert wins.any(axis=1).all() and rest
    for c in rest:
        behind = (ability[best] - ability[c]) / errors[list(others).index(c)]
        for off, gone in ((-1e-3, True), (1e-3, False)):
            told = verdict("win-loss", of_gains(gains), t.cdf(behind, 1) + off, MEAN_SCORE)
            assert told.worse[c] == gone


def slow_signed_ranks(differences):
    """P by all signs of the ranks that are not zero."""
    ranks = np.where(differences == 0, 0, rankdata(np.abs(differences)))
    observed = ranks[differences > 0].sum()
    sums = [np.dot(signs, ranks) for signs in product((0, 1), repeat=len(ranks))]
    return np.mean(np.array(sums) >= observed - 1e-9)


def scipy_s_signed_ranks(differences):
    # above 50 "auto" takes what old versions of scipy call "approx", and others "asymptotic"
    method = "exact" if len(differences) <= 50 else "auto"
    return wilcoxon(differences, alternative="greater", correction=False, method=method).pvalue


@pytest.mark.parametrize(
    ("n", "size", "slowly"),
    [
        (7, 20, slow_signed_ranks),  # many of them equal, and some zero
        *(swept(n, 10**4, scipy_s_signed_ranks) for n in (10, 80)),
    ],
)
def test_wilcoxon_is_the_test_of_signed_ranks(n, size, slowly):
    rng = np.random.default_rng(n)
    shares = np.clip(rng.normal(np.linspace(0.6, 0.4, 6), 0.1, size=(n, 6)), 0, 1)
    if slowly is scipy_s_signed_ranks:  # which leaves out differences of zero
        shares = (np.floor(shares * size / 6) * 6 + np.arange(6)) / size
    matrix = by_fold(shares, size)
    found, shares = verdict("wilcoxon", matrix).p_value, np.round(shares * size) / size
    best = shares.mean(axis=0).argmax()
    others = [c for c in range(6) if c != best]
    expected = [slowly(np.round(shares[:, best] - shares[:, c], 9)) for c in others]
    np.testing.assert_allclose(found[others], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("level", "worse"), [(0.01, [False, True, True]), (0.002, [False, False, True])]
)
def test_cvst_top_ones_by_hand(level, worse):
    # Cochran's Q of two columns is (b - c)^2 / (b + c): of 9 discordant samples, all one way, it is
    # 9 (p 0.0027); so it is in each of three folds, after which one that was never on top goes
    right = np.ones((20, 3))
    right[:9, 1] = 0
    right[:10, 2] = 0
    matrix = labels(np.tile(right, (3, 1)), 3)
    assert verdict("cvst", matrix, 1 - 2 * level).worse.tolist() == worse


def test_cvst_goes_after_three_failures():
    right = np.ones((100, 2), bool)
    right[:, 1] = np.arange(100) % 2 == 0
    assert verdict("cvst", labels(right, 5)).worse.tolist() == [False, True]
    half = labels(right[:40], 2)
    assert not verdict("cvst", half).worse.any()
    # among the top ones in the first fold: 1 of 5 is at the line 0.651 * 5 - 1.777 = 1.478
    right[:20] = True
    assert verdict("cvst", labels(right, 5)).worse[1]
    assert not verdict("cvst", labels(right[:80], 4)).worse[1]  # 1 of 4: the line is 0.827


@pytest.mark.parametrize("rule", ["friedman", swept("anova"), swept("win-loss"), swept("wilcoxon")])
def test_errors_are_better_when_small(rule):
    matrix = regression(200, n_folds=10)
    rmse, r2 = (verdict(rule, matrix, 0.8, metric=METRICS[name]) for name in ("rmse", "r2"))
    assert rmse.worse[0]
    assert r2.worse[0]
    assert not rmse.worse[-1]


def test_cvst_compares_absolute_errors():
    found = verdict("cvst", regression(400, n_folds=5), metric=METRICS["mae"])
    assert found.worse[0]
    assert not found.worse[-1]


@pytest.mark.parametrize(("rule", "metric"), [("betting", "r2"), ("cvst", "rmse"), ("brace", "r2")])
def test_metrics_without_losses_are_refused(rule, metric):
    with pytest.raises(UnsupportedError, match="--rule bbcd|this rule"):
        verdict(rule, regression(), metric=METRICS[metric])


@pytest.mark.parametrize("rule", [r.name for r in RULES.values() if "folds" in r.needs])
def test_rules_over_folds_say_that_they_need_them(rule):
    matrix = labels(np.ones((60, 2)))
    without = PredictionMatrix(
        matrix.outcome, matrix.predictions, matrix.configurations, matrix.kind
    )
    with pytest.raises(UndefinedError, match="compares folds"):
        verdict(rule, without)
