"""Tables in memory: what a file that holds the same gives, under a name of their own."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from day import swept
from matrices import MAKERS, multiclass
from reading import assert_same, refused

from bbccli import METHODS, METRICS, BbcError, Plan, matrix_of, read
from bbccli.types import Missing, PredictionKind, Task
from bbccli.use_cases.inspection import inspect

PREDICTIONS = {
    "row_id": [f"p{i}" for i in range(12)],
    "fold": [0, 1, 2] * 4,
    "truth": ["no", "yes"] * 6,
    "patient": [i // 2 for i in range(12)],
    "svm": [0.1, 0.9, 0.2, 0.8, 0.6, 0.7, 0.3, 0.4, 0.2, 0.9, 0.1, 0.6],
    "knn": [0.4, 0.8, 0.1, 0.3, 0.2, 0.9, 0.3, 0.5, 0.6, 0.7, None, 0.9],
}
METADATA = {"spec": "bbc-predictions", "version": "1", "task": "binary", "positive_class": "no"}


class Stream:
    """What polars and DuckDB give: nothing but an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FORMS = {
    "pandas": lambda table: table.to_pandas(),
    "table": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "stream": Stream,
}
if int(pa.__version__.split(".")[0]) >= 19:  # an older one can't make views of text
    FORMS["views"] = lambda table: Stream(table.cast(_with_views(table.schema)))


def _with_views(schema):
    kinds = [pa.string_view() if pa.types.is_string(f.type) else f.type for f in schema]
    return pa.schema(zip(schema.names, kinds, strict=True))


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_memory_is_the_file(form, save):
    columns = {**PREDICTIONS, "group": PREDICTIONS["patient"], "weight": [1.5] * 12}
    del columns["patient"]
    of_file = read(save("p.parquet", columns), missing=Missing.COMMON_ROWS)
    matrix = read(FORMS[form](pa.table(columns)), missing=Missing.COMMON_ROWS)
    assert_same(matrix, of_file)
    assert matrix.n_samples == 11


def test_a_named_index_is_the_key_and_an_unnamed_one_nothing():
    frame = pd.DataFrame(PREDICTIONS).drop(columns=["patient"])
    indexed = frame.rename(columns={"row_id": "sample"}).set_index("sample")
    assert read(indexed).keys.tolist() == PREDICTIONS["row_id"]
    assert read(indexed).configurations == read(frame).configurations
    unnamed = indexed.rename_axis(None)
    assert read(unnamed).keys.tolist() == [str(i) for i in range(12)]
    assert read(unnamed).configurations == read(frame).configurations


def test_levels_of_an_index_go_by_their_names():
    keys = {"row_id": [0, 1, 2, 3] * 2, "repeat": [0] * 4 + [1] * 4}
    frame = pd.DataFrame(keys | {"truth": [0, 1] * 4, "a": np.linspace(0, 1, 8)})
    matrix = read(frame.set_index(["row_id", "repeat"]))
    assert (matrix.n_repeats, matrix.configurations) == (2, ("a",))
    by_fold = frame.iloc[:4].assign(fold=[0, 0, 1, 1]).drop(columns=["row_id", "repeat"])
    assert read(by_fold.set_index("fold")).n_folds == 2


def test_metadata_of_frames_and_schemas():
    table = pa.table(PREDICTIONS).drop(["patient"])
    frame = table.to_pandas()
    frame.attrs["bbc"] = METADATA
    said = table.replace_schema_metadata({"bbc": '{"spec": "bbc-predictions", "version": "2"}'})
    assert read(frame).outcome.classes == ("yes", "no")
    assert read(table).outcome.classes == ("no", "yes")
    refused("<table>: metadata have version '2'", said, kind=BbcError)
    frame.attrs["bbc"] = "{"
    refused("<DataFrame>: metadata are not valid JSON", frame, kind=BbcError)


WRONG = {
    "no truth": (pd.DataFrame({"a": [0.1]}), "<DataFrame>: no truth column"),
    "no rows": (pd.DataFrame({"truth": [], "a": []}), "<DataFrame>: no rows"),
    "no columns": (pa.table({}), "<table>: no rows"),
    "twice": (pd.DataFrame([[0, 0.1], [1, 0.2]], columns=["truth", "truth"]),
        "<DataFrame>: can't be read as a table"),
    "twice in Arrow": (pa.table([[0, 1], [0.1, 0.2], [0.1, 0.2]], names=["truth", "a", "a"]),
        "<table>: two columns have the same name (column 'a')"),
    "mixed": (pd.DataFrame({"truth": [0, 1], "a": ["x", 0.2]}),
        "<DataFrame>: can't be read as a table"),
    "nested": (pa.table({"truth": [0, 1], "a": [[0.1], [0.2]]}),
        "<table>: lists of 1 number, but the truth has 2 classes"),
    "infinite": (pd.DataFrame({"truth": [0, 1], "a": [np.inf, 0.2]}),
        "<DataFrame>: prediction is infinite (column 'a', row 0, value inf)"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_what_was_given(case):
    table, message = WRONG[case]
    refused(f"^{re.escape(message)}", table, kind=BbcError)


def test_tables_are_read_alone():
    frame = pd.DataFrame(PREDICTIONS)
    refused("<DataFrame>: a table in memory must be the only input", [frame, frame], kind=BbcError)


def test_a_long_table_and_an_inspection():
    frame = pd.DataFrame(PREDICTIONS).drop(columns=["patient"])
    long = frame.melt(["row_id", "fold", "truth"], var_name="config", value_name="score")
    assert_same(read(long, missing=Missing.AVAILABLE), read(frame, missing=Missing.AVAILABLE))
    before, found = frame.copy(), inspect(frame)
    assert (found.path, found.n_errors) == ("<DataFrame>", 0)
    pd.testing.assert_frame_equal(frame, before)


# arrays


def _as_file(matrix, save):
    """A wide file of a matrix that was made by hand."""
    repeats, n = matrix.n_repeats, matrix.n_samples
    columns = {"row_id": np.tile(np.arange(n), repeats), "repeat": np.repeat(range(repeats), n)}
    columns["fold"] = matrix.folds.reshape(-1)
    for role, values in _facts(matrix).items():
        columns["truth" if role == "outcome" else role] = np.tile(values, repeats)
    flat = matrix.predictions.reshape(repeats * n, matrix.n_configurations, -1)
    for c, name in enumerate(matrix.configurations):
        for k in range(flat.shape[2]):
            label = f"::{matrix.outcome.classes[k]}" if flat.shape[2] > 1 else ""
            columns[f"{name}{label}"] = flat[:, c, k]
    return save("m.parquet", columns)


def _facts(matrix):
    outcome = matrix.outcome
    if outcome.task is Task.SURVIVAL:
        return {"time": outcome.values, "event": outcome.event.astype(int)}
    values = outcome.values
    return {"outcome": np.array(outcome.classes)[values] if outcome.classes else values}


@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize("task", [task for task in MAKERS if task is not Task.SCORE])
def test_arrays_are_the_file(task, n_repeats, save):
    made = MAKERS[task](n_repeats=n_repeats)
    facts = _facts(made)
    event = {"event": facts["event"]} if "event" in facts else {}
    truth = facts.get("outcome", facts.get("time"))
    names = {"configurations": made.configurations}
    matrix = matrix_of(made.predictions, truth, **event, folds=made.folds, **names)
    of_file = read(_as_file(made, save))
    np.testing.assert_array_equal(matrix.predictions, of_file.predictions)
    np.testing.assert_array_equal(matrix.folds, of_file.folds)
    assert matrix.source.path == "<arrays>"
    assert [note.text for note in matrix.notes] == [note.text for note in of_file.notes]


def test_axes():
    made = multiclass(n_repeats=1)
    names = np.array(made.outcome.classes)[made.outcome.values]
    probabilities = made.predictions[0]
    assert matrix_of(probabilities, names).predictions.shape == made.predictions.shape
    turned = matrix_of(probabilities[:, :, ::-1], names, classes=["c", "b", "a"])
    np.testing.assert_array_equal(turned.predictions, made.predictions)
    labels = np.array(made.outcome.classes)[probabilities.argmax(axis=-1)]
    assert matrix_of(labels, names).kind is PredictionKind.LABEL
    assert matrix_of(labels[None], names).predictions.shape == labels[None].shape


def test_roles_of_samples():
    rng = np.random.default_rng(0)
    truth, scores = np.arange(20) % 2, rng.normal(size=(20, 3))
    keys = [f"s{i}" for i in range(20)]
    roles = {"groups": np.arange(20) // 4, "weights": np.linspace(1, 2, 20), "row_id": keys}
    names = ("fold", "truth", "a::1")  # arrays need no names to be told apart
    matrix = matrix_of(scores, truth, **roles, configurations=names)
    assert (matrix.n_groups, matrix.keys.tolist(), matrix.configurations) == (5, keys, names)
    np.testing.assert_array_equal(matrix.outcome.weights, roles["weights"])


def test_gaps_and_masks():
    truth, scores = np.arange(20) % 2, np.random.default_rng(0).normal(size=(20, 3))
    gaps = np.zeros(scores.shape, bool)
    gaps[3, 1] = True
    for given in (np.ma.array(scores, mask=gaps), np.where(gaps, np.nan, scores)):
        assert matrix_of(given, truth).configurations == ("0", "2")
        assert matrix_of(given, truth, missing=Missing.COMMON_ROWS).n_samples == 19


def test_what_a_file_may_say():
    scores = np.random.default_rng(0).random((20, 2))
    matrix = matrix_of(scores, ["a", "b"] * 10, metadata={"positive_class": "a"})
    assert matrix.outcome.classes == ("b", "a")
    scored = matrix_of([[0.1, 0.4], [0.8, 0.3]] * 4, [0, 1] * 4)
    assert METHODS["cvt"].run(scored, METRICS["auc"], Plan()).value == 1


FAULTS = {
    "outcome": (([[0.1], [0.2]], [[0], [1]]), {}, "outcome has shape (2, 1)"),
    "axes": (([0.1, 0.2], [0, 1]), {}, "predictions have shape (2,)"),
    "samples": (([[0.1], [0.2]], [0, 1, 1]), {}, "predictions have shape (2, 1)"),
    "names": (([[0.1], [0.2]], [0, 1]), {"configurations": ["a", "b"]}, "there are 2 names"),
    "groups": (([[0.1], [0.2]], [0, 1]), {"groups": [1]}, "group has 1 values"),
    "folds": (([[0.1], [0.2]], [0, 1]), {"folds": [1]}, "folds have shape (1, 1)"),
    "classes": (([[[0.1, 0.9, 0]], [[0.2, 0.8, 0]]], [0, 1]), {},
        "the last axis has 3 columns, but there are 2 classes"),
    "mixture": (([[0.1], ["x"]], [0, None]), {}, "truth is missing"),
    "gap": (([[0.1], [0.2]], [0.5, np.nan]), {}, "truth is missing (column 'truth', row 1)"),
    "truth": ((np.tile(np.arange(20) % 2, (2, 1)).T, np.arange(20) % 2),
        {"configurations": ["a", "b"]}, "equal to the truth in every row: a, b"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_faults_of_arrays(case):
    given, options, message = FAULTS[case]
    with pytest.raises(BbcError) as error:
        matrix_of(*given, **options)
    assert message in str(error.value)
    assert str(error.value).startswith("<arrays>")
