"""Run the drawn mutations of a room in a copy of the project, which is never that of the user."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome

from tests.mutants.drawing import Key, draw, equivalents, key_of
from tests.mutants.rooms import Room

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("equivalent.tsv")
COPIED = ("bbccli", "tests", "docs", "sample_data", "benchmarks", "pyproject.toml", "README.md")
SECONDS = 300

CONFIG = """\
[cosmic-ray]
module-path = {modules}
timeout = {seconds}
excluded-modules = []
test-command = "{python} -m pytest -q -x -p no:cacheprovider -m 'not slow and not browser' {tests}"

[cosmic-ray.distributor]
name = "local"
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What became of the mutations of a room: their number, and the survivors with their diffs."""

    room: str
    planted: int
    survivors: dict[Key, str]


def plant(room: Room, folder: Path, count: int, seed: int) -> Found:
    """Plant mutations of a room one after another, and run its tests on each.

    Raises
    ------
    RuntimeError
        The tests fail without any mutation.
    """
    tree = folder / room.name
    shutil.rmtree(tree, ignore_errors=True)
    _copy(tree)
    names = {"modules": [f"bbccli/{one}" for one in room.modules], "seconds": SECONDS}
    tests = " ".join(f"tests/{one}" for one in room.tests)
    config = CONFIG.format(**names, python=sys.executable, tests=tests)
    (tree / "mutants.toml").write_text(config, encoding="utf-8")
    _cosmic_ray(tree, "init", "mutants.toml", "session.sqlite")
    with use_db(str(tree / "session.sqlite"), WorkDB.Mode.open) as session:
        draw(session, tree, count, seed, equivalents(KNOWN))
    _cosmic_ray(tree, "baseline", "mutants.toml")
    _cosmic_ray(tree, "exec", "mutants.toml", "session.sqlite")
    with use_db(str(tree / "session.sqlite"), WorkDB.Mode.open) as session:
        return _found(room, session, tree)


def _copy(tree: Path) -> None:
    """Copy the project; byte code is checked by content, as a mutation takes less than a second."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            tree.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, tree / name)
    command = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "bbccli", "tests"]
    subprocess.run([sys.executable, *command], cwd=tree, check=True, env=_environment(tree))


def _environment(tree: Path) -> dict[str, str]:
    given = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    return dict(os.environ, **given)


def _cosmic_ray(tree: Path, *words: str) -> None:
    command = [sys.executable, "-m", "cosmic_ray.cli", *words]
    done = subprocess.run(
        command, cwd=tree, env=_environment(tree), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"cosmic-ray {words[0]} in {tree}:\n{done.stdout}{done.stderr}")


def _found(room: Room, session: WorkDB, tree: Path) -> Found:
    items = {item.job_id: item.mutations[0] for item in session.work_items}
    results = {job: one for job, one in session.results if one.test_outcome is not None}
    survivors = {
        key_of(items[job], tree): one.diff or ""
        for job, one in results.items()
        if one.test_outcome is TestOutcome.SURVIVED
    }
    return Found(room.name, len(results), survivors)
