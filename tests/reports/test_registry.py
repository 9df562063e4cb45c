"""The registry: every form writes what it says, and suffixes are unambiguous."""

import io
import json
from collections import Counter

import pytest
from documents import result

from bbccli.reports import FORMS, Kind, Style, forms_of

TEXT = [Kind.CORRECT, Kind.DROP, Kind.INSPECTION, Kind.CATALOGUE]
WRITERS = dict.fromkeys(TEXT, "render") | {
    Kind.BATCH: "write_batch",
    Kind.DISTRIBUTION: "distribution",
}


@pytest.mark.parametrize(
    ("form", "kind"), [(form, kind) for form in FORMS.values() for kind in form.modules], ids=str
)
def test_the_module_of_a_form_writes_its_kinds(form, kind):
    assert callable(getattr(form._module(kind), WRITERS[kind]))


@pytest.mark.parametrize("kind", Kind)
def test_a_suffix_stands_for_one_form(kind):
    suffixes = Counter(end for form in forms_of(kind).values() for end in form.suffixes)
    assert set(suffixes.values()) <= {1}


def test_forms_of_each_kind():
    assert {kind.value: " ".join(forms_of(kind)) for kind in Kind} == {
        "correct": "table json jsonl csv markdown junit github",
        "drop": "table json",
        "inspect": "table json",
        "methods": "table json",
        "batch": "parquet jsonl csv",
        "distribution": "json parquet",
    }


@pytest.mark.parametrize("name", forms_of(Kind.CORRECT))
def test_a_form_called_is_one_document_rendered(name):
    found, style = result(), Style(width=100)
    assert FORMS[name](found, style) == FORMS[name].render([found], style)


def test_files_without_a_result_have_a_place_in_json_alone():
    error = {"path": "p.csv", "error": {"problem": "no", "hint": "", "status": 2}}
    file = io.BytesIO()
    FORMS["jsonl"].write_batch([error], file)
    assert json.loads(file.getvalue())["error"]["problem"] == "no"
    assert [name for name, form in FORMS.items() if form.holds_errors] == ["json", "jsonl"]
