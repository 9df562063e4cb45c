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

All of them take `n_samples`, N; `rng`, the source of all randomness; `n_folds`, or for a rare class
with fewer samples as many as it has; `correlation`, of the normal variables behind the errors of
two configurations, in [0, 1); and those of two classes `balance`, the share of class 0, of which
there are round(balance N) samples.

Source: section 5.1 of Tsamardinos, Greasidou & Borboudakis 2018 (accuracies from Be(9, 6),
Be(14, 6) and Be(24, 6), uncorrelated); section 4 of Paraschakis, Castellani, Borboudakis &
Tsamardinos 2024 (areas under the ROC curve from Be(9, 6) and Be(24, 6), balance 0.1 and 0.5, 10
folds or as many as the rare class has samples).
"""

from __future__ import annotations

from bbccli.planning.simulation.drawing import Draw, Simulated, nested
from bbccli.planning.simulation.laws import (
    LAWS,
    Study,
    binormal,
    multinormal,
    noisy,
    right_or_wrong,
)

__all__ = [
    "LAWS",
    "Draw",
    "Simulated",
    "Study",
    "binormal",
    "multinormal",
    "nested",
    "noisy",
    "right_or_wrong",
]
