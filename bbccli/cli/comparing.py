"""Options of `bbc compare` alone, and which of them go together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from bbccli.analysis.asked import metric_names
from bbccli.choices import Adjustment
from bbccli.errors import OptionError
from bbccli.option import Option, Panel, Scope


class Question(StrEnum):
    """What is asked: each has options of its own."""

    SET = "the set of the best"
    BASELINE = "--baseline"
    FAMILIES = "--by"
    PAIRS = "--pair or --test"
    ACROSS = "--across"


class FailUnless(StrEnum):
    """What the first comparison has to show."""

    BETTER = "better"
    NOT_WORSE = "not-worse"


def _tests() -> Iterable[str]:
    from bbccli.comparisons.across import TESTS as ACROSS
    from bbccli.comparisons.pairs import TESTS

    return (*TESTS, *ACROSS, "all")


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What is compared with what, and how."""

    baseline: Annotated[
        str | None,
        Option(
            "Compare the winner with this configuration, and allow for its selection.",
            metavar="NAME",
            scope=Scope.COMMAND,
        ),
    ] = None
    by: Annotated[
        str | None,
        Option(
            "Compare families: configurations that share this key of the metadata, or what "
            "'regex:(...)' finds in their names.",
            metavar="NAME",
            scope=Scope.COMMAND,
        ),
    ] = None
    pair: Annotated[
        tuple[str, str] | None,
        Option(
            "Test two configurations named beforehand.",
            metavar="A B",
            scope=Scope.RUN,
        ),
    ] = None
    test: Annotated[
        Sequence[str] | None,
        Option(
            "Test of --pair, else of every pair, or with --across of the families: {names}. "
            "Repeatable.",
            metavar="NAME",
            names=_tests,
            open=True,
            panel=Panel.METHOD,
            default="the one that fits the metric",
            scope=Scope.COMMAND,
        ),
    ] = None
    across: Annotated[
        bool,
        Option(
            "Each file is a data set: rank families, or configurations, over all.",
            scope=Scope.RUN,
        ),
    ] = False
    metric: Annotated[
        str | None,
        Option(
            "Metric; see bbc metrics.",
            metavar="NAME",
            names=metric_names,
            open=True,
            default="the first that fits the task",
        ),
    ] = None
    fail_unless: Annotated[
        FailUnless | None,
        Option(
            "Exit with 3 unless the first comparison shows this, 4 if it can't tell.",
            scope=Scope.COMMAND,
        ),
    ] = None
    margin: Annotated[
        float,
        Option(
            "Better is better by more than D, and not worse is worse by less than D.",
            metavar="D",
            panel=Panel.METHOD,
            scope=Scope.COMMAND,
        ),
    ] = 0.0
    rope: Annotated[
        float,
        Option(
            "Bayesian tests: differences up to this count as none.",
            metavar="D",
            panel=Panel.METHOD,
            scope=Scope.COMMAND,
        ),
    ] = 0.0
    adjust: Annotated[
        Adjustment | None,
        Option(
            "Adjust p-values for the number of comparisons.",
            panel=Panel.METHOD,
            default="holm",
            scope=Scope.COMMAND,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        Option(
            "Binary tasks: predict the positive class above this score.",
            metavar="X",
            panel=Panel.METHOD,
            default="0.5 for probabilities, none for unbounded scores",
        ),
    ] = None

    def question(self, n_files: int) -> Question:
        """Return what is asked, once the options are known to go together.

        Parameters
        ----------
        n_files
            How many were given: two are two families, unless each is a data set.

        Raises
        ------
        OptionError
            Options of several questions, or of another one; a margin that is not one.
        """
        self._check_sizes()
        asked = {
            Question.BASELINE: self.baseline is not None,
            Question.PAIRS: self.pair is not None,
            Question.ACROSS: self.across,
        }
        found = [question for question, is_asked in asked.items() if is_asked]
        if len(found) > 1:
            raise OptionError(
                f"{found[0]} and {found[1]} are two questions", hint="ask them one by one"
            )
        of_families = self.by is not None or n_files > 1
        question = found[0] if found else Question.SET
        if question is Question.SET and of_families:
            question = Question.FAMILIES
        if question is Question.SET and self.test:
            question = Question.PAIRS
        self._check_fits(question)
        return question

    def _check_sizes(self) -> None:
        for option, value in (("--margin", self.margin), ("--rope", self.rope)):
            if not 0 <= value < math.inf:
                raise OptionError(f"{option} is {value:g}", hint="0 or more, in the metric's unit")

    def _check_fits(self, question: Question) -> None:
        """Refuse an option that the question has no use for."""
        selected = (Question.BASELINE, Question.FAMILIES)
        tested = (Question.PAIRS, Question.ACROSS)
        fits = {
            "--by": (self.by, (Question.FAMILIES, Question.ACROSS)),
            "--test": (self.test, tested),
            "--margin": (self.margin, selected),
            "--rope": (self.rope, (Question.PAIRS,)),
            "--adjust": (self.adjust, tested),
            "--fail-unless": (self.fail_unless, (*selected, Question.PAIRS)),
        }
        for option, (value, questions) in fits.items():
            if value and question not in questions:
                needed = " or ".join(one for one in questions if one != option)
                alone = ", or alone" if option in questions else ""
                raise OptionError(
                    f"{option} does not go with {question}", hint=f"it goes with {needed}{alone}"
                )
        self._check_tests(question)
        self._check_rope()

    def _check_tests(self, question: Question) -> None:
        """Refuse a test over data sets where there is one."""
        from bbccli.comparisons.across import TESTS

        for name in self.test or ():
            if question is Question.PAIRS and name in TESTS:
                raise OptionError(
                    f"{name} is a test over data sets", hint="--across, with a file for each"
                )

    def _check_rope(self) -> None:
        """Refuse a rope that no test looks at."""
        if not self.rope:
            return
        from bbccli.comparisons.pairs import ALL, TESTS

        bayesian = [name for name, test in TESTS.items() if test.bayesian]
        if not {ALL, *bayesian} & {*(self.test or ())}:
            raise OptionError(
                f"--rope is for {' and '.join(bayesian)}, and neither is asked for",
                hint=f"--test {bayesian[0]}",
            )
