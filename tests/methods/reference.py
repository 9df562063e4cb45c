"""Slow loops written straight from the papers: one resample, one configuration at a time.

They share nothing with the package but the weights. `figure(rows, c)` is the performance of
configuration c on a list of rows, which may repeat.
"""

import numpy as np


def auc(truth, scores):
    """Share of (positive, negative) pairs in the right order, ties one half."""
    right = pairs = 0.0
    for i in np.flatnonzero(truth == 1):
        for j in np.flatnonzero(truth == 0):
            right += 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
            pairs += 1
    return right / pairs if pairs else np.nan


def accuracy(truth, predictions):
    """Share of rows whose class is predicted."""
    if not len(truth):
        return np.nan
    predicted = predictions > 0.5 if predictions.ndim == 1 else predictions.argmax(axis=1)
    return sum(p == t for p, t in zip(predicted, truth, strict=True)) / len(truth)


FIGURES = {"auc": auc, "accuracy": accuracy}


def figure_on(matrix, name):
    """Performance of a configuration on rows, averaged over repeats."""
    truth, predictions = matrix.outcome.values, matrix.predictions

    def figure(rows, c):
        return np.mean([FIGURES[name](truth[rows], repeat[rows, c]) for repeat in predictions])

    return figure


def fold_mean_on(matrix, name):
    """Mean over the folds (and repeats) in which the rows allow it."""
    truth, predictions = matrix.outcome.values, matrix.predictions

    def figure(rows, c):
        by_repeat = []
        for folds, repeat in zip(matrix.folds, predictions, strict=True):
            values = []
            for fold in np.unique(folds):
                inside = rows[folds[rows] == fold]
                values.append(FIGURES[name](truth[inside], repeat[inside, c]))
            values = [v for v in values if not np.isnan(v)]
            by_repeat.append(np.mean(values) if values else np.nan)
        return np.mean(by_repeat)

    return figure


def best(values):
    """First of the largest, up to rounding; never NaN."""
    top = max(v for v in values if not np.isnan(v))
    return next(i for i, v in enumerate(values) if v >= top - 1e-12)


def bbc(figure, n_configurations, in_bag):
    """Algorithm 5 of Tsamardinos et al. 2018 on given in-bag weights (B, N)."""
    winners, values = [], []
    for weights in in_bag:
        bag = np.repeat(np.arange(len(weights)), weights)
        left_out = np.flatnonzero(weights == 0)
        winners.append(best([figure(bag, c) for c in range(n_configurations)]))
        values.append(figure(left_out, winners[-1]))
    return winners, values


def one_se(figure, folds, order, n_configurations):
    """Rule of one standard error over folds: `figure(fold, c)`, fold None for all rows."""
    values = [figure(None, c) for c in range(n_configurations)]
    top = best(values)
    of_folds = [figure(fold, top) for fold in np.unique(folds)]
    of_folds = [v for v in of_folds if not np.isnan(v)]
    error = np.std(of_folds, ddof=1) / np.sqrt(len(of_folds)) if len(of_folds) > 1 else 0.0
    return next(c for c in order if values[c] >= values[top] - error - 1e-12)


def tt(figure, matrix, winner):
    """Algorithm 4: mean over folds of what the fold's best gains over the winner."""
    gains = []
    for repeat, folds in enumerate(matrix.folds):
        for fold in np.unique(folds):
            rows = np.flatnonzero(folds == fold)
            values = [figure(repeat, rows, c) for c in range(matrix.n_configurations)]
            gains.append(max(values) - values[winner])
    return np.mean(gains)


def bbc_f(by_fold, in_bag):
    """BBC-F on performances (F, C) and given multiplicities (B, F) of the folds."""
    winners, values = [], []
    for weights in in_bag:
        drawn = np.repeat(np.arange(len(weights)), weights)
        left_out = np.flatnonzero(weights == 0)
        winners.append(best([by_fold[drawn, c].mean() for c in range(by_fold.shape[1])]))
        values.append(by_fold[left_out, winners[-1]].mean())
    return winners, values


def cvm_cv(figure, n_repeats, n_configurations):
    """CVM-CV: `figure(repeat, c)`; select on one repeat, evaluate on each of the others."""
    values = []
    for selecting in range(n_repeats):
        winner = best([figure(selecting, c) for c in range(n_configurations)])
        values += [figure(r, winner) for r in range(n_repeats) if r != selecting]
    return np.mean(values)


def nested_selection(figure, matrix, fold_mean):
    """Select on the other folds of a repeat, evaluate on the fold: the values, and the selected.

    `figure(repeat, rows, c)`; with `fold_mean` a configuration is judged by its mean over folds.
    """
    values, selected = [], []
    for repeat, folds in enumerate(matrix.folds):
        for fold in np.unique(folds):
            judged = []
            for c in range(matrix.n_configurations):
                if fold_mean:
                    others = [k for k in np.unique(folds) if k != fold]
                    parts = [figure(repeat, np.flatnonzero(folds == k), c) for k in others]
                    judged.append(np.mean(parts))
                else:
                    judged.append(figure(repeat, np.flatnonzero(folds != fold), c))
            selected.append(best(judged))
            values.append(figure(repeat, np.flatnonzero(folds == fold), selected[-1]))
    return values, selected


def cross_validated_auc(truth, scores, folds):
    """Cross-validated AUC and its variance, as `ci.cvAUC` of the R package cvAUC computes them."""
    n = len(truth)
    weight_case, weight_control = n / (truth == 1).sum(), n / (truth == 0).sum()
    areas, squares = [], []
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        cases = [i for i in rows if truth[i] == 1]
        controls = [i for i in rows if truth[i] == 0]
        area = auc(truth[rows], scores[rows])
        values = []
        for i in rows:
            if truth[i] == 1:
                share = np.mean([_ahead(scores[i], scores[j]) for j in controls])
                values.append(weight_case * (share - area))
            else:
                share = np.mean([_ahead(scores[j], scores[i]) for j in cases])
                values.append(weight_control * (share - area))
        areas.append(area)
        squares.append(np.mean(np.square(values)))
    return np.mean(areas), np.mean(squares) / n


def _ahead(case, control):
    return 1.0 if case > control else 0.5 if case == control else 0.0


def shrunken_winner(naive, bags, winner, sign=1):
    """Winner of performances (C,), shrunk by what bags (B, C) say; `sign` -1 for losses."""
    covariance = np.cov(bags, rowvar=False)
    chosen, copies = [], []
    for j in range(len(naive)):
        behind = sign * (naive[winner] - naive[j])
        variance = covariance[winner, winner] + covariance[j, j] - 2 * covariance[winner, j]
        if behind > 2 * np.sqrt(max(variance, 0)) + 1e-15:
            continue
        same = [i for i in chosen if np.allclose(bags[:, i], bags[:, j], rtol=1e-9, atol=0)]
        if same:
            copies[chosen.index(same[0])] += 1
        else:
            chosen.append(j)
            copies.append(1)
    if len(chosen) == 1:
        return naive[winner]
    p = np.sqrt(copies) / np.sqrt(copies).sum()
    pairs = [(a, b) for a in range(len(p)) for b in range(len(p)) if a != b]
    different = sum(p[a] * p[b] for a, b in pairs)
    within = sum(p[a] * covariance[chosen[a], chosen[a]] for a in range(len(p)))
    within -= sum(p[a] ** 2 * covariance[chosen[a], chosen[a]] for a in range(len(p)))
    between = sum(p[a] * p[b] * covariance[chosen[a], chosen[b]] for a, b in pairs)
    noise = (within - between) / different
    centre = sum(p[a] * naive[chosen[a]] for a in range(len(p)))
    spread = sum(p[a] * (naive[chosen[a]] - centre) ** 2 for a in range(len(p))) / different
    signal = max(spread - noise, noise / 20)
    return centre + signal / (signal + noise) * (naive[winner] - centre)
