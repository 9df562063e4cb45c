"""Prediction matrices whose configurations have known true performances.

1. Given the true performance of each of C configurations (drawn from a Beta law in the papers),
   fix how many samples each class has, and deal the samples to folds, stratified by class.
2. Draw the predictions of each configuration so that its performance on new samples is exactly
   the given one.

No model is trained: the true performances do not depend on the samples, so that bias and
inclusion of an estimate are those of the selection alone.

With `correlation` r > 0 the configurations err on the same samples: the normal variable behind
each prediction is sqrt(r) times one of the sample plus sqrt(1 - r) times one of its own. What one
configuration does alone is not changed.

Source: section 5.1 of Tsamardinos, Greasidou & Borboudakis 2018 (accuracies); section 4 of
Paraschakis et al. 2024 (areas under the ROC curve).
"""

from __future__ import annotations

from bbccli.simulation.labels import right_or_wrong
from bbccli.simulation.nesting import nested
from bbccli.simulation.scores import binormal, multinormal
from bbccli.simulation.simulated import Draw, Simulated
from bbccli.simulation.values import noisy

__all__ = [
    "Draw",
    "Simulated",
    "binormal",
    "multinormal",
    "nested",
    "noisy",
    "right_or_wrong",
]
