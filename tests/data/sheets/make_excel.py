"""Makes the plain tables, and the same ones as Excel saves them: `python make_excel.py FOLDER`.

`plain.csv` holds probabilities, `values.csv` values of a regression; all other files here say the
same. Excel was not to be had: these are the bytes that its "CSV", "CSV UTF-8" and "Unicode Text"
write, which is what cells show, in the list separator and the code page of Windows' language,
with quotes around a cell that holds the separator (in tabbed text also one that holds a comma).
"""

import random
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

Row = Sequence[str]
Shown = Callable[[str], str]
NAMES = ("row_id", "fold", "weight", "truth", "knn", "forest", "svm")
N, N_FOLDS = 24, 4
FOLDER = Path(sys.argv[1])


def probabilities() -> list[Row]:
    """Of 2, 3 and 4 decimals, so that percentages have 0, 1 and 2."""
    draw, rows = random.Random(1), []
    for i in range(N):
        signal = 0.3 + 0.4 * (i % 2)
        p = [min(max(signal + draw.gauss(0, 0.25), 0), 1) for _ in range(3)]
        cells = [str(round(value, digits)) for digits, value in enumerate(p, start=2)]
        rows.append([f"s{i:02}", fold(i), weight(i), ["no", "yes"][i % 2], *cells])
    return rows


def values() -> list[Row]:
    """Of either sign, up to tens of thousands, with cents."""
    draw, rows = random.Random(2), []
    for i in range(N):
        truth = draw.lognormvariate(8, 1.2) * (-1 if i % 7 == 0 else 1)
        fitted = (truth * draw.lognormvariate(0, 0.2) for _ in range(3))
        rows.append([f"s{i:02}", fold(i), weight(i), f"{truth:.2f}", *(f"{v:.2f}" for v in fitted)])
    return rows


def fold(i: int) -> str:
    return str(i // 2 % N_FOLDS)


def weight(i: int) -> str:
    return str(0.5 + i % 5 / 4)


def comma(number: str) -> str:
    return number.replace(".", ",")


def grouped(separator: str, mark: str) -> Shown:
    """Show two decimals, a separator between thousands, and this decimal mark."""
    marks = {",": separator, ".": mark}
    return lambda number: "".join(marks.get(c, c) for c in f"{Decimal(number):,.2f}")


def percent(ending: str, mark: str = ".") -> Shown:
    def shown(number: str) -> str:
        value = Decimal(number) * 100
        bare = max(-int(Decimal(number).as_tuple().exponent) - 2, 0)  # type: ignore[arg-type]
        return f"{value:.{bare}f}{ending}".replace(".", mark)

    return shown


def text(
    rows: Sequence[Row], shown: Shown, delimiter: str, names: Row = NAMES, first: int = 4
) -> str:
    """Lines of cells, shown so from column `first` on; of weights a comma wherever others have."""
    decimal = comma if "," in shown("0.12345") else str
    lines = [names]
    for row in rows:
        cells = [*row[:2], decimal(row[2]), *row[3:first], *(shown(cell) for cell in row[first:])]
        bounds = (delimiter, ",") if delimiter == "\t" else (delimiter,)
        lines.append([f'"{cell}"' if any(b in cell for b in bounds) else cell for cell in cells])
    return "".join(delimiter.join(line) + "\r\n" for line in lines)


def save(name: str, content: str, code: str = "utf-8") -> None:
    marks = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    (FOLDER / name).write_bytes(marks.get(code, b"") + content.encode(code))


def blank_ends(content: str) -> str:
    """Two columns and three rows more, which were formatted once and are empty."""
    lines = [f"{line};;" for line in content.splitlines()]
    return "".join(f"{line}\r\n" for line in [*lines, *[lines[0].count(";") * ";"] * 3])


def with_cells(rows: Sequence[Row], column: int, cells: dict[int, str]) -> list[Row]:
    """Other cells in some rows of one column."""
    return [
        [*row[:column], cells.get(i, row[column]), *row[column + 1 :]] for i, row in enumerate(rows)
    ]


p, v = probabilities(), values()
for name, rows in {"plain": p, "values": v}.items():
    save(f"{name}.csv", text(rows, str, ",").replace("\r\n", "\n"))

german, apart = text(p, comma, ";"), text(p, comma, "\t")
save("excel_german.csv", german)
save("excel_german_utf8.csv", german, "utf-8-sig")
save("excel_english_utf8.csv", text(p, str, ","), "utf-8-sig")
save("excel_sep.csv", "sep=;\r\n" + german)
save("excel_unicode_text.txt", apart, "utf-16-le")
save("excel_unicode_text_english.txt", text(p, str, "\t"), "utf-16-le")
save("utf16_big_endian.csv", apart, "utf-16-be")
save("excel_percent.csv", text(p, percent("%"), ","))
save("excel_german_percent.csv", text(p, percent(" %", ","), ";"))
save("excel_french_percent.csv", text(p, percent("\u202f%", ","), ";"), "utf-8-sig")
save("excel_blank_ends.csv", blank_ends(german))

save("excel_values_german.csv", text(v, grouped(".", ","), ";", first=3))
save("excel_values_english.csv", text(v, grouped(",", "."), ",", first=3))
save("excel_values_french.csv", text(v, grouped("\u202f", ","), ";", first=3), "utf-8-sig")
save("excel_values_french_nbsp.csv", text(v, grouped("\xa0", ","), ";", first=3), "utf-8-sig")
save("excel_values_swiss.csv", text(v, grouped("'", "."), ";", first=3))
save("excel_values_swiss_utf8.csv", text(v, grouped("\u2019", "."), ";", first=3), "utf-8-sig")
save("excel_values_unicode_text.txt", text(v, grouped(".", ","), "\t", first=3), "utf-16-le")
save("excel_values_cp1252.csv", text(v, grouped("\xa0", ","), ";", first=3), "cp1252")
names = (*NAMES[:5], "Wälder", "svm")
save("excel_names_cp1252.csv", text(p, comma, ";", names), "cp1252")

missing = {3: "#N/A", 10: "#DIV/0!", 17: ""}
save("excel_missing.csv", text(with_cells(p, 6, missing), str, ","))
save("excel_german_missing.csv", text(with_cells(p, 6, {**missing, 3: "#NV"}), comma, ";"))
save("excel_formula.csv", text(with_cells(p, 6, {5: "#VALUE!"}), str, ","))
save("excel_german_formula.csv", text(with_cells(p, 6, {5: "#WERT!"}), comma, ";"))
