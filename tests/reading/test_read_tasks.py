"""Which task it is, what the classes are, what the predictions are."""

import numpy as np
import pandas as pd
import pytest
from day import daily, swept
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.errors import OptionError, UndefinedError
from bbccli.reading import Roles, read
from bbccli.types import PredictionKind, Task

META = {"spec": "bbc-predictions", "version": "1"}
WINES = ["barolo", "grignolino", "barbera", "barolo"]
CLASSES = ["barbera", "barolo", "grignolino"]


def shaped(config: str = "svm", classes=CLASSES, n: int = 4) -> dict[str, np.ndarray]:
    """Probabilities of one configuration, as K columns."""
    values = np.random.default_rng(0).dirichlet(np.ones(len(classes)), size=n)
    return {f"{config}::{c}": values[:, k] for k, c in enumerate(classes)}


LETTERS = {"truth": ["x", "y", "z"], "m": ["x", "y", "z"]}
TWO = {"m": [0.1, 0.2]}


@pytest.mark.parametrize(
    ("truth", "positive", "classes"),
    [
        (["b", "a", "b"], None, ("a", "b")),
        (["b", "a", "b"], "a", ("b", "a")),
        swept(["b", "a", "b"], "b", ("a", "b")),
        swept([0, 1, 0], "0", ("1", "0")),
        swept([0, 1, 0], "0.0", ("1", "0")),
        swept([10, 9, 10], None, ("9", "10")),
        swept([0.0, 1.0, 0.0], None, ("0", "1")),
        swept([-1.5, 1.0, 1.0], None, ("-1.5", "1")),
        swept([True, False, True], None, ("False", "True")),
        swept(["10", "9", "10"], None, ("10", "9")),  # as scikit-learn sorts text
    ],
)
def test_two_values_are_binary_and_the_positive_class_is_last(save, truth, positive, classes):
    path = save("m.parquet", {"truth": truth, "a": [0.1, 0.7, 0.3]})
    matrix = read(path, positive=positive)
    assert matrix.task is Task.BINARY
    assert matrix.outcome.classes == classes
    names = [f"{one:g}" if isinstance(one, float) else str(one) for one in truth]
    assert matrix.outcome.values.tolist() == [classes.index(name) for name in names]
    assert matrix.outcome.values.dtype == np.int64


def test_positive_class_by_metadata(save):
    metadata = META | {"classes": ["a", "b"], "positive_class": "a", "task": "binary"}
    path = save("m.csv", {"truth": ["b", "a", "b"], "m": [0.1, 0.7, 0.3]}, metadata)
    assert read(path).outcome.classes == ("b", "a")
    assert read(path, positive="b").outcome.classes == ("a", "b")


FAULTS = {
    "a positive class that is none": ({"truth": ["b", "a", "b"], "m": [0.1, 0.7, 0.3]},
        "positive is 'c', which is not one of the classes",
        {"positive": "c", "hint": "the classes are a and b"}),
    "a positive class of a regression": ({"truth": [0.5, 1.5, 2.5], "m": [0.1, 0.7, 0.3]},
        'positive="x" needs a binary task, but this one is regression',
        {"positive": "x", "kind": OptionError}),
    "a label that is no class": (
        {"truth": ["x", "y", "y"], "m": ["x", "y", "x"], "n": ["x", "Y", "y"]},
        r"is not one of the classes \(x, y\) \(column 'n', row 1, value 'Y'\)",
        {},
    ),
    "labels of text beside a truth of numbers": (
        {"truth": [0, 1, 2] * 5, "a": [*"xyz"] * 5, "b": [*"xzz"] * 5},
        "prediction is text",
        {"hint": "spell the truth the same way: it holds 0, 1, 2"},
    ),
    "lists in text": (
        {"truth": [*"yxx"], "a": ["[0.2, 0.8]", "[0.7, 0.3]", "[0.6, 0.4]"]},
        r"not one of the classes \(x, y\) .column 'a', row 0",
        {"hint": "write one column 'config::class' per class"},
    ),
    "no columns of classes": ({"truth": WINES, "m": [0.1, 0.2, 0.3, 0.4]},
        "predictions of 3 classes are neither labels nor", {"hint": "m::barbera"}),
    "a configuration that lacks a class": (
        {"truth": WINES, **shaped("svm"), **shaped("knn", CLASSES[::2])},
        "configuration 'knn' has no column of class 'barolo'",
        {},
    ),
    "a column without a class": ({"truth": WINES, **shaped(), "m": [1, 2, 3, 4]},
        r"the column has no class, but others have one .column 'm'", {}),
    "a truth without a column": ({"truth": ["barolo", "rioja", "barbera", "barolo"], **shaped()},
        r"truth is not one of the classes of the predictions .*row 1, value 'rioja'", {}),
    "one class": ({"truth": ["a"] * 3, "m": [0.1, 0.2, 0.3]},
        r"m\.parquet: the truth has only one class", {"kind": UndefinedError}),
    "one number": ({"truth": [0.5] * 3, "m": [0.1, 0.2, 0.3]},
        r"m\.parquet: the truth has only one class", {"kind": UndefinedError}),
    "three classes of two": (LETTERS, r'task="binary": the truth has 3 values \(x, y, z\)',
        {"task": Task.BINARY}),
    "numbers of text": (LETTERS, 'task="regression": the truth is text', {"task": Task.REGRESSION}),
    "no time": (LETTERS, 'task="survival": survival needs the columns',
        {"task": Task.SURVIVAL}),
    "a negative time": ({"time": [1, -2], "event": [0, 1], **TWO},
        "time is negative .*'time', row 1, value -2", {}),
    "an infinite time": ({"time": [1, np.inf], "event": [0, 1], **TWO}, "time is infinite .*row 1",
        {}),
    "no time in a row": ({"time": [1, None], "event": [0, 1], **TWO}, "time is missing .*row 1",
        {}),
    "a time of text": ({"time": ["1", "x"], "event": [0, 1], **TWO},
        "time is text .*row 1, value 'x'", {}),
    "an event of two": ({"time": [1, 2], "event": [0, 2], **TWO},
        "event is neither 0 nor 1 .*row 1, value 2", {}),
    "an event of text": ({"time": [1, 2], "event": ["dead", "1"], **TWO},
        "event is neither 0 nor 1 .*row 0, value 'dead'", {}),
}  # fmt: skip


def test_numbered_events(save):
    events = ["0:LIVING", "1:DECEASED", "1:DECEASED"]
    file = save("m.csv", {"time": [1, 2, 3], "event": events, "a": [3, 2, 1]})
    assert read(file).outcome.event.tolist() == [False, True, True]


def test_a_duration_beside_what_was_observed_is_asked_about(save):
    rng = np.random.default_rng(0)
    table = {
        "duration": rng.random(30) * 9,
        "observed": rng.random(30) < 0.5,
        "cox": rng.random(30),
    }
    hint = "--task survival, or --truth"
    refused("both a truth .*observed.*duration", save("m.csv", table), hint=hint)
    matrix = read(save("m.csv", table), task="survival")
    assert (matrix.task, matrix.configurations) == (Task.SURVIVAL, ("cox",))
    roles = Roles(truth="observed")
    assert read(save("m.csv", table), roles=roles).task is Task.BINARY
    values = {"observed": table["duration"], "duration": table["cox"]}  # no event
    assert read(save("m.csv", values)).task is Task.REGRESSION


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS)
def test_faults(save, case):
    columns, message, options = case
    refused(message, save("m.parquet", columns), **options)


@pytest.mark.parametrize(
    ("truth", "values", "other", "kind"),
    [
        ([0, 1, 1], [0.0, 0.25, 1.0], [0, 1, 1], PredictionKind.PROBABILITY),
        swept([0, 1, 1], [-0.1, 0.25, 1.0], [0, 1, 1], PredictionKind.SCORE),
        ([0, 1, 1], [3, 5, 8], [0, 1, 1], PredictionKind.SCORE),
        swept([0, 1, 1], [0, 1, 0], [0, 1, 1], PredictionKind.LABEL),
        ([0, 1, 1], [0.0, None, 1.0], [0, 1, 1], PredictionKind.LABEL),
        swept([0, 1, 1], [0.5, 0.1, 1.0], [0, 1, 7], PredictionKind.SCORE),
        (["x", "y", "y"], [0, 1, 1], [0, 1, 1], PredictionKind.PROBABILITY),
        ([0.5, 1.5, 2.5], [0.1, 2.5, 3.5], [0, 1, 1], PredictionKind.VALUE),
        ([1, 2, 4], [0.1, 2.5, 3.5], [0, 1, 1], PredictionKind.VALUE),
        ([1, 2, 3], [3, 2, 1], [1, 2, 3], PredictionKind.LABEL),
    ],
)
def test_kind_of_predictions(save, truth, values, other, kind):
    assert read(save("m.parquet", {"truth": truth, "m": values, "n": other})).kind is kind


@pytest.mark.parametrize(
    ("truth", "values", "doubted"),
    [
        ([0, 1, 2, 1], [0.1, 0.9, 0.4, 0.7], True),
        swept([0, 1, 2, 1], [0.1, 0.9, 1.4, 0.7], False),
        swept([0.0, 0.5, 2.0, 1.0], [0.1, 0.9, 0.4, 0.7], False),
        swept([0.0, 0.5, 1.0, 1.0], [0.1, 0.9, 0.4, 0.7], False),
        swept([*range(6)], [0.1, 0.9, 0.4, 0.7, 0.2, 0.3], False),
    ],
)
def test_few_values_that_nobody_predicts_may_be_classes(save, truth, values, doubted):
    path = save("m.csv", {"truth": truth, "a": values})
    matrix = read(path)
    assert matrix.task is Task.REGRESSION
    assert ("classes-as-values" in {note.code for note in matrix.notes}) == doubted
    told = read(path, task="regression")
    assert "classes-as-values" not in {note.code for note in told.notes}


def test_labels_that_number_classes_in_another_way(save):
    found = read(save("m.csv", {"truth": [0, 1, 2, 2] * 5, "a": [1, 2, 3, 1] * 5}))
    (note,) = [one for one in found.notes if one.code == "classes-as-values"]
    assert note.text.endswith("but all predictions are whole numbers too, such as 3")
    assert "number classes alike in both" in note.remedy


@pytest.mark.parametrize(
    ("truth", "labels"),
    [
        (["x", "y", "y"], ["y", "y", "x"]),
        swept([0, 1, 1], [1, 1, 0]),
        swept([0, 1, 1], [1.0, 1.0, 0.0]),
        ([1, 2, 2], [2, 2, 1]),
        swept([False, True, True], [True, True, False]),
        swept([False, True, True], [1, 1, 0]),
    ],
)
@pytest.mark.parametrize("name", ["m.csv", swept("m.parquet")])
def test_binary_labels_are_coded_as_classes(save, truth, labels, name):
    path = save(name, {"truth": truth, "m": labels})
    matrix = read(path)
    assert matrix.kind is PredictionKind.LABEL
    assert_array_equal(matrix.predictions[0, :, 0], np.array([1.0, 1.0, 0.0]), strict=True)
    turned = read(path, positive=matrix.outcome.classes[0])
    assert_array_equal(turned.predictions[0, :, 0], [0, 0, 1])
    assert_array_equal(turned.outcome.values, [1, 0, 0])


def test_binary_class_columns(save):
    columns = shaped("svm", ["no", "yes"]) | shaped("knn", ["yes", "no"])
    matrix = read(save("m.csv", {"truth": ["no", "yes", "no", "no"], **columns}))
    assert matrix.task is Task.BINARY
    assert matrix.configurations == ("svm", "knn")
    assert_array_equal(matrix.predictions[0, :, 0], columns["svm::yes"])
    assert_array_equal(matrix.predictions[0, :, 1], columns["knn::yes"])


def test_names_with_a_separator_that_name_no_class(save):
    columns = {"truth": [0, 1], "k::a": [0.1, 0.2], "k::b": [0.1, 0.3]}
    assert read(save("m.csv", columns)).configurations == ("k::a", "k::b")
    metadata = META | {"configs": [{"id": "k::0"}, {"id": "k::1"}]}
    columns = {"truth": [0, 1], "k::0": [0.1, 0.2], "k::1": [0.1, 0.3]}
    assert read(save("m.csv", columns, metadata)).configurations == ("k::0", "k::1")


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_multiclass_probabilities(save, name):
    svm, knn = shaped("svm"), shaped("knn", CLASSES[::-1])
    matrix = read(save(name, {"truth": WINES, **knn, **svm}))
    assert matrix.task is Task.MULTICLASS
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.outcome.classes == tuple(CLASSES)
    assert matrix.configurations == ("knn", "svm")
    assert matrix.predictions.shape == (1, 4, 2, 3)
    for c, own in enumerate((knn, svm)):
        for k, one in enumerate(CLASSES):
            expected = own[f"{matrix.configurations[c]}::{one}"]
            assert_array_equal(matrix.predictions[0, :, c, k], expected)
    scores = {name: 2 * column for name, column in svm.items()}
    assert read(save(name, {"truth": WINES, **scores})).kind is PredictionKind.SCORE


@pytest.mark.parametrize("truth", [[0, 1, 2, 10], [0.0, 1.0, 2.0, 10.0], ["0", "1", "2", "10"]])
def test_multiclass_of_numbers_is_in_numeric_order(save, truth):
    columns = shaped("svm", ["0", "1", "10", "2"])
    matrix = read(save("m.parquet", {"truth": truth, **columns}))
    assert matrix.outcome.classes == ("0", "1", "2", "10")
    assert_array_equal(matrix.predictions[0, :, 0, 3], columns["svm::10"])
    assert_array_equal(matrix.outcome.values, [0, 1, 2, 3])


def test_classes_and_truths_without_each_other(save):
    matrix = read(save("m.csv", {"truth": ["barolo", "barbera", "barolo", "barbera"], **shaped()}))
    assert matrix.task is Task.MULTICLASS
    assert matrix.outcome.class_counts.tolist() == [2, 2, 0]
    path = save("n.csv", {"truth": ["x", "y"], **TWO}, META | {"classes": ["x", "z"]})
    refused(r"truth is not one of the classes of the metadata .*'y'", path)


def test_task_by_hand(save):
    path = save("m.csv", {"truth": [0, 1, 0], "m": [0, 1, 1]})
    assert read(path, task=Task.REGRESSION).kind is PredictionKind.VALUE
    assert read(path, task=Task.MULTICLASS).kind is PredictionKind.LABEL


def test_task_of_metadata_that_does_not_fit(save):
    columns = {"truth": ["a", "b", "c"], "m": ["a", "b", "b"]}
    matrix = read(save("m.csv", columns, META | {"task": "binary"}))
    assert matrix.task is Task.MULTICLASS
    assert "metadata-contradicted" in [note.code for note in matrix.notes]


@pytest.mark.parametrize("kind", daily(["dates", "text", "durations", "two dates"], ["dates"]))
def test_dates_are_no_classes_unless_they_are_said_to_be(kind):
    days = (np.arange(40) % (2 if kind == "two dates" else 9)).astype("timedelta64[s]")
    dates = np.datetime64("2024-01-05", "s") + days * 86_400
    truth = {"durations": days, "text": dates.astype("datetime64[D]").astype(str)}.get(kind, dates)
    numbers = np.random.default_rng(0).normal(size=(2, 40))
    words = "durations" if kind == "durations" else "truth holds dates"
    refused(words, pd.DataFrame({"truth": truth, "a": numbers[0], "b": numbers[1]}))
    if kind == "text":
        labels = pd.DataFrame({"truth": truth, "a": np.roll(truth, 1), "b": np.roll(truth, 3)})
        refused("truth holds dates", labels, hint="multiclass")
        assert len(read(labels, task="multiclass").outcome.classes) == 9


def test_each_unknown_label_is_a_class_of_its_own():
    truth = np.array(["a", "b"] * 20)
    guessed = np.where(np.arange(40) < 30, truth, "abstain")
    frame = pd.DataFrame({"truth": truth, "m": guessed, "n": np.roll(truth, 4)})
    frame.loc[0:1, "n"] = ["refuse", "dunno"]
    assert read(frame).outcome.classes == ("a", "abstain", "b", "dunno", "refuse")
