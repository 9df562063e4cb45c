"""JSON Lines, and long tables of scores."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from reading import refused

from bbccli import BbcError, read
from bbccli.types import Task

LONG = pd.DataFrame(
    [
        {"item": f"q{i}", "subject": f"s{i // 5}", "epoch": e, "model": m, "score": (i + e + k) % 5}
        for i in range(20)
        for e in (1, 2)
        for k, m in enumerate(("a", "b"))
    ]
)


@pytest.mark.parametrize("name", ["long.csv", "long.parquet", "long.jsonl"])
def test_long_tables_of_scores(name, save):
    text = LONG.to_json(orient="records", lines=True)
    path = save(name, text if name.endswith("jsonl") else LONG.to_dict(orient="list"))
    matrix = read(path, task=Task.SCORE, bounds=(0, 4))
    assert (matrix.configurations, matrix.n_repeats, matrix.n_groups) == (("a", "b"), 2, 4)
    assert matrix.keys.tolist() == [f"q{i}" for i in range(20)]
    np.testing.assert_array_equal(
        matrix.predictions[:, :, 1], [[(i + e + 1) % 5 for i in range(20)] for e in (1, 2)]
    )
    assert matrix.notes == ()


def test_json_lines_are_a_table(save):
    """With blank lines, and a key that one row lacks."""
    columns = {"row_id": [1, 2, 3], "truth": ["a", "b", "a"], "svm": [0.5, 1, None]}
    rows = pd.DataFrame(columns).to_dict("records")
    del rows[2]["svm"]
    text = "\n\n".join(map(json.dumps, rows)).encode()
    of_csv = read(save("a.csv", columns))
    for matrix in (read(save("a.jsonl", text)), read(save("b.jsonl.gz", gzip.compress(text)))):
        np.testing.assert_array_equal(matrix.predictions, of_csv.predictions)
        assert [n.text for n in matrix.notes] == [n.text for n in of_csv.notes]
    yes = '{"truth": true, "svm": 0.9}\n{"truth": false, "svm": 0.2}\n' * 2
    assert read(save("a.jsonl", yes)).outcome.classes == ("False", "True")


FAULTS = {
    "no json": ('{"a": 1}\n{"a": }\n', "line 2 is not valid JSON"),
    "no object": ("[1, 2]\n", "line 1 is not a JSON object"),
    "twice": ('{"a": 1, "a": 2}\n', "a key occurs twice"),
    "deep": ("[" * 100_000 + "\n", "line 1 is not valid JSON"),
    "nothing plain": ('{"a": [1]}\n', "no key has plain values"),
    "text": ('{"truth": 0, "a": "x"}\n{"truth": 1, "a": 0.5}\n', "prediction"),
    "huge": ('{"truth": 0, "a": 1' + "0" * 400 + '}\n{"truth": 1, "a": 0.5}\n', "infinite"),
    "binary": (b'{"a": "\xff"}\n', "text is not UTF-8"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_of_json_lines(case, save):
    text, message = FAULTS[case]
    assert "a.jsonl" in str(refused(message, save("a.jsonl", text), kind=BbcError))
