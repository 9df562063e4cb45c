"""Inputs that unpack to more than they may: refused early, in one line, whatever the format."""

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bbccli.core import reading
from bbccli.core.reading import Reading
from bbccli.errors import InputError, OptionError
from bbccli.readers.sources import limits
from bbccli.readers.sources.files import read_content
from bbccli.readers.sources.opening import read_table

MEGABYTE = 2**20
ROWS = b"x,0.25\ny,0.75\n"


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
    with reading.use(given), pytest.raises(InputError) as found:
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


def test_a_high_ratio_is_harmless_in_a_small_table(tmp_path):
    path = packed(tmp_path / "p.csv.zst", "zstd", 2)
    assert path.stat().st_size * limits.RATIO < 2 * MEGABYTE
    assert read_table(path).n_rows > 10**5


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.csv.zst"])
def test_max_input(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"truth,a\n" + ROWS * 10**5)
    if path.suffix != ".csv":
        path = packed(path, {".gz": "gzip", ".zst": "zstd"}[path.suffix], 2)
    assert "holds more than 1 MiB, unpacked" in refusal(path, MEGABYTE).problem
    with reading.use(Reading(max_input=4 * MEGABYTE)):
        assert read_table(path).n_rows > 10**5


def test_standard_input_that_never_ends(monkeypatch):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            assert size > 0, "all at once"
            self.given += size
            return b"x" * size

    endless = Endless()
    monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": endless}))
    with reading.use(Reading(max_input=2 * MEGABYTE)), pytest.raises(InputError, match="2 MiB"):
        read_content("-")
    assert endless.given <= 2**25


def test_a_device_that_never_ends():
    with pytest.raises(InputError, match="is a device, not a file"):
        read_content("/dev/zero")


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


@pytest.mark.parametrize("large", [False, True])
def test_parquet_repeats_a_long_text(tmp_path, monkeypatch, large):
    """Twenty gigabytes of text, kept once."""
    if large:
        monkeypatch.setattr("bbccli.readers.sources.files.LARGE", 1)
    text = pa.DictionaryArray.from_arrays(np.zeros(10**5, np.int32), ["x" * 200_000])
    path = parquet(tmp_path / "p.parquet", {"truth": text, "a": np.zeros(10**5)})
    assert path.stat().st_size < 10**6
    with pytest.raises(InputError, match="holds more than 4 GiB"):
        read_table(path).column("truth")


def test_text_that_repeats_is_read_as_it_is(tmp_path):
    text = pa.array(["x", None, "", "y z", "x"] * 3)
    path = parquet(tmp_path / "p.parquet", {"a.b": text, "a": np.arange(15.0)})
    values = read_table(path).column("a.b").values
    assert values.to_pylist() == ["x", None, None, "y z", "x"] * 3


@pytest.mark.parametrize("size", [0, 3, 2**20 - 1])
def test_no_room(size):
    with pytest.raises(OptionError, match="max_input is"):
        Reading(max_input=size)


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
        limits.check_texts(pa.table({"t": column}), "p.parquet")


@pytest.mark.parametrize("values", [np.zeros(10**6), pa.array(["x" * 300] * 10**6)])
def test_parquet_that_holds_little_but_runs(tmp_path, values):
    """320 MB in next to nothing, though less than `--max-input`."""
    count = 40 if isinstance(values, np.ndarray) else 1
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
    assert 8 * 61 * len(labels) > limits.RATIO * path.stat().st_size + limits.HARMLESS / 2
    assert read_table(path).n_rows == len(labels)
