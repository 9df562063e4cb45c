"""Metrics that are no means, selected by a tool's mean over folds: the winner is the tool's, and
it is measured over pooled rows.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import for_metric, regression

from bbccli import METHODS, METRICS, Plan, document, matrix_of
from bbccli.comparisons import against_baseline, best_set, compare_pairs
from bbccli.documents.compare import compare_document
from bbccli.documents.gate import GateRule, judged
from bbccli.documents.leaderboard import leaderboard
from bbccli.methods import Gives, Method, estimate
from bbccli.metrics.capped import measuring
from bbccli.notes import NOTES
from bbccli.planning import of_pilot
from bbccli.planning.studies import _figures_of
from bbccli.reports import FORMS
from bbccli.reports.evidence import Evidence, Exhibit, Ranking
from bbccli.reports.figures import draw
from bbccli.reports.words.comparison_sentences import quote
from bbccli.stats.case import Answer
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import Candidates, candidates
from bbccli.types import Direction, Interval, MetricKind, Pooling, Side
from bbccli.use_cases.correct import cost_of_search

OTHERS = [name for name, metric in METRICS.items() if metric.kind is MetricKind.OTHER]
BY_TOOL = Plan(n_resamples=100, pooling=Pooling.FOLD_MEAN, selection=Pooling.FOLD_MEAN)
BY_HAND = replace(BY_TOOL, selection=None)


def bbc(matrix, metric, plan):
    return METHODS["bbc"].run(matrix, METRICS[metric], plan)


@pytest.mark.parametrize("name", OTHERS)
def test_the_winner_is_the_tool_s_and_its_figure_is_pooled(name):
    matrix, metric = for_metric(name), METRICS[name]
    over_folds = candidates(matrix, metric, Pooling.FOLD_MEAN).performances()
    pooled = candidates(matrix, metric, Pooling.POOLED).performances()
    found, winner = bbc(matrix, name, BY_TOOL), int(metric.direction.best(over_folds))
    assert found.winner == matrix.configurations[winner]
    assert found.over_folds == pytest.approx(over_folds[winner], rel=1e-12)
    assert found.naive == pytest.approx(pooled[winner], rel=1e-12)


@pytest.mark.parametrize("method", ["tt", "bbc-f"])
def test_a_method_over_folds_measures_over_folds(method):
    matrix, metric = for_metric("rmse"), METRICS["rmse"]
    over_folds = candidates(matrix, metric, Pooling.FOLD_MEAN).performances()
    found = METHODS[method].run(matrix, metric, BY_TOOL)
    assert found.naive == pytest.approx(over_folds.min(), rel=1e-12)
    assert found.over_folds is None


def slow_bbc(matrix, metric, plan):
    """Select by the mean over folds in each bag, score out of it over pooled rows, in loops."""
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed).batch(0, 2)
    over_folds = candidates(matrix, metric, Pooling.FOLD_MEAN)
    pooled = candidates(matrix, metric, Pooling.POOLED)
    winners, values = [], []
    for bag in draws.in_bag[: plan.n_resamples]:
        winner = int(metric.direction.best(over_folds.score(bag[None])[0]))
        left_out = (bag == 0).astype(np.uint8)
        winners.append(winner)
        values.append(pooled.score(left_out[None])[0, winner])
    return np.array(winners), np.array(values)


@pytest.mark.parametrize("name", ["r2", "rmse"])
def test_bbc_by_loops(name):
    matrix, plan = regression(90), replace(BY_TOOL, size_correction=False)
    found = bbc(matrix, name, plan)
    winners, values = slow_bbc(matrix, METRICS[name], plan)
    np.testing.assert_array_equal(found.distribution.winners, winners)
    np.testing.assert_allclose(found.distribution.values, values, rtol=1e-10)


def test_means_and_pairs_are_averaged_over_folds_as_before():
    for name, metric in METRICS.items():
        wanted = Pooling.POOLED if name in OTHERS else Pooling.FOLD_MEAN
        assert measuring(metric, BY_TOOL) is wanted
        assert measuring(metric, BY_HAND) is Pooling.FOLD_MEAN
    matrix = for_metric("mae")
    assert bbc(matrix, "mae", BY_TOOL).value == bbc(matrix, "mae", BY_HAND).value
    assert bbc(matrix, "mae", BY_TOOL).over_folds is None


def test_methods_over_folds_are_no_defaults_for_them():
    matrix = for_metric("r2")
    for plan in (BY_TOOL, Plan(n_resamples=100)):
        estimates, _ = estimate(matrix, "r2", plan)
        assert {one.method for one in estimates} == {"cvt", "bbc"}
        assert not {note.code for one in estimates for note in one.notes} & {"mean-over-folds"}
    estimates, _ = estimate(matrix, "r2", BY_TOOL, ["tt", "bbc-f"])
    per_fold = f"over folds of {matrix.n_samples / matrix.n_folds:.3g} samples"
    for one in estimates:
        (note,) = [note for note in one.notes if note.code == "mean-over-folds"]
        assert per_fold in note.text


def test_no_gate_passes_on_a_mean_over_folds_by_hand():
    matrix = for_metric("r2")
    for plan, outcome in ((BY_TOOL, "met"), (BY_HAND, "undecided")):
        found = document(matrix, *estimate(matrix, "r2", plan))
        lower = next(e for e in found.record.estimates if e.method == "bbc").interval.lower
        rule = GateRule(lower - 0.5, Direction.MAXIMIZE)
        assert judged(found.record, rule).gate.outcome == outcome


@pytest.mark.parametrize(
    "plan", [BY_TOOL, BY_HAND, Plan(n_resamples=100)], ids=["tool", "hand", "no"]
)
@pytest.mark.parametrize(
    "name", ["r2", swept("average-precision"), "f1", swept("rmse"), swept("auc"), "accuracy"]
)
def test_no_estimate_lies_outside_its_interval(name, plan):
    matrix = for_metric(name, n_repeats=2)
    estimates, _ = estimate(matrix, name, plan, "all")
    assert len(estimates) > 5
    for one in estimates:
        if one.interval is not None and one.interval.side is Side.TWO:
            assert one.interval.lower <= one.value <= one.interval.upper, one.method


def codes_of(matrix, name):
    estimates, _ = estimate(matrix, name, replace(BY_HAND, n_resamples=400), ["bbc"])
    assert "mean-over-folds" in {note.code for note in estimates[0].notes}
    return {note.code for note in estimates[0].notes}, estimates[0]


def test_an_estimate_far_outside_its_interval_is_a_doubt():
    # where two of these four are left out alone, R2 is hugely negative: rare, but the mean feels it
    rng = np.random.default_rng(3)
    truth, folds = rng.normal(size=48), np.arange(48) // 12
    truth[:12] = [0, 1e-7, *rng.normal(size=10)]
    values = truth[:, None] + rng.normal(size=(48, 3)) * [0.5, 0.6, 0.7]
    for seed in range(50):
        found, one = codes_of(matrix_of(values, truth, folds=folds, task="regression"), "r2")
        assert one.interval.lower <= one.value <= one.interval.upper
        if "outside-interval" in found:
            return
        truth[2:12] = np.random.default_rng(seed).normal(size=10)
    pytest.fail("never outside")


def test_a_correction_that_raises_the_figure_is_a_doubt():
    # a fold has three positives; where one is left out alone, its average precision is often high
    rng = np.random.default_rng(0)
    truth = (np.arange(600) % 20 == 0).astype(int)
    scores = 1 / (1 + np.exp(-rng.normal(size=(600, 2))))
    matrix = matrix_of(scores, truth, folds=np.arange(600) // 60, task="binary", positive=1)
    found, one = codes_of(matrix, "average-precision")
    assert one.value > one.naive
    assert "better-than-naive" in found
    plain, _ = estimate(matrix, "average-precision", Plan(n_resamples=400), ["bbc"])
    assert "better-than-naive" not in {note.code for note in plain[0].notes}


def test_another_pooling_measures_as_it_selects():
    for selection in (Pooling.FOLD_MEAN, Pooling.WITHIN_FOLDS):
        plan = Plan(pooling=Pooling.WITHIN_FOLDS, selection=selection)
        assert measuring(METRICS["f1"], plan) is Pooling.WITHIN_FOLDS


@pytest.mark.parametrize(
    ("value", "ends", "told"),
    [
        (0.5, (0.4, 0.6), ["leave-one-out"]),
        (0.2, (0.2, 0.6), ["leave-one-out", "outside-interval"]),
        (0.8, (0.4, 0.8), ["leave-one-out", "outside-interval"]),
        (0.6 * (1 + 1e-15), (0.4, 0.6 * (1 + 1e-15)), ["leave-one-out"]),
    ],
)
def test_an_interval_is_widened_to_its_estimate_and_the_notes_stay(value, ends, told):
    noted = (NOTES["leave-one-out"]("F1"),)
    answer = Answer(value, Interval(0.4, 0.6, 0.95, Side.TWO), notes=noted)
    gives = frozenset({Gives.POINT, Gives.INTERVAL})
    mine = Method("mine", "mine", lambda case: answer, gives, "mine", "nobody 2000")
    ((found,), _) = estimate(for_metric("accuracy"), "accuracy", Plan(), [mine])
    assert (found.interval.lower, found.interval.upper) == ends
    codes = [note.code for note in found.notes]
    assert [code for code in codes if code in ("leave-one-out", "outside-interval")] == told


def of_two_scales(share):
    """One fold hardly varies. There `even`, the best over pooled rows, is far worse than a mean.

    share: what the other configurations say of the outcome.
    """
    rng = np.random.default_rng(5)
    folds = np.arange(60) // 10
    truth = rng.normal(size=60) * np.where(folds == 0, 0.1, 1.0)
    even = truth + 0.3 * rng.normal(size=60)
    values = np.column_stack([*(truth * (share - less) for less in (0, 0.1, 0.2)), even])
    names = ["steady", "small", "least", "even"]
    return matrix_of(values, truth, folds=folds, task="regression", configurations=names)


RULES = [replace(BY_TOOL, n_resamples=400), Plan(n_resamples=400, select="one-se")]


@pytest.mark.parametrize("plan", RULES, ids=["tool", "one-se"])
@pytest.mark.parametrize("share", [0.4, 0.69])
def test_compare_and_leaderboard_have_the_winner_and_the_order_of_correct(share, plan):
    matrix = of_two_scales(share)
    found, ranks = best_set(matrix, "r2", plan), leaderboard(matrix, "r2", plan, wins=False)
    winner = bbc(matrix, "r2", plan).winner
    assert found.winner == ranks.record.winner == winner
    order = [row.configuration for row in ranks.record.rows]
    assert [one.configuration for one in found.members] == order
    measured = {row.configuration: row.performances[0].pooled for row in ranks.record.rows}
    for one in found.members:
        assert one.performance == pytest.approx(measured[one.configuration], abs=1e-12)
        lead = measured[one.configuration] - measured[winner]
        assert one.difference == pytest.approx(lead, abs=1e-12)
    document = compare_document([matrix], METRICS["r2"], plan, best_set=found)
    ranking = Evidence(ranking=Ranking.of(document.metric, found))
    figure = draw("ranking", Exhibit(document, evidence=ranking))
    assert json.dumps(figure.spec).count(f"{winner} (winner)") == str(figure.spec).count("(winner)")


@pytest.mark.parametrize(("share", "inside"), [(0.69, True), (0.4, False)])
def test_one_better_than_the_winner_is_ahead_of_it(share, inside):
    matrix, metric, plan = of_two_scales(share), METRICS["r2"], RULES[0]
    found = best_set(matrix, metric, plan)
    document = compare_document([matrix], metric, plan, best_set=found)
    text = FORMS["markdown"].render([document], kind="compare")
    lead = next(one.difference for one in found.members if one.configuration == "even")
    assert found.winner == "steady" and lead > 0
    assert f"| {lead:.3f} ahead |" in text
    assert "by fold means, which select steady; R² of pooled predictions" in text
    assert ("**&gt; steady**" in text, "outside the confidence set" in text) == (inside, not inside)
    assert text.count("**&gt;") == inside


@pytest.mark.parametrize("name", ["r2", "rmse"])
def test_the_cost_of_a_search_ends_at_bbc_s_figures_and_a_plan_begins_there(name):
    matrix, metric = of_two_scales(0.4), METRICS[name]
    found = bbc(matrix, name, BY_TOOL)
    cost = cost_of_search(matrix, metric, BY_TOOL, needed=True)
    assert cost.corrected[-1] == pytest.approx(found.value, abs=1e-12)
    assert cost.naive[-1] == pytest.approx(found.naive, abs=1e-12)
    basis = of_pilot(matrix, metric, BY_TOOL)
    assert metric.direction.sign * basis.expected == pytest.approx(found.value, abs=1e-12)


def test_a_check_selects_by_fold_means_and_measures_over_pooled_rows():
    matrix, metric = of_two_scales(0.4), METRICS["r2"]
    basis = of_pilot(matrix, metric, BY_TOOL)
    study = basis.study(60, 4, np.random.default_rng(1))
    over_folds, pooled = (
        Candidates(study.matrix, metric, pooling).performances() + study.shift
        for pooling in (Pooling.FOLD_MEAN, Pooling.POOLED)
    )
    winner = int(np.argmax(over_folds))
    assert winner != np.argmax(pooled)
    naive, honest, *_ = _figures_of(study, basis, BY_TOOL, 0.01)
    assert (naive, honest) == pytest.approx((pooled[winner], study.gains[winner]), abs=1e-12)


def test_the_sentence_to_quote_names_the_scale_of_the_difference():
    matrix, metric, plan = of_two_scales(0.4), METRICS["r2"], RULES[0]
    found, _ = compare_pairs(matrix, metric, plan, [("even", "steady")], ["wald"])
    assert found[0].difference == pytest.approx(0.299, abs=1e-3)
    assert "fold-mean" not in quote(compare_document([matrix], metric, plan, found))
    found = against_baseline(matrix, metric, plan, "even")
    document = compare_document([matrix], metric, plan, (found.winner, *found.every))
    assert "BBC, fold-mean, scored on pooled predictions" in quote(document)
