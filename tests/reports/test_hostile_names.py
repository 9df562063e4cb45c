"""Names that are long, wide or turned round move no column and break no page."""

import re

import pytest
from documents import named, result
from rich.cells import cell_len

from bbccli.reports import FORMS, Kind, Style
from bbccli.reports.summary import Summary

NAMES = {
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


def screens(name, width):
    """Every table that shows names of configurations."""
    style, found = Style(width), named(name, result(names=("cvt", "tt", "bbc-f")))
    for one in found["estimates"]:
        one["selection"] = [{"configuration": name, "share": 0.5}]
    yield "correct", FORMS["table"](found, style)
    summary = Summary()
    list(summary.watch([{"document": found}]))
    yield "summary", summary.render(style)
    rows = [
        {
            "rank": 1, "configuration": name, "wins": 0.5, "seconds": None, "n_predictions": 6,
            "flags": [name],
            "performances": [{"value": 0.5, "pooled": 0.5, "fold_mean": 0.5, "fold_sd": 0.1}],
        }
    ]  # fmt: skip
    board = found | {
        "rows": rows, "metrics": ["accuracy"], "winner": name, "corrected": None,
    }  # fmt: skip
    yield "leaderboard", FORMS["table"].render([board], style, Kind.LEADERBOARD)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_page(name, width):
    for screen, text in screens(NAMES[name], width):
        widest = max(text.splitlines(), key=cell_len)
        assert cell_len(widest) <= width, (screen, widest)
        assert all(line.isprintable() for line in text.splitlines())


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["wide, short", "bidi", "markup", "combining"])
def test_figures_stand_under_one_another(name, width):
    """Also where the method of a saved result has such a name."""
    found = result(names=("cvt", "tt", "bbc-f"))
    found["estimates"][1]["method"] = NAMES[name][:3]
    lines = FORMS["table"](found, Style(width)).splitlines()
    (start,) = (n for n, line in enumerate(lines) if line.startswith("  accuracy"))
    header, *rows = lines[start : start + 3]
    ends = {cell_len(row[: row.index("0.833") + 5]) for row in rows}
    assert ends == {header.index("naive") + 5}


def test_nothing_is_lost_of_a_long_name():
    name = "".join(f"<{n}>" for n in range(80))
    for _, text in screens(name, 80):
        assert "".join(text.split()).count("<79>") >= 1


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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("@octocat", "@<!-- -->octocat"),
        ("@org/team", "@<!-- -->org/team"),
        ("#12", r"\#<!-- -->12"),
        ("me/it#12", r"me/it\#<!-- -->12"),
        ("gh-7", "gh-<!-- -->7"),
        ("`@octocat`|", r"\`@<!-- -->octocat\`\|"),
        ("a@b.com", "a@<!-- -->b.com"),
        ("C# @ 5", r"C\# @ 5"),
    ],
)
def test_names_call_nobody_in_markdown(name, shown):
    text = FORMS["markdown"](named(name, result(names=("cvt", "tt", "bbc-f"))), Style(80))
    assert f"**{shown}" in text
    assert not re.search(r"@\w|#\d", text)
