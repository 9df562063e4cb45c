import json
import re

import pytest

from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.schema.correct import SCHEMA_VERSION


@pytest.mark.parametrize(("command", "registry"), [("methods", METHODS), ("metrics", METRICS)])
class TestCatalogue:
    @pytest.mark.parametrize("width", [60, 80])
    def test_each_in_its_group_within_the_width(self, run, monkeypatch, command, registry, width):
        monkeypatch.setenv("COLUMNS", f"{width}")
        lines = run(command)[1].splitlines()
        assert max(map(len, lines)) <= width
        shown = re.findall(r"^  (\S+) +(\S.*(?:\n {6,}\S.*)*)", "\n".join(lines), re.M)
        assert sorted(name for name, _ in shown) == sorted(registry)
        for name, summary in shown:
            assert " ".join(summary.split()) == registry[name].summary
        titles = [line for line in lines if line and not line.startswith(" ")]
        assert len(titles) == len(set(titles)) > 2

    def test_json(self, run, command, registry):
        found = json.loads(run.printed(command, "--format", "json"))
        assert [one["name"] for one in found] == list(registry)
        for one in found:
            assert one["source"] == registry[one["name"]].reference

    @pytest.mark.sweep
    def test_one_in_full(self, run, command, registry):
        for name, one in registry.items():
            words = " ".join(run.printed(command, name).split())
            assert words.startswith(f"name {name} summary {one.summary} label {one.label}")
            assert one.reference in words
            assert json.loads(run(command, name, "--format", "json")[1])["summary"] == one.summary

    def test_another_name(self, run, command, registry):
        name = next(reversed(registry))
        assert run.refused(command, f"{name}x").splitlines()[1] == f"hint: did you mean {name}?"


def test_a_metric_by_another_name(run):
    assert run("metrics", "neg_log_loss") == run("metrics", "log-loss")
    assert "aliases neg_log_loss" in " ".join(run("metrics", "log-loss")[1].split())


def test_schema(run):
    assert json.loads(run.printed("schema"))["title"] == SCHEMA_VERSION


@pytest.mark.parametrize("argv", [["--help"], ["correct", "--help"], ["-h"]])
def test_help(run, argv):
    assert "Usage: bbc" in run.printed(*argv)


def test_no_command_shows_the_help(run):
    _, out, err = run()
    assert "correct" in out + err
