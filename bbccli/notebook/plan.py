"""`plan`: plan a study, in one line of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from bbccli.documents.plan import PlanEnvelope
from bbccli.domain.plan import Plan
from bbccli.metrics import Metric
from bbccli.notebook.arguments import asked, command_of, input_of
from bbccli.notebook.result import Result
from bbccli.planning.records import Cell, Planned
from bbccli.platform.dataclass import dataclass
from bbccli.types import Pooling
from bbccli.use_cases.plan import WITHOUT, Planning

if TYPE_CHECKING:
    import pandas as pd


def plan(
    predictions: Any = None,
    y_true: Any = None,
    *,
    width: float | None = None,
    optimism: float | None = None,
    samples: int | Sequence[int] | None = None,
    configurations: int | Sequence[int] | None = None,
    expected: float | None = None,
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
) -> PlanResult:
    """Tell how many rows and configurations a study needs, before it is made.

    Figures are bit-identical to those of ``bbc plan`` with the same options.

    Parameters
    ----------
    predictions, y_true
        A pilot, as for `correct`; without one, values are stated.
    width
        Find the rows for an interval at most this wide.
    optimism
        Find the rows for a naive figure at most this much too good on average.
    samples, configurations
        Rows and configurations of the table; the answer is for the most configurations.
    expected
        Without a pilot: true performance of the best configuration, in (0, 1).
    metric
        The metric; see ``bbc metrics``. Without a pilot the AUC, or a proportion of samples.
    folds, groups, sample_weight, repeats, random_state, n_resamples, level, pooling
        As for `correct`.
    **options
        Any other option of ``bbc plan`` by its name, such as ``assurance=0.8``, ``check=True``,
        ``prevalence=0.3`` or ``spread=0.05``.

    Returns
    -------
    PlanResult
        The number of rows, the expected outcome, and a table.

    Raises
    ------
    BbcError
        As ``bbc plan``: what is wrong, and what to do.

    Examples
    --------
    >>> plan(expected=0.85, prevalence=0.3, configurations=200, width=0.1).n_samples
    612
    """
    how, of_samples = asked(Planning, locals(), WITHOUT)
    stated = predictions is None and not any(sample is not None for sample in of_samples.values())
    pilot = None if stated else input_of(predictions, how, of_samples)
    how.check_options(pilot=not stated)
    return PlanResult(how.answer(pilot), how, command_of(how, () if stated else pilot, "plan"))


@dataclass(frozen=True, eq=False, repr=False)
class PlanResult(Result):
    """The size of a study, and its expected outcome.

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

    kind: ClassVar[str] = "plan"

    record: PlanEnvelope
    options: Planning
    command: str = ""

    @property
    def planned(self) -> Planned:
        """The whole plan, with its basis."""
        return self.record.planned

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Expected outcome for each number of rows and configurations of the table."""
        return self.planned.cells

    @property
    def chosen(self) -> Cell:
        """The cell of the answer."""
        return self.planned.chosen

    @property
    def n_samples(self) -> int | None:
        """Number of rows needed, or asked about; None if no number is enough."""
        wanted = self.planned.wanted
        return self.chosen.n_samples if wanted is None else wanted.n_samples

    @property
    def n_configurations(self) -> int:
        """Number of configurations of the answer."""
        return self.chosen.n_configurations

    @property
    def naive(self) -> float:
        """Expected score of the winner on the samples that select it: too good."""
        return self.chosen.naive

    @property
    def honest(self) -> float:
        """Expected performance of the winner on new samples."""
        return self.chosen.honest

    @property
    def optimism(self) -> float:
        """Expected excess of the naive figure."""
        return self.chosen.optimism

    @property
    def width(self) -> float:
        """Expected width of the winner's interval."""
        return self.chosen.width

    def sentence(self) -> str:
        """Return the answer in words."""
        return " ".join(self._lines())

    def to_frame(self) -> pd.DataFrame:
        """Return a row per cell, as in CSV."""
        from bbccli.platform.records.rows import dtypes_of_rows, frame_of
        from bbccli.reports.content.plan import csv_rows

        columns, rows = csv_rows([self.document])
        kinds = dtypes_of_rows(Cell, Planned, PlanEnvelope, Plan)
        return frame_of(list(rows), columns, kinds | {"chosen": "bool"})

    def _lines(self) -> Sequence[str]:
        from bbccli.reports.content.plan import answer_lines

        return answer_lines(self.record)

    def _repr_html_(self) -> str:
        from bbccli.reports.content import blocks_of
        from bbccli.reports.page.sections import cell_of_blocks

        return cell_of_blocks(blocks_of(self.record))
