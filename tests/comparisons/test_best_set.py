"""The set that may hold the best: Lei's tests loop by loop, laws, screening, the sample file."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
import slow_comparisons as slow
from day import swept
from matrices import binary, changed_source, multiclass, regression, scores, survival
from scipy import stats

from bbccli import METRICS, Plan
from bbccli.comparisons import best_set
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.platform.resources import Resources, use

PLAN = Plan(n_resamples=130, level=0.9, seed=4)


def by_name(found):
    return {member.configuration: member for member in found.members}


def noisy(columns, noise, seed=3):
    """Some of seven configurations, each perhaps many times and more or less the same."""
    matrix, rng = binary(), np.random.default_rng(seed)
    copies = matrix.predictions[0][:, columns]
    odds = np.log(copies / (1 - copies)) + noise * rng.normal(size=copies.shape)
    names = tuple(f"x{c}" for c in range(len(columns)))
    return replace(matrix, predictions=1 / (1 + np.exp(-odds))[None], configurations=names)


copied = partial(noisy, [c * 3 % 7 for c in range(140)])
outdone = partial(noisy, [*[0] * 60, 6], 0.1 * np.r_[np.linspace(0, 2, 60), 0], seed=2)
"""Sixty that are like one another, and a winner that is ahead in most of the draws."""


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("auc", binary),
        ("accuracy", binary),
        ("mse", regression),
        ("accuracy", partial(copied, 3.0)),
        ("accuracy", outdone),
        *(swept(name, partial(copied, d)) for name in ("auc", "brier") for d in (0.0, 0.02, 3.0)),
    ],
)
def test_loops_agree(name, make):
    """And draws are counted as if each rival of many that are alike were looked at."""
    matrix = make()
    gains, values, strata, df = slow.evidence(name, matrix)
    draws = slow.drawn(values, strata, PLAN.seed, 130)
    distinct = np.unique(values.round(12), axis=1).T
    apart = [one - other for one, other in combinations(distinct, 2)]
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


def test_memory_and_jobs_do_not_matter():
    """Neither all draws nor all pairs of columns fit into so little memory at once."""
    matrix, plan = binary(n_samples=60, n_configurations=700), replace(PLAN, n_resamples=500)
    expected = best_set(matrix, METRICS["auc"], plan)
    assert len({member.p for member in expected.members}) > 5
    for jobs in (1, 3):
        with use(Resources(jobs=jobs, memory=16_000_000)):
            assert best_set(matrix, METRICS["auc"], plan) == expected


def test_many_are_screened_and_it_is_said():
    matrix = regression(n_samples=120, n_configurations=1100)
    found = best_set(matrix, METRICS["mse"], PLAN)
    assert 0 < found.n_screened < 1000
    assert [note.code for note in found.notes] == ["screened-rivals", "unbounded-loss"]
    assert f"against the {found.n_screened} that" in found.notes[0].text
    assert found.members[0].inside
    # those that are far behind lead nowhere, but their draws reach further than others
    best = by_name(best_set(matrix.of_configurations(np.arange(200, 1100)), METRICS["mse"], PLAN))
    members = by_name(found)
    apart = [name for name in best if members[name].inside != best[name].inside]
    assert len(apart) < 0.03 * len(best)
    assert all(best[name].inside for name in apart)


def test_too_many_that_may_be_the_best_are_refused():
    matrix = binary(n_samples=20, n_configurations=10_100)
    alike = np.tile(matrix.predictions[:, :, :1], 10_100)
    with pytest.raises(
        UnsupportedError, match="10100 of 10100 configurations can't be ruled out as the best"
    ):
        best_set(replace(matrix, predictions=alike), "auc", PLAN)


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


def ends_of(found, names):
    """Performances, lower and upper ends (C,) in the order of the names."""
    members = by_name(found)
    ends = [(members[n].performance, members[n].lower, members[n].upper) for n in names]
    return np.array(ends).T


@pytest.mark.parametrize("name", SCALES)
def test_ends_are_c_standard_errors_away_on_a_scale_without_bounds(name):
    maker, scale, slope = SCALES[name]
    matrix = maker()
    _, values, strata, df = slow.evidence(name, matrix)
    draws = slow.drawn(values, strata, PLAN.seed, 130)
    law = slow.Law(strata, df, values.T, PLAN.seed, 130)
    reach = slow.reach_of_band(values, draws, law, 0.9)
    errors = np.array([slow.error_of(one, strata) for one in values.T])
    found = best_set(matrix, METRICS[name], PLAN)
    middle, lower, upper = ends_of(found, matrix.configurations)
    half = reach * errors * slope(middle)
    np.testing.assert_allclose(scale(lower), scale(middle) - half, rtol=1e-9)
    np.testing.assert_allclose(scale(upper), scale(middle) + half, rtol=1e-9)


def test_without_bounds_it_is_symmetric_and_as_wide_as_the_standard_errors():
    """Of what is missing too: s / sqrt(n) of the samples that there are."""
    matrix = scores(n_samples=60)
    there = np.ones(matrix.predictions.shape, bool)
    there[0, 20:, 1] = False
    free = replace(matrix, outcome=replace(matrix.outcome, bounds=None), available=there)
    middle, lower, upper = ends_of(best_set(free, METRICS["mean-score"], PLAN), free.configurations)
    np.testing.assert_allclose((lower + upper) / 2, middle)
    values = free.predictions[0]
    errors = [stats.sem(values[there[0, :, c], c]) for c in range(len(middle))]
    widths = (upper - lower) / (upper - lower)[0]
    np.testing.assert_allclose(np.delete(widths, 1), np.delete(errors, 1) / errors[0])
    assert widths[1] == pytest.approx(errors[1] / errors[0], rel=0.03)  # up to the share of ddof


def test_a_performance_without_variance_has_none():
    matrix = regression()
    predictions = matrix.predictions.copy()
    predictions[0, :, 4] = matrix.outcome.values + 1
    found = best_set(replace(matrix, predictions=predictions), METRICS["mae"], PLAN)
    _, *ends = ends_of(found, matrix.configurations)
    assert [np.flatnonzero(np.isnan(end)).tolist() for end in ends] == [[4], [4]]
