"""How often an interval of a vault misses, if the search climbs on the vault's own figures.

    python -m benchmarks.openings           # writes results/openings.json
    python -m benchmarks.openings 200       # prints the same of 200 runs

Labels are coin tosses, so every model is right for half of new rows, whatever it does. Each run
opens five models. The first is random; each later one is a vote of the earlier ones, weighted by
how far their figures on the vault lie above or under one half, with a random vote for what is left
open: what the figures give away is used in full. Counted are the runs in which any interval shown
misses .5: plain 95% intervals, those at the levels of `bbccli.stats.vault`, and those of a search
that is told only "not yet" until the lower end passes .5. A single opening is shown beside them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from bbccli.stats.intervals.ends import clopper_pearson
from bbccli.stats.vault import outside_of

PLACE = Path(__file__).parent / "results" / "openings.json"
RUNS, OPENINGS, SIZES, OUTSIDE = 4000, 5, (60, 100, 200), 0.05


def ends_by_count(n: int, outside: float) -> np.ndarray:
    """Return the ends (n + 1, 2) of the interval for each number of right rows."""
    return np.array([clopper_pearson(k / n, n, outside / 2) for k in range(n + 1)])


def climbed(n: int, n_runs: int, seed: int) -> np.ndarray:
    """Return the rows that each model of an attacker has right: (runs, openings)."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1.0, 1.0], (n_runs, n))
    models, right = np.zeros((OPENINGS, n_runs, n)), np.zeros((n_runs, OPENINGS), np.int64)
    for number in range(OPENINGS):
        fresh = rng.choice([-1.0, 1.0], (n_runs, n))
        gains = right[:, :number].T[:, :, None] / n - 0.5
        vote = (gains * models[:number]).sum(axis=0)
        # half of the rows try something new: a vote alone would learn no more
        new = rng.random((n_runs, n)) < 0.5
        models[number] = np.where(new | (vote == 0), fresh, np.sign(vote))
        if number == OPENINGS - 1:
            models[number] = np.where(vote == 0, fresh, np.sign(vote))
        right[:, number] = (models[number] == truth).sum(axis=1)
    return right


def missed(n: int, n_runs: int, seed: int) -> dict[str, float]:
    """Return the share of runs with a miss, by what was shown and at which level."""
    right = climbed(n, n_runs, seed)
    plain = _misses(n, OUTSIDE)
    by_opening = [
        _misses(n, outside_of(j, [True] * OPENINGS, OPENINGS, n, OUTSIDE))
        for j in range(1, OPENINGS + 1)
    ]
    figures = [misses[k] for misses, k in zip(by_opening, right.T, strict=True)]
    # no figure shapes these models; the first one whose lower end passes is shown
    unguided = np.random.default_rng(seed + 1).binomial(n, 0.5, (n_runs, OPENINGS))
    low = ends_by_count(n, outside_of(1, [True], OPENINGS, n, OUTSIDE))[:, 0]
    found = {
        "one": plain[right[:, 0]],
        "plain": plain[right].any(axis=1),
        "figures": np.any(figures, axis=0),
        "not-yet": (low[unguided] > 0.5).any(axis=1),
    }
    return {name: float(missing.mean()) for name, missing in found.items()}


def _misses(n: int, outside: float) -> np.ndarray:
    """Return whether the interval misses one half, for each number of right rows (n + 1,)."""
    ends = ends_by_count(n, outside)
    return (ends[:, 0] > 0.5) | (ends[:, 1] < 0.5)


def study(n_runs: int = RUNS) -> dict[str, object]:
    """Return the shares of runs with a miss, by the number of sealed rows."""
    found = {str(n): missed(n, n_runs, seed=n) for n in SIZES}
    return {"runs": n_runs, "openings": OPENINGS, "outside": OUTSIDE, "missed": found}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(study(int(sys.argv[1])), indent=1))
    else:
        PLACE.write_text(json.dumps(study(), indent=1) + "\n")
