"""`bbc simulate`: predictions whose true performances are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet, output_option
from bbccli.core.option import Option, Scope, names_in, option
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.planning.simulation import Study

MOST_PREDICTIONS = 10**8
"""Of one file."""

MOST_FILES = 10_000


def _number(value: Any, text: str, metavar: str, default: str = "") -> Any:
    return option(value, text, metavar, default=default, scope=Scope.RUN)


def _pair(text: str) -> tuple[float, float]:
    """Two numbers, parted by a comma."""
    try:
        first, second = map(float, text.split(","))
    except ValueError:
        raise OptionError(f"--beta is {text[:60]!r}", hint="two numbers above 0: 9,6") from None
    return first, second


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Options of the simulated study."""

    samples: int = _number(100, "Rows.", "N")
    configurations: int = _number(100, "Configurations.", "C")
    folds: int = _number(10, "Folds, or as many as the rarest class has samples.", "F")
    balance: float | None = _number(None, "Two classes: share of class 0.", "P", "0.5")
    classes: int | None = _number(None, "multinormal: classes.", "K", "3")
    correlation: float = _number(
        0.0, "Correlation of the normal numbers behind two configurations.", "R"
    )
    beta: str = _number("9,6", "Beta law of the true performances; 1 less it of an error.", "A,B")
    seed: int = _number(0, "Seed; same seed, same files.", "N")

    def study(self, law: str) -> Study:
        """Return the study that is asked for.

        Raises
        ------
        OptionError
            An option out of range, or that the law does not take.
        """
        from bbccli.planning.simulation import Study

        n_predictions = self.samples * self.configurations * (self.classes or 3)
        if n_predictions > 3 * MOST_PREDICTIONS:
            raise OptionError(
                f"a file would hold {self.samples * self.configurations:,} predictions",
                hint=f"at most {MOST_PREDICTIONS:,}: several --files, or fewer rows",
            )
        return Study(
            law=law,
            n_samples=self.samples,
            n_configurations=self.configurations,
            n_folds=self.folds,
            correlation=self.correlation,
            beta=_pair(self.beta),
            seed=self.seed,
            balance=self.balance,
            n_classes=self.classes,
        )


LawName = Annotated[
    str,
    Option(
        "Law of the predictions: {names}.",
        "LAW",
        names=names_in("bbccli.planning.simulation:LAWS"),
        positional=True,
    ),
]
Predictions = Annotated[
    str,
    output_option(
        "Predictions: .parquet, .csv, .tsv, the last two also with .gz and .zst.", "FILE"
    ),
]
Truth = Annotated[str, Option("True performances, as JSON.", "FILE", scope=Scope.RUN)]
NumberOfFiles = Annotated[
    int,
    Option(
        "Files to write, numbered before the ending of FILE; one truth for all.",
        "N",
        scope=Scope.RUN,
    ),
]


@command()
def simulate(
    law: LawName,
    options: StudyOptions,
    output: Predictions,
    truth: Truth,
    files: NumberOfFiles = 1,
    quiet: Quiet = False,
) -> None:
    """Write predictions whose true performances are known.

    No model is trained. Of right-or-wrong they are accuracies, of binormal and multinormal AUCs, of
    noisy mean squared errors.

    Examples:
      bbc simulate binormal -o sim.parquet --truth sim.truth.json
      bbc simulate noisy --samples 300 --beta 24,6 -o sim.csv --truth truth.json
      bbc simulate binormal --files 20 --seed 7 -o sim.parquet --truth sim.truth.json
    """
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.output import write, write_table
    from bbccli.core.documents import as_json
    from bbccli.core.progress import enter
    from bbccli.metrics import METRICS
    from bbccli.readers.conversion import table_of
    from bbccli.reports.json import text_of
    from bbccli.reports.predictions import render_predictions
    from bbccli.version import __version__

    study = options.study(law)
    if not 1 <= files <= MOST_FILES:
        raise OptionError(f"--files is {files}", hint=f"from 1 to {MOST_FILES}")
    paths = _numbered(output, files)
    _check_places(output, truth, paths)
    truths, metric = [], ""
    with progress_bar(quiet=quiet) as progress:
        enter(progress, "simulating")
        for position, path in enumerate(paths):
            simulated = study.drawn(position)
            write_table(render_predictions(*table_of(simulated.matrix), path), path)
            metric, names = simulated.metric, simulated.matrix.configurations
            values = simulated.performances
            best = int((METRICS[metric].direction.sign * values).argmax())
            truths.append(
                {
                    "file": Path(path).name,
                    "best": names[best],
                    "best_value": float(values[best]),
                    "performances": {metric: dict(zip(names, values.tolist(), strict=True))},
                }
            )
            progress(position + 1, files)
    about = {"version": __version__, "metric": metric, **as_json(study), "files": truths}
    write(text_of(about), truth)


def _numbered(output: str, n_files: int) -> list[str]:
    """The path itself, or paths with numbers of the same length before the endings."""
    if n_files == 1:
        return [output]
    path, digits = Path(output), len(str(n_files))
    stem, dot, endings = path.name.partition(".")
    return [
        str(path.with_name(f"{stem}-{number:0{digits}}{dot}{endings}"))
        for number in range(1, n_files + 1)
    ]


def _check_places(output: str, truth: str, paths: list[str]) -> None:
    """Refuse standard output, and a truth in the place of the predictions or their metadata."""
    from bbccli.cli.output import check_apart, check_writable
    from bbccli.readers.sources.opening import metadata_path

    for flag, path in (("--output", output), ("--truth", truth)):
        if path == "-":
            raise OptionError(f"{flag} is standard output", hint="name a file")
    for path in paths:
        check_writable({"--output": path, "--truth": truth})
        check_apart({"the metadata of --output": metadata_path(path), "--truth": truth})
