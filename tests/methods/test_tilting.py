"""Tilting and MABT against slow loops straight from the papers, and what they say."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from day import swept
from matrices import binary, for_metric, regression
from oracle_data import FOLDER
from slow_comparisons import placements_less_auc

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.methods.literature import tilt as tilted
from bbccli.methods.literature import tilting
from bbccli.methods.literature.split import choose_evaluated, sidak, split_samples
from bbccli.methods.literature.tilt import Evaluated, Replicates, calibrate
from bbccli.stats.resampling import Draws, Unit
from bbccli.types import PredictionKind, Side, Task

AUC, ACCURACY, RMSE = METRICS["auc"], METRICS["accuracy"], METRICS["rmse"]
PLAN = Plan(n_resamples=300, seed=3, side=Side.PESSIMISTIC)
SLOW = replace(PLAN, n_resamples=120)
MATRIX = binary(n_samples=80, n_configurations=30, seed=2)


# Slow loops


def slow_weights(values, tilt):
    total = sum(np.exp(tilt * v) for v in values)
    return [np.exp(tilt * v) / total for v in values]


def slow_importance(values, tilt, draws):
    """W_b: the product over the drawn samples of n times their weight."""
    weights, n = slow_weights(values, tilt), len(values)
    return [np.prod([(n * weights[i]) ** f for i, f in enumerate(row)]) for row in draws]


def slow_tilting(values, tilt, draws, figures, observed):
    total = 0.0
    for weight, figure in zip(slow_importance(values, tilt, draws), figures, strict=True):
        same = abs(figure - observed) < 1e-10
        total += weight * (0.5 if same else float(figure > observed))
    return total / len(draws)


def slow_mabt(values, tilt, draws, figures, observed, column):
    """Rink & Brannath: pseudo-observations, their maxima, and the tilted distribution."""
    rounded, size = np.round(figures, 10), len(draws)
    maxima = []
    for row in rounded:
        ranks = [np.sum(rounded[:, c] <= figure) for c, figure in enumerate(row)]
        maxima.append(max(ranks) / (size + 1))
    weights = slow_importance(values, tilt, draws)
    beaten = [w for w, f in zip(weights, rounded[:, column], strict=True) if f <= observed + 1e-9]
    share = sum(beaten) / sum(weights)
    return 1 - sum(m <= share for m in maxima) / size


def slow_bound(p, error):
    """Walk down in small steps until p is below the error, then halve."""
    low = 0.0
    while not p(low) < error - 1e-12:
        low -= 0.05
    high = low + 0.05
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if p(middle) < error - 1e-12 else (low, middle)
    return low


def drawn(finalist, metric, columns, strata):
    """Evaluation scorer, its predictions and the resamples, without the code under test."""
    rows = finalist.split.evaluation
    outcome = MATRIX.outcome.take(rows)
    scorer = metric.bind(outcome, MATRIX.as_kind(metric.wants)[0][rows][:, columns])
    draws = Draws(int(rows.sum()), SLOW.seed, (Unit.EVALUATION,), False, strata=strata)
    in_bag = draws.batch(0, -(-SLOW.n_resamples // 64)).in_bag[: SLOW.n_resamples]
    return scorer, in_bag


def slow_auc(truth, scores, weights):
    """Weighted share of pairs: the bound under tilted weights."""
    right = whole = 0.0
    for i in np.flatnonzero(truth == 1):
        for j in np.flatnonzero(truth == 0):
            pair = weights[i] * weights[j]
            right += pair * ((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2)
            whole += pair
    return right / whole


@pytest.mark.parametrize("name", ["mabt", swept("tilting"), swept("tilting-10p")])
def test_the_auc_bound_is_that_of_the_slow_loop(name):
    finalist = choose_evaluated(MATRIX, AUC, SLOW, preselect=name != "tilting")
    columns = np.sort(finalist.preselected) if name == "mabt" else np.array([finalist.winner])
    column = int(np.flatnonzero(columns == finalist.winner)[0])
    rows = finalist.split.evaluation
    truth, scores = MATRIX.outcome.values[rows], MATRIX.predictions[0, rows, finalist.winner]
    scorer, in_bag = drawn(finalist, AUC, columns, truth)
    figures, values = scorer(in_bag), placements_less_auc(scores[:, None], truth)[1][:, 0]
    observed = slow_auc(truth, scores, np.ones(len(truth)))
    if name == "mabt":
        error = 0.05
        tilt = slow_bound(lambda t: slow_mabt(values, t, in_bag, figures, observed, column), error)
    else:
        error = 1 - (sidak(0.95, 3) if name == "tilting-10p" else 0.95)
        tilt = slow_bound(lambda t: slow_tilting(values, t, in_bag, figures[:, 0], observed), error)
    expected = slow_auc(truth, scores, slow_weights(values, tilt))
    found = METHODS[name].run(MATRIX, AUC, SLOW)
    assert found.interval.lower == pytest.approx(expected, abs=1e-9)
    assert found.interval.upper == 1
    assert found.n_resamples == 120


# By hand


def test_a_p_equal_to_the_error_does_not_count():
    def p(tilt):
        return 0.5 if tilt > -1 else 0.05 if tilt > -2 else 0.01

    assert calibrate(p, 0.05, 0.3) == pytest.approx(-2, abs=1e-11)
    assert p(calibrate(p, 0.05, 0.3)) == 0.01


# Laws


def test_a_unit_does_not_matter():
    matrix = regression(n_samples=60)
    larger = replace(
        matrix,
        outcome=replace(matrix.outcome, values=1000 * matrix.outcome.values),
        predictions=1000 * matrix.predictions,
    )
    for name in ("tilting", "mabt"):
        found, expected = (METHODS[name].run(m, RMSE, PLAN).interval for m in (larger, matrix))
        assert found.upper == pytest.approx(1000 * expected.upper, rel=1e-9)


def test_more_resamples_are_drawn_until_the_error_is_small_enough():
    loose, tight = (
        METHODS["tilting"].run(MATRIX, AUC, Plan(4000, tolerance=t)) for t in (0.05, 1e-5)
    )
    assert loose.n_resamples == 1000
    assert loose.error.largest() <= 0.05
    assert tight.n_resamples == 4000
    assert "tolerance-not-reached" in [n.code for n in tight.notes]


def test_groups_are_resampled_as_a_whole():
    groups = np.arange(80) // 4
    grouped = replace(MATRIX, groups=groups)
    finalist = choose_evaluated(grouped, ACCURACY, PLAN)
    evaluated = Evaluated.of(grouped, ACCURACY, finalist, np.array([finalist.winner]))
    n_groups = len(np.unique(groups[split_samples(grouped, PLAN).evaluation]))
    assert len(evaluated.influence) == n_groups
    found = evaluated.replicates(100, 0, lambda done, total: None)
    # a resample's sum of influence is its gain, to first order; exactly so in equal groups
    gains = n_groups * (found.values[:, 0] - found.observed)
    np.testing.assert_allclose(found.totals, gains, atol=1e-9)
    assert METHODS["tilting"].run(grouped, ACCURACY, PLAN).interval is not None


# Where tilting can't


def perfect(n_samples=40, n_wrong=0):
    """One configuration, right but for a few."""
    matrix = binary(n_samples=n_samples, n_configurations=1, kind=PredictionKind.SCORE)
    scores = matrix.outcome.values.astype(float)
    scores[:n_wrong] = 1 - scores[:n_wrong]
    return replace(matrix, predictions=scores[None, :, None])


def test_a_perfect_accuracy_falls_back_to_wilson():
    matrix = replace(perfect(), threshold=0.5)
    for name in ("tilting", "tilting-10p", "mabt"):
        found = METHODS[name].run(matrix, ACCURACY, replace(PLAN, evaluation_share=0))
        # n / (n + z^2), z the 95% quantile of the normal distribution
        assert found.interval.lower == pytest.approx(40 / (40 + 1.6448536269514722**2))
        assert found.interval.upper == 1
        (note,) = (n for n in found.notes if n.code == "tilting-infeasible")
        assert f"{name} finds no tilt for its lower end, so that end is Wilson's" in note.text


def test_samples_that_the_finalist_lacks_do_not_evaluate_it():
    known = np.ones((1, 40, 1), bool)
    known[0, :12] = False
    matrix = replace(perfect(), threshold=0.5, available=known)
    found = METHODS["tilting"].run(matrix, ACCURACY, replace(PLAN, evaluation_share=0))
    assert found.interval.lower == pytest.approx(28 / (28 + 1.6448536269514722**2))
    gaps = np.ones(MATRIX.predictions.shape, bool)
    gaps[:, 3, 0] = False  # of one that does not win
    matrices = (replace(MATRIX, available=gaps), MATRIX)
    found, expected = (METHODS["tilting"].run(m, AUC, PLAN).interval for m in matrices)
    assert found == expected


def test_a_perfect_auc_has_no_interval_and_says_why():
    for name in ("tilting", "tilting-10p", "mabt"):
        found = METHODS[name].run(perfect(), AUC, PLAN)
        assert found.interval is None
        assert found.value == 1
        (note,) = (n for n in found.notes if n.code == "no-interval")
        assert note.text == f"{name} has no interval: no sample that evaluates moves the figure"


def test_the_fallback_of_the_auc_is_delong_at_sidak_s_level(monkeypatch):
    monkeypatch.setattr(tilted, "calibrate", lambda *given: None)
    for name, other in (
        ("tilting", "delong"),
        ("tilting-10p", "delong-10p"),
        ("mabt", "delong-10p"),
    ):
        for side in Side:
            plan = replace(PLAN, side=side)
            found, expected = (METHODS[m].run(MATRIX, AUC, plan) for m in (name, other))
            assert found.interval.lower == pytest.approx(expected.interval.lower, abs=1e-12)
            assert found.interval.upper == pytest.approx(expected.interval.upper, abs=1e-12)
            ends = [n.text for n in found.notes if n.code == "tilting-infeasible"]
            assert len(ends) == (2 if side is Side.TWO else 1)
            assert all("so that end is DeLong's" in text for text in ends)


def test_the_fallback_of_others_is_a_normal_interval(monkeypatch):
    monkeypatch.setattr(tilted, "calibrate", lambda *given: None)
    matrix = for_metric("mae", n_samples=60)
    found = METHODS["tilting"].run(matrix, METRICS["mae"], PLAN)
    rows = split_samples(matrix, PLAN).evaluation
    column = matrix.configurations.index(found.winner)
    losses = np.abs(matrix.predictions[0, rows, column] - matrix.outcome.values[rows])
    reach = 1.6448536269514722 * losses.std(ddof=1) / np.sqrt(rows.sum())
    assert found.interval.upper == pytest.approx(losses.mean() + reach)
    assert found.interval.lower == 0
    assert "that of a normal interval" in found.notes[-1].text


def test_one_sample_of_a_class_to_evaluate_on_is_not_enough():
    matrix = binary(n_samples=40, n_configurations=3)
    values = np.zeros(40, int)
    values[:2] = 1
    rare = replace(matrix, outcome=replace(matrix.outcome, values=values))
    found = METHODS["tilting"].run(rare, AUC, PLAN)
    assert found.interval is None
    assert "no-interval" in [n.code for n in found.notes]


# R


TAILS = {
    "mabt": tilting.adjusted_tail,
    "bt_best": tilting.tail_of_tilts,
    "bt_10p": tilting.tail_of_tilts,
}
CASES = [
    *(("S1", measure, block) for measure in ("auc", "class") for block in TAILS),
    ("S2", "auc", "mabt"),
]
LIMIT = -20.0  # where the authors' search ends


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


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_p_tilt_and_bound_on_given_resamples_are_those_of_r(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    expected, exact = own["tolerance_variant"], own["tau_exact"]
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
    at_root = found.under(own["tau_uniroot"])
    if measure == "class":
        grid = [tail(tilt) for tilt in exact["grid_tau"]]
        np.testing.assert_allclose(grid, exact["grid_p"], atol=1e-12, rtol=1e-9)
        assert tail(own["tau_uniroot"]) == pytest.approx(own["p_at_tau_uniroot"], abs=1e-12)
        assert at_root == pytest.approx(own["bound"], abs=1e-12)
        return
    # of the AUC the expectation of R's inner bootstrap
    assert at_root == pytest.approx(own["bound_limit_at_uniroot"], abs=1e-9)
    at_star = found.under(exact["tau_star"])
    assert at_star == pytest.approx(own["bound_limit_at_tau_star"], abs=1e-9)
    error = own["bound_sd_direction_lt"] / np.sqrt(20)
    assert abs(at_root - own["bound_mean_direction_lt"]) < 4 * error


def test_what_r_calls_infeasible_only_lies_beyond_its_range():
    own = answers("S3", "auc")["bt_best"]
    found, weights = evaluated("S3", "auc", "bt_best")
    drawn = replicates(found, weights)
    tail = tilting.tail_of_tilts(drawn)
    assert not own["feasible"]
    assert tail(LIMIT) == pytest.approx(own["min_p"], abs=1e-12)
    assert tail(LIMIT) > own["alpha"]
    tilt = calibrate(tail, own["alpha"], drawn.step)
    assert tilt < LIMIT
    assert tail(tilt) == pytest.approx(own["alpha"], abs=1e-9)
    assert 0.99 < found.under(tilt) < own["t0"]


@pytest.mark.parametrize("name", ["tilting", "mabt"])
def test_an_upper_end_is_the_lower_one_of_the_metric_turned_round(name):
    matrix = binary(n_samples=120, n_configurations=4, seed=5)
    right, wrong = (
        METHODS[name].run(matrix, METRICS[metric], replace(PLAN, side=side)).interval
        for metric, side in (("accuracy", Side.LOWER), ("error", Side.UPPER))
    )
    assert wrong.upper == pytest.approx(1 - right.lower, abs=1e-12)
    assert 0 < right.lower < 1
