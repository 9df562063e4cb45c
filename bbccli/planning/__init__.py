"""Plans of a study: how many rows and configurations an honest result takes.

A basis says how performances vary, by chance and in truth, from a pilot or from stated values; a
plan says what is to be expected of so many rows and so many configurations: a file per idea.
"""

from __future__ import annotations

from bbccli.planning.basis import Stated, of_stated
from bbccli.planning.pilot import of_pilot
from bbccli.planning.planned import PlanRequest, planned_for
from bbccli.planning.records import Planned, Target

__all__ = ["PlanRequest", "Planned", "Stated", "Target", "of_pilot", "of_stated", "planned_for"]
