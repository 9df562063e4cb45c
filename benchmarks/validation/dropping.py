"""Savings and costs of dropping: models saved, the winner kept, bias of the estimate.

A repetition is a matrix of the study of bias, on which each rule drops the bad configurations after
each fold.
"""

from dataclasses import replace

import numpy as np

from bbccli import METHODS, METRICS
from bbccli.domain.plan import Plan
from bbccli.dropping import RULES, replay
from bbccli.planning.simulation import Simulated
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.page import table
from benchmarks.validation.settings import Setting, beta, drop_settings
from benchmarks.validation.summary import mean_of, rmse_of

PLAN = Plan(n_resamples=500)

ALL = "none: bbc on all"


def repetition(setting: Setting, number: int) -> Result:
    """Return the error of the estimate after each rule, and what dropping saved and cost."""
    simulated, plan = setting.simulated(number), replace(PLAN, seed=number)
    metric = METRICS[setting.metric]
    whole = METHODS["bbc"].run(simulated.matrix, metric, plan)
    best = simulated.truth(whole.winner)
    result: dict[str, float] = {f"{ALL}, error": whole.value - best}
    for rule in RULES:
        (replayed,), _ = replay(simulated.matrix, metric, plan, rules=[rule])
        run = replayed.runs[0]
        truth = simulated.truth(run.winner)
        result[f"{rule}, error"] = run.value - truth
        result[f"{rule}, speed-up"] = run.trace.speed_up
        result[f"{rule}, winner kept"] = float(run.kept_winner)
        result[f"{rule}, truth lost"] = simulated.truth(replayed.winner) - truth
        result[f"{rule}, best dropped"] = float(_best(simulated) in run.trace.dropped)
    return result


def _best(simulated: Simulated) -> str:
    """Return the configuration that is truly best."""
    return simulated.matrix.configurations[int(np.argmax(simulated.performances))]


def block(store: Kept) -> str:
    """A table for each setting, a row for each rule."""
    parts = []
    for setting in drop_settings():
        results = list(store.results(setting.key).values())
        rows: list[Row] = []
        for rule in (ALL, *RULES) if results else ():
            errors = [one[f"{rule}, error"] for one in results]
            row: Row = {"rule": rule if rule == ALL else f"`{rule}`", "n": len(results)}
            row |= {"bias": mean_of(errors), "RMSE": rmse_of(errors)}
            for name in ("speed-up", "winner kept", "truth lost", "best dropped"):
                if results[0].get(f"{rule}, {name}") is not None:
                    row[name] = mean_of([one[f"{rule}, {name}"] for one in results])
            rows.append(row)
        size = setting.row
        title = f"{beta(size['law'])}, N = {size['N']}, C = {size['C']}"
        parts.append(table(title, ("rule", "n"), rows))
    return "\n\n".join(part for part in parts if part)


IN_SHORT = [one for one in drop_settings() if one.row["law"] != (14, 6) and one.row["N"] < 1000]


def in_short(store: Kept) -> str:
    """A sentence: how many models each rule saved, and how often it lost the winner."""
    every = [list(found.values()) for one in IN_SHORT if (found := store.results(one.key))]
    if not every:
        return ""
    parts = []
    for rule in RULES:
        lost = [100 * np.mean([1 - one[f"{rule}, winner kept"] for one in each]) for each in every]
        saved = [
            100 * np.mean([1 - 1 / one[f"{rule}, speed-up"] for one in each]) for each in every
        ]
        parts.append(f"`{rule}` {min(saved):.0f} to {max(saved):.0f}% ({max(lost):.0f}%)")
    return (
        f"Models saved in {len(every)} settings of 200 simulated studies each (200 configurations, "
        f"10 folds), and in brackets the largest share of studies that lost the winner of the full "
        f"run: {', '.join(parts)}."
    )


STUDY = Study("dropping", drop_settings, repetition)
