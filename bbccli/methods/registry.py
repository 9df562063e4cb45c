"""The registry of methods, and which of them are run."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.errors import OptionError, nearest
from bbccli.matrix import PredictionMatrix
from bbccli.methods import (
    bbc,
    bbc_632,
    bbc_632plus,
    bbc_eb,
    bbc_f,
    bbcd,
    cv_influence,
    cvm_cv,
    cvt,
    delong,
    hanley_mcneil,
    mabt,
    naive,
    naive_f,
    ncv,
    ncv_interval,
    nested_selection,
    proportion,
    student,
    tilting,
    tt,
    wmc,
    wmcs,
    zf,
)
from bbccli.methods.base import Method, Need
from bbccli.types import distinct

MODULES = (
    cvt,
    tt,
    bbc,
    bbc_f,
    bbc_632,
    bbc_632plus,
    bbc_eb,
    bbcd,
    cvm_cv,
    wmc,
    wmcs,
    delong,
    hanley_mcneil,
    tilting,
    mabt,
    nested_selection,
    ncv,
    ncv_interval,
    zf,
    naive,
    naive_f,
    proportion,
    student,
    cv_influence,
)
"""In this order the methods are listed, and documented by the docstrings of their modules."""

METHODS: dict[str, Method] = {
    method.name: method for module in MODULES for method in module.METHODS
}

DEFAULT_METHODS = ("cvt", "tt", "bbc", "bbc-f")

ENOUGH_FOLDS = 8
"""From so many folds on `bbc-f` is a default: with five, 75 % of its bounds held the truth."""


def default_methods(matrix: PredictionMatrix) -> list[str]:
    """Return the methods that are run when none is named, for this matrix.

    Without folds those over folds are left out: the note on unknown folds says it already. `bbc-f`
    takes `ENOUGH_FOLDS` folds in each repeat. A file with nested predictions was made for `ncv`.
    """
    left_out = set()
    if matrix.folds is None:
        left_out = {name for name in DEFAULT_METHODS if Need.FOLDS in METHODS[name].needs}
    elif min(len(distinct(row)) for row in matrix.folds) < ENOUGH_FOLDS:
        left_out = {"bbc-f"}
    nested = ["ncv"] if matrix.nested else []
    return [*(name for name in DEFAULT_METHODS if name not in left_out), *nested]


def choose_methods(names: Sequence[str]) -> list[Method]:
    """Return the methods of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No method has that name.
    """
    for name in names:
        if name not in METHODS:
            raise OptionError(f"no method named {name!r}", hint=nearest(name, METHODS))
    return [METHODS[name] for name in dict.fromkeys(names)]
