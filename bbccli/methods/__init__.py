"""Methods: from out-of-sample predictions to an honest performance of the winner."""

from bbccli.methods.base import Gives, Method, Need
from bbccli.methods.registry import (
    DEFAULT_METHODS,
    ENOUGH_FOLDS,
    METHODS,
    choose_methods,
)
from bbccli.methods.several import ALL, estimate

__all__ = [
    "ALL",
    "DEFAULT_METHODS",
    "ENOUGH_FOLDS",
    "METHODS",
    "Gives",
    "Method",
    "Need",
    "choose_methods",
    "estimate",
]
