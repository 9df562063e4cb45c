"""Made with LibreOffice 7.4.7, of what make_excel.py wrote: `python make_libreoffice.py FOLDER`.

Of every table a spreadsheet whose cells are numbers in a format of some language, saved as text:
as the cells show, or, where the name says so, the numbers themselves.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(sys.argv[1])
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for name, long in [(one, one) for one in ("office", "table", "text", "style")]
    + [("number", "datastyle")]
)
UTF_8, UTF_16, WINDOWS = 76, 65535, 1
ENGLISH, GERMAN, FRENCH, SWISS = "1033 en US", "1031 de DE", "1036 fr FR", "2055 de CH"


def sheet(rows: list[list[str]], language: str, *, percent: bool, digits: int) -> str:
    """A flat OpenDocument spreadsheet."""
    _, tongue, country = language.split()
    kind = "percentage" if percent else "number"
    lines = ("".join(cell(*at) for at in enumerate(row)) for row in rows)
    body = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    if percent:
        body = body.replace('type="float"', 'type="percentage"')
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {SPACES} office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>
<number:{kind}-style style:name="shown" number:language="{tongue}" number:country="{country}">
<number:number number:decimal-places="{digits}" number:min-integer-digits="1"
 number:min-decimal-places="{digits}" number:grouping="{str(not percent).lower()}"/>
{"<number:text>%</number:text>" if percent else ""}</number:{kind}-style>
<style:style style:name="cells" style:family="table-cell" style:data-style-name="shown"/>
</office:automatic-styles><office:body><office:spreadsheet>
<table:table table:name="p">{body}</table:table>
</office:spreadsheet></office:body></office:document>"""


def cell(position: int, content: str) -> str:
    try:
        value = float(content)
    except ValueError:
        said = f"<text:p>{escape(content)}</text:p>"
        return f'<table:table-cell office:value-type="string">{said}</table:table-cell>'
    shown = ' table:style-name="cells"' if position > 1 else ""  # behind the fold
    return f'<table:table-cell office:value-type="float" office:value="{value!r}"{shown}/>'


def save(
    name: str,
    table: str,
    language: str,
    *,
    delimiter: str = ",",
    code: int = UTF_8,
    percent: bool = False,
    quoted: bool = False,
    shown: bool = True,
) -> None:
    """Let LibreOffice save a table."""
    with (FOLDER / table).open() as file:
        rows = list(csv.reader(file))
    digits = 2 if percent or table == "values.csv" else 4
    with tempfile.TemporaryDirectory() as made:
        stem = Path(made) / Path(name).stem
        stem.with_suffix(".fods").write_text(
            sheet(rows, language, percent=percent, digits=digits), encoding="utf-8"
        )
        options = (ord(delimiter), 34, code, 1, "", language.split(maxsplit=1)[0])
        flags = (str(quoted).lower(), str(shown).lower())
        form = ",".join(map(str, (*options, *flags)))
        command = ["soffice", f"-env:UserInstallation=file://{made}/profile", "--headless"]
        command += ["--convert-to", f"csv:Text - txt - csv (StarCalc):{form}", "--outdir", made]
        subprocess.run([*command, str(stem.with_suffix(".fods"))], check=True)
        (FOLDER / name).write_bytes(stem.with_suffix(".csv").read_bytes())


save("libreoffice_german.csv", "plain.csv", GERMAN, delimiter=";")
save("libreoffice_german_commas.csv", "plain.csv", GERMAN)
save("libreoffice_german_quoted.csv", "plain.csv", GERMAN, delimiter=";", quoted=True)
save("libreoffice_numbers.csv", "plain.csv", ENGLISH, shown=False)
save("libreoffice_percent.csv", "plain.csv", ENGLISH, percent=True)
save("libreoffice_french_percent.csv", "plain.csv", FRENCH, delimiter=";", percent=True)
save("libreoffice_utf16.csv", "plain.csv", GERMAN, delimiter="\t", code=UTF_16)
save("libreoffice_values_german.csv", "values.csv", GERMAN, delimiter=";")
save("libreoffice_values_english.csv", "values.csv", ENGLISH)
save("libreoffice_values_french.csv", "values.csv", FRENCH, delimiter=";")
save("libreoffice_values_swiss.csv", "values.csv", SWISS, delimiter=";")
save("libreoffice_values_cp1252.csv", "values.csv", FRENCH, delimiter=";", code=WINDOWS)
