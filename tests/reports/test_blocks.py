"""Blocks: what each form shows of them."""

import pytest

from bbccli.notes import Note
from bbccli.reports import Style
from bbccli.reports.content import (
    MOST_ROWS,
    AnswerLines,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    NotOnTerminal,
    TableColumn,
)
from bbccli.reports.figures import Absent, Drawn
from bbccli.reports.forms.markdown import markdown
from bbccli.reports.forms.terminal import terminal
from bbccli.reports.page import sections as on_page
from bbccli.reports.page.sections import sections

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
    blocks = [NotOnTerminal(Line("More.")), table(), NotOnTerminal(table(1, title="Others"))]
    text = terminal(blocks, Style())
    assert text == "name  figure\nc0       0.0\nc1       0.1\n"
    assert markdown(blocks) == (
        "More.\n\n| name | figure | more |\n| --- | --: | --: |\n| c0 | 0.0 | m0 |\n"
        "| c1 | 0.1 | m1 |\n\n| name | figure | more |\n| --- | --: | --: |\n| c0 | 0.0 | m0 |\n"
    )
    shown = page(*blocks)
    assert ">More.<" in shown and ">m1<" in shown and ">All others<" in shown


@pytest.mark.usefixtures("undrawn")
def test_the_answer_alone_is_bold_but_for_lines_of_their_own_look():
    answer = AnswerLines(["Yes.", "Gate met."], {"Gate met.": "green"})
    text = terminal([Heading("p"), answer, table(marked=0)], Style(colour=True))
    assert "\x1b[1mYes.\x1b[0m" in text and "\x1b[32mGate met.\x1b[0m" in text
    assert text.count("\x1b[1m") == 1
    assert markdown([answer]) == "**Yes.**\n\n**Gate met.**\n"
    assert "<strong>Yes.</strong>" in page(answer)
    aside = AnswerLines(["It was so.", "Expect this."], plain=["It was so."])
    assert "<p>It was so.</p><p><strong>Expect this.</strong></p>" in page(aside)


def test_the_marked_row_is_seen_in_every_form_and_its_name_goes_on_below_itself():
    rows = BlockTable(COLUMNS, [["a b c d e f g h i j", "0.1", "m"], ["k", "0.2", "m"]], marked=0)
    assert terminal([rows], Style()).splitlines()[1:] == [
        "> a b c d e f g h i j     0.1",
        "  k                       0.2",
    ]
    narrow = terminal([rows], Style(width=26)).splitlines()
    assert narrow[1:3] == ["> a b c d e f g h      0.1", "  i j"]
    lowest = terminal([rows], Style(width=20)).splitlines()
    assert lowest[0] == "name     > a b c d e" and "name     k" in lowest
    assert "| **&gt; a b c d e f g h i j** | **0.1** |" in markdown([rows])
    assert "| k | 0.2 |" in markdown([rows])


def test_no_line_ends_between_a_figure_and_its_unit():
    text = terminal([Line("a interval of 95% with p = 0.5")], Style(width=20))
    assert text == "a interval of 95%\nwith p = 0.5\n"
    assert terminal([Line("an interval at 95%")], Style(width=20)) == "an interval at 95%\n"
    text = terminal([Line("both intervals at 95%")], Style(width=20))
    assert text == "both intervals at\n95%\n"


def test_facts_without_a_text_are_left_out_and_texts_are_joined():
    facts = FactList([("winner", "a", "AUC 0.9"), ("bound", ""), ("sides", "", "")])
    assert terminal([facts], Style()) == "winner   a   AUC 0.9\n"
    assert markdown([facts]) == "- winner: a, AUC 0.9\n"
    assert ">a, AUC 0.9<" in page(facts) and "bound" not in page(facts)


def test_the_rest_of_a_table_is_counted():
    rows = table(MOST_ROWS + 2, most=10, after="1 can't be", hint="--format csv")
    last = terminal([rows], Style()).splitlines()[-1]
    assert last == f"and {MOST_ROWS - 8} more, shown by --format csv, 1 can't be: --format csv"
    assert "1 can&#x27;t be</p>" in page(rows)
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


def test_facts_stand_before_the_notes():
    notes = Notes((Note("few-groups", "few", "more"),), (("set", "of three"),))
    assert terminal([notes], Style()) == "set      of three\nDOUBT    few   hint: more\n"
    assert markdown([notes]) == "- set: of three\n- doubt: few. *more*\n"


def test_a_fact_without_a_name_goes_on_under_the_one_above():
    facts = FactList([("assumed", "a"), ("", "b"), ("empty", ""), ("near", "c")])
    assert terminal([facts], Style()) == "assumed   a\n          b\nnear      c\n"
    assert markdown([facts]) == "- assumed: a\n- assumed: b\n- near: c\n"


def test_lines_of_a_heading_stand_below_it():
    heading = Heading("p.csv", "80 samples", ["::run", "*scores*"])
    assert terminal([heading], Style()).splitlines()[0] == "p.csv   80 samples"
    assert "\n::run" not in terminal([heading], Style())
    assert "\\*scores\\*" in markdown([heading])
