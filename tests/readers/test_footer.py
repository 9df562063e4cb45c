"""Damage in the footer of a Parquet file ends in one line, and never in the end of the process."""

import base64
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import parts
from reading import refused

from bbccli import read
from bbccli.core import reading
from bbccli.core.reading import Reading
from bbccli.errors import InputError
from bbccli.readers.sources.opening import read_table

RNG = np.random.default_rng(0)
TABLE = pa.table(
    {
        "text": pa.array([f"row {i}" for i in range(100)]),
        "truth": pa.array(RNG.integers(0, 2, 100)),
        "flag": pa.array(RNG.random(100) > 0.5),
        "gaps": pa.array([None if i % 7 == 0 else float(i) for i in range(100)]),
        "a": pa.array(RNG.random((100, 2)).tolist()),
    }
)
WRITTEN = (
    {"write_page_index": True},
    {"row_group_size": 30, "store_schema": False, "data_page_version": "2.0"},
    {"version": "1.0", "compression": "zstd", "write_statistics": False},
)


def written(content: pa.Table = TABLE, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(content, sink, **options)
    return sink.getvalue()


def mutants(n_times: int, seed: int) -> list[bytes]:
    """Files with one to three other bytes in their footers."""
    rng, found = np.random.default_rng(seed), []
    for i in range(n_times):
        bad = bytearray(written(**WRITTEN[i % len(WRITTEN)]))
        size = int.from_bytes(bad[-8:-4], "little")
        for place in rng.integers(0, size, rng.integers(1, 4)):
            bad[len(bad) - 8 - size + place] = rng.integers(0, 256)
        found.append(bytes(bad))
    return found


ATTACK = """
import sys
from pathlib import Path
from bbccli.errors import InputError
from bbccli.readers.sources import files
from bbccli.readers.sources.opening import read_table
refused = 0
for path in sorted(Path(sys.argv[1]).glob("*.parquet")):
    for files.LARGE in (2**30, 1):
        try:
            table = read_table(path)
            for name in table.names:
                table.column(name)
        except InputError as error:
            refused += 1
print(refused)
"""


@parts("seed", 1, whole=6)
def test_no_damage_ends_the_process(tmp_path: Path, seed: int) -> None:
    for i, data in enumerate(mutants(60, seed)):
        (tmp_path / f"{i}.parquet").write_bytes(data)
    argv = [sys.executable, "-c", ATTACK, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 60 < int(done.stdout) <= 120


@pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 19, reason="an older pyarrow writes no size statistics"
)
@pytest.mark.parametrize("large", [False, True])
def test_size_statistics_that_would_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """The histogram of the definition levels of a column is cut to one number, in place."""
    path = tmp_path / "p.parquet"
    content = {"truth": RNG.integers(0, 2, 100), "a": RNG.random(100), "b": RNG.random(100)}
    data = written(pa.table(content))
    if large:
        monkeypatch.setattr("bbccli.readers.sources.files.LARGE", 1)
    path.write_bytes(data)
    assert read(path).n_samples == 100
    two, one = bytes([0x26, 0x00, 0xC8, 0x01]), bytes([0x16, 0x80, 0xC8, 0x01])
    assert two in data
    path.write_bytes(data[:-8].replace(two, one, 1) + data[-8:])
    refused("truncated or damaged", path)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_encrypted_files_are_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plaintext_footer: bool, large: bool
) -> None:
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key: bytes, _: str) -> bytes:
            return base64.b64encode(key)

        def unwrap_key(self, key: bytes, _: str) -> bytes:
            return base64.b64decode(key)

    if large:
        monkeypatch.setattr("bbccli.readers.sources.files.LARGE", 1)
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
    refused("is encrypted", path)


@pytest.mark.parametrize("large", [False, True])
def test_lists_may_hold_more_values_than_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """One list of ten million zeros, in next to nothing: 80 MB when it is read."""
    if large:
        monkeypatch.setattr("bbccli.readers.sources.files.LARGE", 1)
    zeros = pa.ListArray.from_arrays([0, 10**7], pa.array(np.zeros(10**7)))
    path = tmp_path / "p.parquet"
    path.write_bytes(written(pa.table({"truth": [1], "a": zeros}), compression="zstd"))
    assert path.stat().st_size < 10**6
    with reading.use(Reading(max_input=2**26)), pytest.raises(InputError, match="than 64 MiB"):
        read_table(path)


def test_lists_of_many_columns_and_row_groups_are_read(tmp_path: Path) -> None:
    """Numbers and names of the footer that take several bytes."""
    columns = {f"{'long' * 40}{i}": RNG.random((400, 2)).tolist() for i in range(20)}
    path = tmp_path / "p.parquet"
    path.write_bytes(written(pa.table(columns), row_group_size=150))
    assert read_table(path).n_rows == 400
