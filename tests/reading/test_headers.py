"""A first line of values is no header; names that are numbers are."""

import numpy as np
import pandas as pd
import pytest
from reading import refused

from bbccli.reading import Roles, read

RNG = np.random.default_rng(2)
P = RNG.random(80)
Y = RNG.integers(0, 2, 80)

WITHOUT = {
    "predictions": "".join(f"{p:.5f}\n" for p in P),
    "key and prediction": "".join(f"{i},{p:.5f}\n" for i, p in enumerate(P)),
    "text key": "".join(f"ISIC_{i:05},{p:.4f}\n" for i, p in enumerate(P)),
    "with labels": "".join(f"q{i},{'yes' if y else 'no'},{p!r}\n" for i, (y, p) in
        enumerate(zip(Y, P.tolist(), strict=True))),
    "trec_eval -q": "".join(f"map\tq{i}\t{p:.4f}\n" for i, p in enumerate(P)),
    "a row that comes again": "".join(f"{y},{round(10 * p) / 10:.4f}\n" for y, p in
        zip(Y, P, strict=True)),
    "semicolons": "".join(f"{i};{p:.3f}\n" for i, p in enumerate(P)),
}  # fmt: skip


@pytest.mark.parametrize("case", WITHOUT)
def test_a_first_line_of_values(tmp_path, case):
    path = tmp_path / "oof.csv"
    path.write_text(WITHOUT[case])
    first = WITHOUT[case].split("\n")[0].replace("\t", ", ").replace(";", ", ").replace(",", ".*")
    refused(rf"first line is not a header.*{first}", path, hint="write a header line above it")


@pytest.mark.parametrize("names", [None, ["model", "class"]])
@pytest.mark.parametrize("index", [None, "id"])
def test_a_header_of_several_lines(tmp_path, names, index):
    """A data frame whose columns have two levels; the hint makes one of them."""
    path = tmp_path / "oof.csv"
    levels = [("lr", 0), ("lr", 1), ("nb", 0), ("nb", 1), ("truth", "")]
    frame = pd.DataFrame([[p, 1 - p, 1 - p, p, y] for p, y in zip(P, Y, strict=True)])
    frame.columns = pd.MultiIndex.from_tuples(levels, names=names)
    frame.index.name = index
    frame.to_csv(path)
    error = refused("the header has several lines", path, hint="'::'.join(map(str, c))")
    exec(error.hint.partition(": ")[2], {"df": frame})
    frame.to_csv(path)
    assert read(path).configurations == ("lr", "nb")


def table(names, columns):
    rows = zip(*columns, strict=True)
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


NUMBERS = {
    "positions": ["0", "1", "2"],
    "parameters": ["0.001", "0.01", "0.1"],
    "fine parameters": ["0.0001", "0.001", "0.01"],
    "quantiles": ["0.1", "0.5", "0.9"],
    "seeds": ["42", "1337", "2024"],
}


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.parametrize("digits", [4, 6, 17])
def test_names_that_are_numbers(tmp_path, case, digits):
    """With the truth in another file no name says what it is."""
    path, labels = tmp_path / "oof.csv", tmp_path / "y.csv"
    scores = np.round(RNG.random((3, 80)), digits)
    path.write_text(table(NUMBERS[case], scores))
    labels.write_text(table(["y"], [Y]))
    assert read(path, labels=labels).configurations == tuple(NUMBERS[case])


@pytest.mark.parametrize(("decimals", "value"), [(8, True), (7, False)])
def test_a_first_value_may_end_in_zeros(tmp_path, decimals, value):
    """It has a digit or two less than most below; a parameter has far fewer."""
    path, labels = tmp_path / "oof.csv", tmp_path / "y.csv"
    names = [f"0.{'1' * decimals}", f"0.{'3' * decimals}"]
    path.write_text(
        table(names, [[f"0.{v}7" for v in range(n, n + 80)] for n in (123456789, 456789123)])
    )
    labels.write_text(table(["y"], [Y]))
    if value:
        refused("first line is not a header", path, labels=labels)
    else:
        assert read(path, labels=labels).configurations == tuple(names)


def test_a_truth_or_a_key_above_numbers_is_a_header(tmp_path):
    path = tmp_path / "oof.csv"
    path.write_text(table(["q", "y", "0.12345"], [[f"q{i}" for i in range(80)], Y, P]))
    assert read(path, roles=Roles(row_id="q")).configurations == ("0.12345",)


def test_labels_that_lack_one_row(tmp_path):
    """Whole numbers may be names: only the missing row tells."""
    path, labels = tmp_path / "oof.csv", tmp_path / "y.csv"
    path.write_text(table(["a", "b"], RNG.random((2, 80))))
    labels.write_text("".join(f"{y}\n" for y in Y))
    refused(
        "has 79 rows, but the predictions have 80", path, labels=labels, hint="have a header line;"
    )
    labels.write_text(table(["y"], [Y[:70]]))
    error = refused("has 70 rows, but", path, labels=labels, hint="give one row per sample")
    assert "have a header line;" not in error.hint


def test_columns_of_one_name_are_no_levels(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("id,y,lr,lr\n" + "".join(f"s{i},{i % 2},0.{i},0.{i + 1}\n" for i in range(9)))
    refused("two columns have the same name", path)


@pytest.mark.parametrize("blank", ["", ",,,\n"])
def test_a_title_is_no_header(tmp_path, blank):
    """A spreadsheet exports as many commas as there are columns."""
    table = "".join(f"{y},{p:.4f},{1 - p:.4f},{p / 2:.4f}\n" for y, p in zip(Y, P, strict=True))
    path = tmp_path / "oof.csv"
    path.write_text(f"Comparison of models,,,\n{blank}truth,a,b,c\n{table}")
    refused("title.*: Comparison of models", path, hint="remove what is above the header")
