"""`bbc plan`: options, and from a pilot or stated values to a document."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from bbccli.domain.plan import CLIP
from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import Panel, Scope, option
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, enter, silent
from bbccli.use_cases import GapOptions, InputOptions, PlanOptions, metric_option

if TYPE_CHECKING:
    from bbccli.documents.plan import PlanEnvelope
    from bbccli.planning import PlanRequest, Stated
    from bbccli.planning.studies import PlanBasis

WITHOUT = frozenset({"side", "evaluation_share", "tolerance", "outer_fold", "select"})
"""Options of its groups that a plan does not have."""

LARGEST_COUNT = 1_000_000
"""Limit on rows, and on the square of configurations, of a cell."""

MOST_CONFIGURATIONS = 100_000
MOST_CELLS = 100

STATED_METRIC = "auc"
"""Default metric for stated values."""

TARGETS = ("width", "optimism", "difference")
"""Options that set a target."""

PREVALENCE, SPREAD, CORRELATION = 0.5, 0.03, 0.8
"""Assumed where nothing is stated; shown with every result."""


def _stated(text: str, metavar: str, default: str = "") -> Any:
    return option(None, text, metavar, panel=Panel.METHOD, default=default, scope=Scope.RUN)


_of_run = partial(option, scope=Scope.RUN)


@dataclass(frozen=True, kw_only=True)
class PlanningOptions:
    """Targets of a plan, and values in place of a pilot."""

    width: float | None = _of_run(
        None, ("Find the number of samples for an interval at most this wide."), "W"
    )
    optimism: float | None = _of_run(
        None, "Find the number of samples for an average optimism of at most this much.", "D"
    )
    difference: float | None = _of_run(
        None,
        "Find the number of samples to detect a difference of D between two configurations named "
        "in advance.",
        "D",
    )
    samples: str | None = _of_run(
        None,
        "Numbers of samples in the table, such as 200,400,800.",
        "N,...",
        default="the answer, and twice as many",
    )
    configurations: str | None = _of_run(
        None,
        "Numbers of configurations in the table, such as 10,100,1000; the answer is for the most.",
        "C,...",
        default="as in the pilot",
    )
    assurance: float | None = _of_run(
        None,
        "With --width: the share of studies whose interval is narrow enough. With --difference: "
        "the share that detects the difference (power).",
        "P",
        panel=Panel.METHOD,
        default="narrow enough on average; 0.8 for a difference",
    )
    check: bool = _of_run(
        False,
        "Simulate many studies of the planned size, and adjust the answer accordingly.",
        panel=Panel.METHOD,
    )
    details: bool = option(
        False,
        "Also show half and twice as many configurations, and the assumptions in figures.",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    )
    metric: str | None = metric_option(default="the first that fits the task; auc without a pilot")
    expected: float | None = _stated(
        "Without a pilot: true performance of the best configuration. Take the corrected value of "
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
        "Without a pilot: correlation of the sampling errors of two configurations.",
        "R",
        f"{CORRELATION:g}",
    )
    within: float | None = _of_run(
        None,
        "Distance from the best that still counts as near the best.",
        "D",
        panel=Panel.METHOD,
        default="1% of the metric's range, or of the expected performance",
    )


@dataclass(frozen=True, kw_only=True)
class Planning(InputOptions, GapOptions, PlanOptions, PlanningOptions):
    """All options that a plan depends on."""

    def check_options(self, *, pilot: bool) -> None:
        """Refuse options that are wrong with, or without, a pilot."""
        from bbccli.metrics import metric_named
        from bbccli.planning import check_statable

        self.plan({})
        self.question()
        if not pilot:
            check_statable(metric_named(self.metric or STATED_METRIC))
            self.stated()
        stated = ("expected", "prevalence", "spread", "correlation")
        for name in stated if pilot else ("cap", "clip", "risk_direction"):
            if getattr(self, name) not in (None, CLIP):
                which = "without a pilot; a pilot provides it" if pilot else "with a pilot"
                raise OptionError(
                    f"{parameter(name)} is for a plan {which}",
                    hint=f"leave it out, or {'leave out' if pilot else 'give'} the file",
                )

    def answer(self, pilot: Any = None, progress: Progress = silent) -> PlanEnvelope:
        """Plan from files, a table, a matrix, or stated values (None); return the document."""
        from bbccli.documents.plan import plan_document
        from bbccli.metrics import metric_named
        from bbccli.planning import of_pilot, of_stated, planned_for
        from bbccli.use_cases.correct import measured, working

        plan, matrix = self.plan({}), None
        if pilot is None:
            metric = metric_named(self.metric or STATED_METRIC)
            basis: PlanBasis = of_stated(metric, self.stated(), plan.seed)
        else:
            enter(progress, "reading")
            matrix = self.scored(self.read_files(pilot, missing=self.missing), None)
            matrix, (metric, *_) = measured(self, self.metric, matrix)
            plan = self.plan(matrix.source.metadata)
            enter(progress, "resampling")
            with working(self.metric, matrix):
                basis = of_pilot(matrix, metric, plan)
        enter(progress, "planning")
        return plan_document(matrix, plan, planned_for(basis, self.question(), plan, progress))

    def question(self) -> PlanRequest:
        """Return the request; an OptionError if targets or counts are out of range."""
        from bbccli.planning import PlanRequest, Target

        self._check_sizes()
        samples = counts("samples", self.samples, LARGEST_COUNT)
        configurations = counts("configurations", self.configurations, MOST_CONFIGURATIONS)
        if len(samples) * max(len(configurations), 3) > MOST_CELLS:
            raise OptionError(
                f"the table would have more than {MOST_CELLS} cells", hint="give fewer numbers"
            )
        asked = {t: value for t in Target if (value := getattr(self, t)) is not None}
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
                    f"{parameter(name)} is {value:g}", hint="give more than 0, such as 0.1"
                )
            asked += [name] if value is not None else []
        if len(asked) > 1:
            raise OptionError(
                f"{parameter(asked[0])} and {parameter(asked[1])} are two questions",
                hint="ask one at a time",
            )
        if self.within is not None and not 0 <= self.within < math.inf:
            raise OptionError(
                f"{parameter('within')} is {self.within:g}", hint="0 or more, such as 0.01"
            )

    def stated(self) -> Stated:
        """Return the stated values of a study; an OptionError if some are missing."""
        from bbccli.planning import Stated

        if self.expected is None:
            raise OptionError(
                "a plan needs a pilot or an expected value",
                hint=f"a file, or {parameter('expected', 0.85)} "
                f"{parameter('configurations', 200)} {parameter('width', 0.1)}",
            )
        if self.configurations is None and self.difference is None:
            raise OptionError(
                f"{parameter('expected')} needs the number of configurations searched",
                hint=parameter("configurations", 200),
            )
        if all(getattr(self, name) is None for name in (*TARGETS, "samples")):
            raise OptionError(
                "the plan has no target",
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
    """Return the distinct integers of a list.

    Examples
    --------
    >>> counts("samples", "200, 400,200", 1000)
    (200, 400)
    """
    if text is None:
        return ()
    numbers = []
    for part in text.split(","):
        word = part.strip()
        if not word.isdecimal() or not word.isascii() or len(word) > 12 or int(word) < 1:
            raise OptionError(
                f"{parameter(name)} is {text[:60]!r}",
                hint="give integers from 1, such as 200,400,800",
            )
        if int(word) > most:
            raise OptionError(
                f"{parameter(name)} has {word}, over {most:,}", hint=f"at most {most:,}"
            )
        numbers.append(int(word))
    return tuple(dict.fromkeys(numbers))
