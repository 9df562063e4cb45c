"""What tables say of methods that split the samples, look at the winner alone, or had no choice."""

import re

import numpy as np
import pandas as pd
import pytest

PROGRESSION = "progression.parquet"
SPLIT = ("delong", "delong-10p", "hanley-mcneil", "hanley-mcneil-10p")


@pytest.fixture
def table(run, samples):
    def of(path, *names, options=()):
        methods = [word for name in names for word in ("--method", name)]
        return run.printed("correct", samples / path, *methods, *options)

    return of


@pytest.mark.sweep
def test_which_samples_decided(table):
    text = " ".join(table(PROGRESSION, *SPLIT).split())
    for words in (
        "best of 177 in 60 of 80 samples by pooled predictions",
        "best of 18 preselected out of 177 in 20 of 80 samples by pooled predictions",
        "evaluated on 20 samples held out; N = 80, 10 folds; DeLong with pooled selection,",
        "the best of 18 preselected configurations was chosen on the samples",
        "only 10 samples of class",
    ):
        assert words in text, words


def test_one_winner_by_several_rules_is_told_once(table):
    text = " ".join(table("breast_cancer.parquet", "cvt", "delong", "delong-10p").split())
    assert text.count("winner") == 1
    assert (
        "best of 177 by pooled predictions; of 177 in 75 of 100 samples by pooled predictions; "
        "of 18 preselected out of 177 in 25 of 100 samples by pooled predictions" in text
    )


def test_without_a_split_nothing_is_recommended(table):
    out = table(PROGRESSION, "delong", options=("--evaluation-share", "0"))
    assert "split, ignores selection" in out and "\nreport " not in out


def test_an_interval_without_width_is_not_recommended(table, tmp_path):
    path = tmp_path / "perfect.csv"
    rows = [f"{i},{i % 2},{i % 2 + i / 100}" for i in range(40)]
    path.write_text("\n".join(["row_id,label,only", *rows]) + "\n")
    out = table(path, "delong")
    assert "1.000 to 1.000" in out and "\nreport " not in out
    assert "the variance at 1 is 0, so the interval has no width" in " ".join(out.split())


def test_the_winner_alone_has_no_optimism_and_no_sentence_to_report(table):
    out = table(PROGRESSION, "wilson", "t-folds", options=("--metric", "accuracy"))
    (wilson,) = (line for line in out.splitlines() if line.startswith("wilson"))
    assert wilson.split()[:5] == ["wilson", "pooled", "ignores", "selection", "0.863"]
    assert wilson.split()[5:] == ["0.863", "0.770", "to", "0.921"]
    assert "\nreport " not in out
    assert re.search(r"t-folds +fold means +ignores selection", out)


@pytest.fixture
def of_configurations(tmp_path):
    """Write a file of so many configurations."""

    def write(n):
        rng = np.random.default_rng(2)
        truth = rng.permutation(np.arange(40) % 2)
        table = pd.DataFrame({"fold": np.arange(40) % 8, "truth": truth})
        for i in range(n):
            table[f"m{i}"] = np.round(rng.random(40) + 0.5 * truth, 3)
        table.to_csv(tmp_path / f"{n}.csv", index=False)
        return tmp_path / f"{n}.csv"

    return write


def test_a_single_configuration_is_noted(run, of_configurations):
    for n, words, noted in ((1, (), True), (2, (), False), (2, ("--only", "m0"), True)):
        argv = ("correct", of_configurations(n), "--n-resamples", 20, *words)
        found = run.document(*argv)["notes"]
        assert ("single-configuration" in [note["code"] for note in found]) == noted


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_without_a_choice_nothing_is_called_corrected(run, of_configurations, form):
    options = ("--n-resamples", 20, "--format", form)
    one, two = (run.printed("correct", of_configurations(n), *options) for n in (1, 2))
    assert re.search(r"bbc\W+nothing to correct", one) and "close call" not in one
    assert not re.search(r"bbc\W+nothing to correct", two)
    assert "winners were" in " ".join(two.split())
    labels = [line for line in one.splitlines() if re.match(r"[|*> ]*bbc\b", line)]
    assert labels and not any("corrected" in line for line in labels)
