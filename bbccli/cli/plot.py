"""`bbc plot`: one figure of a result, or of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bbccli.analysis.options import Analysis, command_line
from bbccli.cli.command import command
from bbccli.cli.pages import PICTURES, is_result
from bbccli.cli.shared import GATE, Quiet, ThreadOptions, files_argument, output_option
from bbccli.core.option import Option, names_in
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.reports.evidence import Exhibit


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
    """Draw one figure of a result, or of predictions.

    Pictures are drawn by vl-convert-python, of the extra bbccli[report];
    .vl.json needs nothing.

    Examples:
      bbc plot result.json -o forest.svg
      bbc plot sample_data/progression.parquet --kind cost -o cost.png
      bbc plot predictions.csv --kind roc --metric auc -o roc.vl.json
      bbc plot compared.json --kind cd -o cd.svg
    """
    from bbccli.analysis.answer import answer
    from bbccli.cli.output import check_writable, write
    from bbccli.errors import UndefinedError
    from bbccli.reports.figures import OF_COMPARISONS, Absent, draw
    from bbccli.reports.figures.rendering import exported

    analysis.check()
    form = _picture_form(output)
    check_writable({"--output": output})
    exhibit = _compared(files) if kind in OF_COMPARISONS else _saved(files)
    if exhibit is None:
        with work.working(quiet=quiet) as progress:
            found = answer(analysis, files, cost=kind == "cost", progress=progress)
            from bbccli.reports.evidence.gathering import exhibit_of

            exhibit = exhibit_of(analysis, found, command_line(analysis, files))
    drawn = draw(kind, exhibit)
    if isinstance(drawn, Absent):
        raise UndefinedError(f"there is no figure {kind}: {drawn.reason}", hint="another --kind")
    write(exported(drawn, form), output)


def _picture_form(path: str) -> str:
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


def _saved(files: Sequence[str]) -> Exhibit | None:
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


def _compared(files: Sequence[str]) -> Exhibit:
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
