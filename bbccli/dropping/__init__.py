"""Dropping: which configurations need not be trained on the folds to come.

`drop` is asked between folds; `replay` tells what it would have saved in a finished matrix.
"""

from __future__ import annotations

from bbccli.dropping.base import Rule
from bbccli.dropping.online import drop
from bbccli.dropping.replay import replay
from bbccli.dropping.results import DropDecision, Fate, Replay
from bbccli.dropping.rules import EVERY, RULES

__all__ = ["EVERY", "RULES", "DropDecision", "Fate", "Replay", "Rule", "drop", "replay"]
