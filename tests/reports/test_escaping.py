"""A name from a file reaches every report as text, whatever is in it."""

import csv
import html
import io
import json
import re
from functools import cache
from xml.etree import ElementTree

import pytest
from day import daily, swept
from documents import gated, named, result
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from thorough import examples

from bbccli.platform.text import visible
from bbccli.reports import FORMS, Kind, Style, forms_of

FOUND = gated(0.25)
NAMES = st.text(st.characters(exclude_categories=()), max_size=30) | st.text(
    "=+-@\t\r\n|`*_[]<>&#~!\\:;,'\"%\x00\x1b\x85\u2028 ax/w.", max_size=30
)
NASTY = (
    "=cmd|' /C calc'!A0",
    "a|b\n::error::c\r\n| d |",
    "<script>alert(1)</script> [x](javascript:y) `z` ![i](http://w)",
    "\x1b[31m\x00\ud800\ufffe\u2028::notice::",
    '"a","b"\r\n',
    "@octocat @org/team #12 me/it#12 gh-7 `@octocat`| a@b.com C# @ 5",
    "a\x85b\u2028c\u2029d\x0be\x0cf\x1cg\x1eh",
)
ENDS = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def for_any_name(test):
    for name in NASTY:
        test = example(name)(test)
    return settings(max_examples=examples(20))(given(NAMES)(test))


@cache
def lines(name):
    """Lines of a report with a harmless name: no other name may add one."""
    return len(FORMS[name](named("harmless", FOUND)).splitlines())


@for_any_name
def test_csv_gives_names_back(name):
    text = FORMS["csv"](named(name, FOUND))
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == len(FOUND["estimates"])
    for row in rows:
        for cell in (row["winner"], row["path"]):
            shown = visible(name)
            assert not cell.startswith(tuple("=+-@\t\r"))
            assert cell == shown or (cell == f"'{shown}" and shown[0] in "=+-@")
            assert cell.isprintable()


@for_any_name
def test_xml_gives_names_back(name):
    suite = ElementTree.fromstring(FORMS["junit"](named(name, FOUND)).encode())[0]
    allowed = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    expected = "".join(c if allowed.match(c) else "\ufffd" for c in name)
    winner = suite.find("properties/property[@name='winner accuracy cvt']")
    assert winner.get("value") == expected
    assert suite.get("name") == expected
    assert len(suite.findall("testcase")) == len(FOUND["estimates"]) + 2


@for_any_name
def test_json_gives_names_back(name):
    found = named(name, FOUND)
    assert json.loads(FORMS["json"](found)) == found
    text = FORMS["jsonl"](found)
    assert json.loads(text) == found
    assert len(ENDS.findall(text)) == 1


@for_any_name
def test_markdown_has_no_line_or_markup_of_a_name(name):
    text = FORMS["markdown"](named(name, FOUND))
    assert len(text.splitlines()) == lines("markdown")
    heading = text.splitlines()[0].removeprefix("### ")
    assert not re.search(r"@\w|#\d|\bGH-\d", heading, re.IGNORECASE), "calls somebody"
    heading = re.sub("(?<=[@#-])<!-- -->", "", heading)
    bare = re.sub(r"\\[^\w\s]|\\_", "", heading)
    assert not set(bare) & set("|`*_[]<>~#!"), "only escaped"
    assert "&" not in re.sub(r"&(amp|lt|gt);", "", bare)
    shown = html.unescape(re.sub(r"\\([^\w\s]|_)", r"\1", heading))
    assert shown == visible(name)


@for_any_name
def test_github_has_no_line_or_command_of_a_name(name):
    text = FORMS["github"](named(name, FOUND))
    commands = text.split("\n")[:-1]
    assert len(commands) == lines("github")
    assert len(ENDS.findall(text)) == len(commands)
    for command in commands:
        match = re.fullmatch(r"::(?:notice|warning|error) title=(?P<title>[^:,]*)::.*", command)
        assert match
        assert not re.search(r"%(?!25|3A|2C)", match["title"])


@pytest.mark.sweep
@for_any_name
def test_the_table_cannot_drive_a_terminal(name):
    text = FORMS["table"](named(name, FOUND))
    assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("report", forms_of(Kind.CORRECT))
@pytest.mark.parametrize("name", NASTY)
def test_every_report_can_be_written(report, name):
    FORMS[report](named(name, FOUND)).encode(errors="backslashreplace")


# Names that are long, wide or turned round move no column and break no page


UNUSUAL = {
    "long": "learning_rate=0.1 " * 20,
    "one word": "x" * 300,
    "wide": "\u6a21\u578b\u914d\u7f6e" * 40,
    "wide, short": "\u6a21\u578b",
    "bidi": "\u202eabc\u202c \u2066def\u2069 \u200f",
    "combining": "e\u0301" * 50,
    "escape": "\x1b[31m\x1b]0;title\x07",
    "markup": "[bold red]a[/]",
}
WIDTHS = (60, 80, 120)


@pytest.mark.parametrize("width", daily(WIDTHS, [60]))
@pytest.mark.parametrize("name", UNUSUAL)
def test_no_line_is_wider_than_the_page(name, width):
    found = named(UNUSUAL[name], result(names=("cvt", "tt", "bbc-f")))
    for one in found["estimates"]:
        one["selection"] = [{"configuration": UNUSUAL[name], "share": 0.5}]
    lines = FORMS["table"](found, Style(width)).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("width", [80, swept(120)])
@pytest.mark.parametrize("name", ["wide, short", swept("bidi"), "markup", swept("combining")])
def test_figures_stand_under_one_another(name, width):
    """Also where the method of a saved result has such a name."""
    found = result(names=("cvt", "tt", "bbc-f"))
    found["estimates"][1]["method"] = UNUSUAL[name][:3]
    lines = FORMS["table"](found, Style(width)).splitlines()
    (start,) = (n for n, line in enumerate(lines) if line.startswith("  accuracy"))
    header, *rows = lines[start : start + 3]
    ends = {cell_len(row[: row.index("0.833") + 5]) for row in rows}
    assert ends == {header.index("naive") + 5}


COMMANDS = ("::error::x", " ::add-mask::x", "a ##[error]x", "##[add-mask]a")


@pytest.mark.parametrize("name", COMMANDS)
def test_names_are_no_commands_of_a_runner(name):
    """A runner obeys `::` where a line begins, and `##[` anywhere."""
    found = named(name, result(names=("cvt", "tt", "bbc-f")))
    found["input"]["path"] = name
    for form in ("table", "markdown", "github"):
        for line in FORMS[form](found, Style(80)).splitlines():
            assert "##[" not in line
            assert not line.strip().startswith(("::e", "::a"))
