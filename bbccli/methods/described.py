"""What is written of a method: the docstring of its module, in parts."""

from __future__ import annotations

import re
from inspect import getdoc
from types import ModuleType

from bbccli.methods.registry import METHODS, module_of

ASSUMED = (
    "the file holds **all** configurations among which the choice was made;",
    "the predictions are out-of-sample: no step that saw the outcome (feature selection, "
    "imputation, early stopping on the fold) was fitted on the sample that is predicted;",
    "the samples are independent draws from the population that the result is for. Where they come "
    "in groups (several rows of a patient, sites), the groups are: with a `group` column `bbc` "
    "resamples whole groups, and out of the bag means that the whole group is out. `tt` and "
    "`bbc-f` are not affected; for them the folds have to keep groups together.",
)
"""What every method assumes, in Markdown."""


def description(name: str) -> str:
    """Return all that is written of a method, in Markdown: a title, and paragraphs.

    Parameters
    ----------
    name
        Of `METHODS`.
    """
    return _sections(module_of(name)).get(name) or METHODS[name].summary


def part(name: str, start: str) -> str:
    """Return the paragraph of a method that begins with a word such as `Source`, without it.

    Examples
    --------
    >>> part("bbc-f", "Assumptions")
    'those above, and folds of about equal size.'
    """
    found = re.search(rf"^{start}: (.*?)(?:\n\n|\Z)", description(name), re.M | re.S)
    return " ".join(found[1].split()) if found else ""


def _sections(module: ModuleType) -> dict[str, str]:
    """Text by method; of a module of several what comes before the first heading is of no one."""
    text = (getdoc(module) or "").strip()
    if len(module.METHODS) == 1:
        return {module.METHODS[0].name: text}
    parts = re.split(r"^## (.+)\n\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
