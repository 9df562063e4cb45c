"""One function and one object per question, for notebooks and scripts.

`correct` is ``bbc correct`` on what Python holds in memory or in files: the same options by
the same names, besides those of scikit-learn, and the same figures to the last bit.
"""

from __future__ import annotations

from bbccli.notebook.correct import Correction, correct

__all__ = ["Correction", "correct"]
