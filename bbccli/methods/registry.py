"""The registry of methods, and which of them are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from bbccli.arguments import as_list, entry
from bbccli.by_name import ByName
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Method, Need
from bbccli.types import distinct

MODULES = {
    "cvt": "cvt",
    "tt": "tt",
    "bbc": "bbc",
    "bbc-f": "bbc_f",
    "bbc-632": "bbc_632",
    "bbc-632plus": "bbc_632plus",
    "bbc-eb": "bbc_eb",
    "bbcd": "bbcd",
    "cvm-cv": "cvm_cv",
    "wmc": "wmc",
    "wmcs": "wmcs",
    "delong": "delong",
    "delong-10p": "delong",
    "hanley-mcneil": "hanley_mcneil",
    "hanley-mcneil-10p": "hanley_mcneil",
    "tilting": "tilting",
    "tilting-10p": "tilting",
    "mabt": "mabt",
    "nested-selection": "nested_selection",
    "ncv": "ncv",
    "ncv-interval": "ncv_interval",
    "zf": "zf",
    "naive": "naive",
    "naive-f": "naive_f",
    "wald": "proportion",
    "wilson": "proportion",
    "clopper-pearson": "proportion",
    "jeffreys": "proportion",
    "t-folds": "student",
    "t-corrected": "student",
    "influence": "cv_influence",
}
"""Module of each method, which is imported when the method is first asked for.

In this order methods are listed, and documented by the docstrings of their modules.
"""


def module_of(name: str) -> ModuleType:
    """Return the module that declares a method."""
    return import_module(f"bbccli.methods.{MODULES[name]}")


def _declared(name: str) -> Method:
    found: Method = next(one for one in module_of(name).METHODS if one.name == name)
    return found


METHODS: Mapping[str, Method] = ByName(MODULES, _declared)

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


def choose_methods(names: str | Method | Sequence[str | Method]) -> list[Method]:
    """Return the methods of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No method has that name.
    """
    return list(dict.fromkeys(entry(METHODS, name, "method", Method) for name in as_list(names)))
