"""Studies, and what was stated in each repetition, in committed Parquet files: they add up.

A file for each study: a row is a repetition of a setting, and a column a statement, true where it
held, or a figure. `statement` is the version of what is stated: rows of an earlier one are not
read, and gone after the next `write`, so that they are repeated.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from joblib import Parallel, delayed

from bbccli.platform.atomic import replacing
from bbccli.platform.resources import Resources, use

FOLDER = Path(__file__).parent / "results"

KEYS = ("setting", "repetition", "statement")

Result = Mapping[str, Any]


class Kept:
    """The repetitions of one study.

    Parameters
    ----------
    folder
        Of the files; it need not exist yet.
    study
        Names the file.
    statement
        Version of what the study states.
    """

    def __init__(self, folder: Path, study: str, statement: int) -> None:
        self.path = folder / f"{study}.parquet"
        self.statement = statement
        self._found: dict[str, dict[int, Result]] = defaultdict(dict)
        self._added = 0
        if self.path.exists():
            frame = pq.read_table(self.path).to_pandas()
            for row in frame[frame["statement"] == statement].to_dict("records"):
                setting, repetition, _ = (row.pop(name) for name in KEYS)
                result = {name: None if pd.isna(value) else value for name, value in row.items()}
                self._found[setting][repetition] = result

    def results(self, setting: str) -> dict[int, Result]:
        """Results of a setting, by repetition."""
        return self._found.get(setting, {})

    def add(self, setting: str, repetition: int, result: Result) -> None:
        """Keep a result; it is on disk after the next `write`."""
        self._found[setting][repetition] = result
        self._added += 1

    def write(self) -> None:
        """Write all rows in their order; readers see the old file or the new."""
        if not self._added:
            return
        rows = [
            {"setting": setting, "repetition": repetition, "statement": self.statement, **result}
            for setting, results in sorted(self._found.items())
            for repetition, result in sorted(results.items())
        ]
        frame = pd.DataFrame(rows)
        numbers = {
            name: "int16" if kind == "int64" else "float32"
            for name, kind in frame.dtypes.astype(str).items()
            if kind in ("int64", "float64")
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pandas(frame.astype(numbers), preserve_index=False)
        with replacing(self.path) as file:
            pq.write_table(table, file, compression="zstd", compression_level=19)
        self._added = 0


class Repeated(Protocol):
    """A setting: its name, and how often it is repeated."""

    @property
    def key(self) -> str: ...
    @property
    def n_repetitions(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Study:
    """Settings, and what a repetition of one states: known from its number, and not run again.

    Parameters
    ----------
    name
        Names its file.
    settings
        Makes its settings.
    repetition
        Setting, number -> statements.
    statement
        Version of what is stated.
    """

    name: str
    settings: Callable[[], Sequence[Any]]
    repetition: Callable[[Any, int], Result]
    statement: int = 1

    def kept(self, folder: Path = FOLDER) -> Kept:
        """Return what is on disk."""
        return Kept(folder, self.name, self.statement)

    def repeat(self, store: Kept, seconds: float, jobs: int = 1) -> int:
        """Repeat until the seconds are used up; return how often. What was done is kept."""
        end, n_done = time.monotonic() + seconds, 0
        in_time = takewhile(lambda _: time.monotonic() < end, self._todo(store))
        done = Parallel(jobs, return_as="generator_unordered", pre_dispatch=jobs)(
            delayed(self._done)(*one) for one in in_time
        )
        try:
            for n_done, one in enumerate(done, 1):
                store.add(*one)
                if not n_done % 100:
                    store.write()
        finally:
            store.write()
        return n_done

    def _done(self, setting: Repeated, number: int) -> tuple[str, int, Result]:
        with use(Resources(jobs=1)):
            return setting.key, number, self.repetition(setting, number)

    def _todo(self, store: Kept) -> Iterator[tuple[Repeated, int]]:
        """Yield repetition 0 of every setting, then repetition 1, ...; without what is kept."""
        settings: Sequence[Repeated] = self.settings()
        for number in range(max(one.n_repetitions for one in settings)):
            for setting in settings:
                if number < setting.n_repetitions and number not in store.results(setting.key):
                    yield setting, number
