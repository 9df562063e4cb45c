"""Parquet as Spark, DuckDB and others write it: every encoding, and columns beside predictions."""

import json
import subprocess
import sys
import uuid
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import swept
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.domain.matrix import PredictionMatrix
from bbccli.reading import Roles, read, sources
from bbccli.reading.sources import parquet, read_table
from bbccli.use_cases.inspection import inspect

N = 60
RNG = np.random.default_rng(5)
WORDS = ["yes", "no"] * (N // 2)
KEYS = [f"sample {i}" for i in range(N)]
SCORES = RNG.random((N, 2))
ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")


@pytest.fixture(params=["memory", swept("disk"), swept("few rows")])
def place(request, monkeypatch):
    """Files are read as a whole, or some columns at a time as large ones are."""
    if request.param != "memory":
        monkeypatch.setattr(sources, "LARGE", 0)
        monkeypatch.setattr(parquet, "_TOGETHER", 2)
    if request.param == "disk":
        monkeypatch.setattr(parquet, "_FEW_ROWS", 0)


@pytest.fixture
def write(tmp_path):
    def write(columns, **how):
        path = tmp_path / "p.parquet"
        pq.write_table(pa.table(columns), path, **how)
        return path

    return write


def columns(**more):
    return {"id": KEYS, "truth": WORDS, "a": SCORES[:, 0], "b": SCORES[:, 1], **more}


def of_both(path, **options) -> PredictionMatrix:
    matrix = read(path, **options)
    assert matrix.configurations == ("a", "b")
    assert_array_equal(matrix.predictions[0], SCORES)
    assert matrix.outcome.classes == ("no", "yes")
    return matrix


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_texts_of_every_encoding(write, place, encoding, version):
    how = {"column_encoding": {"id": encoding, "truth": encoding}, "data_page_version": version}
    path = write(columns(), use_dictionary=False, row_group_size=25, **how)
    matrix = of_both(path, roles=Roles(row_id="id"))
    assert matrix.keys.tolist() == KEYS


def test_missing_texts_of_an_encoding_without_dictionaries(write, place):
    made = columns(notes=[None, *KEYS[1:-1], ""])
    path = write(made, column_encoding={"notes": ENCODINGS[1]}, use_dictionary=False)
    column = read_table(path).column("notes")
    assert column.nulls.tolist() == [0, N - 1]


def test_prefixes_that_unpack_to_too_much_are_refused(write, place, monkeypatch):
    """Each value of DELTA_BYTE_ARRAY repeats the one before: the size is declared nowhere."""
    monkeypatch.setattr(parquet, "RUNS", 2**20)
    long = ["x" * 5000 + str(i) for i in range(2000)]
    data = {"id": long, "truth": [0, 1] * 1000, "a": np.arange(2000.0)}
    path = write(data, use_dictionary=False, column_encoding={"id": ENCODINGS[1]})
    with pytest.raises(sources.InputError, match="unpack to more than 200 times"):
        read_table(path).column("id")


LACKING = OSError("Not yet implemented: Unsupported encoding.")


@pytest.mark.parametrize(
    "error", [LACKING, swept(pa.ArrowNotImplementedError("Nested data conversions"))]
)
def test_an_encoding_that_pyarrow_lacks_is_not_called_damage(write, place, monkeypatch, error):
    class Lacking:
        def __init__(self, reader):
            self.reader = reader

        def __getattr__(self, name):
            if name in ("read_all", "iter_batches"):
                raise error
            return getattr(self.reader, name)

    ours = parquet.opened_parquet
    monkeypatch.setattr(parquet, "opened_parquet", lambda *a, **k: Lacking(ours(*a, **k)))
    message = str(error).removeprefix("Not yet implemented: ").rstrip(".")
    refused(f"uses what pyarrow does not support: {message}", write(columns()), hint="as CSV")


def test_a_column_whose_name_is_that_of_a_field(write, place):
    """To Arrow "a.b" is also the field b of a struct a."""
    there = columns(**{"a": [{"b": 0.5}] * N, "a.b": SCORES[:, 0]})
    matrix = read(write(there), task="binary")
    assert matrix.configurations == ("b", "a.b")
    assert_array_equal(matrix.predictions[0], SCORES[:, ::-1])


def test_a_large_file_is_opened_once(write, monkeypatch):
    """However often its first rows are looked at; once more if texts are kept once."""
    monkeypatch.setattr(sources, "LARGE", 0)
    monkeypatch.setattr(parquet, "_FEW_ROWS", 0)
    opened = []
    ours, name = parquet.opened_parquet, "opened_parquet"
    monkeypatch.setattr(parquet, name, lambda *a, **k: opened.append(a) or ours(*a, **k))
    table = read_table(write(columns()))
    assert len(opened) == 2
    for names in (["a"], ["b", "id"], ["truth"]):
        assert table.head(names, 5).column_names == names
        assert table.data.head(names, 5).num_rows == 5
    assert len(opened) == 2


@pytest.mark.parametrize("held", [False, True])
def test_columns_of_a_large_file_are_read_together_and_once(write, monkeypatch, held):
    n = 2**18 // 20  # as many rows as make a block of twenty columns
    monkeypatch.setattr(sources, "LARGE", 0)
    monkeypatch.setattr(parquet, "_FEW_ROWS", n * held)
    monkeypatch.setattr(parquet, "_TOGETHER", 20)
    names, whole = [f"m{i:02}" for i in range(70)], parquet.ColumnsOnDisk.read
    taken: list[list[str]] = []
    monkeypatch.setattr(
        parquet.ColumnsOnDisk, "read", lambda *of: taken.append([*of[1]]) or whole(*of)
    )
    scores = np.random.default_rng(1).random((70, n))
    scores[5, 7] = np.nan
    truth = np.resize(WORDS, n)
    found = inspect(write({"truth": truth, **dict(zip(names, scores, strict=True))}))
    assert [(gap.configuration, gap.n_missing) for gap in found.missing] == [("m05", 1)]
    often = Counter(name for together in taken for name in together)
    again = [name for name in names if often[name] > 1]  # a few are told by all of their rows
    assert ("m05" in again, len(again) <= 10) == (not held, True)
    assert len([together for together in taken if len(together) > 1]) <= 5


UUIDS = pa.array([uuid.uuid4().bytes for _ in range(N)], pa.uuid())
STRANGE = {
    "struct": [{"model": "a", "n": i} for i in range(N)],
    "map": pa.array([[("k", i)] for i in range(N)], pa.map_(pa.string(), pa.int64())),
    "bytes": [b"\xff%d" % i for i in range(N)],
    "tokens": [list(range(i % 4)) for i in range(N)],
    "empty": pa.array([[]] * N, pa.list_(pa.float64())),
    "tags": [["x"] * (i % 3) for i in range(N)],
    "uuid in a struct": pa.StructArray.from_arrays([UUIDS], ["run"]),
    "uuids": pa.ListArray.from_arrays(range(N + 1), UUIDS),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_column_that_is_no_value_is_left_aside(write, place, name):
    path = write(columns(**{"extra.x": STRANGE[name], "extra": KEYS}))
    for options in ({"exclude": "extra"}, {"only": ["a", "b"]}):
        matrix = of_both(path, roles=Roles(row_id="id"), **options)
        assert [n.text for n in matrix.notes if "extra.x" in n.text] == [
            "ignored, because they hold objects, lists or bytes: extra.x"
        ]


def test_the_same_table_as_json_lines_and_in_memory(write, tmp_path):
    table = pa.table(columns(trace=STRANGE["struct"]))
    lines = tmp_path / "p.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    how = Roles(row_id="id")
    own = of_both(write(table), roles=how)
    for other in (lines, table, table.to_pandas()):
        assert of_both(other, roles=how).notes == own.notes


def test_probabilities_with_one_faulty_list_stay_an_error(write):
    lists = [[0.25, 0.75]] * (N - 1) + [[0.1, 0.2, 0.7]]
    refused(r"the list has 3 numbers, but the first has 2", write(columns(p=lists)))


def test_scores_in_lists_of_equal_length_are_no_stray_column(write):
    refused("the list does not sum to 1", write({"truth": WORDS, "svm": list(SCORES - 0.5)}))


P2 = np.column_stack([1 - SCORES[:, 0], SCORES[:, 0]])
SPARK = {
    "label": RNG.integers(0, 2, N).astype(float),
    "rawPrediction": list(60 * P2),
    "probability": list(P2),
}


def test_raw_scores_beside_the_probabilities_made_of_them(write):
    """Spark's rawPrediction orders the classes as its probability does; other lists may not."""
    matrix = read(write(SPARK))
    assert matrix.configurations == ("probability",)
    assert_array_equal(matrix.predictions[0, :, 0], SCORES[:, 0])
    assert any("rawPrediction" in note.text for note in matrix.notes)
    other = {**SPARK, "features": list(RNG.normal(size=(N, 2)))}
    refused("the list does not sum to 1", write(other), hint="--exclude features")
    assert read(write(other), exclude=["features"]).configurations == ("probability",)
    assert read(write(SPARK), exclude=["rawPrediction"]).configurations == ("probability",)
    longer = {**SPARK, "features": list(RNG.normal(size=(N, 7)))}
    refused("lists of|has 7 numbers", write(longer))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_table_that_spark_wrote_in_parts(tmp_path, form):
    """Its folder is one table, in the order of the parts; an empty part is none."""
    folder = tmp_path / f"predictions.{form}"
    folder.mkdir()
    whole = pa.table(columns()).to_pandas()
    for part, rows in enumerate((slice(0, 25), slice(25, 60))):
        name = folder / f"part-{part:05d}-a1b2-c000.{form}"
        whole[rows].to_parquet(name) if form == "parquet" else whole[rows].to_csv(name, index=False)
    (folder / f"part-00002-a1b2-c000.{form}").touch()
    (folder / "_SUCCESS").touch()
    assert (of_both(folder).n_samples, read(folder).keys[30]) == (N, KEYS[30])
    last = folder / f"part-00003-a1b2-c000.{form}"
    less = whole[:9].drop(columns="b")
    less.to_parquet(last) if form == "parquet" else less.to_csv(last, index=False)
    refused("has no column 'b'", folder)


def test_a_table_of_nothing_but_structs(write, place):
    refused("no column can be read: 's' holds struct", write({"s": STRANGE["struct"]}))


def test_a_column_left_aside_that_is_asked_for(write, place):
    path = write(columns(s=STRANGE["struct"]))
    refused("'s', which holds objects, lists, bytes or durations", path, roles=Roles(truth="s"))


def test_text_that_is_not_utf_8(write, place):
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"ok"]).buffers())
    path = write({"truth": [0, 1], "a": bad})
    refused(r"text is not UTF-8 \(column 'a'\)", path)


# Few rows are decoded, selected and encoded without Arrow's functions, with the same result

VALUES = [
    pa.array(["b", "a", None, "", "b", "ä"]),
    pa.array(["b", "a", None, "b"], pa.large_string())[1:],
    pa.array([3, None, 1, 3, -1], pa.int8()),
    pa.array([7, 3, None, 1, 3, -1], pa.int64())[1:],
    pa.array([2**63 + 5, 1, 2**63 + 5], pa.uint64()),
    pa.array([None, None], pa.string()),
]


@pytest.mark.parametrize("values", VALUES, ids=lambda values: str(values.type))
def test_few_values_are_encoded_as_many(values):
    """A hundred copies are the same a hundred times."""
    n, copies = len(values), 100
    places = np.array([n - 1, -1, 0, 1, 0])

    def made(values, places):
        column = read_table(pa.table({"n": values})).column("n")
        codes, distinct = column.codes()
        encoded = read_table(pa.table({"n": values.dictionary_encode()})).column("n").values
        lists = codes.tolist(), column.take(places).values.to_pylist(), encoded.to_pylist()
        return lists, distinct

    few, distinct = made(values, places)
    many, same = made(pa.concat_arrays([values] * copies), np.tile(places, copies))
    assert (many, same) == (tuple(one * copies for one in few), distinct)


def test_few_rows_leave_the_functions_of_arrow_alone(write):
    program = (
        "import sys; from bbccli.reading import read; "
        f"read({str(write(columns(fold=[0, 1] * (N // 2))))!r}); "
        "assert not {'pyarrow._compute', 'pandas'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
