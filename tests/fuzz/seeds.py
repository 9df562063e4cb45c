"""Small real inputs: every task, layout, dialect and format."""

import io
import json
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from .case import Case

CLASSES = ("x", "y", "z")


@cache
def wide() -> dict[str, bytes]:
    """Wide tables by name: a task, and what may stand beside predictions."""
    return {
        "binary": table(truth=2, fold=4, row_id=1, score=3),
        "few": table(n=4, truth=2, fold=2, score=2),
        "labels": table(truth=2, fold=3, label=2),
        "multiclass": table(truth=3, fold=3, probability=2),
        "three labels": table(truth=3, label=3),
        "regression": table(value=4, fold=5),
        "survival": table(time=1, event=1, fold=3, risk=3),
        "two rows": table(n=2, time=1, event=1, risk=2),
        "groups": table(truth=2, group=1, fold=3, weight=1, score=2),
        "repeats": table(truth=2, repeats=2, fold=3, score=3),
        "nested": nested(),
        "hold-out": b"row_id,repeat,truth,a,b\n0,0,x,.1,.2\n1,0,y,.6,.4\n2,1,x,.3,.1\n3,1,y,.9,.8\n"
        b"0,2,x,.2,.5\n3,2,y,.7,.6\n",
        "gaps": b"row_id,fold,truth,a,b\n0,0,x,.1,\n1,1,y,.9,.8\n2,0,y,.4,.7\n3,1,x,,.3\n"
        b"4,0,x,.2,.1\n",
        "quoted": b'truth,"a, b","say ""c"""\n"x",.1,"0.4"\n"y",.7,.6\n"x",.2,.3\n"y",.9,.5\n',
    }


@cache
def long() -> dict[str, bytes]:
    """Long tables by dialect."""
    return {
        "long": b"config,row_id,fold,truth,prediction\na,0,0,x,.1\na,1,1,y,.8\na,2,0,y,.6\n"
        b"b,0,0,x,.3\nb,1,1,y,.9\nb,2,0,y,.2\n",
        "probabilities": b"config,row_id,repeat,fold,truth,prob.x,prob.y\na,0,0,0,x,0.9,0.1\n"
        b"a,1,0,1,y,0.2,0.8\nb,1,0,1,y,0.4,0.6\nb,0,0,0,x,0.7,0.3\n",
        "unfinished": b"config,row_id,fold,truth,prob.x,prob.y\na,0,0,x,0.9,0.1\na,1,1,y,0.2,0.8\n"
        b"a,2,0,y,.4,.6\na,3,1,x,.7,.3\nb,1,1,y,0.4,0.6\nb,3,1,x,.8,.2\n",
        "caret": b'"pred","obs","x","y","rowIndex","k","Resample"\n'
        b'"x","x",0.9,0.1,1,3,"Fold1.Rep1"\n'
        b'"y","y",0.2,0.8,2,3,"Fold2.Rep1"\n"x","x",0.7,0.3,1,5,"Fold1.Rep1"\n'
        b'"y","y",0.4,0.6,2,5,"Fold2.Rep1"\n',
        "tidymodels": b".pred_x,.pred_y,id,.row,penalty,y,.config\n0.9,0.1,Fold1,1,0.5,x,A\n"
        b"0.2,0.8,Fold2,2,0.5,y,A\n0.6,0.4,Fold1,1,0.7,x,B\n0.3,0.7,Fold2,2,0.7,y,B\n",
        "mlr3": b"row_ids,truth,response,prob.x,prob.y,config,iteration\n1,x,x,.8,.2,a,1\n"
        b"2,y,y,.3,.7,a,2\n1,x,y,.4,.6,b,1\n2,y,y,.1,.9,b,2\n",
        "kaggle": b"id,target\n1,0.2\n2,0.7\n3,0.4\n4,.9\n",
    }


ARFF = (
    b"% run\n@RELATION r\n@ATTRIBUTE repeat NUMERIC\n@ATTRIBUTE fold NUMERIC\n"
    b"@ATTRIBUTE row_id NUMERIC\n@ATTRIBUTE prediction {x,'y z'}\n@ATTRIBUTE correct {x,'y z'}\n"
    b"@ATTRIBUTE confidence.x NUMERIC\n@ATTRIBUTE 'confidence.y z' NUMERIC\n@DATA\n"
    b"0,0,0,x,x,0.9,0.1\n0,1,1,'y z','y z',0.2,0.8\n0,0,2,x,\"y z\",?,0.4\n0,1,3,x,x,.8,.2\n"
)
LABELS = b"row_id,truth\n" + b"".join(b"%d,%s\n" % (i, (b"x", b"y")[i % 2]) for i in range(12))
FOLDS = b"row_id,fold\n" + b"".join(b"%d,%d\n" % (i, i // 2 % 3) for i in range(12))
MANIFEST = b"path,study,metric,seed\np.csv,one,auc,1\nq.csv,two,accuracy,2\n"
METADATA = json.dumps(
    {
        "spec": "bbc-predictions",
        "version": "1",
        "task": "binary",
        "positive_class": "y",
        "configurations": {"a": {"k": 1}, "b": {"k": 2.5}},
        "roles": {"truth": "truth"},
        "selection": "pooled",
    }
).encode()


@cache
def saved(suffix: str) -> bytes:
    """A result of `bbc correct`, as .json or .jsonl; the table of a batch, as .parquet."""
    from .run import run

    if suffix == ".parquet":
        batch = ("batch", "p.csv", "-q", "--n-resamples", "20", "--jobs", "1", "-o", "r.parquet")
        return run(Case(batch, {"p.csv": wide()["binary"]})).written["r.parquet"]
    arguments = ("correct", "p.csv", "-q", "--n-resamples", "20", "-o", f"r{suffix}")
    written = run(Case(arguments, {"p.csv": wide()["binary"]})).written
    return written[f"r{suffix}"]


def packed(data: bytes, packing: str) -> bytes:
    """Compressed bytes."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, packing) as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def parquet(data: bytes) -> bytes:
    """The same table as Parquet, without rows that are too short or too long."""
    options = csv.ParseOptions(invalid_row_handler=lambda row: "skip")
    sink, text = io.BytesIO(), data.decode("utf-8", "replace").encode()
    try:
        pq.write_table(csv.read_csv(pa.BufferReader(text), parse_options=options), sink)
    except pa.ArrowException:
        return data
    return sink.getvalue()


def as_csv(data: bytes) -> bytes:
    """The table of a Parquet file as CSV."""
    sink = io.BytesIO()
    csv.write_csv(pq.read_table(io.BytesIO(data)), sink)
    return sink.getvalue()


def table(n: int = 12, repeats: int = 1, **columns: int) -> bytes:
    """A wide CSV: K classes, F folds, C configurations with random predictions."""
    rng = np.random.default_rng(n + sum(columns.values()))
    rows = np.tile(np.arange(n), repeats)
    truth = rows % columns.get("truth", 2)
    content: dict[str, object] = {}
    if repeats > 1:
        content |= {"row_id": rows, "repeat": np.repeat(np.arange(repeats), n)}
    for name, count in columns.items():
        content |= _columns(name, count, rows, truth, rng)
    lines = [",".join(content)]
    lines += [",".join(map(str, line)) for line in zip(*content.values(), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _columns(
    name: str, count: int, rows: np.ndarray, truth: np.ndarray, rng: np.random.Generator
) -> dict[str, object]:
    noise = rng.random((count, len(rows)))
    names = "abcd"[:count]
    named = {
        "truth": [CLASSES[k] for k in truth],
        "row_id": rows,
        "fold": rng.permutation(len(rows)) % count,
        "group": rows // 2,
        "weight": np.round(noise[0] + 0.5, 1),
        "time": np.round(noise[0] * 9 + 1, 1),
        "event": rows % 3 % 2,
    }
    if name in named:
        return {name: named[name]}
    if name == "label":
        return {c: [CLASSES[k] for k in rng.permutation(truth)] for c in names}
    if name == "probability":
        parts = rng.dirichlet(np.ones(3), (count, len(rows)))
        return {f"{c}::{CLASSES[k]}": parts[i, :, k] for i, c in enumerate(names) for k in range(3)}
    if name == "value":
        return {"truth": rows + 0.5} | {
            c: np.round(rows + noise[i], 2) for i, c in enumerate(names)
        }
    return {c: np.round(0.6 * noise[i] + 0.4 * truth, 2) for i, c in enumerate(names)}


def nested() -> bytes:
    """Inner predictions of two outer folds."""
    lines = ["row_id,outer_fold,fold,truth,a,b"]
    for outer in "AB":
        for row in range(8):
            inner = "" if "AB"[row % 2] == outer else str(row // 2 % 2)
            lines.append(f"{row},{outer},{inner},{CLASSES[row // 2 % 2]},.{row}1,.{9 - row}")
    return "\n".join(lines).encode()
