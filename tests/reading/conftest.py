"""Writers of small files, and one matrix that all formats must give back."""

import csv
import gzip
import io
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

RUNS = Path(__file__).parents[1] / "data" / "runs"

Columns = Mapping[str, Sequence[Any]]
Save = Callable[..., Path]


def encode(name: str, columns: Columns, metadata: Mapping[str, Any] | None = None) -> bytes:
    """Bytes of a table in the format that a file name asks for."""
    if ".parquet" in name:
        table = pa.table(dict(columns))
        if metadata is not None:
            table = table.replace_schema_metadata({"bbc": json.dumps(metadata)})
        sink = io.BytesIO()
        pq.write_table(table, sink)
        return sink.getvalue()
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t" if ".tsv" in name else ",", lineterminator="\n")
    writer.writerow(columns)
    cells = [["" if v is None else v for v in np.asarray(c).tolist()] for c in columns.values()]
    writer.writerows(zip(*cells, strict=True))
    data = text.getvalue().encode()
    if name.endswith(".gz"):
        return gzip.compress(data)
    return pa.compress(data, "zstd", asbytes=True) if name.endswith(".zst") else data


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write text, bytes or columns (and metadata beside or inside) and return the path."""

    def save(
        name: str, content: str | bytes | Columns, metadata: Mapping[str, Any] | None = None
    ) -> Path:
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_bytes(encode(name, content, metadata))
        if metadata is not None and ".parquet" not in name:
            (tmp_path / f"{name.split('.', maxsplit=1)[0]}.meta.json").write_text(
                json.dumps(metadata)
            )
        return path

    return save


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """Copy the folder of a real run, by its name in `data/runs`."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(RUNS / name, tmp_path / name.replace("/", "-")))

    return copy


@pytest.fixture
def encoded() -> Callable[..., bytes]:
    """`encode`, for tests that need no file."""
    return encode


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Put bytes on stdin."""

    def feed(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return feed


@pytest.fixture
def columns() -> dict[str, Any]:
    """Twelve samples, three folds, four configurations of a binary task."""
    generator = np.random.default_rng(0)
    truth = np.array(["no", "yes"] * 6)
    signal = (truth == "yes") * 0.5 + generator.random((4, 12)) / 2
    return {
        "row_id": np.array([f"p{i}" for i in range(12)]),
        "fold": np.arange(12) % 3,
        "truth": truth,
        **{f"svm C={i}": column for i, column in enumerate(signal)},
    }
