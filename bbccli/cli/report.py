"""`bbc report`: one page of saved results, or of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet, files_argument, output_option
from bbccli.core.option import Option, Panel, Scope
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.core.documents import Document
    from bbccli.reports.evidence import Exhibit

Results = Annotated[
    Sequence[str],
    files_argument(
        "Saved results: .json, also of bbc compare; .jsonl with one on each line, such as a batch "
        "writes; - is standard input. Or one file of predictions, which is shown as bbc correct "
        "does by default."
    ),
]
Page = Annotated[str, output_option("File for the page.", default="-, standard output")]
Title = Annotated[
    str | None, Option("Title of the page.", "TEXT", default="what it shows", scope=Scope.RUN)
]
Figures = Annotated[
    str | None,
    Option(
        "Also write the figures of the one result into this folder: .svg, .png, .pdf and .vl.json.",
        "DIR",
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
    from bbccli.cli.pages import publish_page
    from bbccli.reports.evidence import Exhibit

    check_writable({"--output": output})
    if _are_predictions(results):
        documents, exhibits = [], [_exhibit_of_predictions(results[0], quiet=quiet)]
    else:
        documents = _saved(results)
        exhibits = [Exhibit(document.record) for document in documents if "error" not in document]
    if figures is not None:
        _write_figures(exhibits, figures)
    failures = [document.record for document in documents if "error" in document]
    publish_page(exhibits, output, failures, title or "", quiet=quiet)


def _saved(paths: Sequence[str]) -> list[Document[Any]]:
    """Return the results of all files; one of a comparison is alone.

    Raises
    ------
    OptionError
        A comparison among several results; and what reading raises.
    """
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


def _are_predictions(files: Sequence[str]) -> bool:
    """Return whether the one file that is named holds predictions.

    Raises
    ------
    OptionError
        Predictions among several files.
    """
    found = [path for path in files if _holds_predictions(path)]
    if found and len(files) > 1:
        raise OptionError(
            f"{found[0]} holds predictions, and is not the only file",
            hint="if they belong together bbc correct FILE... -o report.html, "
            "else bbc batch FILE... -o results.html",
        )
    return bool(found)


def _holds_predictions(path: str) -> bool:
    """Return whether a file holds predictions, not results that were saved.

    Raises
    ------
    OptionError
        The table of a batch, which holds no whole results.
    """
    from bbccli.cli.pages import is_result
    from bbccli.schema.saved import is_batch, is_table

    exists, suffix = Path(path).exists(), Path(path).suffix.lower()
    if path == "-" or suffix == ".json" or (suffix == ".jsonl" and not exists):
        return False
    if exists and is_table(path) and is_batch(path):
        raise OptionError(
            f"{path} is a table, which holds no whole results", hint="let bbc batch write .jsonl"
        )
    return not is_result(path)


def _exhibit_of_predictions(path: str, *, quiet: bool) -> Exhibit:
    """Return what `bbc correct` says of predictions, with the defaults of the project; no gate."""
    from bbccli.analysis.answer import answer
    from bbccli.analysis.options import command_line
    from bbccli.cli import config
    from bbccli.cli.command import running, typed
    from bbccli.cli.correct import correct
    from bbccli.cli.shared import GATE
    from bbccli.core import reading
    from bbccli.reports.evidence.gathering import exhibit_of

    held = config.defaults("correct", running.get().parent.params.get("config_file"))
    given = typed(correct).make_context("correct", [path], default_map=held).params
    values = correct.gathered({name: one for name, one in given.items() if name not in GATE})
    analysis = values["analysis"]
    analysis.check()
    with reading.use(values["care"]), values["work"].working(quiet=quiet) as progress:
        found = answer(analysis, [path], cost=None, progress=progress)
        return exhibit_of(analysis, found, command_line(analysis, [path]))


def _write_figures(exhibits: Sequence[Exhibit], folder: str) -> None:
    """Write every figure that can be drawn of one result, in all forms.

    Raises
    ------
    OptionError
        Several results, no package to draw with, or a folder that can't be made.
    """
    from bbccli.cli.output import write
    from bbccli.cli.pages import PICTURES
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
