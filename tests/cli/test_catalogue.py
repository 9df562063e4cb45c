import json

import pytest

from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.schema import SCHEMA_VERSION
from bbccli.version import __version__


def test_methods(run):
    status, out, _ = run("methods")
    assert status == 0
    assert all(name in out for name in METHODS)


def test_metrics(run):
    status, out, _ = run("metrics")
    assert status == 0
    assert all(name in out for name in METRICS)


def test_schema(run):
    status, out, _ = run("schema")
    assert status == 0
    assert json.loads(out)["title"] == SCHEMA_VERSION


def test_version(run):
    assert run("--version") == (0, f"bbc {__version__}\n", "")


@pytest.mark.parametrize("argv", [["--help"], ["correct", "--help"], ["-h"]])
def test_help(run, argv):
    status, out, _ = run(*argv)
    assert status == 0
    assert "Usage: bbc" in out


def test_no_command_shows_the_help(run):
    _, out, err = run()
    assert "correct" in out + err


def test_help_of_correct_lists_the_registries(run):
    _, out, _ = run("correct", "--help")
    words = "".join(out.split())  # lines break after the hyphen of a name too
    assert ",".join(METRICS) in words
    assert ",".join(METHODS) in words
