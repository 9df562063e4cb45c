"""Laws over all readers of logs: nothing depends on an order, and the newest run counts."""

import itertools
import json
from importlib.metadata import entry_points
from random import Random

import numpy as np
import pytest
from day import daily
from written_logs import IN_ORDER, UNKNOWN, WITHOUT_EPOCHS, WRITERS, Run

import bbccli
from bbccli import BbcError, read

RANDOM = Random(4)
ITEMS = range(14)
MODELS = ("ada", "bob", "cyd")


def scores(n_epochs=1):
    return {i: [float(RANDOM.random() < 0.6) for _ in range(n_epochs)] for i in ITEMS}


def read_back(name, runs, folder, order):
    folder.mkdir()
    WRITERS[name](folder, runs, Random(order))
    return read(folder)


def told(matrix):
    """The mean score of each configuration on each item."""
    keys, means = matrix.keys.tolist(), np.nanmean(matrix.predictions, axis=0)
    names = matrix.configurations
    return {(c, k): means[i, j] for i, k in enumerate(keys) for j, c in enumerate(names)}


def test_each_reader_has_a_writer():
    readers = {name.partition("_table")[0].partition("_lines")[0] for name in WRITERS}
    groups = (f"bbccli.logs.{suffix}" for suffix in ("eval", "json", "jsonl", "csv", "xml"))
    named = {point.name for group in groups for point in entry_points(group=group)}
    assert readers == {name.removesuffix("_ai") for name in named}


@pytest.mark.parametrize("name", WRITERS)
def test_no_order_matters(name, tmp_path):
    n_epochs = 1 if name in WITHOUT_EPOCHS else 2
    runs = [Run(model, scores(n_epochs)) for model in MODELS]
    first = read_back(name, runs, tmp_path / "first", 0)
    expected = {k: np.mean([np.mean(run.scores[i]) for i in ITEMS]) for k, run in
                zip(MODELS, runs, strict=True)}  # fmt: skip
    found = {c.removesuffix(" x p"): m for c, m in zip(first.configurations,
             np.nanmean(first.predictions, axis=(0, 1)), strict=True)}  # fmt: skip
    assert found == pytest.approx(expected)
    assert first.n_samples == len(ITEMS)
    pair = first.configurations[:2]
    p = bbccli.compare(first, metric="mean-score", pair=pair, n_resamples=20).comparison.p
    for order in range(1, 4):
        other = read_back(name, runs, tmp_path / str(order), order)
        assert told(other) == pytest.approx(told(first))
        again = bbccli.compare(other, metric="mean-score", pair=pair, n_resamples=20)
        assert again.comparison.p == pytest.approx(p)


@pytest.mark.parametrize("name", WRITERS)
def test_scores_that_change_places_within_an_item_matter(name, tmp_path):
    runs = [Run(model, scores()) for model in MODELS]
    first = read_back(name, runs, tmp_path / "first", 1)
    at = next(i for i in ITEMS if runs[0].scores[i] != runs[1].scores[i])
    runs[0].scores[at], runs[1].scores[at] = runs[1].scores[at], runs[0].scores[at]
    assert told(read_back(name, runs, tmp_path / "second", 1)) != told(first)


OF_FILES = {
    "lm_eval": ("2024-05-03T12-15-01.123456", "2024-05-03T12-15-01.2", "2024-05-03T13-15-00.1"),
    "deepeval": ("test_run_20240109_000000", "test_run_20240110_000000",
                 "test_run_20240110_000000_2", "test_run_20240110_000000_10"),
    "every_eval_ever": (1704153600, 1704153601, 1704240000000),
}  # fmt: skip
TIMES = dict.fromkeys(("inspect", "promptfoo", "junit"), IN_ORDER) | OF_FILES
PAIRS = [(name, pair) for name, times in TIMES.items() for pair in itertools.pairwise(times)]
PAIRS += [("inspect", ("2024-01-09T08:00:00", "2024-01-10T08:00:00Z"))]  # half a day off at most
BY_DAY = [pair for pair in PAIRS if pair[0] == "inspect"]
BY_DAY += [(name, times[:2]) for name, times in TIMES.items() if name != "inspect"]


@pytest.mark.parametrize(("name", "times"), daily(PAIRS, BY_DAY, unpack=True))
def test_the_newest_run_counts(name, times, tmp_path):
    other = Run("bob", scores(), times[1])
    runs = [Run("ada", {i: [float(k)] for i in ITEMS}, time) for k, time in enumerate(times)]
    for order in range(3):
        runs = runs[::-1]
        matrix = read_back(name, [*runs, other], tmp_path / str(order), order)
        assert matrix.n_configurations == 2
        at = [one.removesuffix(" x p") for one in matrix.configurations].index("ada")
        assert matrix.predictions[:, :, at].mean() == 1


NO_TIMES = (
    None, "", "01/02/2024", "2024-02-30", "2024-01-01T25:00", True, "nan", 10**400, [], {},
    "\u0662\u0660\u0662\u0664-\u0660\u0661-\u0660\u0661",
)  # fmt: skip
WITHOUT_ORDER = [
    *itertools.product(
        ["inspect", "promptfoo", "junit"], [*UNKNOWN.values(), ("yesterday", "today")]
    ),
    *(("inspect", (time, "2030-01-01")) for time in NO_TIMES),
]


@pytest.mark.parametrize(("name", "times"), WITHOUT_ORDER)
def test_runs_whose_order_is_unknown_are_refused(name, times, tmp_path):
    runs = [Run("ada", {i: [float(k)] for i in ITEMS}, time) for k, time in enumerate(times)]
    runs.append(Run("bob", scores(), times[0]))
    with pytest.raises(BbcError, match="it is unknown which is newer"):
        read_back(name, runs, tmp_path / "logs", 0)
    runs[1] = runs[1]._replace(scores=runs[0].scores)  # a copy
    assert read_back(name, runs, tmp_path / "same", 0).n_configurations == 2


def test_a_file_with_more_tests_of_the_same_variables_is_matched(tmp_path):
    """The test of the first file is the second of those in the other."""
    runs = [Run(model, scores()) for model in MODELS]
    WRITERS["promptfoo"](tmp_path, runs[:2], Random(0))
    one = tmp_path / "one.json"
    WRITERS["promptfoo"](tmp_path / "other", runs[2:], Random(0))
    (path,) = (tmp_path / "other").iterdir()
    log = json.loads(path.read_text())
    log["results"]["results"] = [
        row for row in log["results"]["results"] if row["testCase"]["assert"][0]["value"] != "4"
    ]
    path.unlink()
    one.write_text(json.dumps(log))
    matrix = read(tmp_path, missing="common-rows")
    assert matrix.n_samples == len(ITEMS) - 1
    own = {k: s for (c, k), s in told(matrix).items() if c == "cyd"}
    assert sum(own.values()) == sum(s for i, (s,) in runs[2].scores.items() if i != 4)
