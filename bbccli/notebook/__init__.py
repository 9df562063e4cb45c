"""One function and one object per question, for notebooks and scripts.

`correct`, `compare` and `plan` are the commands of these names on what Python holds in memory or
in files: the same options by the same names, besides those of scikit-learn, and the same figures
to the last bit.
"""

from __future__ import annotations

from bbccli.notebook.compare import ComparisonResult, compare
from bbccli.notebook.correct import Correction, correct
from bbccli.notebook.plan import PlanResult, plan

__all__ = ["ComparisonResult", "Correction", "PlanResult", "compare", "correct", "plan"]
