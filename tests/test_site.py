"""What docs/site/ lays out for Sphinx, and its check of links; `make site` does the whole."""

import contextlib
import importlib.util
import inspect
import io
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from day import swept
from public import listed

from bbccli import METHODS
from bbccli.reports.figures import KINDS, OF_COMPARISONS

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"


@pytest.fixture
def site(monkeypatch):
    """The module of a name in docs/site."""
    monkeypatch.syspath_prepend(str(SITE))

    def load(name):
        for path in SITE.glob("*.py"):  # so that none of another folder is taken
            monkeypatch.delitem(sys.modules, path.stem, raising=False)
        return import_module(name)

    yield load
    for path in SITE.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_every_page_has_a_place(site):
    pages = site("parts").PAGES
    assert len(set(pages)) == len(pages)
    docs = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert docs == {page for page in pages if page.startswith("docs/")}
    top = {path.name for path in ROOT.glob("*.md")}
    assert top - {"README.md"} == {page for page in pages if "/" not in page}
    assert all((ROOT / page).is_file() for page in pages)
    for part in site("parts").PARTS:
        shown = re.findall(r"^## (.*)\n\n- .*?\]\((.*?)\)", part.index(ROOT), re.M)
        assert {page: heading for heading, page in shown} == part.headings


def test_what_pages_link_to_is_copied(site):
    copied = {path for one in site("build").COPIED for path in ROOT.glob(one)}
    pages = {page: (ROOT / page).read_text("utf-8") for page in site("parts").PAGES}
    pages = site("methods").divided(pages)
    for page, text in {"README.md": (ROOT / "README.md").read_text("utf-8"), **pages}.items():
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            target = ((ROOT / page).parent / link).resolve()
            if target.suffix != ".md" and target.is_file() and page.startswith(("README", "docs")):
                assert target in copied or target.parent in copied, (page, link)


def test_anchors_become_those_of_myst(site):
    as_myst = site("build").as_myst
    assert as_myst('a\n\n<a id="x-y"></a>**B.** c\n') == "a\n\n(x-y)=\n**B.** c\n"
    assert as_myst('<a id="z"></a>\n\n## Z') == "(z)=\n\n## Z"
    assert as_myst("[home](../README.md#a)") == "[home](../index.md#a)"
    for path in (ROOT / "docs").glob("*.md"):
        assert "<a id" not in as_myst(path.read_text("utf-8")), path


def test_each_method_has_a_page_that_links_lead_to(site):
    pages = {page: (ROOT / page).read_text("utf-8") for page in site("parts").PAGES}
    found = site("methods").divided(pages)
    assert {path for path in found if path.startswith("docs/methods/")} == {
        f"docs/methods/{name}.md" for name in (*METHODS, "tests")
    }
    whole = found["docs/methods.md"]
    assert (
        "| [DL: the AUC of held-out samples, with DeLong's interval](methods/delong.md) |" in whole
    )
    assert "](methods/tests.md#test-nemenyi) |" in whole
    assert "\n## Test nemenyi\n" in found["docs/methods/tests.md"]
    assert not re.search(r"\]\(\S*bbccli/", whole)
    assert found["docs/methods/bbc-f.md"].startswith("# bbc-f\n\n**BBC-F, ")
    assert "](methods/ncv.md)" in found["docs/formats.md"]
    for path, text in found.items():
        for link in re.findall(r"\]\(([^)\s:]+\.md)[^)]*\)", text):
            target = (ROOT / path).parent.joinpath(link).resolve().relative_to(ROOT)
            assert str(target) in found or (ROOT / target).is_file(), (path, link)
        left = re.findall(r"methods\.md#([\w-]+)\)", text)
        assert not {*left} & {*METHODS}, path


def test_the_reference_has_every_public_name_once(site):
    pages = site("reference").reference_pages((ROOT / "docs/api.md").read_text("utf-8"))
    assert set(pages) == {f"python/{module}.rst" for module in listed()} | {"python.md"}
    text = "\n".join(pages.values())
    for module, names in listed().items():
        for name in names:
            assert f"\n{name}\n{'-' * len(name)}\n" in pages[f"python/{module}.rst"]
            thing = getattr(import_module(module), name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                assert text.count(f":: {name}\n") == 1, name


def test_fields_tell_what_they_are(site):
    @dataclass
    class Told:
        """A record.

        one: the
            first
        note: no field

        Raises
        ------
        """

        one: int = 0
        other: int = 0

    lines = [*inspect.getdoc(Told).split("\n"), ""]
    site("fields").add_fields(None, "class", "Told", Told, None, lines)
    told = ["A record.", "", "note: no field", "", "Raises", "------", "", "Attributes"]
    assert lines == [*told, "----------", f"one : {int}", "    the first"]
    untouched = ["A number."]
    site("fields").add_fields(None, "data", "N", 1, None, untouched)
    assert untouched == ["A number."]


PAGE = '<html><body><h1 id="top">T</h1>{}</body></html>'


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<a href="other.html#there">a</a><a href="#top">b</a><a href="https://x.org/y">c</a>', []),
        swept('<a href="gone.html">a</a>', ["index.html: gone.html"]),
        swept('<a href="other.html#nowhere">a</a>', ["index.html: other.html#nowhere"]),
        swept('<a href="#nowhere">a</a>', ["index.html: #nowhere"]),
        swept('<img src="gone.svg">', ["index.html: gone.svg"]),
        swept(
            '<script src="https://x.org/a.js"></script>', ["index.html: fetches https://x.org/a.js"]
        ),
    ],
)
def test_broken_links_are_found(site, tmp_path, body, told):
    (tmp_path / "index.html").write_text(PAGE.format(body))
    (tmp_path / "other.html").write_text(PAGE.format('<p id="there">'))
    assert site("links").broken_links(tmp_path) == told


def test_the_gallery_has_every_figure(site):
    gallery = site("gallery")
    assert tuple(gallery.FIGURES) == (*KINDS, *OF_COMPARISONS)
    assert {source for _, source in gallery.FIGURES.values()} <= {gallery.DATA, *gallery.SAVED}


NOTEBOOKS = sorted((ROOT / "docs" / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_shown_with_their_output(site, tmp_path, path):
    """Each cell of code that ends in a value or prints has output, and each kind has a place."""
    notebooks = site("notebooks")
    notebook = notebooks.read(path)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(cell["outputs"] for cell in code[1:])
    assert path.read_text("utf-8") == notebooks.written(notebook)
    page = notebooks.page(notebook, tmp_path, path.stem)
    figures = re.findall(r"\]\(figures/(.*?)\)", page)
    assert figures and all((tmp_path / name).read_text("utf-8")[:4] == "<svg" for name in figures)
    assert page.count("```{raw} html\n<div class=") == page.count('bbc-result"><style>') >= 3
    assert page.startswith(f"# {notebooks.title_of(notebook)}\n")
    for private in (str(ROOT), str(Path.home()), "/tmp"):
        assert private not in page


@pytest.mark.sweep
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(site, path):
    """Their output is what they hold, by the same libraries to the last digit shown."""
    pytest.importorskip("IPython")
    script = (
        f"import sys; sys.path.insert(0, {str(SITE)!r})\n"
        "from pathlib import Path; from notebooks import *\n"
        f"print(written(executed(read(Path({str(path)!r})))))"
    )
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found, held = json.loads(done.stdout), site("notebooks").read(path)
    assert shapes(found) == shapes(held)
    if found["metadata"] == held["metadata"]:
        assert texts(found) == texts(held), "run docs/site/notebooks.py"


def shapes(notebook):
    """The source of each cell, and the kinds of its outputs."""
    return [
        (cell["source"], [sorted(one.get("data", one["output_type"])) for one in outputs(cell)])
        for cell in notebook["cells"]
    ]


def texts(notebook):
    """What each cell shows as text."""
    found = [one for cell in notebook["cells"] for one in outputs(cell)]
    return ["".join(one.get("text") or one["data"]["text/plain"]) for one in found]


def outputs(cell):
    return cell.get("outputs", [])


def test_a_notebook_that_fails_says_so(site, monkeypatch):
    # the shell takes its place, and processes that tests start later look for it
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    pytest.importorskip("IPython")
    cell = {"cell_type": "code", "source": ["1 / 0"], "metadata": {}}
    with pytest.raises(ZeroDivisionError), contextlib.redirect_stdout(io.StringIO()):
        site("notebooks").executed({"cells": [cell], "metadata": {}})


def test_the_theme_is_asked_for_nothing_from_elsewhere():
    text = "".join(path.read_text("utf-8") for path in (*SITE.glob("*.py"), *SITE.rglob("*.css")))
    assert "http:" not in text
    assert "https:" not in text
    assert "intersphinx" not in text


@pytest.mark.sweep
@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="Sphinx is not installed")
def test_the_configuration_is_read(site):
    conf = site("conf")
    assert conf.root_doc == "index"
    assert conf.html_theme == "pydata_sphinx_theme"
