import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main

from bbccli.cli.app import main

os.environ["COLUMNS"] = "80"
ROOT = Path(__file__).parents[1]

# the tree of commands is the same for every call, and takes longer to build than most to run
typer.main.get_command = functools.cache(typer.main.get_command)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample data."""
    return ROOT / "sample_data"


@pytest.fixture
def run(capsys) -> Callable[..., tuple[int, str, str]]:
    """Run the command line: run("correct", path) -> (exit status, stdout, stderr)."""

    def call(*argv: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in argv])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


KNOWN: dict[tuple[str, ...], tuple[int, str, str]] = {}


@pytest.fixture
def once(run) -> Callable[..., tuple[int, str, str]]:
    """As `run`, for what several tests start from: the same words run once in a process of tests.

    Only for commands that write no file and read none but the sample data.
    """

    def call(*argv: object) -> tuple[int, str, str]:
        words = tuple(map(str, argv))
        if words not in KNOWN:
            KNOWN[words] = run(*argv)
        return KNOWN[words]

    return call
