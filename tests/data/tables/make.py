"""Made the files beside it with pyarrow 26.0: one table, in many formats.

`python make.py FOLDER`. `plain.csv` is the table, `lists.csv` that of the files of lists.
Feather of version 1 is what pandas wrote until 2020; dictionaries that change from batch to batch
come of streams that are put together; categories as views of text are those of polars.
"""

import csv
import json
import random
import sys
import uuid
import warnings
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

N = 30
BATCH = 7


def columns():
    """Keys, truth, and two configurations with three digits."""
    draw = random.Random(1)
    truth = [draw.choice(["no", "yes"]) for _ in range(N)]
    better = [draw.randint(200, 700) + 250 * (one == "yes") for one in truth]
    return {
        "row_id": [str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(N)],
        "truth": truth,
        "svm": [one / 1000 for one in better],
        "knn": [draw.randint(1, 999) / 1000 for _ in range(N)],
    }


def by_dictionary(texts, values):
    """Text as codes into some values."""
    codes = pa.array([values.index(one) for one in texts], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(values))


def main(folder):
    """Write all files."""
    plain = columns()
    lists = {name: plain[name] for name in ("row_id", "truth")}
    lists["svm"] = [[round(1 - p, 3), p] for p in plain["svm"]]
    table = pa.table(plain)
    with (folder / "plain.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(plain)
        writer.writerows(zip(*plain.values(), strict=True))
    with (folder / "lists.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row_id", "truth", "svm::no", "svm::yes"])
        writer.writerows([*row[:2], *row[2]] for row in zip(*lists.values(), strict=True))
    for name, one in (("plain.ndjson", plain), ("lists.ndjson", lists)):
        rows = [dict(zip(one, row, strict=True)) for row in zip(*one.values(), strict=True)]
        rows[1::2] = [dict(reversed(row.items())) for row in rows[1::2]]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that version 1 is deprecated
        feather.write_feather(table, str(folder / "version_1.feather"), version=1)
    feather.write_feather(table, str(folder / "version_2.feather"), compression="lz4")
    write(folder / "file.arrow", table, packing="zstd")
    write(folder / "stream.arrows", table)
    write(folder / "stream.arrow", table)
    empty = [table.slice(0, 0), table.slice(0, 11), table.slice(0, 0), table.slice(11)]
    write(folder / "empty_batches.arrows", *empty)
    one, other = (by_dictionary(plain["truth"], v) for v in (["no", "yes"], ["yes", "no"]))
    first, second = (table.set_column(1, "truth", part) for part in (one, other))
    write(folder / "dictionaries.arrows", first.slice(0, 11), second.slice(11))
    views = pa.DictionaryArray.from_arrays(one.indices, one.dictionary.cast(pa.string_view()))
    write(folder / "views.arrow", table.set_column(1, "truth", views))
    keys = pa.array([uuid.UUID(key).bytes for key in plain["row_id"]], pa.binary(16))
    parquet(folder / "uuid.parquet", table, row_id=pa.ExtensionArray.from_storage(pa.uuid(), keys))
    exact = [Decimal(str(p)) for p in plain["svm"]]
    parquet(folder / "decimal.parquet", table, svm=pa.array(exact, pa.decimal128(10, 3)))
    categories = by_dictionary(plain["truth"], ["maybe", "yes", "no"])
    parquet(folder / "dictionary.parquet", table, truth=categories)
    kinds = {
        "list": pa.list_(pa.float64()),
        "large_list": pa.large_list(pa.float64()),
        "fixed_list": pa.list_(pa.float64(), 2),
        "decimal_list": pa.list_(pa.decimal128(10, 3)),
    }
    for name, kind in kinds.items():
        values = lists["svm"]
        if "decimal" in name:
            values = [[Decimal(str(p)) for p in row] for row in values]
        found = pa.table({**lists, "svm": pa.array(values, kind)})
        pq.write_table(found, folder / f"{name}.parquet")
        write(folder / f"{name}.arrow", found)


def write(path, *tables, packing=None):
    """Write tables as batches of Arrow IPC: a stream unless the name says otherwise."""
    is_file = path.suffix == ".arrow" and not path.name.startswith("stream")
    options = pa.ipc.IpcWriteOptions(compression=packing)
    writer = pa.ipc.new_file if is_file else pa.ipc.new_stream
    with writer(str(path), tables[0].schema, options=options) as to:
        for table in tables:
            to.write_table(table, max_chunksize=BATCH)


def parquet(path, table, **others):
    """Write a table as Parquet, with some columns of another type."""
    for name, values in others.items():
        table = table.set_column(table.column_names.index(name), name, values)
    pq.write_table(table, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
