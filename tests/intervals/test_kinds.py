"""From a distribution to the interval that a plan asks for: laws of all kinds, and each kind."""

from dataclasses import replace
from inspect import getmodule
from itertools import pairwise

import numpy as np
import pytest
from day import swept
from matrices import binary, regression
from scipy import stats
from scipy.integrate import quad
from scipy.special import erfc

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.errors import UnsupportedError
from bbccli.stats.intervals import INTERVALS, Basis, Guarded, interval_of
from bbccli.stats.resampling import Draws, Unit, every_resample
from bbccli.types import Direction, IntervalKind, Models, Pooling, Side

AUC, MSE, RMSE, R2 = (METRICS[name] for name in ("auc", "mse", "rmse", "r2"))
LOSS = replace(AUC, name="loss", direction=Direction.MINIMIZE, bounds=(0.0, np.inf))
RNG = np.random.default_rng


def of(values, **fields):
    return Distribution(np.asarray(values, float), np.zeros(len(values), int), **fields)


def drawn(size=800, a=20, b=4, seed=0, **fields):
    return of(RNG(seed).beta(a, b, size), **fields)


def found(distribution, basis, metric=AUC, **plan):
    """Ends, their Monte-Carlo errors, and the notes, unguarded unless asked for."""
    interval, error, notes = interval_of(
        distribution, metric, Plan(**{"guard": False} | plan), basis
    )
    return (interval.lower, interval.upper), error, [note.code for note in notes]


def shrunken(distribution, value, n):
    """The matched law: deviations from the mean times 1 / sqrt(N E[1/m] - 1), about the value."""
    factor = 1 / np.sqrt(np.average(n / distribution.sizes, weights=distribution.probabilities) - 1)
    values = value + factor * (distribution.values - distribution.mean())
    return replace(distribution, values=values)


# All kinds


def test_each_kind_has_a_construction_of_its_own_that_its_module_tells_of():
    """`bbc explain` and docs/methods.md are made of that module's docstring."""
    assert list(INTERVALS) == list(IntervalKind)
    laws = {kind: construction.law for kind, construction in INTERVALS.items()}
    assert len(set(laws.values())) == len(laws)
    for kind, law in laws.items():
        assert getmodule(law).__name__ == f"bbccli.stats.intervals.{kind}"


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("guard", [True, swept(False)])
def test_laws_of_every_kind(kind, guard):
    distribution = drawn(sizes=np.full(800, 22))
    mean = distribution.mean()

    def ends(**plan):
        return found(distribution, Basis(mean, 60, 60), interval=kind, guard=guard, **plan)[0]

    narrow, two, wide = (ends(level=level) for level in (0.8, 0.9, 0.95))
    assert 0 <= wide[0] < narrow[0] < mean < narrow[1] < wide[1] <= 1
    below, above = (ends(side=side, level=0.95) for side in (Side.LOWER, Side.UPPER))
    assert (below, above) == ((pytest.approx(two[0]), 1), (0, pytest.approx(two[1])))


@pytest.mark.parametrize("kind", INTERVALS)
def test_the_guard_counts_units_and_not_what_is_drawn(kind):
    """Of 500 samples drawn, ten tell of the recall."""
    basis, plan = Basis(1.0, 10, 500), {"interval": kind, "side": Side.LOWER, "guard": True}
    ((lower, _), *_) = found(of(np.ones(1000)), basis, METRICS["recall"], **plan)
    assert lower == pytest.approx(stats.beta(10.5, 0.5).ppf(0.05), abs=2e-3)
    assert lower == pytest.approx(0.829, abs=2e-3)


def test_the_guard_is_that_of_both_bounds():
    ends = [Guarded(drawn(), 12, b).quantile(p) for b, p in ((0.0, 0.025), (1.0, 0.975))]
    assert found(drawn(), Basis(0.9, 12, 400), guard=True)[0] == pytest.approx(ends, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "metric", "guard", "expected"),
    [
        (np.ones(1000), R2, True, ["guard-without-bound"]),
        (np.ones(1000), R2, False, []),
        (np.ones(1000), AUC, True, []),  # the bound keeps it open
        (RNG(0).gamma(9.0, size=1000), RMSE, True, []),
    ],
)
def test_a_guard_that_misses_a_bound_is_said(values, metric, guard, expected):
    assert found(of(values), Basis(values.mean(), 80, 80), metric, guard=guard)[2] == expected


# Percentiles


@pytest.mark.parametrize(
    ("metric", "plan", "ends", "side"),
    [
        (AUC, {}, (0.025, 0.975), Side.TWO),
        (AUC, {"level": 0.9}, (0.05, 0.95), Side.TWO),
        (AUC, {"side": Side.LOWER}, (0.05, 1.0), Side.LOWER),
        (AUC, {"side": Side.UPPER}, (0.0, 0.95), Side.UPPER),
        (LOSS, {"side": Side.LOWER}, (0.05, np.inf), Side.LOWER),
        (AUC, {"side": Side.PESSIMISTIC}, (0.05, 1.0), Side.LOWER),
        (LOSS, {"side": Side.PESSIMISTIC}, (0.0, 0.95), Side.UPPER),
    ],
)
def test_ends_are_order_statistics_or_the_bound_of_the_metric(metric, plan, ends, side):
    thousand = of(RNG(0).permutation(np.arange(1, 1001)) / 1000)
    plan = Plan(guard=False, **plan)
    interval = interval_of(thousand, metric, plan, Basis(0.5, 500, 500))[0]
    assert (interval.lower, interval.upper, interval.side) == (*ends, side)


@pytest.mark.parametrize("n_resamples", [1, 7, 100, 999, 1000])
def test_quantiles_are_those_of_the_inverted_distribution_function(n_resamples):
    distribution = of(RNG(n_resamples).normal(size=n_resamples))
    for p in (0.0, 0.025, 0.05, 0.1, 0.5, 0.95, 1.0):
        expected = np.quantile(distribution.values, p, method="inverted_cdf")
        assert distribution.quantile(p) == expected


def test_an_exact_quantile_is_the_first_value_that_reaches_the_probability():
    exact = of([3.0, 1.0, 2.0], probabilities=np.array([0.5, 0.2, 0.3]))
    for p, value in ((0.0, 1), (0.2, 1), (0.2000001, 2), (0.5, 2), (0.500001, 3), (1.0, 3)):
        assert (exact.quantile(p), exact.quantile_error(p)) == (value, 0.0)


def test_the_error_of_the_mean_is_s_over_the_root_of_b():
    assert of([1.0, 2.0, 4.0]).mean_error() == pytest.approx(np.sqrt((7 / 3) / 3), abs=1e-15)
    assert np.isnan(of([1.0]).mean_error())
    assert of([1.0, 2.0], probabilities=np.array([0.5, 0.5])).mean_error() == 0.0


def test_the_error_of_a_quantile_is_half_the_way_between_its_neighbours_and_that_of_new_draws():
    """100 values at one half: one standard deviation is 5 ranks, from the 45th to the 55th."""
    assert of(np.arange(1, 101) ** 2.0).quantile_error(0.5) == (55**2 - 45**2) / 2
    rng = RNG(0)
    again = [of(rng.normal(size=400)) for _ in range(500)]
    spread = np.std([one.quantile(0.1) for one in again], ddof=1)
    assert np.mean([one.quantile_error(0.1) for one in again]) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(
    ("side", "level", "least"),
    [
        (Side.TWO, 0.95, 40),
        swept(Side.TWO, 0.99, 200),
        swept(Side.TWO, 0.9, 20),
        swept(Side.LOWER, 0.95, 20),
        swept(Side.UPPER, 0.99, 100),
        swept(Side.PESSIMISTIC, 0.9, 10),
    ],
)
def test_few_resamples_to_the_last_one(side, level, least):
    """With `least` resamples L(1) is the order statistic meant, with one less it is not."""
    basis = Basis(0.9, 100, 100)
    for size, codes in ((least, []), (least - 1, ["few-resamples"])):
        assert found(drawn(size), basis, side=side, level=level)[2] == codes
    for size, codes in ((2, []), (1, ["few-resamples"])):  # of a spread
        _, error, said = found(drawn(size), basis, side=side, level=level, interval="t")
        assert said == codes
        of_ends = [one for one in (error.lower, error.upper) if one is not None]
        assert np.isnan(of_ends).all() == (size == 1)


def test_ten_resamples_at_99_percent():
    plan = Plan(n_resamples=10, level=0.99, guard=False)
    interval, _, (note,) = interval_of(drawn(10), AUC, plan, Basis(0.9, 100, 100))
    assert (interval.lower, interval.upper) == (drawn(10).values.min(), drawn(10).values.max())
    assert "10 resamples" in note.text and "--n-resamples 200" in note.remedy
    notes = interval_of(drawn(10), AUC, replace(plan, level=0.9999999), Basis(0.9, 100, 100))[2]
    assert "for a bound at level 0.9999999: the most extreme" in notes[0].text
    # enumerated draws are all there are
    exact = drawn(10, probabilities=np.full(10, 0.1))
    assert found(exact, Basis(0.9, 9, 9), level=0.99)[2] == []


# Matched, calibrated and sharp


def drawn_from(losses, n_resamples=4096):
    """Out-of-bag means of losses (N,), with the sizes that they rest on."""
    draws = Draws(len(losses), 0, (Unit.SAMPLES,)).batch(0, n_resamples // 64)
    out = draws.in_bag == 0
    return of((out @ losses) / out.sum(axis=1), sizes=draws.sizes)


def test_the_matched_variance_is_that_of_a_mean():
    """s2 (E[1 / m] - 1 / N) of the resamples becomes s2 / N."""
    losses = RNG(3).exponential(size=200)
    distribution = drawn_from(losses, 64 * 400)
    law = shrunken(distribution, losses.mean(), 200)
    assert law.values.std() == pytest.approx(losses.std() / np.sqrt(200), rel=0.02)
    for level in (0.5, 0.95):
        ends = [law.quantile((1 + sign * level) / 2) for sign in (-1, 1)]
        basis = Basis(losses.mean(), 200, 200)
        assert found(distribution, basis, MSE, interval="matched", level=level)[0] == pytest.approx(
            ends
        )


def test_matched_by_hand():
    """Of two folds one is out whenever a draw can be used: as it is; of all units too, moved."""
    in_bag, chances = every_resample(2)
    exact = of([0.8, 0.9], probabilities=chances, sizes=(in_bag == 0).sum(axis=1))
    whole = of([0.8, 0.9])
    for distribution, value in ((exact, exact.mean()), (whole, 0.5)):
        ends = distribution.values - distribution.mean() + value
        basis = Basis(value, 2, 2)
        assert found(distribution, basis, interval="matched")[0] == pytest.approx(tuple(ends))
    near = drawn_from(RNG(0).random(30) < 0.95)
    assert found(near, Basis(0.99, 30, 30), interval="matched")[0][1] == 1  # the bound


FACTORS = {("calibrated", False): 1.25, ("sharp", False): 1.12, ("matched", False): 1.0}
FACTORS |= {("calibrated", True): 1.25 / 1.12, ("sharp", True): 1.0}


@pytest.mark.parametrize(("kind", "fixed"), FACTORS)
def test_the_spread_is_a_multiple_of_the_matched(kind, fixed):
    distribution = drawn(a=20, b=20, sizes=np.full(800, 22))
    law = shrunken(distribution, 0.6, 60)
    ends = [0.6 + FACTORS[kind, fixed] * (law.quantile(p) - 0.6) for p in (0.025, 0.975)]
    basis = Basis(0.6, 60, 60, fixed=fixed)
    assert found(distribution, basis, interval=kind)[0] == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("kind", ["calibrated", swept("sharp")])
@pytest.mark.parametrize("method", ["bbc", swept("bbc-632")])
def test_methods_centre_it_at_their_estimate(kind, method):
    matrix, plan = binary(n_samples=60), Plan(n_resamples=200, interval=kind, guard=False)
    trained = METHODS[method].run(matrix, AUC, plan)
    fixed = METHODS[method].run(matrix, AUC, replace(plan, models=Models.FIXED))
    matched = METHODS["bbc"].run(matrix, AUC, replace(plan, interval=IntervalKind.MATCHED))
    reach = matched.value - matched.interval.lower
    for one, is_fixed in ((trained, False), (fixed, True)):
        expected = FACTORS[kind, is_fixed] * reach
        assert one.value - one.interval.lower == pytest.approx(expected, rel=1e-9)
    assert "not-calibrated" not in [note.code for note in trained.notes]


@pytest.mark.parametrize("method", ["bbc-f", "naive", "bbc-632plus"])
def test_other_methods_say_that_they_were_not_measured(method):
    for kind, said in (("sharp", True), ("matched", False), ("percentile", False)):
        one = METHODS[method].run(binary(n_samples=60), AUC, Plan(n_resamples=50, interval=kind))
        assert ("not-calibrated" in [note.code for note in one.notes]) == said


@pytest.mark.parametrize("kind", ["calibrated", "sharp"])
def test_means_over_folds_are_refused(kind):
    plan = Plan(n_resamples=50, interval=kind, pooling=Pooling.FOLD_MEAN)
    with pytest.raises(UnsupportedError, match=f"{kind} intervals don't go with means over folds"):
        METHODS["bbc"].run(binary(), AUC, plan)


@pytest.mark.parametrize(("metric", "power"), [(MSE, 1), (RMSE, 0.5)], ids=["mse", "rmse"])
@pytest.mark.parametrize("n_repeats", [1, 2])
def test_losses_are_guarded_with_the_worst_sample(n_repeats, metric, power):
    """By sharp intervals alone."""
    matrix = regression(n_repeats=n_repeats)
    plan = Plan(n_resamples=200, interval=IntervalKind.SHARP, size_correction=False)
    one = METHODS["bbc-eb"].run(matrix, metric, plan)
    predicted = matrix.predictions[:, :, matrix.configurations.index(one.winner)]
    worst = ((matrix.outcome.values - predicted) ** 2) ** power
    law = shrunken(one.distribution, one.value, 41)
    law = replace(law, values=np.maximum(one.value + 1.12 * (law.values - one.value), 0))
    worst = worst.mean(axis=0).max()
    assert worst > law.values.max()
    assert one.interval.upper == pytest.approx(Guarded(law, 41, worst).quantile(0.975), rel=1e-12)
    bare = METHODS["bbc-eb"].run(matrix, metric, replace(plan, guard=False))
    assert bare.interval.upper < one.interval.upper
    assert bare.interval.upper == pytest.approx(law.quantile(0.975), rel=1e-12)
    for kind in ("percentile", "matched", "t"):
        other = replace(plan, interval=IntervalKind(kind))
        on, off = (
            METHODS["bbc"].run(matrix, metric, replace(other, guard=g)) for g in (True, False)
        )
        assert on.interval.upper == off.interval.upper


def test_a_resample_beyond_the_worst_sample_is_the_limit():
    distribution = of(np.linspace(1, 2, 100))
    basis, plan = Basis(1.5, 40, 40, worst=1.7), {"interval": IntervalKind.SHARP, "guard": True}
    law = of(1.5 + 1.12 * (distribution.values - 1.5))
    top = 1.5 + 1.12 * 0.5
    upper = found(distribution, basis, MSE, **plan)[0][1]
    assert upper == pytest.approx(Guarded(law, 40, top).quantile(0.975), rel=1e-12)
    assert law.quantile(0.975) < upper < top
    endless = replace(MSE, bounds=(-np.inf, np.inf))
    ends, error, _ = found(distribution, basis, endless, **plan)
    assert ends == (law.quantile(0.025), upper)
    assert error.lower == law.quantile_error(0.025)


# t


def resamples(size=1000, seed=0):
    return RNG(seed).beta(15, 5, size)


@pytest.mark.parametrize("level", [0.9, swept(0.95)])
@pytest.mark.parametrize("n_drawn", [5, swept(100)])
def test_raschka_equation_31(level, n_drawn):
    values = resamples()
    spread = np.sqrt(np.sum((values - values.mean()) ** 2) / (len(values) - 1))
    expected = np.clip(stats.t(n_drawn - 1, values.mean(), spread).interval(level), 0, 1)
    ends = found(of(values), Basis(values.mean(), 7, n_drawn), interval="t", level=level)[0]
    assert ends == pytest.approx(expected, abs=1e-12)
    ends = found(of(values), Basis(0.6, 7, 50, drawn=False), interval="t", level=level)[0]
    assert sum(ends) / 2 == pytest.approx(0.6, abs=1e-12)  # about the estimate


def test_one_sided():
    values = resamples()
    basis, plan = Basis(values.mean(), 7, 50), {"interval": "t", "side": Side.PESSIMISTIC}
    ends, error, _ = found(of(values), basis, **plan)
    reach = stats.t(49).ppf(0.95) * values.std(ddof=1)
    assert ends == (pytest.approx(values.mean() - reach), 1.0)
    assert error.upper is None


def test_enumerated_draws_count_by_their_probabilities():
    exact = of([0.6, 0.8, 0.9], probabilities=np.array([0.2, 0.5, 0.3]))
    (lower, _), error, _ = found(exact, Basis(exact.mean(), 3, 3), interval="t", level=0.5)
    mean = 0.12 + 0.4 + 0.27
    spread = np.sqrt(0.2 * (0.6 - mean) ** 2 + 0.5 * (0.8 - mean) ** 2 + 0.3 * (0.9 - mean) ** 2)
    assert lower == pytest.approx(mean - stats.t(2).ppf(0.75) * spread, abs=1e-12)
    assert (error.lower, error.upper) == (0.0, 0.0)


@pytest.mark.parametrize("drawn", [True, False])
def test_the_monte_carlo_error_is_that_of_the_jackknife(drawn):
    values = resamples(400)

    def ends(*left_out):
        kept = np.delete(values, left_out)
        basis = Basis(kept.mean() if drawn else 0.75, 7, 50, drawn=drawn)
        return found(of(kept), basis, interval="t")[:2]

    without = np.array([ends(i)[0] for i in range(400)])
    error = ends()[1]
    expected = np.sqrt(399 / 400 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    assert [error.lower, error.upper] == pytest.approx(expected, rel=0.01)


def test_in_the_middle_the_error_is_that_of_a_mean():
    values = np.array([0.5, 0.6, 0.8])
    error = found(of(values), Basis(values.mean(), 7, 50), interval="t", level=1e-9)[1]
    assert error.lower == pytest.approx(values.std(ddof=1) / np.sqrt(3), rel=1e-6)


def test_the_guard_leaves_errors_as_they_are():
    values = resamples()
    basis = Basis(values.mean(), 60, 100)
    plain, guarded = (found(of(values), basis, interval="t", guard=g)[1] for g in (False, True))
    assert guarded == plain
    assert guarded.lower > 0
    # an end without a worst value keeps its own error beside a guarded one
    values = 2 + values
    error = found(of(values), Basis(values.mean(), 60, 100), MSE, guard=True)[1]
    assert error.upper == of(values).quantile_error(0.975) > 0
    assert error.lower > 0


@pytest.mark.parametrize("probability", [0.025, 0.05])
def test_t_guarded_as_by_exact_integration(probability):
    values, n = resamples(200), 80
    law = stats.t(n - 1, values.mean(), values.std(ddof=1))

    def share(x):
        """P(G <= x): D below x, or the pseudo-unit takes enough of it."""

        def below(d):
            return law.pdf(d) * erfc(np.sqrt((n + 0.25) * np.log(min(d, 1) / x)))

        parts = [x, x + 1e-4, x + 0.02, 1, 10]  # smooth within each
        tails = (quad(below, *part, epsabs=1e-13, limit=200) for part in pairwise(parts))
        return law.cdf(x) + sum(tail for tail, _ in tails)

    plan = {"interval": "t", "level": 1 - 2 * probability, "guard": True}
    ((lower, _), *_) = found(of(values), Basis(values.mean(), n, n), **plan)
    assert share(lower) == pytest.approx(probability, abs=1e-6)
