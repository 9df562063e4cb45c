"""One large file on workers that have parts of its samples: the same bytes as in one process."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from day import SWEEP
from large_files import chances, file_of, same
from matrices import for_metric
from numpy.testing import assert_array_equal

from bbccli.batch import parts
from bbccli.core.resources import Resources
from bbccli.metrics import METRICS
from bbccli.metrics.weighting import CHUNK
from bbccli.readers.column_file import ColumnFile
from bbccli.stats.bootstrap import by_rows
from bbccli.stats.bootstrap.by_rows import Sharing, Work, counts_of
from bbccli.stats.resampling import BLOCK, draws_of
from bbccli.types import MetricKind

MANY = 2 * CHUNK + 8_929
"""Samples: three chunks, the last a short one."""

FEW = ("--n-resamples", "66")


@pytest.fixture
def shared(monkeypatch):
    """Share out parts of the samples of some height."""

    def force(height, n_blocks=1, of_winners=None):
        def by_hand(self):
            return Sharing(height, n_blocks, 0.0)

        monkeypatch.setattr(Work, "by_rows", by_hand)
        monkeypatch.setattr(Work, "winners", lambda self: Sharing(of_winners or height, 1, 0.0))
        monkeypatch.setattr(Work, "fits", False)

    return force


@pytest.fixture
def enough(workers, monkeypatch):
    """Workers with as much memory as a block of resamples of some samples takes."""
    monkeypatch.setattr(parts, "limits_of", lambda asked, _: Resources(1, 60 * 10**6))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("height", "n_blocks", "of_winners", "names"),
    [
        (CHUNK, 1, 2 * CHUNK, ("accuracy", "brier", "mcc")),
        (2 * CHUNK, 2, CHUNK, ("log-loss", "error", "youden")),
        (3 * CHUNK, 2, CHUNK, ("f1", "log-loss", "kappa")),
        (CHUNK, 2, 3 * CHUNK, ("brier", "npv", "accuracy")),
    ],
)
def test_chances(run, tmp_path, workers, shared, height, n_blocks, of_winners, names):
    truth, fold, found = chances(MANY, n_columns=8, seed=height)
    shared(height, n_blocks, of_winners)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold, row_group_size=50_000)
    words = [word for name in names for word in ("--metric", name)]
    words += ["--method", "bbc", "--seed", n_blocks]
    status, _, err = same(run, tmp_path / "p.parquet", *words, *FEW)
    assert status == 0, err
    asked, n_spans = workers[0].asked, -(-2 // n_blocks)
    assert asked.count("totals_in_bags") == n_spans * -(-MANY // height)
    sized = any(METRICS[name].kind is MetricKind.OTHER for name in names)
    n_tasks = 2 * -(-MANY // of_winners) * len(names)
    n_asked = asked.count("totals_of_winners")
    assert n_asked > n_tasks if sized else n_asked == n_tasks


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["rmse", "mse", "mae", "mape", "poisson-deviance"])
def test_values(run, tmp_path, workers, shared, name):
    rng = np.random.default_rng(1)
    truth = np.round(rng.normal(50, 9, MANY), 1) + 40
    found = np.abs(truth + rng.normal(0, 1, (6, MANY)) * rng.uniform(4, 5, 6)[:, None]) + 1e-3
    if name == "mape":
        truth[MANY // 2] = 0.0  # undefined in the bags that hold it
    found[4] = found[1]
    shared(CHUNK)
    file_of(tmp_path / "v.parquet", truth, found, fold=rng.integers(0, 9, MANY))
    status, _, err = same(run, tmp_path / "v.parquet", "--metric", name, "--method", "bbc", *FEW)
    assert status == (2 if name == "mape" else 0), err
    n_tasks = sum(asked.startswith("totals") for asked in workers[0].asked)
    # the size correction scores the two that win out of all bags again
    assert n_tasks == {"mape": 0, "rmse": 6 * 3}.get(name, 4 * 3)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("n_groups", "words"),
    [
        (70_000, ("--metric", "brier")),
        (900, ("--metric", "accuracy", "--metric", "log-loss")),
        (None, ("--metric", "brier", "--interval", "matched", "--only", "c0[2-5]")),
        (None, ("--metric", "accuracy", "--threshold", "0.4", "--positive", "0")),
    ],
)
def test_what_may_be_asked(run, tmp_path, workers, shared, n_groups, words):
    truth, fold, found = chances(MANY, n_columns=8)
    if n_groups:
        site = np.random.default_rng(0).permutation(np.arange(MANY) % n_groups)
        words, roles = (*words, "--group", "site"), {"site": site}
    else:
        roles = {}
    shared(CHUNK, 2, 2 * CHUNK)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold, row_group_size=30_000, **roles)
    status, _, err = same(run, tmp_path / "p.parquet", "--method", "bbc", *words, *FEW)
    assert status == 0, err
    assert "totals_in_bags" in workers[0].asked


@pytest.mark.sweep
@pytest.mark.parametrize(
    "words",
    [
        ("--metric", "auc"),
        pytest.param(("--metric", "accuracy", "--pooling", "fold-mean"), marks=SWEEP),
        pytest.param(("--metric", "balanced-accuracy"), marks=SWEEP),
    ],
)
def test_what_is_no_sum_over_samples_stays_whole(run, tmp_path, workers, shared, words, enough):
    truth, fold, found = chances(CHUNK + 9, n_columns=8)
    shared(CHUNK)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    assert same(run, tmp_path / "p.parquet", "--method", "bbc", *words, *FEW)[0] == 0
    assert not any(asked.startswith("totals") for asked in workers[0].asked)


@pytest.mark.sweep
def test_caps_are_of_all_samples(run, tmp_path, workers, shared, enough):
    rng = np.random.default_rng(3)
    truth = rng.normal(50, 9, CHUNK + 9)
    found = truth + rng.normal(0, 5, (4, len(truth)))
    shared(CHUNK)
    file_of(tmp_path / "v.parquet", truth, found)
    words = ("--metric", "mse", "--cap", "0.9", "--method", "bbc")
    assert same(run, tmp_path / "v.parquet", *words, *FEW)[0] == 0
    assert not any(asked.startswith("totals") for asked in workers[0].asked)


@pytest.mark.sweep
def test_memory_for_no_resample_of_all_samples_is_enough(run, tmp_path, workers, monkeypatch):
    """16 MB, where a block of resamples takes 84 MB; the AUC says so."""
    truth, fold, found = chances(MANY, n_columns=8)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = ("correct", tmp_path / "p.parquet", "--runner", "dask", "--method", "bbc", *FEW)
    assert run(*words, "--metric", "accuracy", "--metric", "brier")[0] == 0
    n_parts = -(-MANY // CHUNK)
    assert workers[0].asked.count("totals_of_winners") == 2 * 2 * n_parts
    err = run.refused(*words, "--metric", "accuracy", "--metric", "auc")
    assert "--memory is 16.7772 MB, and 140001 samples need 85 MB" in err


@pytest.mark.sweep
@pytest.mark.parametrize("stretch", [7, 4096, 65_537, 2**20])
@pytest.mark.parametrize("grouped", [False, True])
def test_counts_of_rows_are_those_of_whole_resamples(monkeypatch, stretch, grouped):
    """However many draws are made at a time, and from whichever row on."""
    n = 66_000 if not grouped else 150_000
    groups = np.random.default_rng(1).permutation(np.arange(n) % 66_000) if grouped else None
    monkeypatch.setattr(by_rows, "STRETCH", stretch if stretch > 7 else 6_001)
    draws = draws_of(n, groups, 5, leaving_out=False)
    whole = draws.batch(3, 1)
    sizes = np.zeros(BLOCK, int)
    for rows in (slice(0, 1), slice(1, 40_001), slice(40_001, n)):
        counts, left_out = counts_of(draws.part(range(3, 4)), rows)
        assert counts.dtype == whole.in_bag.dtype
        assert_array_equal(counts, whole.in_bag[:, rows])
        sizes += left_out
    assert_array_equal(sizes, whole.sizes)


@pytest.mark.parametrize("group", [1, 7, 50, 100])
def test_rows_of_a_file_are_read_alone(tmp_path, group, monkeypatch):
    _, _, found = chances(100, n_columns=8)
    path = tmp_path / "p.parquet"
    file_of(path, np.arange(100), found, row_group_size=group)
    file = ColumnFile(str(path), path.stat().st_size, ("c01", "c05"), 100, True)
    read = []

    def watched(self, groups, **options):
        read.append(sum(self.metadata.row_group(one).num_rows for one in groups))
        return plainly(self, groups, **options)

    plainly = pq.ParquetFile.read_row_groups
    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", watched)
    for rows in (slice(0, 3), slice(49, 51), slice(50, 100), slice(None), slice(7, 7)):
        assert_array_equal(file[:, rows, [1, 0]][0], found[[5, 1]].T[rows])
    assert read[0] == -(-3 // group) * group
    assert read[3] == 100


class TestSharing:
    @pytest.mark.parametrize("memory", [2**24, 10**8, 10**9, 4 * 10**9])
    @pytest.mark.parametrize("n_samples", [10**7, 10**8])
    def test_counts_fit_the_memory_and_all_cores_have_work(self, memory, n_samples):
        work = Work(n_samples, 16, 1000, 20, memory)
        sharing = work.by_rows()
        assert BLOCK * sharing.n_blocks * sharing.height * 4 <= memory
        n_tasks = len(sharing.rows(n_samples)) * len(sharing.spans(range(16)))
        assert n_tasks >= 20
        assert len(work.winners().spans(range(16))) == 16

    def test_parts_of_the_samples_where_a_block_of_resamples_does_not_fit(self):
        assert not Work(10**5, 16, 10**5, 100, 60 * 10**6).by_rows_pays(200)
        assert Work(10**5, 16, 10**5, 100, 59 * 10**6).by_rows_pays(200)
        assert Work(10**8, 16, 10**4, 100, 8 * 10**10).by_rows_pays(157)


@pytest.mark.parametrize("name", [name for name, one in METRICS.items() if one.by_sample])
def test_what_parts_of_the_samples_tell_adds_up(name):
    """Bound to some rows, a sample adds what it adds among all."""
    metric, rng = METRICS[name], np.random.default_rng(2)
    matrix = for_metric(name, n_samples=90, n_configurations=5)
    weights = rng.integers(0, 3, (7, 90)).astype(np.uint8)
    predictions = matrix.as_kind(metric.wants)[0]
    scorer, parts = metric.bind(matrix.outcome, predictions), []
    for rows in (slice(0, 30), slice(30, 31), slice(31, 90)):
        part = metric.bind(matrix.outcome.take(rows), predictions[rows])
        parts.append(part.totals(weights[:, rows]))
    joined = [sum(one) for one in zip(*parts, strict=True)]
    np.testing.assert_allclose(scorer.of_totals(joined), scorer(weights), rtol=1e-12)
    alone = scorer.totals(weights, np.array([2]))
    for total, of_all in zip(alone, joined, strict=True):
        np.testing.assert_allclose(total[:, 0], of_all[:, min(2, of_all.shape[1] - 1)], rtol=1e-12)
