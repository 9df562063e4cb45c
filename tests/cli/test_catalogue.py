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


def test_schema_describes_the_record_of_an_error(run):
    import jsonschema

    whole = json.loads(run("schema")[1])
    record = whole["$defs"]["ErrorDocument"]
    assert record["description"] == "The line of a file of a batch that has no result."
    one = {"problem": "p.csv: no samples", "hint": "", "status": 2}
    line = {"schema": "bbc-error/1", "version": "0", "path": "p.csv", "error": one}
    check = jsonschema.Draft202012Validator({"$defs": whole["$defs"], **record})
    check.validate(line)
    assert not check.is_valid(line | {"error": {"problem": "x"}})
