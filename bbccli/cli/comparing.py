"""From the options of `bbc compare`, and which of them go together, to its document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from bbccli.analysis.asked import metric_names
from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.core.choices import Adjustment, Missing
from bbccli.core.option import Panel, Scope, option
from bbccli.core.progress import Progress, enter
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.comparisons.records import BestSet, Comparison
    from bbccli.core.documents import Document
    from bbccli.core.matrix import PredictionMatrix
    from bbccli.core.notes import Note
    from bbccli.core.plan import Plan
    from bbccli.metrics import Metric
    from bbccli.schema.compare import CompareEnvelope

MOST_PAIRED = 20
"""Configurations of which all pairs are tested; more are to be named."""


class Question(StrEnum):
    """The questions that `bbc compare` answers; each has options of its own."""

    SET = "the set of the best"
    BASELINE = "--baseline"
    FAMILIES = "--by"
    PAIRS = "--pair or --test"
    ACROSS = "--across"


class FailUnless(StrEnum):
    """Verdicts that can be required of the first comparison."""

    BETTER = "better"
    NOT_WORSE = "not-worse"


def _tests() -> Iterable[str]:
    from bbccli.comparisons.across import TESTS as ACROSS
    from bbccli.comparisons.pairs import TESTS

    return (*TESTS, *ACROSS, "all")


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options on the pairs to compare, and the tests."""

    baseline: str | None = option(
        None,
        "Compare the winner with this configuration, and allow for its selection.",
        "NAME",
        scope=Scope.COMMAND,
    )
    by: str | None = option(
        None,
        "Compare families: configurations that share this key of the metadata, or what "
        "'regex:(...)' finds in their names.",
        "NAME",
        scope=Scope.COMMAND,
    )
    pair: tuple[str, str] | None = option(
        None, "Test two configurations named beforehand.", "A B", scope=Scope.RUN
    )
    test: Sequence[str] | None = option(
        None,
        "Test of --pair, else of every pair, or with --across of the families: {names}. "
        "Repeatable.",
        "NAME",
        names=_tests,
        open=True,
        panel=Panel.METHOD,
        default="the one that fits the metric",
        scope=Scope.COMMAND,
    )
    across: bool = option(
        False,
        "Each file is a data set: rank families, or configurations, over all.",
        scope=Scope.RUN,
    )
    metric: str | None = option(
        None,
        "Metric; see bbc metrics.",
        "NAME",
        names=metric_names,
        open=True,
        default="the first that fits the task",
    )
    fail_unless: FailUnless | None = option(
        None,
        "Exit with 3 unless the first comparison shows this, 4 if it can't tell.",
        scope=Scope.COMMAND,
    )
    margin: float = option(
        0.0,
        "Better is better by more than D, and not worse is worse by less than D.",
        "D",
        panel=Panel.METHOD,
        scope=Scope.COMMAND,
    )
    rope: float = option(
        0.0,
        "Bayesian tests: differences up to this count as none.",
        "D",
        panel=Panel.METHOD,
        scope=Scope.COMMAND,
    )
    adjust: Adjustment | None = option(
        None,
        "Adjust p-values for the number of comparisons.",
        panel=Panel.METHOD,
        default="holm",
        scope=Scope.COMMAND,
    )
    threshold: float | None = option(
        None,
        "Binary tasks: predict the positive class above this score.",
        "X",
        panel=Panel.METHOD,
        default="0.5 for probabilities, none for unbounded scores",
    )

    def question(self, n_files: int) -> Question:
        """Return what is asked, once the options are known to go together.

        Parameters
        ----------
        n_files
            Number of files: two are two families, unless each is a data set.

        Raises
        ------
        OptionError
            Options of several questions, or of another one; a margin that is not one.
        """
        for flag, value in (("--margin", self.margin), ("--rope", self.rope)):
            if not 0 <= value < math.inf:
                raise OptionError(f"{flag} is {value:g}", hint="0 or more, in the metric's unit")
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
        for flag, (value, questions) in fits.items():
            if value and question not in questions:
                needed = " or ".join(one for one in questions if one != flag)
                alone = ", or alone" if flag in questions else ""
                raise OptionError(
                    f"{flag} does not go with {question}", hint=f"it goes with {needed}{alone}"
                )
        if self.test or self.rope:
            self._check_tests(question)

    def _check_tests(self, question: Question) -> None:
        """Refuse a test over data sets where there is one, and a rope that no test looks at."""
        from bbccli.comparisons.across import TESTS as ACROSS
        from bbccli.comparisons.pairs import ALL, TESTS

        names = tuple(self.test or ())
        over_sets = [name for name in names if name in ACROSS]
        if question is Question.PAIRS and over_sets:
            raise OptionError(
                f"{over_sets[0]} is a test over data sets", hint="--across, with a file for each"
            )
        bayesian = [name for name, test in TESTS.items() if test.bayesian]
        if self.rope and not {ALL, *bayesian} & {*names}:
            raise OptionError(
                f"--rope is for {' and '.join(bayesian)}, and neither is asked for",
                hint=f"--test {bayesian[0]}",
            )


@dataclass(frozen=True, slots=True)
class Asked:
    """All options that the answer depends on."""

    options: CompareOptions
    planned: PlanOptions
    gaps: GapOptions
    how: InputOptions

    def read(self, file: str | Sequence[str]) -> PredictionMatrix:
        """Read files as one matrix."""
        # rows that only some files hold are settled where the files are joined
        matrix = self.how.read_files(file, missing=self.gaps.missing)
        return self.planned.scored(matrix, self.options.threshold)

    def metric_and_plan(self, matrix: PredictionMatrix) -> tuple[Metric, Plan]:
        """Return the metric and the plan for a matrix."""
        from bbccli.metrics import choose_metrics

        metric = choose_metrics(self.metrics or None, matrix)[0]
        return metric, self.planned.plan(matrix.source.metadata)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metric as it was named, if it was."""
        return (self.options.metric,) if self.options.metric else ()


def answered(asked: Asked, files: Sequence[str], progress: Progress) -> Document[CompareEnvelope]:
    """Return the document that answers the question.

    Raises
    ------
    BbcError
        Whatever keeps the files from being compared.
    """
    question = asked.options.question(len(files))
    enter(progress, "reading")
    if question is Question.ACROSS:
        return _across(asked, files)
    return _within(asked, question, files, progress)


def _within(
    asked: Asked, question: Question, files: Sequence[str], progress: Progress
) -> Document[CompareEnvelope]:
    """Compare configurations, or families, of the same samples."""
    from bbccli.analysis.answer import working
    from bbccli.comparisons.possible_best import best_set
    from bbccli.comparisons.records import Verdict
    from bbccli.schema.compare import compare_document

    matrix, families = _together(asked, files)
    enter(progress, "comparing")
    (metric, plan), options = asked.metric_and_plan(matrix), asked.options
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[Note] = ()
    members: BestSet | None = None
    with working(asked.metrics, matrix):
        if question is Question.BASELINE:
            from bbccli.comparisons.baseline import against_baseline

            found = against_baseline(matrix, metric, plan, options.baseline or "", options.margin)
            comparisons = (found.winner, *found.every)
        elif question is Question.FAMILIES:
            from bbccli.comparisons.families import between_families, families_by

            families = families if options.by is None else families_by(matrix, options.by)
            comparisons = between_families(matrix, metric, plan, families, options.margin)
        elif question is Question.PAIRS:
            comparisons, notes = _pairs(options, matrix, metric, plan, progress)
        if question in (Question.SET, Question.BASELINE):
            members = best_set(matrix, metric, plan)
        required = options.fail_unless
        return compare_document(
            [matrix],
            metric,
            plan,
            comparisons,
            best_set=members,
            margin=options.margin,
            required=None if required is None else Verdict(required.value),
            named=question is not Question.PAIRS or options.pair is not None,
            notes=notes,
        )


def _together(
    asked: Asked, files: Sequence[str]
) -> tuple[PredictionMatrix, Mapping[str, Sequence[int]]]:
    """Return one matrix of all files; several are families of their names."""
    if len(files) == 1:
        return asked.read(files), {}
    from bbccli.comparisons.joining import joined

    missing = asked.gaps.missing
    whole = Missing.ERROR if missing is Missing.DROP else missing
    found = joined([asked.read(file) for file in files], names_of(files), whole)
    return found.matrix, found.families


def _pairs(
    options: CompareOptions,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    progress: Progress,
) -> tuple[Sequence[Comparison], Sequence[Note]]:
    """Test the pair that was named, else every pair, if they are few enough."""
    from bbccli.comparisons.pairs import compare_pairs
    from bbccli.comparisons.simultaneous import max_t

    n = matrix.n_configurations
    if options.pair is None and not 2 <= n <= MOST_PAIRED:
        raise OptionError(
            f"there are {n} configurations; all pairs of 2 to {MOST_PAIRED} are tested",
            hint="--pair A B, or name some by --only",
        )
    return compare_pairs(
        matrix,
        metric,
        plan,
        [options.pair or matrix.configurations],
        options.test,
        rope=options.rope,
        adjust=options.adjust or Adjustment.HOLM,
        max_t=max_t(matrix, metric, plan),
        progress=progress,
    )


def _across(asked: Asked, files: Sequence[str]) -> Document[CompareEnvelope]:
    """Rank the families, or the configurations, over several data sets."""
    import numpy as np

    from bbccli.analysis.answer import working
    from bbccli.comparisons.across import compare_across, performances_of
    from bbccli.comparisons.families import families_by
    from bbccli.readers.sources.files import expand
    from bbccli.schema.compare import compare_document

    paths, by = [str(path) for path in expand(files)], asked.options.by
    if len(paths) == 1:
        raise OptionError(
            f"--across ranks over data sets, and {paths[0]} is one",
            hint="a file for each data set; without --across, --by compares the families of one",
        )
    matrices = [asked.read(path) for path in paths]
    metrics, plans = zip(*map(asked.metric_and_plan, matrices), strict=True)
    _check_alike(matrices, metrics, plans)
    tables = []
    for matrix, metric, plan in zip(matrices, metrics, plans, strict=True):
        families = None if by is None else families_by(matrix, by)
        with working(asked.metrics, matrix):
            tables.append(performances_of(matrix, metric, plan, families))
    names = tuple(dict.fromkeys(family for table in tables for family in table))
    found = compare_across(
        np.array([[table.get(name, np.nan) for name in names] for table in tables]),
        names,
        names_of(paths),
        metrics[0],
        level=asked.planned.level,
        tests=asked.options.test,
        adjust=asked.options.adjust or Adjustment.HOLM,
    )
    return compare_document(matrices, metrics[0], plans[0], ranks=found)


def _check_alike(
    matrices: Sequence[PredictionMatrix], metrics: Sequence[Metric], plans: Sequence[Plan]
) -> None:
    """Refuse data sets of different metrics or poolings, and one that was given twice."""
    paths, seen = [matrix.source.path for matrix in matrices], dict[str, str]()
    for matrix, metric, plan, path in zip(matrices, metrics, plans, paths, strict=True):
        if metric.name != metrics[0].name:
            raise OptionError(
                f"{paths[0]} is measured in {metrics[0].label} and {path} in {metric.label}",
                hint="one --metric that all data sets can be measured in",
            )
        if plan.pooling != plans[0].pooling:
            raise OptionError(
                f"{paths[0]} selects by {plans[0].pooling} performances and {path} by "
                f"{plan.pooling} ones",
                hint="one --pooling for all data sets",
            )
        first = seen.setdefault(matrix.source.sha256, path)
        if first != path or paths.count(path) > 1:
            raise OptionError(
                f"{first} and {path} are one data set", hint="give each data set once"
            )


def names_of(paths: Sequence[str]) -> list[str]:
    """Return short distinct names for files: without folders and suffixes if that will do.

    Examples
    --------
    >>> names_of(["a/flaml.parquet", "b/h2o.parquet"]), names_of(["a/run.csv", "b/run.csv"])
    (['flaml', 'h2o'], ['a/run.csv', 'b/run.csv'])
    """
    short = [PurePath(path).stem or path for path in paths]
    return short if len(set(short)) == len(paths) else list(paths)
