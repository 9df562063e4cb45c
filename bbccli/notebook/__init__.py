"""One function and one object per question, for notebooks and scripts.

`correct`, `compare` and `plan` do what the commands of these names do, with data in memory or in
files: options have the same names, apart from scikit-learn's, and figures are bit-identical.
"""

from __future__ import annotations

from bbccli.notebook.compare import ComparisonResult, compare
from bbccli.notebook.correct import Correction, correct
from bbccli.notebook.plan import PlanResult, plan

__all__ = ["ComparisonResult", "Correction", "PlanResult", "compare", "correct", "plan"]
