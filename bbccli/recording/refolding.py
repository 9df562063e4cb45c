"""Folds that are drawn for each try."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.recording.inputs import Split, frozen, refuse, splitter_of
from bbccli.recording.store import Design
from bbccli.types import IntArray


class TryFolds:
    """Folds by the name of a try: other names get other folds, the same name the same.

    of_data: the arguments of `frozen` after `cv`, all of them.

    Raises OptionError: folds that can't be drawn anew, or that don't test each row once.
    """

    def __init__(self, cv: Any, *of_data: Any) -> None:
        self.of_data = of_data
        _, truth, _, classifies, among = of_data
        self.cv = splitter_of(cv, truth, classifies)
        refuse(
            not hasattr(self.cv, "random_state"),
            "refold draws other folds for each try, and those of cv are always the same",
            "a number of folds, or a splitter that shuffles, such as StratifiedKFold",
        )
        tested = np.concatenate([test for _, test in self.of("any")])
        once = np.array_equal(np.sort(tested), np.arange(len(truth)) if among is None else among)
        hint = "a number of folds, or a splitter such as StratifiedKFold"
        refuse(not once, "refold needs folds that test each row once", hint)

    def design(self, design: Design, name: str, rows: IntArray) -> Design:
        """Return a design with the folds of a try, whose samples are these rows of the data."""
        tests = tuple(np.searchsorted(rows, test) for _, test in self.of(name))
        return replace(design, tests=tests)

    def of(self, name: str) -> list[Split]:
        """Return the splits of a try."""
        cv, seed = copy.copy(self.cv), self.cv.random_state
        text = f"{seed if isinstance(seed, int) else ''} {name}"
        cv.random_state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        cv.shuffle = True
        return frozen(cv, *self.of_data)
