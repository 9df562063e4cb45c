"""Arrow IPC and Feather, columns of their types, and class columns of scikit-learn's users."""

import io
import json
import uuid
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from day import swept
from numpy.testing import assert_allclose
from reading import refused

from bbccli.errors import InputError
from bbccli.platform import resources
from bbccli.platform.resources import Reading
from bbccli.reading import Roles, read
from bbccli.types import PredictionKind

DATA = Path(__file__).parents[1] / "data"
TRUTH = ["no", "yes"] * 6
YES = np.round(np.linspace(0.05, 0.95, 12), 3)
LISTS = [[1 - p, p] for p in YES]


def ipc(table, kind, packing=None, chunk=5):
    sink, options = io.BytesIO(), pa.ipc.IpcWriteOptions(compression=packing)
    writer = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
    with writer(sink, table.schema, options=options) as to:
        to.write_table(table, max_chunksize=chunk)
    return sink.getvalue()


@pytest.mark.parametrize("packing", [None, swept("lz4"), swept("zstd")])
@pytest.mark.parametrize("kind", ["stream", swept("file")])
def test_ipc_is_told_by_content(save, columns, stdin, kind, packing):
    data = ipc(pa.table(columns), kind, packing)
    stdin(data)
    for found in (read(save("m.arrow", data)), read("-")):
        assert_allclose(found.predictions[0, :, 2], columns["svm C=2"])
        assert found.configurations == tuple(f"svm C={i}" for i in range(4))


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_cut_off(save, columns, kind):
    data = ipc(pa.table(columns), kind, "zstd")
    for end in range(6, len(data) - 1, 41):
        refused("truncated or damaged", save("m.feather", data[:end]))


def test_a_text_that_ends_before_it_begins_is_damaged(save, columns):
    ends = np.array([0, 2, 9, 4, *range(5, 14)], np.int32)
    damaged = pa.StringArray.from_buffers(12, pa.py_buffer(ends), pa.py_buffer(b"x" * 13))
    refused(
        "truncated or damaged", save("m.arrow", ipc(pa.table(columns | {"b": damaged}), "file"))
    )


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_feather_bomb(save, kind):
    big = pa.table({"truth": np.zeros(10**7), "a": np.zeros(10**7)})
    path = save("m.arrow", ipc(big, kind, "zstd", chunk=None))
    refused("more than 200 times", path)
    with resources.use_reading(Reading(max_input=2**26)), pytest.raises(InputError, match="64 MiB"):
        read(path)


def test_a_bomb_in_a_dictionary(save):
    """A hundred megabytes of texts, of which the rows name one."""
    texts = pa.DictionaryArray.from_arrays([0, 0], pa.array(["x" * 1000] * 10**5))
    path = save("m.arrow", ipc(pa.table({"truth": texts, "a": [0.1, 0.2]}), "file", "zstd"))
    with resources.use_reading(Reading(max_input=2**26)), pytest.raises(InputError, match="64 MiB"):
        read(path)


@pytest.mark.parametrize("extension", [False, True])
def test_uuid_keys_are_text(save, extension):
    ids = [uuid.UUID(int=2**100 + i * 7) for i in range(12)]
    keys = pa.array([one.bytes for one in ids], pa.binary(16))
    if extension:
        keys = pa.ExtensionArray.from_storage(pa.uuid(), keys)
    path = save("m.parquet", {"row_id": keys, "a": YES})
    labels = "row_id,truth\n" + "".join(
        f"{i},{t}\n" for i, t in zip(ids[::-1], TRUTH[::-1], strict=True)
    )
    assert read(path, labels=save("l.csv", labels)).outcome.values.tolist() == [0, 1] * 6


def test_decimal_keys_are_exact(save):
    keys = pa.array([Decimal(10**17 + i) for i in range(12)], pa.decimal128(38, 0))
    assert read(save("m.parquet", {"row_id": keys, "truth": TRUTH, "a": YES})).n_samples == 12
    keys = pa.array([Decimal(10**20 + i) for i in range(12)], pa.decimal128(38, 0))
    refused("beyond 64 bits", save("m.parquet", {"row_id": keys, "truth": TRUTH, "a": YES}))


def test_proba_columns_are_classes_where_that_is_certain(save):
    columns = {"truth": [0, 1] * 6, "proba_0": 1 - YES, "proba_1": YES}
    matrix = read(save("m.csv", columns))
    assert matrix.configurations == ("proba",)
    assert_allclose(matrix.predictions[0, :, 0], YES)
    seeds = read(save("m.csv", columns | {"proba_0": YES**2}))
    assert seeds.configurations == ("proba_0", "proba_1")


def long(**predictions):
    key = {"model": [1] * 12 + [2] * 12, "row_id": [*range(12)] * 2, "truth": [0, 1] * 12}
    return key | predictions


def test_numeric_model_and_probability_beside_labels(save):
    both = np.concatenate([YES, YES**2])
    matrix = read(save("m.csv", long(y_pred=(both > 0.5) * 1, y_prob=both)))
    assert (matrix.configurations, matrix.kind) == (("1", "2"), PredictionKind.PROBABILITY)
    assert any("y_prob; ignored next to it: y_pred" in note.text for note in matrix.notes)
    refused(
        "names of configurations, or predictions",
        save("m.csv", {k: v for k, v in long(y_prob=both).items() if k != "row_id"}),
    )


SVM = np.where(np.arange(12) % 3, YES, 1 - YES)


def test_class_columns_of_each_model(save):
    columns = {"truth": [0, 1] * 6, "svm_proba_0": 1 - SVM, "svm_proba_1": SVM}
    matrix = read(save("m.csv", columns | {"knn_proba_1": YES, "knn_proba_0": 1 - YES}))
    assert matrix.configurations == ("svm_proba", "knn_proba")
    assert_allclose(matrix.predictions[0], np.stack([SVM, YES], axis=-1))


def test_lists_in_long_and_mixed_tables(save):
    names = ["a"] * 12 + ["b"] * 12
    both = {"row_id": [*range(12)] * 2, "truth": TRUTH * 2, "model": names}
    lists = [*LISTS, *([1 - p, p] for p in SVM)]
    matrix = read(save("m.parquet", both | {"y_proba": lists}))
    assert_allclose(matrix.predictions[0], np.stack([YES, SVM], axis=-1))
    wide = {"truth": TRUTH, "svm::no": 1 - SVM, "svm::yes": SVM, "knn": LISTS}
    mixed = read(save("n.parquet", wide))
    assert mixed.configurations == ("svm", "knn")
    assert_allclose(mixed.predictions[0], np.stack([SVM, YES], axis=-1))


def test_a_stream_cut_between_batches(save, columns):
    data = ipc(pa.table(columns), "stream")
    stream, ends = pa.BufferReader(data), []
    messages = pa.ipc.MessageReader.open_stream(stream)
    for _ in messages:
        ends.append(stream.tell())
    assert len(ends) == 4
    for end in ends[1:]:
        refused("truncated or damaged", save("m.arrows", data[:end]))


@pytest.mark.parametrize("end", ["arrow", swept("parquet")])
@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([[None, 0.5], *LISTS[1:]], "of the list are missing .*column 'svm', row 0"),
        swept([*LISTS[:-1], [np.nan, 0.5]], "of the list are missing .*column 'svm', row 11"),
        swept([*LISTS[:3], [0.4, 0.4], *LISTS[4:]], "does not sum to 1.*column 'svm', row 3"),
        swept([*LISTS[:-1], [1.0]], "the list has 1 number, but the first has 2"),
        ([*LISTS[:-1], [1.5, -0.5]], "does not sum to 1"),
        swept([*LISTS[:-1], [0.1, 0.2, 0.7]], "has 3 numbers, but the first has 2 .*row 11"),
        swept([np.zeros(10**5)] * 12, "lists have 100000 numbers, more than there can be classes"),
    ],
)
def test_lists_that_are_no_probabilities(save, lists, expected, end):
    table = pa.table({"truth": TRUTH, "svm": pa.array(lists, pa.list_(pa.float64()))})
    path = save("m.parquet", {"truth": TRUTH, "svm": table["svm"]})
    if end == "arrow":
        path = save("m.arrow", ipc(table, "file"))
    refused(expected, path)


def test_a_list_without_numbers_is_a_gap(save):
    for nothing in (None, [None, None], [np.nan, np.nan]):
        lists = pa.array([nothing, *LISTS[1:]], pa.list_(pa.float64()))
        assert read(save("m.parquet", {"truth": TRUTH, "svm": lists})).n_samples == 11


def test_ordered_categories_contradict_the_order_of_lists(save):
    for levels, fits in (
        (["no", "yes"], True),
        (["yes", "no"], False),
        (["yes", "x", "no"], False),
    ):
        codes = pa.array([levels.index(one) for one in TRUTH], pa.int8())
        truth = pa.DictionaryArray.from_arrays(codes, pa.array(levels), ordered=True)
        key = pa.array(range(12))
        for columns in ({"svm": LISTS}, {"row_id": key, "config": ["a"] * 12, "proba": LISTS}):
            path = save("m.parquet", {"truth": truth, **columns})
            if fits:
                assert read(path).n_samples == 12
            else:
                refused("yes, no as in the categories of the truth", path)


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_lists_of_json_lines(save):
    rows = [{"truth": t, "svm": own} for t, own in zip(TRUTH, LISTS, strict=True)]
    matrix = read(save("m.ndjson", lines(rows)))
    assert_allclose(matrix.predictions[0, :, 0], YES)
    tokens = [row | {"knn": p, "tokens": [1, 2]} for row, p in zip(rows, YES, strict=True)]
    for row in tokens:
        del row["svm"]
    matrix = read(save("m.ndjson", lines(tokens)))
    assert matrix.configurations == ("knn",)
    assert any("tokens" in note.text for note in matrix.notes)
    for odd, expected in (
        ([0.5], "has 1 number"),
        ([0.2, 0.2], "sum to 1"),
        ([None, 1.0], "missing"),
    ):
        refused(expected, save("m.ndjson", lines([*rows[:-1], rows[-1] | {"svm": odd}])))
    texts = lines([{"truth": row["truth"], "svm": ["a"]} for row in rows])
    refused("no configuration column", save("m.ndjson", texts), hint="lists or bytes in svm")


def kaggle(save, name, keys, survived):
    rows = "".join(f"{k},{s}\n" for k, s in zip(keys, survived, strict=True))
    return save(name, f"PassengerId,Survived\n{rows}")


def test_the_submission_that_kaggle_shows(save, run):
    keys, truth = np.arange(892, 912), [0, 1, 0, 1] * 5
    one = kaggle(save, "gender_submission.csv", keys, [*truth[:-3], 0, 1, 0])
    other = kaggle(save, "forest.csv", keys[::-1], [*truth[::-1][:-3], 0, 0, 0])
    labels = kaggle(save, "truth.csv", keys, truth)
    status, out, error = run("inspect", one, other, "--labels", labels, "--truth", "Survived")
    assert status == 2
    assert "--row-id PassengerId" in out + error
    roles = Roles(row_id="PassengerId")
    matrix = read([one, other], labels=labels, roles=roles)
    assert matrix.configurations == ("gender_submission", "forest")
    first = [*truth[:-3], 0, 1, 0]
    second = [*truth[::-1][:-3], 0, 0, 0][::-1]
    assert_allclose(matrix.predictions[0], np.transpose([first, second]))
    assert matrix.outcome.values.tolist() == truth


def test_a_file_of_polars_begins_with_something_else():
    """Its stream does not follow the mark: only the footer tells where the batches are."""
    matrix = read(DATA / "polars.arrow")
    assert matrix.predictions[0, :, 0].tolist() == [0.1, 0.9, 0.6] * 4
    assert matrix.outcome.classes == ("0", "1")


@pytest.mark.parametrize("beside", [{}, {"text": TRUTH}])
def test_a_damaged_column_among_sound_ones_is_named(beside):
    buffers = [pa.py_buffer(b"\xff\xff"), pa.py_buffer(bytes(96))]
    wrong = pa.Array.from_buffers(pa.int64(), 12, buffers, null_count=5)
    columns = {"truth": [0, 1] * 6, "a": np.arange(12.0), "b": wrong, "c": np.arange(12)}
    refused(r"no valid int64 \(column 'b'\)", pa.table(columns | beside))


NUMBERS = [pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]
NUMBERS += [pa.decimal128(38, 2), None]


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_numbers_of_each_type_are_predictions(kind):
    numbers = pa.array(np.arange(12))
    numbers = numbers.cast(kind) if kind else numbers.dictionary_encode()
    matrix = read(pa.table({"truth": YES, "a": numbers}))
    assert matrix.predictions[0, :, 0].tolist() == [*range(12)]


TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_text_of_each_type_is_of_classes(kind):
    matrix = read(pa.table({"truth": pa.array(TRUTH).cast(kind), "a": YES, "none": pa.nulls(12)}))
    assert (matrix.configurations, matrix.outcome.classes) == (("a",), ("no", "yes"))


def test_what_is_known_of_a_schema_is_of_no_other():
    """Not of one with other names, types, order or number of columns."""
    first = {"truth": TRUTH, "a": YES, "b": SVM}
    turned = {name: first[name] for name in ("truth", "b", "a")}
    others = (
        first | {"truth": np.cos(YES)},
        first | {"a": LISTS, "b": LISTS},
        turned,
        first | {"c": SVM},
    )
    for columns in (first, *others, {"truth": TRUTH, "a": YES}) * 2:
        matrix = read(pa.table(columns))
        assert ("truth", *matrix.configurations) == tuple(columns)
        assert_allclose(matrix.predictions[0, :, matrix.configurations.index("a")], YES)
        assert matrix.task == ("binary" if columns["truth"] is TRUTH else "regression")
