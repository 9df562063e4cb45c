"""One configuration: nothing was selected, and nothing is called corrected."""

import json
import re

import numpy as np
import pytest

N = 40
RNG = np.random.default_rng(2)
TRUTH = RNG.permutation(np.arange(N) % 2)


@pytest.fixture
def file(tmp_path):
    """Write a file of so many configurations."""

    def write(n_configurations):
        table = {"fold": np.arange(N) % 8, "truth": TRUTH}
        table |= {
            f"m{i}": np.round(RNG.random(N) + 0.5 * TRUTH, 3) for i in range(n_configurations)
        }
        lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
        path = tmp_path / f"{n_configurations}.csv"
        path.write_text("\n".join([",".join(table), *lines]))
        return path

    return write


def notes(run, *argv):
    _, out, _ = run("correct", *argv, "--n-resamples", 20, "--format", "json")
    return [note["code"] for note in json.loads(out)["notes"]]


def test_the_note(run, file):
    assert "single-configuration" in notes(run, file(1))
    assert "single-configuration" not in notes(run, file(2))
    assert "single-configuration" in notes(run, file(2), "--only", "m0")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_the_labels(run, file, form):
    argv = ("--n-resamples", 20, "--format", form)
    _, one, _ = run("correct", file(1), *argv)
    _, two, _ = run("correct", file(2), *argv)
    for text, said, unsaid in (
        (one, ("nothing to correct", "nothing to correct, folds"), "naive, too good"),
        (two, ("naive, too good", "corrected, folds"), "nothing to correct"),
    ):
        assert all(words in text for words in said)
        assert unsaid not in text
    labels = [line for line in one.splitlines() if re.match(r"[|*> ]*bbc\b", line)]
    assert labels
    assert not any("corrected" in line for line in labels)
