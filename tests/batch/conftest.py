"""Folders of small files, and `bbc` as a process of its own."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_context
from pathlib import Path

import pytest
from experiments import FAST, ROOT, environment, experiment
from large_files import Here

from bbccli.batch import local, parts
from bbccli.stats.bootstrap import on_workers


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Callable[[int], Path]:
    """Make runs/000/p.csv and so on, and go to the folder that holds runs/."""

    def make(number: int) -> Path:
        for i in range(number):
            folder = tmp_path / "runs" / f"{i:03}"
            folder.mkdir(parents=True)
            (folder / "p.csv").write_text(experiment(i))
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return make


@pytest.fixture
def batch(run):
    """Run `bbc batch` quickly, in this process."""
    return type(run)(lambda *argv: run("batch", *argv, *FAST, "--jobs", "1"))


@pytest.fixture
def process(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process, in the folder of the test."""

    def call(*argv: object) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in argv]
        options = {"cwd": tmp_path, "env": environment(), "text": True, "capture_output": True}
        return subprocess.run(words, check=False, **options)

    return call


IMPORTED = (
    "bbccli.cli.app",
    "bbccli.use_cases.correct",
    "bbccli.reports.forms.json",
    "pyarrow.csv",
)
"""What workers import; the first of them sees to it that no thread is forked."""


@pytest.fixture
def quick_starts(monkeypatch):
    """Let workers be forked from a server that has imported what they import, at no price.

    A few tests do without, for that new processes start as they should.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([*IMPORTED, "distributed"])
    with monkeypatch.context() as here:
        here.setenv("PYTHONPATH", str(ROOT))
        forkserver.ensure_running()
    monkeypatch.setattr(local, "get_context", lambda _: context)
    return context


@pytest.fixture
def quick_workers(quick_starts):
    """Let workers of dask be forked from that server too."""
    import dask
    import distributed  # noqa: F401 -- its settings first

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        yield


@pytest.fixture
def workers(monkeypatch):
    """Let `--runner dask` find workers that are this process."""
    made = []

    @contextmanager
    def found(asked, scheduler):
        made.append(Here())
        yield made[-1]

    monkeypatch.setattr(parts, "workers_of_dask", found)
    monkeypatch.setattr(on_workers, "FEW", 5)
    return made


DEADLY = '''
import os
from dataclasses import replace
from pathlib import Path

from bbccli import METRICS

DEATHS = Path(__file__).with_name("deaths")


def bind(outcome, predictions):
    """Kill the process that meets 26 samples, as long as there were fewer deaths than {times}."""
    if len(outcome.values) == 26:
        with DEATHS.open("a+") as deaths:
            deaths.seek(0)
            if len(deaths.read()) < {times}:
                deaths.write("x")
                deaths.close()
                os.kill(os.getpid(), 9)
    return METRICS["auc"].bind(outcome, predictions)


M = replace(METRICS["auc"], name="m", bind=bind)
'''


@pytest.fixture
def deadly(tmp_path, monkeypatch) -> Iterator[Callable[[int], str]]:
    """Make a metric that kills so many processes, one for each time that it meets 26 samples."""

    def make(times: int) -> str:
        (tmp_path / "deadly.py").write_text(DEADLY.format(times=times))
        monkeypatch.syspath_prepend(tmp_path)
        return "deadly:M"

    yield make
    sys.modules.pop("deadly", None)
