"""Slow loops of the rules by which predictions are made: one bag, one row at a time.

They share nothing with the package but the weights: a row of weight w is w rows.
"""

import numpy as np

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


def accuracy(truth, made):
    labels = made > 0.5 if made.ndim == 1 else made.argmax(axis=1)
    return np.mean([a == b for a, b in pairs(labels, truth)])


def auc(truth, made):
    positive, negative = made[truth == 1], made[truth == 0]
    if not len(positive) or not len(negative):
        return np.nan
    above = [np.sign(round(p - n, 10)) for p in positive for n in negative]
    return (np.mean(above) + 1) / 2


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
