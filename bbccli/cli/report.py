"""`bbc report`: one page of saved results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet
from bbccli.option import Option, Panel, Scope

Results = Annotated[
    Sequence[str],
    Option(
        "Saved results: .json; .jsonl with one on each line, such as a batch writes; or one of bbc "
        "compare; - is standard input.",
        metavar="RESULT...",
        positional=True,
    ),
]
Page = Annotated[
    str,
    Option(
        "File for the page.",
        metavar="PATH",
        default="-, standard output",
        flags=("--output", "-o"),
        scope=Scope.RUN,
    ),
]
Title = Annotated[
    str | None,
    Option("Title of the page.", metavar="TEXT", default="what it shows", scope=Scope.RUN),
]
Figures = Annotated[
    str | None,
    Option(
        "Also write the figures of the one result into this folder: .svg, .png, .pdf and .vl.json.",
        metavar="DIR",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    ),
]


@command()
def report(
    results: Results,
    output: Page = "-",
    title: Title = None,
    figures: Figures = None,
    quiet: Quiet = False,
) -> None:
    """Make one page of saved results, to read anywhere.

    The page is a single HTML file without scripts, which fetches nothing. What
    it can't show without the predictions it names; bbc correct FILE -o
    report.html shows all. Several results get a table with a line for each.
    A result of bbc compare gets the page that bbc compare -o page.html writes.

    Examples:
      bbc report result.json -o report.html
      bbc report results.jsonl -o report.html --title "All runs of the week"
    """
    from bbccli.cli.output import check_writable
    from bbccli.cli.pages import publish_comparison, publish_page, write_figures
    from bbccli.cli.places import check_apart
    from bbccli.errors import OptionError
    from bbccli.reports.exhibit import Exhibit
    from bbccli.saved import is_comparison, read_results
    from bbccli.saved_rows import is_table

    check_writable(output)
    check_apart({"--output": output}, [], *results)
    for path in results:
        if is_table(path):
            raise OptionError(
                f"{path} is a table, which holds no whole results",
                hint="let bbc batch write .jsonl",
            )
    found = [(path, document) for path in results for document in read_results(path)]
    compared = [path for path, document in found if is_comparison(document)]
    if compared and len(found) > 1:
        raise OptionError(
            f"{compared[0]} is a result of bbc compare, which gets a page of its own, and "
            f"{len(found)} results are given",
            hint=f"bbc report {compared[0]} -o compared.html",
        )
    documents = [document for _, document in found]
    exhibits = [Exhibit(document) for document in documents if "error" not in document]
    if figures is not None:
        write_figures(exhibits, figures)
    if compared:
        publish_comparison(exhibits[0], output, title or "", quiet=quiet)
        return
    failures = [document for document in documents if "error" in document]
    publish_page(exhibits, output, failures, title or "", quiet=quiet)
