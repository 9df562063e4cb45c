"""Documents of `bbc plan`; there may be no file behind them."""

from __future__ import annotations

from bbccli.documents.correct import SCHEMA_VERSION, AnyEnvelope, Input
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.notes import Note
from bbccli.planning.records import Planned
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import settled
from bbccli.types import Direction
from bbccli.version import __version__


@dataclass(frozen=True, slots=True)
class PlanEnvelope(AnyEnvelope):
    """The envelope of `bbc plan`.

    input: the pilot; null where values were stated
    plan: what the numbers depend on
    metric: name of the metric
    direction: whether higher or lower values are better
    planned: the plan of the study
    notes: what to know about the pilot and the plan
    """

    input: Input | None
    plan: Plan
    metric: str
    direction: Direction
    planned: Planned
    notes: tuple[Note, ...]


def plan_document(matrix: PredictionMatrix | None, plan: Plan, planned: Planned) -> PlanEnvelope:
    """Return the document of a plan; without a pilot there is no matrix."""
    return settled(
        PlanEnvelope(
            *(SCHEMA_VERSION, __version__, "plan"),
            input=None if matrix is None else Input.of(matrix),
            plan=plan,
            metric=planned.metric,
            direction=planned.direction,
            planned=planned,
            notes=(*(() if matrix is None else matrix.notes), *planned.notes),
        )
    )
