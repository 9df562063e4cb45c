"""Items that all configurations solve, or none does, as `bbc inspect` tells them."""

import numpy as np
import pytest

from bbccli.reading import Request
from bbccli.use_cases.inspection import inspect

KEYS = [f"q{i}" for i in range(40)]
RIGHT = (np.arange(40)[:, None] + np.arange(3)) % 2.0
RIGHT[[3, 7]], RIGHT[[5]] = 1, 0


def told(save, scores, **options):
    """What is said of the items; scores (N, C), or (N, C, R) of epochs."""
    scores = scores[..., None] if scores.ndim == 2 else scores
    columns = {"item": KEYS * scores.shape[2], "epoch": np.arange(scores.shape[2]).repeat(40)}
    wide = {f"m{c}": scores[:, c].T.ravel() for c in range(scores.shape[1])}
    n = len(columns["item"])
    rows = {
        "item": columns["item"] * len(wide),
        "epoch": columns["epoch"].tolist() * len(wide),
        "model": [name for name in wide for _ in range(n)],
        "score": np.concatenate(list(wide.values())).tolist(),
    }
    kept = [i for i, score in enumerate(rows["score"]) if not np.isnan(score)]
    path = save("s.csv", {key: [values[i] for i in kept] for key, values in rows.items()})
    found = inspect(path, Request(task="score", **options))
    return next(((f.status, f.text) for f in found.findings if f.check == "items"), None)


def test_items_that_all_solve_or_none(save):
    assert told(save, RIGHT) == (
        "pass",
        "2 of 40 solved by all (q3, q7); 1 of 40 solved by none (q5), which does not help to find "
        "the best",
    )


def test_an_item_is_solved_in_all_epochs_or_not(save):
    twice = np.stack([RIGHT, RIGHT], axis=2)
    twice[3, 1, 1] = 0
    assert "1 of 40 solved by all (q7); 1 of 40 solved by none (q5)" in told(save, twice)[1]


def test_a_missing_score_says_nothing_of_the_item(save):
    gaps = RIGHT.copy()
    gaps[3, 0] = np.nan
    assert "2 of 40 solved by all (q7, q3)" in told(save, gaps)[1]


@pytest.mark.parametrize(("scale", "bounds"), [(4, (0, 4)), (100, None)])
def test_marks_are_alike_or_not(save, scale, bounds):
    assert "3 of 40 equal for all (q3, q5, q7)" in told(save, RIGHT * scale, bounds=bounds)[1]


def test_nothing_to_tell(save):
    assert told(save, RIGHT[:, :1]) is None
    plain = (np.arange(40)[:, None] + np.arange(3)) % 2.0
    assert told(save, plain) == ("pass", "every item distinguishes some configurations")
    assert told(save, RIGHT[:, [0, 0, 0]])[0] == "warning"
