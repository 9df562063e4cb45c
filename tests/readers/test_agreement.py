"""One sample, one truth: up to rounding, and not beyond."""

import numpy as np
import pytest
from reading import refused

from bbccli.analysis.inspection import inspect
from bbccli.readers import read

N = 30
RNG = np.random.default_rng(0)
TRUTH = np.round(RNG.gamma(3, 20, N), 1)
TRUTH[4] = 65.0
ALMOST = TRUTH.copy()
ALMOST[4] = 64.99999999999999


def files(save, *truths, **more):
    return [
        save(
            f"m{i}.csv",
            {"row_id": range(N), "truth": t, "prediction": t + i + RNG.random(N)} | more,
        )
        for i, t in enumerate(truths)
    ]


def rounded(matrix):
    return [note for note in matrix.notes if note.code == "truth-rounded"]


def test_the_last_bit_between_files(save):
    paths = files(save, TRUTH, ALMOST)
    matrix = read(paths)
    assert matrix.outcome.values[4] == 65.0
    (note,) = rounded(matrix)
    assert note.text.startswith("truth of the same sample differs by up to 2e-16 of its value")
    assert read(paths[::-1]).outcome.values[4] == 64.99999999999999
    found = inspect(paths)
    assert found.n_errors == 0
    assert any("truth of the same sample" in f.text for f in found.findings)
    assert rounded(read(files(save, TRUTH, TRUTH))) == []


@pytest.mark.parametrize(("apart", "allowed"), [(0.9e-9, True), (1.1e-9, False), (0.1, False)])
def test_how_far_rounding_goes(save, apart, allowed):
    other = TRUTH.copy()
    other[4] *= 1 + apart
    paths = files(save, TRUTH, other)
    if allowed:
        assert len(rounded(read(paths))) == 1
        return
    e = refused(r"m1.csv: truth differs .*row 4, value (65|71)", paths)
    assert e.hint.startswith(f"row 4 of {paths[0]} has 65.0 for the same key")


@pytest.mark.parametrize("role", ["truth", "weight"])
def test_the_last_bit_between_repeats(save, role):
    keys = {"row_id": np.tile(range(N), 2), "repeat": np.repeat([0, 1], N)}
    table = keys | {"truth": np.tile(TRUTH, 2), "a": RNG.random(2 * N) * 60}
    table |= {role: np.concatenate([TRUTH, ALMOST])}
    (note,) = rounded(read(save("m.csv", table)))
    assert note.text.startswith(role)
    table[role][N + 4] = 66.0
    path = save("m.csv", table)
    e = refused(rf"{role} differs between repeats .*row 34, value 66.0", path)
    assert e.hint.startswith(f"row 4 of {path} has 65.0 for the same key")


def test_text_and_whole_numbers_are_never_rounded(save):
    names = np.array(["a", "b"])[np.arange(N) % 2]
    other = np.where(np.arange(N) == 4, "b", names)
    refused(
        "truth differs between configurations",
        [
            save("m0.csv", {"row_id": range(N), "truth": names, "prediction": RNG.random(N)}),
            save("m1.csv", {"row_id": range(N), "truth": other, "prediction": RNG.random(N)}),
        ],
    )


def test_a_weight_that_differs_between_configurations(save):
    first, second = np.ones(N), np.ones(N)
    second[7] = 2
    paths = [
        save(
            f"m{i}.csv", {"row_id": range(N), "truth": TRUTH, "weight": w, "prediction": TRUTH + i}
        )
        for i, w in enumerate((first, second), start=1)
    ]
    refused(r"m2.csv: weight differs between .*row 7, value 2.0", paths)
