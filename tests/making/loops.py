"""Slow loops of the rules by which predictions are made: one bag, one row at a time.

They share nothing with the package but the weights: a row of weight w is w rows.
"""

import itertools

import numpy as np
from methods.reference import accuracy, auc
from scipy import optimize

SMALLEST = 2.0**-23


def pairs(first, second):
    return zip(first, second, strict=True)


def log_loss(truth, made):
    chances = [row[t] if np.ndim(row) else (row if t else 1 - row) for t, row in pairs(truth, made)]
    return -np.mean([np.log(max(one, SMALLEST)) for one in chances])


def brier(truth, made):
    if made.ndim == 1:
        return np.mean([(row - t) ** 2 for t, row in pairs(truth, made)])
    return np.mean([sum((row - np.eye(len(row))[int(t)]) ** 2) for t, row in pairs(truth, made)])


def rmse(truth, made):
    return np.sqrt(np.mean([(row - t) ** 2 for t, row in pairs(truth, made)]))


def mae(truth, made):
    return np.mean([abs(row - t) for t, row in pairs(truth, made)])


def f1(truth, made):
    labels = made > 0.5
    both = sum(labels & (truth == 1))
    return 2 * both / (sum(labels) + sum(truth == 1)) if sum(labels) + sum(truth == 1) else np.nan


FIGURES = {
    "log-loss": (log_loss, -1),
    "brier": (brier, -1),
    "accuracy": (accuracy, 1),
    "auc": (auc, 1),
    "rmse": (rmse, -1),
    "mae": (mae, -1),
    "f1": (f1, 1),
}


def figure(matrix, name, weights, made):
    """Performance of predictions (R, N, ...) on rows as often as they weigh; mean of repeats."""
    rows, (of, _) = np.repeat(np.arange(len(weights)), weights), FIGURES[name]
    made = np.round(made, 12)  # equal means tie, in whatever order they were added up
    return np.mean([of(matrix.outcome.values[rows], one[rows]) for one in made])


def best(values, sign):
    """First of the best, up to rounding; None where none is defined."""
    values = sign * np.array(values, float)
    if np.isnan(values).all():
        return None
    top = np.nanmax(values)
    return next(c for c, one in enumerate(values) if one >= top - 1e-12 * abs(top))


def mean(matrix, name, weights, number):
    """Shares of the mean of the best."""
    sign, columns = FIGURES[name][1], range(matrix.n_configurations)
    values = {c: figure(matrix, name, weights, matrix.predictions[:, :, c]) for c in columns}
    shares = np.zeros(matrix.n_configurations)
    for _ in range(min(number, len(values))):
        order = list(values)
        chosen = order[best([values[c] for c in order], sign)]
        shares[chosen] = 1
        del values[chosen]
    return shares / shares.sum()


def greedy(matrix, name, weights, rounds):
    """Shares of the greedy ensemble."""
    sign, members, found = FIGURES[name][1], [], []
    for _ in range(rounds):
        values = [
            figure(matrix, name, weights, matrix.predictions[:, :, [*members, c]].mean(axis=2))
            for c in range(matrix.n_configurations)
        ]
        chosen = best(values, sign)
        if chosen is None:
            break
        members.append(chosen)
        found.append(values[chosen])
    n_members = best(found, sign) + 1
    return np.bincount(members[:n_members], minlength=matrix.n_configurations) / n_members


def stack(matrix, name, weights, number=None):
    """Shares by least squares without negative ones: the best of all sets of members."""
    rows = np.repeat(np.arange(len(weights)), weights)
    columns = np.concatenate([one[rows] for one in matrix.predictions])
    truth = np.tile(matrix.outcome.values[rows].astype(float), matrix.n_repeats)
    if columns.ndim == 3:
        truth = np.eye(columns.shape[2])[truth.astype(int)].ravel()
        columns = np.moveaxis(columns, 1, 2).reshape(len(truth), -1)
    n, best_loss, found = columns.shape[1], np.inf, None
    for members in range(1, 2**n):
        chosen = [c for c in range(n) if members >> c & 1]
        terms = np.linalg.lstsq(columns[:, chosen], truth, rcond=None)[0]
        loss = sum((columns[:, chosen] @ terms - truth) ** 2)
        if (terms >= 0).all() and loss < best_loss - 1e-12:
            best_loss, found = loss, np.zeros(n)
            found[chosen] = terms
    return found / found.sum()


def cuts_of(chances, bounded):
    """All cuts between the scores of a bag, the highest first, and one below them."""
    scores = np.unique(chances)[::-1]
    between = [(a + b) / 2 for a, b in itertools.pairwise(scores)]
    below = scores[-1] / 2 if bounded else scores[-1] - 1
    return [scores[0], *between, *([below] if below < scores[-1] else [])]


def tuned(matrix, name, weights, made):
    """The best cut of predictions (R, N), and its figure; all repeats together."""
    rows, (of, sign) = np.repeat(np.arange(len(weights)), weights), FIGURES[name]
    chances = np.concatenate([one[rows] for one in made])
    truth = np.tile(matrix.outcome.values[rows], len(made))
    cuts = cuts_of(chances, bounded=matrix.kind == "probability")
    values = [of(truth, (chances > cut).astype(float)) for cut in cuts]
    chosen = best(values, sign)
    return cuts[chosen], values[chosen]


def platt(truth, chances, everywhere):
    """Logistic calibration by a general minimiser."""
    n_positive, n_negative = sum(truth == 1), sum(truth == 0)
    target = np.where(truth == 1, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def logits(p):
        return np.log(np.maximum(p, SMALLEST)) - np.log(np.maximum(1 - p, SMALLEST))

    def slope(terms):
        found = 1 / (1 + np.exp(-(terms[0] * logits(chances) + terms[1])))
        return [sum((found - target) * logits(chances)), sum(found - target)]

    terms = optimize.root(slope, [1.0, 0.0], tol=1e-14).x
    return 1 / (1 + np.exp(-(terms[0] * logits(everywhere) + terms[1])))


def temperature(truth, chances, everywhere):
    """One exponent by bisection of the slope of the likelihood."""

    def powers(p, exponent):
        logs = exponent * np.log(np.maximum(p, SMALLEST))
        found = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return found / found.sum(axis=-1, keepdims=True)

    def all_of(p):
        return p if p.ndim == 2 else np.stack([1 - p, p], axis=1)

    logs = np.log(np.maximum(all_of(chances), SMALLEST))

    def slope(exponent):
        mean = (powers(all_of(chances), exponent) * logs).sum(axis=1)
        return sum(mean - logs[np.arange(len(truth)), truth.astype(int)])

    exponent = 16.0 if slope(0) < 0 else 0.0
    if slope(0) * slope(16) < 0:
        exponent = optimize.brentq(slope, 0, 16, xtol=1e-14)
    found = powers(all_of(everywhere), exponent)
    return found if everywhere.ndim == 2 else found[:, 1]


def isotonic(truth, chances, everywhere):
    """Means over stretches of equal figures: max over starts of min over ends."""
    at = np.unique(chances)
    fitted = [
        max(
            min(truth[(chances >= low) & (chances <= high)].mean() for high in at[at >= x])
            for low in at[at <= x]
        )
        for x in at
    ]
    return np.interp(everywhere, at, fitted)
