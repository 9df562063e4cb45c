"""Max-T, the set of the best and the influences, loop by loop, from the formulas alone."""

import numpy as np

from bbccli.multipliers import divisors, multipliers
from bbccli.resampling import BLOCK


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


def drawn(values, strata, df, seed, n):
    """Draws D (B, C), each divided by sqrt(chi2 / df)."""
    found = np.empty((n, values.shape[1]))
    for b in range(n):
        ((_, normal),) = multipliers(len(values), seed, b // BLOCK)
        g = normal[b % BLOCK]
        total = np.zeros(values.shape[1])
        for h in np.unique(strata):
            n_h = np.sum(strata == h)
            of_stratum = np.zeros(values.shape[1])
            for i in np.flatnonzero(strata == h):
                of_stratum += g[i] * values[i]
            total += np.sqrt(n_h / (n_h - 1)) * of_stratum / n_h
        found[b] = total / divisors(df, seed, b // BLOCK)[b % BLOCK]
    return found


def error_of(difference, strata):
    """Standard error of what has these influences (U,)."""
    variance = 0.0
    for h in np.unique(strata):
        inside = difference[strata == h]
        variance += np.var(inside, ddof=1) / len(inside)
    return np.sqrt(variance)


def against(gains, values, draws, other, strata, level):
    """Differences, bounds, p and step-down p of all columns but the other one."""
    columns = [c for c in range(len(gains)) if c != other]
    d = {c: gains[c] - gains[other] for c in columns}
    se = {c: error_of(values[:, c] - values[:, other], strata) for c in columns}
    t = {c: d[c] / se[c] for c in columns}
    ratios = {c: (draws[:, c] - draws[:, other]) / se[c] for c in columns}
    n = len(draws)

    def critical(maxima):
        return sorted(maxima)[int(np.ceil(round(level * (n + 1), 9))) - 1]

    most = [max(ratios[c][b] for c in columns) for b in range(n)]
    least = [max(-ratios[c][b] for c in columns) for b in range(n)]
    lower = {c: d[c] - critical(most) * se[c] for c in columns}
    upper = {c: d[c] + critical(least) * se[c] for c in columns}
    p = {c: (1 + sum(one >= t[c] for one in most)) / (n + 1) for c in columns}
    left, stepdown, before = sorted(columns, key=lambda c: -t[c]), {}, 0.0
    while left:
        first = left[0]
        reached = sum(max(ratios[c][b] for c in left) >= t[first] for b in range(n))
        before = stepdown[first] = max(before, (1 + reached) / (n + 1))
        left = left[1:]
    return d, lower, upper, p, stepdown


def p_of_set(gains, values, draws, strata):
    """Lei's p-value of each column."""
    n, n_columns = draws.shape
    found = []
    for m in range(n_columns):
        rivals, se = [], {}
        for j in range(n_columns):
            se[j] = error_of(values[:, j] - values[:, m], strata)
            if j != m and se[j] > 1e-12:
                rivals.append(j)
        if not rivals:
            found.append(1.0)
            continue
        statistic = max((gains[j] - gains[m]) / se[j] for j in rivals)
        reached = 0
        for b in range(n):
            top = max((draws[b, j] - draws[b, m]) / se[j] for j in rivals)
            reached += top >= statistic
        found.append((1 + reached) / (n + 1))
    return np.array(found)


def reach_of_band(values, draws, strata, level):
    """Critical value of the largest |D| / se."""
    se = [error_of(values[:, c], strata) for c in range(values.shape[1])]
    tops = [max(abs(row[c]) / se[c] for c in range(len(se))) for row in draws]
    return sorted(tops)[int(np.ceil(round(level * (len(tops) + 1), 9))) - 1]
