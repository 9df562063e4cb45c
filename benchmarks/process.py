"""A whole process on the demo file, beside one that imports what it can't do without."""

import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.tables import Section, Table, Target, decimals, times
from benchmarks.timing import least, ready

ROOT = Path(__file__).resolve().parents[1]
CORRECT, INSPECT, PAGE = 2, 1.2, 8
DEMO = "sample_data/breast_cancer.parquet"
PAGE_AT = str(Path(tempfile.gettempdir()) / "bbc-benchmark.html")
BARE = "import numpy, pyarrow.parquet"
COMMANDS = {
    f'python -c "{BARE}"': ["-c", BARE],
    "bbc correct, JSON": ["-m", "bbccli", "correct", DEMO, "--format", "json"],
    "bbc inspect": ["-m", "bbccli", "inspect", DEMO],
    "bbc correct, page": ["-m", "bbccli", "correct", DEMO, "-o", PAGE_AT],
    "bbc --help": ["-m", "bbccli", "--help"],
}


def measure(*, quick: bool) -> Section:
    makers = {name: ready(partial(_run, arguments)) for name, arguments in COMMANDS.items()}
    wall = least(makers, 3 if quick else 9)  # the first reads what is compiled and on disk
    spent = least(makers, 3 if quick else 9, _spent_by_children)
    bare, correct, inspect, page, _ = wall.values()
    least_spent = next(iter(spent.values()))
    rows = [
        {"process": n, "s": wall[n], "x bare": wall[n] / bare}
        | {"cpu s": t, "cpu x bare": t / least_spent}
        for n, t in spent.items()
    ]
    columns = {"process": str, "s": decimals, "x bare": times, "cpu s": decimals}
    columns |= {"cpu x bare": times}
    label = f"bbc correct {DEMO} --format json: the bare import"
    return Section(
        [Table("process", "Whole processes, the least of several", columns, rows)],
        [
            Target(label, CORRECT, correct / bare, times, at_least=False),
            Target("bbc inspect: bbc correct", INSPECT, inspect / correct, times, at_least=False),
            Target("bbc correct -o page.html: bare", PAGE, page / bare, times, at_least=False),
        ],
    )


def _spent_by_children() -> float:
    """Return the processor time of children: waiting for a core, of which a long process meets
    more, says nothing of the process.
    """
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _run(arguments: list[str]) -> None:
    """Run Python with compiled modules kept on disk, as an installed package has them."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    options = {"cwd": ROOT, "env": environment}
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
