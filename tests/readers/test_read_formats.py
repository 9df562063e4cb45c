"""The same table in every format gives the same matrix."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from reading import assert_same

from bbccli.core import reading
from bbccli.core.reading import Reading
from bbccli.readers import read
from bbccli.types import PredictionKind, Task

NAMES = ["m.parquet", "m.csv", "m.tsv", "m.csv.gz", "m.tsv.gz", "m.csv.zst", "m.tsv.zst", "M.CSV"]


def test_matrix_holds_what_was_written(save, columns):
    matrix = read(save("m.parquet", columns))
    assert matrix.task is Task.BINARY
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.outcome.classes == ("no", "yes")
    assert matrix.configurations == ("svm C=0", "svm C=1", "svm C=2", "svm C=3")
    assert matrix.predictions.shape == (1, 12, 4)
    assert matrix.predictions.flags.c_contiguous
    assert_array_equal(matrix.predictions[0, :, 2], columns["svm C=2"])
    assert_array_equal(matrix.outcome.values, np.arange(12) % 2)
    assert_array_equal(matrix.folds, [np.arange(12) % 3])
    assert matrix.fold_names == ("0", "1", "2")
    assert matrix.notes == ()


@pytest.mark.parametrize("name", NAMES)
def test_formats_agree(save, columns, name):
    expected = read(save("expected.parquet", columns))
    path = save(name, columns)
    found = read(path)
    assert_same(found, expected)
    assert found.source.path == str(path)
    assert found.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", NAMES[:-1])
def test_stdin_is_told_by_content(save, columns, encoded, stdin, name):
    expected = read(save("expected.parquet", columns))
    stdin(encoded(name, columns))
    found = read("-")
    assert_same(found, expected)
    assert found.source.path == "<stdin>"


def test_no_suffix_is_told_by_content(save, columns):
    expected = read(save("expected.parquet", columns))
    assert_same(read(save("pipe", save("m.csv", columns).read_bytes())), expected)


@pytest.mark.parametrize("spelling", ["\r\n", "\n"])
def test_semicolons_bom_and_line_ends(save, spelling):
    lines = ["truth;a;b c", "0;0.25;0.5", "1;0.75;0.5", ""]
    matrix = read(save("m.csv", b"\xef\xbb\xbf" + spelling.join(lines).encode()))
    assert matrix.configurations == ("a", "b c")
    assert_array_equal(matrix.predictions[0], [[0.25, 0.5], [0.75, 0.5]])


def test_quoted_names_and_line_breaks(save):
    path = save("m.csv", 'truth,"svm, C=1","say ""x"""\n"a\nb",0.1,0.2\nc,0.8,0.9\n')
    with reading.use(Reading(quoted_newlines=True)):
        matrix = read(path)
    assert matrix.configurations == ("svm, C=1", 'say "x"')
    assert matrix.outcome.classes == ("a\nb", "c")


def test_types_are_told_from_the_whole_file(save):
    rows = ["truth,a", *("0,0" for _ in range(300_000)), "1,0", "1,0.5"]
    matrix = read(save("m.csv", "\n".join(rows)))
    assert matrix.kind is PredictionKind.PROBABILITY
    assert matrix.predictions[0, -1, 0] == 0.5


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["float32", "float32"], "float32"),
        (["float32", "float64"], "float64"),
        (["int8", "int64"], "float64"),
        (["float32", "int32"], "float64"),
    ],
)
def test_single_precision_stays_where_all_columns_have_it(save, types, expected):
    columns = {f"c{i}": np.array([0, 1, 3], dtype=kind) for i, kind in enumerate(types)}
    matrix = read(save("m.parquet", {"truth": [0, 1, 1], **columns}))
    assert matrix.predictions.dtype == expected


def test_pandas_categories_and_views_are_plain_text(save):
    import pyarrow as pa

    truth = pa.array(["b", "a", "b"]).dictionary_encode()
    fold = pa.array(["x", "y", "x"], type=pa.large_string())
    matrix = read(save("m.parquet", {"truth": truth, "fold": fold, "a": [0.1, 0.2, 0.3]}))
    assert matrix.outcome.classes == ("a", "b")
    assert matrix.fold_names == ("x", "y")


def test_many_blocks_of_columns_in_another_row_order(save):
    values = np.random.default_rng(1).random((30, 150))
    columns = {f"c{i}": values[:, i] for i in range(150)}
    rows = {"row_id": [*range(30), *reversed(range(30))], "repeat": [0] * 30 + [1] * 30}
    twice = {k: np.concatenate([v, v[::-1]]) for k, v in columns.items()}
    truth = np.arange(30) % 2
    matrix = read(save("m.parquet", {**rows, "truth": [*truth, *truth[::-1]], **twice}))
    assert_array_equal(matrix.predictions, [values, values])


@pytest.mark.sweep
def test_importing_and_reading_leave_pandas_alone(save, columns):
    path = save("m.csv", columns)
    program = (
        "import sys; from bbccli.readers import read; assert 'pyarrow' not in sys.modules; "
        f"read({str(path)!r}); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
