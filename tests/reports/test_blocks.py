"""Blocks: what each form shows of them."""

import pytest

from bbccli.reports import Style
from bbccli.reports.blocks import (
    MOST_ROWS,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
    Wide,
)
from bbccli.reports.figures import Absent, Drawn
from bbccli.reports.markdown import markdown
from bbccli.reports.page import sections as on_page
from bbccli.reports.page.sections import sections
from bbccli.reports.terminal import terminal

COLUMNS = (
    TableColumn("name", text=True),
    TableColumn("figure"),
    TableColumn("more", wide=True),
)


def table(n=2, **more):
    return BlockTable(COLUMNS, [[f"c{i}", f"0.{i}", f"m{i}"] for i in range(n)], **more)


def page(*blocks, found=()):
    return "".join(sections(blocks, found))


@pytest.mark.usefixtures("undrawn")
def test_a_terminal_alone_leaves_out_what_is_wide():
    blocks = [Wide(Line("Answer.", strong=True)), table(), Wide(table(1, title="Others"))]
    text = terminal(blocks, Style())
    assert text == "name  figure\nc0       0.0\nc1       0.1\n"
    assert markdown(blocks) == (
        "**Answer.**\n\n| name | figure | more |\n| --- | --: | --: |\n| c0 | 0.0 | m0 |\n"
        "| c1 | 0.1 | m1 |\n\n| name | figure | more |\n| --- | --: | --: |\n| c0 | 0.0 | m0 |\n"
    )
    shown = page(*blocks)
    assert "<strong>Answer.</strong>" in shown and ">m1<" in shown and ">All others<" in shown


def test_facts_without_a_text_are_left_out_and_texts_are_joined():
    facts = FactList([("winner", "a", "AUC 0.9"), ("bound", ""), ("sides", "", "")])
    assert terminal([facts], Style()) == "winner   a   AUC 0.9\n"
    assert markdown([facts]) == "- winner: a, AUC 0.9\n"
    assert ">a, AUC 0.9<" in page(facts) and "bound" not in page(facts)


def test_the_rest_of_a_table_is_counted():
    rows = table(MOST_ROWS + 2, most=10, after="1 can't be: --format csv")
    last = terminal([rows], Style()).splitlines()[-1]
    assert last == f"and {MOST_ROWS - 8} more, see --format csv, 1 can't be: --format csv"
    text = markdown([rows])
    assert f"| c{MOST_ROWS - 1} |" in text and f"| c{MOST_ROWS} |" not in text
    assert text.endswith("\n\nand 2 more\n")
    rows = table(on_page.MOST_ROWS + 1, title="Rows")
    assert ">1 more are not listed.<" in page(rows)


@pytest.mark.usefixtures("undrawn")
def test_a_figure_stands_for_its_table_only_where_it_is_drawn():
    drawn = Drawn("So it is.", "Dots.", ("name",), [("c0",)], {}, "dots", "Dots")
    rows = table(figure="dots", title="Tests")
    assert ">Tests<" not in page(rows, found=[drawn])
    for found in ([], [Absent("dots", "Dots", "there are none")]):
        assert ">Tests<" in page(rows, found=found)


def test_facts_and_the_gate_close_the_screen_around_the_notes():
    notes = Notes((), (("set", "of three"),), gate="missed")
    assert terminal([notes], Style()) == "set      of three\ngate     missed\n"
    assert markdown([Wide(Line("Gate missed.")), notes]) == "Gate missed.\n\n- set: of three\n"


def test_names_are_escaped_by_the_form():
    name = "\x1b[31m*a*|<b>"
    blocks = [
        Heading(name),
        Line(name),
        FactList([(name, name)]),
        BlockTable([TableColumn("n")], [[name]]),
    ]
    assert "\x1b" not in terminal(blocks, Style()) and "<b>" in terminal(blocks, Style())
    for text in (markdown(blocks), page(*blocks)):
        assert "\x1b" not in text and "<b>" not in text
    assert "*a*" not in markdown(blocks).replace("\\*", "")


def test_a_fact_without_a_name_goes_on_under_the_one_above():
    facts = FactList([("assumed", "a"), ("", "b"), ("empty", ""), ("near", "c")])
    assert terminal([facts], Style()) == "assumed   a\n          b\nnear      c\n"
    assert markdown([facts]) == "- assumed: a\n- assumed: b\n- near: c\n"


def test_lines_of_a_heading_stand_below_it():
    heading = Heading("p.csv", "80 samples", ["::run", "*scores*"])
    assert terminal([heading], Style()).splitlines()[0] == "p.csv   80 samples"
    assert "\n::run" not in terminal([heading], Style())
    assert "\\*scores\\*" in markdown([heading])
