"""Nested cross-validation of simulated configurations: the reference that needs no correction.

1. For each outer fold: the inner predictions of the other samples, drawn anew; the winner on them.
2. Score it on the samples of the outer fold.
3. The estimate is the mean over the outer folds, each with the weight of its size.

It is judged by the true performance of the winner on all samples, which is what is delivered.

Source: Algorithm 3 of Tsamardinos, Greasidou & Borboudakis 2018, as simulated there.
"""

from typing import Any

import numpy as np

from bbccli.core.plan import Plan
from bbccli.metrics import METRICS
from bbccli.planning.simulation import Simulated, nested
from bbccli.stats.case import Case
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.selection.rule import rule_of, winners_of


def nested_cv(simulated: Simulated, plan: Plan) -> dict[str, Any]:
    """The nested estimate, and the truth of the winner on all samples."""
    metric = METRICS[simulated.metric]
    rng = np.random.default_rng(plan.seed)
    parts, sizes = [], []
    for matrix, test in nested(simulated, rng):
        configurations = candidates(matrix, metric, plan.pooling)
        rule = rule_of(matrix, metric, plan)
        winner = winners_of(configurations, rule, (~test)[None].astype(np.uint8))
        outer = configurations.paired(test[None].astype(np.uint8), winner)
        parts.append(float(outer[0]))
        sizes.append(int(test.sum()))
    delivered = Case(simulated.matrix, metric, metric, plan).choice.winner
    truth = simulated.truth(simulated.matrix.configurations[delivered])
    return {"value": float(np.average(parts, weights=sizes)), "bound": None, "truth": truth}
