"""Run the tests of a room in a copy of the project until one fails: those that are near first.

`python -m tests.mutants.trying MODULE ROOM FILE` writes the failing test to the file,
`--tests FILE` runs the tests that a file names, `--near ROOM` those of a room that come first.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants.rooms import ROOMS, Room

COMMON = ["-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
BY_DAY = "not slow and not sweep and not browser"
SWEEP = "sweep and not slow and not browser"
SECONDS = 120
"""Of the processor that a test may take, or the collection of all; of the clock ten times that."""


@dataclass(eq=False)
class Watch:
    """A plugin that says which test fails, and ends one that goes on for ever."""

    said: Path
    timer: threading.Timer | None = None

    def fails(self, test: str) -> None:
        self.said.write_text(test, encoding="utf-8")

    def start(self, test: str) -> None:
        self.stop()
        self._wait(test, time.monotonic() + 10 * SECONDS, time.process_time() + SECONDS)

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()

    def _wait(self, test: str, clock: float, processor: float) -> None:
        self.timer = threading.Timer(SECONDS, self._end, [test, clock, processor])
        self.timer.daemon = True
        self.timer.start()

    def _end(self, test: str, clock: float, processor: float) -> None:
        if time.monotonic() < clock and time.process_time() < processor:
            self._wait(test, clock, processor)
            return
        self.fails(f"{test} (without end)")
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
    """0 if the tests of every day pass, and the sweep; says which test fails else."""
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
    every = [
        path for one in map(Path, named + others) for path in sorted(one.rglob("*.py")) or [one]
    ]
    quick = [*_examples(module), *_called(module, every), *named, *_importing(module, every)]
    near = list(dict.fromkeys(quick))
    yield ["-m", BY_DAY, *near]
    if others:
        yield ["-m", BY_DAY, *others, *(f"--ignore={one}" for one in near)]
    yield ["-m", SWEEP, *near, *others]


def _called(module: str, tests: Iterable[Path]) -> list[str]:
    """Files of tests that are called as the module is, or as the folder that it is in."""
    names = {Path(module).stem, Path(module).parent.name}
    called = {f"test{of_what}_{name}.py" for of_what in ("", "_read") for name in names}
    return [path.as_posix() for path in tests if path.name in called]


def _importing(module: str, tests: Iterable[Path]) -> list[str]:
    """Files of tests that import the module itself."""
    line = re.compile(rf"^(?:from|import) {re.escape(_dotted(module))} ", re.M)
    return [path.as_posix() for path in tests if line.search(path.read_text(encoding="utf-8"))]


def _examples(module: str) -> list[str]:
    """The test of the examples in a module, if it has any."""
    path = Path(module)
    if path.suffix != ".py" or ">>>" not in path.read_text(encoding="utf-8"):
        return []
    return [f"tests/test_doctests.py::test_examples[{_dotted(module)}]"]


def _dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def again(said: Path) -> int:
    """Run the tests that a file names; 0 if all pass."""
    names = set(said.read_text(encoding="utf-8").splitlines())
    files = sorted({name.partition("::")[0] for name in names})
    return int(pytest.main([*COMMON, "-m", "not browser", *files], plugins=[Only(names)]))


def near(room: Room) -> int:
    """Run the tests of a room that come first; 0 if all pass."""
    return int(pytest.main([*COMMON, *next(stages("", room))]))


if __name__ == "__main__":
    _, *words = sys.argv
    rooms = {room.name: room for room in ROOMS}
    if words[0] == "--tests":
        sys.exit(again(Path(words[1])))
    if words[0] == "--near":
        sys.exit(near(rooms[words[1]]))
    sys.exit(first_failure(words[0], rooms[words[1]], Path(words[2])))
