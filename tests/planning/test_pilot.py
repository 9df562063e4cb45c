"""Plans by a pilot: contenders, two truths, rows drawn again, and what a pilot can't tell."""

from dataclasses import replace

import numpy as np
import pytest
from slow_comparisons import evidence

from bbccli import METHODS, METRICS, Plan, PredictionMatrix, matrix_of
from bbccli.domain.outcome import Outcome
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.planning import PlanRequest, Stated, Target, of_pilot, of_stated, planned_for
from bbccli.planning.simulation import binormal, noisy, right_or_wrong

PLAN = Plan(n_resamples=30)
ACCURACY = METRICS["accuracy"]


def pilot(law=right_or_wrong, n=80, count=24, beta=(14, 6), correlation=0.5, seed=0, **how):
    rng = np.random.default_rng(seed)
    true = np.clip(rng.beta(*beta, count), 0.001, 0.999)
    return law(true, n, rng, correlation=correlation, **how).matrix


def of(true, n=100, seed=0, correlation=0.5):
    drawn = right_or_wrong(true, n, np.random.default_rng(seed), correlation=correlation)
    return of_pilot(drawn.matrix, ACCURACY, PLAN)


def width(basis, n, count, plan=PLAN):
    asked = PlanRequest(samples=(n,), configurations=(count,))
    return planned_for(basis, asked, plan).chosen.width


@pytest.mark.parametrize("name", ["accuracy", "auc"])
def test_chance_is_that_of_the_rows(name):
    """Contenders, errors, correlation and noise, by sums of influence values."""
    law = binormal if name == "auc" else right_or_wrong
    matrix = pilot(law, n=90, count=30, beta=(9, 6), balance=0.3)
    found = of_pilot(matrix, METRICS[name], PLAN)
    gains, values, strata, df = evidence(name, matrix)
    sizes = (np.array(df) + 1)[strata]
    scaled = values / np.sqrt(sizes * (sizes - 1))[:, None]
    apart = scaled - scaled[:, [best := int(gains.argmax())]]
    near = gains >= gains[best] - 3 * np.sqrt((apart**2).sum(axis=0)) - 1e-12
    assert found.may_be_best.tolist() == near.tolist()
    assert 1 < found.contenders == near.sum() < 30
    squares = scaled[:, near] ** 2
    assert found.error(180) == pytest.approx(np.sqrt(squares.sum(axis=0).mean() / 2))
    doubts = squares.std(axis=0, ddof=1) / squares.mean(axis=0) / np.sqrt(90)
    assert found.doubt == pytest.approx(doubts.mean())
    others = np.flatnonzero(near & (np.arange(30) != best))
    assert found.correlation == pytest.approx(np.corrcoef(scaled.T)[best, others].mean())
    top = scaled[:, np.argsort(-gains, kind="stable")[:8]]
    square = ((top - top.mean(axis=1, keepdims=True)) ** 2).sum() / 7
    assert found.chance_and_truth(180, 4)[0] == pytest.approx(np.sqrt(square / 2))
    assert found.prevalence == (pytest.approx(0.7) if name == "auc" else None)
    columns, noise = found._noise(30)
    by_column = np.take_along_axis(noise, np.argsort(columns, axis=1), axis=1)
    seen, expected = np.cov(by_column.T), scaled.T @ scaled
    assert (seen.trace(), seen.sum()) == pytest.approx((expected.trace(), expected.sum()), rel=0.2)


@pytest.mark.parametrize(("other", "correlation"), [(0, 1.0), (1, 0.0)])
def test_errors_on_the_same_rows_or_on_the_others(other, correlation):
    right = np.arange(100) % 2
    two = matrix_of(np.column_stack([right, right ^ other]), 1 * (np.arange(100) > 8))
    found = of_pilot(two, ACCURACY, PLAN)
    assert (found.contenders, found.correlation) == (2, pytest.approx(correlation))
    assert found.correlation <= 1  # to the last bit


def test_the_bracket_is_that_of_two_truths():
    """A slow loop over the simulated studies."""
    basis = of(np.linspace(0.6, 0.8, 20))
    found = basis.outlook(300, 20, 0.01)
    gains = basis.evidence.gains
    columns, noise = basis._noise(20)
    means = {}
    for towards in (1.0, -0.5):
        true = [
            g + towards * (gains.max() - g) if may else g
            for g, may in zip(gains, basis.may_be_best, strict=True)
        ]
        off = []
        for order, one in zip(columns, noise * np.sqrt(100 / 300), strict=True):
            seen = [true[c] + e for c, e in zip(order, one, strict=True)]
            off.append(one[int(np.argmax(seen))] - one.mean())
        means[towards] = np.mean(off)
    assert found.upper == pytest.approx(1.1 * means[1.0])
    assert found.lower == pytest.approx(means[-0.5])
    assert found.middle == pytest.approx((found.lower + found.upper) / 2)


# optimism seen of the best of 100 configurations in 400 rows (see docs/plan.md)
SEEN = {
    "equal": (np.full(100, 0.75), 0.0448),
    "plateau": (np.repeat([0.75, 0.55], [40, 60]), 0.0398),
}


@pytest.mark.parametrize("law", SEEN)
def test_hopeless_configurations_do_not_hide_a_plateau(law):
    """What matters is how those near the top differ, and not the spread of all."""
    true, seen = SEEN[law]
    found = [of(true, seed=seed).outlook(400, 100, 0.01) for seed in range(3)]
    assert all(one.lower < seen < 1.1 * one.upper for one in found)
    assert all(one.upper < 1.25 * seen for one in found)


def test_one_far_ahead_has_no_optimism():
    true = np.append(np.full(30, 0.5), 0.9)
    found = of(true, n=300).outlook(300, 31, 0.01)
    assert found.upper < 0.003
    assert found.near == (1, 1)


def test_groups_are_units():
    """Two copies of each row, in a group of their own, tell what one of them does."""
    single = pilot(n=60, count=10)
    outcome = Outcome(single.task, np.repeat(single.outcome.values, 2), single.outcome.classes)
    double = PredictionMatrix(
        outcome,
        np.repeat(single.predictions, 2, axis=1),
        single.configurations,
        single.kind,
        groups=np.repeat(np.arange(60), 2),
    )
    once, twice = (of_pilot(one, ACCURACY, PLAN) for one in (single, double))
    assert twice.contenders == once.contenders
    assert twice.error(120) == pytest.approx(once.error(60))
    assert twice.outlook(240, 10, 0.01).upper == pytest.approx(once.outlook(120, 10, 0.01).upper)
    study = twice.study(200, 10, np.random.default_rng(0)).matrix
    assert study.n_samples == 200
    assert study.n_groups == 100


def test_the_winner_is_expected_to_be_worth_what_bbc_says():
    matrix = pilot()
    basis = of_pilot(matrix, ACCURACY, PLAN)
    estimate = METHODS["bbc"].run(matrix, ACCURACY, PLAN)
    assert basis.expected == pytest.approx(estimate.value)
    assert basis.outlook(80, 24, 0.01).honest == pytest.approx(estimate.value)
    assert basis.expected < estimate.naive
    # more rows find a better one, more configurations hold one
    assert basis.outlook(800, 24, 0.01).honest > estimate.value
    assert basis.outlook(80, 240, 0.01).middle > basis.outlook(80, 24, 0.01).middle


def test_errors_are_planned_in_their_own_direction():
    matrix = pilot(noisy, n=120, count=30, correlation=0.5)
    found = planned_for(of_pilot(matrix, METRICS["mse"], PLAN), PlanRequest(), PLAN)
    assert found.chosen.optimism > 0
    assert found.chosen.naive == pytest.approx(found.chosen.honest - found.chosen.optimism)
    assert found.within == pytest.approx(0.01 * found.expected)


def test_near_perfect_configurations_are_noted_and_limited():
    matrix = pilot(n=100, count=100, beta=(297, 3), seed=2)
    found = planned_for(of_pilot(matrix, ACCURACY, PLAN), PlanRequest(), PLAN)
    assert "near-perfect" in {note.code for note in found.notes}
    assert found.chosen.optimism_lower == 0
    assert found.chosen.honest + found.chosen.optimism_upper == pytest.approx(1)
    outlook = of_pilot(pilot(n=60, count=30, beta=(200, 4), seed=1), ACCURACY, PLAN).outlook(
        60, 30, 0.01
    )
    assert (outlook.lower, outlook.upper) == (0, pytest.approx(1 - outlook.honest))
    assert outlook.upper > 0.05


def test_noise_and_spread_are_those_of_a_two_way_table():
    """The residual mean square over the rows, by the sums of a textbook."""
    matrix = pilot(n=40, count=7)
    right = (matrix.predictions[0] == matrix.outcome.values[:, None]).astype(float)
    best = np.argsort(-right.mean(axis=0), kind="stable")[:2]
    found = planned_for(of_pilot(matrix, ACCURACY, PLAN), PlanRequest(samples=(160,)), PLAN)
    for columns, noise, spread in (
        (np.arange(7), found.noise, found.spread),
        (best, found.noise_of_best, found.spread_of_best),
    ):
        some = right[:, columns]
        fitted = some.mean(axis=1)[:, None] + some.mean(axis=0) - some.mean()
        square = ((some - fitted) ** 2).sum() / (39 * (len(columns) - 1))
        assert noise == pytest.approx(np.sqrt(square / 160))
        variance = some.mean(axis=0).var(ddof=1) - square / 40
        assert spread == pytest.approx(np.sqrt(max(variance, 0)))


def test_what_a_pilot_cannot_tell_is_unknown():
    """Of equal configurations each is the best, or one of them is, as far as the pilot tells."""
    found = planned_for(of(np.full(100, 0.75)), PlanRequest(), PLAN).chosen
    assert np.isnan(found.near_best)
    assert found.near_best_lower < 0.75 < found.near_best_upper == 1


def test_what_can_t_be_planned():
    with pytest.raises(UndefinedError, match="accuracy varies for only 1 configuration of the"):
        of_pilot(pilot(count=1), ACCURACY, PLAN)
    rare = matrix_of(np.arange(40.0)[:, None] % 2, np.arange(40) == 3)  # undefined without it
    with pytest.raises(UndefinedError, match="recall varies for no configuration of the pilot"):
        of_pilot(rare, METRICS["recall"], PLAN)
    values = pilot(noisy, count=5)
    jumping = next(one for one in METRICS.values() if not one.smooth and values.task in one.tasks)
    with pytest.raises(UnsupportedError, match="jumps"):
        of_pilot(values, jumping, PLAN)
    with pytest.raises(OptionError, match="assurance is 80, not between 0 and 1"):
        PlanRequest(Target.WIDTH, 0.1, assurance=80)
    with pytest.raises(OptionError, match="assurance goes with width or difference"):
        PlanRequest(Target.OPTIMISM, 0.1, assurance=0.8)


@pytest.mark.parametrize("law", [right_or_wrong, binormal, noisy])
def test_widths_are_those_that_bbc_prints(law):
    """In the rows of the pilot, about that of the pilot itself."""
    name = {binormal: "auc", noisy: "mse"}.get(law, "accuracy")
    plan, told, own = Plan(n_resamples=200), [], []
    for seed in range(2):
        matrix = pilot(law, n=100, count=12, seed=seed)
        basis = of_pilot(matrix, METRICS[name], PLAN)
        told.append(width(basis, 100, 12, plan))
        interval = METHODS["bbc"].run(matrix, METRICS[name], plan).interval
        own.append(interval.upper - interval.lower)
    assert np.mean(told) == pytest.approx(np.mean(own), rel=0.15)
    # of large studies it falls with the root of the rows
    large = [width(basis, n, 12, plan) for n in (10**5, 4 * 10**5)]
    assert large[0] == pytest.approx(2 * large[1], rel=0.01)


def test_widths_of_rows_drawn_again_are_raised_by_a_tenth():
    basis, plan = of_pilot(pilot(n=60, count=8), ACCURACY, PLAN), replace(PLAN, n_resamples=100)
    found = []
    for k in range(20):
        study = basis.study(90, 8, np.random.default_rng((plan.seed, k)))
        interval = METHODS["bbc"].run(study.matrix, ACCURACY, plan).interval
        found.append(1.1 * (interval.upper - interval.lower))
    assert width(basis, 90, 8, plan) == pytest.approx(np.mean(found))


def test_rows_for_a_width_reach_it_and_more_are_assured():
    basis = of_pilot(pilot(n=100, count=8), ACCURACY, PLAN)
    mean, sure = (
        planned_for(basis, PlanRequest(Target.WIDTH, 0.15, assurance=one), PLAN).wanted
        for one in (None, 0.8)
    )
    assert width(basis, mean.n_samples, 8) <= 0.15 < width(basis, mean.n_samples // 2, 8)
    assert mean.n_samples < sure.n_samples < 2 * mean.n_samples
    assert mean.n_samples_lower < mean.n_samples < mean.n_samples_upper
    for value in (0.13, 0.23):
        rows = planned_for(basis, PlanRequest(Target.WIDTH, value), PLAN).wanted.n_samples
        assert width(basis, rows, 8) <= value
    for value, rows in [(width(basis, n, 8), n) for n in (100, 10**6)] + [(1e-4, None)]:
        asked = PlanRequest(Target.WIDTH, value)
        assert planned_for(basis, asked, PLAN).wanted.n_samples == rows


def test_the_guard_and_the_interval_are_planned():
    """Near-perfect winners: without the guard intervals would be far narrower."""
    basis = of_pilot(pilot(n=60, beta=(60, 1), seed=4), ACCURACY, PLAN)
    guarded, bare = (width(basis, 60, 24, replace(PLAN, guard=g)) for g in (True, False))
    assert guarded > 1.1 * bare
    assert width(basis, 60, 24, replace(PLAN, interval="sharp")) != guarded


@pytest.mark.sweep
@pytest.mark.parametrize("law", [binormal, right_or_wrong, noisy])
def test_the_check_agrees_with_the_plan(law, monkeypatch):
    monkeypatch.setattr("bbccli.planning.studies.N_CHECKED", 80)
    name = {binormal: "auc", noisy: "mse"}.get(law, "accuracy")
    basis = of_pilot(pilot(law, n=100, count=60, beta=(9, 6)), METRICS[name], PLAN)
    asked = PlanRequest(samples=(200,), configurations=(40,), within=0.01, checked=True)
    found = planned_for(basis, asked, PLAN)
    seen, told = found.check, found.chosen
    assert seen.n_repeats == 80
    assert told.optimism_lower - 3 * seen.optimism_error <= seen.optimism
    assert seen.optimism <= told.optimism_upper + 3 * seen.optimism_error
    assert seen.width == pytest.approx(told.width, rel=0.15)
    assert seen.honest == pytest.approx(told.honest, rel=0.2)


@pytest.mark.parametrize(("constant", "rows"), [(3.0, 900), (1.0, 100)])
def test_the_answer_follows_the_check(constant, rows, monkeypatch):
    """Where studies are sure to need more rows, or fewer, these are planned."""
    monkeypatch.setattr("bbccli.planning.studies.N_CHECKED", 12)
    monkeypatch.setattr("bbccli.planning.planner.Widths.rows_for", lambda *_: 300)
    monkeypatch.setattr(
        "bbccli.planning.studies.simulated_width",
        lambda study, *_: constant / np.sqrt(study.matrix.n_samples) - 1e-9,
    )
    basis = of_pilot(pilot(n=100), ACCURACY, PLAN)
    plain, checked = (
        planned_for(basis, PlanRequest(Target.WIDTH, 0.1, checked=check), PLAN)
        for check in (False, True)
    )
    assert plain.wanted.n_samples == 300
    assert checked.wanted.n_samples == checked.chosen.n_samples == rows
    assert checked.wanted.n_samples_lower < rows < checked.wanted.n_samples_upper
    assert checked.check.width == checked.wanted.attainable == pytest.approx(0.1)
    assert checked.check.width_met == 1


@pytest.mark.parametrize(("constant", "rows"), [(3.0, 900), (1.0, 300)])
def test_a_check_raises_the_rows_for_an_optimism_alone(constant, rows, monkeypatch):
    """They are planned by its upper figure."""
    monkeypatch.setattr("bbccli.planning.planner._Planner._first_rows", lambda *_: 300)
    monkeypatch.setattr("bbccli.planning.studies.simulated_width", lambda *_: 0.1)
    monkeypatch.setattr(
        "bbccli.planning.studies._figures_of",
        lambda study, *_: (0.8, 0.7, constant / np.sqrt(study.matrix.n_samples) - 1e-9, 1.0),
    )
    asked = PlanRequest(Target.OPTIMISM, 0.1, checked=True)
    found = planned_for(of_stated(ACCURACY, Stated(0.8, 8)), asked, PLAN)
    assert found.wanted.n_samples == found.chosen.n_samples == rows


@pytest.mark.parametrize(("name", "n_widths"), [("accuracy", 15), ("error", 1)])
def test_a_check_is_the_mean_of_its_studies(name, n_widths, monkeypatch):
    """Of configurations that tie for the best, the mean; larger studies are fewer."""
    metric, count, studies, steps = METRICS[name], 20, [], []
    basis = of_pilot(pilot(), metric, PLAN)
    draw, widths = basis.study, np.full(count, np.nan)
    widths[:n_widths] = np.arange(n_widths) / 100
    of_each = iter(widths)
    for place, value in (
        ("pilot.PilotBasis.study", lambda _, *how: studies.append(draw(*how)) or studies[-1]),
        ("studies.simulated_width", lambda *_: next(of_each, 0.1)),
        ("studies.MOST_DRAWN", count * 80 * 12),
        ("studies.N_INTERVALS", 15),
    ):
        monkeypatch.setattr(f"bbccli.planning.{place}", value)
    asked = PlanRequest(samples=(80,), configurations=(12,), within=0.02, checked=True)
    found = planned_for(basis, asked, PLAN, lambda *step: steps.append(step)).check
    each = []
    for study in studies[:count]:
        right = study.matrix.predictions[0] == study.matrix.outcome.values[:, None]
        gains = right.mean(axis=0) - (name == "error") + study.shift
        best = gains >= gains.max() - 1e-12
        off, near = gains - study.gains, study.gains >= study.gains.max() - 0.02
        honest, naive = abs(study.gains[best].mean()), abs(gains[best].mean())
        each.append([naive, honest, off[best].mean() - off.mean(), near[best].mean()])
    told = (found.naive, found.honest, found.optimism, found.near_best, found.width)
    assert told == pytest.approx([*np.mean(each, axis=0), np.nanmean(widths)])
    errors = np.std(each, axis=0, ddof=1)[2:] / np.sqrt(count)
    assert (found.optimism_error, found.near_best_error) == pytest.approx(errors)
    of_width = np.std(widths[:n_widths], ddof=n_widths > 1) / np.sqrt(n_widths)
    assert found.width_error == pytest.approx(of_width)
    assert steps == [(k, count) for k in range(1, count + 1)]
    assert planned_for(basis, replace(asked, samples=(160,)), PLAN).check.n_repeats == 10
    with pytest.raises(UnsupportedError, match="would simulate studies of 1,932 predictions each"):
        planned_for(basis, replace(asked, samples=(161,)), PLAN)


def test_a_check_of_an_assurance_is_of_that_share(monkeypatch):
    monkeypatch.setattr("bbccli.planning.studies.N_CHECKED", 40)
    basis = of_pilot(pilot(n=100, count=8), ACCURACY, PLAN)
    asked = PlanRequest(Target.WIDTH, 0.12, assurance=0.8, checked=True)
    found = planned_for(basis, asked, PLAN)
    assert found.check.width < found.check.width_assured == found.wanted.attainable
    assert found.check.width_met > 0.65
    assert abs(found.check.width_assured - 0.12) <= 2 * found.check.width_error


def test_what_is_attained_is_of_the_chosen_rows():
    basis = of_pilot(pilot(), ACCURACY, PLAN)
    asked = PlanRequest(Target.OPTIMISM, 0.02, configurations=(24,), details=True)
    found = planned_for(basis, asked, PLAN)
    assert found.wanted.attainable == found.chosen.optimism_upper <= 0.02 < found.chosen.width
    assert found.wanted.n_samples == found.chosen.n_samples > found.halved.n_samples
    assert found.wanted.n_samples_lower <= found.wanted.n_samples


@pytest.mark.parametrize(
    ("target", "figure"),
    [("optimism", "optimism_upper"), ("difference", "difference"), ("width", "width")],
)
def test_the_rows_for_a_figure_are_those_that_have_it(target, figure):
    target = Target(target)
    basis = of_stated(METRICS["auc"], Stated(0.8, 1 if target is Target.WIDTH else 20))
    assert basis.seed == PLAN.seed
    cells = [planned_for(basis, PlanRequest(target, 0.05, (n,)), PLAN).cells[0] for n in (150, 12)]
    for cell in cells:
        found = planned_for(basis, PlanRequest(target, getattr(cell, figure)), PLAN)
        assert found.wanted.n_samples == cell.n_samples


@pytest.mark.parametrize("seed", range(2))
def test_twice_as_many_of_the_same_kind_look_a_little_better(seed):
    """A plan for 40 by the first 20 of them is near the plan by all 40."""
    true = np.full(40, 0.75)
    matrix = right_or_wrong(true, 200, np.random.default_rng(seed), correlation=0.8).matrix
    half = of_pilot(matrix.of_configurations(np.arange(20)), ACCURACY, PLAN)
    whole = of_pilot(matrix, ACCURACY, PLAN)
    found, expected = (one.outlook(200, 40, 0.01).upper for one in (half, whole))
    assert found == pytest.approx(expected, rel=0.2)


def test_a_perfect_pilot_is_not_sure():
    """None of twenty rows is missed: a failure has a chance of up to 3.4% by the median."""
    matrix = right_or_wrong(np.full(5, 0.999), 20, np.random.default_rng(0)).matrix
    found = of_pilot(matrix, ACCURACY, PLAN)
    assert found.evidence.gains.min() == 1
    outlook = found.outlook(40, 5, 0.01)
    assert found.near_perfect
    assert outlook.honest == pytest.approx(0.5 ** (1 / 20))
    assert outlook.upper == pytest.approx(1 - outlook.honest)
