"""Tilting and MABT against slow loops straight from the papers, and what they say."""

import json
from dataclasses import replace
from functools import cache
from statistics import NormalDist

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
from bbccli.methods.literature.split import choose_evaluated, sidak, split_samples
from bbccli.methods.literature.tilt import Replicates
from bbccli.methods.literature.tilting import adjusted_tail
from bbccli.stats.resampling import Draws, Unit
from bbccli.types import PredictionKind, Side, Task

AUC, ACCURACY, RMSE = METRICS["auc"], METRICS["accuracy"], METRICS["rmse"]
PLAN = Plan(n_resamples=300, seed=3, side=Side.PESSIMISTIC)
SLOW = replace(PLAN, n_resamples=120)
MATRIX = binary(n_samples=80, n_configurations=30, seed=2)


# Slow loops


def slow_weights(values, tilt):
    weights = np.exp(tilt * values)
    return weights / weights.sum()


def slow_importance(values, tilt, draws):
    """W_b: the product over the drawn samples of n times their weight."""
    logarithms = tilt * values - np.log(np.mean(np.exp(tilt * values)))
    return np.exp(draws @ logarithms)


def slow_tilting(values, draws, figures, observed):
    same = np.abs(figures - observed) < 1e-10
    counts = np.where(same, 0.5, figures > observed)
    return lambda tilt: (slow_importance(values, tilt, draws) * counts).mean()


def slow_mabt(values, draws, figures, observed, column):
    """Rink & Brannath: pseudo-observations, their maxima, and the tilted distribution."""
    rounded, size = np.round(figures, 10), len(draws)
    ranks = [[np.sum(of <= figure) for figure in of] for of in rounded.T]
    maxima, beaten = np.max(ranks, axis=0) / (size + 1), rounded[:, column] <= observed + 1e-9

    def p(tilt):
        weights = slow_importance(values, tilt, draws)
        return 1 - np.mean(maxima <= weights[beaten].sum() / weights.sum())

    return p


def slow_bound(p, error):
    """Walk down in small steps until p is below the error, then halve."""
    low = 0.0
    while not p(low) < error - 1e-12:
        low -= 0.05
        assert low > -99
    high = low + 0.05
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if p(middle) < error - 1e-12 else (low, middle)
    return low


def drawn(matrix, finalist, metric, columns, strata):
    """Evaluation scorer and the resamples, without the code under test."""
    rows = finalist.split.evaluation
    outcome = matrix.outcome.take(rows)
    scorer = metric.bind(outcome, matrix.as_kind(metric.wants)[0][rows][:, columns])
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


def alike(seed):
    """Many configurations of middling skill: which is the best of the preselected is open."""
    matrix = binary(n_samples=160, n_configurations=100, seed=seed)
    return matrix.of_configurations(np.arange(60))


def nearly_perfect():
    """One configuration with two pairs in the wrong order: the authors' search ends at t = -20."""
    matrix = binary(n_samples=60, n_configurations=1, kind=PredictionKind.SCORE)
    scores = matrix.outcome.values + np.arange(60) / 100
    scores[[1, 3]] = 0.57
    return replace(matrix, predictions=scores[None, :, None])


@pytest.mark.parametrize(
    ("name", "matrix", "least"),
    [
        *(("mabt", alike(seed), 0) for seed in range(3)),
        swept("tilting", MATRIX, 0),
        swept("tilting-10p", MATRIX, 0),
        ("tilting", nearly_perfect(), 20),
    ],
)
def test_the_auc_bound_is_that_of_the_slow_loop(name, matrix, least):
    plan = replace(SLOW, evaluation_share=0.0) if matrix.n_configurations == 1 else SLOW
    finalist = choose_evaluated(matrix, AUC, plan, preselect=name != "tilting")
    columns = np.sort(finalist.preselected) if name == "mabt" else np.array([finalist.winner])
    column = int(np.flatnonzero(columns == finalist.winner)[0])
    rows = finalist.split.evaluation
    truth, scores = matrix.outcome.values[rows], matrix.predictions[0, rows, finalist.winner]
    scorer, in_bag = drawn(matrix, finalist, AUC, columns, truth)
    figures, values = scorer(in_bag), placements_less_auc(scores[:, None], truth)[1][:, 0]
    observed = slow_auc(truth, scores, np.ones(len(truth)))
    if name == "mabt":  # whose p is at times equal to the error, which does not count
        tilt = slow_bound(slow_mabt(values, in_bag, figures, observed, column), 0.05)
    else:
        error = 1 - (sidak(0.95, 3) if name == "tilting-10p" else 0.95)
        tilt = slow_bound(slow_tilting(values, in_bag, figures[:, 0], observed), error)
    assert tilt < -least
    expected = slow_auc(truth, scores, slow_weights(values, tilt))
    found = METHODS[name].run(matrix, AUC, plan)
    assert found.interval.lower == pytest.approx(expected, abs=1e-9)
    assert found.interval.upper == 1
    assert found.n_resamples == 120


# Laws


def test_h_counts_the_resamples_at_the_share_itself():
    """F = 1/2 of three resamples, the last of no weight: u = 1/4 and 2/4 are up to it."""
    values = np.array([[0.1], [0.2], [0.3]])
    replicates = Replicates(values, 0.1, 0, np.zeros(2), np.array([0.0, 0.0, -1000.0]))
    assert adjusted_tail(replicates, True)(1.0) == pytest.approx(1 - 2 / 3)


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
    rows = np.repeat(np.arange(80), 3)
    copied = replace(MATRIX.of_samples(rows), groups=rows)
    matrices = (copied, replace(MATRIX, groups=np.arange(80)))
    found, expected = (METHODS["tilting"].run(m, ACCURACY, PLAN).interval for m in matrices)
    assert found.lower == pytest.approx(expected.lower, abs=1e-12)


def test_resamples_that_hold_every_unit_once_count():
    """Of four samples to evaluate on, one draw in eleven is."""
    matrix = regression(n_samples=8, n_configurations=2)
    found = METHODS["tilting"].run(matrix, RMSE, replace(PLAN, evaluation_share=0.5))
    assert (found.n_evaluation, found.n_resamples) == (4, PLAN.n_resamples)


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


@pytest.mark.parametrize(
    ("name", "other"),
    [("tilting", "delong"), ("tilting-10p", "delong-10p"), ("mabt", "delong-10p")],
)
@pytest.mark.parametrize("side", Side)
def test_the_fallback_of_the_auc_is_delong_at_sidak_s_level(name, other, side):
    """No share of resamples is above twice the error of so low a level."""
    plan = replace(PLAN, side=side, level=0.02)
    found, expected = (METHODS[m].run(MATRIX, AUC, plan) for m in (name, other))
    assert found.interval.lower == pytest.approx(expected.interval.lower, abs=1e-12)
    assert found.interval.upper == pytest.approx(expected.interval.upper, abs=1e-12)
    ends = [n.text for n in found.notes if n.code == "tilting-infeasible"]
    assert len(ends) == (2 if side is Side.TWO else 1)
    assert all("so that end is DeLong's" in text for text in ends)


def test_the_fallback_of_others_is_a_normal_interval():
    matrix = for_metric("mae", n_samples=60)
    found = METHODS["tilting"].run(matrix, METRICS["mae"], replace(PLAN, level=0.45))
    rows = split_samples(matrix, PLAN).evaluation
    column = matrix.configurations.index(found.winner)
    losses = np.abs(matrix.predictions[0, rows, column] - matrix.outcome.values[rows])
    reach = NormalDist().inv_cdf(0.45) * losses.std(ddof=1) / np.sqrt(rows.sum())
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


# R: its p, tilts and bounds on its resamples are those of the slow loops above


CASES = [
    *(
        ("S1", measure, block)
        for measure in ("auc", "class")
        for block in ("mabt", "bt_best", "bt_10p")
    ),
    ("S2", "auc", "mabt"),
]


@cache
def answers(study, measure):
    return json.loads((FOLDER / "tilting" / f"{study}__{measure}.json").read_text())


def evaluated(study, measure, block):
    """Truth, scores of the finalist, and the slow p on the resamples of the authors' code."""
    answer = answers(study, measure)
    own = answer[block]
    table = pyarrow.csv.read_csv(FOLDER / "tilting" / f"{study}.csv").to_pydict()
    order = [table["id"].index(row) for row in answer["eval_ids"]]
    names = answer["candidates"] if block == "mabt" else [own["config"]]
    column = names.index(answer["selected_config"]) if block == "mabt" else 0
    truth = np.array(table["label"])[order]
    scores = np.column_stack([np.array(table[name])[order] for name in names])
    if measure == "class":
        scores = (scores > answer["threshold"]).astype(int)
    metric = AUC if measure == "auc" else ACCURACY
    path = FOLDER / "tilting" / f"{study}__{measure}__{block}__idx.parquet"
    indices = np.column_stack([c.to_numpy() for c in pyarrow.parquet.read_table(path).columns])
    draws = np.stack([np.bincount(row, minlength=len(order)) for row in indices])
    figures = metric.bind(Outcome(Task.BINARY, truth, ("0", "1")), scores)(draws)
    values = np.array(own["tilt_values_L"])
    if block == "mabt":
        return truth, scores[:, column], slow_mabt(values, draws, figures, own["t0"], column)
    return truth, scores[:, 0], slow_tilting(values, draws, figures[:, 0], own["t0"])


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_the_slow_loops_are_those_of_r(case):
    study, measure, block = case
    own = answers(study, measure)[block]
    expected, exact, values = own["tolerance_variant"], own["tau_exact"], own["tilt_values_L"]
    truth, scores, p = evaluated(*case)

    def under(tilt):
        weights = slow_weights(np.array(values), tilt)
        return slow_auc(truth, scores, weights) if measure == "auc" else weights @ (scores == truth)

    assert p(0.0) == pytest.approx(expected["p_at_0"], abs=1e-12)
    tilt = slow_bound(p, own["alpha"])
    assert tilt == pytest.approx(expected["tau_star"], abs=1e-9)
    # mabt's p has a step at t*, so only the cautious side of it is the same
    at = tilt if block == "mabt" else expected["tau_star"]
    assert p(at) == pytest.approx(expected["p_at_tau_star"], abs=1e-12)
    assert under(tilt) == pytest.approx(expected["bound_at_tau_star"], abs=1e-9)
    at_root = under(own["tau_uniroot"])
    if measure == "class":
        np.testing.assert_allclose([*map(p, exact["grid_tau"])], exact["grid_p"], rtol=1e-9)
        assert at_root == pytest.approx(own["bound"], abs=1e-12)
        return
    # of the AUC the expectation of R's inner bootstrap
    assert at_root == pytest.approx(own["bound_limit_at_uniroot"], abs=1e-9)
    assert under(exact["tau_star"]) == pytest.approx(own["bound_limit_at_tau_star"], abs=1e-9)
    error = own["bound_sd_direction_lt"] / np.sqrt(20)
    assert abs(at_root - own["bound_mean_direction_lt"]) < 4 * error


@pytest.mark.parametrize("name", ["tilting", "mabt"])
def test_an_upper_end_is_the_lower_one_of_the_metric_turned_round(name):
    matrix = binary(n_samples=120, n_configurations=4, seed=5)
    right, wrong = (
        METHODS[name].run(matrix, METRICS[metric], replace(PLAN, side=side)).interval
        for metric, side in (("accuracy", Side.LOWER), ("error", Side.UPPER))
    )
    assert wrong.upper == pytest.approx(1 - right.lower, abs=1e-12)
    assert 0 < right.lower < 1
