"""From the options of `bbc compare` to its document: which rooms answer which question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.choices import Adjustment, Missing
from bbccli.cli.comparing import CompareOptions, Question
from bbccli.errors import OptionError
from bbccli.progress import Progress, enter

if TYPE_CHECKING:
    from bbccli.compare_schema import CompareEnvelope
    from bbccli.comparisons.records import Comparison, Verdict
    from bbccli.documents import Document
    from bbccli.matrix import PredictionMatrix
    from bbccli.metrics import Metric
    from bbccli.plan import Plan

Families = Mapping[str, Sequence[int]]

MOST_PAIRED = 20
"""Configurations of which all pairs are tested; more are to be named."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All options that the answer depends on."""

    question: CompareOptions
    planned: PlanOptions
    gaps: GapOptions
    how: InputOptions

    def read(self, file: str | Sequence[str]) -> PredictionMatrix:
        """Read files as one matrix."""
        # rows that only some files hold are settled where the files are joined
        matrix = self.how.read_files(file, missing=self.gaps.missing)
        return self.planned.scored(matrix, self.question.threshold)

    def metric_of(self, matrix: PredictionMatrix) -> Metric:
        """Return the metric for a matrix."""
        from bbccli.metrics import choose_metrics

        return choose_metrics(self.metrics or None, matrix)[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metric as it was named, if it was."""
        return (self.question.metric,) if self.question.metric else ()

    @property
    def required(self) -> Verdict | None:
        """What the first comparison has to show."""
        from bbccli.comparisons.records import Verdict

        asked = self.question.fail_unless
        return None if asked is None else Verdict(asked.value)


@dataclass(frozen=True, slots=True)
class Posed:
    """A question to one matrix: how it was asked, and what it is asked of."""

    asked: Asked
    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    families: Families | None
    progress: Progress

    def document(
        self, comparisons: Sequence[Comparison] = (), **found: Any
    ) -> Document[CompareEnvelope]:
        """Return the document of what was found."""
        from bbccli.compare_schema import compare_document

        return compare_document(
            [self.matrix],
            self.metric,
            self.plan,
            comparisons,
            margin=self.asked.question.margin,
            required=self.asked.required,
            **found,
        )


def answered(asked: Asked, files: Sequence[str], progress: Progress) -> Document[CompareEnvelope]:
    """Return the document that answers the question.

    Raises
    ------
    BbcError
        Whatever keeps the files from being compared.
    """
    from bbccli.analysis.answer import working

    question = asked.question.question(len(files))
    enter(progress, "reading")
    if question is Question.ACROSS:
        return _across(asked, files)
    matrix, families = _together(asked, files)
    enter(progress, "comparing")
    metric, plan = asked.metric_of(matrix), asked.planned.plan(matrix.source.metadata)
    with working(asked.metrics, matrix):
        return _ANSWERS[question](Posed(asked, matrix, metric, plan, families, progress))


def _together(asked: Asked, files: Sequence[str]) -> tuple[PredictionMatrix, Families | None]:
    """One matrix of all files; several are families of their names."""
    if len(files) == 1:
        return asked.read(files), None
    from bbccli.comparisons.joining import joined

    missing = asked.gaps.missing
    whole = Missing.ERROR if missing is Missing.DROP else missing
    found = joined([asked.read(file) for file in files], names_of(files), whole)
    return found.matrix, found.families


def _set(posed: Posed) -> Document[CompareEnvelope]:
    from bbccli.comparisons.possible_best import best_set

    return posed.document(best_set=best_set(posed.matrix, posed.metric, posed.plan))


def _baseline(posed: Posed) -> Document[CompareEnvelope]:
    from bbccli.comparisons.baseline import against_baseline
    from bbccli.comparisons.possible_best import best_set

    question, parts = posed.asked.question, (posed.matrix, posed.metric, posed.plan)
    found = against_baseline(*parts, question.baseline or "", question.margin)
    return posed.document((found.winner, *found.every), best_set=best_set(*parts))


def _families(posed: Posed) -> Document[CompareEnvelope]:
    from bbccli.comparisons.families import between_families, families_by

    question, matrix = posed.asked.question, posed.matrix
    by = question.by
    found = families_by(matrix, by) if by is not None else posed.families or {}
    return posed.document(
        between_families(matrix, posed.metric, posed.plan, found, question.margin)
    )


def _pairs(posed: Posed) -> Document[CompareEnvelope]:
    from bbccli.comparisons.pairs import compare_pairs
    from bbccli.comparisons.pairs.max_t import max_t

    question, parts = posed.asked.question, (posed.matrix, posed.metric, posed.plan)
    comparisons, notes = compare_pairs(
        *parts,
        [question.pair or _everyone(posed.matrix)],
        question.test,
        rope=question.rope,
        adjust=question.adjust or Adjustment.HOLM,
        max_t=max_t(*parts),
        progress=posed.progress,
    )
    return posed.document(comparisons, notes=notes, named=question.pair is not None)


def _everyone(matrix: PredictionMatrix) -> tuple[str, ...]:
    """All configurations, if they are few enough to test every pair."""
    n = matrix.n_configurations
    if not 2 <= n <= MOST_PAIRED:
        raise OptionError(
            f"there are {n} configurations; all pairs of 2 to {MOST_PAIRED} are tested",
            hint="--pair A B, or name some by --only",
        )
    return matrix.configurations


_ANSWERS: dict[Question, Callable[[Posed], Document[CompareEnvelope]]] = {
    Question.SET: _set,
    Question.BASELINE: _baseline,
    Question.FAMILIES: _families,
    Question.PAIRS: _pairs,
}


def _across(asked: Asked, files: Sequence[str]) -> Document[CompareEnvelope]:
    """Document of the families, or the configurations, over several data sets."""
    import numpy as np

    from bbccli.analysis.answer import working
    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.across import compare_across
    from bbccli.comparisons.across.performances import performances_of
    from bbccli.comparisons.families import families_by
    from bbccli.readers.sources.files import expand

    paths, by = [str(path) for path in expand(files)], asked.question.by
    _check_several(paths)
    matrices = [asked.read(path) for path in paths]
    metrics = [asked.metric_of(matrix) for matrix in matrices]
    plans = [asked.planned.plan(matrix.source.metadata) for matrix in matrices]
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
        tests=asked.question.test,
        adjust=asked.question.adjust or Adjustment.HOLM,
    )
    return compare_document(matrices, metrics[0], plans[0], ranks=found)


def _check_several(paths: Sequence[str]) -> None:
    """Refuse to rank over a single data set, before it is read."""
    if len(paths) == 1:
        raise OptionError(
            f"--across ranks over data sets, and {paths[0]} is one",
            hint="a file for each data set; without --across, --by compares the families of one",
        )


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
