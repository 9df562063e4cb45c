"""Methods: from out-of-sample predictions to an honest performance of the winner."""

from bbccli.methods.base import DEFAULT_METHODS, METHODS, Gives, Method, Need, choose_methods
from bbccli.methods.several import estimate
from bbccli.platform.arguments import ALL

__all__ = [
    "ALL",
    "DEFAULT_METHODS",
    "METHODS",
    "Gives",
    "Method",
    "Need",
    "choose_methods",
    "estimate",
]
