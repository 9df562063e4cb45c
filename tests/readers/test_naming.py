"""What files are called that are read together."""

from pathlib import Path

import pytest

from bbccli.errors import InputError
from bbccli.readers import read
from bbccli.readers.layout.stack import names_of

DATA = Path(__file__).parents[1] / "data" / "mljar"
MODELS = ("18_NearestNeighbors", "2_DecisionTree", "5_Linear")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/knn.csv", "other/svm.csv.gz"], ["knn", "svm"]),
        (["runs/a/oof.csv", "runs/b/oof.csv"], ["a", "b"]),
        (["runs/a/x/oof.csv", "runs/b/y/oof.csv"], ["a/x", "b/y"]),
        (["runs/a/1/oof.csv", "runs/b/1/oof.csv"], ["a", "b"]),
        (["runs/oof.csv", "runs/a/oof.csv"], ["oof", "a/oof"]),
        (["a/oof.csv", "b/oof.csv", "b/late.csv"], ["a/oof", "b/oof", "b/late"]),
        (["runs/a.csv", "runs/a.parquet"], ["a.csv", "a.parquet"]),
        (["./a/oof.csv", "b/../b/oof.csv"], ["a", "b"]),
        (["s3://bucket/a/oof.csv", "s3://bucket/b/oof.csv"], ["a", "b"]),
        (["one/oof.csv"], ["oof"]),
        (["<stdin>", "runs/a.csv"], ["stdin", "a"]),
    ],
)
def test_names(paths, names):
    assert names_of(paths) == names


def test_a_file_given_twice(tmp_path):
    path = tmp_path / "a.csv"
    with pytest.raises(InputError, match=r"a\.csv: file is given twice"):
        names_of([str(path), f"{tmp_path}/./a.csv"])


def test_files_of_one_name_are_configurations_of_their_own():
    matrix = read(str(DATA / "*" / "predictions_out_of_folds.csv"))
    assert matrix.configurations == MODELS
    assert matrix.predictions.shape == (1, 60, 3)


def test_only_a_column_of_configurations_lets_files_be_appended(save):
    header = "config,row_id,truth,score\n"
    rows = [
        f"{c},{i},{i % 2},{(i * 7 + len(c)) % 10 / 10}\n" for c in ("a", "bb") for i in range(12)
    ]
    whole = read(save("whole.csv", header + "".join(rows)))
    first = save("first.csv", header + "".join(rows[::2]))
    second = save("second.csv", header + "".join(rows[1::2]))
    parts = read([first, second])
    assert parts.configurations == whole.configurations == ("a", "bb")
    assert parts.n_samples == whole.n_samples == 12


def test_names_within_files_of_one_name(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        rows = "".join(f"{m},{i},{i % 2},{i * 3 % 10 / 10}\n" for m in "ab" for i in range(12))
        (tmp_path / folder / "p.csv").write_text("model,row_id,truth,score\n" + rows)
    matrix = read(str(tmp_path / "*" / "p.csv"))
    assert matrix.configurations == ("x a", "x b", "y a", "y b")
