"""Tables as Excel, LibreOffice and R write them say the same as the plain table, at every door."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from day import daily
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.reading import read

SHEETS = Path(__file__).parents[1] / "data" / "sheets"
TABLES = sorted(path.name for path in SHEETS.iterdir() if path.suffix in (".csv", ".tsv", ".txt"))
REFUSED = {
    "excel_formula.csv": r"a formula error \(column 'svm', row 5, value '#VALUE!'\)",
    "excel_german_formula.csv": r"a formula error \(column 'svm', row 5, value '#WERT!'\)",
    "excel_names_cp1252.csv": r"not UTF-8 \(line 1\); in Windows-1252 it reads 'Wälder'",
    "excel_values_cp1252.csv": r"not UTF-8 \(line 2\); in Windows-1252 it reads '-40\\xa0777'",
    "libreoffice_values_cp1252.csv": r"not UTF-8 \(line 2\); in Windows-1252 it reads",
}
MISSING = [name for name in TABLES if "missing" in name]
READ = [name for name in TABLES if name not in {*REFUSED, *MISSING, "plain.csv", "values.csv"}]
SOME = ["excel_german.csv", "excel_unicode_text.txt", "excel_french_percent.csv", "r_csv2.csv"]
SOME += ["libreoffice_utf16.csv", "r_table.txt", "excel_values_german.csv", "excel_sep.csv"]


def plain(name):
    return SHEETS / ("values.csv" if "values" in name else "plain.csv")


def same(found, expected):
    assert found.task is expected.task
    assert_array_equal(found.outcome.values, expected.outcome.values)
    assert_array_equal(found.outcome.weights, expected.outcome.weights)
    assert found.outcome.classes == expected.outcome.classes
    assert_array_equal(found.folds, expected.folds)
    assert found.configurations == expected.configurations
    assert_array_equal(found.predictions, expected.predictions)


def test_files_are_there():
    assert len(READ) > 35
    assert len(MISSING) > 4


@pytest.mark.parametrize("name", READ)
def test_the_same_table(name):
    same(read(SHEETS / name), read(plain(name)))


@pytest.mark.parametrize("name", MISSING)
def test_missing_predictions(name):
    found, whole = read(SHEETS / name, missing="available"), read(plain(name))
    absent = np.zeros(whole.predictions.shape, bool)
    absent[0, [3, 10, 17], 2] = True
    assert_array_equal(found.available, ~absent)
    assert_array_equal(found.predictions[~absent], whole.predictions[~absent])


@pytest.mark.parametrize(("name", "words"), REFUSED.items(), ids=REFUSED)
def test_what_has_no_certain_meaning_is_refused(name, words):
    assert refused(words, SHEETS / name).hint


@pytest.mark.parametrize("name", daily(SOME, SOME[::3]))
def test_at_other_doors(run, tmp_path, stdin, save, name):
    """Packed, on standard input, converted, and joined by the key: a sheet to a plain file, and
    back.
    """
    whole, sheet = read(plain(name)), SHEETS / name
    suffix = ".tsv" if name.endswith(".txt") and "unicode" in name else ".csv"
    packed = tmp_path / f"m{suffix}.gz"
    packed.write_bytes(gzip.compress(sheet.read_bytes()))
    same(read(packed), whole)
    stdin(sheet.read_bytes())
    same(read("-"), whole)
    run.printed("convert", sheet, "-o", tmp_path / "c.parquet")
    same(read(tmp_path / "c.parquet"), whole)
    rows = [line.split(",") for line in plain(name).read_text().splitlines()]
    bare = save("p.csv", "".join(",".join([row[0], row[2], *row[4:]]) + "\n" for row in rows))
    same(read(bare, labels=sheet, folds=sheet), whole)
    same(read(sheet, labels=plain(name), folds=plain(name)), whole)
