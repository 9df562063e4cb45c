"""Laws that every method keeps with every metric, by iterating the registries."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from day import swept
from matrices import for_metric, in_blocks

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS, Gives, Need, estimate
from bbccli.platform.resources import Engine, Resources, use
from bbccli.stats import resampling
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import MetricKind, Models, Pooling, Side

# Models that are fixed: then every method can be computed, and no other number depends on it.
PLAN = Plan(n_resamples=150, seed=3, models=Models.FIXED)

# One metric of each kind of scorer and of each direction; all of them meet all methods once.
REPRESENTATIVES = [
    "auc", "accuracy", "f1", "log-loss", "auc-ovo", "rmse", "medae"
]  # fmt: skip


# These are for the AUC only.
OF_AUC = {"delong", "delong-10p", "hanley-mcneil", "hanley-mcneil-10p"}
# These are for shares of samples only: metrics that are the mean of a yes or no.
OF_SHARES = {"wald", "wilson", "clopper-pearson", "jeffreys"}
SHARES = {
    "accuracy", "error", "precision-micro", "recall-micro", "recall-weighted", "f1-micro"
}  # fmt: skip
# This is for means over samples.
MEANS = {name for name, metric in METRICS.items() if metric.kind is MetricKind.MEAN}
ONLY_FOR = {name: {"auc"} for name in OF_AUC} | dict.fromkeys(OF_SHARES, SHARES)
ONLY_FOR |= {"clustered": MEANS}


# The methods at the core meet all representatives, those built from their parts a few.
# Methods that need nested predictions, training sizes or sealed rows keep laws of their own: see
# test_ncv.py, test_ipl.py and test_vault.py.
PLAIN = [
    method.name
    for method in METHODS.values()
    if not method.needs & {Need.NESTED, Need.SIZES, Need.VAULT}
]
AT_THE_CORE = {"cvt", "tt", "bbc", "bbc-f", "cvm-cv"}
A_FEW = ["auc", "accuracy", "rmse"]
PAIRS = [
    (method, metric)
    for method in PLAIN
    for metric in (REPRESENTATIVES if method in AT_THE_CORE else A_FEW)
    if metric in ONLY_FOR.get(method, METRICS)
]


def first_of_each():
    """Every method once, with one metric after the other."""
    by_method = [[pair for pair in PAIRS if pair[0] == method] for method in PLAIN]
    return [pairs[i % len(pairs)] for i, pairs in enumerate(by_method)]


BY_DAY = first_of_each()
SWEPT = [pair for pair in PAIRS if pair not in BY_DAY]


made = cache(for_metric)


@cache
def found_of(method, metric):
    """A matrix, and the estimate that the laws start from: most of them ask for the same."""
    needs_repeats = Need.REPEATS in METHODS[method].needs
    matrix = made(metric, n_repeats=2 if needs_repeats else 1)
    return matrix, METHODS[method].run(matrix, METRICS[metric], PLAN)


@pytest.fixture(params=[*BY_DAY, *map(swept, SWEPT)], ids="-".join)
def pair(request):
    return request.param


@pytest.fixture
def method(pair):
    return METHODS[pair[0]]


@pytest.fixture
def metric(pair):
    return METRICS[pair[1]]


@pytest.fixture
def matrix(pair):
    return found_of(*pair)[0]


@pytest.fixture
def expected(pair):
    return found_of(*pair)[1]


def changed(matrix, **changes):
    """The matrix with some fields replaced."""
    return PredictionMatrix(
        **{
            name: changes.get(name, getattr(matrix, name))
            for name in (
                "outcome", "predictions", "configurations", "kind", "folds", "fold_names"
            )
        }
    )  # fmt: skip


def numbers(estimate):
    interval = estimate.interval
    ends = (interval.lower, interval.upper) if interval else ()
    return (estimate.naive, estimate.value, *ends)


def assert_same(found, expected):
    """Equal up to the order in which real-valued losses are added up."""
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-11)


def test_the_same_seed_gives_the_same_estimate(method, metric, matrix, expected):
    assert numbers(method.run(matrix, metric, PLAN)) == numbers(expected)


@pytest.mark.sweep
def test_another_seed_moves_the_estimate_within_its_error(method, metric, matrix):
    first, second = (method.run(matrix, metric, replace(PLAN, seed=s)) for s in (1, 2))
    if first.n_evaluation is not None:
        assert numbers(first) != numbers(second)  # another seed, another split
    elif first.exact or (first.distribution is None and first.n_resamples is None):
        assert numbers(first) == numbers(second)
    elif first.distribution is None:
        ends = zip(numbers(first)[2:], numbers(second)[2:], strict=True)
        moved = max(abs(one - other) for one, other in ends)
        assert 0 < moved < 6 * first.error.largest()
    else:
        spread = first.distribution.values.std()
        n_resamples = len(first.distribution.values)
        moved = abs(first.distribution.mean() - second.distribution.mean())
        assert 0 < moved < 5 * spread * np.sqrt(2 / n_resamples)


DRAWN = [("bbc", "average-precision"), ("bbc-632", "accuracy"), ("tilting", "auc"), ("mabt", "auc")]
DRAWN += [("bbc-eb", name) for name in ("auc", "accuracy", "log-loss")]


@pytest.mark.sweep
@pytest.mark.parametrize(("method", "metric"), DRAWN)
def test_the_monte_carlo_error_is_that_of_drawing_again(method, metric):
    """Of the figure, or where that is not drawn, of the lower end."""
    matrix, ends = for_metric(metric, n_configurations=30, seed=2), []
    for seed in range(60):
        plan = replace(PLAN, seed=seed, evaluation_share=0.0, side=Side.PESSIMISTIC)
        found = METHODS[method].run(matrix, METRICS[metric], plan)
        drawn = found.distribution is not None
        assert drawn or (found.error.value, found.error.upper) == (0, None)
        own = (
            (found.value, found.error.value) if drawn else (found.interval.lower, found.error.lower)
        )
        ends.append(own)
    values, errors = np.transpose(ends)
    assert 0.7 < errors.mean() / values.std(ddof=1) < 1.4


LIMITS = [Resources(jobs=2), Resources(engine=Engine.NUMPY), Resources(engine=Engine.NUMBA)]
MORE_LIMITS = [Resources(jobs=1), Resources(jobs=5), Resources(memory=16_000_000)]


@pytest.mark.sweep
@pytest.mark.parametrize("every", [LIMITS, swept(MORE_LIMITS)])
def test_resources_do_not_matter(method, metric, matrix, expected, every):
    for limits in every:
        with use(limits):
            assert_same(method.run(changed(matrix), metric, PLAN), expected)


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "blocks"), [(1, 2), (3, 1)])
def test_blocks_do_not_matter(method, metric, matrix, expected, width, blocks, monkeypatch):
    monkeypatch.setattr(Candidates, "blocks", in_blocks(width))
    monkeypatch.setattr(resampling, "MOST_BLOCKS", blocks)
    little = Resources(jobs=width, engine=Engine.NUMPY)
    object.__setattr__(little, "memory", 50_000)  # less than may be asked for: several spans
    with use(little):
        found = method.run(changed(matrix), metric, PLAN)
    assert_same(found, expected)
    assert found.selection == expected.selection


def test_duplicated_configurations_change_nothing(method, metric, matrix, expected):
    twice = changed(
        matrix,
        predictions=np.concatenate([matrix.predictions] * 2, axis=2),
        configurations=(*matrix.configurations, *(f"{c} again" for c in matrix.configurations)),
    )
    found = method.run(twice, metric, PLAN)
    if found.n_preselected != expected.n_preselected:
        pytest.skip("with copies, a tenth is more to choose from")
    assert found.winner == expected.winner
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_the_order_of_the_configurations_changes_nothing(name):
    # with copies of the winner, whose sums may differ by rounding; of a metric that has no other
    # ties, because the first of those that tie in a bag wins it
    metric = next(one for one in ("rmse", "auc", "accuracy") if (name, one) in PAIRS)
    matrix, expected = found_of(name, metric)
    winner = matrix.configurations.index(expected.winner)
    columns = np.array([*range(matrix.n_configurations), winner, winner, winner])
    names = [f"{matrix.configurations[c]} {i}" for i, c in enumerate(columns)]
    found = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(columns))
        predictions = matrix.predictions[:, :, columns[order]]
        permuted = changed(
            matrix, predictions=predictions, configurations=tuple(names[i] for i in order)
        )
        found.append(METHODS[name].run(permuted, METRICS[metric], PLAN))
    for other in found[1:]:
        assert_same(other, found[0])
        assert other.winner.rpartition(" ")[0] == found[0].winner.rpartition(" ")[0]


def test_renaming_only_renames(method, metric, matrix, expected):
    renamed = changed(matrix, configurations=tuple(f"{c}!" for c in matrix.configurations))
    found = method.run(renamed, metric, PLAN)
    assert found.winner == f"{expected.winner}!"
    assert numbers(found) == numbers(expected)


@pytest.mark.sweep
def test_one_configuration_wins_itself(method, metric, matrix):
    single = changed(
        matrix, predictions=matrix.predictions[:, :, :1], configurations=matrix.configurations[:1]
    )
    found = method.run(single, metric, PLAN)
    assert found.winner == "c0"
    if found.distribution is not None:
        assert set(found.distribution.winners) == {0}


@pytest.mark.sweep
def test_identical_repeats_change_nothing_but_the_draws_of_folds(method, metric, matrix, expected):
    if Need.REPEATS in method.needs:
        pytest.skip("a copy among the repeats to evaluate on is no repeat")
    twice = changed(
        matrix,
        predictions=np.concatenate([matrix.predictions] * 2),
        folds=np.concatenate([matrix.folds] * 2),
    )
    found = method.run(twice, metric, PLAN)
    if method.name == "t-corrected":  # counts the folds of all repeats: splits are told apart
        found, expected = (replace(e, interval=None) for e in (found, expected))
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-12)


def test_what_a_method_promises(method, metric, expected):
    found = expected
    assert found.method == method.name
    lacking = "no-interval" in [note.code for note in found.notes]
    assert (found.interval is not None) == (Gives.INTERVAL in method.gives and not lacking)
    assert found.ignores_selection or not method.ignores_selection
    assert (found.distribution is not None) == (Gives.DISTRIBUTION in method.gives)
    assert found.optimism == pytest.approx(metric.direction.gain(found.naive, found.value))
    if found.interval:
        assert metric.bounds[0] <= found.interval.lower <= found.interval.upper <= metric.bounds[1]


EVERY = 9
"""Every day a metric meets one in so many methods, and the next metric the next of them."""


@pytest.mark.parametrize("by_day", [True, swept(False)])
@pytest.mark.parametrize("name", METRICS)
def test_every_metric_meets_every_method(name, by_day):
    """All methods in one test, which names each that fails: a thousand tests take their time."""
    failed, place = {}, list(METRICS).index(name)
    for number, asked in enumerate(PLAIN):
        if by_day != ((place + number) % EVERY == 0):
            continue
        try:
            assert_meets(asked, name)
        except Exception as error:
            failed[asked] = error
    assert not failed


def assert_meets(asked, name):
    matrix = made(name, n_samples=60, n_folds=3, n_repeats=2)
    try:
        found = METHODS[asked].run(matrix, METRICS[name], replace(PLAN, n_resamples=40))
    except UnsupportedError:
        assert name not in ONLY_FOR[asked]
    except UndefinedError as error:
        if asked == "bbc-632plus" and name in ("mean-score", "mean-loss"):
            assert "needs a truth" in error.problem
            return
        assert f"{METRICS[name].label} is undefined in fold" in error.problem
        assert name in ("precision-macro", "precision-weighted", "npv", "precision")
    else:
        assert np.isfinite(found.value)
        assert METRICS[name].bounds[0] <= found.value <= METRICS[name].bounds[1]


def test_a_method_that_needs_repeats_or_folds_says_so(method, metric, matrix):
    without, single = (changed(matrix, folds=one) for one in (None, 0 * matrix.folds))
    for need, other, words in (
        (Need.REPEATS, for_metric(metric.name), f"{method.name} needs at least two repeats"),
        (Need.FOLDS, without, f"{method.name} needs to know the fold"),
        (Need.FOLDS, single, "at least two folds"),
    ):
        if need in method.needs:
            with pytest.raises(UndefinedError, match=words):
                method.run(other, metric, PLAN)
        elif other is without:
            assert np.isfinite(method.run(without, metric, PLAN).value)


def test_the_default_set_leaves_out_what_folds_do_not_allow():
    matrix = for_metric("auc")
    # ten folds of one class each
    of_class = np.arange(40) // 2 % 5 + 5 * matrix.outcome.values
    by_class = changed(matrix, folds=of_class[None], fold_names=tuple("0123456789"))
    estimates, notes = estimate(by_class, [METRICS["auc"]], PLAN)
    assert [e.method for e in estimates] == ["cvt", "bbc"]
    assert [n.code for n in notes] == ["method-left-out"] * 2
    assert "folds 0, 1, 2, 3, 4 and 5 more" in notes[0].text
    for name in ("tt", "bbc-f"):
        with pytest.raises(UndefinedError, match="AUC is undefined in folds 0, 1, 2, 3, 4 and 5"):
            estimate(by_class, [METRICS["auc"]], PLAN, [name])


@pytest.mark.parametrize(
    ("n_folds", "runs"), [(5, False), swept(7, False), swept(8, True), swept(10, True)]
)
def test_bbc_f_is_a_default_from_eight_folds_on(n_folds, runs):
    matrix = for_metric("auc", n_folds=n_folds)
    estimates, _ = estimate(matrix, [METRICS["auc"]], PLAN)
    assert [e.method for e in estimates] == ["cvt", "tt", "bbc", *(["bbc-f"] if runs else [])]
    asked, _ = estimate(matrix, [METRICS["auc"]], PLAN, ["bbc-f"])
    assert [e.method for e in asked] == ["bbc-f"]


def test_eight_folds_in_every_repeat():
    matrix = for_metric("auc", n_repeats=2, n_folds=10)
    folds = np.stack([matrix.folds[0], matrix.folds[1] % 5])
    estimates, _ = estimate(changed(matrix, folds=folds), [METRICS["auc"]], PLAN)
    assert [e.method for e in estimates] == ["cvt", "tt", "bbc"]


def test_leave_one_out_is_named():
    matrix = for_metric("auc")
    alone = np.arange(matrix.n_samples)
    loo = changed(matrix, folds=alone[None], fold_names=tuple(map(str, alone)))
    with pytest.raises(UndefinedError, match=r"0, 1, 2, 3, 4 and 35 more \(leave-one-out\)"):
        METHODS["tt"].run(loo, METRICS["auc"], PLAN)


@pytest.mark.sweep
def test_differing_winners_are_named():
    matrix = for_metric("auc", seed=0)
    for seed in range(40):
        matrix = for_metric("auc", seed=seed)
        pooled, by_fold = (
            METHODS["cvt"].run(matrix, METRICS["auc"], Plan(pooling=p)).winner
            for p in (Pooling.POOLED, Pooling.FOLD_MEAN)
        )
        codes = [n.code for n in estimate(matrix, [METRICS["auc"]], PLAN)[1]]
        assert ("winners-differ" in codes) == (pooled != by_fold)
        if pooled != by_fold:
            return
    pytest.fail("no seed gave differing winners")


@pytest.mark.parametrize("name", ["rmse", "log-loss", "error"])
def test_nothing_taken_off_a_loss_is_zero_without_a_sign(name):
    found = METHODS["cvt"].run(for_metric(name), METRICS[name], PLAN)
    assert str(found.optimism) == "0.0"
