"""Inputs that unpack to more than they may, and damage in the footer of a Parquet file."""

import base64
import io
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import swept
from reading import refused

from bbccli import read
from bbccli.errors import InputError, OptionError
from bbccli.platform import resources
from bbccli.platform.resources import Reading
from bbccli.reading.sources import read_content, read_table
from bbccli.reading.sources.parquet import check_texts

MEGABYTE = 2**20
ROWS = b"x,0.25\ny,0.75\n"


@pytest.fixture(params=[False, swept(True)], ids=["whole", "in parts"])
def large(request, monkeypatch):
    """Read files as small ones and as large ones are read."""
    if request.param:
        monkeypatch.setattr("bbccli.reading.sources.LARGE", 1)
        monkeypatch.setattr("bbccli.reading.sources.parquet._FEW_ROWS", 0)


def packed(path: Path, packing: str, megabytes: int) -> Path:
    """A compressed table of equal rows."""
    rows = ROWS * (MEGABYTE // len(ROWS))
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), packing) as stream:
        stream.write(b"truth,a\n")
        for _ in range(megabytes):
            stream.write(rows)
    return path


def refusal(path, size=None):
    given = Reading(max_input=size) if size else Reading()
    with resources.use_reading(given), pytest.raises(InputError) as found:
        read_table(path)
    assert found.value.hint
    return found.value


@pytest.mark.parametrize(
    ("suffix", "packing"), [(".zst", "zstd"), pytest.param(".gz", "gzip", marks=pytest.mark.sweep)]
)
def test_bomb(tmp_path, suffix, packing):
    path = packed(tmp_path / f"p.csv{suffix}", packing, 200)
    tracemalloc.start()
    error = refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "unpack to more than 200 times as much" in error.problem
    assert "unpack the file first" in error.hint
    assert peak < 100 * MEGABYTE


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.csv.zst"])
def test_max_input(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"truth,a\n" + ROWS * 10**5)
    if path.suffix != ".csv":
        path = packed(path, {".gz": "gzip", ".zst": "zstd"}[path.suffix], 2)
    assert "holds more than 1 MiB, unpacked" in refusal(path, MEGABYTE).problem
    with resources.use_reading(Reading(max_input=4 * MEGABYTE)):
        assert read_table(path).n_rows > 10**5


def test_input_that_never_ends(monkeypatch):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            assert size > 0, "all at once"
            self.given += size
            return b"x" * size

    endless = Endless()
    monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": endless}))
    with (
        resources.use_reading(Reading(max_input=2 * MEGABYTE)),
        pytest.raises(InputError, match="2 MiB"),
    ):
        read_content("-")
    assert endless.given <= 2**25
    with pytest.raises(InputError, match="is a device, not a file"):
        read_content("/dev/zero")
    for size in (0, 3, 2**20 - 1):
        with pytest.raises(OptionError, match="max_input is"):
            Reading(max_input=size)


def parquet(path: Path, columns: dict[str, pa.Array], **options: object) -> Path:
    pq.write_table(pa.table(columns), path, store_schema=False, **options)
    return path


def test_parquet_declares_more_rows_than_fit(tmp_path):
    """Ten million zeros take some hundred bytes, and 80 MB when they are read."""
    path = parquet(tmp_path / "p.parquet", {"a": np.zeros(10**7)}, compression="zstd")
    assert path.stat().st_size < 10**5
    tracemalloc.start()
    assert "holds more than 64 MiB" in refusal(path, 64 * MEGABYTE).problem
    assert tracemalloc.get_traced_memory()[1] < MEGABYTE
    tracemalloc.stop()


def test_parquet_repeats_a_long_text(tmp_path, large):
    """Twenty gigabytes of text, kept once."""
    text = pa.DictionaryArray.from_arrays(np.zeros(10**5, np.int32), ["x" * 200_000])
    path = parquet(tmp_path / "p.parquet", {"truth": text, "a": np.zeros(10**5)})
    assert path.stat().st_size < 10**6
    with pytest.raises(InputError, match="holds more than 4 GiB"):
        read_table(path).column("truth")


def test_the_option(run, tmp_path, monkeypatch):
    path = tmp_path / "p.csv"
    path.write_bytes(b"truth,a\n" + ROWS * 10**5)
    status, out, err = run("inspect", path, "--max-input", "1MiB")
    assert status == 2
    assert "holds more than 1 MiB, unpacked" in " ".join((out + err).split())
    status, _, err = run("correct", path, "--max-input", "much")
    assert (status, err.splitlines()[0]) == (2, "error: --max-input is 'much', not a valid size")
    monkeypatch.setenv("BBC_MAX_INPUT", "1MiB")
    assert "holds more than 1 MiB" in run("convert", path, "-o", tmp_path / "q.csv")[2]


def test_references_to_texts_that_are_not_there_are_damage():
    codes = pa.array([0, 7, 1], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    with pytest.raises(InputError, match="damaged: it refers to texts that it does not hold"):
        check_texts(pa.table({"t": column}))


@pytest.mark.parametrize(("value", "count"), [(0.0, 40), ("x" * 300, 1)])
def test_parquet_that_holds_little_but_runs(tmp_path, value, count):
    """320 MB in next to nothing, though less than `--max-input`."""
    values = pa.repeat(value, 10**6)
    columns = {f"c{i}": values for i in range(count)}
    path = parquet(tmp_path / "p.parquet", columns, compression="zstd")
    assert path.stat().st_size < 10**6
    error = refusal(path)
    assert "of Parquet data unpack to more than 200 times as much" in error.problem
    assert "without dictionaries and compression" in error.hint


def test_labels_in_runs_are_read(tmp_path):
    """Sorted by their class, with few errors: what a good classifier leaves."""
    labels = np.repeat([0, 1], 10**5)
    columns = {"truth": labels} | {f"c{i}": np.roll(labels, i) for i in range(60)}
    path = parquet(tmp_path / "p.parquet", columns)
    assert 8 * 61 * len(labels) > resources.RATIO * path.stat().st_size + resources.HARMLESS / 2
    assert read_table(path).n_rows == len(labels)


# damage in the footer ends in one line, and never in the end of the process

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
from bbccli.reading import sources
from bbccli.reading.sources import parquet
from bbccli.reading.sources import read_table
refused = 0
for path in sorted(Path(sys.argv[1]).glob("*.parquet")):
    for sources.LARGE, parquet._FEW_ROWS in ((2**30, 0), (1, 0), (1, 1024)):
        try:
            table = read_table(path)
            for name in table.names:
                table.column(name)
        except InputError as error:
            refused += 1
print(refused)
"""


@pytest.mark.parametrize("seed", [1, swept(6)])
def test_no_damage_ends_the_process(tmp_path, seed):
    for i, data in enumerate(mutants(60, seed)):
        (tmp_path / f"{i}.parquet").write_bytes(data)
    argv = [sys.executable, "-c", ATTACK, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 90 < int(done.stdout) <= 180


@pytest.mark.skipif(
    int(pa.__version__.split(".")[0]) < 19, reason="an older pyarrow writes no size statistics"
)
def test_size_statistics_that_would_end_the_process(tmp_path, large):
    """The histogram of the definition levels of a column is cut to one number, in place."""
    path = tmp_path / "p.parquet"
    content = {"truth": RNG.integers(0, 2, 100), "a": RNG.random(100), "b": RNG.random(100)}
    data = written(pa.table(content))
    path.write_bytes(data)
    assert read(path).n_samples == 100
    two, one = bytes([0x26, 0x00, 0xC8, 0x01]), bytes([0x16, 0x80, 0xC8, 0x01])
    assert two in data
    path.write_bytes(data[:-8].replace(two, one, 1) + data[-8:])
    refused("truncated or damaged", path)


@pytest.mark.parametrize("plaintext_footer", [True, swept(False)])
def test_encrypted_files_are_named_as_such(tmp_path, plaintext_footer, large):
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
    refused("is encrypted", path)


def test_lists_may_hold_more_values_than_rows(tmp_path, large):
    """One list of ten million zeros, in next to nothing: 80 MB when it is read."""
    zeros = pa.ListArray.from_arrays([0, 10**7], pa.array(np.zeros(10**7)))
    path = tmp_path / "p.parquet"
    path.write_bytes(written(pa.table({"truth": [1], "a": zeros}), compression="zstd"))
    assert path.stat().st_size < 10**6
    with (
        resources.use_reading(Reading(max_input=2**26)),
        pytest.raises(InputError, match="than 64 MiB"),
    ):
        read_table(path)
