"""Tables as Excel, LibreOffice and R write them say the same as the plain table, at every door."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
from looped import each
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.cli.app import main
from bbccli.readers import read

SHEETS = Path(__file__).parents[1] / "data" / "sheets"
TABLES = sorted(path.name for path in SHEETS.iterdir() if path.suffix in (".csv", ".tsv", ".txt"))
REFUSED = {
    "excel_formula.csv": r"the error of a formula \(column 'svm', row 5, value '#VALUE!'\)",
    "excel_german_formula.csv": r"the error of a formula \(column 'svm', row 5, value '#WERT!'\)",
    "excel_names_cp1252.csv": r"not UTF-8 \(line 1\); in Windows-1252 it reads 'Wälder'",
    "excel_values_cp1252.csv": r"not UTF-8 \(line 2\); in Windows-1252 it reads '-40\\xa0777'",
    "libreoffice_values_cp1252.csv": r"not UTF-8 \(line 2\); in Windows-1252 it reads",
}
MISSING = [name for name in TABLES if "missing" in name]
READ = [name for name in TABLES if name not in {*REFUSED, *MISSING, "plain.csv", "values.csv"}]
SOME = ["excel_german.csv", "excel_unicode_text.txt", "excel_french_percent.csv", "r_csv2.csv"]
COMMANDS = ("correct", "inspect", "convert", "compare")
SOME += ["libreoffice_utf16.csv", "r_table.txt", "excel_values_german.csv", "excel_sep.csv"]


def plain(name):
    return SHEETS / ("values.csv" if "values" in name else "plain.csv")


def same(found, expected, *, predictions=True):
    assert found.task is expected.task
    assert_array_equal(found.outcome.values, expected.outcome.values)
    assert_array_equal(found.outcome.weights, expected.outcome.weights)
    assert found.outcome.classes == expected.outcome.classes
    assert_array_equal(found.folds, expected.folds)
    if predictions:
        assert found.configurations == expected.configurations
        assert_array_equal(found.predictions, expected.predictions)


def test_files_are_there():
    assert len(READ) > 35
    assert len(MISSING) > 4


@each(
    {name: name for name in SOME},
    {name: name for name in READ if name not in SOME},
    name=lambda name: name,
)
def test_the_same_table(name):
    same(read(SHEETS / name), read(plain(name)))


@each(
    {name: name for name in MISSING[:2]},
    {name: name for name in MISSING[2:]},
    name=lambda name: name,
)
def test_missing_predictions(name):
    found, whole = read(SHEETS / name, missing="available"), read(plain(name))
    absent = np.zeros(whole.predictions.shape, bool)
    absent[0, [3, 10, 17], 2] = True
    assert_array_equal(found.available, ~absent)
    assert_array_equal(found.predictions[~absent], whole.predictions[~absent])


@each(REFUSED, words=lambda words: words)
def test_what_has_no_certain_meaning_is_refused(words):
    name = next(name for name, other in REFUSED.items() if other == words)
    e = refused(words, SHEETS / name)
    assert e.hint


@each(
    {name: name for name in SOME[::3]},
    {name: name for i, name in enumerate(SOME) if i % 3},
    name=lambda name: name,
)
def test_packed(tmp_path, name):
    suffix = ".tsv" if name.endswith(".txt") and "unicode" in name else ".csv"
    packed = tmp_path / f"m{suffix}.gz"
    packed.write_bytes(gzip.compress((SHEETS / name).read_bytes()))
    same(read(packed), read(plain(name)))


@each(
    {name: name for name in SOME[::3]},
    {name: name for i, name in enumerate(SOME) if i % 3},
    name=lambda name: name,
)
def test_standard_input(stdin, name):
    stdin((SHEETS / name).read_bytes())
    same(read("-"), read(plain(name)))


@each(
    {name: name for name in SOME[::3]},
    {name: name for i, name in enumerate(SOME) if i % 3},
    name=lambda name: name,
)
def test_a_labels_file_and_a_folds_file(save, name):
    """Joined by the key: those of a sheet to plain predictions, and the other way round."""
    whole, sheet = read(plain(name)), SHEETS / name
    rows = [line.split(",") for line in plain(name).read_text().splitlines()]
    bare = save("p.csv", "".join(",".join([row[0], row[2], *row[4:]]) + "\n" for row in rows))
    found = read(bare, labels=sheet, folds=sheet)
    same(found, whole)
    same(read(sheet, labels=plain(name), folds=plain(name)), whole)


def told(capsys, folder, table, command):
    """What a command says of a table in JSON, without what differs between two files."""
    name = "m" + table.suffix
    shutil.copy(table, folder / name)
    options = ("--format", "json") if command != "convert" else ()
    code = main([command, name, *options])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    shown = shown.out.replace(name, "FILE")
    return without(json.loads(shown)) if options else shown


def without(record):
    """Without the digest of the file, and what is said of row names."""
    if isinstance(record, dict):
        return {k: without(v) for k, v in record.items() if k not in ("sha256", "n_warnings")}
    if isinstance(record, list):
        return [without(one) for one in record if "number" not in str(one)]
    return record


@each(
    {f"{command} {SOME[i]}": (command, SOME[i]) for i, command in enumerate(COMMANDS)},
    {
        f"{command} {name}": (command, name)
        for i, command in enumerate(COMMANDS)
        for name in SOME
        if name != SOME[i]
    },
    case=lambda case: case,
)
def test_commands_say_the_same(capsys, tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    command, name = case
    found = told(capsys, tmp_path, SHEETS / name, command)
    assert found == told(capsys, tmp_path, plain(name), command)
