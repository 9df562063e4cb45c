"""The registry of intervals of resample distributions: a module for each `IntervalKind`.

The kinds are names that the plan, the command line and the schema know before anything is
computed; the kind `matched` is the module `matched`, and what it declares as `INTERVAL`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from bbccli.by_name import ByName
from bbccli.intervals.base import Construction
from bbccli.types import IntervalKind


def _declared(kind: IntervalKind) -> Construction:
    found: Construction = import_module(f"bbccli.intervals.{kind.replace('-', '_')}").INTERVAL
    return found


INTERVALS: Mapping[IntervalKind, Construction] = ByName(IntervalKind, _declared)
