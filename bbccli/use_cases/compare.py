"""`bbc compare`: options, and from predictions to a document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bbccli.domain.choices import Adjustment, Missing
from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.platform.arguments import Panel, Scope, names_in, option
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, enter, silent
from bbccli.use_cases import GapOptions, InputOptions, MakingOptions, metric_option

if TYPE_CHECKING:
    from bbccli.comparisons.records import Comparison
    from bbccli.documents.compare import CompareEnvelope
    from bbccli.domain.matrix import PredictionMatrix
    from bbccli.domain.plan import Plan
    from bbccli.metrics import Metric
    from bbccli.notes import Note

WITHOUT = frozenset(
    {"guard", "side", "evaluation_share", "tolerance", "outer_fold", "size_correction"}
)
"""Options of its groups that a comparison does not have."""

MOST_PAIRED = 20
"""Up to this many configurations, all pairs are tested."""

RUN, TELLING = 8, 30
"""The truth of this many samples tells a data set if most runs of so many differ."""


class ComparisonKind(StrEnum):
    """Kinds of comparison, named by the options that ask for them."""

    SET = "the confidence set of the best"
    BASELINE = parameter("baseline")
    FAMILIES = parameter("by")
    PAIRS = f"{parameter('pair')} or {parameter('test')}"
    ACROSS = parameter("across")


class FailUnless(StrEnum):
    """Verdicts that can be required of the first comparison."""

    BETTER = "better"
    NOT_WORSE = "not-worse"


_of_compare = partial(option, scope=Scope.COMMAND)


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options on pairs and tests."""

    baseline: str | None = _of_compare(
        None, "Compare the winner with this configuration, allowing for its selection.", "NAME"
    )
    by: str | None = _of_compare(
        None,
        "Compare families: configurations that share the value of this metadata key, or the match "
        "of 'regex:(...)' in their names.",
        "NAME",
    )
    pair: tuple[str, str] | None = option(
        None, "Test two configurations named in advance.", "A B", scope=Scope.RUN
    )
    test: Sequence[str] | None = _of_compare(
        None,
        "Test for --pair, for every pair, or with --across for the families: {names}. Repeatable.",
        "NAME",
        names=names_in(
            "bbccli.comparisons.pairs:TESTS",
            "bbccli.comparisons.across:TESTS",
            "bbccli.comparisons.pairs:ALL",
        ),
        open=True,
        panel=Panel.METHOD,
        default="the one that fits the metric",
    )
    across: bool = option(
        False,
        "Treat each file as a data set, and rank families, or configurations, across all of them.",
        scope=Scope.RUN,
    )
    metric: str | None = metric_option()
    fail_unless: FailUnless | None = _of_compare(
        None, "Exit with 3 unless the first comparison shows this, with 4 if it is undecided."
    )
    margin: float = _of_compare(
        0.0,
        "Better means better by more than D; not worse means worse by less than D.",
        "D",
        panel=Panel.METHOD,
    )
    rope: float = _of_compare(
        0.0, "Bayesian tests: differences up to D count as zero.", "D", panel=Panel.METHOD
    )
    adjust: Adjustment | None = _of_compare(
        None,
        "Adjust for the number of comparisons; with --by only max-t or none.",
        panel=Panel.METHOD,
        default="holm; max-t for families",
    )

    def question(self, n_sources: int, *, makes: bool = False) -> ComparisonKind:
        """Return the kind of comparison, by options and number of files.

        makes: True if the plan makes something, which is compared with the best single one.
        """
        for name, value in (("margin", self.margin), ("rope", self.rope)):
            if not 0 <= value < math.inf:
                raise OptionError(
                    f"{parameter(name)} is {value:g}", hint="0 or more, in the metric's unit"
                )
        kinds = {
            ComparisonKind.BASELINE: self.baseline is not None,
            ComparisonKind.PAIRS: self.pair is not None,
            ComparisonKind.ACROSS: self.across,
        }
        named = [kind for kind, is_named in kinds.items() if is_named]
        if len(named) > 1:
            raise OptionError(
                f"{named[0]} and {named[1]} are two questions", hint="ask one at a time"
            )
        kind = ComparisonKind.SET
        if named:
            kind = named[0]
        elif self.by is not None or n_sources > 1:
            kind = ComparisonKind.FAMILIES
        elif self.test:
            kind = ComparisonKind.PAIRS
        elif makes:
            kind = ComparisonKind.BASELINE
        self._check_fits(kind)
        return kind

    def _check_fits(self, question: ComparisonKind) -> None:
        """Refuse options that this comparison does not use."""
        selected = (ComparisonKind.BASELINE, ComparisonKind.FAMILIES)
        tested = (ComparisonKind.PAIRS, ComparisonKind.ACROSS)
        fits = {
            "by": (self.by, (ComparisonKind.FAMILIES, ComparisonKind.ACROSS)),
            "test": (self.test, tested),
            "margin": (self.margin, selected),
            "rope": (self.rope, (ComparisonKind.PAIRS,)),
            "adjust": (self.adjust, (*tested, ComparisonKind.FAMILIES)),
            "fail_unless": (self.fail_unless, (*selected, ComparisonKind.PAIRS)),
        }
        for name, (value, questions) in fits.items():
            if value and question not in questions:
                flag = parameter(name)
                needed = " or ".join(question for question in questions if question != flag)
                needed = needed.replace(f" or {flag}", "")
                alone = ", or alone" if flag in questions else ""
                raise OptionError(
                    f"{flag} does not go with {question}", hint=f"use it with {needed}{alone}"
                )
        if self.test or self.rope:
            self._check_tests(question)

    def _check_tests(self, question: ComparisonKind) -> None:
        """Refuse tests over data sets without --across, and a rope without a Bayesian test."""
        from bbccli.comparisons.across import TESTS as ACROSS
        from bbccli.comparisons.pairs import ALL, TESTS

        names = tuple(self.test or ())
        over_sets = [name for name in names if name in ACROSS]
        if question is ComparisonKind.PAIRS and over_sets:
            raise OptionError(
                f"{over_sets[0]} is a test over data sets",
                hint=f"use {parameter('across', True)}, with a file for each",
            )
        bayesian = [name for name, test in TESTS.items() if test.bayesian]
        if self.rope and not {ALL, *bayesian} & {*names}:
            raise OptionError(
                f"{parameter('rope')} is for {' and '.join(bayesian)} only",
                hint=parameter("test", bayesian[0]),
            )


@dataclass(frozen=True, kw_only=True)
class Comparing(InputOptions, GapOptions, MakingOptions, CompareOptions):
    """All options that a comparison depends on."""

    def asked(self, n_sources: int) -> ComparisonKind:
        """Return the kind of comparison for this many files; refuse options of several kinds."""
        return self.question(n_sources, makes=self.plan({}).makes)

    def answer(
        self, sources: Sequence[Any], names: Sequence[str] = (), progress: Progress = silent
    ) -> CompareEnvelope:
        """Compare, and return the result.

        `sources` are files, tables in memory or matrices: of the same samples, or with `across` a
        data set each. `names` are theirs; without names all are files, named by path.
        """
        question = self.asked(len(sources))
        enter(progress, "reading")
        if question is ComparisonKind.ACROSS:
            return self._over_data_sets(sources, names)
        return self._of_same_samples(question, sources, names, progress)

    def _read(self, source: Any, name: str = "") -> PredictionMatrix:
        """Read a file or a table as one matrix; the path of a table in memory is its name."""
        # rows missing from some files are dealt with when the files are joined
        matrix = self.at_cut(self.read_files(source, missing=self.missing))
        if name and not matrix.source.sha256:
            return replace(matrix, source=replace(matrix.source, path=name))
        return matrix

    def _planned(self, matrix: PredictionMatrix) -> tuple[PredictionMatrix, Metric, Plan]:
        """Return a matrix with its notes on options, the metric and the plan."""
        from bbccli.use_cases.correct import measured

        matrix, metrics = measured(self, self.metric, matrix)
        return matrix, metrics[0], self.plan(matrix.source.metadata)

    def _of_same_samples(
        self,
        question: ComparisonKind,
        sources: Sequence[Any],
        names: Sequence[str],
        progress: Progress,
    ) -> CompareEnvelope:
        """Compare configurations, or families, on the same samples."""
        from bbccli.comparisons.baseline import against_baseline
        from bbccli.comparisons.families import between_families, families_by, made_against
        from bbccli.comparisons.possible_best import best_set
        from bbccli.comparisons.records import Verdict
        from bbccli.documents.compare import compare_document
        from bbccli.stats.stopping import on_stopped
        from bbccli.use_cases.correct import counted_in, working

        matrix, families = self._joined(sources, names)
        enter(progress, "comparing")
        matrix, metric, plan = self._planned(matrix)
        matrix = counted_in(matrix, plan)
        comparisons: Sequence[Comparison] = ()
        notes: Sequence[Note] = ()
        if plan.makes and question is ComparisonKind.PAIRS:
            raise UnsupportedError(
                f"{question} tests configurations as they are, and {plan.making} makes others of "
                "them in every resample",
                hint=f"{parameter('baseline')} NAME, or alone: against the best single one",
            )
        with working(self.metric, matrix):
            if question is ComparisonKind.BASELINE and plan.makes:
                comparisons = (made_against(matrix, metric, plan, self.baseline, self.margin),)
            elif question is ComparisonKind.BASELINE:
                baseline = self.baseline or ""
                bounds = against_baseline(matrix, metric, plan, baseline, self.margin)
                comparisons = (bounds.winner, *bounds.every)
            elif question is ComparisonKind.FAMILIES:
                if self.by is not None:
                    families = families_by(matrix, self.by)
                adjust = self.adjust or Adjustment.MAX_T
                comparisons = between_families(matrix, metric, plan, families, self.margin, adjust)
            elif question is ComparisonKind.PAIRS:
                comparisons, notes = self._pairs(matrix, metric, plan, progress)
            of_set = question in (ComparisonKind.SET, ComparisonKind.BASELINE) and not plan.makes
            found_best = best_set(matrix, metric, plan) if of_set else None
            if found_best is not None:
                notes = [*on_stopped(matrix, metric, plan, [found_best.members[0].configuration])]
            return compare_document(
                *([matrix], metric, plan, comparisons),
                best_set=found_best,
                margin=self.margin,
                required=None if self.fail_unless is None else Verdict(self.fail_unless.value),
                named=question is not ComparisonKind.PAIRS or self.pair is not None,
                notes=notes,
            )

    def _joined(
        self, sources: Sequence[Any], names: Sequence[str]
    ) -> tuple[PredictionMatrix, Mapping[str, Sequence[int]]]:
        """Read sources on the same samples as one matrix; each of several is a family."""
        from bbccli.comparisons.joining import joined

        if len(sources) == 1:
            return self._read(sources[0], *names), {}
        names = names or short_file_names(sources)
        whole = Missing.ERROR if self.missing in (None, Missing.DROP) else self.missing
        matrices = [self._read(*pair) for pair in zip(sources, names, strict=True)]
        together = joined(matrices, names, whole)
        return together.matrix, together.families

    def _pairs(
        self, matrix: PredictionMatrix, metric: Metric, plan: Plan, progress: Progress
    ) -> tuple[list[Comparison], list[Note]]:
        """Test the named pair, or all pairs of a few configurations."""
        from bbccli.comparisons.pairs import compare_pairs
        from bbccli.comparisons.simultaneous import max_t

        n = matrix.n_configurations
        if self.pair is None and not 2 <= n <= MOST_PAIRED:
            raise OptionError(
                f"all pairs are tested only for 2 to {MOST_PAIRED} configurations, not for {n}",
                hint=f"use {parameter('pair')} A B, or choose some with {parameter('only')}",
            )
        return compare_pairs(
            *(matrix, metric, plan, [self.pair or matrix.configurations], self.test),
            rope=self.rope,
            adjust=self.adjust or Adjustment.HOLM,
            max_t=max_t(matrix, metric, plan),
            progress=progress,
        )

    def _over_data_sets(self, sources: Sequence[Any], names: Sequence[str]) -> CompareEnvelope:
        """Rank the families, or the configurations, over several data sets."""
        import numpy as np

        from bbccli.comparisons.across import compare_across, performances_of
        from bbccli.comparisons.families import families_by
        from bbccli.documents.compare import compare_document
        from bbccli.reading.sources import expand
        from bbccli.use_cases.correct import working

        if not names:
            sources = [str(path) for path in expand(sources)]
            names = short_file_names(sources)
        if len(sources) == 1:
            source = sources[0] if isinstance(sources[0], str) else names[0]
            raise OptionError(
                f"{parameter('across')} ranks over several data sets, but {source} is only one",
                hint=f"give a file for each data set; without {parameter('across')}, "
                f"{parameter('by')} compares the families of one",
            )
        read = (self._planned(self._read(*pair)) for pair in zip(sources, names, strict=True))
        matrices, metrics, plans = zip(*read, strict=True)
        _check_alike(matrices, metrics, plans)
        tables = []
        for matrix, metric, plan in zip(matrices, metrics, plans, strict=True):
            columns = None if self.by is None else families_by(matrix, self.by)
            with working(self.metric, matrix):
                tables.append(performances_of(matrix, metric, plan, columns))
        families = tuple(dict.fromkeys(family for table in tables for family in table))
        ranks = compare_across(
            np.array([[table.get(family, np.nan) for family in families] for table in tables]),
            families,
            names,
            metrics[0],
            level=self.level,
            tests=self.test,
            adjust=self.adjust or Adjustment.HOLM,
        )
        return compare_document(matrices, metrics[0], plans[0], ranks=ranks)


def _check_alike(
    matrices: Sequence[PredictionMatrix], metrics: Sequence[Metric], plans: Sequence[Plan]
) -> None:
    """Refuse data sets with different metrics or poolings, and duplicates."""
    paths, seen = [matrix.source.path for matrix in matrices], dict[str, str]()
    for matrix, metric, plan, path in zip(matrices, metrics, plans, paths, strict=True):
        if metric.name != metrics[0].name:
            raise OptionError(
                f"{paths[0]} is measured in {metrics[0].label} and {path} in {metric.label}",
                hint=f"give one {parameter('metric')} that suits all data sets",
            )
        if plan.pooling != plans[0].pooling:
            raise OptionError(
                f"{paths[0]} selects by {plans[0].pooling} performances and {path} by "
                f"{plan.pooling} ones",
                hint=f"give one {parameter('pooling')} for all data sets",
            )
        first = seen.setdefault(_data_set(matrix), path)
        if first != path or paths.count(path) > 1:
            raise OptionError(
                f"{first} and {path} are the same data set",
                hint=f"give it once; or leave out {parameter('across', True)} to compare them",
            )


def _data_set(matrix: PredictionMatrix) -> str:
    """Return a hash of the keys and the truth, which the same samples share; of the file if those
    of other data sets may be alike: few samples, or a truth in blocks or in turns, or none.
    """
    import numpy as np

    truth = matrix.outcome.values[np.argsort(matrix.keys, kind="stable")]
    above = (truth > truth.mean()).tobytes()
    runs = {above[at : at + RUN] for at in range(len(above) - RUN)}
    if 2 * len(runs) > len(above) >= TELLING:
        return sha256(np.sort(matrix.keys).tobytes() + truth.tobytes()).hexdigest()
    return matrix.source.sha256 or sha256(matrix.predictions.tobytes()).hexdigest()


def short_file_names(paths: Sequence[str]) -> list[str]:
    """Return short distinct names for files: without folders and suffixes if possible.

    Examples
    --------
    >>> short_file_names(["a/flaml.parquet", "b/h2o.parquet"])
    ['flaml', 'h2o']
    >>> short_file_names(["a/run.csv", "b/run.csv"])
    ['a/run.csv', 'b/run.csv']
    """
    short = [PurePath(path).stem or path for path in paths]
    return short if len(set(short)) == len(paths) else list(paths)
