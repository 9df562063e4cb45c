"""Run the tests of a room in a copy of the project until one fails: those that are near first.

`python -m tests.mutants.trying MODULE ROOM FILE` writes the failing test to the file,
`--tests FILE` runs the tests that a file names, `--near ROOM` those of a room that come first.
"""

import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants.rooms import ROOMS, Room

COMMON = ["-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
BY_DAY = "not slow and not sweep and not browser"
SWEEP = "sweep and not slow and not browser"
SECONDS = 180
"""What a test may take, and the collection of all; the longest takes a tenth of it."""


@dataclass(eq=False)
class Watch:
    """A plugin that says which test fails, and ends one that goes on for ever."""

    said: Path
    timer: threading.Timer | None = None

    def fails(self, test: str) -> None:
        self.said.write_text(test, encoding="utf-8")

    def start(self, test: str) -> None:
        self.stop()
        self.timer = threading.Timer(SECONDS, self._end, [test])
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()

    def _end(self, test: str) -> None:
        self.fails(f"{test} ({SECONDS} seconds)")
        os._exit(1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.start(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.fails(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fails(report.nodeid)


@dataclass(eq=False)
class Only:
    """A plugin that leaves the tests of these names."""

    names: set[str]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.names]


def first_failure(module: str, room: Room, said: Path) -> int:
    """0 if the tests of every day pass, and the sweep of those near; says which test fails else."""
    watch = Watch(said)
    for words in stages(module, room):
        watch.start("collection")
        status = pytest.main([*COMMON, "-x", *words], plugins=[watch])
        watch.stop()
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return int(status)
    return 0


def stages(module: str, room: Room) -> Iterator[list[str]]:
    """The words for pytest, which would not keep the files of a folder before the others of it."""
    named, others = [f"tests/{one}" for one in room.near], [f"tests/{one}" for one in room.tests]
    near = list(dict.fromkeys([*_called(module, [*named, *others]), *named]))
    yield ["-m", BY_DAY, *near]
    if others:
        yield ["-m", BY_DAY, *others, *(f"--ignore={one}" for one in near)]
    yield ["-m", SWEEP, *near]


def _called(module: str, tests: list[str]) -> Iterator[str]:
    """Files of tests that are called as the module is, or as the folder that it is in."""
    names = {Path(module).stem, Path(module).parent.name}
    called = {f"test{of_what}_{name}.py" for of_what in ("", "_read") for name in names}
    for one in map(Path, tests):
        yield from (path.as_posix() for path in sorted(one.rglob("*.py")) if path.name in called)


def again(said: Path) -> int:
    """Run the tests that a file names; 0 if all pass."""
    names = set(said.read_text(encoding="utf-8").splitlines())
    files = sorted({name.partition("::")[0] for name in names})
    return int(pytest.main([*COMMON, "-m", "not browser", *files], plugins=[Only(names)]))


def near(room: Room) -> int:
    """Run the tests of a room that come first; 0 if all pass."""
    return int(pytest.main([*COMMON, *next(stages(room.modules[0], room))]))


if __name__ == "__main__":
    _, *words = sys.argv
    rooms = {room.name: room for room in ROOMS}
    if words[0] == "--tests":
        sys.exit(again(Path(words[1])))
    if words[0] == "--near":
        sys.exit(near(rooms[words[1]]))
    sys.exit(first_failure(words[0], rooms[words[1]], Path(words[2])))
