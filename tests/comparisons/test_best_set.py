"""The set that may hold the best: Lei's tests loop by loop, laws, screening, the sample file."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from day import swept
from matrices import binary, changed_source, multiclass, regression, scores, survival

from bbccli import METRICS, Plan
from bbccli.comparisons import best_set
from bbccli.comparisons import possible_best as module
from bbccli.comparisons.influences import evidence_of
from bbccli.comparisons.possible_best import band, p_values
from bbccli.comparisons.simultaneous import over_draws
from bbccli.comparisons.simultaneous import scores as scores_of
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.planning.simulation import binormal, right_or_wrong
from bbccli.platform.resources import Resources, use

PLAN = Plan(n_resamples=130, level=0.9, seed=4)


def by_name(found):
    return {member.configuration: member for member in found.members}


@pytest.mark.parametrize("name", ["auc", "accuracy", "mse"])
def test_loops_agree(name):
    matrix = regression() if name == "mse" else binary()
    predictions, truth = matrix.predictions[0], matrix.outcome.values
    if name == "auc":
        gains, values = slow.placements_less_auc(predictions, truth)
        strata, df = truth, [19, 19]
    else:
        each = -((predictions - truth[:, None]) ** 2)
        if name == "accuracy":
            each = ((predictions > 0.5) == truth[:, None]).astype(float)
        gains, values = each.mean(axis=0), slow.losses_less_mean(each)
        strata, df = np.zeros(len(truth), int), [len(truth) - 1]
    draws = slow.drawn(values, strata, PLAN.seed, 130)
    n = len(gains)
    apart = [values[:, j] - values[:, m] for j in range(n) for m in range(j)]
    law = slow.Law(strata, df, apart, PLAN.seed, 130, shares=name == "accuracy")
    expected = slow.p_of_set(gains, values, draws, law)
    found = by_name(best_set(matrix, METRICS[name], PLAN))
    p = [found[one].p for one in matrix.configurations]
    np.testing.assert_allclose(p, expected, atol=1e-12)
    assert [found[one].inside for one in matrix.configurations] == (expected > 0.1).tolist()


@pytest.mark.parametrize(
    ("maker", "name"),
    [
        (binary, "auc"),
        swept(multiclass, "auc-ovr"),
        swept(survival, "concordance"),
        swept(scores, "mean-score"),
        swept(regression, "rmse"),
    ],
)
def test_the_winner_is_always_inside_and_intervals_hold_the_performances(maker, name):
    found = best_set(maker(), METRICS[name], PLAN)
    assert found.members[0].inside
    assert found.members[0].p > 0.5
    low, high = METRICS[name].bounds
    for member in found.members:
        assert low <= member.lower <= member.performance <= member.upper <= high


@pytest.mark.parametrize(
    ("matrix", "name"), [(regression(n_samples=60), "mse"), (binary(n_samples=60), "auc")]
)
def test_a_duplicated_column_changes_neither_set_nor_p(matrix, name):
    last = matrix.n_configurations - 1
    order = np.array([*range(last + 1), last, 0, last - 1])
    twice = replace(
        matrix,
        predictions=matrix.predictions[:, :, order],
        configurations=tuple(f"x{c}" for c in range(len(order))),
    )
    one, other = (by_name(best_set(two, METRICS[name], PLAN)) for two in (matrix, twice))
    for c, column in enumerate(order):
        mine = other[f"x{c}"]
        assert mine.p == one[f"c{column}"].p
        assert mine.lower == pytest.approx(one[f"c{column}"].lower, abs=1e-12)
    if name == "auc":  # a copy is no rival that is level with the best one
        assert max(member.p for member in one.values()) < 1


@pytest.mark.parametrize("name", ["auc", swept("accuracy"), swept("brier")])
@pytest.mark.parametrize("noise", [0.0, swept(0.02), 3.0])
def test_draws_are_counted_as_if_each_rival_were_looked_at(name, noise):
    few = binary()
    rng = np.random.default_rng(3)
    copies = np.repeat(few.predictions[0], 25, axis=1)[
        :, rng.permutation(25 * few.n_configurations)
    ]
    odds = np.log(copies / (1 - copies)) + noise * rng.normal(size=copies.shape)
    matrix = replace(
        few,
        predictions=1 / (1 + np.exp(-odds))[None],
        configurations=tuple(f"x{c}" for c in range(copies.shape[1])),
    )
    evidence = evidence_of(matrix, METRICS[name], PLAN)
    every = np.arange(matrix.n_configurations)
    assert len(module._alike(evidence.influence, 1)) > 4
    errors = np.sqrt(evidence.variances_between(every, every))
    errors[errors == 0] = np.nan
    law = evidence.weights(lambda values: values - values.mean(axis=1, keepdims=True))
    drawn = np.concatenate(list(over_draws(evidence, PLAN, law, lambda block: block)))
    found = p_values(evidence, every, PLAN)
    for m in every:
        ahead = np.nanmax((evidence.gains - evidence.gains[m]) / errors[m])
        most = np.nanmax((drawn - drawn[:, [m]]) / errors[m], axis=1)
        reached = (most >= scores_of(evidence, ahead)).sum()
        assert found[m] == (1 + reached) / 131


def test_draws_that_are_kept_or_made_again_and_blocks_of_columns(monkeypatch):
    matrix = binary(n_configurations=40)
    evidence, every = evidence_of(matrix, METRICS["auc"], PLAN), np.arange(40)
    expected = p_values(evidence, every, PLAN)
    assert len(np.unique(expected)) > 5
    monkeypatch.setattr(module, "BYTES", 2**20)  # six columns at a time
    made = []
    monkeypatch.setattr(module, "over_draws", lambda *args: made.append(1) or over_draws(*args))
    for n_bytes, n_made in ((48, 1), (2**20, 7)):
        monkeypatch.setattr(module, "DRAW_BYTES", n_bytes)
        made.clear()
        for jobs in (1, 3):
            with use(Resources(jobs=jobs)):
                assert p_values(evidence, every, PLAN).tolist() == expected.tolist()
        assert len(made) == 2 * n_made


@pytest.mark.parametrize("together", [1, 2, 8])
@pytest.mark.parametrize("statistic", [-3.0, swept(-1.0), 0.0, swept(2.0)])
def test_a_draw_that_equals_the_statistic_reaches_it_also_behind(statistic, together, monkeypatch):
    monkeypatch.setattr(module, "TOGETHER", together)
    rng = np.random.default_rng(8)
    ours, theirs = rng.integers(-2, 3, (64, 3)) * 1.0, rng.integers(-4, 1, (64, 12)) * 1.0
    inverse = rng.choice([0.5, 1.0, 4.0, np.nan], (3, 12))
    starts, statistics = np.array([0, 3, 4, 7, 9, 12]), np.full(3, statistic)
    most = np.fmax.reduceat(inverse, starts[:-1], axis=1)
    found = module._n_reached(ours, theirs, inverse, most, starts, statistics)
    apart = (theirs[:, None] - ours[:, :, None]) * inverse
    assert found.tolist() == (apart >= statistic).any(axis=2).sum(axis=0).tolist()
    assert found.sum() > 0


def test_all_alike():
    matrix = binary(n_configurations=3)
    alike = replace(matrix, predictions=np.repeat(matrix.predictions[:, :, :1], 3, axis=2))
    found = best_set(alike, METRICS["auc"], PLAN)
    assert [member.p for member in found.members] == [1, 1, 1]
    assert found.n_inside == 3


def test_all_perfect():
    matrix = binary(n_configurations=3)
    truth = np.repeat(matrix.outcome.values[None, :, None], 3, axis=2).astype(float)
    found = best_set(replace(matrix, predictions=truth), METRICS["accuracy"], PLAN)
    assert found.n_inside == 3
    assert np.isnan([member.lower for member in found.members]).all()


def test_what_is_undefined_is_last_and_outside():
    matrix = binary(kind="label")
    predictions = matrix.predictions.copy()
    predictions[0, :, 2] = 0
    found = best_set(replace(matrix, predictions=predictions), METRICS["precision"], PLAN)
    assert found.members[-1].configuration == "c2"
    assert found.members[-1].p is None
    assert not found.members[-1].inside
    assert [note.code for note in found.notes] == ["no-influence"]
    with pytest.raises(UndefinedError):
        best_set(
            replace(matrix, predictions=np.zeros_like(predictions)), METRICS["precision"], PLAN
        )


def test_many_are_screened_and_it_is_said(monkeypatch):
    assert module.SCREENED_ABOVE == 1000
    monkeypatch.setattr(module, "SCREENED_ABOVE", 200)
    matrix = regression(n_samples=120, n_configurations=250)
    found = best_set(matrix, METRICS["mse"], PLAN)
    assert 0 < found.n_screened < 250
    assert [note.code for note in found.notes] == ["screened-rivals", "unbounded-loss"]
    assert f"against the {found.n_screened} that" in found.notes[0].text
    evidence = evidence_of(matrix, METRICS["mse"], PLAN)
    p = p_values(evidence, np.arange(250), PLAN)
    members = by_name(found)
    inside = np.array([members[name].inside for name in matrix.configurations])
    assert inside[np.argmax(evidence.gains)]
    # rivals that are far behind lead nowhere, but their draws reach further than others
    assert not (inside & (p <= 0.1)).any()
    assert (inside != (p > 0.1)).mean() < 0.03


def test_blocks_and_jobs_do_not_matter(monkeypatch):
    matrix = binary(n_samples=60, n_configurations=30)
    expected = best_set(matrix, METRICS["auc"], PLAN)
    monkeypatch.setattr(module, "BYTES", 16_000_000 // (30 * 4))
    with use(Resources(jobs=3, memory=16_000_000)):
        found = best_set(matrix, METRICS["auc"], PLAN)
    assert found == expected


def test_groups_widen():
    matrix = regression(n_samples=60)
    alone = best_set(matrix, METRICS["mse"], PLAN)
    groups = np.arange(60) // 6
    # what is the same within groups tells less
    alike = replace(
        matrix,
        predictions=matrix.predictions[:, groups * 6],
        outcome=replace(matrix.outcome, values=matrix.outcome.values[groups * 6]),
    )
    together = best_set(replace(alike, groups=groups), METRICS["mse"], PLAN)
    apart = best_set(alike, METRICS["mse"], PLAN)
    widths = [np.mean([m.upper - m.lower for m in one.members]) for one in (together, apart)]
    assert widths[0] > 2 * widths[1]
    assert "few-groups" in [note.code for note in together.notes]
    assert [note.code for note in alone.notes] == ["unbounded-loss"]


def test_too_many_that_may_be_the_best_are_refused_before_they_are_compared(monkeypatch):
    def never(*_):
        raise AssertionError

    matrix = binary(n_configurations=6)
    monkeypatch.setattr(module, "MOST_PAIRS", 36)
    assert len(best_set(matrix, "auc", PLAN).members) == 6
    monkeypatch.setattr(module, "MOST_PAIRS", 35)
    monkeypatch.setattr(module, "p_values", never)
    with pytest.raises(
        UnsupportedError, match="6 of 6 configurations can't be ruled out as the best"
    ):
        best_set(matrix, "auc", PLAN)


def test_the_simplest_of_those_that_may_be_the_best_is_named():
    matrix = binary()
    assert best_set(matrix, METRICS["auc"], PLAN).simplest is None
    order = [3, 1, 2, 0, 5, 4, 6][: matrix.n_configurations]
    configs = [
        {"id": name, "complexity": rank}
        for name, rank in zip(matrix.configurations, order, strict=True)
    ]
    known = changed_source(matrix, metadata={"configs": configs})
    found = best_set(known, METRICS["auc"], PLAN)
    inside = {one.configuration for one in found.members if one.inside}
    expected = min(inside, key=lambda name: order[matrix.configurations.index(name)])
    assert found.simplest == expected


# Intervals of all performances at once


SCALES = {
    "accuracy": (binary, lambda m: np.log(m / (1 - m)), lambda m: 1 / (m * (1 - m))),
    "auc": (binary, lambda m: np.log(m / (1 - m)), lambda m: 1 / (m * (1 - m))),
    "gini": (binary, lambda m: np.log((m + 1) / (1 - m)), lambda m: 2 / (1 - m**2)),
    "mse": (regression, np.log, lambda m: 1 / m),
    "r2": (regression, lambda m: -np.log(1 - m), lambda m: 1 / (1 - m)),
}


@pytest.mark.parametrize("name", SCALES)
def test_ends_are_c_standard_errors_away_on_a_scale_without_bounds(name):
    maker, scale, slope = SCALES[name]
    matrix = maker()
    evidence = evidence_of(matrix, METRICS[name], PLAN)
    strata, df = (evidence.strata, evidence.df)
    draws = slow.drawn(evidence.influence, strata, PLAN.seed, 130)
    law = slow.Law(strata, df, evidence.influence.T, PLAN.seed, 130)
    reach = slow.reach_of_band(evidence.influence, draws, law, 0.9)
    values = METRICS[name].direction.sign * evidence.gains
    half = reach * evidence.errors() * slope(values)
    lower, upper = band(evidence, PLAN)
    np.testing.assert_allclose(scale(lower), scale(values) - half, rtol=1e-9)
    np.testing.assert_allclose(scale(upper), scale(values) + half, rtol=1e-9)


def test_without_bounds_it_is_symmetric():
    matrix = scores()
    free = replace(matrix, outcome=replace(matrix.outcome, bounds=None))
    evidence = evidence_of(free, METRICS["mean-score"], PLAN)
    assert np.isinf(evidence.metric.bounds).all()
    lower, upper = band(evidence, PLAN)
    np.testing.assert_allclose((lower + upper) / 2, evidence.gains)
    assert (upper > lower).all()


def test_a_performance_without_variance_has_none():
    matrix = regression()
    predictions = matrix.predictions.copy()
    predictions[0, :, 4] = matrix.outcome.values + 1
    one = replace(matrix, predictions=predictions)
    lower, upper = band(evidence_of(one, METRICS["mae"], PLAN), PLAN)
    assert np.isnan([lower[4], upper[4]]).all()
    assert np.isfinite(np.delete(lower, 4)).all()


@pytest.mark.sweep
@pytest.mark.parametrize(("make", "name"), [(binormal, "auc"), (right_or_wrong, "accuracy")])
def test_all_performances_are_held_at_once(make, name):
    n_held = 0
    for repetition in range(60):
        rng = np.random.default_rng([3, repetition])
        simulated = make(np.full(20, 0.8), 40, rng)
        plan = Plan(n_resamples=199, seed=repetition)
        lower, upper = band(evidence_of(simulated.matrix, METRICS[name], plan), plan)
        n_held += not ((lower > 0.8) | (upper < 0.8)).any()
    assert n_held >= 55  # of 60 at 0.95; fewer have a chance of 1 in 1000
