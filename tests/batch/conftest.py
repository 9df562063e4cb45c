"""Folders of small files, and `bbc` as a process of its own."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from experiments import FAST, environment, experiment


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
def batch(run) -> Callable[..., tuple[int, str, str]]:
    """Run `bbc batch` quickly, in this process."""
    return lambda *argv: run("batch", *argv, *FAST, "--jobs", "1")


@pytest.fixture
def process(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process, in the folder of the test."""

    def call(*argv: object) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in argv]
        options = {"cwd": tmp_path, "env": environment(), "text": True, "capture_output": True}
        return subprocess.run(words, check=False, **options)

    return call
