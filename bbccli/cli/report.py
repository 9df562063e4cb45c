"""`bbc report`: one page of saved results, or of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet
from bbccli.core.option import Option, Panel, Scope

if TYPE_CHECKING:
    from bbccli.core.documents import Document

Results = Annotated[
    Sequence[str],
    Option(
        "Saved results: .json, also of bbc compare; .jsonl with one on each line, such as a batch "
        "writes; - is standard input. Or one file of predictions, which is shown as bbc correct "
        "does by default.",
        metavar="FILE...",
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
    ctx: typer.Context,
    results: Results,
    output: Page = "-",
    title: Title = None,
    figures: Figures = None,
    quiet: Quiet = False,
) -> None:
    """Make one page of predictions or saved results.

    The page is a single HTML file without scripts, which fetches nothing. What
    it can't show of a saved result without the predictions it names. Several
    results get a table with a line for each; one of bbc compare gets its own
    page. To show predictions with other options than the defaults: bbc correct
    FILE -o report.html.

    Examples:
      bbc report predictions.parquet -o report.html
      bbc report result.json -o report.html
      bbc report results.jsonl -o report.html --title "All runs of the week"
    """
    from bbccli.cli.output import check_writable
    from bbccli.cli.pages import publish_comparison, publish_page, write_figures
    from bbccli.cli.shown import are_predictions, exhibit_of_predictions
    from bbccli.reports.evidence import Exhibit
    from bbccli.schema.saved import is_comparison

    check_writable({"--output": output})
    if are_predictions(results):
        documents, exhibits = [], [exhibit_of_predictions(ctx, results[0], quiet=quiet)]
    else:
        documents = _saved(results)
        exhibits = [Exhibit(document.record) for document in documents if "error" not in document]
    if figures is not None:
        write_figures(exhibits, figures)
    if any(is_comparison(document) for document in documents):
        publish_comparison(exhibits[0], output, title or "", quiet=quiet)
        return
    failures = [document.record for document in documents if "error" in document]
    publish_page(exhibits, output, failures, title or "", quiet=quiet)


def _saved(paths: Sequence[str]) -> list[Document[Any]]:
    """Return the results of all files; one of a comparison is alone.

    Raises
    ------
    OptionError
        A comparison among several results; and what reading raises.
    """
    from bbccli.errors import OptionError
    from bbccli.schema.saved import is_comparison, read_results

    found = [(path, document) for path in paths for document in read_results(path)]
    compared = [path for path, document in found if is_comparison(document)]
    if compared and len(found) > 1:
        raise OptionError(
            f"{compared[0]} is a result of bbc compare, which gets a page of its own, and "
            f"{len(found)} results are given",
            hint=f"bbc report {compared[0]} -o compared.html",
        )
    return [document for _, document in found]
