"""Plans of a study: how many rows and configurations an honest result takes.

A basis, of a pilot or of stated values, tells the winner's optimism and draws studies; `studies`
has the widths of their intervals, and `planned` answers the question: a file per idea.
"""

from __future__ import annotations

from bbccli.planning.assumed import Stated, check_statable, of_stated
from bbccli.planning.pilot import of_pilot
from bbccli.planning.planner import PlanRequest, planned_for
from bbccli.planning.records import Planned, Target

__all__ = [
    "PlanRequest",
    "Planned",
    "Stated",
    "Target",
    "check_statable",
    "of_pilot",
    "of_stated",
    "planned_for",
]
