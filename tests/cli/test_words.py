"""What reaches a terminal is plain text."""

import ast
import re
from functools import cache
from inspect import getdoc
from pathlib import Path

import pytest

import bbccli
from bbccli.cli.command import COMMANDS, command_named
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.notes import NOTES
from bbccli.stats.intervals import INTERVALS

PACKAGE = Path(bbccli.__file__).parent

PAGES = Path(__file__).parents[2] / "docs"

MARKS = ("`", "](", "**")

IN_MARKDOWN = {"Dialect", "Form", "Framework", "Metric", "RunReader"}
IN_MARKDOWN |= {"compile", "part", "pattern", "replace"}
"""Calls whose strings are for the documentation, or are patterns."""

SOURCES = {"methods/base.py", "reading/runs/base.py", "reports/catalogue.py"}
"""Modules with constants in Markdown, which `plain` writes on terminals."""


@cache
def texts_of(path):
    """Texts in the code of a module besides docstrings, and whether each is plain: no Markdown."""
    tree = ast.parse((PACKAGE / path).read_text())
    docstrings, marked = set(), set()
    for node in ast.walk(tree):
        name = getattr(getattr(node, "func", None), "id", None) or getattr(
            getattr(node, "func", None), "attr", ""
        )
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(id(node.value))
        elif isinstance(node, ast.Call) and (name in IN_MARKDOWN or name.startswith("_")):
            marked |= set(map(id, ast.walk(node)))
    return [
        (one.value, id(one) not in marked)
        for one in ast.walk(tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
        if id(one) not in docstrings
    ]


def test_no_message_holds_markdown():
    paths = [p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py")]
    texts = [
        (path, text)
        for path in paths
        if path not in SOURCES
        for text, plain in texts_of(path)
        if plain
    ]
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


def to_avoid():
    """The rows of the glossary's last table: patterns by the words that may not occur."""
    table = (PAGES / "glossary.md").read_text().partition("## Words to avoid")[2]
    rows = [line.strip("| ").split(" | ")[0] for line in table.splitlines() if line[:2] == "| "]
    return [word for row in rows[1:] for word in row.split(", ")]


def occurrences(words, text):
    pattern = re.escape(words).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
    return re.findall(rf"\b{pattern}\b", text, re.IGNORECASE)


@pytest.fixture(scope="module")
def everything():
    """What people read, by its place: texts in the code, what explains, and pages."""
    paths = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")]
    texts = {path: "\0".join(text for text, _ in texts_of(path)) for path in paths}
    texts |= {f"help of {name}": getdoc(command_named(name).function) or "" for name in COMMANDS}
    texts |= {f"note {one.code}": f"{one.meaning}\0{one.remedy}" for one in NOTES.values()}
    files = (*PAGES.glob("*.md"), PAGES.parent / "README.md")
    pages = {path.name: re.sub(r"\]\([^)]*\)", "]", path.read_text()) for path in files}
    pages["glossary.md"] = pages["glossary.md"].partition("## Words to avoid")[0]
    return texts | pages


@pytest.mark.parametrize("words", to_avoid())
def test_words_that_the_glossary_avoids_do_not_occur(everything, words):
    found = {place: occurrences(words, text) for place, text in everything.items()}
    assert {place: its for place, its in found.items() if its} == {}


def test_the_catalogue_finds_what_it_avoids():
    assert len(to_avoid()) > 20
    assert occurrences("tell* apart", "it tells\napart") and occurrences("worth", "Worth it")
    assert not occurrences("worth", "Wordsworth")
