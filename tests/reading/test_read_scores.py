"""Scores without a truth: `--task score`, its bounds, and what does not go with it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from day import swept
from matrices import scores as marks
from numpy.testing import assert_array_equal
from reading import refused

from bbccli import METHODS, METRICS, BbcError, Plan, document, matrix_of, read
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics import choose_metric, fitting
from bbccli.reading import Roles
from bbccli.reports.words import input_line
from bbccli.reports.words.for_papers import sentences
from bbccli.types import PredictionKind, Task

PLAN = Plan(n_resamples=100, seed=1)
RIGHT = pd.DataFrame({"row_id": range(60)}).assign(
    **{name: np.random.default_rng(i).integers(0, 2, 60) for i, name in enumerate("abc")}
)
RIGHT["c"] = RIGHT["c"].astype(bool)
METADATA = {"spec": "bbc-predictions", "version": "1", "task": "score", "bounds": [1, 5]}


def scored(frame, **options):
    return read(frame, task=Task.SCORE, **options)


def test_scores_need_neither_truth_nor_folds_and_are_never_inferred():
    matrix = scored(RIGHT)
    assert (matrix.task, matrix.kind) == (Task.SCORE, PredictionKind.VALUE)
    assert matrix.configurations == ("a", "b", "c")
    assert (matrix.folds, matrix.outcome.bounds, matrix.notes) == (None, (0.0, 1.0), ())
    np.testing.assert_array_equal(matrix.predictions[0, :, 0], RIGHT["a"])
    refused("no truth column", RIGHT, kind=BbcError)
    assert read(RIGHT.assign(truth=RIGHT["c"].to_numpy()[::-1])).task is Task.BINARY


def test_metadata_declare_scores(save):
    columns = {"row_id": list(range(12)), "a": [1, 2, 3, 4] * 3, "b": [5, 1, 2, 3] * 3}
    matrix = read(save("m.parquet", columns, METADATA))
    assert (matrix.task, matrix.outcome.bounds) == (Task.SCORE, (1.0, 5.0))
    with_truth = columns | {"truth": [0, 1] * 6}
    assert read(save("t.parquet", with_truth, METADATA), task=Task.REGRESSION).n_configurations == 2


@pytest.mark.parametrize(
    "bounds",
    [[1], swept([5, 1]), swept([0, "x"]), swept([False, True]), swept([0, float("inf")]), swept(3)],
)
def test_bounds_of_metadata(bounds, save):
    path = save("m.parquet", {"a": [1, 2]}, METADATA | {"bounds": bounds})
    refused("bounds", path, kind=BbcError)


def test_a_column_called_like_a_truth_is_set_aside():
    matrix = scored(RIGHT.assign(label="x", time=1.5))
    assert matrix.configurations == ("a", "b", "c", "time")
    told = [note.code for note in matrix.notes]
    assert told == ["columns-ignored", "bounds-unknown", "off-scale"]


def test_text_among_the_scores_of_a_long_table_is_named(save):
    rows = [(f"q{i}", model, "refused" if i == 3 else i % 2) for model in "ab" for i in range(9)]
    text = "".join(f"{q},{model},{score}\n" for q, model, score in rows)
    words = r"prediction is text \(column 'score', row 3, value 'refused'"
    refused(words, save("m.csv", f"question_id,model,score\n{text}"), task="score")


def test_bounds_are_not_guessed():
    frame = RIGHT.assign(a=np.linspace(1, 5, 60))
    matrix = scored(frame)
    assert matrix.outcome.bounds is None
    assert [note.code for note in matrix.notes] == ["bounds-unknown"]
    assert scored(frame, exclude=["a"]).outcome.bounds == (0.0, 1.0)
    assert scored(frame, bounds=(-1, 9)).outcome.bounds == (-1.0, 9.0)


@pytest.mark.parametrize(
    "options",
    [
        {"roles": Roles(truth="a")},
        swept({"roles": Roles(time="a")}),
        swept({"positive": "1"}),
        swept({"labels": "labels.csv"}),
        swept({"bounds": (1, 0)}),
        swept({"bounds": (0, np.inf)}),
    ],
)
def test_what_does_not_go_with_scores(options):
    with pytest.raises(BbcError):
        scored(RIGHT, **options)


def test_scores_beyond_the_bounds_and_bounds_of_no_scores():
    far = RIGHT.assign(b=np.arange(60.0) / 50)
    words = r"score is not within 0 and 1 \(column 'b', row 51, value 1.02"
    refused(words, far, task=Task.SCORE, bounds=(0, 1), kind=BbcError)
    refused("bounds is for scores", RIGHT.assign(truth=[0, 1] * 30), bounds=(0, 1), kind=BbcError)


def test_numbers_are_those_of_the_accuracy():
    rng = np.random.default_rng(3)
    truth, labels = rng.integers(0, 2, 50), rng.integers(0, 2, (50, 4))
    predicted = matrix_of(labels, truth, folds=np.arange(50) % 5)
    right = matrix_of(labels == truth[:, None], task=Task.SCORE, folds=np.arange(50) % 5)
    plan = replace(PLAN, seed=7)
    for name in ("cvt", "bbc", "tt", "bbc-f", "bbc-632", "wald", "jeffreys", "naive", "influence"):
        ours = METHODS[name].run(right, METRICS["mean-score"], plan)
        theirs = METHODS[name].run(predicted, METRICS["accuracy"], plan)
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        if theirs.interval is not None:
            assert ours.interval.lower == pytest.approx(theirs.interval.lower, abs=1e-12)
            assert ours.interval.upper == pytest.approx(theirs.interval.upper, abs=1e-12)


def test_methods_say_why_they_do_not_run():
    matrix = scored(RIGHT.assign(a=np.linspace(0, 1, 60)), bounds=(0, 1))
    metric = METRICS["mean-score"]
    with pytest.raises(UndefinedError, match="tt needs the folds of a cross-validation"):
        METHODS["tt"].run(matrix, metric, PLAN)
    with pytest.raises(UndefinedError, match="bbc-632plus needs a truth"):
        METHODS["bbc-632plus"].run(matrix, metric, PLAN)
    half = replace(matrix, predictions=matrix.predictions / 2)
    with pytest.raises(UnsupportedError, match="for proportions of samples"):
        METHODS["wald"].run(half, metric, PLAN)
    with pytest.raises(UnsupportedError, match="is for binary"):
        choose_metric("auc", matrix)
    assert [metric.name for metric in fitting(matrix)] == ["mean-score", "mean-loss"]


def test_reports_name_the_bounds():
    for bounds, said in (((1.0, 5.0), "scores from 1 to 5"), (None, "scores without known bounds")):
        matrix = replace(marks(), outcome=replace(marks().outcome, bounds=bounds))
        found = document(matrix, [METHODS["bbc"].run(matrix, METRICS["mean-score"], PLAN)])
        assert found["input"]["bounds"] == (None if bounds is None else list(bounds))
        (sentence,) = sentences(found.record)
        assert said in sentence
        assert ("guarded" in sentence) is (bounds is not None)
        assert input_line(found.record).startswith("score, 40 samples")


def test_arrays_of_scores():
    right = RIGHT[["a", "b", "c"]].to_numpy(float)
    matrix = matrix_of(right, task=Task.SCORE)
    assert (matrix.n_samples, matrix.outcome.bounds) == (60, (0.0, 1.0))
    assert matrix_of(np.stack([right, right]), task=Task.SCORE).n_repeats == 2
    for given, options in (((right,), {}), ((right, RIGHT["c"]), {"task": Task.SCORE})):
        with pytest.raises(BbcError, match="outcome"):
            matrix_of(*given, **options)


def answers_in_numbers(**changed):
    """Three prompts asked the same 80 questions, whose answers are numbers, and their marks."""
    rng = np.random.default_rng(4)
    gold = rng.integers(2, 200, 80)
    answers = np.where(rng.random((3, 80)) < 0.6, gold, rng.integers(2, 200, (3, 80)))
    long = {"question_id": np.tile(np.arange(80), 3), "model": np.repeat(["a", "b", "c"], 80)}
    long |= {"target": np.tile(gold, 3), "answer": answers.ravel()}
    long["score"] = (long["answer"] == long["target"]) * 1
    return {name: column for name, column in (long | changed).items() if column is not None}


@pytest.mark.parametrize("judged", [None, np.random.default_rng(5).integers(1, 6, 240)])
def test_a_score_beside_an_answer_is_not_predicted(save, judged):
    """Marks of answers were taken as predictions of numbers, with an RMSE of 115 at exit 0."""
    long = answers_in_numbers(**({} if judged is None else {"score": judged}))
    path = save("m.csv", long)
    error = refused("answer is the truth in 53% of rows, and score in", path)
    assert error.hint.startswith('give prediction="answer", or task="score" if')
    assert read(path, task=Task.SCORE).n_configurations == 3
    answers = read(path, roles=Roles(prediction="answer"))
    assert_array_equal(answers.predictions[0].T.ravel(), long["answer"])


def test_a_score_that_an_annotation_does_not_beat_is_a_prediction(save):
    long = answers_in_numbers()
    twice = {"score": long["answer"], "answer": np.where(long["score"], long["answer"], 1)}
    assert read(save("m.csv", long | twice)).n_configurations == 3
    named = answers_in_numbers(score=None, prediction=np.roll(long["answer"], 1))
    assert read(save("n.csv", named)).predictions[0, 1, 0] == long["answer"][0]  # no score by name


def test_marks_in_words(save):
    words = {name: np.where(RIGHT[name], "pass", "fail") for name in "abc"}
    refused("prediction is text", save("m.csv", words), hint="write 1 for", task=Task.SCORE)


def test_marks_alone_are_no_values(save):
    alone = answers_in_numbers(answer=None)
    refused("all predictions are 0 or 1, but the truth is not", save("m.csv", alone))
    lacking = np.where(np.arange(240) == 7, np.nan, alone["score"])
    refused(
        "all predictions are 0 or 1", save("o.csv", answers_in_numbers(answer=None, score=lacking))
    )
    zeros = answers_in_numbers(answer=None, score=np.repeat([0, 1, 5], 80))
    assert read(save("n.csv", zeros)).n_configurations == 3


@pytest.mark.parametrize("truth", [np.array(["no", "yes"]), np.array([0, 1]), np.array([*"abc"])])
def test_columns_called_correct_are_marks(save, truth):
    """Marks of answers were taken as labels, or as the probability of a class."""
    rng = np.random.default_rng(6)
    gold = truth[rng.integers(0, len(truth), 60)]
    right = {f"{name}_correct": (rng.random(60) < 0.8) * 1 for name in "ab"}
    words = "all predictions are 0 or 1, and called a_correct, b_correct"
    path = save("m.csv", {"gold": gold} | right)
    refused(words, path, hint="--task score if they say which answers are right, --only '*' if")
    assert read(path, task=Task.SCORE).configurations == ("a_correct", "b_correct")
    if len(truth) == 2:
        assert read(path, only="*").configurations == ("a_correct", "b_correct")
        other = {"bias_corrected": right["a_correct"]}
        assert read(save("n.csv", {"gold": gold} | other)).n_configurations == 1
        mixed = right | {"c": right["b_correct"][::-1]}
        assert read(save("o.csv", {"gold": gold} | mixed)).n_configurations == 3


@pytest.mark.parametrize("mark", ["a_score", "a_right"])
def test_marks_beside_answers_in_numbers_are_refused(save, mark):
    long = answers_in_numbers()
    wide = {"target": long["target"][:80]} | dict(
        zip("abc", long["answer"].reshape(3, 80), strict=True)
    )
    wide[mark] = long["score"][:80]
    refused(f"{mark} is 1 where a is right in every row", save("m.csv", wide))
    wide[mark] = long["score"][80:160][::-1]
    assert read(save("n.csv", wide)).n_configurations == 4


def test_a_mark_of_answers_in_numbers_is_no_truth(save):
    """A column called `correct` was the truth by its name, and differed between prompts."""
    long = answers_in_numbers(score=None)
    long = {"expected": long.pop("target"), **long, "correct": answers_in_numbers()["score"] > 0}
    matrix = read(save("m.csv", long), roles=Roles(prediction="answer"))
    assert_array_equal(matrix.outcome.values, long["expected"][:80])


def test_scores_on_several_scales_are_doubted():
    """Percentages beside marks, of which each wins, or tokens beside scores from 1 to 5."""
    rng = np.random.default_rng(3)
    marks = {f"m{c}": rng.integers(0, 2, 60) for c in range(4)}
    stars = {f"m{c}": rng.integers(1, 6, 60) for c in range(4)}
    tokens = rng.integers(10, 900, 60)

    def strange(table):
        found = scored(pd.DataFrame(table)).notes
        return [one.text.split(" off")[0] for one in found if one.code == "off-scale"]

    assert strange(marks | {"m1": 100 * marks["m1"]}) == ["m1 is"]
    shares = {name: column * (0.5 if name == "m3" else 100) for name, column in marks.items()}
    assert strange(shares) == ["m3 is"]
    assert strange(stars | {"tokens": tokens}) == ["tokens is"]
    assert not any(map(strange, (marks, stars, {"a": tokens, "b": tokens[::-1]})))
    assert not strange({name: 100 * column for name, column in marks.items()} | {"m4": [0] * 60})
