"""`correct`: the honest figure of the winner, in one line of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from bbccli.documents.correct import Envelope, reported_estimate
from bbccli.domain.estimate import Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UndefinedError
from bbccli.metrics import Metric
from bbccli.notebook.arguments import asked, command_of, input_of, plan_of_search
from bbccli.notebook.result import Figure, Result
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import settled
from bbccli.types import Pooling
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import Analysed, answer, cost_of_search, working

if TYPE_CHECKING:
    import pandas as pd

    from bbccli.reports.evidence import Exhibit


def correct(
    predictions: Any,
    y_true: Any = None,
    *,
    metric: str | Metric | Sequence[str | Metric] | None = None,
    method: str | Sequence[str] | None = None,
    folds: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    repeats: Any = None,
    random_state: int = 0,
    n_resamples: int | str | None = None,
    level: float = 0.95,
    pooling: Pooling | str | None = None,
    tight: bool = False,
    **options: Any,
) -> Correction:
    """Correct the winner's performance for its selection.

    Figures are bit-identical to those of ``bbc correct`` with the same options.

    Parameters
    ----------
    predictions
        Out-of-sample predictions of C configurations: a file, a folder or several files, as for
        `bbccli.read`; a pandas or polars data frame or an Arrow table, whose columns are
        configurations, with or without columns for the truth, the folds and so on; an array (N, C),
        (N, C, K) or (R, N, C); a dictionary of arrays (N,) or, with K classes, (N, K); a
        `PredictionMatrix`; a `Recorder`, or a search with a recorder's scorer.
    y_true : (N,), optional
        Labels or values for predictions in memory, unless a column holds them; for a survival task
        an array with a boolean field, the event, and a field of times.
    metric
        The metric that selects, or several of which the first selects; see ``bbc metrics``.
    method
        One or several; see ``bbc methods``.
    folds, groups, sample_weight, repeats : (N,), optional
        A value per row, for predictions in memory; for an array, folds may be (R, N). ``fold="cv"``
        and the like name a column instead.
    random_state
        The seed; the same seed gives the same numbers.
    n_resamples
        Bootstrap resamples, or ``"auto"`` for as many as ``tolerance=`` needs. None stands for
        1000, or 200 to repeat a tool's large ensemble.
    level
        Level of the intervals, in (0, 1).
    pooling
        ``"pooled"``, ``"fold-mean"`` or ``"within-folds"``; by default that of the metadata, else
        pooled.
    tight
        Report the sharp interval of ``bbc-632``, for metrics with a worst value.
    **options
        Any other option of ``bbc correct`` by its name, such as ``interval="sharp"``,
        ``positive="yes"`` or ``fail_under=0.8``.

    Returns
    -------
    Correction
        The figure to report, tables, figures and a page.

    Raises
    ------
    BbcError
        As ``bbc correct``: what is wrong, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 100)
    >>> result = correct(rng.random((100, 30)), y_true, metric="auc")
    >>> result.naive > result.value
    True
    """
    if metric is None:
        options = {**plan_of_search(predictions), **options}
        metric = options.pop("metric", None)
    if pooling is None:
        pooling = options.pop("pooling", None)
    analysis, of_samples = asked(Analysis, locals())
    analysis.check()
    source = input_of(predictions, analysis, of_samples)
    return Correction(answer(analysis, source), analysis, command_of(analysis, source, "correct"))


@dataclass(frozen=True, eq=False, repr=False)
class Correction(Result):
    """The winner, and its expected performance.

    A notebook shows the answer; `print` shows it in a few lines.

    Attributes
    ----------
    analysed
        The matrix, the metrics, the estimates and the result.
    analysis
        The options.
    command
        The equivalent command line; empty for data in memory.
    """

    kind: ClassVar[str] = "correct"

    analysed: Analysed
    analysis: Analysis
    command: str = ""

    @property
    def matrix(self) -> PredictionMatrix:
        """The predictions."""
        return self.analysed.matrix

    @property
    def record(self) -> Envelope:
        """The record of the document."""
        return self.analysed.record

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """One per method and metric."""
        return tuple(self.analysed.estimates)

    @property
    def estimate(self) -> Estimate:
        """The estimate to report for the first metric, else its first one."""
        metric = self.analysed.metrics[0].name
        of_metric = [estimate for estimate in self.estimates if estimate.metric == metric]
        return reported_estimate(of_metric) or of_metric[0]

    @property
    def winner(self) -> str:
        """Name of the selected configuration."""
        return self.estimate.winner

    @property
    def naive(self) -> float:
        """Performance of the winner on the samples that selected it: too good."""
        return self.estimate.naive

    @property
    def value(self) -> float:
        """Expected performance of the winner on new samples."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper end; None if the method has no interval."""
        interval = self.estimate.interval
        return None if interval is None else (interval.lower, interval.upper)

    def sentence(self) -> str:
        """Return the sentence for a paper, one per metric.

        Raises
        ------
        UndefinedError
            No estimate is worth reporting.
        """
        from bbccli.reports.words.for_papers import sentences

        said = sentences(self.record)
        if not said:
            raise UndefinedError("no estimate can be reported", hint="use method='bbc'")
        return "\n".join(f"{text}." for text in said)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per estimate with the columns of ``--format csv``."""
        return self.document.to_frame()

    def resamples(self) -> pd.DataFrame:
        """Return the performance and the winner of every resample behind the estimate.

        Raises
        ------
        UndefinedError
            The method draws no resamples.
        """
        if self.estimate.distribution is None:
            raise UndefinedError(
                f"{self.estimate.method} has no resamples", hint="use method='bbc'"
            )
        made = self.estimate.made is not None
        names = (self.winner,) if made else self.matrix.configurations
        return self.estimate.distribution.to_frame(names)

    def plot(self, kind: str = "forest") -> Figure:
        """Return a figure for a notebook; `kind` is one of those of ``bbc plot``.

        Raises
        ------
        OptionError
            Unknown kind.
        UndefinedError
            This result has no such figure.
        """
        from bbccli.platform.arguments import entry
        from bbccli.reports.figures import KINDS, draw

        entry(KINDS, kind, "figure")
        return Figure.of(draw(kind, self._exhibit(cost=kind == "cost")))

    def _page(self) -> str:
        from bbccli.reports.page.page import page

        return page([self._exhibit(cost=True)])

    def _exhibit(self, *, cost: bool = False) -> Exhibit:
        """Return the result with all evidence from its predictions."""
        from bbccli.reports.evidence.gathering import exhibit_of

        analysed = self.analysed
        if cost:
            plan = self.analysed.plan
            with working(self.analysis.metric, self.matrix):
                seen = cost_of_search(self.matrix, analysed.metrics[0], plan)
            analysed = replace(analysed, record=replace(analysed.record, search_cost=settled(seen)))
        return exhibit_of(self.analysis, analysed, self.command)

    def _lines(self) -> Sequence[str]:
        from bbccli.reports.page.page import first_lines

        return first_lines(self.record, named=True)

    def _repr_html_(self) -> str:
        from bbccli.reports.page.page import cell_of

        return cell_of(self.record)
