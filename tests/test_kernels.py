"""All forms of the pair count against a loop over pairs, to the last bit."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from day import daily, swept
from matrices import binary

from bbccli import METHODS, Plan
from bbccli.errors import OptionError
from bbccli.metrics import kernels
from bbccli.metrics.kernels import largest_total, presort, product, running, sweep
from bbccli.platform.resources import Engine, Resources, use


def by_hand(scores, cases, controls, weights):
    """Twice the weight of concordant pairs, pair by pair."""
    counts = np.zeros((len(weights), scores.shape[1]), np.int64)
    for i in np.flatnonzero(cases):
        for j in np.flatnonzero(controls):
            right = 2 * (scores[i] > scores[j]) + (scores[i] == scores[j])
            counts += (weights[:, i] * weights[:, j])[:, None] * right
    return counts


def problem(n_samples, tied, heaviest=4, n_rows=150):
    rng = np.random.default_rng(n_samples)
    scores = rng.normal(size=(n_samples, 4))
    if tied:
        scores = np.round(scores)
    cases = rng.random(n_samples) < 0.4
    cases[:2] = True, False
    weights = rng.integers(0, heaviest, (n_rows, n_samples))
    return scores, cases, ~cases, weights


def swept_by(count):
    """A form that sweeps presorted pairs, as a function of scores and members."""
    return lambda scores, cases, controls, *rest: count(presort(scores, cases, controls), *rest)


def multiplied(scores, cases, controls, weights, chosen, count=product.concordant_weight):
    """The form that multiplies the outcomes of few pairs."""
    pairs, outcomes = (
        presort(scores, cases, controls),
        product.pair_outcomes(scores, cases, controls),
    )
    return count(pairs, outcomes, weights, chosen)


FORMS = {"sweep": swept_by(sweep.concordant_weight), "rows": swept_by(sweep._row_by_row)}
PAIRED = {"product": partial(multiplied, count=product.concordant_paired)}
try:
    from bbccli.metrics.kernels import compiled
except ImportError:
    compiled = None
else:
    FORMS["numba"] = swept_by(compiled.concordant_weight)
    PAIRED["numba"] = swept_by(compiled.concordant_paired)
needs_numba = pytest.mark.skipif(compiled is None, reason="numba is not there")


@pytest.mark.parametrize("count", [*FORMS.values(), multiplied], ids=[*FORMS, "product"])
@pytest.mark.parametrize("tied", [False, swept(True)])
@pytest.mark.parametrize("n_samples", [2, 3, 10, 31, 60])
def test_counts(count, tied, n_samples):
    *members, weights = problem(n_samples, tied)
    expected, few, every = by_hand(*members, weights), weights.astype(np.uint16), np.arange(4)
    for n_rows in (1, 20, 64, 150):
        found = count(*members, few[:n_rows], every)
        np.testing.assert_array_equal(found, expected[:n_rows])
    np.testing.assert_array_equal(count(*members, few, np.array([3, 1])), expected[:, [3, 1]])
    if count is not multiplied:  # weights that are heavy only together
        heavy = np.full((20, n_samples), 3000)
        found = count(*members, heavy.astype(np.uint16), every)
        np.testing.assert_array_equal(found, by_hand(*members, heavy))


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("tied", [False, True])
def test_a_configuration_per_row(tied, name):
    """As the winners of resamples are scored; and one row alone, on all."""
    *members, weights = problem(60 if name == "numba" else 40, tied)
    expected, chosen = by_hand(*members, weights), np.arange(len(weights)) % 4
    own = expected[np.arange(len(weights)), chosen]
    for kind in (np.uint8, np.uint16, np.int64) if name == "numba" else (np.uint16,):
        np.testing.assert_array_equal(PAIRED[name](*members, weights.astype(kind), chosen), own)
        if name == "numba":
            alone = FORMS[name](*members, weights[:1].astype(kind), np.array([2, 0]))
            np.testing.assert_array_equal(alone, expected[:1, [2, 0]])


@pytest.mark.parametrize("at_hand", [1, 90, 2**14])
@pytest.mark.parametrize("tied", [False, True])
def test_the_concordant_pairs_of_each_sample(monkeypatch, tied, at_hand):
    """The pairs of a sample are those that are lost without it, in blocks of any width."""
    monkeypatch.setattr(kernels.pairs, "AT_HAND", at_hand)
    scores, cases, controls, weights = problem(40, tied)
    chosen, masses = np.array([3, 0, 2]), weights[0]
    without = np.where(np.eye(40, dtype=bool), 0, masses)
    expected = by_hand(scores, cases, controls, masses[None])
    expected = (expected - by_hand(scores, cases, controls, without))[:, chosen]
    pairs = presort(scores, cases, controls)
    found = kernels.pairs.concordant_by_sample(pairs, masses.astype(float), chosen)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("tied", [False, True])
def test_one_row_of_ones_and_rows_that_are_not(tied, engine):
    """What all samples count is found without a sweep; only where each counts once."""
    if engine is Engine.NUMBA:
        pytest.importorskip("bbccli.metrics.kernels.compiled")
    scores, cases, controls, _ = problem(60, tied)
    controls[5:9] = cases[5:9] = False  # neither, as of a third class
    pairs, chosen = presort(scores, cases, controls), np.array([2, 0])
    ones = np.ones((3, 60), np.uint16)
    ones[1, 30], ones[2, :30] = 2, 0
    for rows in (ones[:1], ones[1:2], ones[2:], ones, ones[[0, 0]]):
        with use(kernels.decide(1) if engine is Engine.AUTO else Resources(engine=engine)):
            found = kernels.concordant_weight(pairs, rows, chosen)
        expected = by_hand(scores, cases, controls, rows.astype(np.int64))[:, chosen]
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, expected)


@needs_numba
def test_narrow_lanes_where_few_weights_are_heavy():
    weights = np.ones((2, 40_000), np.uint16)
    weights[:, 7] = 25_535
    assert compiled.types_for(weights)[0] is np.uint16
    weights[1, 7] += 2
    assert compiled.types_for(weights)[0] is np.uint32


@needs_numba
@pytest.mark.parametrize("lane", [np.uint8, np.uint16, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (64, 7), (150, 33)])
def test_lanes_begin_with_a_line_of_the_cache(shape, lane):
    rows = np.random.default_rng(0).integers(0, 99, shape)
    for lanes in [compiled.in_lanes(rows, lane) for _ in range(9)]:
        assert (lanes.ctypes.data % 64, lanes.dtype) == (0, lane)
        assert lanes.flags.c_contiguous
        flat = lanes.transpose(0, 2, 1).reshape(-1, shape[1])
        np.testing.assert_array_equal(flat[: len(rows)], rows)
        assert not flat[len(rows) :].any()


@pytest.mark.parametrize("name", daily(FORMS, ["sweep"]))
@pytest.mark.parametrize("total", [2**16, swept(2**32)])
def test_counts_beyond_the_narrow_lanes(name, total):
    *members, _ = problem(30, tied=True)
    pairs = presort(*members)
    for excess in (-1, 0, 1):  # below, at and above what a lane or a count holds
        weights = np.ones((20, 30), np.int64)
        weights[:, pairs.controls[0, 0]] = total // (2 * pairs.cases.shape[1]) + excess
        expected = by_hand(*members, weights)
        assert largest_total(pairs, weights) >= expected.max()
        np.testing.assert_array_equal(FORMS[name](*members, weights, np.arange(4)), expected)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("of_cases", [1, swept(2**15 - 1), 2**15])
@pytest.mark.parametrize("total", [2**16 - 1, 2**16, 2**16 + 1])
def test_counts_at_the_limit_of_16_bits(name, of_cases, total):
    """One heavy case above one heavy control: the largest count that a total allows."""
    scores, cases = np.array([[0.2], [0.7], [0.5]]), np.array([False, True, False])
    weights = np.array([[total - of_cases, of_cases, 0], [0, of_cases, total - of_cases]])
    found = FORMS[name](scores, cases, ~cases, weights, np.array([0]))
    assert found[:, 0].tolist() == [2 * of_cases * (total - of_cases)] * 2


@pytest.mark.parametrize("n_lanes", [1, swept(16), 17, swept(40)])
@pytest.mark.parametrize("n_rows", [1, 2, swept(10), 31])
def test_running_totals_in_a_grid(n_rows, n_lanes):
    rng = np.random.default_rng(n_rows)
    weights = rng.integers(0, 4, (n_lanes, n_rows + 3))
    order = rng.permutation(n_rows + 3)[:n_rows]
    lanes = running.side_by_side(weights, np.float64)
    grid = running.Grid.of(n_rows, n_lanes)
    table = grid.table(lanes)
    grid.accumulate(grid.arrange(lanes, order, table[1:]))
    expected = np.vstack([np.zeros(n_lanes), np.cumsum(weights.T[order], axis=0)])
    np.testing.assert_array_equal(table[grid.place], expected)


@pytest.mark.parametrize("n_lanes", [1, swept(40)])
@pytest.mark.parametrize("n_rows", [1, swept(2), 10, swept(31)])
def test_search_finds_where_totals_pass(n_rows, n_lanes):
    rng = np.random.default_rng(n_rows)
    weights = rng.integers(0, 4, (n_lanes, n_rows))
    weights[:, -1] += 1
    order = rng.permutation(n_rows)
    half = weights.sum(axis=1) / 2
    search = running.Search.of(running.side_by_side(weights, np.float64), n_rows)
    search.arrange(order)
    totals = np.cumsum(weights.T[order], axis=0)
    for passes in (np.greater_equal, np.greater):
        expected = np.argmax(passes(totals, half), axis=0)
        np.testing.assert_array_equal(search.first(passes, half), expected)


@pytest.mark.parametrize("engine", ["numba", "auto"])
def test_numba_that_does_not_start(engine, monkeypatch):
    def refuse(name):
        raise ValueError("Number of threads specified must be > 0.\nsee the manual")

    monkeypatch.setattr(kernels, "import_module", refuse)
    monkeypatch.delitem(sys.modules, "bbccli.metrics.kernels.compiled", raising=False)
    kernels._fault.cache_clear()
    matrix = binary()
    try:
        with use(Resources(engine=engine, jobs=1)):
            if engine == "auto":
                assert kernels.decide(10**12).engine is Engine.NUMPY
                return
            with pytest.raises(OptionError, match="does not start: Number of threads") as error:
                kernels.decide(1)
            assert "see the manual" not in error.value.problem
            assert "NUMBA_NUM_THREADS" in error.value.hint
            with pytest.raises(OptionError, match="does not start"):
                METHODS["cvt"].run(matrix, "auc", Plan())
    finally:
        kernels._fault.cache_clear()


@pytest.mark.sweep
@pytest.mark.parametrize(("value", "status"), [("0", 2), ("-1", 2), ("abc", 0), ("4096", 0)])
def test_threads_of_numba_in_the_environment(value, status, tmp_path):
    pytest.importorskip("numba")
    path = Path(__file__).parents[1] / "sample_data" / "progression.parquet"
    done = subprocess.run(
        [sys.executable, "-m", "bbccli", "leaderboard", path, "--engine", "numba"],
        env=os.environ | {"NUMBA_NUM_THREADS": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
