"""`bbc plan`: how many rows and configurations a study needs, before it is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from bbccli.analysis.options import GapOptions, InputOptions, PlanOptions, metric_option
from bbccli.cli.command import command
from bbccli.cli.shared import PrintOptions, ThreadOptions, files_argument, form_option
from bbccli.core.option import Panel, Scope, option
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.planning import PlanRequest, Stated
    from bbccli.planning.studies import PlanBasis

LARGEST_COUNT = 1_000_000
"""Rows, and the square of configurations, of a cell."""

MOST_CONFIGURATIONS = 100_000
MOST_CELLS = 100

PREVALENCE, SPREAD, CORRELATION = 0.5, 0.03, 0.8
"""Assumed where nothing is stated; shown with every result."""


def _stated(text: str, metavar: str, default: str = "") -> Any:
    return option(None, text, metavar, panel=Panel.METHOD, default=default, scope=Scope.RUN)


_of_run = partial(option, scope=Scope.RUN)


@dataclass(frozen=True, kw_only=True)
class PlanningOptions:
    """Targets of a plan, and values in place of a pilot."""

    width: float | None = _of_run(
        None, "Rows for an interval of the winner of at most this width.", "W"
    )
    optimism: float | None = _of_run(
        None, "Rows for a naive figure that is at most so much too good, on average.", "D"
    )
    samples: str | None = _of_run(
        None,
        "Rows of the table, such as 200,400,800.",
        "N,...",
        default="those of the answer, and twice as many",
    )
    configurations: str | None = _of_run(
        None,
        "Configurations of the table, such as 10,100,1000; the answer is for the most.",
        "C,...",
        default="those of the pilot",
    )
    assurance: float | None = _of_run(
        None,
        "With --width: rows with which this share of studies gets so narrow an interval.",
        "P",
        default="so narrow on average",
    )
    check: bool = _of_run(
        False, "Simulate many studies of the size answered; the answer follows what they show."
    )
    details: bool = option(
        False,
        "Also show half and twice as many configurations, and what the plan rests on.",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    )
    metric: str | None = metric_option(default="the first that fits the task; auc without a pilot")
    expected: float | None = _stated(
        "Without a pilot: true performance of the best configuration. The corrected value of "
        "a similar study, never its naive one.",
        "V",
    )
    prevalence: float | None = _stated(
        "Without a pilot: share of the positive class.", "P", f"{PREVALENCE:g}"
    )
    spread: float | None = _stated(
        "Without a pilot: standard deviation of the true performances.", "D", f"{SPREAD:g}"
    )
    correlation: float | None = _stated(
        "Without a pilot: correlation of what chance does to two configurations.",
        "R",
        f"{CORRELATION:g}",
    )
    within: float | None = _of_run(
        None,
        "How far from the best still counts as near the best.",
        "D",
        panel=Panel.METHOD,
        default="a hundredth of the metric's range, or of the expected performance",
    )


@dataclass(frozen=True, kw_only=True)
class Planning(InputOptions, GapOptions, PlanOptions, PlanningOptions):
    """All options that a plan depends on."""

    def question(self) -> PlanRequest:
        """Return the request.

        Raises
        ------
        OptionError
            A target that is not above 0, two targets, or counts that are none.
        """
        from bbccli.planning import PlanRequest, Target

        self._check_sizes()
        samples = counts("--samples", self.samples, LARGEST_COUNT)
        configurations = counts("--configurations", self.configurations, MOST_CONFIGURATIONS)
        if len(samples) * max(len(configurations), 3) > MOST_CELLS:
            raise OptionError(
                f"the table would have more than {MOST_CELLS} cells", hint="name fewer of them"
            )
        target = Target.WIDTH if self.width is not None else None
        target = Target.OPTIMISM if self.optimism is not None else target
        value = self.optimism if self.width is None else self.width
        return PlanRequest(
            *(target, value or 0.0, samples, configurations),
            *(self.within, self.assurance, self.check, self.details),
        )

    def _check_sizes(self) -> None:
        for flag, value in (("--width", self.width), ("--optimism", self.optimism)):
            if value is not None and not 0 < value < math.inf:
                raise OptionError(f"{flag} is {value:g}", hint="more than 0, such as 0.1")
        if self.width is not None and self.optimism is not None:
            raise OptionError(
                "--width and --optimism are two questions", hint="ask them one by one"
            )
        if self.within is not None and not 0 <= self.within < math.inf:
            raise OptionError(f"--within is {self.within:g}", hint="0 or more, such as 0.01")

    def stated(self) -> Stated:
        """Return the stated values of a study without a pilot.

        Raises
        ------
        OptionError
            Neither a pilot nor an expected value; nothing that tells the configurations or rows.
        """
        from bbccli.planning import Stated

        if self.expected is None:
            raise OptionError(
                "a plan needs a pilot or an expected value",
                hint="bbc plan FILE, or --expected 0.85 --configurations 200 --width 0.1",
            )
        if self.configurations is None:
            raise OptionError(
                "--expected is that of the best of how many?", hint="--configurations 200"
            )
        if self.width is None and self.optimism is None and self.samples is None:
            raise OptionError("nothing is asked for", hint="--width, --optimism or --samples")
        return Stated(
            self.expected,
            max(counts("--configurations", self.configurations, MOST_CONFIGURATIONS)),
            PREVALENCE if self.prevalence is None else self.prevalence,
            SPREAD if self.spread is None else self.spread,
            CORRELATION if self.correlation is None else self.correlation,
        )

    def check_no_statement(self) -> None:
        """Refuse values that only go without a pilot.

        Raises
        ------
        OptionError
            A stated value beside a pilot.
        """
        for name in ("expected", "prevalence", "spread", "correlation"):
            if getattr(self, name) is not None:
                raise OptionError(
                    f"--{name} is for a plan without a pilot, which tells it",
                    hint="leave out the file, or the option",
                )


def counts(option: str, text: str | None, most: int) -> tuple[int, ...]:
    """Return the whole numbers of a list, each once.

    Raises
    ------
    OptionError
        Something else, or a number out of range.

    Examples
    --------
    >>> counts("--samples", "200, 400,200", 1000)
    (200, 400)
    """
    if text is None:
        return ()
    found = []
    for part in text.split(","):
        word = part.strip()
        if not word.isdecimal() or not word.isascii() or len(word) > 12 or int(word) < 1:
            raise OptionError(
                f"{option} is {text[:60]!r}", hint="whole numbers from 1, such as 200,400,800"
            )
        if int(word) > most:
            raise OptionError(f"{option} has {word}, over {most:,}", hint=f"at most {most:,}")
        found.append(int(word))
    return tuple(dict.fromkeys(found))


WITHOUT = (*("side", "evaluation_share", "tolerance", "outer_fold", "select"),)

Pilot = Annotated[
    Sequence[str],
    files_argument(
        "Pilot: out-of-sample predictions, as for bbc correct. Without one, state values.", "none"
    ),
]


@command(without=WITHOUT, reads=True)
def plan(
    planning: Planning,
    work: ThreadOptions,
    files: Pilot = (),
    format: Annotated[str, form_option("plan")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Show how many rows and configurations a study needs.

    Says what to expect of a search before it is made: the naive figure, the honest one, the width
    of the interval, and the rows that a wanted width takes.

    Examples:
      bbc plan pilot.parquet --width 0.10
      bbc plan pilot.parquet --samples 200,400,800 --configurations 10,100,1000
      bbc plan --expected 0.85 --prevalence 0.3 --configurations 200 --width 0.10
    """
    from bbccli.analysis.answer import working
    from bbccli.cli.output import form_for, publish
    from bbccli.cli.streams import say
    from bbccli.core.progress import enter
    from bbccli.metrics import choose_metrics, metric_named
    from bbccli.planning import check_statable, of_pilot, of_stated, planned_for
    from bbccli.reports import FORMS, Kind
    from bbccli.reports.content.plan import answer
    from bbccli.schema.plan import plan_document

    given, matrix = planning.plan({}), None
    planning.question()
    if files:
        planning.check_no_statement()
    else:
        check_statable(metric_named(planning.metric or "auc"))
        planning.stated()
    form = FORMS[form_for(format, where, Kind.PLAN) or format]
    with work.working(quiet=where.quiet) as progress:
        if files:
            enter(progress, "reading")
            matrix = planning.scored(planning.read_files(files, missing=planning.missing), None)
            names = [planning.metric] if planning.metric else None
            metric = choose_metrics(names, matrix)[0]
            given = planning.plan(matrix.source.metadata)
            enter(progress, "resampling")
            with working(names, matrix):
                basis: PlanBasis = of_pilot(matrix, metric, given)
        else:
            metric = metric_named(planning.metric or "auc")
            basis = of_stated(metric, planning.stated(), given.seed)
        enter(progress, "planning")
        planned = planned_for(basis, planning.question(), given, progress)
        found = plan_document(matrix, given, planned)
    publish([found], form.name, where, Kind.PLAN)
    if not form.for_people and not where.quiet:
        say(answer(found.record))
