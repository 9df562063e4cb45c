"""The registry of intervals of resample distributions: a module for each `IntervalKind`.

The kinds are names that the plan, the command line and the schema know before anything is
computed; the kind `matched` is the module `matched`, and what it declares as `INTERVAL`.
"""

from __future__ import annotations

from importlib import import_module

from bbccli.intervals.base import Construction
from bbccli.types import IntervalKind

INTERVALS: dict[IntervalKind, Construction] = {
    kind: import_module(f"bbccli.intervals.{kind.replace('-', '_')}").INTERVAL
    for kind in IntervalKind
}
