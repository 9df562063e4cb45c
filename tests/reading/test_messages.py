"""Errors of the readers that no other test names: what is wrong, where, and what to do."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from day import swept
from reading import refused

from bbccli.errors import BbcError
from bbccli.reading import Request, Roles
from bbccli.reading.sources import sha256_of
from bbccli.types import Task
from bbccli.use_cases.inspection import inspect

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
    "truth and time by hand": Case("t,e,y,a\n1,1,x,0.1\n2,0,y,0.4\n",
        "truth and time/event exclude each other", "give one of them",
        {"roles": Roles(truth="y", time="t", event="e")}),
    "truth and survival": Case("time,event,truth,a\n1,1,x,0.1\n2,0,y,0.4\n",
        r"both a truth \('truth'\) and a survival outcome \('time', 'event'\)",
        "--task survival, or --truth NAME"),
    "half a survival outcome": Case("time,a\n1,0.1\n2,0.4\n", "no truth column among time, a",
        'or give truth="NAME" or labels="FILE"'),
    "scores that may need no truth": Case("question,a,b\nq1,1,0\nq2,0,1\n",
        "no truth column among question, a, b",
        'labels="FILE"; task="score" if each cell is the score of an answer'),
    "a misspelt truth": Case("truht,a,b\n1,1,0\n0,0,1\n", "no truth column among truht",
        "the score of an answer; did you mean truht?"),
    "names of samples": Case("image,truth,a\np1.jpg,x,0.1\np2.jpg,y,0.4\n",
        r"prediction is text \(column 'image', row 0",
        'give row_id="image" if that is right; otherwise leave it out with exclude="image"'),
    "a long table by other names": Case("key,truth,who,p\n0,x,a,0.1\n1,y,a,0.4\n0,x,b,0.2\n",
        r"row_id occurs twice \(column 'key', row 2, value 0\)",
        'configuration="who" if it distinguishes configurations',
        {"roles": Roles(row_id="key")}),
    "one word among numbers": Case("truth,a,b\nx,0.1,0.2\ny,?,0.7\n",
        r"prediction is text \(column 'a', row 1", "leave the cell empty if there is no"),
    "probabilities of classes without their mark": Case(
        "truth,svm_cat,svm_dog,svm_eel\ncat,0.6,0.3,0.4\ndog,0.1,0.8,0.1\neel,0.2,0.2,0.6\n",
        "predictions of 3 classes are neither labels nor", "name the columns 'svm::cat' and so on"),
    "codes of classes in words": Case("truth,a,b\ncat,0,1\ndog,1,2\neel,2,0\n",
        "predictions of 3 classes are neither labels nor", "write the labels, such as cat,"),
    "half a survival outcome by hand": Case("when,a\n1,0.1\n2,0.4\n",
        "a survival outcome needs a column 'event' beside 'when'",
        'event="NAME"; the columns are when, a', {"roles": Roles(time="when")}),
    "another task than survival": Case(SURVIVAL,
        'task="binary" needs a truth, but the columns are a time and an event',
        'drop task, or give truth="NAME"',
        {"roles": Roles(time="time", event="event"), "task": Task.BINARY}),
    "positive class of a survival task": Case(SURVIVAL,
        'positive="x" needs a binary task, but this one is survival',
        'drop positive, or give task="binary"', {"positive": "x"}),
    "no caret": Case(BINARY, "lacks the columns 'pred' and 'obs', so it is not fit",
        "row.names = FALSE", {"dialect": "caret"}),
    "a configuration without a class": Case(
        "truth,a::x,a::y,b::x,b::q\nx,0.1,0.9,0.1,0.9\ny,0.8,0.2,0.8,0.2\nq,0.3,0.7,0.3,0.7\n",
        "configuration 'a' has no column of class 'q', but the classes are",
        "give one column 'config::class' for every configuration and class",
    ),
    "nested without a key": Case(NESTED.replace("row_id", "name"),
        "nested predictions need a column 'row_id' beside 'outer_fold'",
        "the key of the sample of every row"),
    "nested without inner folds": Case(NESTED.replace(",fold", ",inner"),
        "nested predictions need a column 'fold' beside 'outer_fold'",
        "empty in rows of outer test samples"),
    "nested leak": Case(NESTED + "p0,A,1,no,0.2\n",
        r"sample is both trained on and tested in one outer fold \(column 'row_id', row 0",
        "give inner predictions only for samples outside the outer fold"),
    "nested twice": Case(NESTED + "p2,A,2,no,0.2\n",
        r"row_id occurs twice within one outer fold \(column 'row_id', row 8, value 'p2'\)",
        "average those of inner repeats"),
    "nested without test samples": Case(NESTED + "p0,C,1,no,0.2\n",
        r"outer fold has no test samples \(column 'outer_fold', row 8, value 'C'\)",
        "write inner predictions in rows with a 'fold'"),
    "nested without inner rows": Case(NESTED + "p4,C,,no,0.2\n",
        r"outer fold has no inner predictions \(column 'outer_fold', row 8, value 'C'\)",
        "write inner predictions in rows with a 'fold'"),
    "nested and nothing left": Case(
        NESTED.replace("p2,B,,no,0.3", "p2,B,,no,").replace("p3,B,,yes,0.8", "p3,B,,yes,"),
        r"no sample of the outer fold is left \(column 'outer_fold', row",
        "complete its predictions",
    ),
    "selection": Case(BINARY, "metadata key 'selection' is 'mean'", "one of: pooled, fold-mean",
        metadata=META % '"selection": "mean"'),
    "task": Case(BINARY, "metadata key 'task' is 'classification'", "one of: binary, ",
        metadata=META % '"task": "classification"'),
    "selection that is no text": Case(BINARY, r"metadata key 'selection' is \['pooled'\]",
        "one of: pooled", metadata=META % '"selection": ["pooled"]'),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_message(save, name):
    case = CASES[name]
    path = save("m.csv", case.text)
    if case.metadata:
        save("m.meta.json", case.metadata)
    assert case.hint in refused(case.message, path, **case.options, kind=BbcError).hint
    assert inspect(path, Request(**case.options)).n_errors >= 1


def test_missing_file(save, tmp_path):
    path = save("breast.csv", BINARY)
    error = refused(r"brest\.csv: no such file", tmp_path / "brest.csv")
    assert error.hint == f"did you mean {path}?"
    assert refused("no such file", tmp_path / "zzz.parquet").hint == "check the path"
    refused("no such file", tmp_path / "none" / "a.csv", hint="no folder")
    refused("is a folder that bbc does not recognise", tmp_path)
    refused(r"is not a file name|no such file", str(tmp_path / "a\0b.csv"))
    assert refused("no file to read", [], kind=BbcError).hint == "give at least one"
    with pytest.raises(BbcError, match="is a folder, not a file"):
        sha256_of(tmp_path)


def test_permission(save, monkeypatch):
    path = save("m.csv", BINARY)
    path.chmod(0)
    if os.access(path, os.R_OK):

        def refuse(self, mode):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
    refused("permission denied", path)


def test_addresses(tmp_path):
    (tmp_path / "d.csv").mkdir()
    folder, both = tmp_path.as_uri(), "check the address and the login"
    assert refused(r"m\.csv: no such file", f"{folder}/m.csv").hint == "check the address"
    assert refused(r"d\.csv: cannot be read: ", f"{folder}/d.csv").hint == both
    assert refused("cannot be read: ", f"{folder}/none/*.csv").hint == both
    words, source = "no library opens nope://", "nope://somewhere/m.csv"
    refused(words, source, kind=BbcError, hint="pip install fsspec")


def test_a_column_of_true_and_false_beside_other_numbers(save):
    first = save("a.csv", "row_id,fold,truth,prediction\n0,true,x,0.1\n1,false,y,0.2\n")
    second = save("b.csv", "row_id,fold,truth,prediction\n0,0,x,0.1\n1,2,y,0.2\n")
    e = refused("'fold' holds numbers, but true and false in", [first, second], kind=BbcError)
    assert "row 0 of" in e.hint


def test_text_that_is_no_table(save, monkeypatch):
    import pyarrow as pa
    import pyarrow.csv as pacsv

    def fail(*args: Any, **options: Any) -> None:
        raise pa.ArrowInvalid("straddling object\nmore")

    monkeypatch.setattr(pacsv, "read_csv", fail)
    hint = "give a header line"
    refused("text cannot be parsed: straddling object\\n", save("m.csv", BINARY), hint=hint)


def test_all_columns_of_text_are_named_at_once(save):
    text = {f"c{i}": np.repeat(["v", "w"], 6) for i in range(3)}
    path = save("m.csv", {**text, "y": np.arange(12.0), "a": np.arange(12.0) ** 2, "b": [0.5] * 12})
    refused("prediction is text", path, hint="; and so for c1, c2")


def test_no_column_has_a_name(save):
    path = save("m.csv", ",,\n1,2,3\n")
    refused("the first column has no name", path)
    assert f"{path}: no column has a name" in [found.text for found in inspect(path).findings]


@pytest.mark.parametrize(
    ("bad", "name"), [(0, "one"), swept(7, "one"), swept(8, "two"), swept(15, "two")]
)
def test_a_fault_is_in_the_file_and_row_where_it_is(tmp_path, bad, name):
    values = np.linspace(0.1, 0.9, 16).round(3).astype(str)
    values[bad] = "inf"
    for place, start in (("one", 0), ("two", 8)):
        rows = [f"{i},{i % 2},{i // 2 % 2},{values[start + i]}" for i in range(8)]
        (tmp_path / f"{place}.csv").write_text("\n".join(["row_id,truth,fold,score", *rows]) + "\n")
    caught = refused("infinite", [tmp_path / "one.csv", tmp_path / "two.csv"])
    assert caught.path == str(tmp_path / f"{name}.csv")
    assert caught.row == bad % 8
