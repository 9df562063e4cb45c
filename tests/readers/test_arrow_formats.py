"""Arrow IPC and Feather, columns of their types, and class columns of scikit-learn's users."""

from __future__ import annotations

import io
import uuid
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from pyarrow import feather

from bbccli import reading
from bbccli.errors import InputError
from bbccli.readers import read
from bbccli.reading import Reading
from bbccli.types import PredictionKind

TRUTH = ["no", "yes"] * 6
YES = np.round(np.linspace(0.05, 0.95, 12), 3)
LISTS = [[1 - p, p] for p in YES]


def ipc(table, kind, packing=None):
    sink, options = io.BytesIO(), pa.ipc.IpcWriteOptions(compression=packing)
    writer = pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file
    with writer(sink, table.schema, options=options) as to:
        to.write_table(table, max_chunksize=5)
    return sink.getvalue()


@pytest.mark.parametrize("packing", [None, "lz4", "zstd"])
@pytest.mark.parametrize("kind", ["stream", "file"])
def test_ipc_is_told_by_content(save, columns, stdin, kind, packing):
    data = ipc(pa.table(columns), kind, packing)
    stdin(data)
    for found in (read(save("m.arrow", data)), read("-")):
        assert_allclose(found.predictions[0, :, 2], columns["svm C=2"])
        assert found.configurations == tuple(f"svm C={i}" for i in range(4))


def test_feather_1(save, columns, tmp_path):
    with pytest.warns(DeprecationWarning):
        feather.write_feather(pa.table(columns), tmp_path / "m.feather", version=1)
    assert read(tmp_path / "m.feather").n_samples == 12


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_cut_off(save, columns, kind):
    data = ipc(pa.table(columns), kind, "zstd")
    for end in range(6, len(data) - 1, 41):
        with pytest.raises(InputError, match="truncated or damaged"):
            read(save("m.feather", data[:end]))


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_feather_bomb(save, kind):
    data = ipc(pa.table({"truth": [0, 1] * 5, "a": np.zeros(10)}), kind, "zstd")
    big = pa.table({"truth": np.zeros(10**7), "a": np.zeros(10**7)})
    sink, options = io.BytesIO(), pa.ipc.IpcWriteOptions(compression="zstd")
    with (pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file)(
        sink, big.schema, options=options
    ) as to:
        to.write_table(big)
    path = save("m.arrow", sink.getvalue())
    with pytest.raises(InputError, match="more than 200 times"):
        read(path)
    with reading.use(Reading(max_input=2**26)), pytest.raises(InputError, match="64 MiB"):
        read(path)
    assert read(save("n.arrow", data)).n_samples == 10


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
    with pytest.raises(InputError, match="beyond 64 bits"):
        read(save("m.parquet", {"row_id": keys, "truth": TRUTH, "a": YES}))


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.list_(pa.float32(), 2)])
def test_lists_hold_sorted_classes(save, kind):
    matrix = read(save("m.parquet", {"truth": TRUTH, "svm": pa.array(LISTS, kind)}))
    assert matrix.configurations == ("svm",)
    assert_allclose(matrix.predictions[0, :, 0], YES, rtol=1e-6)
    assert "classes-in-order" in [note.code for note in matrix.notes]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([*LISTS[:-1], [0.1, 0.2, 0.7]], "has 3 numbers, the first has 2 .*row 11"),
        ([[0.2, 0.3, 0.5]] * 12, "lists of 3 numbers, and the truth has 2 classes"),
    ],
)
def test_lists_that_are_none_of_classes(save, lists, expected):
    with pytest.raises(InputError, match=expected):
        read(save("m.parquet", {"truth": TRUTH, "svm": lists}))


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
    assert any("y_prob; ignored beside it: y_pred" in note.text for note in matrix.notes)
    with pytest.raises(InputError, match="names of configurations or predictions"):
        read(save("m.csv", {k: v for k, v in long(y_prob=both).items() if k != "row_id"}))


def test_nothing_beside_text(save):
    columns = {"truth": TRUTH, "a": pa.nulls(12), "b": [str(p) for p in YES]}
    with pytest.raises(InputError, match="prediction is text"):
        read(save("m.parquet", columns))
