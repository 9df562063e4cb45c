"""`--calibrate`, which makes probabilities fit the outcomes of the bag, before any cut.

`platt`: p' = 1 / (1 + exp(-(a z + b))) with z = ln(p / (1 - p)), and a and b of largest likelihood
for the targets (P + 1) / (P + 2) of positive samples and 1 / (N + 2) of others, where P and N are
their weights in the bag. Of two classes.

`temperature`: p'ₖ proportional to pₖ^β, with the β in 0 to 16 of largest likelihood. Of any number
of classes.

`isotonic`: the non-decreasing function of p with the least squared error, by pooling adjacent
violators; between the probabilities of the bag it is linear. Of two classes.

Probabilities count as 2⁻²³ at least in logarithms. With repeats one calibration is fitted to all of
them together.

Source: Platt 1999; Guo, Pleiss, Sun & Weinberger 2017; Zadrozny & Elkan 2002.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import CLIP
from bbccli.stats.making.interface import Calibrate, Given
from bbccli.stats.selection.candidates import holdout_parts
from bbccli.types import FloatArray, IntArray

STEPS = 50
"""Steps of Newton's method, at most."""

HALVINGS = 12
"""Times that a step is halved before it is given up."""

ROUNDING = 1e-13
"""Share of a loss, or of a term, that is lost in rounding."""

RIDGE = 1e-12
"""Share of the curvature that is added to it, for columns of one probability."""

STEEPEST = 16.0
"""Largest exponent of `temperature`, of predictions that are always right."""

Loss = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
"""Terms (F, B) -> losses (B,), slopes (F, B) and curvatures (B, F, F)."""


def platt(given: Given) -> Calibrate:
    """Return the logistic calibration of two classes."""
    masses_of, truth = _masses(given.matrix), given.matrix.outcome.values == 1

    def calibrate(weights: IntArray, made: FloatArray) -> FloatArray:
        masses = masses_of(weights)  # (R, N, B)
        logits = np.log(np.maximum(made, CLIP)) - np.log(np.maximum(1 - made, CLIP))
        n_positive = (masses * truth[:, None]).sum(axis=(0, 1))
        n_negative = masses.sum(axis=(0, 1)) - n_positive
        target = np.where(truth[:, None], (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
        features = np.stack([logits, np.ones_like(logits)])
        start = np.stack([np.zeros(len(weights)), np.log((n_positive + 1) / (n_negative + 1))])

        def loss(terms: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            score = np.einsum("frnb,fb->rnb", features, terms)
            chance = _logistic(score)
            value = (masses * (np.logaddexp(0, score) - target * score)).sum(axis=(0, 1))
            slope = np.einsum("frnb,rnb->fb", features, masses * (chance - target))
            bend = masses * chance * (1 - chance)
            curve = np.einsum("frnb,grnb,rnb->bfg", features, features, bend, optimize=True)
            return value, slope, curve

        terms = _minimised(loss, start)
        return _logistic(np.einsum("frnb,fb->rnb", features, terms))

    return calibrate


def temperature(given: Given) -> Calibrate:
    """Return the calibration by one exponent."""
    masses_of = _masses(given.matrix)
    codes = given.matrix.outcome.values.astype(np.intp)

    def calibrate(weights: IntArray, made: FloatArray) -> FloatArray:
        masses, two = masses_of(weights), made.ndim == 3
        chances = np.stack([1 - made, made], axis=-1) if two else made
        logs = np.log(np.maximum(chances, CLIP))  # (R, N, B, K)
        of_truth = np.take_along_axis(logs, codes[None, :, None, None], axis=3)[..., 0]

        def loss(terms: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            chance, norm = _softmax(logs * terms[0][:, None])
            mean = (chance * logs).sum(axis=-1)
            spread = (chance * logs**2).sum(axis=-1) - mean**2
            value = (masses * (norm - terms[0] * of_truth)).sum(axis=(0, 1))
            slope = (masses * (mean - of_truth)).sum(axis=(0, 1))
            return value, slope[None], (masses * spread).sum(axis=(0, 1))[:, None, None]

        terms = np.clip(_minimised(loss, np.ones((1, len(weights)))), 0.0, STEEPEST)
        calibrated, _ = _softmax(logs * terms[0][:, None])
        return calibrated[..., 1] if two else calibrated

    return calibrate


def isotonic(given: Given) -> Calibrate:
    """Return the non-decreasing calibration of two classes."""
    masses_of = _masses(given.matrix)
    from scipy.optimize import isotonic_regression

    truth = (given.matrix.outcome.values == 1).astype(np.float64)

    def calibrate(weights: IntArray, made: FloatArray) -> FloatArray:
        masses, calibrated = masses_of(weights), np.empty_like(made)
        for bag in range(len(weights)):
            chances, places = np.unique(made[:, :, bag], return_inverse=True)
            places = places.reshape(made.shape[:2])
            sizes = np.bincount(places.ravel(), masses[:, :, bag].ravel(), len(chances))
            positive = np.bincount(
                places.ravel(), (masses[:, :, bag] * truth).ravel(), len(chances)
            )
            here = sizes > 0
            fitted = isotonic_regression(positive[here] / sizes[here], weights=sizes[here]).x
            calibrated[:, :, bag] = np.interp(chances, chances[here], fitted)[places]
        return calibrated

    return calibrate


def _masses(matrix: PredictionMatrix) -> Callable[[IntArray], FloatArray]:
    """Return the function from weights (B, N) to what each prediction (R, N, B) counts."""
    parts, given = holdout_parts(matrix), matrix.outcome.weights
    counted = np.ones((matrix.n_repeats, matrix.n_samples)) * (1.0 if given is None else given)
    counted = counted * (True if parts is None else parts)
    return lambda weights: np.asarray(counted[:, :, None] * weights.T)


def _logistic(score: FloatArray) -> FloatArray:
    return np.exp(-np.logaddexp(0, -score))


def _softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probabilities, and the logarithms of their sums before they were divided by them."""
    top = logs.max(axis=-1, keepdims=True)
    powers = np.exp(logs - top)
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / sums, (top + np.log(sums))[..., 0]


def _minimised(loss: Loss, terms: FloatArray) -> FloatArray:
    """Return the terms (F, B) of least loss, by Newton's method for all bags at once.

    A step that raises the loss is halved.
    """
    value, slope, curve = loss(terms)
    for _ in range(STEPS):
        size = np.trace(curve, axis1=1, axis2=2)[:, None, None] + np.finfo(float).tiny
        ridged = curve + RIDGE * size * np.eye(len(terms))
        step = np.linalg.solve(ridged, slope.T[..., None])[..., 0].T
        for _ in range(HALVINGS):
            tried = loss(terms - step)
            worse = ~(tried[0] <= value + ROUNDING * np.abs(value))
            if not worse.any():
                break
            step[:, worse] /= 2
        step[:, worse] = 0.0
        terms = terms - step
        value, slope, curve = loss(terms) if worse.any() else tried
        if (np.abs(step) <= ROUNDING * (1 + np.abs(terms))).all():
            break
    return terms
