"""From the options of `bbc compare` to its document: which rooms answer which question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.choices import Adjustment, Missing
from bbccli.cli.comparing import CompareOptions, Question
from bbccli.errors import OptionError
from bbccli.progress import Progress, enter

if TYPE_CHECKING:
    from bbccli.comparisons.records import Verdict
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

        named = self.question.metric
        return choose_metrics([named] if named else None, matrix)[0]

    @property
    def required(self) -> Verdict | None:
        """What the first comparison has to show."""
        from bbccli.comparisons.records import Verdict

        asked = self.question.fail_unless
        return None if asked is None else Verdict(asked.value)


def answered(asked: Asked, files: Sequence[str], progress: Progress) -> Document:
    """Return the document that answers the question.

    Raises
    ------
    BbcError
        Whatever keeps the files from being compared.
    """
    question = asked.question.question(len(files))
    if question is Question.ACROSS:
        return _across(asked, files)
    enter(progress, "reading")
    matrix, families = _together(asked, files)
    enter(progress, "comparing")
    metric, plan = asked.metric_of(matrix), asked.planned.plan(matrix.source.metadata)
    with _working(asked, matrix):
        return _ANSWERS[question](asked, matrix, metric, plan, families, progress)


def _together(asked: Asked, files: Sequence[str]) -> tuple[PredictionMatrix, Families | None]:
    """One matrix of all files; several are families of their names."""
    if len(files) == 1:
        return asked.read(files), None
    from bbccli.comparisons.joining import joined

    missing = asked.gaps.missing
    whole = Missing.ERROR if missing is Missing.DROP else missing
    found = joined([asked.read(file) for file in files], names_of(files), whole)
    return found.matrix, found.families


@contextmanager
def _working(asked: Asked, matrix: PredictionMatrix) -> Iterator[None]:
    from bbccli import resources
    from bbccli.metrics import custom

    with (
        resources.use(resources.current().for_predictions(*matrix.size)),
        custom.blamed([asked.question.metric or ""], matrix.source.path),
    ):
        yield


def _set(
    asked: Asked,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Families | None,
    progress: Progress,
) -> Document:
    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.best_set import best_set

    found = best_set(matrix, metric, plan)
    return compare_document([matrix], metric, plan, best_set=found)


def _baseline(
    asked: Asked,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Families | None,
    progress: Progress,
) -> Document:
    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.baseline import against_baseline
    from bbccli.comparisons.best_set import best_set

    margin = asked.question.margin
    found = against_baseline(matrix, metric, plan, asked.question.baseline or "", margin)
    return compare_document(
        [matrix],
        metric,
        plan,
        (found.winner, *found.every),
        best_set=best_set(matrix, metric, plan),
        margin=margin,
        required=asked.required,
    )


def _families(
    asked: Asked,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Families | None,
    progress: Progress,
) -> Document:
    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.families import between_families, families_by

    by, margin = asked.question.by, asked.question.margin
    found = families_by(matrix, by) if by is not None else families or {}
    comparisons = between_families(matrix, metric, plan, found, margin)
    return compare_document(
        [matrix], metric, plan, comparisons, margin=margin, required=asked.required
    )


def _pairs(
    asked: Asked,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Families | None,
    progress: Progress,
) -> Document:
    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.pairs import compare_pairs
    from bbccli.comparisons.pairs.max_t import max_t

    question = asked.question
    pair = question.pair or _everyone(matrix)
    comparisons, notes = compare_pairs(
        matrix,
        metric,
        plan,
        [pair],
        question.test,
        rope=question.rope,
        adjust=question.adjust or Adjustment.HOLM,
        max_t=max_t(matrix, metric, plan),
        progress=progress,
    )
    return compare_document(
        [matrix], metric, plan, comparisons, required=asked.required, notes=notes
    )


def _everyone(matrix: PredictionMatrix) -> tuple[str, ...]:
    """All configurations, if they are few enough to test every pair."""
    n = matrix.n_configurations
    if not 2 <= n <= MOST_PAIRED:
        raise OptionError(
            f"there are {n} configurations; all pairs of 2 to {MOST_PAIRED} are tested",
            hint="--pair A B, or name some by --only",
        )
    return matrix.configurations


_ANSWERS: dict[Question, Callable[..., Document]] = {
    Question.SET: _set,
    Question.BASELINE: _baseline,
    Question.FAMILIES: _families,
    Question.PAIRS: _pairs,
}


def _across(asked: Asked, files: Sequence[str]) -> Document:
    """Document of the families, or the configurations, over several data sets."""
    import numpy as np

    from bbccli.compare_schema import compare_document
    from bbccli.comparisons.across import compare_across
    from bbccli.comparisons.across.performances import performances_of
    from bbccli.comparisons.families import families_by
    from bbccli.readers.sources.files import expand

    paths, by = [str(path) for path in expand(files)], asked.question.by
    matrices, tables, metrics = [], [], []
    for path in paths:
        matrix = asked.read(path)
        metric, plan = asked.metric_of(matrix), asked.planned.plan(matrix.source.metadata)
        families = None if by is None else families_by(matrix, by)
        with _working(asked, matrix):
            tables.append(performances_of(matrix, metric, plan, families))
        matrices.append(matrix)
        metrics.append(metric)
    _check_one(metrics, paths)
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
    return compare_document(matrices, metrics[0], plan, ranks=found)


def _check_one(metrics: Sequence[Metric], paths: Sequence[str]) -> None:
    """Refuse data sets that are measured in different metrics."""
    for metric, path in zip(metrics, paths, strict=True):
        if metric.name != metrics[0].name:
            raise OptionError(
                f"{paths[0]} is measured in {metrics[0].label} and {path} in {metric.label}",
                hint="one --metric that all data sets can be measured in",
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
