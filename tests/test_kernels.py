"""All forms of the pair count against a loop over pairs, to the last bit."""

import os
import subprocess
import sys
from functools import partial
from importlib import reload
from pathlib import Path

import numpy as np
import pytest
from day import daily, swept

from bbccli.errors import OptionError
from bbccli.metrics import kernels
from bbccli.metrics.kernels import largest_total, prepared, presort
from bbccli.platform.resources import Engine, Resources, use


def by_hand(scores, cases, controls, weights):
    """Twice the weight of concordant pairs, pair by pair."""
    counts = np.zeros((len(weights), scores.shape[1]), np.int64)
    for i in np.flatnonzero(cases):
        for j in np.flatnonzero(controls):
            right = 2 * (scores[i] > scores[j]) + (scores[i] == scores[j])
            counts += (weights[:, i] * weights[:, j])[:, None] * right
    return counts


def problem(n_samples, tied, n_rows=150):
    rng = np.random.default_rng(n_samples)
    scores = rng.normal(size=(n_samples, 4))
    if tied:
        scores = np.round(scores)
    cases = rng.random(n_samples) < 0.4
    cases[:2] = True, False
    return scores, cases, ~cases, rng.integers(0, 4, (n_rows, n_samples))


def counted(prepare, engine, scores, cases, controls, *asked, count=kernels.concordant_weight):
    """Count by the form that pairs prepared so have in an engine."""
    with use(Resources(engine=engine)):
        return count(prepare(scores, cases, controls), *asked)


FORMS = {
    "sweep": partial(counted, presort, Engine.NUMPY),
    "product": partial(counted, prepared, Engine.NUMPY),
}
try:
    kernels.compiled_forms()
except OptionError:
    pass
else:
    FORMS["numba"] = partial(counted, presort, Engine.NUMBA)
PAIRED = {
    name: partial(form, count=kernels.concordant_paired)
    for name, form in FORMS.items()
    if name != "sweep"
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("tied", [False, swept(True)])
@pytest.mark.parametrize("n_samples", [2, 3, 10, 31, 60])
def test_counts(name, tied, n_samples):
    *members, weights = problem(n_samples, tied)
    count = FORMS[name]
    expected, few, every = by_hand(*members, weights), weights.astype(np.uint16), np.arange(4)
    for n_rows in (1, 10, 20, 64, 150):
        found = count(*members, few[:n_rows], every)
        np.testing.assert_array_equal(found, expected[:n_rows])
    np.testing.assert_array_equal(count(*members, few, np.array([3, 1])), expected[:, [3, 1]])
    heavy = np.full((20, n_samples), 3000)  # only together
    found = count(*members, heavy.astype(np.uint16), every)
    np.testing.assert_array_equal(found, by_hand(*members, heavy))


def test_few_rows_and_more_configurations_than_are_swept_together():
    *members, weights = problem(60, tied=True, n_rows=10)
    many = np.arange(20_000) % 4
    found = FORMS["sweep"](*members, weights.astype(np.uint16), many)
    np.testing.assert_array_equal(found, by_hand(*members, weights)[:, many])


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("tied", [False, True])
def test_a_configuration_per_row(tied, name):
    """As the winners of resamples are scored; and one row alone, on all."""
    *members, weights = problem(60 if name == "numba" else 40, tied)
    expected, chosen = by_hand(*members, weights), np.arange(len(weights)) % 4
    own = expected[np.arange(len(weights)), chosen]
    for kind in (np.uint8, np.uint16, np.int64):
        np.testing.assert_array_equal(PAIRED[name](*members, weights.astype(kind), chosen), own)
        alone = FORMS[name](*members, weights[:1].astype(kind), np.array([2, 0]))
        np.testing.assert_array_equal(alone, expected[:1, [2, 0]])


@pytest.mark.skipif("numba" not in FORMS, reason="numba is not installed")
def test_what_counts_many_samples_is_compiled_before_they_are_sorted():
    """The compiler takes 200 MB, which should not come on top of sorted samples."""
    reload(kernels.compiled_forms())  # nothing is compiled yet
    forms, (scores, cases, controls, weights) = kernels.compiled_forms(), problem(70_000, False, 65)
    loops = forms._SWEEPS[np.uint32, False], forms._one_by_one
    with use(Resources(engine=Engine.NUMBA)):
        pairs = prepared(scores, cases, controls)
        compiled = [len(loop.signatures) for loop in loops]
        kernels.concordant_weight(pairs, weights.astype(np.uint16), np.arange(4))
        kernels.concordant_paired(pairs, (weights == 0).view(np.uint8), np.zeros(65, int))
    assert [len(loop.signatures) for loop in loops] == compiled == [1, 1]


@pytest.mark.parametrize("engine", [Engine.NUMPY, *([Engine.NUMBA] if "numba" in FORMS else [])])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_long_columns_are_sorted_alike_and_stay_in_order_where_they_tie(kind, engine):
    """Sums of real weights depend on the order of ties: it is that of the rows in any engine."""
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(9000, 5)).astype(kind)
    scores[:, 1] = scores[:, 1].round(1)
    scores[:, 2] = np.where(rng.random(9000) < 0.5, -0.0, 0.0) * np.sign(scores[:, 2])
    scores[:, 3] = np.exp(20 * scores[:, 3]) * np.sign(scores[:, 2] + 0.5)
    scores[:, 4] = scores[:, 4].astype(np.float32)
    cases = rng.random(9000) < 0.3
    controls = ~cases & (rng.random(9000) < 0.9)
    with use(Resources(jobs=1, engine=engine)):
        pairs = prepared(scores, cases, controls)
    for c, column in enumerate(scores.T):
        for rows, members in ((pairs.cases, cases), (pairs.controls, controls)):
            among = np.flatnonzero(members)
            np.testing.assert_array_equal(rows[c], among[np.argsort(column[among], kind="stable")])
        of_controls, of_cases = column[pairs.controls[c]], column[pairs.cases[c]]
        ends = [np.searchsorted(of_controls, of_cases, side) for side in ("left", "right")]
        np.testing.assert_array_equal([pairs.below[c], pairs.upto[c]], ends)
        assert pairs.tied[c] == (ends[0] != ends[1]).any()


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


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("tied", [False, True])
def test_one_row_of_ones_and_rows_that_are_not(tied, name):
    """What all samples count is found without a sweep; only where each counts once."""
    scores, cases, controls, _ = problem(60, tied)
    controls[5:9] = cases[5:9] = False  # neither, as of a third class
    chosen, ones = np.array([2, 0]), np.ones((3, 60), np.uint16)
    ones[1, 30], ones[2, :30] = 2, 0
    for rows in (ones[:1], ones[1:2], ones[2:], ones, ones[[0, 0]]):
        found = FORMS[name](scores, cases, controls, rows, chosen)
        expected = by_hand(scores, cases, controls, rows.astype(np.int64))[:, chosen]
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, expected)


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


@pytest.mark.parametrize(
    ("engine", "value", "status"),
    [
        ("numba", "0", 2),
        *(swept("numba", value, status) for value, status in (("-1", 2), ("abc", 0), ("4096", 0))),
        swept("auto", "0", 0),
    ],
)
def test_threads_of_numba_in_the_environment(engine, value, status):
    pytest.importorskip("numba")
    much = ("correct", "--method", "bbc", "--n-resamples", "25000")  # it pays to compile
    words = much if engine == "auto" else ("leaderboard",)
    path = Path(__file__).parents[1] / "sample_data" / "progression.parquet"
    done = subprocess.run(
        [sys.executable, "-m", "bbccli", *words, path, "--engine", engine],
        env=os.environ | {"NUMBA_NUM_THREADS": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert ("does not start: Number of threads" in done.stderr) == (status == 2)
    assert ("NUMBA_NUM_THREADS" in done.stderr) == (status == 2)


@pytest.mark.parametrize(("metric", "loaded"), [("accuracy", False), ("auc", True)])
def test_numba_is_loaded_only_for_metrics_that_it_counts(metric, loaded):
    pytest.importorskip("numba")
    path = Path(__file__).parents[1] / "sample_data" / "progression.parquet"
    script = (
        "import sys, bbccli\n"
        f"bbccli.correct({str(path)!r}, metric={metric!r}, method='bbc', n_resamples=25000)\n"
        "print('numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == str(loaded)
