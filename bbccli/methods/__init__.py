"""Methods: from out-of-sample predictions to an honest performance of the winner."""

from bbccli.methods.base import Gives, Method, Need
from bbccli.methods.registry import (
    DEFAULT_METHODS,
    ENOUGH_FOLDS,
    METHODS,
    MODULES,
    choose_methods,
)
from bbccli.methods.several import ALL, estimate

__all__ = [
    "ALL",
    "DEFAULT_METHODS",
    "ENOUGH_FOLDS",
    "METHODS",
    "MODULES",
    "Gives",
    "Method",
    "Need",
    "choose_methods",
    "estimate",
]
