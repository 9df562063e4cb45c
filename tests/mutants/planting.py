"""Plant the drawn mutations of a room in a copy of the project, which is never that of the user."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.mutants.drawing import Mutation, draw, equivalents
from tests.mutants.rooms import Room

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("equivalent.tsv")
COPIED = ("bbccli", "tests", "docs", "sample_data", "benchmarks", "pyproject.toml", "README.md")


@dataclass(frozen=True, slots=True)
class Found:
    """What became of the mutations of a room: the tests they died of, or none."""

    room: str
    killers: dict[Mutation, str | None]

    @property
    def survivors(self) -> list[Mutation]:
        """Mutations that no test tells from the code."""
        return [mutation for mutation, killer in self.killers.items() if killer is None]


def plant(room: Room, folder: Path, number: int, seed: int, resume: bool = False) -> Found:
    """Plant mutations of a room one after another, and run its tests on each.

    Raises
    ------
    RuntimeError
        Tests fail without any mutation: those that come first, or that mutations died of.
    """
    tree, journal = folder / room.name, folder / f"{room.name}.json"
    shutil.rmtree(tree, ignore_errors=True)
    _copy(tree)
    dead = json.loads(journal.read_text()) if resume and journal.exists() else {}
    found = Found(room.name, {})
    _must_pass(tree, "--near", room.name)
    for mutation in draw(tree, room.modules, number, seed, equivalents(KNOWN)):
        digest = sha256(mutation.after.encode()).hexdigest()
        if digest not in dead:
            started = time.monotonic()
            dead[digest] = _killer(mutation, room)
            took = f"{time.monotonic() - started:.0f} s"
            print(room.name, took, *mutation.key, dead[digest] or "SURVIVES", sep="  ", flush=True)
        found.killers[mutation] = dead[digest]
        told = {of_one: killer for of_one, killer in dead.items() if killer is not None}
        journal.write_text(json.dumps(told))
    killers = sorted({one for one in found.killers.values() if one and "::" in one})
    if killers:
        named = tree / "killers.txt"
        named.write_text("\n".join(killers), encoding="utf-8")
        try:
            _must_pass(tree, "--tests", str(named))
        except RuntimeError:
            journal.unlink()  # none died for sure
            raise
    return found


def _copy(tree: Path) -> None:
    """Copy the project; byte code is checked by content, as a mutation takes less than a second."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            tree.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, tree / name)
    command = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "-x", "tests/data"]
    command += ["bbccli", "tests"]
    subprocess.run([sys.executable, *command], cwd=tree, check=True, env=_environment(tree))


def _environment(tree: Path) -> dict[str, str]:
    given = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    return dict(os.environ, **given)


def _killer(mutation: Mutation, room: Room) -> str | None:
    """The test that a mutation dies of; the module is as it was afterwards."""
    path, said = mutation.tree / mutation.module, mutation.tree / "killer.txt"
    said.write_text("nothing can be collected", encoding="utf-8")
    path.write_text(mutation.after, encoding="utf-8")
    try:
        status = _trying(mutation.tree, mutation.module, room.name, str(said))
    finally:
        path.write_text(mutation.before, encoding="utf-8")
    return said.read_text(encoding="utf-8") if status else None


def _must_pass(tree: Path, *words: str) -> None:
    if _trying(tree, *words):
        said = (tree / "output.txt").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"fails without any mutation, in {tree}:\n{said}")


def _trying(tree: Path, *words: str) -> int:
    """The status, with all that was started ended; what is printed is in `output.txt`."""
    command = [sys.executable, "-m", "tests.mutants.trying", *words]
    with (
        (tree / "output.txt").open("wb") as output,
        subprocess.Popen(
            command,
            cwd=tree,
            env=_environment(tree),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as running,
    ):
        try:
            return running.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
