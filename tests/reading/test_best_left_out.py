"""The best configuration, left out because it lacks a cell."""

import numpy as np
import pandas as pd
import pytest
from documents import codes
from reading import refused
from sklearn.metrics import roc_auc_score

from bbccli import read
from bbccli.types import Missing

N = 200
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, N)


def _scores(strength):
    return 1 / (1 + np.exp(-strength * (TRUTH - 0.5) - RNG.normal(0, 1, N)))


FRAME = pd.DataFrame(
    {"truth": TRUTH, "weak": _scores(0.5), "a_best": _scores(3), "middle": _scores(1)}
)


def _lacking(name, *rows):
    frame = FRAME.copy()
    frame.loc[list(rows), name] = np.nan
    return frame


def test_the_best_is_named_if_it_lacks_a_cell():
    matrix = read(_lacking("a_best", 17))
    assert matrix.configurations == ("weak", "middle")
    first, second = [n for n in matrix.notes if n.code.startswith(("best", "configurations"))]
    assert first.code == "best-left-out"
    assert first.text.startswith("a_best scored AUC 0.9")
    assert "on 199 of 200 samples, more than all that are kept" in first.text
    assert second.code == "configurations-dropped"


def test_of_several_the_best_is_named():
    frame = _lacking("a_best", 17).assign(b=_lacking("middle", 17)["middle"], c=FRAME["weak"])
    frame = frame.drop(columns="middle").rename(columns={"a_best": "z_best"})
    (note,) = [n for n in read(frame).notes if n.code == "best-left-out"]
    assert note.text.startswith("z_best")
    (note,) = [n for n in read(frame[[*frame.columns[::-1]]]).notes if n.code == "best-left-out"]
    assert note.text.startswith("z_best")


@pytest.mark.parametrize("seed", range(6))
def test_each_is_compared_on_the_samples_that_it_predicts(seed):
    rng = np.random.default_rng(seed)
    scores = {f"c{i}": rng.normal(rng.uniform(0, 2) * TRUTH, 1) for i in range(12)}
    frame = pd.DataFrame({"truth": TRUTH} | {c: 1 / (1 + np.exp(-s)) for c, s in scores.items()})
    for name in rng.choice([*scores], 7, replace=False):
        frame.loc[rng.choice(N, rng.integers(1, 40), replace=False), name] = np.nan
    lost = [name for name in scores if frame[name].isna().any()]
    ahead = {}
    for name in lost:
        there = frame[frame[name].notna()]
        auc = {c: roc_auc_score(there["truth"], there[c]) for c in scores if c not in lost}
        own = roc_auc_score(there["truth"], there[name])
        ahead[own - max(auc.values())] = f"{name} scored AUC {own:.3g} on {len(there)} of"
    texts = [n.text for n in read(frame).notes if n.code == "best-left-out"]
    assert [text[: len(ahead[max(ahead)])] for text in texts] == [ahead[max(ahead)]] * (
        max(ahead) > 0
    )


def test_a_bad_one_is_not():
    assert "best-left-out" not in codes(read(_lacking("weak", 17)))


def test_errors_are_better_if_they_are_less():
    frame = FRAME.assign(truth=RNG.normal(0, 1, N))
    frame["a_best"], frame["middle"] = frame["truth"] + RNG.normal(0, 0.1, N), RNG.normal(0, 2, N)
    frame.loc[3, "a_best"] = np.nan
    (note,) = [n for n in read(frame).notes if n.code == "best-left-out"]
    assert note.text.startswith("a_best scored RMSE 0.")
    assert "less than all that are kept" in note.text


def test_only_the_samples_that_it_predicts_are_compared():
    """Where a_best lacks what all find hard, it is better than others are on all samples."""
    hard = np.flatnonzero((FRAME["middle"] > 0.5) != TRUTH)
    frame = FRAME.assign(a_best=FRAME["middle"] * 0.9 + 0.1 * FRAME["weak"])
    frame.loc[hard[:40], "a_best"] = np.nan
    frame["middle"] = np.where(RNG.random(N) < 2, FRAME["middle"] + 1e-3 * TRUTH, 0)
    assert "best-left-out" not in codes(read(frame))


def test_a_stub_is_to_be_excluded():
    frame = _lacking("weak", *range(3, N)).assign(a_best=_lacking("a_best", 17)["a_best"])
    (note,) = [n for n in read(frame).notes if n.code == "best-left-out"]
    assert "--exclude weak" in note.remedy
    error = refused("predictions", frame, missing=Missing.ERROR)
    assert "--exclude 'weak'" in error.hint
    assert "--missing drop" not in error.hint
    assert read(frame, exclude=["weak"], missing=Missing.COMMON_ROWS).n_samples == N - 1


@pytest.mark.parametrize("stub", ["weak", "middle"])
def test_a_refusal_names_the_stubs(stub):
    frame = _lacking(stub, *range(N - 3))
    other = "middle" if stub == "weak" else "weak"
    frame.loc[list(range(N - 3, N)), ["a_best", other]] = np.nan
    error = refused("lack", frame, missing=Missing.COMMON_ROWS)
    assert f"--exclude {stub!r}" in error.hint


def test_beside_undefined_ones_nothing_is_said():
    data = {"time": [0.0, 0.5, 1.0, 1.5, 2.0], "event": [0, 1, 0, 1, 0]}
    gaps = {"a": [0, None, None, 0, None], "b": [None, 0, None, 0, None], "c": [0, None, 0, 0, 0]}
    matrix = read(pd.DataFrame(data | gaps, dtype=float), missing=Missing.AVAILABLE)
    assert "best-left-out" not in codes(matrix)
