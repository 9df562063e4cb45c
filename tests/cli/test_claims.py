"""What help and pages promise: forms that are written, figures that are shown, intervals drawn."""

import re
from pathlib import Path

import pytest

from bbccli.cli.command import COMMANDS, command_named
from bbccli.reports import Kind, forms_of
from bbccli.reports.forms.terminal import WIDE

PAGES = Path(__file__).parents[2] / "docs"


def suffixes_in(text):
    return set(re.findall(r"(?<![\w.])\.[a-z]+(?:\.[a-z]+)?\b", text))


def test_a_help_names_the_forms_that_are_written():
    option = command_named("batch").options["output"].option
    written = {end for form in forms_of(Kind.BATCH).values() for end in form.suffixes}
    assert suffixes_in(option.help) == written - {".htm"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_names_no_suffix_that_nothing_writes_or_reads(name):
    """Suffixes stand in help of files only; each is known to a form, a source or a figure."""
    from bbccli.reading.sources import SUPPORTED
    from bbccli.reports import FORMS

    known = {end for form in FORMS.values() for end in form.suffixes} | suffixes_in(SUPPORTED)
    known |= {".svg", ".png", ".pdf", ".vl.json", ".zst", ".gz", ".meta.json", ".toml"}
    for one in command_named(name).options.values():
        if one.option.metavar in ("FILE", "PATH", "FILE..."):
            assert suffixes_in(one.option.help or "") <= known, one.key


def test_intervals_are_drawn_from_the_width_on_that_pages_name(run, samples, monkeypatch):
    """A page that names a width names the one from which a terminal is wide."""
    for page in PAGES.glob("*.md"):
        for number in re.findall(r"[Ff]rom (\d+) columns on", page.read_text()):
            assert int(number) == WIDE, page.name
    file = samples / "diabetes.parquet"
    shown = {}
    for width in (WIDE - 1, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        shown[width] = "x naive" in run("correct", file, "--n-resamples", "40")[1]
    assert shown == {WIDE - 1: False, 200: True}
