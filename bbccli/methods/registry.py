"""The registry of methods, and which of them are run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import getdoc
from types import ModuleType

from bbccli.domain.matrix import PredictionMatrix
from bbccli.methods.base import Method, Need
from bbccli.platform import plugins
from bbccli.platform.arguments import ByName, as_list, entry
from bbccli.types import distinct

MODULES = {
    "cvt": "cvt",
    "tt": "cvt",
    "bbc": "bbc",
    "bbc-f": "bbc_f",
    "bbc-632": "bbc",
    "bbc-632plus": "literature.bbc_632plus",
    "bbc-eb": "bbc",
    "bbcd": "bbcd",
    "cvm-cv": "literature.cvm_cv",
    "wmc": "literature.wmc",
    "wmcs": "literature.wmc",
    "ipl": "literature.ipl",
    "delong": "literature.auc",
    "delong-10p": "literature.auc",
    "hanley-mcneil": "literature.auc",
    "hanley-mcneil-10p": "literature.auc",
    "tilting": "literature.tilting",
    "tilting-10p": "literature.tilting",
    "mabt": "literature.tilting",
    "nested-selection": "literature.nested_selection",
    "vault": "vault",
    "ncv": "ncv",
    "ncv-interval": "ncv",
    "naive": "literature.naive",
    "naive-f": "literature.naive",
    "wald": "literature.proportion",
    "wilson": "literature.proportion",
    "clopper-pearson": "literature.proportion",
    "jeffreys": "literature.proportion",
    "t-folds": "literature.student",
    "t-corrected": "literature.student",
    "influence": "literature.cv_influence",
    "clustered": "literature.clustered",
}
"""Module of each method, which is imported when the method is first asked for.

In this order methods are listed, and documented by the docstrings of their modules.
"""


def module_of(name: str) -> ModuleType:
    """Return the module that declares a method."""
    if name not in MODULES:
        return import_module(plugins.entry_points_of("bbccli.methods")[name].module)
    return import_module(f"bbccli.methods.{MODULES[name]}")


def _declared(name: str) -> Method:
    method: Method = next(m for m in module_of(name).METHODS if m.name == name)
    return method


METHODS: Mapping[str, Method] = ByName(MODULES, _declared, "bbccli.methods", Method)

DEFAULT_METHODS = ("cvt", "tt", "bbc", "bbc-f")

TIGHT_METHODS = ("cvt", "tt", "bbc-632")
"""The same where the tighter interval is to be reported: that of `bbc-632`, of kind `sharp`."""

ENOUGH_FOLDS = 8
"""From so many folds on `bbc-f` is a default: with five its intervals score worse than BBC's."""


def default_methods(matrix: PredictionMatrix, *, tight: bool = False) -> list[str]:
    """Return the default methods for a matrix.

    Methods over folds are left out without folds, which a note on unknown folds already says.
    `bbc-f` needs `ENOUGH_FOLDS` folds in each repeat. A file with nested predictions also gets
    `ncv`, and one with opened rows of a vault `vault`.
    """
    methods, left_out = TIGHT_METHODS if tight else DEFAULT_METHODS, set()
    if matrix.folds is None:
        left_out = {name for name in methods if Need.FOLDS in METHODS[name].needs}
    elif min(len(distinct(row)) for row in matrix.folds) < ENOUGH_FOLDS:
        left_out = {"bbc-f"}
    nested = ["ncv"] if matrix.nested and not tight else []
    sealed = ["vault"] if matrix.vault and matrix.vault.openings else []
    return [*(name for name in methods if name not in left_out), *sealed, *nested]


def choose_methods(names: str | Method | Sequence[str | Method]) -> list[Method]:
    """Return the methods of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No method has that name.
    """
    return list(dict.fromkeys(entry(METHODS, name, "method", Method) for name in as_list(names)))


ASSUMED = (
    "the file holds **all** configurations among which the choice was made;",
    "the predictions are out-of-sample: no step that saw the outcome (feature selection, "
    "imputation) was fitted on the sample that is predicted. Stopping the training where the fold "
    "that scores it is best is such a step: see [early "
    "stopping](which-number.md#early-stopping);",
    "the samples, or the groups that they come in (patients, sites), are independent draws from "
    "the population that the result is for. With a `group` column `bbc` draws whole groups; for "
    "`tt` and `bbc-f` the folds have to keep them together;",
    "the list of configurations would have been the same on other samples: it was fixed, drawn at "
    "random, or guided by scores in few directions. Tuning up to about six hyperparameters costs "
    "at most a few hundredths. A search that builds on whatever scored best (subsets of features, "
    "prompts, evolution with many switches, an agent) fits the samples themselves, and every "
    "method here is too good: see [guided searches](guided.md).",
)
"""Assumptions of every method, in Markdown."""


def description(name: str) -> str:
    """Return the documentation of a method in `METHODS`, in Markdown: a title, and paragraphs."""
    return _sections(module_of(name)).get(name) or METHODS[name].summary


def part(name: str, start: str) -> str:
    """Return the paragraph of a method that begins with a given word such as `Source`, without the
    word.

    >>> part("bbc-f", "Assumptions")
    'those above, and folds of about equal size.'
    """
    match = re.search(rf"^{start}: (.*?)(?:\n\n|\Z)", description(name), re.M | re.S)
    return " ".join(match[1].split()) if match else ""


def formula(name: str) -> list[str]:
    """Return the lines of a method's formula: what is in it, and its block if it has one.

    >>> formula("wilson")
    ['(p + z²/2N ∓ z √(p (1 - p)/N + z²/4N²)) / (1 + z²/N).']
    """
    match = re.search(
        r"^Formula[:,] (.*?)(?:\n\n```text\n(.*?)\n```)?\n\n", description(name), re.M | re.S
    )
    return [] if match is None else [" ".join(match[1].split()), *(match[2] or "").splitlines()]


def _sections(module: ModuleType) -> dict[str, str]:
    """Text by method; text before the first heading belongs to none."""
    text = (getdoc(module) or "").strip()
    if len(module.METHODS) == 1:
        return {module.METHODS[0].name: text}
    parts = re.split(r"^## (.+)\n\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
