"""Metrics that parts of the samples leave undefined: what each method says of them, and where."""

import json

import numpy as np
import pytest

from bbccli.methods import METHODS
from bbccli.reports.words import OVER_FOLDS
from bbccli.types import Pooling

FAST = ("--n-resamples", "50")


@pytest.fixture
def correct(run, tmp_path):
    """Run a method on the rows of a table: (exit status, estimate or None, standard error)."""

    def call(rows, method, *options, metric="precision"):
        path = tmp_path / "parts.csv"
        path.write_text("\n".join(",".join(map(str, row)) for row in rows))
        asked = ("--method", method, "--metric", metric, *FAST, "--format", "json", "-q")
        status, out, err = run("correct", path, *asked, *options)
        return status, json.loads(out)["estimates"][0] if out else None, err

    return call


def positives(**said):
    """100 samples in five folds, of which each configuration predicts these to be positive."""
    rows = [["row_id", "truth", "fold", *said]]
    for i in range(100):
        cells = [0.9 if i in chosen else 0.1 for chosen in said.values()]
        rows.append([f"s{i}", i % 2, i // 2 % 5, *cells])
    return rows


def none_in(rows, *folds):
    return {i for i in rows if i // 2 % 5 not in folds}


EVERY = [i for i in range(100) if i % 2 or i % 6 == 0]  # 50 of 67 are positive
BETTER = [i for i in EVERY if i % 12]  # 50 of 58
HOLES = positives(poor=set(EVERY), good=none_in(BETTER, 3))
MORE_HOLES = positives(poor=set(EVERY), good=none_in(BETTER, 1, 3))


@pytest.mark.parametrize("method", ["tt", "wmc", "wmcs", "naive-f", "t-folds", "t-corrected"])
def test_a_winner_without_a_performance_in_a_fold(correct, method):
    for rows, folds in ((HOLES, "fold 3"), (MORE_HOLES, "folds 1, 3")):
        assert correct(rows, method) == (
            2,
            None,
            f"error: precision is undefined in {folds} for the winner, good\n"
            "hint: use a method over samples, such as bbc\n",
        )


@pytest.mark.parametrize("method", ["tt", "wmc", "wmcs"])
def test_another_without_a_performance_in_a_fold_cannot_win(correct, method):
    whole = positives(poor=set(EVERY), good=set(BETTER))
    bad = {i for i in none_in(range(100), 3) if i % 4 == 0 or i % 6 == 1}
    status, beside, _ = correct(positives(poor=set(EVERY), good=set(BETTER), bad=bad), method)
    assert (status, beside["winner"]) == (0, "good")
    if method == "wmcs":  # draws towards the mean of all
        assert beside["value"] < beside["naive"]
    else:
        assert beside["value"] == pytest.approx(correct(whole, method)[1]["value"])


def test_nested_selection_counts_the_folds_without_a_performance(correct):
    for rows, words in ((HOLES, "1 of 5"), (MORE_HOLES, "2 of 5")):
        status, found, err = correct(rows, "nested-selection")
        assert (status, found) == (2, None)
        problem = f"error: precision is undefined in {words} folds for the configuration that the "
        assert f"{problem}others select\n" in err
        assert "hint: use bbc" in err


def test_methods_over_folds_are_said_to_select_by_their_means():
    assert {m.name for m in METHODS.values() if m.pooling is Pooling.FOLD_MEAN} == OVER_FOLDS


def test_a_repeat_that_holds_out_one_class_is_counted(correct):
    rng = np.random.default_rng(1)
    rows = [["row_id", "truth", "repeat", "config", "prediction"]]
    for repeat in range(4):
        for i in rng.choice(20, 10, replace=False) if repeat else range(0, 20, 2):
            rows += [[f"s{i:02}", i % 2, repeat, c, round(rng.random(), 2)] for c in "ab"]
    status, _, err = correct(rows, "cvm-cv", metric="auc")
    assert status == 2
    assert "error: AUC is undefined in 1 of 4 repeats for the configuration selected there" in err
    assert "hint: another --metric, or a --method that pools the repeats" in err


@pytest.mark.parametrize(
    ("method", "whose"),
    [
        ("tilting", "the winner"),
        ("tilting-10p", "every preselected configuration"),
        ("mabt", "every preselected configuration"),
    ],
)
def test_a_split_that_leaves_the_evaluation_without_a_performance(correct, method, whose):
    # with seed 0 the samples 1 and 9 are among those that select
    assert correct(positives(a={1}, b={1, 9}), method)[2] == (
        f"error: precision of {whose} is undefined on the samples that evaluate\n"
        "hint: use bbc, which needs no split: --method bbc\n"
    )


@pytest.mark.sweep
def test_nothing_to_select_on_is_said_of_the_selection_side(correct):
    found = {}
    for seed in range(12):
        status, _, err = correct(positives(a={1}, b={1}), "tilting", "--seed", seed)
        assert status == 2
        found.setdefault(err.split("\n")[0], []).append(seed)
    assert set(found) == {
        "error: precision of the winner is undefined on the samples that evaluate",
        "error: precision of every configuration is undefined on the samples that select",
    }


def test_one_sample_of_each_class_cannot_be_split(correct):
    rows = [["row_id", "truth", "a", "b"], ["s0", 0, 0.2, 0.6], ["s1", 1, 0.7, 0.4]]
    assert correct(rows, "tilting", metric="accuracy")[2] == (
        "error: the samples can't be split into selection and evaluation: each class has a single "
        "sample\nhint: --evaluation-share 0 selects and evaluates on all samples, and ignores the "
        "selection\n"
    )


def nested(*outer, undefined_in=()):
    """Nested predictions of outer folds of these samples; none is positive inside some of them."""
    rng = np.random.default_rng(0)
    n = sum(map(len, outer))
    rows = [["row_id", "outer_fold", "fold", "truth", "a", "b"]]
    for position, test in enumerate(outer):
        rest = [i for i in range(n) if i not in test]
        for i in test:
            rows.append([i, position, "", i % 2, *(0.5 + 0.4 * rng.random(2)).round(2)])
        for place, i in enumerate(rest):
            cells = [0.1, 0.1] if position in undefined_in else rng.random(2).round(2)
            rows.append([i, position, place % 2, i % 2, *cells])
    return rows


def test_an_outer_fold_of_one_sample_has_no_spread(correct):
    rows = nested([0, 1], [2, 3], [4])
    (_, point, _), (_, found, _) = (
        correct(rows, m, metric="accuracy") for m in ("ncv", "ncv-interval")
    )
    assert found["interval"] is None and found["value"] == point["value"]
    (note,) = [note for note in found["notes"] if note["code"] == "no-interval"]
    assert note["text"] == (
        "ncv-interval has no interval: an outer fold has a single test sample, or a loss without "
        "a value"
    )


def test_an_outer_fold_in_which_nothing_can_be_selected(correct):
    status, _, err = correct(nested([0, 1, 2], [3, 4, 5], [6, 7], undefined_in={1}), "ncv")
    assert status == 2
    assert err.startswith(
        "error: in the training samples of outer fold 1: precision is undefined for every "
        "configuration on these samples\nhint: "
    )
