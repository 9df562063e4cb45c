"""Correct the winner's curse: honest performance of a selected configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bbccli.version import __version__

if TYPE_CHECKING:
    from bbccli.documents.correct import document
    from bbccli.domain.estimate import Estimate
    from bbccli.domain.matrix import PredictionMatrix
    from bbccli.domain.plan import Plan
    from bbccli.dropping import drop
    from bbccli.errors import BbcError
    from bbccli.methods import METHODS
    from bbccli.metrics import METRICS
    from bbccli.notebook import (
        ComparisonResult,
        Correction,
        PlanResult,
        compare,
        correct,
        plan,
    )
    from bbccli.reading import read
    from bbccli.reading.arrays import matrix_of

__all__ = [
    "METHODS",
    "METRICS",
    "BbcError",
    "ComparisonResult",
    "Correction",
    "Estimate",
    "Plan",
    "PlanResult",
    "PredictionMatrix",
    "__version__",
    "compare",
    "correct",
    "document",
    "drop",
    "matrix_of",
    "plan",
    "read",
]

_HOME = {
    "METHODS": "bbccli.methods",
    "METRICS": "bbccli.metrics",
    "BbcError": "bbccli.errors",
    "ComparisonResult": "bbccli.notebook",
    "Correction": "bbccli.notebook",
    "Estimate": "bbccli.domain.estimate",
    "Plan": "bbccli.domain.plan",
    "PlanResult": "bbccli.notebook",
    "PredictionMatrix": "bbccli.domain.matrix",
    "compare": "bbccli.notebook",
    "correct": "bbccli.notebook",
    "document": "bbccli.documents.correct",
    "drop": "bbccli.dropping",
    "matrix_of": "bbccli.reading.arrays",
    "plan": "bbccli.notebook",
    "read": "bbccli.reading",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # Imported on first use, so that `bbc --version` does not import numpy.
    if name not in _HOME:
        raise AttributeError(f"module 'bbccli' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


if os.environ.get("EAGER_IMPORT"):  # as SPEC 1 of Scientific Python has it, to find errors early
    globals().update({name: __getattr__(name) for name in _HOME})
