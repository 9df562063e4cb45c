"""Repeated hold-out: every repeat scores the part of the samples that it predicts."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from matrices import binary, for_metric
from methods import reference

from bbccli import METRICS, Plan
from bbccli.errors import InputError, UndefinedError, UnsupportedError
from bbccli.methods import METHODS, Need, estimate
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Models, Pooling, PredictionKind, Task

PLAN = Plan(n_resamples=60, seed=5)


def parts_of(matrix, share=0.4, seed=0):
    """(R, N) which samples each repeat holds out, as many every time."""
    rng = np.random.default_rng(seed)
    n = matrix.n_samples
    size = round(share * n)
    return np.array(
        [np.isin(np.arange(n), rng.choice(n, size, False)) for _ in range(matrix.n_repeats)]
    )


def held_out(matrix, parts):
    """The matrix as if each repeat had predicted its part alone; the rest is far off."""
    where = parts[:, :, None] if matrix.predictions.ndim == 3 else parts[:, :, None, None]
    far = matrix.predictions.max() if matrix.kind is not PredictionKind.PROBABILITY else 1.0
    return replace(
        matrix,
        predictions=np.where(where, matrix.predictions, far),
        available=np.repeat(parts[:, :, None], matrix.n_configurations, axis=2),
        repeated_holdout=True,
        folds=None,
        fold_names=(),
    )


def figure_on(matrix, parts, name):
    """Mean over the repeats that have one, each on the rows that it holds out."""
    truth = matrix.outcome.values

    def figure(rows, c):
        values = []
        for part, predictions in zip(parts, matrix.predictions, strict=True):
            own = rows[part[rows]]
            values.append(reference.FIGURES[name](truth[own], predictions[own, c]))
        known = [v for v in values if not np.isnan(v)]
        return np.mean(known) if known else np.nan

    return figure


@pytest.mark.parametrize("name", ["auc", swept("accuracy")])
@pytest.mark.parametrize("method", ["bbc", swept("naive")])
def test_the_loop_over_repeats(name, method):
    matrix = binary(n_samples=30, n_configurations=4, n_repeats=6)
    parts = parts_of(matrix)
    held = held_out(matrix, parts)
    found = METHODS[method].run(held, METRICS[name], PLAN)
    figure = figure_on(matrix, parts, name)
    everything = [figure(np.arange(30), c) for c in range(4)]
    np.testing.assert_allclose(
        candidates(held, METRICS[name], Pooling.POOLED).performances(), everything, rtol=1e-13
    )
    winner = reference.best(everything)
    assert found.winner == f"c{winner}"
    assert found.naive == pytest.approx(everything[winner], rel=1e-14)
    in_bag = draws_of(30, None, 5).batch(0, 1).in_bag[:60]
    assert found.distribution.n_redrawn == 0
    if method == "bbc":
        winners, values = reference.bbc(figure, 4, in_bag)
        assert found.distribution.winners.tolist() == winners
    else:
        values = [figure(np.repeat(np.arange(30), weights), winner) for weights in in_bag]
    np.testing.assert_allclose(found.distribution.values, values, rtol=1e-12)


# the censoring of Uno's concordance is that of all samples, whatever a repeat holds out
NAMES = [name for name in METRICS if name != "concordance-uno"]


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_on_the_samples_present(name):
    metric = METRICS[name]
    matrix = for_metric(name, n_repeats=3)
    parts = parts_of(matrix)
    weights = np.random.default_rng(1).integers(0, 4, (9, matrix.n_samples)).astype(np.uint16)
    found = candidates(held_out(matrix, parts), metric, Pooling.POOLED).score(weights)
    by_repeat = [
        candidates(matrix.of_repeat(r), metric, Pooling.POOLED).score(weights * part)
        for r, part in enumerate(parts)
    ]
    defined = ~np.isnan(by_repeat)
    total = np.where(defined, by_repeat, 0).sum(axis=0)
    expected = np.where(defined.any(axis=0), total / np.maximum(defined.sum(axis=0), 1), np.nan)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if not m.needs])
@pytest.mark.parametrize("name", ["auc", "accuracy", "rmse"])
def test_with_every_sample_in_every_repeat_nothing_changes(method, name):
    matrix = replace(for_metric(name, n_repeats=2), folds=None)
    whole = held_out(matrix, np.ones((2, matrix.n_samples), bool))
    try:
        expected = METHODS[method].run(matrix, METRICS[name], PLAN)
    except UnsupportedError:
        return
    found = METHODS[method].run(whole, METRICS[name], PLAN)
    assert found.winner == expected.winner
    for figure in ("naive", "value"):
        assert getattr(found, figure) == pytest.approx(getattr(expected, figure), rel=1e-12)
    ends, wanted = (e.interval and (e.interval.lower, e.interval.upper) for e in (found, expected))
    if wanted and "tilting-infeasible" not in [note.code for note in expected.notes]:
        assert ends == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_work_or_say_why_not(method):
    matrix = binary(n_samples=60, n_repeats=5)
    held = held_out(matrix, parts_of(matrix))
    name = (
        "accuracy"
        if method in ("wald", "wilson", "clopper-pearson", "jeffreys", "clustered")
        else "auc"
    )
    needs = METHODS[method].needs
    if Need.FOLDS in needs:
        with pytest.raises(
            UndefinedError, match="in repeated hold-out each repeat is a separate part"
        ):
            METHODS[method].run(held, METRICS[name], PLAN)
    elif not needs & {Need.NESTED, Need.SIZES, Need.VAULT}:
        fixed = replace(PLAN, models=Models.FIXED)  # every method can be computed
        assert 0 <= METHODS[method].run(held, METRICS[name], fixed).value <= 1


@pytest.mark.parametrize("pooling", [Pooling.FOLD_MEAN, Pooling.WITHIN_FOLDS])
def test_there_are_no_folds_to_pool_by(pooling):
    matrix = binary(n_repeats=3)
    held = held_out(matrix, parts_of(matrix))
    with pytest.raises(UndefinedError, match="in repeated hold-out each repeat is one part"):
        METHODS["bbc"].run(held, METRICS["auc"], replace(PLAN, pooling=pooling))


def test_repeats_without_a_class_are_left_out_with_a_note():
    matrix = binary(n_samples=40, n_repeats=4)
    parts = parts_of(matrix)
    parts[2] = matrix.outcome.values == 1
    parts[3] = matrix.outcome.values == 0
    held = held_out(matrix, parts)
    (found,), _ = estimate(held, [METRICS["auc"]], PLAN, ["bbc"])
    (note,) = [note for note in found.notes if note.code == "undefined-repeats"]
    assert note.text == "AUC of the winner is undefined in 2 of 4 repeats, which are left out"
    two = replace(matrix, predictions=matrix.predictions[:2], folds=matrix.folds[:2])
    first = held_out(two, parts[:2])
    expected = METHODS["bbc"].run(first, METRICS["auc"], PLAN)
    assert found.naive == expected.naive
    assert "undefined-repeats" not in [note.code for note in expected.notes]
    delong = METHODS["delong"].run(held, METRICS["auc"], replace(PLAN, evaluation_share=0))
    alone = METHODS["delong"].run(first, METRICS["auc"], replace(PLAN, evaluation_share=0))
    # the corrections n / (n - 1) count the samples of all repeats
    width, expected = (e.interval.upper - e.interval.lower for e in (delong, alone))
    assert width == pytest.approx(expected, rel=0.03)


def test_delong_by_the_jackknife():
    # the variance of the mean over repeats comes from the influence of each sample on it
    matrix = binary(n_samples=60, n_configurations=1, n_repeats=4)
    parts = parts_of(matrix)
    held = held_out(matrix, parts)
    found = METHODS["delong"].run(held, METRICS["auc"], replace(PLAN, evaluation_share=0))
    figure = figure_on(matrix, parts, "auc")
    whole = figure(np.arange(60), 0)
    without = np.array([figure(np.delete(np.arange(60), i), 0) for i in range(60)])
    error = np.sqrt(((without - whole) ** 2).sum())
    assert (found.interval.upper - found.value) / 1.959964 == pytest.approx(error, rel=0.15)


def test_what_is_available_must_be_said():
    with pytest.raises(InputError, match="repeated hold-out needs a mask"):
        replace(binary(), repeated_holdout=True)


# the censoring of Uno's concordance is that of all samples, whatever a configuration predicts
UNGAPPED = [name for name in METRICS if METRICS[name].tasks != {Task.SURVIVAL}]


def gappy(matrix, share=0.2, seed=0):
    """The matrix without some predictions; what stands in their place is far off."""
    available = np.random.default_rng(seed).random(matrix.predictions.shape[:3]) >= share
    gaps = ~available if matrix.predictions.ndim == 3 else ~available[..., None]
    shown = np.where(gaps, matrix.predictions.min(), matrix.predictions)
    return replace(matrix, predictions=shown, available=available)


def taken(matrix, rows, column):
    """One configuration and some samples of a matrix, as if the others had never been."""
    return replace(matrix, available=None).of_configurations([column]).of_samples(rows)


@pytest.mark.parametrize(
    ("name", "pooling"),
    daily(
        [
            (name, pooling)
            for name in UNGAPPED
            for pooling in Pooling
            if METRICS[name].of_pairs or pooling is not Pooling.WITHIN_FOLDS
        ],
        [
            *(("auc", pooling) for pooling in Pooling),
            *((name, Pooling.FOLD_MEAN) for name in ("mcc", "log-loss", "rmse", "r2")),
        ],
        unpack=True,
    ),
)
def test_a_missing_prediction_never_counts(name, pooling):
    metric = METRICS[name]
    matrix = gappy(for_metric(name, n_folds=2))
    weights = np.random.default_rng(1).integers(0, 4, (9, matrix.n_samples)).astype(np.uint16)
    found = candidates(matrix, metric, pooling).score(weights)
    for column in range(matrix.n_configurations):
        rows = matrix.available[0, :, column]
        alone = candidates(taken(matrix, rows, column), metric, pooling)
        expected = alone.score(weights[:, rows])[:, 0]
        np.testing.assert_allclose(found[:, column], expected, rtol=1e-12, atol=1e-13)
