"""The examples in docstrings give what they show."""

import doctest
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

PACKAGE = Path(__file__).parents[1] / "bbccli"
MODULES = [
    ".".join(("bbccli", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


PLAIN = False if np.__version__.startswith("1.") else "1.25"
"""How numpy has to be told to show 0.5, and not np.float64(0.5): not at all, before numpy 2."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    with np.printoptions(legacy=PLAIN):
        failed, tried = doctest.testmod(import_module(name))
    assert tried > 0
    assert failed == 0
