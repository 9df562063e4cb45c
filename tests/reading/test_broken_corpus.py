"""Files as they come when something went wrong: each gives one line that says what, and exit 2."""

import gzip
import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

GOOD = b"row_id,fold,truth,a,b\n" + b"".join(
    b"%d,%d,%s,0.%d,0.%d\n" % (i, i % 4, (b"n", b"y")[i % 2], 10 + 7 * i, 90 - 3 * i)
    for i in range(8)
)


def parquet(columns: dict[str, object], **options: object) -> bytes:
    """A Parquet file of these columns."""
    sink = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), sink, **options)
    return sink.getvalue()


def damaged(data: bytes, start: int, more: bytes) -> bytes:
    """Bytes with some of them overwritten."""
    return data[:start] + more + data[start:][len(more) :]


def swap(old: bytes, new: bytes, times: int = 1) -> bytes:
    """The good file with a part replaced."""
    assert old in GOOD
    return GOOD.replace(old, new, times)


def meta(**keys: object) -> dict[str, bytes]:
    """The metadata beside a CSV."""
    return {"p.meta.json": json.dumps({"spec": "bbc-predictions", "version": "1"} | keys).encode()}


PLAIN = parquet({"truth": ["n", "y"] * 4, "a": np.linspace(0, 1, 8)})
TWICE = parquet(pa.table([[0, 1]] * 3, names=["truth", "a", "a"]))
TIMES = b"time,event,a,b\n" + b"".join(b"%d,%d,0.%d,0.5\n" % (i, i % 2, i) for i in range(1, 9))
LONG = b"x" * 5000
NPY = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"
PICKLE = b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00]\x94(K\x01K\x02e."

# name: (name of the file, its bytes, what the line says; the hint, or files beside it, if any)
CORPUS = {
    # files
    "empty csv": ("p.csv", b"", "file is empty"),
    "empty parquet": ("p.parquet", b"", "file is empty"),
    "blank lines": ("p.csv", b"\n\n  \n", "file is empty", "one row per sample"),
    "blank json lines": ("p.jsonl", b"\n \n", "file is empty", "one row per sample"),
    # a mark of the byte order: what some editors save as an empty file
    "a mark alone": ("p.csv", b"\xef\xbb\xbf\n", "no rows under the header", "one row per sample"),
    "json lines of a mark": ("p.jsonl", b"\xef\xbb\xbf\n", "no rows", "one JSON object per row"),
    "a pickle": ("p.pkl", PICKLE, "end in .pkl cannot be read", "never loaded"),
    "joblib": ("p.joblib", PICKLE, "end in .joblib cannot be read"),
    "numpy": ("p.npy", NPY, "not a file of plain NumPy arrays"),
    "an archive": ("p.zip", b"PK\x03\x04", "end in .zip cannot be read", "unpack it"),
    "a packed archive": ("p.tar.gz", b"\x1f\x8b", "end in .tar.gz cannot be read", "unpack it"),
    "a spreadsheet": ("p.xlsx", b"PK\x03\x04", "end in .xlsx cannot be read", "save the sheet"),
    "a spreadsheet named csv": ("p.csv", b"PK\x03\x04\x14\x00\x00\x00\x08", "is binary",
        "save the sheet as CSV"),
    "a pickle named csv": ("p.csv", PICKLE, "is binary"),
    "an image": ("p.png", b"\x89PNG\r\n", "end in .png cannot be read"),
    "data of no known kind": ("p.dat", b"x", "end in .dat cannot be read",
        ".parquet, .feather, .arrow"),
    "packed parquet": ("p.parquet.gz", b"x", "end in .parquet.gz cannot be read"),
    "packed json": ("p.json.gz", b"x", "truncated or damaged"),
    "feather": ("p.feather", b"ARROW1\0\0", "Arrow file is truncated or damaged"),
    "zipped": ("p.csv.zip", b"PK\x03\x04", "end in .zip cannot be read"),
    # packing
    "gzip cut short": ("p.csv.gz", gzip.compress(GOOD)[:-12], "truncated or damaged"),
    "gzip with wrong bytes": ("p.csv.gz", damaged(gzip.compress(GOOD), 20, b"\xff\xff\xff\xff"),
        "truncated or damaged"),
    "gzip named zst": ("p.csv.zst", gzip.compress(GOOD), "truncated or damaged"),
    "gzip named csv": ("p.csv", gzip.compress(GOOD), "is binary", "add .gz to its name"),
    "gzip of binary": ("p.csv.gz", gzip.compress(bytes(range(256))), "is binary"),
    # Parquet
    "csv named parquet": ("p.parquet", GOOD, "is not a Parquet file", ".csv"),
    "parquet named csv": ("p.csv", PLAIN, "is binary", "the suffix .parquet"),
    "parquet cut short": ("p.parquet", PLAIN[:-30], "truncated or damaged"),
    "parquet, only its start": ("p.parquet", PLAIN[:4], "truncated or damaged"),
    "parquet without its start": ("p.parquet", PLAIN[4:], "is not a Parquet file"),
    "parquet with a wrong length": ("p.parquet", PLAIN[:-8] + b"\xff\xff\xff\x7fPAR1",
        "truncated or damaged"),
    "parquet with zeros inside": ("p.parquet", damaged(PLAIN, 4, b"\0" * (len(PLAIN) // 2)),
        "damaged"),
    "parquet without rows": ("p.parquet",
        parquet({"truth": pa.array([], pa.string()), "a": pa.array([], pa.float64())}), "no rows"),
    "lists": ("p.parquet", parquet({"truth": [0, 1], "a": [[0.1], [0.9]]}),
        "lists of 1 number, but the truth has 2 classes"),
    "lists of text": ("p.parquet", parquet({"truth": [0, 1], "a": [["x"], ["y"]]}),
        "no configuration column", "found only truth, and objects, lists or bytes in a"),
    "structs": ("p.parquet", parquet({"truth": [0, 1], "a": [{"n": 0.1}, {"n": 0.9}]}),
        "no configuration column", "found only truth, and objects, lists or bytes in a"),
    "bytes": ("p.parquet", parquet({"truth": [0, 1], "a": [b"\0", b"\1"]}),
        "no configuration column", "found only truth, and objects, lists or bytes in a"),
    "nothing but nulls": ("p.parquet", parquet({"truth": [0, 1] * 4, "a": pa.nulls(8)}),
        "lacks too many predictions"),
    "dates as predictions": ("p.parquet",
        parquet({"truth": [0, 1] * 4, "a": pa.array(range(8), pa.date32())}),
        "prediction is not one of the classes"),
    # text
    "utf-16": ("p.csv", GOOD.decode().encode("utf-16")[:-1], "UTF-16"),
    "latin-1": ("p.csv", swap(b"truth", b"tr\xfcth"), "not UTF-8"),
    "null bytes": ("p.csv", swap(b"0.10", b"0\x00.10"), "is binary"),
    "html": ("p.csv", b"<!DOCTYPE html>\n<html>\n<body>404</body>\n</html>\n",
        "is a web page, not a table", "download the file itself"),
    "json": ("p.csv", b'{"truth": [0, 1], "a": [0.1]}\n', "nor a table"),
    "a message of git lfs": ("p.csv",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "is a pointer of Git LFS", "git lfs pull"),
    "a comment above the header": ("p.csv", b"# made by a tool\n" + GOOD, "line 2 has 1 value",
        "remove all lines above the header"),
    "a title above the header": ("p.csv", b"Results\n\n" + GOOD, "line 3 has 5 values",
        "remove all lines above the header"),
    "vertical bars": ("p.csv", GOOD.replace(b",", b"|"), r"values are separated by \|", "sep="),
    "vertical bars and blanks": ("p.csv", swap(b"a,b", b"svm C=1,svm C=2").replace(b",", b"|"),
        r"values are separated by \|", "sep="),
    "files in one": ("p.csv", GOOD + GOOD, "line 10 repeats the header", "keep files separate"),
    "files in one, cut": ("p.csv", GOOD.replace(b"\n", b"\r\n") + GOOD.split(b"\n")[0],
        "line 10 repeats the header"),
    "a name without end": ("p.csv", b"x" * 2**18 + b"\n1\n", "header is not readable"),
    "a row of means": ("p.csv", GOOD.rstrip() + b"\nMean:,,1,0.5,0.5\n",
        "row_id is a word, but all others are numbers .*value 'Mean:'", "totals"),
    "a row of totals": ("p.csv", b"row_id,truth,a\n" + b"".join(b"s%d,%d,0.%d\n" % (i, i * i, i + 1)
        for i in range(8)) + b"Grand total,140,3.6\n",
        "row_id is a word, but all others are numbered .*line 10, value 'Grand total'", "totals"),
    "numbers as names": ("p.csv", b"0,0,1,0.5\n" + GOOD.split(b"\n")[1],
        "two columns have the same name", "write the names of the columns in the first line"),
    "merge conflict": ("p.csv", swap(b"3,3,", b"<<<<<<< HEAD\n3,3,"), "line 5 has 1 value"),
    "a header alone": ("p.csv", b"row_id,fold,truth,a\n", "no rows under the header",
        "one row per sample"),
    "a header without an end": ("p.csv", b"truth,a,b", "no rows under the header"),
    "a header and blank lines": ("p.tsv", b"truth\ta\n\n\n", "no rows under the header"),
    "scores of a search": ("p.csv", b",param_C,mean_test_score\n0,1,0.8\n1,9,0.9\n",
        "holds scores of a search, not predictions", "bbccli.recording"),
    "scores by several metrics": ("p.csv", b"params,mean_test_auc\na,0.8\nb,0.9\n", "holds scores"),
    "a leaderboard": ("p.csv", b"model,score_val\na,0.8\nb,0.9\n", "holds scores of a search",
        "folder"),
    "trials": ("p.csv", b"number,value,params_C,state\n0,0.8,1,COMPLETE\n1,0.9,2,COMPLETE\n",
        "holds scores of a search"),
    "a class too many": ("p.csv", b"truth,svm C=0\n0,0.1\n1,0.9\nunknown,0.5\n",
        "neither labels nor one column per class; the classes are 0, 1, unknown", "'svm C=0::0'"),
    "no header": ("p.csv", b"n,0.1,0.2\ny,0.9,0.8\n", "no truth column among n, 0.1"),
    "too many cells": ("p.csv", swap(b"0.24,0.84", b"0.24,0.84,1"), "line 4 has 6 values"),
    "too few cells": ("p.csv", swap(b"0.24,0.84", b"0.24"), "line 4 has 4 values"),
    "a quote that never ends": ("p.csv", swap(b"0.24", b'"0.24'),
        "a quote opens in line 4 and is never closed"),
    "cut in the middle of a row": ("p.csv", GOOD[:-12], "values, but the header"),
    "semicolons and commas": ("p.csv", swap(b"row_id,fold", b"row_id;fold"), "line 2 has 5 values"),
    "an unnamed column": ("p.csv", b"," + GOOD.replace(b"\n", b"\n0,", 8),
        "the first column has no name", "index=False"),
    "a name twice in parquet": ("p.parquet", TWICE, "two columns have the same name .column 'a'"),
    "a name twice": ("p.csv", swap(b"a,b", b"a,a"), "two columns have the same name"),
    # roles
    "no truth": ("p.csv", swap(b"truth", b"label_of_it"), "no truth column"),
    "a truth by another name": ("p.csv", swap(b"truth", b"thruth"), "no truth",
        "--truth thruth if that is right"),
    "no truth among many": ("p.csv",
        b",".join(b"c%d" % i for i in range(13)) + b"\n" + b"1," * 12 + b"2\n",
        "no truth column among c0, c1, .*c7 and 5 more", "--truth NAME"),
    "no configuration": ("p.csv", b"truth,fold\ny,0\nn,1\n", "no configuration column"),
    "only the truth": ("p.csv", b"truth\ny\nn\n", "no configuration column"),
    # values
    "text for a prediction": ("p.csv", swap(b"0.24", b"n/a?"),
        r"text \(column 'a', line 4, value 'n/a\?'\)"),
    "text for a number in parquet": ("p.parquet",
        parquet({"truth": [0.5, 1.5], "a": ["0.1", "0.2"]}),
        r"prediction is text \(column 'a', row 0, value '0.1'\)", "numbers"),
    "decimal commas": ("p.tsv", GOOD.replace(b",", b"\t").replace(b"0.1", b"0,1"),
        "a different decimal mark"),
    "an infinite prediction": ("p.csv", swap(b"0.24", b"inf"),
        r"infinite \(column 'a', line 4, value inf\)"),
    "an endless cell": ("p.csv", swap(b"0.24", LONG), "prediction is text"),
    "a formula error": ("p.csv", swap(b"0.24", b"#REF!"), "prediction is a formula error"),
    "no truth in a row": ("p.csv", swap(b"2,2,n", b"2,2,"),
        r"is missing \(column 'truth', line 4\)", "remove"),
    "one class": ("p.csv", GOOD.replace(b",n,", b",y,"), "only one (class|value)"),
    "an infinite truth": ("p.csv", b"truth,a\n0.5,1\ninf,2\n1.5,3\n2.5,4\n",
        "truth is infinite .*line 3"),
    "every prediction missing": ("p.csv", b"truth,a,b\n" + b"y,,\nn,,\n" * 4,
        "lacks too many predictions"),
    "labels that are no class": ("p.csv", b"truth,a\ny,y\nn,maybe\ny,what\nn,Yes\n",
        "not one of the classes"),
    # rows
    # survival
    # metadata
    "metadata that are no JSON": ("p.csv", GOOD, "not valid JSON", {"p.meta.json": b"{"}),
    "metadata that are a list": ("p.csv", GOOD, "must be a JSON object", {"p.meta.json": b"[]"}),
    "metadata of a huge number": ("p.csv", GOOD, "not valid JSON", {"p.meta.json": b"1" * 5_000}),
    "metadata of no kind": ("p.csv", GOOD, "metadata have spec None", {"p.meta.json": b"{}"}),
    "configurations that are no objects": ("p.csv", GOOD, "JSON object with", meta(configs=[3])),
    "configurations without a name": ("p.csv", GOOD,
        "'configs' must be a JSON object with a text \"id\"", meta(configs=[{"name": "a"}]),
        "correct the metadata"),
    "flags that are no list": ("p.csv", GOOD, "key 'flags' of 'a' must be a JSON list",
        meta(configs=[{"id": "a", "flags": "x"}])),
    "candidates that are no number": ("p.csv", GOOD,
        "'n_candidates_total' must be a JSON integer", meta(n_candidates_total="many")),
    "metadata of the future": ("p.csv", GOOD, "metadata have version", meta(version="9")),
    "metadata in binary": ("p.csv", GOOD, "not valid JSON", {"p.meta.json": b"\xff\xfe\0"}),
    "metadata nested deeply": ("p.csv", GOOD, "not valid JSON", {"p.meta.json": b"[" * 100_000}),
    "classes that are no list": ("p.csv", GOOD, "'classes' must be", meta(classes="n y")),
    "a class that is not there": ("p.csv", GOOD, "not one of the classes of the metadata",
        meta(task="binary", classes=["n", "z"])),
    "a positive class that is not": ("p.csv", GOOD,
        "positive_class is 'z', which is not one of the classes", meta(positive_class="z")),
}  # fmt: skip


@pytest.mark.parametrize("case", CORPUS)
def test_broken_file(case, run, tmp_path):
    name, data, message, *more = CORPUS[case]
    beside, hints = ([one for one in more if isinstance(one, kind)] for kind in (dict, str))
    for other, content in ({name: data} | dict(*beside)).items():
        (tmp_path / other).write_bytes(content)
    err = run.refused("correct", tmp_path / name, "--n-resamples", "20", "--method", "bbc")
    error, hint = err.splitlines()
    assert error.startswith(f"error: {tmp_path}")
    assert hint.startswith("hint: ")
    assert len(hint) > len("hint: ")
    assert all(words in hint for words in hints), hint
    assert re.search(message, error), error
    assert run("inspect", tmp_path / name)[0] == 2
    assert all(character.isprintable() for character in error + hint)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (re.sub(rb"(?m)^(\d),1", rb"\1,0", TIMES), "concordance is undefined for every configur"),
        (GOOD.replace(b",n,", b",y,", 3), "class 'n' has a single sample"),
    ],
    ids=["no event", "a class of one sample"],
)
def test_files_that_can_be_read_but_not_judged(run, tmp_path, data, message):
    path = tmp_path / "p.csv"
    path.write_bytes(data)
    err = run.refused("correct", path, "--n-resamples", "20", "--method", "bbc")
    assert err.startswith(f"error: {message}")
    assert all(line.startswith("hint: ") for line in err.splitlines()[1:])
