"""Work through what is not in the store yet, until the time is up."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bbccli.platform.resources import Resources, use
from benchmarks.bank.items import Item
from benchmarks.bank.judging import judged
from benchmarks.bank.results import Results
from benchmarks.bank.variants import Variant

SECONDS_BETWEEN_WRITES = 300


class Work:
    """The store that is added to, and where matrices are kept.

    Parameters
    ----------
    store, matrices
        Folders.
    every
        The variants to judge.
    """

    def __init__(self, store: Path, matrices: Path, every: Sequence[Variant]) -> None:
        self.store, self.matrices, self.every = store, matrices, every
        self._files: dict[str, Results] = {}

    def results(self, name: str) -> Results:
        """The file of this name, read once."""
        if name not in self._files:
            self._files[name] = Results(self.store / f"{name}.parquet")
        return self._files[name]

    def run(self, todo: Iterator[Item], seconds: float) -> int:
        """Do items until they or the seconds are used up; return how many had something to do.

        What was done is written now and then, and however it ends.
        """
        start, n_done = time.monotonic(), 0
        written = start
        try:
            with use(Resources(jobs=1)):
                for item in todo:
                    if time.monotonic() - start >= seconds:
                        break
                    n_done += self._do(item)
                    if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
                        self.write()
                        written = time.monotonic()
        finally:
            self.write()
        return n_done

    def write(self) -> None:
        """Write what was added to any file."""
        for results in self._files.values():
            results.write()

    def _do(self, item: Item) -> bool:
        """Judge what is missing of an item; nothing is trained where nothing is."""
        results = self.results(item.file)
        missing = {
            question: variants
            for question in item.questions()
            if (variants := question.missing(self.every, results.stored))
        }
        if not missing:
            return False
        for subject in item.subjects(self.matrices):
            results.add(list(judged(subject, missing.get(subject.question, []))))
        return True
