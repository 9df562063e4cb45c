"""Dropping, replayed on a simulated matrix: models saved, and bias of what is left."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

from bbccli.core.plan import Plan
from bbccli.metrics import METRICS
from bbccli.planning.simulation import Simulated

Replayed = Callable[[Simulated, Plan], dict[str, Any]]


def rules() -> dict[str, Replayed]:
    """A replay for each rule that this version of the program has."""
    if find_spec("bbccli.dropping") is None:
        return {}
    from bbccli.dropping import RULES

    return {f"drop {rule}": partial(_replayed, rule) for rule in RULES}


def _replayed(rule: str, simulated: Simulated, plan: Plan) -> dict[str, Any]:
    """Estimate after dropping, truth of its winner, and what dropping saved and cost."""
    from bbccli.dropping import replay

    metric = METRICS[simulated.metric]
    (found,), _ = replay(simulated.matrix, metric, plan, rules=[rule])
    run = found.runs[0]
    return {
        "value": run.value,
        "bound": None,
        "truth": simulated.truth(run.winner),
        "speed-up": run.trace.speed_up,
        "winner kept": float(run.kept_winner),
        "truth lost": simulated.truth(found.winner) - simulated.truth(run.winner),
    }
