"""Win-loss race: each fold is a contest of every pair of configurations.

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
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, compare
from bbccli.dropping.standing import Standing
from bbccli.types import Direction, FloatArray

MOST_STEPS = 100
"""Steps of Fisher's scoring, which takes about ten."""


def win_loss(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations whose ability is significantly below that of the best.

    References
    ----------
    Kuhn 2014; Bradley & Terry 1952; Firth 1993.
    """

    def test(gains: FloatArray) -> Verdict:
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
        return Verdict(worse)

    return compare(standing, test)


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


RULE = Rule(
    name="win-loss",
    label="contests in folds",
    run=win_loss,
    needs=frozenset({Requirement.FOLDS}),
    threshold=0.95,
    min_folds=3,
    reference="Kuhn 2014; Bradley & Terry 1952; Firth 1993",
)
