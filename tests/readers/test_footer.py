"""The footer of a Parquet file says the same to us as to pyarrow, and damage ends in an error."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import parts

from bbccli import read
from bbccli.errors import InputError
from bbccli.readers.sources.footer import FooterError, declared_columns


def table(n_rows: int = 100) -> pa.Table:
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "text": pa.array([f"row {i}" for i in range(n_rows)]),
            "truth": pa.array(rng.integers(0, 2, n_rows)),
            "dictionary": pa.array(["a", "b"] * (n_rows // 2)).dictionary_encode(),
            "flag": pa.array(rng.random(n_rows) > 0.5),
            "float": pa.array(rng.random(n_rows), pa.float32()),
            "half": pa.array(rng.random(n_rows).astype(np.float16)),
            "gaps": pa.array([None if i % 7 == 0 else float(i) for i in range(n_rows)]),
            "nothing": pa.nulls(n_rows, pa.int16()),
            "day": pa.array(np.arange(n_rows, dtype=np.int32), pa.date32()),
        }
    )


def written(content: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(content, sink, **options)
    return sink.getvalue()


def footer_of(data: bytes) -> bytes:
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def levels_of(file: pq.ParquetFile) -> list[tuple[int, int]]:
    columns = [file.schema.column(index) for index in range(len(file.schema))]
    return [(one.max_repetition_level, one.max_definition_level) for one in columns]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 30},
        {"version": "1.0", "compression": "zstd"},
        {"write_statistics": False, "use_dictionary": False},
        {"write_page_index": True, "store_schema": False},
        {"data_page_version": "2.0", "column_encoding": None},
        {"sorting_columns": [pq.SortingColumn(0)], "write_page_checksum": True},
    ],
    ids=str,
)
def test_says_what_pyarrow_says(options: dict[str, object]) -> None:
    data = written(table(), **options)
    file = pq.ParquetFile(pa.BufferReader(data))
    expected = [
        (position, group.num_rows, column.num_values, column.total_uncompressed_size)
        for group in map(file.metadata.row_group, range(file.metadata.num_row_groups))
        for position, column in enumerate(map(group.column, range(group.num_columns)))
    ]
    found = [
        (one.position, one.n_rows, one.n_values, one.n_bytes)
        for one in declared_columns(footer_of(data), levels_of(file))
    ]
    assert found == expected


@pytest.mark.sweep
def test_numbers_of_many_bytes() -> None:
    content = pa.table({f"c{i}": np.arange(70_000) for i in range(20)})
    data = written(content)
    file = pq.ParquetFile(pa.BufferReader(data))
    found = list(declared_columns(footer_of(data), levels_of(file)))
    assert [one.n_values for one in found] == [70_000] * 20
    assert sum(one.n_bytes for one in found) == file.metadata.row_group(0).total_byte_size


def test_a_footer_that_is_cut_anywhere_is_refused() -> None:
    data = written(table(), store_schema=False)
    file = pq.ParquetFile(pa.BufferReader(data))
    footer, levels = footer_of(data), levels_of(file)
    whole = list(declared_columns(footer, levels))
    for end in range(len(footer)):
        try:
            assert list(declared_columns(footer[:end], levels)) == whole
            assert end > len(footer) - 100  # all but what stands after the row groups
        except FooterError:
            pass


@parts("n_times", 400, whole=2000)
def test_random_bytes_are_refused_or_read(n_times: int) -> None:
    data = written(table(), store_schema=False)
    file = pq.ParquetFile(pa.BufferReader(data))
    footer, levels = footer_of(data), levels_of(file)
    rng = np.random.default_rng(1)
    for _ in range(n_times):
        bad = bytearray(footer)
        for place in rng.integers(0, len(bad), rng.integers(1, 4)):
            bad[place] = rng.integers(0, 256)
        try:
            for column in declared_columns(bytes(bad), levels):
                assert isinstance(column.n_values, int)
        except FooterError:
            pass


def damaged(data: bytes) -> bytes:
    """Shorten the histogram of definition levels of one column to one number, in place."""
    two, one = bytes([0x26, 0x00, 0xC8, 0x01]), bytes([0x16, 0x80, 0xC8, 0x01])
    assert two in footer_of(data)
    return data[:-8].replace(two, one, 1) + data[-8:]


@pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 19, reason="an older pyarrow writes no size statistics"
)
@pytest.mark.parametrize("form", ["bytes", "path"])
def test_size_statistics_that_would_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = tmp_path / "p.parquet"
    rng = np.random.default_rng(0)
    content = {"truth": rng.integers(0, 2, 100), "a": rng.random(100), "b": rng.random(100)}
    path.write_bytes(written(pa.table(content)))
    if form == "path":
        monkeypatch.setattr("bbccli.readers.sources.files.LARGE", 1)
    assert read(path).n_samples == 100
    path.write_bytes(damaged(path.read_bytes()))
    with pytest.raises(InputError, match="histogram of another length"):
        read(path)


@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_encrypted_files_are_named_as_such(tmp_path: Path, plaintext_footer: bool) -> None:
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key: bytes, _: str) -> bytes:
            return base64.b64encode(key)

        def unwrap_key(self, key: bytes, _: str) -> bytes:
            return base64.b64decode(key)

    content = pa.table({"truth": [0, 1, 0, 1], "a": [0.1, 0.9, 0.2, 0.8]})
    properties = encryption.CryptoFactory(lambda _: Keys()).file_encryption_properties(
        encryption.KmsConnectionConfig(),
        encryption.EncryptionConfiguration(
            footer_key="key", column_keys={"other": ["a"]}, plaintext_footer=plaintext_footer
        ),
    )
    path = tmp_path / "p.parquet"
    with pq.ParquetWriter(path, content.schema, encryption_properties=properties) as writer:
        writer.write_table(content)
    with pytest.raises(InputError, match="is encrypted"):
        read(path)
