"""One large file on workers: the same bytes as in one process, whatever is asked of it."""

import os
import sys

import numpy as np
import pytest
from day import swept
from large_files import FEW, Here, chances, file_of, same
from matrices import for_metric

from bbccli import METRICS as METRIC
from bbccli.batch import cluster
from bbccli.batch import parts as module
from bbccli.batch.parts import pack, unpack
from bbccli.errors import OptionError
from bbccli.platform import resources
from bbccli.stats.bootstrap import on_workers
from bbccli.stats.selection.candidates import candidates
from bbccli.types import MetricKind, Pooling

METRICS = ("accuracy", "auc", "brier", "log-loss", "f1", "mcc", "balanced-accuracy", "kappa")


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [0, swept(7)])
def test_every_metric_of_chances(run, tmp_path, workers, seed):
    truth, fold, found = chances(seed=seed)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = [word for name in METRICS for word in ("--metric", name)]
    status, out, _ = same(run, tmp_path / "p.parquet", *words, "--seed", seed, *FEW)
    assert status == 0
    # those of metrics that are no mean average no folds
    means = [name for name in METRICS if METRIC[name].kind is not MetricKind.OTHER]
    assert out.count('"method": "tt"') == len(means) == 5
    assert workers[0].calls >= 3 * (1 + len(METRICS))
    for name in METRICS[:4]:  # each selects
        same(run, tmp_path / "p.parquet", "--metric", name, "--seed", seed, *FEW)


@pytest.mark.parametrize(
    "words",
    [
        ("--interval", "matched"),
        swept(("--interval", "calibrated", "--metric", "brier")),
        swept(("--no-guard", "--side", "pessimistic")),
        swept(("--pooling", "within-folds")),
        swept(("--pooling", "fold-mean", "--metric", "log-loss")),
        swept(("--group", "site", "--metric", "accuracy", "--metric", "auc")),
        swept(("--group", "site", "--metric", "brier", "--metric", "log-loss")),
        ("--n-resamples", "auto", "--tolerance", "0.004"),
        swept(("--threshold", "0.3", "--metric", "f1")),
        swept(("--exclude", "c0[1-4]", "--positive", "0")),
        swept(("--only", "c02", "--metric", "brier")),
        swept(("--memory", "16MB", "--engine", "numpy")),
        swept(("--fail-under", "0.99")),
        swept(("--folds", "folds.csv", "--method", "bbc-f", "--metric", "brier")),
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
    status, _, err = same(run, tmp_path / "p.parquet", *FEW)
    assert status == 2
    assert "truth is not one of the classes of the predictions (1, 0)" in err
    columns |= {f"c{c}::2": found[c] for c in range(8)}
    file_of(tmp_path / "p.parquet", truth, [], fold=fold, **columns)
    assert same(run, tmp_path / "p.parquet", *FEW)[0] == 0  # of three classes


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
    found[4] = 7 * found[8][::-1]  # on another scale, and no copy
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
    columns = [*(values + noise), values + 40 + noise[0], values**3]
    file_of(tmp_path / "v.parquet", values, columns, fold=fold)
    _, out, _ = same(run, tmp_path / "v.parquet", "--metric", "mae", *FEW)
    assert '"off-scale"' in out
    assert '"perfect-configuration"' in out


@pytest.mark.sweep
@pytest.mark.parametrize(("n_samples", "jobs"), [(9000, 3), swept(66_000, 1)])
def test_more_samples_than_are_added_up_at_once(
    run, tmp_path, workers, monkeypatch, n_samples, jobs
):
    """Sums of real numbers are those of one process, though products have other shapes."""
    truth, fold, found = chances(n_samples, n_columns=8)
    monkeypatch.setattr(Here, "limits", resources.Resources(1, 6 * 10**7))
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = ("--metric", "brier", "--metric", "log-loss", "--n-resamples", "70", "--jobs", jobs)
    assert same(run, tmp_path / "p.parquet", *words)[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--weight", "w"),
        swept(("--method", "all")),
        swept(("--method", "naive")),
        swept(("--select", "one-se")),
        swept(("--metric", "average-precision")),
        swept(("--metric", "average-precision", "--metric", "brier")),
        swept(("--cost-of-search",)),
        ("--repeat", "r"),
    ],
)
def test_nothing_is_refused(run, tmp_path, workers, words):
    truth, fold, found = chances(60)
    found[8, 5] = np.nan
    more = {"w": np.full(60, 2.0), "r": np.arange(60) // 30}
    truth = np.tile(truth[:30], 2) if "r" in words else truth
    more = {name: more[name] for name in more if name in words}
    file_of(tmp_path / "p.parquet", truth, found, fold=fold % 2, **more)
    status, _, err = same(run, tmp_path / "p.parquet", *words, "--task", "binary")
    assert status == 0, err
    assert workers[0].calls or words[-1] in ("naive", "one-se")


def test_any_file_is_read_as_in_one_process(run, tmp_path, workers):
    truth, fold, found = chances(60)
    lines = np.column_stack([truth, fold, *found[:7]])
    names = ",".join(["truth", "fold", *(f"c{c}" for c in range(7))])
    np.savetxt(tmp_path / "p.csv", lines, "%.6g", ",", header=names, comments="")
    assert same(run, tmp_path / "p.csv", *FEW)[0] == 0
    assert workers[0].calls
    found[8, 5], found[2] = np.inf, truth
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    assert same(run, tmp_path / "p.parquet")[0] == 2
    found[8] = 0.5
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    status, _, err = same(run, tmp_path / "p.parquet", "--metric", "auc")
    assert status == 2
    assert "equal to the truth" in err


def test_predictions_are_sent_once(run, tmp_path, workers):
    """However many metrics and spans of resamples there are."""
    truth, fold, found = chances(9000, n_columns=12)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = ("--metric", "brier", "--metric", "auc", "--n-resamples", "900", "--method", "bbc")
    assert same(run, tmp_path / "p.parquet", *words)[0] == 0
    assert workers[0].calls > 12
    parts = [one for one in workers[0].sent.values() if one.ndim == 3]
    assert sorted(one.shape[2] for one in parts) == [4, 4, 4]


def test_large_arrays_are_sent_by_name():
    large, shared = np.arange(10**5), {}
    packed = pack((print, (large, np.arange(3), large)), lambda a: shared.setdefault(id(a), a))
    assert list(shared) == [id(large)]
    assert len(packed) < 10**4
    _, (first, small, second) = unpack(packed, shared)
    assert first is large is second
    assert small.tolist() == [0, 1, 2]


@pytest.mark.usefixtures("quick_workers")
def test_two_worker_processes(run, tmp_path):
    truth, fold, found = chances(n_columns=140)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    words = ("--metric", "brier", "--metric", "auc", "--jobs", "2", *FEW)
    assert same(run, tmp_path / "p.parquet", *words)[0] == 0


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
@pytest.mark.usefixtures("quick_workers")
def test_a_lost_worker_is_one_line(run, tmp_path, monkeypatch):
    truth, fold, found = chances(60)
    file_of(tmp_path / "p.parquet", truth, found, fold=fold)
    (tmp_path / "fatal.py").write_text(DEADLY.format(survivor=os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    words = ("--metric", "fatal:M", "--method", "bbc", "--runner", "dask", "--jobs", "1")
    assert run.refused("correct", tmp_path / "p.parquet", *words) == (
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


class Client:
    """As much of a client of dask as tells of its workers."""

    def __init__(self, **limits):
        self.limits = limits

    def scheduler_info(self, n_workers):
        known = {n: {"memory_limit": m, "nthreads": 2} for n, m in self.limits.items()}
        return {"workers": known}


def test_memory_is_a_share_of_what_the_smallest_worker_has():
    def limits(given, **workers):
        asked = resources.resources_of(3, given, resources.Engine.NUMPY)
        return module.DaskWorkers(Client(**workers), asked).limits

    numpy = resources.Engine.NUMPY
    assert limits("auto", a=4 * 10**9, b=2 * 10**9) == resources.Resources(1, 4 * 10**8, numpy)
    assert limits("100MB", a=2 * 10**9).memory == 10**8
    assert limits("auto", a=0).memory == resources.resources_of(1, "auto", numpy).memory
    with pytest.raises(OptionError, match="workers have too little memory"):
        limits("auto", a=10**6)


def test_parts_are_a_few_configurations_each():
    matrix = for_metric("accuracy", n_samples=20, n_configurations=200)
    for n_columns, expected in ((200, [50] * 4), (65, [32, 33]), (3, [3])):
        part = matrix.of_configurations(slice(0, n_columns))
        found = on_workers._parts(Here(), candidates(part, METRIC["accuracy"], Pooling.POOLED))
        assert [one.n_configurations for one, _ in found] == expected
        assert [first for _, first in found] == np.cumsum([0, *expected[:-1]]).tolist()
