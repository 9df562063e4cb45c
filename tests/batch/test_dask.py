"""The same batch on a real scheduler with worker processes, one of which is killed."""

import json
import signal
import subprocess
import sys
import time

import pytest
from experiments import FAST, command, environment

pytest.importorskip("distributed")
PATTERN = "runs/**/p.csv"
N_FILES = 60


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler, and its two worker processes, in a folder of their own."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    where = folder / "scheduler.json"
    options = {"cwd": folder, "env": environment(), "stderr": subprocess.DEVNULL}
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    scheduler += ["--port", "0", "--no-dashboard", "--scheduler-file", where]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", where]
    worker += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    processes = [subprocess.Popen(words, **options) for words in (scheduler, worker, worker)]
    try:
        yield where, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_killed_worker_costs_nothing_and_changes_nothing(runs, process, cluster):
    folder, (where, workers) = runs(N_FILES), cluster
    local = process(*command("batch", PATTERN, "-o", "local.jsonl", *FAST, "--jobs", "1"))
    assert local.returncode == 0, local.stderr
    address = _address(where)
    both = f"import distributed as d; d.Client({address!r}).wait_for_workers(2, timeout=60)"
    ready = process(sys.executable, "-c", both)
    assert ready.returncode == 0, ready.stderr
    words = ("batch", PATTERN, "-o", "dask.jsonl", *FAST, "--runner", "dask")
    with subprocess.Popen(
        command(*words, "--scheduler", address),
        cwd=folder,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as batch:
        while lines(folder / "dask.jsonl.journal") < 5 and batch.poll() is None:
            time.sleep(0.01)
        at_the_kill = lines(folder / "dask.jsonl.journal")
        workers[0].send_signal(signal.SIGKILL)
        _, err = batch.communicate(timeout=120)
    assert batch.returncode == 0, err
    assert at_the_kill < N_FILES, "nothing was left to do"
    assert (folder / "dask.jsonl").read_bytes() == (folder / "local.jsonl").read_bytes()


def _address(where):
    until = time.monotonic() + 60
    while not where.exists() or not where.read_text().strip():
        assert time.monotonic() < until, "the scheduler did not start"
        time.sleep(0.05)
    return json.loads(where.read_text())["address"]


def test_a_scheduler_that_is_not_there_is_one_line(runs, run, monkeypatch):
    from bbccli.batch import cluster as module

    runs(1)
    monkeypatch.setattr(module, "PATIENCE", "1s")
    argv = ("--runner", "dask", "--scheduler", "tcp://127.0.0.1:9")
    status, out, err = run("batch", PATTERN, "-o", "r.jsonl", *FAST, *argv)
    assert (status, out) == (2, "")
    assert err.startswith("error: no scheduler answers at tcp://127.0.0.1:9\nhint: ")


def test_dask_that_is_not_installed_is_one_line(runs, run, monkeypatch):
    runs(1)
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    status, _, err = run("batch", PATTERN, "-o", "r.jsonl", *FAST, "--runner", "dask")
    assert status == 2
    assert "hint: pip install 'bbccli[dask]'" in err
