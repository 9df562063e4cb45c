"""Every count is of what was tried and used; words for one split are not those of folds."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from bbccli.platform.records import Document
from bbccli.reports import FORMS
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import answer

N, C = 60, 20
RNG = np.random.default_rng(0)
TRUTH = np.arange(N) % 2
SCORES = np.round(TRUTH[:, None] + RNG.normal(0, 1.2, (N, C)), 3)
FORMS_OF_ONE = ("table", "markdown", "html", "junit")


def written(path, scores, fold=np.arange(N) % 5, **about):
    table = pd.DataFrame({"row_id": [f"s{row}" for row in range(N)], "truth": TRUTH})
    if fold is not None:
        table["fold"] = fold
    names = [f"c{column:02d}" for column in range(scores.shape[1])]
    table.join(pd.DataFrame(scores, columns=names)).to_csv(path, index=False)
    if about:
        said = {"spec": "bbc-predictions", "version": "1", **about}
        path.with_suffix(".meta.json").write_text(json.dumps(said))
    return path


def left_of(path, **how):
    return Document.of(answer(Analysis(n_resamples="20", **how), str(path)).record)


def forms(document):
    return {name: " ".join(FORMS[name].render([document]).split()) for name in FORMS_OF_ONE}


@pytest.fixture
def one_left(tmp_path):
    """Of 20 configurations one predicts the half of the samples, and the others fewer of all."""
    scores = SCORES.copy()
    scores[30:, 0] = np.nan
    for column in range(1, C):
        scores[RNG.choice(N, 35, replace=False), column] = np.nan
    return written(tmp_path / "gaps.csv", scores)


def test_one_that_is_left_of_many(one_left):
    document = left_of(one_left)
    read = document["input"]
    assert (read["n_samples"], read["n_samples_read"]) == (30, 60)
    assert (read["n_configurations"], read["n_tried"]) == (1, 20)
    for name, text in forms(document).items():
        assert "30 of 60 samples x 1 of 20 configurations tried" in text, name
        assert "the only one of 20 configurations tried that could be used" in text, name
        assert "N = 30 of 60" in text, name
        for false in ("nothing was chosen", "nothing to correct", "nothing was selected"):
            assert false not in text, (name, false)
    (row,) = csv.DictReader(FORMS["csv"].render([document]).splitlines()[:2])
    assert (row["n_samples_read"], row["n_tried"]) == ("60", "20")


def test_what_explains_it_does_not_say_that_there_was_one(one_left, tmp_path, run):
    place = tmp_path / "r.json"
    assert run("correct", one_left, "--n-resamples", 20, "-o", place)[0] == 0
    text = " ".join(run("explain", place)[1].split())
    assert "There was one configuration" not in text
    assert "c00 is the only one of 20 configurations tried that could be used" in text


@pytest.mark.parametrize("command", [("leaderboard",), ("compare",), ("inspect",)])
def test_first_lines_say_how_many_there_were(command, tmp_path, run):
    scores = SCORES.copy()
    scores[0, 5:] = np.nan
    text = " ".join(run(*command, written(tmp_path / "some.csv", scores))[1].split())
    assert "5 of 20 configurations tried" in text


def test_several_that_are_left(tmp_path):
    scores = SCORES.copy()
    scores[0, 5:] = np.nan
    document = left_of(written(tmp_path / "some.csv", scores))
    text = forms(document)["table"]
    assert "in cross-validation, the best of 5, of 20 tried." in text
    assert "corrected for the choice among 5 of the 20 tried." in text
    assert "among 5 of 20 configurations tried; N = 60, 5 folds" in text


def test_what_metadata_count_was_tried(tmp_path):
    path = written(tmp_path / "m.csv", SCORES[:, :4], n_candidates_total=9)
    assert left_of(path)["input"]["n_tried"] == 9
    document = left_of(path, exclude=["c03"])
    assert document["input"]["n_tried"] == 8  # what is left out as asked is no candidate
    assert "9 candidates were tried, but the file holds 4" in [n["text"] for n in document["notes"]]


def test_a_dummy_was_not_tried(tmp_path):
    names = ["c00", "c01", "c02", "c03"]
    configs = [{"id": name, "flags": ["dummy"] if name == "c03" else []} for name in names]
    path = written(tmp_path / "d.csv", SCORES[:, :4], configs=configs, n_candidates_total=4)
    document = left_of(path)
    assert (document["input"]["n_configurations"], document["input"]["n_tried"]) == (3, 4)
    assert "candidates-missing" in [note["code"] for note in document["notes"]]
    assert left_of(path, include=["dummies"])["input"]["n_tried"] == 4


def test_the_only_one_asked_for(tmp_path):
    path = written(tmp_path / "full.csv", SCORES)
    text = forms(left_of(path, only=["c03"]))["table"]
    assert "c03, the only configuration asked for, scored" in text
    assert "not corrected for any choice." in text
    assert "nothing was chosen" not in text
    alone = forms(left_of(written(tmp_path / "one.csv", SCORES[:, :1])))["table"]
    assert "c00, the only configuration, scored" in alone
    assert "nothing was chosen, so nothing is corrected." in alone


def test_the_winner_of_available_cases_is_scored_on_its_own(tmp_path):
    scores = SCORES[:, :6].copy()
    scores[:5] += 3 * TRUTH[:5, None]
    for column in range(6):
        scores[(np.arange(20 + column) + 7 * column) % N, column] = np.nan
    document = left_of(written(tmp_path / "a.csv", scores))
    (estimate, *_) = document["estimates"]
    own = N - 20 - int(estimate["winner"].removeprefix("c"))
    assert estimate["n_predicted"] == own
    text = forms(document)["table"]
    assert f"on the {own} of 60 samples that it predicts" in text
    assert f"N = 60, of which {estimate['winner']} predicts {own}, 5 folds" in text
    full = left_of(written(tmp_path / "full.csv", SCORES))
    assert {one["n_predicted"] for one in full["estimates"]} == {None}


@pytest.mark.parametrize(
    ("fold", "words"),
    [(np.zeros(N, int), "on one held-out set of 60 samples"), (None, "on these 60 samples")],
    ids=["one fold", "not folds"],
)
def test_one_split_is_no_cross_validation(tmp_path, fold, words):
    scores = SCORES.copy()
    scores[:3, 4] = np.nan
    document = left_of(written(tmp_path / "split.csv", scores, fold))
    found = forms(document)
    for name in ("table", "html"):
        assert f"{words}, the best of 19, of 20 tried" in found[name]
    said = json.dumps([document["notes"], [one["notes"] for one in document["estimates"]]])
    for name, text in (found | {"notes": said}).items():
        cited = text.partition("To cite")[0].replace("bootstrap bias corrected", "")
        assert "cross-validation" not in cited, name
        assert "1 fold" not in cited, name
    assert "same winner" not in found["html"]


def test_a_summary_counts_files_of_which_not_all_could_be_used(one_left, tmp_path, run):
    whole = written(tmp_path / "whole.csv", SCORES)
    argv = ("-o", tmp_path / "b.csv", "--jobs", 1, "--n-resamples", 20, "--summary", "-q")
    text = " ".join(run("batch", one_left, whole, *argv)[1].split())
    assert "In 1 of 2 files not all configurations that were tried could be used." in text
    assert "cross-validation" not in text
