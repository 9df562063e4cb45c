"""`bbc simulate`: predictions with known true performances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.cli.command import command
from bbccli.cli.shared import Quiet, output_option
from bbccli.errors import OptionError
from bbccli.platform.arguments import Option, Scope, names_in, option
from bbccli.platform.dataclass import dataclass

if TYPE_CHECKING:
    from bbccli.planning.simulation import Study

MOST_PREDICTIONS = 10**8
"""Largest number of predictions in a file."""

MOST_FILES = 10_000


def _number(value: Any, text: str, metavar: str, default: str = "") -> Any:
    return option(value, text, metavar, default=default, scope=Scope.RUN)


def _pair(text: str) -> tuple[float, float]:
    """Parse two numbers separated by a comma."""
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
    folds: int = _number(10, "Folds; at most as many as the rarest class has samples.", "F")
    balance: float | None = _number(None, "Two classes: share of class 0.", "P", "0.5")
    classes: int | None = _number(None, "multinormal: classes.", "K", "3")
    correlation: float = _number(
        0.0, "Correlation of the normal variables behind two configurations.", "R"
    )
    beta: str = _number(
        "9,6", "Beta distribution of the true performances; of 1 minus them for errors.", "A,B"
    )
    seed: int = _number(0, "Seed; the same seed gives the same files.", "N")

    def study(self, scenario: str) -> Study:
        """Return the study; an OptionError if an option is out of range or not of this scenario."""
        from bbccli.planning.simulation import Study

        n_predictions = self.samples * self.configurations * (self.classes or 3)
        if n_predictions > 3 * MOST_PREDICTIONS:
            raise OptionError(
                f"a file would hold {self.samples * self.configurations:,} predictions",
                hint=f"at most {MOST_PREDICTIONS:,}: use several --files, or fewer --samples",
            )
        return Study(
            law=scenario,
            n_samples=self.samples,
            n_configurations=self.configurations,
            n_folds=self.folds,
            correlation=self.correlation,
            beta=_pair(self.beta),
            seed=self.seed,
            balance=self.balance,
            n_classes=self.classes,
        )


Scenario = Annotated[
    str,
    Option(
        "Scenario to simulate: {names}.",
        "SCENARIO",
        names=names_in("bbccli.planning.simulation:LAWS"),
        positional=True,
    ),
]
Predictions = Annotated[
    str,
    output_option("Predictions: .parquet, .csv or .tsv, the last two also as .gz or .zst.", "FILE"),
]
Truth = Annotated[str, Option("True performances, as JSON.", "FILE", scope=Scope.RUN)]
NumberOfFiles = Annotated[
    int,
    Option(
        "Number of files, numbered before the ending of FILE; --truth describes them all.",
        "N",
        scope=Scope.RUN,
    ),
]


@command()
def simulate(
    scenario: Scenario,
    options: StudyOptions,
    output: Predictions,
    truth: Truth,
    files: NumberOfFiles = 1,
    quiet: Quiet = False,
) -> None:
    """Simulate predictions with known true performances.

    No model is trained. The true performances are accuracies for right-or-wrong, AUCs for binormal
    and multinormal, and mean squared errors for noisy.

    Examples:
      bbc simulate binormal -o sim.parquet --truth sim.truth.json
      bbc simulate noisy --samples 300 --beta 24,6 -o sim.csv --truth truth.json
      bbc simulate binormal --files 20 -o sim.parquet --truth sim.truth.json
    """
    from bbccli.cli.output import tell_written, write, write_table
    from bbccli.cli.shared import progress_bar
    from bbccli.metrics import METRICS
    from bbccli.platform.records import as_json
    from bbccli.platform.resources import enter
    from bbccli.reading.conversion import table_of
    from bbccli.reports.forms.json import text_of
    from bbccli.reports.forms.predictions import render_predictions
    from bbccli.version import __version__

    study = options.study(scenario)
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
    written = paths[0] if files == 1 else f"{paths[0]} to {paths[-1]}"
    for path in () if quiet else (written, truth):
        tell_written([], path)


def _numbered(output: str, n_files: int) -> list[str]:
    """Return the path itself, or paths with numbers of equal length before the ending."""
    if n_files == 1:
        return [output]
    path, digits = Path(output), len(str(n_files))
    stem, dot, endings = path.name.partition(".")
    return [
        str(path.with_name(f"{stem}-{number:0{digits}}{dot}{endings}"))
        for number in range(1, n_files + 1)
    ]


def _check_places(output: str, truth: str, paths: list[str]) -> None:
    """Refuse standard output, and a truth that would overwrite predictions or metadata."""
    from bbccli.cli.output import check_apart, check_writable
    from bbccli.reading.sources import metadata_path

    for flag, path in (("--output", output), ("--truth", truth)):
        if path == "-":
            raise OptionError(f"{flag} can't be standard output", hint="name a file")
    for path in paths:
        check_writable({"--output": path, "--truth": truth})
        check_apart({"the metadata of --output": metadata_path(path), "--truth": truth})
