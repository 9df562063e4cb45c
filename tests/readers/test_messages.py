"""Errors of the readers that no other test names: what is wrong, where, and what to do."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from bbccli.analysis.inspection import inspect
from bbccli.errors import BbcError
from bbccli.readers import Request, Roles, read
from bbccli.readers.sources.files import sha256_of
from bbccli.readers.sources.urls import matching_urls
from bbccli.types import Task

NESTED = """row_id,outer_fold,fold,truth,a
p0,A,,no,0.1
p1,A,,yes,0.9
p2,A,1,no,0.2
p3,A,2,yes,0.7
p2,B,,no,0.3
p3,B,,yes,0.8
p0,B,1,no,0.2
p1,B,2,yes,0.6
"""
SURVIVAL = "time,event,a\n3,1,0.2\n5,0,0.4\n7,1,0.1\n"
BINARY = "truth,a\nx,0.1\ny,0.8\nx,0.2\ny,0.7\n"
META = '{"spec": "bbc-predictions", "version": "1", %s}'


@dataclass
class Case:
    """A file, how it is read, and the message and hint that follow."""

    text: str
    message: str
    hint: str
    options: dict[str, Any] = field(default_factory=dict)
    metadata: str = ""


CASES = {
    "truth and time by hand": Case(
        "t,e,y,a\n1,1,x,0.1\n2,0,y,0.4\n",
        "truth and time/event exclude each other",
        "give one of them",
        {"roles": Roles(truth="y", time="t", event="e")},
    ),
    "truth and survival": Case(
        "time,event,truth,a\n1,1,x,0.1\n2,0,y,0.4\n",
        r"both a truth \('truth'\) and a survival outcome \('time', 'event'\)",
        "--task survival, or --truth NAME",
    ),
    "half a survival outcome": Case(
        "time,a\n1,0.1\n2,0.4\n",
        "no truth column among time, a",
        "name it `truth`, or give --truth NAME or --labels FILE",
    ),
    "half a survival outcome by hand": Case(
        "when,a\n1,0.1\n2,0.4\n",
        "a survival outcome needs a column 'event' beside 'when'",
        "--event NAME; the columns are when, a",
        {"roles": Roles(time="when")},
    ),
    "another task than survival": Case(
        SURVIVAL,
        'task="binary" needs a truth, the columns are a time and an event',
        "drop task, or give --truth NAME",
        {"roles": Roles(time="time", event="event"), "task": Task.BINARY},
    ),
    "positive class of a survival task": Case(
        SURVIVAL,
        'positive="x" needs a binary task, this one is survival',
        'drop positive, or give task="binary"',
        {"positive": "x"},
    ),
    "no caret": Case(
        BINARY,
        "has no columns `pred` and `obs`, so it is not fit",
        "row.names = FALSE",
        {"dialect": "caret"},
    ),
    "a configuration without a class": Case(
        "truth,a::x,a::y,b::x,b::q\nx,0.1,0.9,0.1,0.9\ny,0.8,0.2,0.8,0.2\nq,0.3,0.7,0.3,0.7\n",
        "configuration 'a' has no column of class 'q', the classes are",
        "one column `config::class` for every configuration and class",
    ),
    "nested without a key": Case(
        NESTED.replace("row_id", "name"),
        "nested predictions need a column `row_id` beside `outer_fold`",
        "the key of the sample of every row",
    ),
    "nested without inner folds": Case(
        NESTED.replace(",fold", ",inner"),
        "nested predictions need a column `fold` beside `outer_fold`",
        "empty where a row is of an outer test sample",
    ),
    "nested leak": Case(
        NESTED + "p0,A,1,no,0.2\n",
        r"sample is both trained on and tested in one outer fold \(column 'row_id', row 0",
        "inner predictions are of the samples outside the outer fold",
    ),
    "nested twice": Case(
        NESTED + "p2,A,2,no,0.2\n",
        r"row_id occurs twice within one outer fold \(column 'row_id', row 8, value 'p2'\)",
        "average those of inner repeats",
    ),
    "nested without test samples": Case(
        NESTED + "p0,C,1,no,0.2\n",
        r"outer fold has no test samples \(column 'outer_fold', row 8, value 'C'\)",
        "rows with a `fold` are inner predictions",
    ),
    "nested without inner rows": Case(
        NESTED + "p4,C,,no,0.2\n",
        r"outer fold has no inner predictions \(column 'outer_fold', row 8, value 'C'\)",
        "rows with a `fold` are inner predictions",
    ),
    "nested and nothing left": Case(
        NESTED.replace("p2,B,,no,0.3", "p2,B,,no,").replace("p3,B,,yes,0.8", "p3,B,,yes,"),
        r"no sample of the outer fold is left \(column 'outer_fold', row",
        "complete its predictions",
    ),
    "names of classes in configurations": Case(
        "config,row_id,truth,prob.y,prob.x::y,prob.x\n"
        "a,0,x,0.1,0.2,0.7\na,1,y,0.7,0.2,0.1\na::x,0,x,0.1,0.2,0.7\na::x,1,y,0.7,0.2,0.1\n",
        "configurations and classes share names with '::' in them",
        "leave '::' out of the names",
    ),
    "selection": Case(
        BINARY,
        "metadata key 'selection' is 'mean'",
        "one of: pooled, fold-mean",
        metadata=META % '"selection": "mean"',
    ),
    "selection that is no text": Case(
        BINARY,
        r"metadata key 'selection' is \['pooled'\]",
        "one of: pooled",
        metadata=META % '"selection": ["pooled"]',
    ),
    "configs without id": Case(
        BINARY,
        "each of the metadata's 'configs' must be a JSON object with a text \"id\"",
        "correct the metadata",
        metadata=META % '"configs": [{"name": "a"}]',
    ),
    "flags that are no list": Case(
        BINARY,
        "metadata key 'flags' of 'a' must be a JSON list",
        "correct the metadata",
        metadata=META % '"configs": [{"id": "a", "flags": "dummy"}]',
    ),
    "classes that are no list": Case(
        BINARY,
        "metadata key 'classes' must be a JSON list",
        "correct the metadata",
        metadata=META % '"classes": "x"',
    ),
    "broken metadata": Case(
        BINARY,
        "metadata are not valid JSON: Expecting",
        "correct the metadata or remove them",
        metadata="{",
    ),
    "prediction in no unit": Case(
        "truth,a,b\nx,0.1,x\ny,0.2,y\n", r"prediction is text \(column 'b'", "--exclude"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(save, name):
    case = CASES[name]
    path = save("m.csv", case.text)
    if case.metadata:
        save("m.meta.json", case.metadata)
    with pytest.raises(BbcError, match=case.message) as e:
        read(path, **case.options)
    assert case.hint in e.value.hint
    found = inspect(path, Request(**case.options))
    assert found.n_errors >= 1


def test_no_file():
    with pytest.raises(BbcError, match="no file to read") as e:
        read([])
    assert e.value.hint == "name at least one"


def test_a_name_that_is_too_long():
    with pytest.raises(BbcError, match="cannot be read: File name too long") as e:
        read(f"{'x' * 300}.csv")
    assert e.value.hint == "check the path"


def test_a_folder_has_no_hash(tmp_path):
    with pytest.raises(BbcError, match="cannot be read: Is a directory"):
        sha256_of(tmp_path)


def test_addresses(tmp_path):
    with pytest.raises(BbcError, match=r"m\.csv: no such file") as e:
        read(f"file://{tmp_path}/m.csv")
    assert e.value.hint == "check the address"
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(BbcError, match=r"d\.csv: cannot be read: ") as e:
        read(f"file://{tmp_path}/d.csv")
    assert e.value.hint == "check the address and the login"
    with pytest.raises(BbcError, match=r"cannot be read: ") as e:
        matching_urls(f"file://{tmp_path}/none/*.csv")
    assert e.value.hint == "check the address and the login"
    with pytest.raises(BbcError, match="no library opens nope://") as e:
        read("nope://somewhere/m.csv")
    assert "pip install fsspec" in e.value.hint


def test_a_column_of_true_and_false_beside_other_numbers(save):
    first = save("a.csv", "row_id,fold,truth,prediction\n0,true,x,0.1\n1,false,y,0.2\n")
    second = save("b.csv", "row_id,fold,truth,prediction\n0,0,x,0.1\n1,2,y,0.2\n")
    with pytest.raises(BbcError, match="`fold` holds numbers, that of .* true and false") as e:
        read([first, second])
    assert "row 0 of" in e.value.hint


def test_text_that_is_no_table(save, monkeypatch):
    import pyarrow as pa
    import pyarrow.csv as pacsv

    def fail(*args: Any, **options: Any) -> None:
        raise pa.ArrowInvalid("straddling object\nmore")

    monkeypatch.setattr(pacsv, "read_csv", fail)
    path = save("m.csv", BINARY)
    with pytest.raises(BbcError, match="text cannot be parsed: straddling object\\n") as e:
        read(path)
    assert e.value.hint.startswith("a header line")


def test_no_column_has_a_name(save):
    path = save("m.csv", ",,\n1,2,3\n")
    with pytest.raises(BbcError, match="column 0 has no name"):
        read(path)
    texts = [f.text for f in inspect(path).findings]
    assert f"{path}: no column has a name" in texts
