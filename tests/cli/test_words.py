"""What reaches a terminal is plain text."""

import ast
from pathlib import Path

import pytest

from bbccli.cli.command import COMMANDS
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.notes import NOTES
from bbccli.reading import runs
from bbccli.stats.intervals import INTERVALS

PACKAGE = Path(runs.__file__).parents[2]

MARKS = ("`", "](", "**")

IN_MARKDOWN = {"Dialect", "Form", "Framework", "Metric", "RunReader"}
IN_MARKDOWN |= {"compile", "part", "replace"}
"""Calls whose strings are for the documentation, or are patterns."""

SOURCES = {"methods/registry.py", "reading/runs/base.py", "reports/content/explain.py"}
"""Modules with constants in Markdown, which `plain` writes on terminals."""


def strings(path):
    """Texts in the code of a module, besides docstrings."""
    tree = ast.parse((PACKAGE / path).read_text())
    skipped = set()
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "id", None) or getattr(
            getattr(node, "func", None), "attr", ""
        )
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Call) and (name in IN_MARKDOWN or name.startswith("_")):
            skipped |= set(map(id, ast.walk(node)))
    constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in skipped)
    return [one.value for one in constants if isinstance(one.value, str)]


def test_no_message_holds_markdown():
    paths = [p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py")]
    texts = [(path, text) for path in paths if path not in SOURCES for text in strings(path)]
    assert len(texts) > 5000
    assert [one for one in texts if any(mark in one[1] for mark in MARKS[:2])] == []


def is_plain(text):
    return not any(mark in text for mark in MARKS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_plain(run, name):
    status, out, _ = run(name, "--help")
    text = out + (run(name, "--help-all")[1] if "--help-all" in out else "")
    assert (status, is_plain(text.replace("**/", "").replace("** ", ""))) == (0, True)


@pytest.mark.parametrize("name", [*METHODS, *METRICS, *INTERVALS, *NOTES])
def test_explanations_are_plain(run, name):
    assert is_plain(run.silent("explain", name))


@pytest.mark.parametrize(
    ("command", "name"),
    [("methods", one) for one in METHODS] + [("metrics", one) for one in METRICS],
)
def test_entries_are_plain(run, command, name):
    assert is_plain(run.silent(command, name))
