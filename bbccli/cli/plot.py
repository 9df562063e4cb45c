"""`bbc plot`: one figure of a result, or of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from bbccli.analysis import Analysis
from bbccli.cli.command import command, reads_files
from bbccli.cli.shared import Jobs, Quiet, WorkOptions
from bbccli.core.option import Option, Scope


def _kinds() -> Iterable[str]:
    from bbccli.reports.figures import KINDS, OF_COMPARISONS

    return (*KINDS, *OF_COMPARISONS)


Given = Annotated[
    Sequence[str],
    Option(
        "A saved result (.json), or out-of-sample predictions as bbc correct takes them. Some "
        "figures need the predictions; differences and cd need a saved result of bbc compare.",
        metavar="FILE...",
        positional=True,
    ),
]
Kind = Annotated[str, Option("What to draw: {names}.", metavar="KIND", names=_kinds)]
Picture = Annotated[
    str,
    Option(
        "File for the figure: .svg, .png, .pdf, or .vl.json for any Vega editor.",
        metavar="PATH",
        flags=("--output", "-o"),
        scope=Scope.RUN,
    ),
]
GATE = ("fail_under", "fail_over", "gate_on", "gate_method")


@command(without=GATE)
@reads_files
def plot(
    files: Given,
    output: Picture,
    asked: Analysis,
    work: WorkOptions,
    kind: Kind = "forest",
    jobs: Jobs = None,
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
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.output import check_writable, write
    from bbccli.cli.pages import exhibit_of, exhibit_of_comparison, picture_form, saved_exhibit
    from bbccli.core import resources
    from bbccli.errors import UndefinedError
    from bbccli.reports.figures import OF_COMPARISONS, Absent, draw
    from bbccli.reports.figures.rendering import exported

    asked.check()
    form = picture_form(output)
    check_writable({"--output": output})
    exhibit = exhibit_of_comparison(files) if kind in OF_COMPARISONS else saved_exhibit(files)
    if exhibit is None:
        with resources.use(work.resources(jobs)), progress_bar(quiet=quiet) as progress:
            found = answer(asked, files, cost=kind == "cost", progress=progress)
            exhibit = exhibit_of(asked, files, found)
    drawn = draw(kind, exhibit)
    if isinstance(drawn, Absent):
        raise UndefinedError(f"there is no figure {kind}: {drawn.reason}", hint="another --kind")
    write(exported(drawn, form), output)
