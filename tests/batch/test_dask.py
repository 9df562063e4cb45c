"""The same batch on a real scheduler with worker processes, some of which die."""

import logging
import random
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from experiments import FAST, environment, experiment
from fuzz.run import in_time
from large_files import FEW, chances, file_of

from bbccli.batch import cluster as module
from bbccli.batch.parts import workers_of_dask
from bbccli.platform.resources import Resources

PATTERN = "runs/**/p.csv"
REAL = ("test_a_worker_that_dies_costs_nothing_and_changes_nothing",)
"""Tests whose workers are programs of their own, as on a cluster."""


pytestmark = pytest.mark.usefixtures("quick_workers")


@pytest.mark.sweep
def test_that_there_are_no_workers_is_said_once_and_again_after_there_were_some(monkeypatch):
    now, cores, told = [0.0], {}, []
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    client = SimpleNamespace(ncores=lambda: cores, scheduler=SimpleNamespace(address="tcp://there"))
    workers = module._Workers(client, None, 2, told.append)

    def wait(seconds):
        for _ in range(round(seconds / module.LOOKS_EVERY)):
            now[0] += module.LOOKS_EVERY
            workers.look()
        return len(told)

    assert [wait(module.TOLD_AFTER), wait(2), wait(50)] == [0, 1, 1]
    cores["one"] = 1
    assert wait(50) == 1
    cores.clear()
    assert [wait(module.TOLD_AFTER - 1), wait(3)] == [1, 2]


def be_a_worker(address, folder):
    """What `dask worker` does, in a process that has imported distributed."""
    import os

    from distributed.cli.dask_worker import main

    os.chdir(folder)
    main([*OPTIONS, address], standalone_mode=False)


OPTIONS = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")


@pytest.fixture
def cluster(tmp_path, request, quick_starts):
    """A scheduler, and a function that starts a worker process in a folder of its own."""
    from distributed import LocalCluster  # late: half a second, for this file alone

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    options = {"cwd": elsewhere, "stderr": subprocess.DEVNULL}
    options["env"] = environment() | {"PYTHONPATH": f"{environment()['PYTHONPATH']}:{tmp_path}"}
    processes = []
    local = {"n_workers": 0, "scheduler_kwargs": module.NO_DASHBOARD, "host": "127.0.0.1"}
    with LocalCluster(processes=True, **local) as scheduler:

        def start():
            address = scheduler.scheduler_address
            if request.node.name in REAL:
                words = [sys.executable, "-m", "distributed.cli.dask_worker", *OPTIONS, address]
                processes.append(subprocess.Popen(words, **options))
            else:
                arguments = (address, elsewhere)
                processes.append(quick_starts.Process(target=be_a_worker, args=arguments))
                processes[-1].start()
            return processes[-1]

        try:
            yield scheduler, start
        finally:
            for process in processes:
                process.kill()
                process.wait() if isinstance(process, subprocess.Popen) else process.join()


def wait_for(truth, seconds=100):
    until = time.monotonic() + seconds
    while not truth():
        assert time.monotonic() < until
        time.sleep(0.01)


def workers_of(scheduler):
    return len(scheduler.scheduler.workers)


@pytest.mark.sweep
def test_what_dask_logs_of_losses_is_not_shown():
    parts, heard = ("client", "core", "utils", "comm", "batched", "scheduler", "nanny"), []
    handler = logging.Handler()
    handler.emit = heard.append
    with module.client_of(0, None):
        for logger in (logging.getLogger(f"distributed.{part}") for part in parts):
            logger.addHandler(handler)
            logger.critical("it is lost")
            logger.removeHandler(handler)
    assert heard == []


def test_a_cluster_of_ours_shows_no_dashboard_and_needs_no_port_of_its_own():
    """Where another listens, dask would warn; where nobody does, it would itself."""
    with socket.socket() as other:
        with suppress(OSError):  # taken already: just as well
            other.bind(("127.0.0.1", 8787))
            other.listen()
        with module._cluster(0) as cluster:
            served = cluster.scheduler.http_server
            assert served.address == "127.0.0.1"
            assert served.port != 8787
            assert "distributed.dashboard.scheduler" not in sys.modules
    with module._cluster(0) as cluster:
        assert cluster.scheduler.http_server.port != 8787


@pytest.mark.sweep
def test_a_worker_that_dies_costs_nothing_and_changes_nothing(runs, run, cluster, deadly):
    folder, (scheduler, start) = runs(30), cluster
    words = ("batch", PATTERN, *FAST, "--metric", deadly(times=1))
    (folder / "runs/011/p.csv").write_text(experiment(11, n_samples=26))
    workers = [start(), start()]
    wait_for(lambda: workers_of(scheduler) == 2)
    address = ("--runner", "dask", "--scheduler", scheduler.scheduler_address)
    status, out, err = run(*words, "-o", "dask.jsonl", *address)
    assert (status, out) == (0, "")
    assert err.endswith("30 files done\nwrote dask.jsonl\n")
    assert sum(worker.poll() is None for worker in workers) == 1
    assert run(*words, "-o", "local.jsonl", "--jobs", "1")[0] == 0
    assert (folder / "dask.jsonl").read_bytes() == (folder / "local.jsonl").read_bytes()


def killed_at_random(run, scheduler, start, words, n_rounds):
    """Run a command again and again, each time with a worker killed after a random number of
    steps of the scheduler.

    Yields what it said, and by how many deaths it was hit before it ended.
    """
    scheduler.scheduler.allowed_failures = 1000  # deaths that have nothing to do with any file
    workers, chance, n_steps = [start(), start()], random.Random(7), 1
    for number in range(n_rounds):
        wait_for(lambda: workers_of(scheduler) == 2)
        over, deaths, before = threading.Event(), [], scheduler.scheduler.transition_counter

        def kill(step, victim, over=over, deaths=deaths):
            while scheduler.scheduler.transition_counter < step:
                if over.wait(0.001):
                    return
            victim.kill()
            victim.join()
            deaths.append(victim)
            workers[workers.index(victim)] = start()

        step = before + 1 + chance.randrange(n_steps)
        killer = threading.Thread(target=kill, args=(step, chance.choice(workers)))
        killer.start()
        with in_time():
            said = run(*(str(word).format(number) for word in words))
        over.set()
        n_steps = scheduler.scheduler.transition_counter - before
        killer.join()
        yield said, len(deaths)


ROUNDS = [
    pytest.param(10, 1, marks=pytest.mark.sweep, id="10"),
    pytest.param(100, 30, marks=pytest.mark.slow, id="100"),
]


@pytest.mark.parametrize(("n_rounds", "n_hit"), ROUNDS)
def test_workers_killed_at_random_cost_a_batch_nothing(runs, run, cluster, n_rounds, n_hit):
    folder, (scheduler, start) = runs(24), cluster
    assert run("batch", PATTERN, "-o", "local.jsonl", *FAST, "--jobs", "1")[0] == 0
    expected, hit = (folder / "local.jsonl").read_bytes(), 0
    address = ("--runner", "dask", "--scheduler", scheduler.scheduler_address)
    words = ("batch", PATTERN, "-o", "{}.jsonl", *FAST, *address)
    fired = killed_at_random(run, scheduler, start, words, n_rounds)
    for number, (said, deaths) in enumerate(fired):
        assert said[:2] == (0, "")
        assert said[2].endswith(f"24 files done\nwrote {number}.jsonl\n")
        assert (folder / f"{number}.jsonl").read_bytes() == expected
        hit += deaths
    assert hit >= n_hit


@pytest.mark.parametrize(("n_rounds", "n_hit"), ROUNDS)
def test_workers_killed_at_random_change_no_correction(run, cluster, tmp_path, n_rounds, n_hit):
    (scheduler, start), path = cluster, tmp_path / "p.parquet"
    truth, fold, found = chances(n_columns=140)
    file_of(path, truth, found, fold=fold)
    words = ("correct", path, "--metric", "brier", "--metric", "auc")
    words = (*words, "-q", "--format", "json", *FEW)
    expected = run(*words)
    assert expected[0] == 0
    words, hit = (*words, "--runner", "dask", "--scheduler", scheduler.scheduler_address), 0
    for said, deaths in killed_at_random(run, scheduler, start, words, n_rounds):
        assert said == expected
        hit += deaths
    assert hit >= n_hit


@pytest.mark.sweep
@pytest.mark.parametrize("at_work", [False, True])
def test_arrays_that_are_lost_with_a_worker_are_sent_again(cluster, tmp_path, at_work):
    scheduler, start = cluster
    scheduler.scheduler.allowed_failures = 1000
    first, large = start(), np.arange(10**5)
    with workers_of_dask(Resources(), scheduler.scheduler_address) as workers:
        assert list(workers.map(np.sum, [(large,)])) == [large.sum()]
        before = workers._sent[id(large)][1].key
        slow = workers.map(total_in, [(tmp_path if at_work else None, large), (None, large)])

        def kill():
            if at_work:
                wait_for((tmp_path / "begun").exists)
            first.kill()
            (tmp_path / "killed").touch()
            start()

        threading.Thread(target=kill).start()
        if not at_work:
            wait_for(lambda: workers._sent[id(large)][1].status != "finished")
        assert list(slow) == [large.sum()] * 2
        assert workers._sent[id(large)][1].key != before


def total_in(folder, array):
    """The first time, wait until we are killed."""
    if folder is not None and not (folder / "killed").exists():
        (folder / "begun").touch()
        wait_for((folder / "killed").exists)
    return array.sum()


def test_a_file_that_kills_its_workers_is_a_failure_and_its_neighbours_are_not(runs, run, deadly):
    folder = runs(9)
    (folder / "runs/004/p.csv").write_text(experiment(4, n_samples=26))
    options = (*FAST, "--metric", deadly(times=9), "--runner", "dask", "--jobs", "1")
    status, _, err = run("batch", PATTERN, "-o", "r.jsonl", *options)
    assert status == 5
    assert err.splitlines()[1:-1] == [
        "failed: runs/004/p.csv: 2 worker processes died on this file: killed, or out of memory",
        "9 files done, 1 without a result",
    ]
    assert len((folder / "deaths").read_text()) == 2


@pytest.mark.sweep
def test_a_worker_that_dask_gives_up_is_started_again(runs, run, deadly, monkeypatch):
    """Dask closes what restarts a worker, if the successor takes longer than this."""
    import dask

    folder = runs(9)
    monkeypatch.setattr(module, "GIVEN_UP_AFTER", 100)
    (folder / "runs/004/p.csv").write_text(experiment(4, n_samples=26))
    options = (*FAST, "--metric", deadly(times=1), "--runner", "dask", "--jobs", "1")
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "0s"}):
        assert run("batch", PATTERN, "-o", "r.jsonl", *options)[2].endswith(
            "\n9 files done\nwrote r.jsonl\n"
        )
    assert (folder / "deaths").read_text() == "x"


@pytest.mark.sweep
def test_a_cluster_of_ours_without_workers_is_given_up(runs, run, deadly, monkeypatch):
    import dask
    from distributed import LocalCluster

    folder = runs(9)
    scale = LocalCluster.scale

    def none_again(self, n_workers):
        if not n_workers:
            return scale(self, n_workers)
        assert (folder / "deaths").exists()
        return monkeypatch.setattr(module, "GIVEN_UP_AFTER", 0)

    monkeypatch.setattr(LocalCluster, "scale", none_again)
    (folder / "runs/004/p.csv").write_text(experiment(4, n_samples=26))
    options = (*FAST, "--metric", deadly(times=1), "--jobs", "1")
    words = ("batch", PATTERN, "-o", "r.jsonl", *options)
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "0s"}):
        err = run.refused(*words, "--runner", "dask")
    assert re.fullmatch(
        r"error: no worker process has started for \d+ s\n"
        r"hint: continue with --resume, which keeps finished files, or with --runner local\n",
        err,
    )
    assert not (folder / "r.jsonl").exists()
    assert run(*words, "--resume")[0] == 0


@pytest.mark.sweep
def test_a_scheduler_without_workers_is_told_and_waited_for(runs, run, cluster, monkeypatch):
    runs(2)
    monkeypatch.setattr(module, "TOLD_AFTER", 0.1)
    monkeypatch.setattr(module, "GIVEN_UP_AFTER", 0.1)  # holds for a cluster of our own alone
    scheduler, start = cluster
    address = scheduler.scheduler_address

    def come():
        wait_for(lambda: "waiting" in sys.stderr.getvalue())
        start()

    threading.Thread(target=come).start()
    words = ("batch", PATTERN, "-o", "r.jsonl", *FAST, "--runner", "dask", "--scheduler", address)
    status, _, err = run(*words)
    assert (status, err.splitlines()[-2]) == (0, "2 files done")
    said = f"waiting: the scheduler at {address} has no workers; Ctrl-C ends the batch\n"
    assert err.count(said) == 1
