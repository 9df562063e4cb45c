"""One large file on workers: the same bytes as in one process, whatever is asked of it."""

import os
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from day import SWEEP, parts
from large_files import FEW, chances, file_of, same

from bbccli import METRICS as METRIC
from bbccli.batch import cluster
from bbccli.batch import parts as module
from bbccli.batch.parts import pack, unpack, work
from bbccli.core import resources
from bbccli.errors import InputError, OptionError
from bbccli.readers.column_file import ColumnFile
from bbccli.types import MetricKind

METRICS = ("accuracy", "auc", "brier", "log-loss", "f1", "mcc", "balanced-accuracy", "kappa")


@pytest.mark.sweep
@parts("seed", 0, whole=7)
def test_every_metric_of_chances(run, tmp_path, workers, seed):
    truth, fold, found = chances(seed=seed)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = [word for name in METRICS for word in ("--metric", name)]
    status, out, _ = same(run, tmp_path / "p.parquet", *words, "--seed", seed, *FEW)
    assert status == 0
    # those of metrics that are no mean average no folds
    means = [name for name in METRICS if METRIC[name].kind is not MetricKind.OTHER]
    assert out.count('"method": "tt"') == len(means) == 5
    assert workers[0].calls > 30
    for name in METRICS[:4]:  # each selects
        same(run, tmp_path / "p.parquet", "--metric", name, "--seed", seed, *FEW)


@pytest.mark.parametrize(
    "words",
    [
        ("--interval", "matched"),
        ("--interval", "calibrated", "--metric", "brier"),
        ("--no-guard", "--side", "pessimistic"),
        ("--pooling", "within-folds"),
        ("--pooling", "fold-mean", "--metric", "log-loss"),
        ("--group", "site", "--metric", "accuracy", "--metric", "auc"),
        ("--group", "site", "--metric", "brier", "--metric", "log-loss"),
        ("--n-resamples", "auto", "--tolerance", "0.004"),
        ("--threshold", "0.3", "--metric", "f1"),
        ("--exclude", "c0[1-4]", "--positive", "0"),
        ("--only", "c02", "--metric", "brier"),
        ("--memory", "16MB", "--engine", "numpy"),
        ("--fail-under", "0.99"),
        ("--folds", "folds.csv", "--method", "bbc-f", "--metric", "brier"),
    ],
)
def test_what_may_be_asked(run, tmp_path, workers, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth, fold, found = chances()
    site = np.arange(len(truth)) // 3
    if "--folds" in words:
        lines = "\n".join(str(row % 11) for row in range(len(truth)))
        (tmp_path / "folds.csv").write_text(f"fold\n{lines}\n")
        file_of(tmp_path / "p.parquet", truth, found)
    else:
        sites = {"site": site} if "--group" in words else {}
        file_of(tmp_path / "p.parquet", truth, found, fold=fold, **sites)
    given = () if "--n-resamples" in words else FEW
    status, _, err = same(run, "p.parquet", *words, *given)
    assert status == (3 if "--fail-under" in words else 0), err


def test_a_column_for_each_of_two_classes(run, tmp_path, workers):
    truth, fold, found = chances(n_columns=8)
    columns = {f"c{c}::{k}": found[c] if k else 1 - found[c] for c in range(8) for k in (1, 0)}
    file_of(tmp_path / "p.parquet", truth, [], fold=fold, **columns)
    for positive in ("1", "0"):
        words = ("--positive", positive, "--metric", "auc", "--metric", "brier", *FEW)
        status, out, _ = same(run, tmp_path / "p.parquet", *words)
        assert (status, '"c2"' in out) == (0, True)
    file_of(tmp_path / "p.parquet", truth + fold % 2, [], fold=fold, **columns)
    err = run.refused("correct", tmp_path / "p.parquet", "--runner", "dask")
    assert "truth is not one of the classes of the predictions (1, 0)" in err
    columns |= {f"c{c}::2": found[c] for c in range(8)}
    file_of(tmp_path / "p.parquet", truth, [], fold=fold, **columns)
    err = run.refused("correct", tmp_path / "p.parquet", "--runner", "dask")
    assert "there is a column for each of several classes" in err


@pytest.mark.sweep
def test_values_and_labels(run, tmp_path, workers):
    rng = np.random.default_rng(1)
    truth = np.round(rng.normal(50, 9, 300), 1)
    found = truth + rng.normal(0, 1, (9, 300)) * rng.uniform(4, 8, 9)[:, None]
    file_of(tmp_path / "v.parquet", truth, found, fold=rng.integers(0, 9, 300))
    words = [word for name in ("rmse", "mse", "mae") for word in ("--metric", name)]
    assert same(run, tmp_path / "v.parquet", *words, *FEW)[0] == 0
    assert same(run, tmp_path / "v.parquet", "--cap", "0.9", "--metric", "rmse", *FEW)[0] == 0
    classes = rng.integers(3, 7, 300)
    wrong = rng.random((9, 300)) < 0.4
    labels = np.where(wrong, rng.integers(3, 7, (9, 300)), classes)
    file_of(tmp_path / "l.parquet", classes, labels, fold=rng.integers(0, 5, 300))
    words = ("--metric", "f1-macro", "--metric", "accuracy")
    status, out, _ = same(run, tmp_path / "l.parquet", *words, *FEW)
    assert status == 0
    assert '"multiclass"' in out


@pytest.mark.sweep
def test_strange_columns_are_told_of_as_in_one_process(run, tmp_path, workers):
    truth, fold, found = chances(n=200)
    found[1] = 0.25  # constant
    found[4] = fold + 0.5  # of the fold, and no probability
    found[6] = found[5]
    found[9] = 0.25 + 0.5 * truth + 0.1 * found[9]  # always right
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    codes = ("constant-predictions", "fold-like", "perfect-configuration", "duplicate-config")
    _, out, _ = same(run, tmp_path / "p.parquet", *FEW)
    assert [code for code in codes if code not in out] == []
    found[4] = 7 * found[8]
    file_of(tmp_path / "p.parquet", truth, 1 - found, fold=fold)
    _, out, _ = same(run, tmp_path / "p.parquet", *FEW)
    assert '"off-scale"' in out
    assert '"polarity"' in out
    found[4], found[5] = found[3], 1 - found[2]
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    assert "sum to 1 in every row" in same(run, tmp_path / "p.parquet", *FEW)[2]
    assert "turned-round" in same(run, tmp_path / "p.parquet", "--only", "*", *FEW)[1]
    values = np.linspace(1, 9, 200)
    noise = np.random.default_rng(0).normal(size=(8, 200))
    columns = [*(values + noise), values + 40, values**3]
    file_of(tmp_path / "v.parquet", values, columns, fold=fold)
    _, out, _ = same(run, tmp_path / "v.parquet", "--metric", "mae", *FEW)
    assert '"off-scale"' in out
    assert '"perfect-configuration"' in out


@pytest.mark.sweep
@pytest.mark.parametrize(("n_samples", "jobs"), [(9000, 3), pytest.param(66_000, 1, marks=SWEEP)])
def test_more_samples_than_are_added_up_at_once(
    run, tmp_path, workers, monkeypatch, n_samples, jobs
):
    """Sums of real numbers are those of one process, though products have other shapes."""
    truth, fold, found = chances(n_samples, n_columns=8)
    monkeypatch.setattr(module, "limits_of", lambda asked, _: resources.Resources(1, 6 * 10**7))
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = ("--metric", "brier", "--metric", "log-loss", "--n-resamples", "70", "--jobs", jobs)
    assert same(run, tmp_path / "p.parquet", *words)[0] == 0


REFUSED = [
    (("--weight", "w"), "the samples have weights"),
    (("--method", "naive"), "--method naive needs all predictions in one place"),
    (("--method", "all"), "--method all needs all predictions in one place"),
    (("--metric", "average-precision"), "--runner dask lacks average-precision: in parts"),
    (("--select", "one-se"), "--runner dask selects the best configuration, not by --select"),
    (("--cost-of-search",), "--runner dask can't compute the cost of the search"),
    (("--format", "html"), "--runner dask makes no page"),
    (("--repeat", "r"), "there are repeats, or several rows per sample"),
]


@pytest.mark.parametrize(("words", "problem"), REFUSED)
def test_what_takes_all_predictions_is_one_line(run, tmp_path, workers, words, problem):
    truth, fold, found = chances(60)
    more = {"w": np.full(60, 2.0), "r": np.arange(60) // 30}
    more = {name: more[name] for name in more if name in words}
    file_of(tmp_path / "p.parquet", truth, found, fold=fold % 2, **more)
    err = run.refused("correct", tmp_path / "p.parquet", *words, "--runner", "dask")
    assert problem in err.splitlines()[0]
    assert err.splitlines()[1].startswith("hint: ")
    assert len(err.splitlines()) == 2


def test_files_that_are_no_wide_parquet(run, tmp_path, workers):
    (tmp_path / "p.csv").write_text("truth,a,b\n0,0.2,0.3\n1,0.7,0.9\n0,0.1,0.4\n1,0.6,0.2\n")
    err = run.refused("correct", tmp_path / "p.csv", "--runner", "dask")
    assert (
        "p.csv: this is not a Parquet file\nhint: leave out --runner dask; or use one wide" in err
    )
    truth, fold, found = chances(60)
    found[8, 5] = np.nan
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    err = run.refused("correct", tmp_path / "p.parquet", "--runner", "dask")
    assert "needs all predictions; 1 of 60 are missing (column 'c08')" in err
    found[8, 5], found[2] = np.inf, truth
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    assert same(run, tmp_path / "p.parquet")[0] == 2
    found[8] = 0.5
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    status, _, err = same(run, tmp_path / "p.parquet", "--metric", "auc")
    assert status == 2
    assert "equal to the truth" in err


def test_large_arrays_are_sent_by_name():
    large, shared = np.arange(10**5), {}
    packed = pack((print, (large, np.arange(3), large)), lambda a: shared.setdefault(id(a), a))
    assert list(shared) == [id(large)]
    assert len(packed) < 10**4
    _, (first, small, second) = unpack(packed, shared)
    assert first is large is second
    assert small.tolist() == [0, 1, 2]


def cluster_of_processes():
    import dask
    import distributed  # noqa: F401 -- its settings first

    return dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})


def test_two_worker_processes(run, tmp_path, monkeypatch, quick_starts):
    truth, fold, found = chances(n_columns=140)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    monkeypatch.chdir(tmp_path)
    with cluster_of_processes():
        words = ("--metric", "brier", "--metric", "auc", "--jobs", "2", *FEW)
        assert same(run, "p.parquet", *words)[0] == 0


DEADLY = '''
import os
from dataclasses import replace

from bbccli import METRICS


def bind(outcome, predictions):
    """Kill any process but the one that started the others."""
    if os.getpid() != {survivor}:
        os.kill(os.getpid(), 9)
    return METRICS["auc"].bind(outcome, predictions)


M = replace(METRICS["auc"], name="m", bind=bind)
'''


@pytest.mark.sweep
def test_a_lost_worker_is_one_line(run, tmp_path, monkeypatch, quick_starts):
    truth, fold, found = chances(60)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    (tmp_path / "fatal.py").write_text(DEADLY.format(survivor=os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    words = ("--metric", "fatal:M", "--method", "cvt", "--runner", "dask", "--jobs", "1")
    with cluster_of_processes():
        err = run.refused("correct", tmp_path / "p.parquet", *words)
    assert err == (
        "error: a worker died on its part: killed, or out of memory\n"
        "hint: give workers more memory, or lower --memory\n"
    )


@pytest.mark.sweep
def test_a_scheduler_that_is_not_there_is_one_line(run, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", "1s")
    truth, fold, found = chances(60)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    argv = ("--runner", "dask", "--scheduler", "tcp://127.0.0.1:9")
    err = run.refused("correct", tmp_path / "p.parquet", *argv)
    assert err.startswith("error: no scheduler answers at tcp://127.0.0.1:9\nhint: ")
    err = run.refused("correct", tmp_path / "p.parquet", "--scheduler", "tcp://127.0.0.1:9")
    assert err.startswith("error: --scheduler needs --runner dask\nhint: ")
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    err = run.refused("correct", tmp_path / "p.parquet", "--runner", "dask")
    assert "hint: pip install 'bbccli[dask]'" in err


def test_a_file_that_a_worker_does_not_see(tmp_path):
    truth, fold, found = chances(60)
    path = tmp_path / "p.parquet"
    file_of(path, truth, found, fold=fold)
    file = ColumnFile(str(path), path.stat().st_size, ("c00", "c02"), 60, True)
    assert file.shape == (1, 60, 2)
    np.testing.assert_array_equal(file[:, :, [1]][0, :, 0], found[2])
    for other in (replace(file, path=str(tmp_path / "q.parquet")), replace(file, size=9)):
        with pytest.raises(InputError, match="can't be read by a worker: ") as raised:
            other[:, :, [0]]
        assert other.path in str(raised.value)
        assert "a shared disk" in raised.value.hint
        packed = pack((other.__getitem__, ((slice(None), slice(None), [0]),)), lambda one: None)
        told = pickle.loads(pickle.dumps(work(packed, {}, resources.Resources(1))))
        assert (str(told), told.hint) == (str(raised.value), raised.value.hint)


class Client:
    """As much of a client of dask as tells of its workers."""

    def __init__(self, **limits):
        self.limits = limits

    def ncores(self):
        return dict.fromkeys(self.limits, 1)

    def scheduler_info(self, n_workers):
        known = {n: {"memory_limit": m, "nthreads": 2} for n, m in self.limits.items()}
        return {"workers": known}


def test_memory_is_a_share_of_what_the_smallest_worker_has():
    workers = module.DaskWorkers(Client(a=4 * 10**9, b=2 * 10**9))
    auto = resources.resources_of(3, "auto", resources.Engine.NUMPY)
    assert module.limits_of(auto, workers) == resources.Resources(1, 4 * 10**8, auto.engine)
    given = resources.resources_of(3, "100MB", resources.Engine.NUMPY)
    assert module.limits_of(given, workers).memory == 10**8
    assert module.limits_of(auto, module.DaskWorkers(Client(a=0))).memory == auto.memory
    with pytest.raises(OptionError, match="workers have too little memory"):
        module.limits_of(auto, module.DaskWorkers(Client(a=10**6)))
    assert [len(part) for part in workers.parts(1000)] == [250] * 4
    assert [len(part) for part in workers.parts(65)] == [33, 32]
    assert [len(part) for part in workers.parts(3)] == [3]
