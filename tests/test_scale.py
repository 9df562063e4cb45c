"""Very many samples: drawn row by row, swept in steps, added up in parts, bound span by span."""

from dataclasses import replace
from time import sleep

import numpy as np
import pytest
from day import swept
from matrices import binary, multiclass, regression
from numpy.testing import assert_array_equal

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.errors import OptionError
from bbccli.metrics import kernels
from bbccli.metrics.kernels import prepared
from bbccli.platform.resources import Engine, Resources, ordered_map, resources_of, use
from bbccli.stats import resampling
from bbccli.stats.resampling import BLOCK, FEW_UNITS, Draws
from bbccli.stats.selection.candidates import Candidates, fold_performances
from bbccli.types import Task

MEGABYTE = 10**6


@pytest.mark.sweep
def test_rows_are_drawn_as_a_block_is():
    n_units = FEW_UNITS + 4  # an even and an odd number of random words both occur
    for n in (n_units, n_units + 1):
        drawn = Draws(n, 3, (0,), leaving_out=False).batch(2, 1).in_bag
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(3, spawn_key=(0, 2))))
        units = rng.integers(0, n, size=(BLOCK, n), dtype=np.uint32)
        assert drawn.dtype == np.uint8
        for row, of_row in zip(drawn, units, strict=True):
            assert_array_equal(row, np.bincount(of_row, minlength=n))


def test_a_block_is_counted_row_by_row_as_in_one_call(monkeypatch):
    whole = Draws(700, 5, (0,), leaving_out=False).batch(1, 2).in_bag
    monkeypatch.setattr(resampling, "FEW_CELLS", 600)
    one_stratum = np.zeros(700, int)  # with strata nothing is kept
    again = Draws(700, 5, (0,), leaving_out=False, strata=one_stratum).batch(1, 2).in_bag
    assert_array_equal(again, whole)


def test_strata_of_very_many_units():
    strata = np.arange(FEW_UNITS + 10) < 7
    drawn = (
        Draws(len(strata), 1, (0,), leaving_out=False, strata=strata.astype(int)).batch(0, 1).in_bag
    )
    assert (drawn[:, strata].sum(axis=1, dtype=int) == 7).all()
    assert (drawn.sum(axis=1, dtype=int) == len(strata)).all()


def by_value(scores, cases, weights):
    """Twice the weight of concordant pairs, from totals of the distinct scores."""
    _, code = np.unique(scores, return_inverse=True)
    of_cases, of_controls = (np.bincount(code, weights * own) for own in (cases, ~cases))
    return of_cases @ (2 * of_controls.cumsum() - of_controls)


@pytest.mark.parametrize("engine", [Engine.NUMPY, swept(Engine.NUMBA)])
@pytest.mark.parametrize("share", [0.5, swept(0.02)])
def test_pairs_of_very_many_samples(engine, share):
    """Rows of few weightings, of more lanes than one sweep has, and of real weights."""
    rng = np.random.default_rng(0)
    n = 9000
    cases = rng.random(n) < share
    scores = rng.random((n, 2))
    scores[:, 1] = scores[:, 1].round(3)
    weights = rng.integers(0, 4, (70, n)).astype(np.uint16)
    chosen = np.array([1, 0])
    auc = METRICS["auc"].bind(Outcome(Task.BINARY, cases.astype(int), ("no", "yes")), scores)
    with use(Resources(engine=engine)):
        pairs = prepared(scores, cases, ~cases)
        many = kernels.concordant_weight(pairs, weights, chosen)
        heavy = kernels.concordant_weight(pairs, weights[:20].astype(np.uint32) * 300, chosen)
        real = auc(weights[:3] * 0.25, chosen)
    expected = np.array([[by_value(scores[:, c], cases, row) for c in chosen] for row in weights])
    assert_array_equal(many, expected)
    assert_array_equal(heavy, expected[:20] * 90_000)
    masses = np.array([2 * (row @ cases) * (row @ ~cases) for row in weights[:3].astype(float)])
    np.testing.assert_allclose(real, expected[:3] / masses[:, None], rtol=1e-12)


CASES = [
    (binary(n_samples=90, n_configurations=9), "accuracy"),
    (binary(n_samples=90, n_configurations=9), "f1"),
    (binary(n_samples=90, n_configurations=9), "auc"),
    (binary(n_samples=90, n_configurations=9, n_repeats=2), "log-loss"),
    (multiclass(n_samples=90, n_configurations=9), "balanced-accuracy"),
    (regression(n_samples=90, n_configurations=9), "mse"),
    (regression(n_samples=90, n_configurations=9), "mae"),
]


@pytest.mark.parametrize(("matrix", "name"), CASES)
def test_sums_in_parts_are_the_sums(monkeypatch, matrix, name):
    weights = np.random.default_rng(0).integers(0, 3, (6, 90)).astype(np.uint8)
    chosen = np.array([3, 1, 3, 0, 8, 8])
    predictions = matrix.as_kind(METRICS[name].wants)[0]
    whole = METRICS[name].bind(matrix.outcome, predictions)
    expected = whole(weights), whole.paired(weights, chosen), whole(weights * 0.5)
    monkeypatch.setattr("bbccli.metrics.statistic.CHUNK", 16)
    parts = METRICS[name].bind(matrix.outcome, predictions)
    found = parts(weights), parts.paired(weights, chosen), parts(weights * 0.5)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    alone = METRICS[name].bind(matrix.outcome, predictions[:, :1])  # the same to the last bit
    assert_array_equal(np.vstack([alone(row[None]) for row in weights]), alone(weights))


LONG = "bbccli.metrics.kernels.pairs.LONG"
"""Samples from which pairs under a weight of 1 are counted by the values of their scores."""


@pytest.mark.parametrize("name", ["auc", swept("gini"), swept("auc-ovr"), swept("auc-ovo")])
def test_pairs_in_folds_are_counted_by_value_as_in_a_loop(monkeypatch, name):
    matrix = (multiclass if "ov" in name else binary)(n_samples=90, n_configurations=9)
    scores = np.round(matrix.predictions[0], 1)  # many ties, and zeros of both signs
    scores[::2] *= np.where(scores[::2] == 0, -1, 1)
    matrix = replace(matrix, predictions=scores[None], folds=np.arange(90)[None] // 2 % 4)
    scorer = METRICS[name].bind(matrix.outcome, scores)
    expected = scorer((np.arange(4)[:, None] == matrix.folds).astype(np.uint8))
    assert not scorer.adds_up
    monkeypatch.setattr(LONG, 90)
    monkeypatch.setattr("bbccli.metrics.statistic.prepared", None)  # no sample is sorted
    for jobs in (1, 3):
        with use(Resources(jobs=jobs)):
            assert_array_equal(fold_performances(replace(matrix), METRICS[name])[0], expected)
    weighted = replace(matrix.outcome, weights=np.full(90, 0.5))
    assert not METRICS[name].bind(weighted, scores).adds_up


def test_a_long_column_is_sorted_for_resamples_alone_and_once_for_each_span(monkeypatch):
    matrix, sorted_columns = binary(n_samples=90, n_configurations=9), []

    def watched(scores, cases, controls):
        sorted_columns.append(scores.shape[1])
        return prepared(scores, cases, controls)

    plan, auc = Plan(n_resamples=1000, guard=False), METRICS["auc"]
    expected = [METHODS[name].run(matrix, auc, plan) for name in ("cvt", "bbc")]
    monkeypatch.setattr(LONG, 90)
    monkeypatch.setattr("bbccli.metrics.statistic.prepared", watched)
    columns = [np.array([0]), np.array([1, 2, 3]), np.arange(4, 9)]
    for in_blocks in (False, True):
        if in_blocks:
            monkeypatch.setattr(Candidates, "blocks", lambda self: columns)
        copy = replace(matrix)
        with use(Resources(jobs=2)):
            assert METHODS["cvt"].run(copy, auc, plan).value == expected[0].value
            assert not sorted_columns
            assert METHODS["bbc"].run(copy, auc, plan).value == expected[1].value
        n_of_winners = len(set(expected[1].distribution.winners))
        assert 9 <= sum(sorted_columns) <= (9 + 2 * n_of_winners if in_blocks else 9)
        sorted_columns.clear()


def test_threads_that_ask_at_once_sort_once(monkeypatch):
    matrix, calls = binary(n_samples=90, n_configurations=9), []

    def slowly(*scores):
        calls.append(scores)
        sleep(0.05)  # the other thread asks meanwhile
        return prepared(*scores)

    monkeypatch.setattr("bbccli.metrics.statistic.prepared", slowly)
    scorer = METRICS["auc"].bind(matrix.outcome, matrix.predictions[0])
    first, second = ordered_map(scorer, [np.ones((1, 90), np.uint8)] * 2, 2)
    assert_array_equal(first, second)
    assert len(calls) == 1


def test_little_memory_changes_no_answer():
    """Winners are measured span by span; of resamples some can't be used, for want of a case."""
    matrix = binary(n_samples=8000, n_configurations=9)
    matrix = replace(matrix, outcome=replace(matrix.outcome, values=(np.arange(8000) < 4) * 1))
    told = []
    for memory in (16_000_000, 10**9):
        with use(Resources(jobs=1, memory=memory)):
            matrix, plan = replace(matrix), Plan(n_resamples=300)
            found = METHODS["bbc"].run(matrix, "recall", plan, select_by="accuracy")
        told.append((found.value, found.interval, found.distribution.values.tolist()))
    assert told[0] == told[1]


class TestMemory:
    def test_it_grows_with_the_predictions_unless_a_size_is_given(self):
        free = resources_of(1, "auto", Engine.AUTO)
        assert free.for_predictions(1000, 8000).memory == 256 * MEGABYTE
        assert free.for_predictions(1000, 10**9).memory == 10**9
        assert free.for_predictions(10**6, 8000).memory == 1200 * MEGABYTE
        given = resources_of(1, "700MB", Engine.AUTO)
        assert given.for_predictions(10**6, 10**9) == given

    def test_too_little_is_said_at_once(self):
        with pytest.raises(OptionError, match="memory is 64 MB, and 1000000 samples need 600 MB"):
            resources_of(1, "64MB", Engine.AUTO).for_predictions(10**6, 10**9)


@pytest.mark.parametrize("n_resamples", [100, 1000])
def test_one_thread_has_the_batches_of_one_thread_whatever_was_asked_for(n_resamples):
    """Smaller batches, as two threads have, take numpy's pair sweep a third longer."""
    n_blocks = -(-n_resamples // resampling.BLOCK)
    draws = resampling.draws_of(500, None, 0).part(range(3, 3 + n_blocks))
    with use(Resources(jobs=2)):
        shared, alone = (list(draws.over(len, one_thread=alone)) for alone in (False, True))
    with use(Resources(jobs=1)):
        assert list(draws.over(len)) == alone
    assert len(shared) > len(alone)
    assert sum(shared) == sum(alone) == n_blocks * resampling.BLOCK


@pytest.mark.sweep
@pytest.mark.parametrize("n_samples", [90, 9000, 66_000])
@pytest.mark.parametrize("name", ["brier", "log-loss", "rmse", "accuracy", "auc"])
def test_a_figure_is_the_same_to_the_last_bit_whatever_is_scored_beside_it(name, n_samples):
    """What blocks of configurations and of resamples say, in any size, is what one process says."""
    rng = np.random.default_rng(0)
    make, metric = regression if name == "rmse" else binary, METRICS[name]
    few = make(n_samples=90, n_configurations=9)
    rows = np.arange(n_samples) % 90
    predictions = few.as_kind(metric.wants)[0][rows]
    if name != "accuracy":
        predictions = predictions * (1 - rng.uniform(0.0, 1e-3, (n_samples, 9)))
    matrix = replace(
        few,
        outcome=replace(few.outcome, values=few.outcome.values[rows]),
        predictions=predictions[None],
        kind=metric.wants,
        folds=rng.integers(0, 5, (1, n_samples)),
    )
    whole = metric.bind(matrix.outcome, predictions)
    weights = rng.integers(0, 3, (23, n_samples)).astype(np.uint8)
    chosen = rng.integers(0, 9, 23)
    expected, (in_folds,) = whole.paired(weights, chosen), fold_performances(matrix, metric)
    for columns in (np.arange(9)[2:4], np.arange(9)[2:5], np.arange(9)[1:]):
        part = metric.bind(matrix.outcome, predictions[:, columns])
        (of_part,) = fold_performances(matrix.of_configurations(columns), metric)
        assert_array_equal(of_part, in_folds[:, columns])
        mine = np.flatnonzero(np.isin(chosen, columns))
        for some in (mine, mine[:1], mine[1:3]):
            found = part.paired(weights[some], chosen[some] - columns[0])
            assert_array_equal(found, expected[some])
