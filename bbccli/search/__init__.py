"""Searches of scikit-learn that drop configurations between folds, and correct for the
selection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bbccli.search.dropping import DroppingSearchCV

__all__ = ["DroppingSearchCV"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # scikit-learn is not a dependency of bbc
    if name != "DroppingSearchCV":
        raise AttributeError(f"module 'bbccli.search' has no attribute {name!r}")
    try:
        from bbccli.search.dropping import DroppingSearchCV
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "joblib"):
            raise
        needed = "DroppingSearchCV needs scikit-learn 1.7 or later: pip install scikit-learn"
        raise ModuleNotFoundError(needed, name=error.name) from None
    return DroppingSearchCV
