"""Small experiments for batches, and `bbc` as a process of its own."""

import os
import signal
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
TINY = "fold,truth,a,b\n" + "".join(
    f"{i % 4},{'yn'[i // 4 % 2]},0.{i + 10},0.{99 - 2 * i}\n" for i in range(24)
)
"""Predictions of two configurations."""

FAST = ("--method", "cvt", "--method", "bbc", "--n-resamples", "64")


def experiment(seed: int, n_samples: int = 24) -> str:
    """Predictions of four configurations of a binary task, as CSV."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_samples) % 2
    scores = rng.random((n_samples, 4)) / 2 + 0.2 * truth[:, None] * rng.random(4)
    lines = ["row_id,fold,truth,a,b,c,d"]
    for i, row in enumerate(scores.round(3).tolist()):
        lines.append(f"{i},{i // 2 % 4},{'ny'[truth[i]]},{','.join(map(str, row))}")
    return "\n".join(lines) + "\n"


def command(*argv: object) -> list[str]:
    """`bbc` as a process."""
    return [sys.executable, "-m", "bbccli", *map(str, argv)]


def environment() -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("BBC_")}
    return clean | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def serve_in_vain(pipe: object, times: int = 3) -> None:
    """A worker that is killed before it is ready, as long as there were fewer of them."""
    with Path("starts").open("ab", buffering=0) as starts:
        starts.write(b"x")  # at the end, whoever else writes
        if starts.tell() <= times:
            os.kill(os.getpid(), signal.SIGKILL)
    from bbccli.batch import local  # late, for those that die are to die soon

    local._serve(pipe)


def serve_never(pipe: object) -> None:
    """A worker that never starts."""
    serve_in_vain(pipe, times=10**6)
