"""The questions of `bbc plan`: their options, and from a pilot, or stated values, to a document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bbccli.analysis.options import GapOptions, InputOptions, PlanOptions, metric_option
from bbccli.core.option import Panel, Scope, option
from bbccli.core.progress import Progress, enter, silent
from bbccli.errors import OptionError, parameter

if TYPE_CHECKING:
    from bbccli.core.documents import Document
    from bbccli.planning import PlanRequest, Stated
    from bbccli.planning.studies import PlanBasis
    from bbccli.schema.plan import PlanEnvelope

WITHOUT = frozenset({"side", "evaluation_share", "tolerance", "outer_fold", "select"})
"""Options of its groups that a plan does not have."""

LARGEST_COUNT = 1_000_000
"""Rows, and the square of configurations, of a cell."""

MOST_CONFIGURATIONS = 100_000
MOST_CELLS = 100

STATED_METRIC = "auc"
"""Metric where values are stated and none is named."""

TARGETS = ("width", "optimism", "difference")
"""Options that ask for rows."""

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
    difference: float | None = _of_run(
        None,
        "Rows that tell apart two configurations, named beforehand, that differ by this much.",
        "D",
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
        "With --width: rows with which this share of studies gets so narrow an interval. With "
        "--difference: the share that tells the two apart.",
        "P",
        default="so narrow on average; 0.8 of a difference",
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

    def check_options(self, *, pilot: bool) -> None:
        """Refuse options that are wrong for any pilot, or without one.

        Raises
        ------
        OptionError
            As `question` and `plan`; values that are stated beside a pilot, or lack without one.
        """
        from bbccli.metrics import metric_named
        from bbccli.planning import check_statable

        self.plan({})
        self.question()
        if not pilot:
            check_statable(metric_named(self.metric or STATED_METRIC))
            self.stated()
            return
        for name in ("expected", "prevalence", "spread", "correlation"):
            if getattr(self, name) is not None:
                raise OptionError(
                    f"{parameter(name)} is for a plan without a pilot, which tells it",
                    hint="leave out the file, or the option",
                )

    def answer(self, pilot: Any = None, progress: Progress = silent) -> Document[PlanEnvelope]:
        """Plan, and return the document.

        Parameters
        ----------
        pilot
            Files, a table in memory, or a matrix that was read; None for stated values.

        Raises
        ------
        BbcError
            Whatever keeps the question from having an answer.
        """
        from bbccli.analysis.answer import working
        from bbccli.metrics import choose_metrics, metric_named
        from bbccli.planning import of_pilot, of_stated, planned_for
        from bbccli.schema.plan import plan_document

        plan, matrix = self.plan({}), None
        if pilot is None:
            metric = metric_named(self.metric or STATED_METRIC)
            basis: PlanBasis = of_stated(metric, self.stated(), plan.seed)
        else:
            enter(progress, "reading")
            matrix = self.scored(self.read_files(pilot, missing=self.missing), None)
            names = [self.metric] if self.metric else None
            metric = choose_metrics(names, matrix)[0]
            plan = self.plan(matrix.source.metadata)
            enter(progress, "resampling")
            with working(names, matrix):
                basis = of_pilot(matrix, metric, plan)
        enter(progress, "planning")
        return plan_document(matrix, plan, planned_for(basis, self.question(), plan, progress))

    def question(self) -> PlanRequest:
        """Return the request.

        Raises
        ------
        OptionError
            A target that is not above 0, two targets, or counts that are none.
        """
        from bbccli.planning import PlanRequest, Target

        self._check_sizes()
        samples = counts("samples", self.samples, LARGEST_COUNT)
        configurations = counts("configurations", self.configurations, MOST_CONFIGURATIONS)
        if len(samples) * max(len(configurations), 3) > MOST_CELLS:
            raise OptionError(
                f"the table would have more than {MOST_CELLS} cells", hint="name fewer of them"
            )
        asked = {one: getattr(self, one) for one in Target if getattr(self, one) is not None}
        target, value = next(iter(asked.items()), (None, 0.0))
        return PlanRequest(
            *(target, value, samples, configurations),
            *(self.within, self.assurance, self.check, self.details),
        )

    def _check_sizes(self) -> None:
        asked = []
        for name in TARGETS:
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise OptionError(
                    f"{parameter(name)} is {value:g}", hint="more than 0, such as 0.1"
                )
            asked += [name] if value is not None else []
        if len(asked) > 1:
            raise OptionError(
                f"{parameter(asked[0])} and {parameter(asked[1])} are two questions",
                hint="ask them one by one",
            )
        if self.within is not None and not 0 <= self.within < math.inf:
            raise OptionError(
                f"{parameter('within')} is {self.within:g}", hint="0 or more, such as 0.01"
            )

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
                hint=f"bbc plan FILE, or {parameter('expected', 0.85)} "
                f"{parameter('configurations', 200)} {parameter('width', 0.1)}",
            )
        if self.configurations is None and self.difference is None:
            raise OptionError(
                f"{parameter('expected')} is that of the best of how many?",
                hint=parameter("configurations", 200),
            )
        if all(getattr(self, name) is None for name in (*TARGETS, "samples")):
            raise OptionError(
                "nothing is asked for",
                hint=f"{parameter('width')}, {parameter('optimism')} or {parameter('samples')}",
            )
        return Stated(
            self.expected,
            max(counts("configurations", self.configurations or "2", MOST_CONFIGURATIONS)),
            PREVALENCE if self.prevalence is None else self.prevalence,
            SPREAD if self.spread is None else self.spread,
            CORRELATION if self.correlation is None else self.correlation,
        )


def counts(name: str, text: str | None, most: int) -> tuple[int, ...]:
    """Return the whole numbers of a list that is given by a parameter, each once.

    Raises
    ------
    OptionError
        Something else, or a number out of range.

    Examples
    --------
    >>> counts("samples", "200, 400,200", 1000)
    (200, 400)
    """
    if text is None:
        return ()
    found = []
    for part in text.split(","):
        word = part.strip()
        if not word.isdecimal() or not word.isascii() or len(word) > 12 or int(word) < 1:
            raise OptionError(
                f"{parameter(name)} is {text[:60]!r}",
                hint="whole numbers from 1, such as 200,400,800",
            )
        if int(word) > most:
            raise OptionError(
                f"{parameter(name)} has {word}, over {most:,}", hint=f"at most {most:,}"
            )
        found.append(int(word))
    return tuple(dict.fromkeys(found))
