"""Max-T, the set of the best and the influences, loop by loop, from the formulas alone."""

import numpy as np
from sklearn.metrics import r2_score

from bbccli.stats.influence import divisors, multipliers
from bbccli.stats.resampling import BLOCK, draws_of


def losses_less_mean(gains):
    """Influences (N, C) of means of per-sample gains."""
    return gains - gains.mean(axis=0)


def placements_less_auc(scores, truth):
    """AUCs (C,) and influences (N, C), pair by pair."""
    n, n_columns = scores.shape
    values, aucs = np.zeros((n, n_columns)), np.zeros(n_columns)
    for c in range(n_columns):
        for i in range(n):
            others = scores[truth != truth[i], c]
            lead = (scores[i, c] - others) * (1 if truth[i] == 1 else -1)
            values[i, c] = np.mean((lead > 0) + (lead == 0) / 2)
        aucs[c] = values[truth == 1, c].mean()
        values[:, c] -= aucs[c]
    return aucs, values


def jackknife(predictions, truth):
    """Influences on R2: how much it falls without each sample."""
    every = range(len(truth))
    rest = [np.delete(every, i) for i in every]
    left = [[r2_score(truth[one], column[one]) for column in predictions.T] for one in rest]
    return (len(truth) - 1) * (np.mean(left, axis=0) - left)


def evidence(name, matrix):
    """Performances and influences, positive where better, strata and df of a single repeat."""
    predictions, truth = matrix.predictions[0], matrix.outcome.values
    if name in ("auc", "gini"):
        gains, values = placements_less_auc(predictions, truth)
        gains, values = (2 * gains - 1, 2 * values) if name == "gini" else (gains, values)
        return gains, values, truth, np.bincount(truth) - 1
    if name == "accuracy":
        each = ((predictions > 0.5) == truth[:, None]).astype(float)
    else:
        each = -((predictions - truth[:, None]) ** 2)
    gains, values = each.mean(axis=0), losses_less_mean(each)
    if name == "r2":
        gains, values = 1 + gains / truth.var(), jackknife(predictions, truth)
    return gains, values, np.zeros(len(truth), int), [len(truth) - 1]


def drawn(values, strata, seed, n):
    """Draws D (B, C) as they come, of normal multipliers."""
    found = np.empty((n, values.shape[1]))
    for b in range(n):
        block = [normal for _, normal in multipliers(len(values), seed, b // BLOCK)]
        g = np.hstack(block)[b % BLOCK]
        total = np.zeros(values.shape[1])
        for h in np.unique(strata):
            n_h = np.sum(strata == h)
            of_stratum = np.zeros(values.shape[1])
            for i in np.flatnonzero(strata == h):
                of_stratum += g[i] * values[i]
            total += np.sqrt(n_h / (n_h - 1)) * of_stratum / n_h
        found[b] = total
    return found


def weights_of(differences, strata):
    """Share of each stratum in the variances of all differences, each once, taken together."""
    parts = []
    for h in np.unique(strata):
        inside = [one[strata == h] for one in differences]
        parts.append(sum(np.var(one, ddof=1) / len(one) for one in inside))
    return np.array(parts) / sum(parts)


class Law:
    """Draws of a difference, in its standard errors; normal ones of shares of samples."""

    def __init__(self, strata, df, differences, seed, n, *, shares=False):
        self.strata, self.shares = strata, shares
        weights = weights_of(differences, strata)
        blocks = [divisors(np.array(df), weights, seed, b) for b in range(-(-n // BLOCK))]
        self.divisors = np.ones(n) if shares else np.concatenate(blocks)[:n]

    def ratios(self, draws, difference):
        """Draws (B,) over the error of what has influences (U,), itself in error by draw."""
        return draws / error_of(difference, self.strata) / self.divisors

    def statistic(self, d, difference):
        """A difference in its standard errors; McNemar's statistic of shares, from counts."""
        if not self.shares:
            return d / error_of(difference, self.strata)
        each = np.round(difference + d)
        b, c = np.sum(each == 1), np.sum(each == -1)
        return (b - c) / np.sqrt(b + c)

    def bound(self, d, difference, critical):
        """The difference that is so far below d; of shares by the variance about itself."""
        if not self.shares:
            return d - critical * error_of(difference, self.strata)
        each, n = np.round(difference + d), len(difference)
        low, high = -1.0, d  # halving
        for _ in range(60):
            middle = (low + high) / 2
            far = d - middle > critical * np.sqrt(np.mean((each - middle) ** 2) / n)
            low, high = (middle, high) if far else (low, middle)
        return low


def error_of(difference, strata):
    """Standard error of what has these influences (U,)."""
    variance = 0.0
    for h in np.unique(strata):
        inside = difference[strata == h]
        variance += np.var(inside, ddof=1) / len(inside)
    return np.sqrt(variance)


def against(gains, values, draws, other, law, level, *, two=True):
    """Differences, bounds, p and step-down p of all columns but one, of two sides or one."""
    columns = [c for c in range(len(gains)) if c != other]
    d = {c: gains[c] - gains[other] for c in columns}
    apart = {c: values[:, c] - values[:, other] for c in columns}
    t = {c: law.statistic(d[c], apart[c]) for c in columns}
    ratios = {c: law.ratios(draws[:, c] - draws[:, other], apart[c]) for c in columns}
    n = len(draws)
    if two:
        t = {c: abs(one) for c, one in t.items()}
        ratios = {c: np.abs(one) for c, one in ratios.items()}

    def critical(maxima):
        return sorted(maxima)[int(np.ceil(round(level * (n + 1), 9))) - 1]

    most = [max(ratios[c][b] for c in columns) for b in range(n)]
    least = most if two else [max(-ratios[c][b] for c in columns) for b in range(n)]
    lower = {c: law.bound(d[c], apart[c], critical(most)) for c in columns}
    upper = {c: -law.bound(-d[c], -apart[c], critical(least)) for c in columns}
    p = {c: (1 + sum(one >= t[c] for one in most)) / (n + 1) for c in columns}
    left, stepdown, before = sorted(columns, key=lambda c: -t[c]), {}, 0.0
    while left:
        first = left[0]
        reached = sum(max(ratios[c][b] for c in left) >= t[first] for b in range(n))
        before = stepdown[first] = max(before, (1 + reached) / (n + 1))
        left = left[1:]
    return d, lower, upper, p, stepdown


def p_of_set(gains, values, draws, law):
    """Lei's p-value of each column."""
    n, n_columns = draws.shape
    found = []
    for m in range(n_columns):
        statistics, ratios = [], []
        for j in range(n_columns):
            apart = values[:, j] - values[:, m]
            if j != m and error_of(apart, law.strata) > 1e-12:
                statistics.append(law.statistic(gains[j] - gains[m], apart))
                ratios.append(law.ratios(draws[:, j] - draws[:, m], apart))
        if not statistics:
            found.append(1.0)
            continue
        reached = sum(top >= max(statistics) for top in np.max(ratios, axis=0))
        found.append((1 + reached) / (n + 1))
    return np.array(found)


def reach_of_band(values, draws, law, level):
    """Critical value of the largest |D| / se."""
    ratios = [np.abs(law.ratios(draws[:, c], values[:, c])) for c in range(values.shape[1])]
    tops = np.max(ratios, axis=0)
    return sorted(tops)[int(np.ceil(round(level * (len(tops) + 1), 9))) - 1]


def corrected_differences(matrix, metric, plan, first, second):
    """BBC of the difference between the best of two families, resample by resample."""
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    sign, found = metric.direction.sign, []
    for in_bag in draws_of(matrix.n_samples, matrix.groups, plan.seed).batch(0, 10).in_bag:
        inside = sign * scorer(in_bag[None])[0]
        outside = sign * scorer((in_bag == 0).astype(np.uint8)[None])[0]
        if np.isnan(inside).any() or np.isnan(outside).any():
            continue
        winners = [family[int(np.argmax(inside[list(family)]))] for family in (first, second)]
        found.append(outside[winners[0]] - outside[winners[1]])
    return np.array(found[: plan.n_resamples])
