"""The registry: every form writes what it says, and suffixes are unambiguous."""

import io
import json
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from documents import result

from bbccli.reports import CONTENT, FORMS, Kind, Style, forms_of


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("form", "kind"), [(form, kind) for form in FORMS.values() for kind in form.modules], ids=str
)
def test_the_functions_that_a_form_names_are_there(form, kind):
    name = form.modules[kind]
    if name == CONTENT:
        name = f"content.{kind.name.lower()}.{'csv_rows' if form.name == 'csv' else 'blocks'}"
    module, _, function = name.rpartition(".")
    assert callable(getattr(import_module(f"bbccli.reports.{module}"), function))


@pytest.mark.parametrize("kind", Kind)
def test_a_suffix_stands_for_one_form(kind):
    suffixes = Counter(end for form in forms_of(kind).values() for end in form.suffixes)
    assert set(suffixes.values()) <= {1}


def test_forms_of_each_kind():
    others = [kind for kind in Kind if kind is not Kind.CORRECT]
    assert {kind.value: " ".join(forms_of(kind)) for kind in others} == {
        "drop": "table json",
        "leaderboard": "table json csv",
        "compare": "table json csv markdown html junit",
        "inspect": "table json",
        "methods": "table json",
        "batch": "parquet jsonl csv html metrics",
        "distribution": "json parquet",
        "plan": "table json csv markdown",
    }


def test_forms_of_results_are_those_on_the_page_with_their_suffixes():
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    _, section = page.split("## Forms of the result\n")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\|", section.split("\n## ")[0], re.M)
    told = {name: tuple(re.findall(r"`(\.[\w.]+)`", suffixes)) for name, suffixes in rows}
    found = {name: form.suffixes for name, form in forms_of(Kind.CORRECT).items()}
    assert list(told.items()) == list((found | {"table": (".txt",)}).items())
    assert all(form.purpose for form in forms_of(Kind.CORRECT).values())


@pytest.mark.parametrize("name", forms_of(Kind.CORRECT))
def test_a_form_called_is_one_document_rendered(name):
    found, style = result(), Style(width=100)
    assert FORMS[name](found, style) == FORMS[name].render([found], style)


def test_files_without_a_result_have_a_place_in_json_and_on_a_page():
    error = {"path": "p.csv", "error": {"problem": "no", "hint": "", "status": 2}}
    file = io.BytesIO()
    FORMS["jsonl"].write_batch([error], file)
    assert json.loads(file.getvalue())["error"]["problem"] == "no"
    assert [name for name, form in FORMS.items() if form.holds_errors] == [
        "json",
        "jsonl",
        "html",
        "metrics",
    ]
