"""Tables in JSON, and what is inside objects, against the same table in CSV."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from reading import refused

from bbccli import read
from bbccli.reading import Roles
from bbccli.types import Task

RNG = np.random.default_rng(7)
N = 40
FLAT = (
    pd.DataFrame({"id": [f"s{i}" for i in range(N)], "truth": np.arange(N) % 2, "a": RNG.random(N)})
    .assign(b=RNG.random(N))
    .round(6)
)


def numbers(matrix):
    return dict(zip(matrix.configurations, matrix.predictions[0].T.tolist(), strict=True))


@pytest.mark.parametrize("orient", ["records", "split", "columns", "index", "table"])
def test_a_table_of_pandas_is_that_of_csv(tmp_path, orient):
    FLAT.to_csv(tmp_path / "p.csv", index=False)
    FLAT.to_json(tmp_path / "p.json", orient=orient, double_precision=15)
    ours, csv = read(tmp_path / "p.json"), read(tmp_path / "p.csv")
    assert ours.configurations == csv.configurations == ("a", "b")
    np.testing.assert_array_equal(ours.predictions, csv.predictions)
    np.testing.assert_array_equal(ours.outcome.values, csv.outcome.values)


def test_what_the_keys_of_pandas_are(tmp_path):
    """Numbers may be the rows, or columns beside numbered rows."""
    FLAT.set_index("id").to_json(tmp_path / "text.json", double_precision=15)
    assert read(tmp_path / "text.json").configurations == ("a", "b")
    FLAT[["a", "b"]].set_axis(["0", "1"], axis=1).to_json(tmp_path / "numbers.json")
    FLAT[["truth"]].to_csv(tmp_path / "labels.csv", index=False)
    numbered = read(tmp_path / "numbers.json", labels=tmp_path / "labels.csv")
    assert (numbered.configurations, numbered.n_samples) == (("0", "1"), N)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("orient", ["records", "split", "columns"])
def test_json_is_told_by_content(tmp_path, stdin, orient, indent):
    FLAT.to_json(tmp_path / "p.json", orient=orient, double_precision=15, indent=indent)
    stdin(b"\n" + (tmp_path / "p.json").read_bytes())
    assert numbers(read("-")) == numbers(read(tmp_path / "p.json"))
    lines = FLAT.to_json(orient="records", lines=True, double_precision=15)
    stdin(f"\n{lines}".replace("\n", " \r\n").encode())
    assert numbers(read("-")) == numbers(read(tmp_path / "p.json"))


def test_a_log_of_pytest_is_no_table(tmp_path):
    report = [{"nodeid": f"t[{i}]", "outcome": "passed", "duration": i / 9} for i in range(N)]
    lines = [
        {"$report_type": "SessionStart"},
        *({"$report_type": "TestReport"} | r for r in report),
    ]
    (tmp_path / "p.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    refused("is a log of pytest", tmp_path / "p.jsonl", hint="--junitxml")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": {"0": 1, "1": 0}, "b": {"0": 1, "2": 0}}, "nor a table"),
        ({"truth": {"0": 1}, "a": {"0": 1, "1": 0}}, "nor a table"),
        ({"truth": {"0": 1, "1": 0}}, "nor a table"),
        ({"tests": [{"nodeid": "t[0]", "outcome": "passed"}]}, "nor a table"),
        ([1, 2], "nor a table"),
        ([{"a": 1}, [2]], "nor a table"),
        ("text", "nor a table"),
        ({"columns": ["a"], "data": [[1, 2]]}, "nor a table"),
        ({"columns": ["a", "a"], "data": [[1, 2]]}, "nor a table"),
        ([], "no rows"),
    ],
)
def test_what_is_no_table(tmp_path, value, message):
    (tmp_path / "p.json").write_text(json.dumps(value))
    refused(message, tmp_path / "p.json", hint="" if message == "no rows" else "--junitxml")


@pytest.fixture
def experiments(tmp_path):
    """Exports of Braintrust: the key of a row is another in each, and scores are in objects."""
    paths = []
    for name in ("x", "y"):
        rows = [
            {
                "id": f"{name}{i}",
                "input": {"question": f"q{i}", "tags": ["t"]},
                "output": "text",
                "scores": {"exact": int(RNG.random() < 0.6), "similar": RNG.random()},
            }
            for i in range(N)
        ]
        RNG.shuffle(rows)
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def test_hints_lead_into_objects_and_each_works(experiments):
    how = {"task": Task.SCORE}
    hint = "give row_id='input.question', which has the same values"
    refused("has no sample in common", experiments, hint=hint.replace("'", '"'), **how)
    how["roles"] = Roles(row_id="input.question")
    hint = "where NAME is one of scores.exact, scores.similar"
    refused("it is unclear which column holds predictions", experiments, hint=hint, **how)
    for score in ("exact", "similar"):
        named = Roles(row_id="input.question", prediction=f"scores.{score}")
        found = numbers(read(experiments, roles=named, task=Task.SCORE))
        for path in experiments:
            rows = pd.json_normalize([json.loads(line) for line in path.read_text().splitlines()])
            in_order = rows.set_index("input.question")[f"scores.{score}"]
            first = pd.json_normalize(
                [json.loads(line) for line in experiments[0].read_text().splitlines()]
            )["input.question"]
            np.testing.assert_allclose(found[path.stem], in_order[first], rtol=1e-6)


def test_objects_hold_configurations_only_if_named(tmp_path):
    rows = [
        {"id": i, "truth": i % 2, "own": RNG.random(), "p": {"a": RNG.random()}} for i in range(N)
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read(tmp_path / "p.jsonl").configurations == ("own",)
    both = read(tmp_path / "p.jsonl", only=["own", "p.a"])
    assert numbers(both)["p.a"] == pytest.approx([row["p"]["a"] for row in rows])


def test_keys_of_rows_are_no_subsets(tmp_path):
    """MLflow calls its traces tr-0, tr-1, ..., as others call training rows."""
    traces = FLAT.assign(trace_id=[f"tr-{i}" for i in range(N)]).drop(columns="id")
    traces.to_json(tmp_path / "p.json", orient="records")
    assert read(tmp_path / "p.json").n_configurations == 2
    traces["trace_id"] = ["tr-0", "tr-1"] * (N // 2)
    traces.to_json(tmp_path / "p.json", orient="records")
    refused("holds subsets of the data", tmp_path / "p.json")


@pytest.mark.parametrize("name", ["p.txt", "p.csv", "p.tsv", "p.txt.gz"])
def test_json_under_the_name_of_a_text(tmp_path, name):
    rows = [{"truth": i % 2, "a": i / N} for i in range(N)]
    columns = {"truth": [row["truth"] for row in rows], "a": [row["a"] for row in rows]}
    forms = (json.dumps(rows), "\n".join(map(json.dumps, rows)), json.dumps(columns))
    for form in forms:
        data = form.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        matrix = read(tmp_path / name)
        assert matrix.configurations == ("a",)
        assert matrix.predictions[0, :, 0].tolist() == columns["a"]
        assert matrix.outcome.values.tolist() == columns["truth"]


def test_columns_of_unequal_length_are_no_table(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps({"truth": [0, 1, 0], "a": [0.1, 0.9]}))
    refused("nor a table", tmp_path / "p.json")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"truth": [0, 1], "predictions": {"a": [0.1, 0.9], "b": [0.2, 0.8]}}, "beside each other"),
        ({"truth": [0, 1, 1], "a": [0.1, 0.9]}, "differ in length"),
        ({"a": {"truth": [0, 1], "p": [1, 2]}, "b": {"truth": [0, 1], "p": [3, 4]}}, "no key"),
    ],
)
def test_lists_that_are_no_columns(tmp_path, table, problem):
    """By model or of several lengths: the hint leads to a table that is read."""
    (tmp_path / "p.json").write_text(json.dumps(table))
    refused(problem, tmp_path / "p.json", hint='write {"truth": [...], "model": [...]}')
    (tmp_path / "p.json").write_text(json.dumps({"truth": [0, 1], "model": [0.1, 0.9]}))
    assert read(tmp_path / "p.json").n_samples == 2
    (tmp_path / "p.json").write_text(json.dumps({"config": {"seed": 1}, "results": [{"a": 1}]}))
    assert "length" not in str(refused("nor a table", tmp_path / "p.json", hint="junitxml"))
