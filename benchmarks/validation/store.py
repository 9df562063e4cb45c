"""Repetitions on disk: one line of JSON each, only ever appended."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

Results = dict[str, dict[str, Any]]
"""Of one repetition, by the name of the variant."""


class Store:
    """The records of a folder.

    A line holds a setting, the number of the repetition, its seed, the version of the program, and
    the results of some variants. A variant that came later has lines of its own.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "repetitions.jsonl"
        self.versions: set[str] = set()
        self._records: dict[str, dict[int, Results]] = defaultdict(dict)
        if self.path.exists():
            self._drop_torn_line()
            for line in self.path.read_text(encoding="utf-8").splitlines():
                self._take(json.loads(line))

    def results(self, setting: str) -> dict[int, Results]:
        """Results of a setting by repetition."""
        return self._records.get(setting, {})

    def append(self, record: dict[str, Any]) -> None:
        """Keep a record, on disk at once."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")
        self._take(record)

    def _take(self, record: dict[str, Any]) -> None:
        self.versions.add(record["version"])
        of_setting = self._records[record["setting"]]
        of_setting.setdefault(record["repetition"], {}).update(record["results"])

    def _drop_torn_line(self) -> None:
        """A run that was killed while it wrote left a line without an end."""
        written = self.path.read_bytes()
        whole = written[: written.rfind(b"\n") + 1]
        if whole != written:
            self.path.write_bytes(whole)
