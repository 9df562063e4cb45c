"""What spreadsheets write: read where it has one meaning, else refused by what it looks like."""

import numpy as np
import pytest
from day import daily
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.errors import BbcError
from bbccli.reading import read
from bbccli.types import Task

N = 40
RNG = np.random.default_rng(5)
TRUTH = np.arange(N) % 2
P = np.round(np.clip(0.3 + 0.4 * TRUTH[:, None] + RNG.normal(0, 0.2, (N, 2)), 0.01, 0.99), 4)
VALUES = np.round(RNG.lognormal(8, 1, N) + 1000, 2)
FITTED = np.round(VALUES[:, None] * RNG.lognormal(0, 0.1, (N, 2)), 2)
NAMES = ("row_id", "truth", "fold", "knn", "svm")


def rows_of(number, truth=None):
    """Cells of a table of probabilities; of values, where a truth is written."""
    values = P if truth is None else FITTED
    for i in range(N):
        said = "ny"[TRUTH[i]] if truth is None else truth(VALUES[i])
        yield [f"s{i}", said, str(i % 5), number(values[i, 0]), number(values[i, 1])]


def sheet(number=str, delimiter=",", truth=None, names=NAMES):
    lines = [names, *rows_of(number, truth)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def quoted(number):
    return lambda value: f'"{number(value)}"'


def comma(value):
    return f"{value:.4f}".replace(".", ",")


def twelve(header, row):
    return header + "\n" + "".join(row(i) + "\n" for i in range(12))


def with_cell(text, row, position, cell):
    lines = text.splitlines(keepends=True)
    cells = lines[row + 1].rstrip("\n").split(",")
    cells[position] = cell
    lines[row + 1] = ",".join(cells) + "\n"
    return "".join(lines)


PLAIN = sheet()
PROBABILITIES = {
    "decimal commas and tabs": sheet(comma, "\t"),
    "percent signs of three digits": sheet(lambda v: f"{100 * v:.3f}%"),
    "apostrophes": sheet(lambda v: f"'{v}"),
    "powers of ten": sheet(lambda v: f"{v:.3E}".replace(".", ","), ";"),
    "no digit before the comma": sheet(lambda v: comma(v).lstrip("0"), ";"),
    "row names behind a key of text": "".join(
        f"{i}," * bool(i) + line + "\n" for i, line in enumerate(sheet().splitlines())
    ),
    "numbers in quotes": sheet(quoted(str)),
    "sep=, after a mark": "\ufeffsep=,\r\n" + PLAIN.replace("\n", "\r\n"),
    "a blank after sep=;": "sep=; \n" + sheet(comma, ";"),
    "sep in quotes": '"sep=,"\r\n' + PLAIN,
    "sep=|": "sep=|\n" + sheet(delimiter="|"),
    "carriage returns": PLAIN.replace("\n", "\r"),
    "blank columns of the header": PLAIN.replace("svm\n", "svm,,\n"),
    "blank columns of the rows": PLAIN.replace("\n", ",,\n").replace("svm,,", "svm"),
    "blank lines": PLAIN + "\n\n \n",
    "delimiters in the header": sheet(comma, ";", names=(*NAMES[:3], '"knn"', '"svm"')),
    "blanks": sheet(delimiter=" "),
}


@pytest.mark.parametrize("text", PROBABILITIES.values(), ids=PROBABILITIES)
def test_the_same_probabilities(save, text):
    matrix = read(save("m.csv", text))
    assert matrix.configurations == ("knn", "svm")
    assert matrix.outcome.classes == ("n", "y")
    assert_array_equal(matrix.predictions[0], P)
    assert_array_equal(matrix.folds[0], np.arange(N) % 5)


THOUSANDS = {
    "blanks": (lambda v: f"{v:,.2f}".replace(",", " "), ","),
    "minus signs": (lambda v: f"\u2212{v:.2f}".replace(".", ","), ";"),
}


@pytest.mark.parametrize("case", THOUSANDS.values(), ids=THOUSANDS)
def test_the_same_values(save, case):
    number, delimiter = case
    matrix = read(save("m.csv", sheet(number, delimiter, truth=number)))
    sign = -1 if "\u2212" in number(1.0) else 1
    assert matrix.task is Task.REGRESSION
    assert_array_equal(matrix.predictions[0], sign * FITTED)
    assert_array_equal(matrix.outcome.values, sign * VALUES)


def whole(mark):
    return lambda value: f"{value:,.0f}".replace(",", mark)


def thousandths(value):
    return quoted(lambda v: f"{1 + v:.3f}".replace(".", ","))(value)


THOUSANDTHS, COMMAS = sheet(thousandths), sheet(comma, ";")
FIVES = lambda v: f"{v / 500:.0f}.000"  # noqa: E731
WEIGHTED = sheet(names=("row_id", "truth", "weight", "knn", "svm"))
KEPT_PERCENT = sheet(lambda v: f"{100 * v:.2f}%")
MAY_BE = "may have a decimal mark or thousands separators: "
IS = f"{MAY_BE}1[,.]234 is 1234 or 1.234 "
TWO_READINGS = {
    "three decimals, and labels of classes": (THOUSANDTHS,
        rf"prediction {MAY_BE}1,.* \(column 'knn', row 0"),
    "three decimals, and 0 and 1": (THOUSANDTHS.replace(",y,", ",1,").replace(",n,", ",0,"),
        rf"prediction {MAY_BE}1,.* \(column 'knn', row 0"),
    "three decimals in one cell": (with_cell(sheet(quoted(str)), 3, 4, '"1,234"'),
        rf"{IS}\(column 'svm', row 3, value"),
    "a point in one cell beside decimal commas": (COMMAS.replace(comma(P[3, 0]), "1.234"),
        rf"{IS}\(column 'knn', row 3, value"),
    "thousands of points alone": (sheet(FIVES, ";", truth=FIVES),
        rf"truth {MAY_BE}.* \(column 'truth', row 0, value '\d+.000'\)"),
    "groups in weights": (WEIGHTED.replace(",0,", ',"1,000",'), f"weight {MAY_BE}"),
    "negative numbers of accounts": (sheet(lambda v: f"({v})", truth=lambda v: f"({v})"),
        r"truth has parentheses or a trailing minus sign, like negative numbers in accounting"),
    "a minus sign behind": (with_cell(PLAIN, 5, 4, "0.25-"),
        r"prediction has parentheses or a trailing minus sign, .* \(column 'svm', row 5, value"),
    "a currency in one cell": (with_cell(PLAIN, 5, 4, "0.25 EUR"),
        r"prediction has a currency \(column 'svm', row 5, value '0.25 EUR'"),
    "text among decimal commas": (COMMAS.replace(comma(P[6, 1]), "k.A."),
        r"prediction is text \(column 'svm', row 6, value 'k.A.'"),
    "text beside two decimal marks": (
        with_cell(with_cell(sheet(quoted(str)), 2, 3, '"0,2"'), 5, 3, "x"),
        r"prediction is text \(column 'knn', row 2, value '0,2'\)"),
    "a byte-order mark of a second file": (
        "\ufeff" + PLAIN + "\ufeff" + PLAIN.split("\n", 1)[1].replace("s", "t"),
        r"a byte-order mark \(U\+FEFF\) within the text, in line 42"),
    "two byte-order marks": ("\ufeff\ufeff" + PLAIN, r"within the text, in line 1\n"),
    "row names, or another name that lacks": (
        twelve("row_id,truth,knn", lambda i: f"{i},{i + 7},0.{i},0.{i}"),
        "line 2 has 4 values, but the header has 3"),
    "row names, or a group": (
        twelve("row_id,group,truth,knn", lambda i: f"{i},g{i},s{i},n,0.{i}"),
        "line 2 has 5 values, but the header has 4"),
    "groups of three behind commas": (sheet(quoted(whole(",")), truth=quoted(whole(","))),
        rf"truth {MAY_BE}.* \(column 'truth', row 0"),
    "groups of three behind points": (sheet(whole("."), ";", truth=whole(".")), f"truth {MAY_BE}"),
    "three decimals beside semicolons": (sheet(lambda v: f"{1 + v:.3f}", ";"),
        rf"prediction {MAY_BE}.* \(column 'knn', row 0"),
    "a percent sign in one cell": (with_cell(PLAIN, 4, 3, "97%"),
        r"prediction has a percent sign, unlike .* \(column 'knn', row 4, value '97%'\)"),
    "no percent sign in one cell": (with_cell(KEPT_PERCENT, 6, 3, "0.5"),
        r"prediction has no percent sign, unlike .* \(column 'knn', row 6, value '0.5'\)"),
    "a truth of percentages alone": (sheet(truth=lambda v: f"{v:.1f}%"),
        r"truth has percent signs \(column 'truth', row 0"),
    "another decimal mark in one cell": (with_cell(sheet(quoted(str)), 3, 3, '"0,37"'),
        r"different decimal mark from others in its column \(column 'knn', row 3, value '0,37'\)"),
    "a dash": (with_cell(PLAIN, 2, 4, "-"),
        r"may mean missing or 0 \(column 'svm', row 2, value '-'"),
    "a formula": (with_cell(PLAIN, 2, 4, "#REF!"),
        r"prediction is a formula error \(column 'svm', row 2, value '#REF!'\)"),
    "a currency": (sheet(lambda v: f"{v} €", ";", truth=lambda v: f"{v} €"),
        "truth has a currency"),
    "case": (with_cell(PLAIN, 7, 1, "Y"), r"classes 'y' \(19 rows\) and 'Y' \(1 row\) differ only "
        r"in case or blanks \(column 'truth', row 7, value 'Y'"),
    "a blank": (with_cell(PLAIN, 8, 1, "n "), r"classes 'n' \(19 rows\) and 'n ' \(1 row\)"),
    "n/a as a label": (with_cell(PLAIN, 8, 1, "n/a"),
        r"truth may be missing, or a class of this name \(column 'truth', row 8"),
    "#N/A as a label": (with_cell(PLAIN, 8, 1, "#N/A"),
        r"truth is missing \(column 'truth', row 8"),
    "sep of another delimiter": ("sep=;\n" + PLAIN, "the first line says sep=;, but the header"),
    "commas that are not quoted": (sheet(comma), "line 2 has 7 values, but the header has 5"),
    "a row that is short, under sep": ("sep=,\n" + PLAIN + "s40,y,0\n",
        "line 43 has 3 values, but the header has 5"),
}  # fmt: skip


NAMED = {
    "weights": (twelve("weight,truth,knn,svm", lambda i: f'"1,{100 + i}",{i % 2},0.5,1'),
        "weight may have a decimal mark or thousands", "decimal point"),
    "times": (twelve("time,event,knn,svm", lambda i: f'"1,{100 + i}",{i % 2},0.5,0.7'),
        "time may have a decimal mark or thousands", "decimal point"),
    "a number in text": (sheet(lambda v: f"{1000 * v:.0f}\u2030"), "not one of the classes",
        "decimal point"),
    "points beside a column of decimal commas": (
        twelve("truth\tknn\tsvm", lambda i: f"{i % 2}\t{i},5\t1.{234 + i}"),
        rf"{IS}\(column 'svm', row 0", ""),
    "beside the numbers of classes": (
        twelve("truth,knn", lambda i: f'{i % 2},"{("0", "1", "1,234")[i % 3]}"'), IS, ""),
    "points in UTF-16": (twelve("truth\tknn", lambda i: f"{i % 2}\t1.{234 + i}").encode("utf-16"),
        IS, ""),
    "a name that lacks behind a key is no name of rows": (
        twelve("row_id,truth,knn", lambda i: f"s{i},{'ny'[i % 2]},0.{i},0.{i + 1}"),
        "line 2 has 4 values, but the header has 3", "row.names = FALSE"),
    "a file of Windows": (sheet(names=(*NAMES[:3], "knn größe", "svm")).encode("cp1252"),
        r"not UTF-8 \(line 1\); in Windows-1252 .* 'knn größe'", "if that reads right: iconv"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [*((*case, "") for case in TWO_READINGS.values()), *NAMED.values()],
    ids=[*TWO_READINGS, *NAMED],
)
def test_two_readings_are_an_error(save, text, words, hint):
    refused(words, save("m.csv", text), hint=hint)


def test_labels_like_thousands_are_not_called_numbers(save):
    text = twelve("truth,knn", lambda i: f'"{1 + i % 2},500","{1 + i % 3},500"')
    matrix = read(save("m.csv", text))
    assert matrix.outcome.classes == ("1,500", "2,500", "3,500")
    assert "unknown-labels" in [note.code for note in matrix.notes]


NO_VALUES = ["#N/A", "None", "."]
MORE_OF_THEM = ["#NV", "#N/D", "#DIV/0!", "NA", "n/a", "NULL", "missing", "<NA>", ""]


@pytest.mark.parametrize("cell", daily(NO_VALUES + MORE_OF_THEM, NO_VALUES))
def test_no_value_among_numbers(save, cell):
    matrix = read(save("m.csv", with_cell(PLAIN, 4, 3, cell)))
    assert next(note.code for note in matrix.notes) == "configurations-dropped"
    assert_array_equal(matrix.predictions[0, :, 0], P[:, 1])


def test_no_value_among_decimal_commas(save):
    cells = {4: "n/a", 5: "1E-05", 6: "1", 7: "0"}
    text = COMMAS
    for row, cell in cells.items():
        text = text.replace(comma(P[row, 0]), cell)
    matrix = read(save("m.csv", text), missing="available")
    assert_array_equal(matrix.available[0, :, 0], np.arange(N) != 4)
    assert matrix.predictions[0, 5:8, 0].tolist() == [1e-5, 1, 0]


def test_what_stays_as_it_is_written(save):
    marked = read(save("m.csv", PLAIN.replace("s3,", "s\ufeff3,")))
    assert_array_equal(marked.predictions[0], P)
    text = COMMAS.replace(";y;", ";1.0;").replace(";n;", ";0.0;")
    assert read(save("m.csv", text)).outcome.classes == ("0", "1")
    said = {"spec": "bbc-predictions", "version": "1", "classes": ["a", "A"]}
    text = PLAIN.replace(",n,", ",a,").replace(",y,", ",A,")
    assert read(save("m.csv", text, said)).outcome.classes == ("A", "a")


LABELS = {
    "percentages": [f"{10 * (i % 3)}%" for i in range(N)],
    "groups of three": [f'"{1 + i % 3},500"' for i in range(N)],
    "decimal commas": [f'"{i % 3},5"' for i in range(N)],
    "dates": [f"0{1 + i % 3}.02.2024" for i in range(N)],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_stay_labels(save, labels):
    lines = [f"{labels[i]},{i % 5},{labels[i - i % 2]}" for i in range(N)]
    matrix = read(save("m.csv", "truth,fold,knn\n" + "\n".join(lines) + "\n"))
    assert matrix.outcome.classes == tuple(sorted({label.strip('"') for label in labels}))


def test_names_of_configurations_stay_names(save):
    lines = [f"{c};{i};{'ny'[i % 2]};0,{3 + i}" for c in ("0,1", "0,5") for i in range(6)]
    matrix = read(save("m.csv", "config;row_id;truth;score\n" + "\n".join(lines) + "\n"))
    assert matrix.configurations == ("0,1", "0,5")


def test_a_blank_row_of_predictions_alone_is_a_sample(save):
    labels = save("labels.csv", "truth\n" + "n\ny\n" * 6)
    rows = "".join(f"{v},{v}\n" for v in np.linspace(0.1, 0.9, 11))
    matrix = read(save("p.csv", "knn,svm\n" + rows + ",\n"), labels=labels)
    assert matrix.n_samples == 11


def test_ordinary_decimals_with_points_are_left_alone(save):
    for delimiter in ",\t":
        text = sheet(lambda v: f"{1 + v:.3f}", delimiter)
        written = [[float(f"{1 + v:.3f}") for v in row] for row in P]
        assert_array_equal(read(save("m.csv", text)).predictions[0], written)


def test_a_separator_that_is_certain_makes_the_others_so(save):
    """A cell with both marks, or two separators, tells what the separators of the others are."""
    for certain, cells in {"1,234.5": ("950", "2,500"), "1,234,567": ("950.5", "2,500")}.items():
        shown = ("0.25", *cells, certain)
        lines = [f'"{shown[i % 4]}",{i}.5' for i in range(12)]
        matrix = read(save("m.csv", "knn,truth\n" + "\n".join(lines) + "\n"))
        expected = [float(cell.replace(",", "")) for cell in shown]
        assert_array_equal(matrix.predictions[0, :4, 0], expected)


@pytest.mark.parametrize("total", [np.mean, np.sum])
@pytest.mark.parametrize("digits", [4, 12])
def test_a_last_row_of_totals_without_a_word(save, total, digits):
    """It made a regression of two classes, with an RMSE at exit 0."""
    rng = np.random.default_rng(3)
    columns = {"y": rng.integers(0, 2, 60), "a": rng.random(60), "b": rng.random(60)}
    last = {name: np.append(one, round(float(total(one)), digits)) for name, one in columns.items()}
    assert refused("the last row holds the means or sums", save("m.csv", last)).row == 60
    of_one = {"id": [*map(str, range(60)), "Total"], "y": [*columns["y"], columns["y"].sum()]}
    of_one |= {name: [*columns[name], ""] for name in "ab"}
    assert refused("the last row holds the means", save("o.csv", of_one), kind=BbcError).hint
    beside = {"case": [*(f"c{i}" for i in range(60)), "Total"]} | of_one
    del beside["id"]
    assert refused("the last row holds the means or sums", save("c.csv", beside)).row == 60
    one = of_one | {"y": [*np.eye(60, dtype=int)[7], 1]}  # a last case without predictions
    del one["id"]
    assert read(save("r.csv", one)).n_samples == 60
    fold = {"fold": [*(np.arange(60) % 5).tolist(), ""]}
    assert refused("the last row holds the means", save("p.csv", last | fold)).row == 60
    other = last | {"b": np.append(columns["b"], 0.9)}
    other["y"][60] = 1
    assert read(save("n.csv", other)).n_samples == 61
    labels = {name: (one > 0.5) * 1 for name, one in columns.items()}
    ends = {name: np.append(one, 1) for name, one in labels.items()}
    assert read(save("o.csv", ends)).n_samples == 61


UNITS = {"units": ["", "USD", "USD", "USD"], "a second header": ["id", "y", "knn", "svm"]}


@pytest.mark.parametrize("line", UNITS.values(), ids=UNITS)
def test_a_row_of_units(save, line):
    rows = [line, *([f"s{i}", VALUES[i], *FITTED[i]] for i in range(N))]
    text = "\n".join(",".join(map(str, row)) for row in [["key", "truth", "knn", "svm"], *rows])
    found = refused("the first row holds units, or another line of the header", save("m.csv", text))
    assert found.row == 0 and "truth, knn, svm" in str(found)
    orange = "\n".join([text.split("\n")[0], "string,c,c,c", "meta,class,,", *text.split("\n")[2:]])
    found = refused("the first rows hold units, or", save("t.csv", orange), hint="these two rows")
    assert found.row == 0
    # labels whose first is none of numbers, and one column alone, are other things
    labels = {"truth": ["a", *"bab" * 13], "knn": ["b", *"bab" * 13]}
    assert read(save("l.csv", labels)).n_configurations == 1
    alone = {"truth": VALUES, "knn": ["USD", *FITTED[1:, 0]], "svm": FITTED[:, 1]}
    refused("prediction is text", save("a.csv", alone))
    words = [["USD", *values[1:20], "none?", *values[21:]] for values in FITTED.T.tolist()]
    several = {"truth": TRUTH, "knn": words[0], "svm": words[1]}
    refused("prediction is text", save("b.csv", several))


def test_an_empty_column_that_pandas_named_is_no_configuration_tried(save):
    columns = {"truth": TRUTH, "knn": P[:, 0], "svm": P[:, 1], "Unnamed: 3": [""] * N}
    matrix = read(save("m.csv", columns))
    assert matrix.configurations == ("knn", "svm")
    assert not [note for note in matrix.notes if "Unnamed" in note.text]
