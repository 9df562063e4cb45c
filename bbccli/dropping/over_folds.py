"""Races over folds: tests of the performances in each fold, against the best.

Configurations that are undefined in some fold take no part and stay.

## friedman

F-race: Friedman's test over folds, then Conover's comparison with the best.

1. Rank the C configurations in each of n folds; R_j is the sum of the ranks of configuration j.
2. Friedman's test, with its correction for ties; go on only if it is significant.
3. Drop j when R_j - R_best exceeds
   t sqrt(2 (n A - sum R^2) / ((n - 1) (C - 1))), A the sum of the squared ranks and t the
   1 - alpha / 2 quantile of Student's t with (n - 1) (C - 1) degrees of freedom.
4. With two configurations left: drop one that never wins a fold, else by Wilcoxon's signed ranks.

The first test comes after five folds. Here alpha is 1 - threshold.

Source: Birattari, Stuetzle, Paquete & Varrentrapp 2002; the form is that of the R package irace;
Conover 1999, pages 369-371.

## anova

ANOVA race: a mixed model of the performances by fold, with the folds as random effects.

1. Performance = configuration + fold + error, estimated by REML.
2. A two-sided Wald interval, at the level of the threshold, for the difference of each
   configuration to the one with the best mean.
3. Drop a configuration whose interval is wholly on the worse side of zero.

Every configuration has been in every fold, so the design is balanced and REML has a closed form:
differences of means, and the mean square of the error from the two-way table. Where the folds
differ by less than the error does, their variance is estimated as zero, and both sums of squares
are pooled. The first test comes after three folds.

Source: Kuhn 2014; the form is that of `tune_race_anova` in the R package finetune.

## win-loss

Win-loss race: each fold is a contest of every pair of configurations.

1. In each fold, of each pair, the better one has a win; a tie is half a win for both.
2. Drop configurations without any win.
3. Fit a Bradley-Terry model to the wins of the others: P(i beats j) = 1 / (1 + exp(b_j - b_i)),
   with Firth's correction of the bias, which keeps abilities finite. The reference, with ability
   0, is the configuration with most wins.
4. Drop a configuration when ability + t SE is below 0, where t is the quantile of Student's t with
   one degree of freedom at the threshold (6.31 at 0.95).

The first test comes after three folds.

Source: Kuhn 2014; the form is that of `tune_race_win_loss` in the R package finetune. Bradley &
Terry 1952; Firth 1993.

## wilcoxon

Wilcoxon: signed ranks of the differences to the best, fold by fold.

1. The best is the configuration with the best mean over the folds.
2. Test, one-sided, if the best's differences to a configuration are above zero; zero
   differences are split between the signs.
3. Drop the configuration when p is below 1 - threshold.

Folds are few, and the smallest p of n folds is 2^-n: at the threshold of 0.9 the first drop comes
after four folds.

Source: WilcoxonPruner of the Python package Optuna; Wilcoxon 1945.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bbccli.dropping.base import Interim, Judgement, undecided
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.stats import significance
from bbccli.stats.significance import signed_ranks
from bbccli.types import BoolArray, Direction, FloatArray

MOST_EXACT = 50
"""Folds up to which Wilcoxon's p is exact."""

DECIMALS = 12
"""Differences that agree to so many are ties: they are differences of rounded numbers."""

MOST_STEPS = 100
"""Steps of Fisher's scoring, which takes about ten."""


def race(test: Callable[[FloatArray, float], Judgement]) -> Callable[[Interim, float], Judgement]:
    """Make a rule from a test of gains (S, C') in S folds, larger is better, at a threshold.

    It drops nothing with fewer than two configurations that are defined in all folds.
    """

    def run(interim: Interim, threshold: float) -> Judgement:
        gains = interim.metric.direction.sign * interim.by_fold()
        defined = np.flatnonzero(~np.isnan(gains).any(axis=0))
        if len(defined) < 2:
            return undecided(interim)
        verdict = test(gains[:, defined], threshold)
        worse, p_value = np.zeros(gains.shape[1], bool), None
        worse[defined] = verdict.worse
        if verdict.p_value is not None:
            p_value = np.full(gains.shape[1], np.nan)
            p_value[defined] = verdict.p_value
        return Judgement(worse, p_value=p_value)

    return run


def leader(gains: FloatArray) -> tuple[int, FloatArray, BoolArray]:
    """Return the best column of gains (S, C), the means (C,), and which are behind the best."""
    means: FloatArray = np.mean(gains, axis=0)
    best = int(Direction.MAXIMIZE.best(means))
    return best, means, Direction.MAXIMIZE.leads(means[best], means)


@race
def friedman(gains: FloatArray, threshold: float) -> Judgement:
    """Drop configurations whose ranks over the folds are significantly worse than the best's.

    Source: Birattari et al. 2002; Conover 1999, pages 369-371.
    """
    p_value = _of_two(gains) if gains.shape[1] == 2 else _of_many(gains)
    return Judgement(p_value < 1 - threshold, p_value=p_value)


def _of_many(gains: FloatArray) -> FloatArray:
    """The larger p of Friedman's test and Conover's comparison with the best: (C,)."""
    from scipy.special import stdtr

    n, k = gains.shape
    ranks = mean_ranks(-gains)
    sums, freedom = ranks.sum(axis=0), (n - 1) * (k - 1)
    left = n * float((ranks**2).sum()) - float((sums**2).sum())
    scale = np.sqrt(max(2 * left / freedom, 0.0))
    behind = sums - sums.min()
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(behind > 0, 2 * stdtr(freedom, -behind / scale), 1.0)
    return np.maximum(apart, significance.friedman_test(ranks).p)


def _of_two(gains: FloatArray) -> FloatArray:
    """Wilcoxon's p (2,), or 0 for one that never wins a fold; 1 for the best."""
    best, _, behind = leader(gains)
    other = 1 - best
    differences = gains[:, [best]] - gains[:, [other]]
    p_value = np.ones(2)
    if behind[other]:
        never = bool((differences >= 0).all())
        _, p = signed_ranks(np.round(differences, DECIMALS), MOST_EXACT)
        p_value[other] = 0.0 if never else min(1.0, 2 * float(p[0]))
    return p_value


@race
def anova(gains: FloatArray, threshold: float) -> Judgement:
    """Drop configurations whose difference to the best is significant.

    Source: Kuhn 2014.
    """
    from scipy.special import ndtr, ndtri

    best, means, behind = leader(gains)
    error = np.sqrt(2 * error_variance(gains) / len(gains))
    differences = means - means[best]
    upper = differences + ndtri((1 + threshold) / 2) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = np.where(behind, 2 * ndtr(differences / error), 1.0)
    return Judgement(behind & (upper < 0), p_value=p_value)


def error_variance(gains: FloatArray) -> float:
    """REML estimate of the error's variance from gains (S, C) of S folds, S and C at least 2."""
    n_folds, n_raced = gains.shape
    by_fold, overall = gains.mean(axis=1), float(gains.mean())
    residuals = gains - by_fold[:, None] - gains.mean(axis=0) + overall
    of_error, of_folds = (n_folds - 1) * (n_raced - 1), n_folds - 1
    error = float((residuals**2).sum())
    folds = n_raced * float(((by_fold - overall) ** 2).sum())
    if folds / of_folds >= error / of_error:
        return float(error / of_error)
    return float((error + folds) / (of_error + of_folds))


@race
def win_loss(gains: FloatArray, threshold: float) -> Judgement:
    """Drop configurations whose ability is significantly below that of the best.

    Source: Kuhn 2014; Bradley & Terry 1952; Firth 1993.
    """
    from scipy.special import stdtrit

    wins = wins_of(gains)
    totals = wins.sum(axis=1)
    worse = totals == 0
    rest = np.flatnonzero(~worse)
    if len(rest) > 1:
        ability, error = abilities(wins[np.ix_(rest, rest)])
        best = int(Direction.MAXIMIZE.best(totals[rest]))
        upper = ability - ability[best] + stdtrit(1, threshold) * error[best]
        worse[rest] = upper < 0
    return Judgement(worse)


def wins_of(gains: FloatArray) -> FloatArray:
    """Wins (C, C) of row over column in S folds with gains (S, C), ties one half."""
    wins = np.zeros((gains.shape[1],) * 2)
    for fold in gains:
        ahead = Direction.MAXIMIZE.leads(fold[:, None], fold)
        wins += (1.0 + ahead - ahead.T) / 2
    np.fill_diagonal(wins, 0.0)
    return wins


def abilities(wins: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bias-reduced abilities (C,), adding up to 0, and standard errors (C, C) of differences.

    Fisher's scoring on Firth's score: each pair adds h (1/2 - p), h its leverage. The information
    is a graph's Laplacian, singular along the ones.
    """
    size = len(wins)
    contests, mean = wins + wins.T, np.full((size, size), 1 / size)
    ability = np.zeros(size)
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(ability - ability[:, None]))
        mass = contests * chance * (1 - chance)
        information = np.diag(mass.sum(axis=1)) - mass
        covariance = np.linalg.inv(information + mean) - mean
        variances = np.diag(covariance)
        spread = variances[:, None] + variances - 2 * covariance
        score = (wins - contests * chance + mass * spread * (0.5 - chance)).sum(axis=1)
        step = covariance @ score
        ability = ability + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return ability, np.sqrt(np.maximum(spread, 0.0))


@race
def wilcoxon(gains: FloatArray, threshold: float) -> Judgement:
    """Drop configurations that lose to the best by Wilcoxon's signed-rank test over folds.

    Source: Wilcoxon 1945.
    """
    best, _, behind = leader(gains)
    _, p = signed_ranks(np.round(gains[:, [best]] - gains, DECIMALS), MOST_EXACT)
    p_value = np.where(behind, p, 1.0)
    return Judgement(behind & (p_value < 1 - threshold), p_value=p_value)
