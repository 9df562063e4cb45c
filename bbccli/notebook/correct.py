"""`correct`: the honest figure of the winner, in one line of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bbccli.analysis.answer import Analysed, answer, cost_of_search, working
from bbccli.analysis.options import Analysis
from bbccli.core.documents import Document, as_json
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.results import Estimate
from bbccli.errors import UndefinedError
from bbccli.metrics import Metric
from bbccli.notebook.given import command_of, options_from, source_of
from bbccli.notebook.result import Figure, Result
from bbccli.schema.correct import Envelope, to_report
from bbccli.types import Pooling

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
    n_resamples: int | str = 1000,
    level: float = 0.95,
    pooling: Pooling | str | None = None,
    tight: bool = False,
    **options: Any,
) -> Correction:
    """Correct the winner's performance for having been selected.

    Figures are those of ``bbc correct`` with the same options, to the last bit.

    Parameters
    ----------
    predictions
        Out-of-sample predictions of C configurations: a file, a folder or several files, as
        `bbccli.read` takes them; a data frame of pandas or polars or an Arrow table, whose columns
        are configurations, with or without columns of the truth, the folds and so on; an array
        (N, C), (N, C, K) or (R, N, C); a `PredictionMatrix`; or a `Recorder`, or a search whose
        scorer is a recorder's.
    y_true : (N,), optional
        Labels or values of predictions in memory, where no column holds them; of a survival task
        an array with a field of booleans, the event, and one of times.
    metric
        The metric that selects, or several of which the first does; see ``bbc metrics``.
    method
        One or several; see ``bbc methods``.
    folds, groups, sample_weight, repeats : (N,), optional
        Of predictions in memory, a value per row; folds of an array also (R, N). ``fold="cv"``
        and the like name a column instead.
    random_state
        The seed; same seed, same numbers.
    n_resamples, level, pooling, tight
        As on the command line.
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
    analysis = options_from(
        Analysis,
        options
        | {"metric": metric, "method": method, "random_state": random_state, "tight": tight}
        | {"n_resamples": n_resamples, "level": level, "pooling": pooling},
    )
    analysis.check()
    of_samples = {"y_true": y_true, "folds": folds, "groups": groups}
    of_samples |= {"sample_weight": sample_weight, "repeats": repeats}
    source = source_of(predictions, analysis, of_samples)
    return Correction(answer(analysis, source), analysis, command_of(analysis, source, "correct"))


@dataclass(frozen=True, eq=False, repr=False)
class Correction(Result):
    """The winner, and the performance to expect of it.

    A notebook shows the answer; `print` shows the same in a few lines.

    Attributes
    ----------
    analysed
        The matrix, the metrics, the estimates and the document.
    analysis
        The options.
    command
        The command line that does the same; empty for what was in memory.
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
    def document(self) -> Document[Envelope]:
        """What ``--format json`` writes."""
        return self.analysed.document

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """One per method and metric."""
        return tuple(self.analysed.estimates)

    @property
    def estimate(self) -> Estimate:
        """The one to report of the first metric; where none is, the first one."""
        metric = self.analysed.metrics[0].name
        own = [one for one in self.estimates if one.metric == metric]
        return to_report(own) or own[0]

    @property
    def winner(self) -> str:
        """Name of the configuration that was selected."""
        return self.estimate.winner

    @property
    def naive(self) -> float:
        """Performance of the winner on the samples that chose it: too good."""
        return self.estimate.naive

    @property
    def value(self) -> float:
        """Performance to expect of the winner on new samples."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper end; None where the method has no interval."""
        found = self.estimate.interval
        return None if found is None else (found.lower, found.upper)

    def sentence(self) -> str:
        """Return the sentence for a paper, one for each metric.

        Raises
        ------
        UndefinedError
            No estimate is worth reporting.
        """
        from bbccli.reports.sentences import sentences

        found = sentences(self.document.record)
        if not found:
            raise UndefinedError("no estimate is worth reporting", hint="method='bbc'")
        return "\n".join(f"{one}." for one in found)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per estimate, with the columns of ``--format csv``."""
        return self.document.to_frame()

    def resamples(self) -> pd.DataFrame:
        """Return the performance and the winner of every resample behind the estimate.

        Raises
        ------
        UndefinedError
            The method draws none.
        """
        if self.estimate.distribution is None:
            raise UndefinedError(f"{self.estimate.method} has no resamples", hint="method='bbc'")
        return self.estimate.distribution.to_frame(self.matrix.configurations)

    def plot(self, kind: str = "forest") -> Figure:
        """Return a figure that a notebook shows; `kind` is one of those of ``bbc plot``.

        Raises
        ------
        OptionError
            There is no such kind.
        UndefinedError
            This result has no such figure.
        """
        from bbccli.core.arguments import entry
        from bbccli.reports.figures import KINDS, draw

        entry(KINDS, kind, "figure")
        return Figure.of(draw(kind, self._exhibit(cost=kind == "cost")))

    def _page(self) -> str:
        from bbccli.reports.page.whole import page

        return page([self._exhibit(cost=True)])

    def _exhibit(self, *, cost: bool = False) -> Exhibit:
        """Return the result with all that its predictions tell beyond it."""
        from bbccli.reports.evidence.gathering import exhibit_of

        found = self.analysed
        if cost:
            plan = self.analysis.plan(self.matrix.source.metadata)
            with working(self.analysis.metric, self.matrix):
                seen = cost_of_search(self.matrix, found.metrics[0], plan)
            found = replace(found, document=self.document | {"search_cost": as_json(seen)})
        return exhibit_of(self.analysis, found, self.command)

    def _lines(self) -> Sequence[str]:
        from bbccli.reports.page.whole import first_lines

        return first_lines(self.document.record)

    def _repr_html_(self) -> str:
        from bbccli.reports.page.whole import cell_of

        return cell_of(self.document.record)
