"""Pairs within folds: one share of the pairs of all folds, whose predictions never meet."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from matrices import binary, for_metric
from methods import reference

from bbccli import METRICS, Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS, Need
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Models, Pooling, PredictionKind

WITHIN = Plan(n_resamples=60, seed=5, pooling=Pooling.WITHIN_FOLDS)
OF_PAIRS = [name for name, metric in METRICS.items() if metric.of_pairs]


def comparable_binary(outcome, i, j):
    return outcome.values[i] == 1 and outcome.values[j] == 0


def comparable_survival(outcome, i, j):
    time, event = outcome.values, outcome.event
    return event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j]))


def pairs_within(matrix, comparable, rows, c, repeat=0):
    """Concordant and comparable pairs among rows, which may repeat, counted in a loop."""
    right = pairs = 0.0
    for i in rows:
        for j in rows:
            same = matrix.folds[repeat, i] == matrix.folds[repeat, j]
            if not same or not comparable(matrix.outcome, i, j):
                continue
            weights = matrix.outcome.weights
            mass = 1.0 if weights is None else weights[i] * weights[j]
            a, b = matrix.predictions[repeat, [i, j], c]
            right += mass * (1.0 if a > b else 0.5 if a == b else 0.0)
            pairs += mass
    return right, pairs


def share_within(matrix, comparable, rows, c):
    """Their share, averaged over repeats."""
    found = [pairs_within(matrix, comparable, rows, c, r) for r in range(matrix.n_repeats)]
    return np.mean([right / pairs if pairs else np.nan for right, pairs in found])


COUNTED = [("auc", comparable_binary), ("concordance", comparable_survival)]


def small(name, **options):
    return for_metric(name, n_samples=24, n_configurations=4, n_folds=4, **options)


@pytest.mark.parametrize(("name", "comparable"), COUNTED)
@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_by_a_slow_loop(name, comparable, n_repeats, weighted):
    matrix = small(name, n_repeats=n_repeats, seed=1)
    if weighted:
        masses = np.random.default_rng(2).random(24) + 0.5
        matrix = replace(matrix, outcome=replace(matrix.outcome, weights=masses))
    weights = draws_of(24, None, 3).batch(0, 1).in_bag[:12]
    every = candidates(matrix, METRICS[name], WITHIN.pooling)
    expected = [
        [share_within(matrix, comparable, np.repeat(np.arange(24), w), c) for c in range(4)]
        for w in weights
    ]
    np.testing.assert_allclose(every.score(weights), expected, rtol=1e-12)
    chosen = np.arange(12) % 4
    own = np.array(expected)[np.arange(12), chosen]
    np.testing.assert_allclose(every.paired(weights, chosen), own, rtol=1e-12)


@pytest.mark.parametrize(("name", "comparable"), COUNTED)
def test_bbc_by_a_slow_loop(name, comparable):
    matrix = small(name)
    found = METHODS["bbc"].run(matrix, METRICS[name], WITHIN)
    in_bag = draws_of(24, None, 5).batch(0, 2).in_bag
    winners, values = reference.bbc(
        lambda rows, c: share_within(matrix, comparable, rows, c), 4, in_bag[:60]
    )
    kept = ~np.isnan(values)
    assert kept.sum() > 50
    assert found.distribution.winners.tolist()[: kept.sum()] == np.array(winners)[kept].tolist()
    np.testing.assert_allclose(
        found.distribution.values[: kept.sum()], np.array(values)[kept], rtol=1e-12
    )


@pytest.mark.parametrize("name", OF_PAIRS)
def test_each_fold_may_have_a_scale_of_its_own(name):
    matrix = for_metric(name)
    factor, shift = 2.0 ** np.arange(5), 100.0 * np.array([3, 1, 4, 1, 5])
    own = matrix.folds[0]
    shape = (-1, *[1] * (matrix.predictions.ndim - 2))
    moved = matrix.predictions * factor[own].reshape(shape) + shift[own].reshape(shape)
    other = replace(matrix, predictions=moved, kind=PredictionKind.SCORE)
    found, expected = (METHODS["bbc"].run(m, METRICS[name], WITHIN) for m in (other, matrix))
    assert found.naive == pytest.approx(expected.naive, abs=1e-14)
    np.testing.assert_allclose(found.distribution.values, expected.distribution.values, atol=1e-14)
    pooled = METHODS["cvt"].run(other, METRICS[name], Plan())
    assert pooled.naive != pytest.approx(expected.naive, abs=1e-3)


def test_a_fold_without_a_class_adds_no_pair():
    matrix = binary(n_samples=40)
    folds = np.where(np.arange(40) < 20, 0, np.where(matrix.outcome.values == 1, 1, 2))[None]
    matrix = replace(matrix, folds=folds, fold_names=("a", "b", "c"))
    found = METHODS["bbc"].run(matrix, METRICS["auc"], WITHIN)
    column = matrix.configurations.index(found.winner)
    right, pairs = pairs_within(matrix, comparable_binary, range(20), column)
    assert found.naive == right / pairs
    alone = replace(matrix, folds=np.arange(40)[None], fold_names=tuple(map(str, range(40))))
    for other, pooling, words in (
        (matrix, Pooling.FOLD_MEAN, "AUC is undefined in folds b, c"),
        (alone, WITHIN.pooling, "no fold holds two samples that AUC can compare"),
        (replace(matrix, folds=None), WITHIN.pooling, "the folds of the samples are unknown"),
    ):
        with pytest.raises(UndefinedError, match=words):
            METHODS["bbc"].run(other, METRICS["auc"], replace(WITHIN, pooling=pooling))


@pytest.mark.parametrize("name", [name for name in METRICS if name not in OF_PAIRS])
def test_other_metrics_are_refused(name):
    metric = METRICS[name]
    with pytest.raises(UnsupportedError, match=f"{metric.label} is not made of pairs") as caught:
        METHODS["cvt"].run(for_metric(name), metric, WITHIN)
    assert 'pooling="pooled"' in caught.value.hint


@pytest.mark.parametrize(
    "method",
    daily(
        [m for m in METHODS if not METHODS[m].needs & {Need.NESTED, Need.SIZES, Need.VAULT}],
        ["bbc", "cvt", "bbc-632plus", "tilting", "t-folds"],
    ),
)
@pytest.mark.parametrize("name", ["auc", "concordance"])
def test_every_method_runs(method, name):
    matrix = for_metric(name, n_samples=60, n_folds=3, n_repeats=2)
    try:
        found = METHODS[method].run(matrix, METRICS[name], replace(WITHIN, models=Models.FIXED))
    except UnsupportedError as error:
        assert "is for" in error.problem  # shares, or the AUC alone
    else:
        assert 0 <= found.value <= 1


def test_gaps_and_groups():
    matrix = binary(n_samples=40)
    there = np.random.default_rng(0).random((1, 40, 7)) > 0.2
    gapped = replace(matrix, available=there, groups=np.arange(40) // 2)
    found = METHODS["bbc"].run(gapped, METRICS["auc"], WITHIN)
    column = gapped.configurations.index(found.winner)
    rows = np.flatnonzero(there[0, :, column])
    right, pairs = pairs_within(gapped, comparable_binary, rows, column)
    assert found.naive == pytest.approx(right / pairs, rel=1e-14)


def test_influence_by_differences():
    # the interval of `influence` rests on derivatives by the weights: here by a slow loop
    matrix = binary(n_samples=24, n_configurations=1, n_folds=3)
    found = METHODS["influence"].run(matrix, METRICS["auc"], WITHIN)
    step, changes = 1e-5, []
    for i in range(24):
        shares = []
        for sign in (1, -1):
            masses = np.ones(24)
            masses[i] += sign * step
            moved = replace(matrix, outcome=replace(matrix.outcome, weights=masses))
            right, pairs = pairs_within(moved, comparable_binary, range(24), 0)
            shares.append(right / pairs)
        changes.append((shares[0] - shares[1]) / (2 * step))
    width = found.interval.upper - found.interval.lower
    assert width == pytest.approx(2 * 1.959964 * np.sqrt(np.sum(np.square(changes))), rel=1e-4)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_restricted_to_some_samples(name):
    matrix = for_metric(name)
    scorer = candidates(matrix, METRICS[name], WITHIN.pooling).bind(
        np.arange(matrix.n_configurations)
    )
    rows = np.random.default_rng(0).random(matrix.n_samples) < 0.7
    weights = draws_of(matrix.n_samples, None, 3).batch(0, 1).in_bag[:9]
    chosen = np.arange(9) % matrix.n_configurations
    some = scorer.restrict(rows)
    np.testing.assert_allclose(some(weights[:, rows]), scorer(weights * rows), rtol=1e-13)
    np.testing.assert_allclose(
        some.paired(weights[:, rows], chosen), scorer.paired(weights * rows, chosen), rtol=1e-13
    )


def test_nested_selection_by_a_slow_loop():
    matrix = binary(n_samples=30, n_configurations=5, seed=6)
    found = METHODS["nested-selection"].run(matrix, METRICS["auc"], WITHIN)
    values, truth, folds = [], matrix.outcome.values, matrix.folds[0]
    for fold in range(5):
        others = np.flatnonzero(folds != fold)
        judged = [share_within(matrix, comparable_binary, others, c) for c in range(5)]
        rows, winner = folds == fold, reference.best(judged)
        values.append(reference.auc(truth[rows], matrix.predictions[0, rows, winner]))
    assert found.value == pytest.approx(np.mean(values), rel=1e-12)
