"""JSON Lines, samples of lm-evaluation-harness, and long tables of scores."""

import json

import numpy as np
import pandas as pd
import pytest
from reading import refused

from bbccli import BbcError, read
from bbccli.readers import Roles
from bbccli.types import Missing, Task

RNG = np.random.default_rng(5)
RIGHT = {model: RNG.integers(0, 2, 30).tolist() for model in ("small", "large", "huge")}


def lines(*objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


def sample(i, right, *, task="arc", **more):
    """A line as the harness writes it."""
    return {
        "doc_id": i,
        "doc": {"question": f"{i}?", "choices": ["a", "b"]},
        "target": "a",
        "arguments": [["prompt", " a"]],
        "resps": [[[-1.5, False]]],
        "filtered_resps": [[-1.5, False]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{task}{i:04x}",
        "prompt_hash": f"p{i}",
        "target_hash": "t",
        "acc": float(right),
    } | more


@pytest.fixture
def runs(tmp_path):
    """Folders of three models, each with the samples of a task."""
    paths = []
    for second, (model, right) in enumerate(RIGHT.items()):
        folder = tmp_path / model
        folder.mkdir()
        path = folder / f"samples_arc_2024-05-03T12-15-{second:02}.123456.jsonl"
        order = np.random.default_rng(second).permutation(30)
        path.write_text(lines(*(sample(int(i), right[i]) for i in order)))
        paths.append(path)
    return paths


def test_samples_of_the_harness(runs):
    matrix = read(runs, task=Task.SCORE)
    assert matrix.configurations == ("small", "large", "huge")
    assert (matrix.n_samples, matrix.notes, matrix.outcome.bounds) == (30, (), (0.0, 1.0))
    order = np.array([int(key.split()[0]) for key in matrix.keys])
    for c, right in enumerate(RIGHT.values()):
        np.testing.assert_array_equal(matrix.predictions[0, :, c], np.array(right)[order])


def test_samples_are_no_predictions(runs):
    error = refused("hold scores, not predictions", runs, kind=BbcError)
    assert (error.hint, error.told()[1]) == ('task="score"', "--task score")


def test_documents_of_other_tasks_are_not_the_same(tmp_path):
    for task in ("arc", "mmlu", "gsm"):
        own = lines(*(sample(i, i % 2, task=task) for i in range(20)))
        (tmp_path / f"samples_{task}.jsonl").write_text(own)
    refused(
        "0 of 60 documents are common to the 3 configurations",
        str(tmp_path / "*.jsonl"),
        task=Task.SCORE,
        kind=BbcError,
    )


def two_files(folder, first, second):
    paths = []
    for model, numbers in (("one", first), ("two", second)):
        path = folder / model / "samples_arc.jsonl"
        path.parent.mkdir()
        path.write_text(lines(*(sample(i, i % 3 == 0) for i in numbers)))
        paths.append(path)
    return paths


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (range(20, 40), "0 of 40 documents are common to the 2 configurations, which have 20 each"),
        (range(10, 30), "10 of 30 documents are common to the 2 configurations, which have 20"),
        (range(10), "10 of 20 documents are common to the 2 configurations, which have 10 to 20"),
        (range(19), "19 of 20 documents are common"),
    ],
)
def test_documents_that_only_some_files_have(tmp_path, second, words):
    paths = two_files(tmp_path, range(20), second)
    error = refused(words, paths, task=Task.SCORE, kind=BbcError)
    n_common = len(set(range(20)) & set(second))
    assert ("--missing common-rows" in error.hint) == (n_common > 0)
    if n_common:
        matrix = read(paths, task=Task.SCORE, missing=Missing.COMMON_ROWS)
        assert (matrix.n_samples, matrix.n_configurations) == (n_common, 2)


def test_documents_that_are_the_same_may_stand_in_any_order(tmp_path):
    matrix = read(two_files(tmp_path, range(20), reversed(range(20))), task=Task.SCORE)
    assert (matrix.n_samples, matrix.n_configurations) == (20, 2)


def test_of_several_metrics_one_is_named(save):
    path = save("a.jsonl", lines(*(sample(i, i % 2, acc_norm=i % 3 == 0) for i in range(12))))
    refused("no single metric: acc, acc_norm", path, task=Task.SCORE, kind=BbcError)
    matrix = read(path, task=Task.SCORE, roles=Roles(prediction="acc_norm"))
    assert matrix.predictions[0, :, 0].tolist() == [float(i % 3 == 0) for i in range(12)]


def test_each_filter_is_a_configuration(save):
    both = [sample(i, f == "strict", filter=f) for i in range(12) for f in ("strict", "flexible")]
    matrix = read(save("a.jsonl", lines(*both)), task=Task.SCORE)
    assert matrix.configurations == ("strict", "flexible")
    assert matrix.predictions[0].mean(axis=0).tolist() == [1, 0]


def test_without_a_hash_the_number_is_the_key(save):
    plain = [{"doc_id": i, "filter": "none", "exact_match": i % 2} for i in range(12)]
    assert read(save("a.jsonl", lines(*plain)), task=Task.SCORE).keys.tolist() == [
        str(i) for i in range(12)
    ]


def test_a_table_without_documents_is_no_sample(save):
    path = save("m.csv", {"acc": [0.5, 0.4]})
    refused(r"has no column `doc_id`", path, task=Task.SCORE, dialect="lm-eval")


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


def test_roles_by_hand_win():
    named = Roles(group="block")
    matrix = read(LONG.assign(block=LONG["score"] * 0), task=Task.SCORE, roles=named)
    assert matrix.n_groups == 1


def test_json_lines_are_a_table(save):
    columns = {"row_id": [1, 2, 3], "truth": ["a", "b", "a"], "svm": [0.5, 1, None]}
    rows = [{k: v[i] for k, v in columns.items()} for i in range(3)]
    del rows[2]["svm"]
    text = lines(*rows).replace("\n", "\n\n")
    matrix = read(save("a.jsonl", text))
    of_csv = read(save("a.csv", columns))
    np.testing.assert_array_equal(matrix.predictions, of_csv.predictions)
    assert [n.text for n in matrix.notes] == [n.text for n in of_csv.notes]
    assert read(save("packed.jsonl.gz", __import__("gzip").compress(text.encode()))).n_samples == 2


def test_nested_values_are_named(save):
    text = lines(*({"truth": i % 2, "a": i / 9, "doc": {"n": i}} for i in range(9)))
    matrix = read(save("a.jsonl", text))
    assert matrix.configurations == ("a",)
    assert any("doc" in note.text for note in matrix.notes)


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
