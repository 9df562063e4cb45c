"""`bbc report` and `bbc plot`: results as pages and figures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.cli.command import command
from bbccli.cli.shared import GATE, Quiet, ThreadOptions, files_argument, output_option
from bbccli.errors import InputError, OptionError
from bbccli.platform.arguments import Option, Panel, Scope, names_in
from bbccli.platform.guarded_files import is_url
from bbccli.use_cases import Analysis
from bbccli.use_cases.command_line import command_line

if TYPE_CHECKING:
    from bbccli.platform.records import Document
    from bbccli.reports.evidence import Exhibit

Results = Annotated[
    Sequence[str],
    files_argument(
        "Saved results: .json, also of bbc compare; .jsonl with one per line, as from bbc batch; "
        "- is standard input. Or a file of predictions, corrected with the defaults of "
        "bbc correct."
    ),
]
Page = Annotated[str, output_option("File for the page.", default="-, standard output")]
Title = Annotated[
    str | None, Option("Title of the page.", "TEXT", default="what it shows", scope=Scope.RUN)
]
Figures = Annotated[
    str | None,
    Option(
        "Also write all figures of a single result to this folder: .svg, .png, .pdf and .vl.json.",
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
    """Make an HTML page of predictions or saved results.

    The page is a single file without scripts that fetches nothing. It shows as much of a saved
    result as is possible without its predictions. Several results share a table; a result of bbc
    compare gets its own page. For predictions with other options: bbc correct FILE -o report.html.

    Examples:
      bbc report predictions.parquet -o report.html
      bbc report result.json -o report.html
      bbc report results.jsonl -o report.html --title "All runs of the week"
    """
    from bbccli.cli.output import STDOUT, check_writable, tell_written, write
    from bbccli.documents.correct import ErrorEnvelope
    from bbccli.reports.evidence import Exhibit
    from bbccli.reports.figures.rendering import painting
    from bbccli.reports.page.of_blocks import page_of_blocks
    from bbccli.reports.page.page import page

    if Path(output).suffix.lower() not in ("", ".html", ".htm"):
        raise OptionError(
            f"--output is {output!r}, which is not the name of a page",
            hint="a file that ends in .html",
        )
    check_writable({"--output": output})
    with painting():
        if _are_predictions(results):
            failures, exhibits = [], [_by_default(results[0], quiet=quiet)]
        else:
            records = [document.record for document in _results(results)]
            failures = [record for record in records if isinstance(record, ErrorEnvelope)]
            exhibits = [
                Exhibit(record) for record in records if not isinstance(record, ErrorEnvelope)
            ]
        if figures is not None:
            _write_figures(exhibits, figures)
        if [exhibit.document.command for exhibit in exhibits] == ["compare"]:
            write(page_of_blocks(exhibits[0], title or ""), output)
        else:
            write(page(exhibits, failures, title or ""), output)
    if output != STDOUT and not quiet:
        tell_written(
            [exhibit.document for exhibit in exhibits] if len(exhibits) == 1 else [], output
        )


Given = Annotated[
    Sequence[str],
    files_argument(
        "A saved result (.json), or out-of-sample predictions as bbc correct takes them. Some "
        "figures need the predictions; differences and cd need a saved result of bbc compare."
    ),
]
Kind = Annotated[
    str,
    Option(
        "What to draw: {names}.",
        "KIND",
        names=names_in("bbccli.reports.figures:KINDS", "bbccli.reports.figures:OF_COMPARISONS"),
    ),
]
Picture = Annotated[
    str, output_option("File for the figure: .svg, .png, .pdf, or .vl.json for any Vega editor.")
]


@command(without=GATE, reads=True)
def plot(
    files: Given,
    output: Picture,
    analysis: Analysis,
    work: ThreadOptions,
    kind: Kind = "forest",
    quiet: Quiet = False,
) -> None:
    """Draw a figure of a result or of predictions.

    Figures are drawn by vl-convert-python, from the extra bbccli[report]; .vl.json needs no extra.

    Examples:
      bbc plot result.json -o forest.svg
      bbc plot sample_data/progression.parquet --kind cost -o cost.png
      bbc plot predictions.csv --kind roc --metric auc -o roc.vl.json
      bbc plot compared.json --kind cd -o cd.svg
    """
    from bbccli.cli.output import STDOUT, check_writable, tell_written, write
    from bbccli.errors import UndefinedError
    from bbccli.reports.figures import OF_COMPARISONS, Absent, draw
    from bbccli.reports.figures.rendering import exported, picture_form

    analysis.check()
    form = picture_form(output)
    check_writable({"--output": output})
    exhibit = _compared(files) if kind in OF_COMPARISONS else _saved(files)
    exhibit = exhibit or _exhibit(analysis, files, work, cost=kind == "cost", quiet=quiet)
    drawn = draw(kind, exhibit)
    if isinstance(drawn, Absent):
        raise UndefinedError(
            f"there is no figure {kind}: {drawn.reason}",
            hint=f"give the predictions: bbc plot FILE --kind {kind} -o {shlex.quote(output)}"
            if exhibit.evidence is None and kind not in OF_COMPARISONS
            else "choose another --kind",
        )
    write(exported(drawn, form), output)
    if output != STDOUT and not quiet:
        tell_written([exhibit.document], output, lambda _: [drawn.reading])


def _exhibit(
    analysis: Analysis,
    files: Sequence[str],
    work: ThreadOptions,
    *,
    cost: bool | None,
    quiet: bool,
) -> Exhibit:
    """Correct predictions, and gather all evidence for figures."""
    from bbccli.use_cases.correct import answer

    with work.working(quiet=quiet) as progress:
        analysed = answer(analysis, files, cost=cost, progress=progress)
        from bbccli.reports.evidence.gathering import exhibit_of

        return exhibit_of(analysis, analysed, command_line(analysis, files))


def _by_default(path: str, *, quiet: bool) -> Exhibit:
    """Return the exhibit of predictions with the defaults of the project, without its gate."""
    from bbccli.cli import config
    from bbccli.cli.command import running, typed
    from bbccli.cli.correct import correct
    from bbccli.platform import resources

    held = config.defaults("correct", running.get().parent.params.get("config_file"))
    given = typed(correct).make_context("correct", [path], default_map=held).params
    values = correct.gathered({name: value for name, value in given.items() if name not in GATE})
    analysis = values["analysis"]
    analysis.check()
    with resources.use_reading(values["care"]):
        return _exhibit(analysis, [path], values["work"], cost=None, quiet=quiet)


def _results(paths: Sequence[str]) -> list[Document[Any]]:
    """Read the results of all files; a comparison must be the only one."""
    from bbccli.documents.loading import is_comparison, read_results

    saved = [(path, document) for path in paths for document in read_results(path)]
    compared = [path for path, document in saved if is_comparison(document)]
    if compared and len(saved) > 1:
        raise OptionError(
            f"{compared[0]} is a result of bbc compare, which needs a page of its own, but "
            f"{len(saved)} results are given",
            hint=f"bbc report {compared[0]} -o compared.html",
        )
    return [document for _, document in saved]


def _saved(files: Sequence[str]) -> Exhibit | None:
    """Return the saved result, None if the file holds predictions; refuse several results."""
    from bbccli.documents.loading import read_documents
    from bbccli.reading.sources import is_result
    from bbccli.reports.evidence import Exhibit

    if len(files) > 1 and any(is_result(path) for path in files):
        raise OptionError(
            f"{len(files)} files are given, but a figure shows one result",
            hint="bbc report makes a page of several",
        )
    if len(files) != 1 or not is_result(files[0]):
        return None
    documents = [document for document in read_documents(files[0]) if "error" not in document]
    if len(documents) != 1:
        raise OptionError(
            f"{files[0]} holds {len(documents)} results, but a figure shows one",
            hint="bbc report makes a page of several",
        )
    return Exhibit(documents[0].record)


def _compared(files: Sequence[str]) -> Exhibit:
    """Read the one saved comparison; refuse predictions and several files."""
    from bbccli.documents.loading import HINT_OF_COMPARISON, read_comparison
    from bbccli.reading.sources import is_result
    from bbccli.reports.evidence import Exhibit

    there = len(files) != 1 or Path(files[0]).exists()
    if there and not (len(files) == 1 and is_result(files[0])):
        raise OptionError(
            "this figure needs one saved result of bbc compare", hint=HINT_OF_COMPARISON
        )
    return Exhibit(read_comparison(files[0]).record)


def _are_predictions(files: Sequence[str]) -> bool:
    """True if the only file holds predictions; refuse predictions among several files."""
    predictions = [path for path in files if _holds_predictions(path)]
    if predictions and len(files) > 1:
        missing = [path for path in predictions if not (is_url(path) or Path(path).exists())]
        if missing:
            raise InputError("no such file", path=missing[0], hint="check the path")
        raise OptionError(
            f"{predictions[0]} holds predictions, but there are several files",
            hint="bbc correct FILE... -o report.html if they belong together, "
            "else bbc batch FILE... -o results.html",
        )
    return bool(predictions)


def _holds_predictions(path: str) -> bool:
    """True if a file holds predictions, not saved results; refuse the table of a batch."""
    from bbccli.documents.loading import is_batch, is_table
    from bbccli.reading.sources import is_result

    exists, suffix = Path(path).exists(), Path(path).suffix.lower()
    if path == "-" or suffix == ".json" or (suffix == ".jsonl" and not exists):
        return False
    if exists and is_table(path) and is_batch(path):
        raise OptionError(
            f"{path} is a table, which lacks the complete results",
            hint="have bbc batch write .jsonl",
        )
    return not is_result(path)


def _write_figures(exhibits: Sequence[Exhibit], folder: str) -> None:
    """Write every possible figure of one result, in all forms; refuse several results."""
    from bbccli.cli.output import write
    from bbccli.reports.figures import KINDS, Drawn, draw
    from bbccli.reports.figures.rendering import PICTURES, check_can_render, exported
    from bbccli.reports.page.of_blocks import figures_of

    check_can_render()
    if len(exhibits) != 1:
        raise OptionError(
            f"--figures is for a single result, but there are {len(exhibits)}",
            hint="run bbc report on one saved result at a time",
        )
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"cannot make the folder {folder}: {error.strerror or error}",
            hint="name a folder, or a place where one can be made, with --figures",
        ) from error
    (exhibit,) = exhibits
    compared = exhibit.document.command == "compare"
    every = figures_of(exhibit) if compared else [draw(kind, exhibit) for kind in KINDS]
    for drawn in (figure for figure in every if isinstance(figure, Drawn)):
        for form in PICTURES:
            write(exported(drawn, form), str(Path(folder) / f"{drawn.kind}.{form}"))
