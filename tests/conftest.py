import contextlib
import functools
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import thorough  # noqa: F401 -- its profile
import typer.main

from bbccli.cli.app import main
from bbccli.platform.resources import available_cores
from bbccli.reports.figures import rendering

os.environ["COLUMNS"] = "80"
os.environ["SOURCE_DATE_EPOCH"] = "1790000000"  # pages have a date
gc.disable()  # nothing that is collected goes away: see pytest_collection_finish
ROOT = Path(__file__).parents[1]

# the tree of commands is the same for every call, and takes longer to build than most to run
typer.main.get_command = functools.cache(typer.main.get_command)


draw_anew = rendering._converted
DRAWN: dict[tuple[str, ...], str | bytes] = {}


def _drawn_once(name: str, spec: dict[str, Any], **more: Any) -> str | bytes:
    """A picture is drawn once: that it is the same every time has a test of its own."""
    rendering.check_can_render()
    key = (name, json.dumps(spec), repr(more))
    if key not in DRAWN:
        DRAWN[key] = draw_anew(name, spec, **more)
    return DRAWN[key]


rendering._converted = _drawn_once
painting, rendering.painting = rendering.painting, contextlib.nullcontext


@pytest.fixture
def drawing(monkeypatch) -> None:
    """Draw every picture, also one that was drawn before."""
    monkeypatch.setattr(rendering, "_converted", draw_anew)
    monkeypatch.setattr(rendering, "painting", painting)


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """Pages without pictures, which take longest: for tests that look at something else."""
    monkeypatch.setattr("bbccli.reports.page.sections.can_render", lambda: False)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more would collect, import and compile once more for the little that a test waits."""
    return available_cores()


def pytest_collection_finish() -> None:
    """Spare what was imported and collected from being looked through again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample data."""
    return ROOT / "sample_data"


class Run:
    """Run the command line: run("correct", path) -> (exit status, stdout, stderr)."""

    def __init__(self, call: Callable[..., tuple[int, str, str]]) -> None:
        self.call = call

    def __call__(self, *argv: object) -> tuple[int, str, str]:
        return self.call(*argv)

    def refused(self, *argv: object) -> str:
        """Return what a command says that ends with 2 and prints nothing."""
        status, out, err = self(*argv)
        assert (status, out) == (2, "")
        return err

    def printed(self, *argv: object) -> str:
        """Return what a command prints that ends with 0."""
        status, out, err = self(*argv)
        assert status == 0, err
        return out

    def document(self, *argv: object) -> Any:
        """Return the JSON that a command prints that ends with 0."""
        return json.loads(self.printed(*argv, "--format", "json", "-q"))

    def silent(self, *argv: object) -> str:
        """Return what a command prints that ends with 0 and says nothing besides."""
        status, out, err = self(*argv)
        assert (status, err) == (0, "")
        return out


@pytest.fixture
def run(capsys) -> Run:
    """Run the command line in this process."""

    def call(*argv: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return Run(call)


KNOWN: dict[tuple[str, ...], tuple[int, str, str]] = {}


@pytest.fixture
def once(run) -> Run:
    """As `run`, for what several tests start from: the same words run once in a process of tests.

    Only for commands that write no file and read none but the sample data.
    """

    def call(*argv: object) -> tuple[int, str, str]:
        words = tuple(map(str, argv))
        if words not in KNOWN:
            KNOWN[words] = run(*argv)
        return KNOWN[words]

    return Run(call)


@pytest.fixture(scope="session")
def forked() -> Iterator[list[str]]:
    """Words that start a `bbc` at the price of a fork (see forked/server.py)."""
    programs = Path(__file__).with_name("forked")
    folder = tempfile.mkdtemp(prefix="bbc-")  # short: the path of a socket may not be long
    socket = f"{folder}/socket"
    clean = {key: value for key, value in os.environ.items() if not key.startswith("BBC_")}
    with subprocess.Popen(
        [sys.executable, programs / "server.py", socket],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=clean | {"OPENBLAS_NUM_THREADS": "1"},
    ) as server:
        assert server.stdout.readline() == b"ready\n"
        yield [sys.executable, "-I", "-S", str(programs / "client.py"), socket]
    shutil.rmtree(folder)
