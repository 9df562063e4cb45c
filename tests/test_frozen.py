"""What version 1.0.0 wrote is read by today's, and nothing that it had is gone or changed."""

import copy
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
from day import daily
from public import defaults, listed, public_names

from bbccli.documents.loading import is_comparison, read_comparison, read_documents
from bbccli.platform.records import Document, as_json
from bbccli.reports import FORMS, RECORDS, imported
from bbccli.reports.forms.json_schema import json_schema

KINDS = {str(kind): imported(name) for kind, name in RECORDS.items()}
STORED = Path(__file__).parent / "data" / "frozen"
SCHEMA = json_schema()
NAMES = {"correct": "Document", "batch": "Document", "bbc-error/1": "ErrorDocument"}


def stored(name):
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))


DOCUMENTS = {
    path.stem: stored(path.stem)
    for path in sorted(STORED.glob("*.json"))
    if path.stem not in ("schema", "api", "defaults")
} | {
    f"batch line {number}": json.loads(line)
    for number, line in enumerate((STORED / "batch.jsonl").read_text("utf-8").splitlines(), 1)
}


def overlaid(read, written):
    """What was read under what was written: keys that came later say that there is nothing.

    But for the correction for size, which was always made.
    """
    if isinstance(read, list) and isinstance(written, list) and len(read) == len(written):
        return [overlaid(*pair) for pair in zip(read, written, strict=True)]
    if not isinstance(read, dict) or not isinstance(written, dict):
        return written
    later = {key: value for key, value in read.items() if key not in written}
    assert not any(value for key, value in later.items() if key != "size_correction"), later
    return read | {key: overlaid(read.get(key), value) for key, value in written.items()}


def definition_of(document):
    """Name of a document's kind in the schema."""
    if document["schema"] == "bbc-inspection/1":
        return "InspectionDocument"
    kind = document.get("command", document["schema"])
    return NAMES.get(kind, f"{kind.capitalize()}Document")


def test_every_kind_of_document_is_stored():
    kinds = {name for name in SCHEMA["$defs"] if name.endswith("Document")}
    assert {definition_of(document) for document in DOCUMENTS.values()} == kinds


@pytest.mark.parametrize("name", DOCUMENTS)
def test_stored_documents_follow_the_schema_of_today_and_lose_nothing(name):
    document = DOCUMENTS[name]
    one = {"$ref": f"#/$defs/{definition_of(document)}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(one).validate(document)
    if document.get("command") in KINDS:
        held = as_json(Document(document, KINDS[document["command"]]).record)
        assert json.dumps(held) == json.dumps(overlaid(held, document))


CORRECTED = [
    name for name, one in DOCUMENTS.items() if one["schema"] == "bbc/1" and "estimates" in one
]


@pytest.mark.parametrize("name", daily(CORRECTED, ["correct", "correct-undecided"]))
def test_stored_results_are_read_and_shown(name, tmp_path, run):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(DOCUMENTS[name]), encoding="utf-8")
    (document,) = read_documents(str(path))
    assert document == overlaid(document, DOCUMENTS[name])
    for form in ("table", "json", "csv", "markdown", "html", "junit", "github"):
        assert FORMS[form].render([document])
    if not document["estimates"]:
        return
    assert run.printed("explain", path)


@pytest.mark.parametrize("name", [name for name, one in DOCUMENTS.items() if is_comparison(one)])
def test_stored_comparisons_are_read_and_drawn(name, tmp_path, run):
    path = STORED / f"{name}.json"
    document = read_comparison(str(path))
    assert document == overlaid(document, DOCUMENTS[name])
    if name != "compare":  # a set alone has no difference to draw
        kind = "cd" if name == "compare-across" else "differences"
        run.printed("plot", path, "--kind", kind, "-o", tmp_path / "figure.vl.json")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_stored_batches_are_judged(suffix, run):
    status, out, err = run("gate", STORED / f"batch.{suffix}")
    assert status == 5  # a file has no result
    assert all(name in out + err for name in ("first.csv", "second.csv", "third.csv"))


def test_no_column_of_a_table_goes(tmp_path, run, samples):
    run("batch", samples / "progression.parquet", "-o", tmp_path / "new.parquet", "--jobs", 1,
        "--n-resamples", 20, "--method", "bbc")  # fmt: skip
    old, new = pq.read_schema(STORED / "batch.parquet"), pq.read_schema(tmp_path / "new.parquet")
    header = (STORED / "batch.csv").read_text("utf-8").splitlines()[0]
    assert header.split(",") == old.names
    assert [name for name in old.names if name not in new.names] == []
    kinds = {name: str(old.field(name).type) for name in old.names}
    assert {name: str(new.field(name).type) for name in old.names} == kinds


# The schema


def broken(old, new, place="schema"):
    """What a reader of the old schema can't read any more in documents of the new one."""
    if isinstance(old, dict):
        if not isinstance(new, dict):
            return [f"{place} is another thing"]
        said = []
        for key, value in old.items():
            if key == "description":
                continue
            if key not in new:
                said.append(f"{place}.{key} is gone")
            elif key == "required":
                said += [f"{place}: {one} is not required" for one in value if one not in new[key]]
                said += [f"{place}: {one} is required" for one in new[key] if one not in value]
            elif key == "enum":
                said += [f"{place}: {one} is gone" for one in value if one not in new[key]]
            else:
                said += broken(value, new[key], f"{place}.{key}")
        return said
    return [] if old == new else [f"{place} was {old}, is {new}"]


def test_nothing_of_the_schema_is_gone_or_changed():
    assert broken(stored("schema"), SCHEMA) == []


def without(schema, *keys):
    """The schema without what the keys lead to."""
    changed = copy.deepcopy(schema)
    place = changed
    for key in keys[:-1]:
        place = place[key]
    del place[keys[-1]]
    return changed


def test_what_breaks_the_schema_is_found():
    input_ = ("$defs", "Input")
    assert broken(SCHEMA, without(SCHEMA, *input_, "properties", "weighted"))
    changed = copy.deepcopy(SCHEMA)
    changed["$defs"]["Input"]["properties"]["n_samples"]["type"] = "string"
    assert broken(SCHEMA, changed) == [
        "schema.$defs.Input.properties.n_samples.type was integer, is string"
    ]
    more = copy.deepcopy(SCHEMA)
    more["$defs"]["Input"]["properties"]["later"] = {"type": "string"}
    assert broken(SCHEMA, more) == []
    more["$defs"]["Input"]["required"].append("later")
    assert broken(SCHEMA, more) == ["schema.$defs.Input: later is required"]


# The names


def lost(old, new):
    """What a program that was written for the old names can't do with the new ones."""
    if old["kind"] != new["kind"]:
        return [f"is a {new['kind']}"]
    said = [f"has no {key}" for key in old.get("keys", ()) if key not in new["keys"]]
    members, of = old.get("members", ()), new.get("members", ())
    said += [f"has no {name}" for name in members if name not in of]
    if isinstance(members, dict):
        said += [f"{name} has another value" for name in members if members[name] != of.get(name)]
    said += [f"is no {base}" for base in old.get("bases", ()) if base not in new["bases"]]
    if "parameters" not in old:
        return said
    now = {name: (kind, optional) for name, kind, optional in new["parameters"]}
    places = [name for name, kind, _ in new["parameters"] if kind != "KEYWORD_ONLY"]
    positional = [name for name, kind, _ in old["parameters"] if kind != "KEYWORD_ONLY"]
    if places[: len(positional)] != positional:
        said.append("takes its parameters in another order")
    known = {name for name, _, _ in old["parameters"]}
    for name, _, optional in old["parameters"]:
        if name not in now or (optional and not now[name][1]):
            said.append(f"{name} is {'necessary' if name in now else 'gone'}")
    said += [
        f"{name} is new and necessary"
        for name, (_, optional) in now.items()
        if name not in known and not optional
    ]
    return said


def test_no_public_name_is_gone_or_takes_less():
    now, said = public_names(), []
    for module, names in stored("api").items():
        for name, old in names.items():
            if name not in now.get(module, {}):
                said.append(f"{module}.{name} is gone")
            else:
                said += [f"{module}.{name} {word}" for word in lost(old, now[module][name])]
    assert said == []


def test_no_default_changes():
    now, known = defaults(), stored("defaults")
    assert {name: {key: now[name].get(key) for key in of} for name, of in known.items()} == known


def test_what_breaks_a_program_is_found():
    old = stored("api")["bbccli"]["read"]
    assert lost(old, old) == []
    for change in (
        lambda one: one["parameters"].pop(0),
        lambda one: one["parameters"].pop(),
        lambda one: one["parameters"].insert(0, ["first", "POSITIONAL_OR_KEYWORD", True]),
        lambda one: one["parameters"].append(["last", "KEYWORD_ONLY", False]),
        lambda one: one["parameters"][1].__setitem__(2, False),
        lambda one: one.update(kind="value"),
    ):
        new = copy.deepcopy(old)
        change(new)
        assert lost(old, new)
    added = copy.deepcopy(old)
    added["parameters"].append(["last", "KEYWORD_ONLY", True])
    assert lost(old, added) == []


@pytest.mark.parametrize("module", listed())
def test_the_page_lists_what_is_public(module):
    assert sorted(listed()[module]) == sorted(import_module(module).__all__)


def test_every_public_name_says_what_it_is():
    for module, names in listed().items():
        for name in names:
            thing = getattr(import_module(module), name)
            assert not isinstance(thing, type) or thing.__doc__, f"{module}.{name}"


@pytest.mark.sweep
def test_the_door_of_comparisons_opens_late():
    code = (
        "import sys, bbccli.comparisons.records, bbccli.comparisons as c\n"
        "assert not {m for m in sys.modules if m.startswith('bbccli.comparisons.pairs')}\n"
        "assert all(getattr(c, name) is not None for name in c.__all__)\n"
        "try: c.nothing\n"
        "except AttributeError: print('none')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "none\n"
