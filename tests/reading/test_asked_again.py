"""Items that a configuration was asked again: published benchmarks, and runs of an evaluation."""

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from reading import refused
from written_logs import IN_ORDER, WRITERS, Run

from bbccli import BbcError, read
from bbccli.types import Again, Task

LIVEBENCH = Path(__file__).parents[1] / "data" / "livebench" / "ground_truth_judgment.jsonl"
ITEMS = range(12)
MODELS = ("ada", "bob")


def published(save, times, name="t.csv", stamp="tstamp"):
    """Judgments in which the first model was asked two items again: first wrong, then right."""
    rows = [(f"q{i}", m, float((i + k) % 3 > 0), times[0]) for k, m in enumerate(MODELS)
            for i in ITEMS]  # fmt: skip
    asked = [row for row in rows if row[1] == "ada" and row[0] in ("q2", "q5")]
    rows = [row for row in rows if row not in asked]
    rows += [(item, m, float(newer), times[newer]) for item, m, *_ in asked for newer in (1, 0)]
    columns = dict(zip(("question_id", "model", "score", stamp), zip(*rows, strict=True),
                       strict=True))  # fmt: skip
    return save(name, {key: list(values) for key, values in columns.items()})


def of_ada(matrix):
    keys = matrix.keys.tolist()
    return {key: matrix.predictions[:, keys.index(key), 0].mean() for key in ("q2", "q5")}


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize(
    "times",
    [(1718000000.25, 1718086400.5), ("2024-6-9", "2024-06-10 00:00:00"), (1, 2)],
    ids=str,
)
def test_the_newest_score_counts(name, times, save):
    if times == (1, 2):  # no times, but numbers
        path = published(save, times, name)
        refused("one column must say when each row was scored, and none does", path,
                task="score", again="newest", hint="epoch", kind=BbcError)  # fmt: skip
        return
    if name == "t.parquet" and isinstance(times[0], str):
        times = (datetime(2024, 6, 9), datetime(2024, 6, 10))
    matrix = read(published(save, times, name), task=Task.SCORE, again=Again.NEWEST)
    assert (matrix.n_samples, matrix.n_repeats) == (len(ITEMS), 1)
    assert of_ada(matrix) == {"q2": 1, "q5": 1}
    (note,) = [one for one in matrix.notes if one.code == "scores-replaced"]
    assert note.text.startswith("2 scores replaced by newer ones")


def test_all_scores_count_as_epochs(save):
    path = published(save, (1718000000, 1718086400))
    matrix = read(path, task="score", again="epoch")
    assert (matrix.n_samples, matrix.n_repeats) == (len(ITEMS), 2)
    assert of_ada(matrix) == {"q2": 0.5, "q5": 0.5}
    assert [one.code for one in matrix.notes][-1] == "epochs-missing"
    error = refused("row_id occurs twice for one configuration", path, task="score", kind=BbcError)
    assert "--again newest or epoch" in error.told()[1]


def test_a_genuine_benchmark():
    """LiveBench: one judgment of each answer, so that nothing is replaced."""
    for again in (None, "newest", "epoch"):
        matrix = read(LIVEBENCH, task="score", again=again)
        assert matrix.predictions.mean(axis=(0, 1)).tolist() == pytest.approx(
            [8 / 18, 7 / 18, 6 / 18]
        )
        assert "scores-replaced" not in [one.code for one in matrix.notes]


def test_times_that_do_not_tell_are_refused(save):
    path = published(save, ("2024-01-09", "2024-01-09"))
    refused("it is unknown which is newer", path, task="score", again="newest", hint="epoch",
            kind=BbcError)  # fmt: skip
    path = published(save, ("2024-01-09", "2024-01-10"), "u.csv")
    text = path.read_text().replace("tstamp", "tstamp,day")
    path.write_text(text.replace("\n", ",2024-01-01\n").replace("day,2024-01-01", "day"))
    refused("tstamp, day|tstamp and day", path, task="score", again="newest", kind=BbcError)


def test_only_scores_are_asked_again(save):
    columns = {"row_id": [1, 2, 3, 4], "truth": [0, 1, 0, 1], "a": [0.1, 0.8, 0.3, 0.7]}
    refused("is for scores of items", save("p.csv", columns), again="newest", hint="score",
            kind=BbcError)  # fmt: skip


@pytest.mark.parametrize("name", ["inspect", "promptfoo", "junit"])
def test_runs_of_logs_may_be_epochs(name, tmp_path):
    runs = [Run("ada", {i: [float(k)] for i in ITEMS}, IN_ORDER[k]) for k in range(2)]
    WRITERS[name](tmp_path, [*runs, Run("bob", {i: [i % 2] for i in ITEMS})], Random(0))
    for again, expected in ((None, 1), ("newest", 1), ("epoch", 0.5)):
        matrix = read(tmp_path, again=again)
        at = [one.removesuffix(" x p") for one in matrix.configurations].index("ada")
        assert matrix.predictions[:, :, at].mean() == expected
        assert (matrix.n_repeats == 2) == (again == "epoch")


def test_the_newest_counts_too_where_all_were_asked_equally_often(save):
    """Without an option such items have epochs, by their order."""
    rows = [
        (c, i, float(i % 2 == d), f"2026-01-0{d + 1}")
        for d in (1, 0)
        for c in MODELS
        for i in ITEMS
    ]
    names = ("config", "item", "score", "created")
    path = save(
        "t.csv", {name: list(v) for name, v in zip(names, zip(*rows, strict=True), strict=True)}
    )
    newest = read(path, task="score", again="newest")
    assert (newest.n_samples, newest.n_repeats) == (len(ITEMS), 1)
    assert newest.predictions[0, :, 0].tolist() == [float(i % 2 == 1) for i in ITEMS]
    assert read(path, task="score").n_repeats == 2
