"""`compare`: compare configurations or families, in one line of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from bbccli.comparisons.records import Beliefs, BestSet, Comparison, Member, Ranks, Verdict
from bbccli.documents.compare import CompareEnvelope
from bbccli.metrics import Metric
from bbccli.notebook.arguments import asked, command_of, experiments_of
from bbccli.notebook.result import Figure, Result
from bbccli.platform.dataclass import dataclass
from bbccli.types import Interval, Pooling
from bbccli.use_cases.compare import WITHOUT, Comparing, short_file_names

if TYPE_CHECKING:
    import pandas as pd


def compare(
    predictions: Any,
    y_true: Any = None,
    *,
    baseline: str | None = None,
    by: str | None = None,
    pair: tuple[str, str] | None = None,
    test: str | Sequence[str] | None = None,
    across: bool = False,
    margin: float = 0.0,
    metric: str | Metric | None = None,
    folds: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    repeats: Any = None,
    random_state: int = 0,
    n_resamples: int | str = 1000,
    level: float = 0.95,
    pooling: Pooling | str | None = None,
    **options: Any,
) -> ComparisonResult:
    """Tell which configurations may be the best, or whether one is better than another.

    Figures are bit-identical to those of ``bbc compare`` with the same options.

    Parameters
    ----------
    predictions
        As for `correct`. Several experiments are a dictionary of names and predictions, a list of
        paths, or a list of matrices or recorders: families on the same samples, or with `across` a
        data set each.
    y_true : (N,), optional
        As for `correct`. If experiments differ in it, a dictionary with the same names; likewise
        `folds`, `groups`, `sample_weight` and `repeats`.
    baseline
        Compare the winner with this configuration, allowing for its selection.
    by
        Compare families: configurations that share the value of this metadata key, or the match of
        ``regex:(...)`` in their names.
    pair
        Test two configurations named beforehand.
    test
        Test for the pair, for every pair, or with `across` for the families: one, several or
        ``"all"``.
    across
        Rank families, or configurations, over several data sets.
    margin
        Better means better by more than this, not worse means worse by less, in the metric's unit.
    metric
        The metric; see ``bbc metrics``.
    folds, groups, sample_weight, repeats, random_state, n_resamples, level, pooling
        As for `correct`.
    **options
        Any other option of ``bbc compare`` by its name, such as ``rope=0.01``, ``adjust="none"`` or
        ``fail_unless="better"``.

    Returns
    -------
    ComparisonResult
        The verdict, tables, figures and a page.

    Raises
    ------
    BbcError
        As ``bbc compare``: what is wrong, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 100)
    >>> scores = rng.normal(size=(100, 4)) + np.outer(y_true, [0, 1, 2, 2])
    >>> result = compare(scores, y_true, metric="auc", baseline="0")
    >>> str(result.verdict), result.best
    ('better', ('3', '2'))
    """
    how, of_samples = asked(Comparing, locals(), WITHOUT)
    sources, names = experiments_of(predictions, how, of_samples, joined=not across)
    command = command_of(how, sources, "compare")
    if command and names and names != short_file_names(sources):
        command = ""  # whose names would differ
    return ComparisonResult(how.answer(sources, names), how, command)


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Result):
    """The result of a comparison.

    A notebook shows the answer; `print` shows it in a few lines.

    Attributes
    ----------
    record
        The record of the document.
    options
        The options.
    command
        The equivalent command line; empty for data in memory.
    """

    kind: ClassVar[str] = "compare"

    record: CompareEnvelope
    options: Comparing
    command: str = ""

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons, the requested one first; empty if only the best set was requested."""
        return self.record.comparisons

    @property
    def comparison(self) -> Comparison | None:
        """The requested comparison; None for the best set and for ranks."""
        return next(iter(self.comparisons), None)

    @property
    def verdict(self) -> Verdict | None:
        """Its verdict: better, not-worse, worse, different, not-shown or undefined."""
        return None if self.comparison is None else self.comparison.verdict

    @property
    def difference(self) -> float | None:
        """The measured difference; positive if the first is better."""
        return None if self.comparison is None else self.comparison.difference

    @property
    def corrected(self) -> float | None:
        """The difference corrected for the selection; None if nothing was selected."""
        return None if self.comparison is None else self.comparison.corrected

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends for the difference, corrected if possible; None without an interval."""
        interval = self.comparison and self.comparison.interval
        return (interval.lower, interval.upper) if interval else None

    @property
    def bound(self) -> float | None:
        """Lower bound of the difference to a baseline, whichever configuration won."""
        return None if self.comparison is None else self.comparison.bound

    @property
    def p(self) -> float | None:
        """The p-value, if any."""
        return None if self.comparison is None else self.comparison.p

    @property
    def best_set(self) -> BestSet | None:
        """All configurations, with a mark on those that may be the best; None if not requested."""
        return self.record.best_set

    @property
    def best(self) -> tuple[str, ...]:
        """Names of the configurations that may be the best, best first, if requested."""
        members = self.best_set.members if self.best_set else ()
        return tuple(member.configuration for member in members if member.inside)

    @property
    def ranks(self) -> Ranks | None:
        """Ranks over data sets; None without `across`."""
        return self.record.ranks

    def sentence(self) -> str:
        """Return the answer in words, with the difference behind it."""
        return " ".join(self._lines())

    def to_frame(self) -> pd.DataFrame:
        """Return a row per comparison, or per configuration of the best set, as in CSV."""
        from bbccli.platform.records.rows import dtypes_of_rows, frame_of
        from bbccli.reports.content.compare import csv_rows

        columns, rows = csv_rows([self.document])
        kinds = dtypes_of_rows(Comparison, Interval, Beliefs, Member, CompareEnvelope)
        return frame_of(list(rows), columns, kinds | {"effect_size": "float64"})

    def plot(self, kind: str = "") -> Figure:
        """Return a figure for a notebook: differences, ranking or cd, by default the one that fits.

        Raises
        ------
        OptionError
            Unknown kind.
        UndefinedError
            This result has no such figure.
        """
        from bbccli.platform.arguments import entry
        from bbccli.reports.evidence import Exhibit
        from bbccli.reports.figures import draw
        from bbccli.reports.page.of_blocks import FIGURES, figures_of

        exhibit = Exhibit(self.record)
        drawn = {figure.kind: figure for figure in figures_of(exhibit)}
        kind = kind or next(iter(drawn))
        entry(dict.fromkeys(FIGURES), kind, "figure")
        return Figure.of(drawn.get(kind) or draw(kind, exhibit))

    def _page(self) -> str:
        from bbccli.reports.evidence import Exhibit
        from bbccli.reports.page.of_blocks import page_of_blocks

        return page_of_blocks(Exhibit(self.record, command=self.command))

    def _lines(self) -> Sequence[str]:
        from bbccli.reports.words.comparison_sentences import lines

        return lines(self.record)

    def _repr_html_(self) -> str:
        from bbccli.reports.content import blocks_of
        from bbccli.reports.evidence import Exhibit
        from bbccli.reports.page.of_blocks import figures_of
        from bbccli.reports.page.sections import cell_of_blocks

        record = self.record
        return cell_of_blocks(blocks_of(record), figures_of(Exhibit(record)))
