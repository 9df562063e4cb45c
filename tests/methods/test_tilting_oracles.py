"""Tilting and MABT on resamples drawn by R, against the authors' functions and a numpy version.

`tolerance_variant` is the authors' algorithm with performances that are equal up to rounding taken
as equal; R's own comparisons of floats miss some ties of the AUC, and none of accuracy.
"""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from oracle_data import FOLDER

from bbccli.core.outcome import Outcome
from bbccli.methods.literature import tilting
from bbccli.methods.literature.tilt import Evaluated, Replicates, calibrate
from bbccli.metrics import METRICS
from bbccli.stats.influence import influence
from bbccli.types import Task

TAILS = {"mabt": tilting.adjusted_tail, "bt_best": tilting.tail, "bt_10p": tilting.tail}
CASES = [
    *(("S1", measure, block) for measure in ("auc", "class") for block in TAILS),
    ("S2", "auc", "mabt"),
]
OF_AUC = [case for case in CASES if case[1] == "auc"]
OF_CLASS = [case for case in CASES if case[1] == "class"]
LIMIT = {"auc": -20.0, "class": -10.0}  # where the authors' search ends


@cache
def answers(study, measure):
    return json.loads((FOLDER / "tilting" / f"{study}__{measure}.json").read_text())


@cache
def evaluated(study, measure, block):
    """The finalist bound to the evaluation samples, and the drawn weights (B, n)."""
    answer = answers(study, measure)
    own = answer[block]
    table = pyarrow.csv.read_csv(FOLDER / "tilting" / f"{study}.csv").to_pydict()
    order = [table["id"].index(row) for row in answer["eval_ids"]]
    names = answer["candidates"] if block == "mabt" else [own["config"]]
    column = names.index(answer["selected_config"]) if block == "mabt" else 0
    truth = np.array(table["label"])[order]
    scores = np.column_stack([np.array(table[name])[order] for name in names])
    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    scorer = (
        METRICS["auc"].bind(outcome, scores)
        if measure == "auc"
        else METRICS["accuracy"].bind(outcome, (scores > answer["threshold"]).astype(int))
    )
    drawn = pyarrow.parquet.read_table(
        FOLDER / "tilting" / f"{study}__{measure}__{block}__idx.parquet"
    )
    indices = np.column_stack([c.to_numpy() for c in drawn.columns])
    weights = np.stack([np.bincount(row, minlength=len(order)) for row in indices])
    found = Evaluated(
        scorer,
        column,
        np.arange(len(order)),
        truth if measure == "auc" else None,
        np.array(own["tilt_values_L"]),
        own["t0"],
    )
    return found, weights.astype(np.uint16)


def replicates(found, weights, values=None):
    values = found.influence if values is None else values
    scores = found.scorer(weights)
    return Replicates(scores, found.observed, found.column, values, weights @ values)


def exact_influence(found):
    everything = np.ones(len(found.members), np.uint8)
    chosen = np.array([found.column])
    return influence(found.scorer, everything, chosen, strata=found.strata)[:, 0]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_p_tilt_and_bound_on_given_resamples(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    expected = own["tolerance_variant"]
    found, weights = evaluated(*case)
    drawn = replicates(found, weights)
    tail = TAILS[block](drawn)
    assert tail(0.0) == pytest.approx(expected["p_at_0"], abs=1e-12)
    tilt = calibrate(tail, own["alpha"], drawn.step)
    assert tilt == pytest.approx(expected["tau_star"], abs=1e-9)
    # mabt's p has a step at t*, so only the cautious side of it is the same
    at = tilt if block == "mabt" else expected["tau_star"]
    assert tail(at) == pytest.approx(expected["p_at_tau_star"], abs=1e-12)
    assert found.under(tilt) == pytest.approx(expected["bound_at_tau_star"], abs=1e-9)


@pytest.mark.parametrize("case", OF_CLASS, ids="-".join)
def test_p_of_accuracy_is_that_of_r_at_every_tilt(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    found, weights = evaluated(*case)
    tail = TAILS[block](replicates(found, weights))
    grid = own["tau_exact"]
    np.testing.assert_allclose(
        [tail(tilt) for tilt in grid["grid_tau"]], grid["grid_p"], atol=1e-12, rtol=1e-9
    )
    assert tail(own["tau_uniroot"]) == pytest.approx(own["p_at_tau_uniroot"], abs=1e-12)
    assert found.under(own["tau_uniroot"]) == pytest.approx(own["bound"], abs=1e-12)


@pytest.mark.parametrize("case", OF_AUC, ids="-".join)
def test_the_bound_is_the_expectation_of_r_s_inner_bootstrap(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    found, _ = evaluated(*case)
    at_root = found.under(own["tau_uniroot"])
    assert at_root == pytest.approx(own["bound_limit_at_uniroot"], abs=1e-9)
    at_star = found.under(own["tau_exact"]["tau_star"])
    assert at_star == pytest.approx(own["bound_limit_at_tau_star"], abs=1e-9)
    error = own["bound_sd_direction_lt"] / np.sqrt(20)
    assert abs(at_root - own["bound_mean_direction_lt"]) < 4 * error


@pytest.mark.parametrize("case", OF_AUC, ids="-".join)
def test_influence_values_are_placements_and_tilt_as_such(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    expected = own["exact_influence_variant"]
    found, weights = evaluated(*case)
    values = exact_influence(found)
    np.testing.assert_allclose(values, expected["L_exact"], atol=1e-12)
    drawn = replicates(found, weights, values)
    tail = TAILS[block](drawn)
    tilt = calibrate(tail, own["alpha"], drawn.step)
    assert tilt == pytest.approx(expected["tau_star"], abs=1e-9)
    at = tilt if block == "mabt" else expected["tau_star"]
    assert tail(at) == pytest.approx(expected["p_at_tau_star"], abs=1e-12)
    bound = replace(found, influence=values).under(tilt)
    assert bound == pytest.approx(expected["bound_at_tau_star"], abs=1e-9)


@pytest.mark.parametrize("case", OF_CLASS, ids="-".join)
def test_influence_values_of_accuracy_are_correct_or_not(case):
    found, weights = evaluated(*case)
    values = exact_influence(found)
    np.testing.assert_allclose(values + found.observed, found.influence, atol=1e-12)
    tail, same = (TAILS[case[2]](replicates(found, weights, v)) for v in (found.influence, values))
    assert tail(-0.4) == pytest.approx(same(-0.4), abs=1e-12)


def test_what_r_calls_infeasible_only_lies_beyond_its_range():
    own = answers("S3", "auc")["bt_best"]
    found, weights = evaluated("S3", "auc", "bt_best")
    drawn = replicates(found, weights)
    tail = tilting.tail(drawn)
    assert not own["feasible"]
    assert tail(LIMIT["auc"]) == pytest.approx(own["min_p"], abs=1e-12)
    assert tail(LIMIT["auc"]) > own["alpha"]
    tilt = calibrate(tail, own["alpha"], drawn.step)
    assert tilt < LIMIT["auc"]
    assert tail(tilt) == pytest.approx(own["alpha"], abs=1e-9)
    assert 0.99 < found.under(tilt) < own["t0"]
