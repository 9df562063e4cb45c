"""Results as pages and figures: what is put on them, and where they go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bbccli.cli.output import write
from bbccli.cli.streams import say
from bbccli.core.documents import Document
from bbccli.core.local import opened
from bbccli.core.text import visible
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.analysis import Analysis
    from bbccli.analysis.answer import Answer
    from bbccli.reports.evidence import Evidence, Exhibit
    from bbccli.schema.compare import CompareEnvelope
    from bbccli.schema.correct import ErrorEnvelope


def exhibit_of(asked: Analysis, files: Sequence[str], found: Answer) -> Exhibit:
    """Return an answer with all that its predictions tell beyond it."""
    from bbccli.analysis.asked import command_line
    from bbccli.reports.evidence import Exhibit

    return Exhibit(found.document.record, _evidence(asked, found), command_line(asked, files))


def _evidence(asked: Analysis, found: Answer) -> Evidence:
    from bbccli.analysis.answer import working
    from bbccli.reports.evidence.gathering import gather
    from bbccli.schema.correct import to_report

    metric = found.metrics[0]
    best = to_report([e for e in found.document.record.estimates if e.metric == metric.name])
    method = best.method if best is not None else ""
    reported = [e for e in found.estimates if (e.method, e.metric) == (method, metric.name)]
    plan = asked.plan(found.matrix.source.metadata)
    with working(asked.metric, found.matrix):
        return gather(found.matrix, metric, plan, reported[0] if reported else None)


def page_of_comparison(
    asked: Sequence[object], files: Sequence[str], found: Document[CompareEnvelope]
) -> str:
    """Return the page of what `bbc compare` says, asked by these groups of options."""
    from bbccli.analysis.asked import line_of
    from bbccli.reports.evidence import Exhibit
    from bbccli.reports.page.compared import page_of_comparison as page

    return page(Exhibit(found.record, command=line_of("compare", files, asked)))


def publish_page(
    exhibits: Sequence[Exhibit],
    output: str,
    failures: Sequence[ErrorEnvelope] = (),
    title: str = "",
    *,
    quiet: bool = False,
) -> None:
    """Write a page of results; say on standard error what it says first, and where it is."""
    from bbccli.reports.page.whole import first_lines, page

    write(page(exhibits, failures, title), output)
    if quiet or output == "-":
        return
    if len(exhibits) == 1:
        for line in first_lines(exhibits[0].document):
            say(line)
    say(f"page: {visible(output)}")


def publish_comparison(exhibit: Exhibit, output: str, title: str = "", *, quiet: bool) -> None:
    """Write the page of one comparison; say on standard error what it says first."""
    from bbccli.reports.content.compare import answer, requirement
    from bbccli.reports.page.compared import page_of_comparison as page

    write(page(exhibit, title), output)
    if quiet or output == "-":
        return
    say(visible(f"{answer(exhibit.document)}."))
    if exhibit.document.gate is not None:
        say(visible(requirement(exhibit.document)))
    say(f"page: {visible(output)}")


PICTURES = ("svg", "png", "pdf", "vl.json")
"""Forms of a figure, by their suffixes."""


def picture_form(path: str) -> str:
    """Return the form that the suffix of a file asks for, if it can be written here.

    Raises
    ------
    OptionError
        Another suffix, or one that needs a package that is not installed.
    """
    from bbccli.reports.figures.rendering import check_can_render

    found = next((form for form in PICTURES if path.lower().endswith(f".{form}")), None)
    if found is None:
        raise OptionError(
            f"--output is {path!r}, which is not the name of a figure",
            hint=f"a file that ends in {', '.join(f'.{form}' for form in PICTURES)}",
        )
    if found != "vl.json":
        check_can_render()
    return found


def saved_exhibit(files: Sequence[str]) -> Exhibit | None:
    """Return the one saved result that is named, or None where predictions are.

    Raises
    ------
    OptionError
        Several results.
    InputError
        A result that is damaged.
    """
    from bbccli.reports.evidence import Exhibit
    from bbccli.schema.saved import read_documents

    if len(files) != 1 or not is_result(files[0]):
        return None
    documents = [one for one in read_documents(files[0]) if "error" not in one]
    if len(documents) != 1:
        raise OptionError(
            f"{files[0]} holds {len(documents)} results, and a figure is of one",
            hint="bbc report makes a page of several",
        )
    return Exhibit(documents[0].record)


def is_result(path: str) -> bool:
    """Whether a file is a saved result: an object of JSON with the mark of one at its beginning."""
    if not path.lower().endswith((".json", ".jsonl")):
        return False
    try:
        with opened(path) as file:
            start = file.read(200)
    except OSError:
        return False
    return re.search(rb'"schema"\s*:\s*"bbc', start) is not None


def exhibit_of_comparison(files: Sequence[str]) -> Exhibit:
    """Return the saved comparison that is named.

    Raises
    ------
    OptionError
        Predictions, or several files.
    InputError
        No file, another result, or a damaged one.
    """
    from bbccli.reports.evidence import Exhibit
    from bbccli.schema.saved import HINT_OF_COMPARISON, read_comparison

    there = len(files) != 1 or Path(files[0]).exists()
    if there and not (len(files) == 1 and is_result(files[0])):
        raise OptionError(
            "this figure is of one saved result of bbc compare", hint=HINT_OF_COMPARISON
        )
    return Exhibit(read_comparison(files[0]).record)


def write_figures(exhibits: Sequence[Exhibit], folder: str) -> None:
    """Write every figure that can be drawn of one result, in all forms.

    Raises
    ------
    OptionError
        Several results, no package to draw with, or a folder that can't be made.
    """
    from bbccli.reports.figures import KINDS, Drawn, draw
    from bbccli.reports.figures.rendering import check_can_render, exported
    from bbccli.reports.page.compared import figures_of

    check_can_render()
    if len(exhibits) != 1:
        raise OptionError(
            f"--figures is for one result, and there are {len(exhibits)}",
            hint="a saved result of its own for each",
        )
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"cannot make the folder {folder}: {error.strerror or error}",
            hint="--figures names a folder, or where one can be made",
        ) from error
    (exhibit,) = exhibits
    compared = exhibit.document.command == "compare"
    found = figures_of(exhibit) if compared else [draw(kind, exhibit) for kind in KINDS]
    for drawn in found:
        if isinstance(drawn, Drawn):
            for form in PICTURES:
                write(exported(drawn, form), str(Path(folder) / f"{drawn.kind}.{form}"))
