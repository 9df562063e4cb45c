"""`bbc simulate`: the same seed writes the same bytes, and what is read is what was drawn."""

import json
from operator import attrgetter

import numpy as np
import pytest
from day import swept

from bbccli import read
from bbccli.errors import OptionError
from bbccli.planning.simulation import LAWS, Study

SMALL = ("--samples", "40", "--configurations", "6", "--folds", "4")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(law, *argv, output="s.parquet"):
    return ("simulate", law, "-o", output, "--truth", "t.json", *SMALL, *argv)


def simulate(run, law, *argv, **output):
    status, out, err = run(*words(law, *argv, **output))
    said = err.splitlines()
    assert (status, out, len(said), said[-1]) == (0, "", 2, "wrote t.json"), err
    assert said[0].startswith("wrote s.") or " to s-" in said[0]


@pytest.mark.parametrize("ending", ["parquet", swept("csv"), swept("tsv.gz")])
@pytest.mark.parametrize("law", LAWS)
def test_reading_gives_what_was_drawn(run, folder, law, ending):
    simulate(run, law, "--seed", "3", output=f"s.{ending}")
    drawn, found = Study(law, 40, 6, 4, seed=3).drawn().matrix, read(f"s.{ending}")
    assert found.configurations == drawn.configurations
    for of in ("task", "kind", "outcome.classes"):
        assert attrgetter(of)(found) == attrgetter(of)(drawn)
    for of in ("outcome.values", "predictions", "folds"):
        assert np.array_equal(attrgetter(of)(found), attrgetter(of)(drawn))


@pytest.mark.parametrize("law", LAWS)
def test_the_truth_is_that_of_each_configuration(run, folder, law):
    simulate(run, law, "--seed", "3")
    truth, simulated = json.loads((folder / "t.json").read_text()), Study(law, 40, 6, 4, seed=3)
    (told,) = truth["files"]
    values = simulated.drawn().performances
    assert (truth["law"], truth["seed"], told["file"]) == (law, 3, "s.parquet")
    assert list(told["performances"][truth["metric"]].values()) == values.tolist()
    best = values.min() if law == "noisy" else values.max()
    assert told["best_value"] == best
    assert told["performances"][truth["metric"]][told["best"]] == best


def test_the_same_seed_gives_the_same_bytes(run, folder):
    contents = []
    for seed in (1, 1, 2):
        simulate(run, "binormal", "--seed", seed)
        contents.append([(folder / name).read_bytes() for name in ("s.parquet", "t.json")])
    assert contents[0] == contents[1]
    assert all(a != b for a, b in zip(contents[0], contents[2], strict=True))


DRAWN = {
    "right-or-wrong": 12,
    "binormal": -6.8802172,
    "multinormal": -6.5934897,
    "noisy": -7.7915279,
}


@pytest.mark.parametrize("law", LAWS)
def test_a_seed_draws_what_it_drew_in_earlier_versions(law):
    drawn = Study(law, 12, 2, 2, correlation=0.5, seed=1).drawn().matrix.predictions
    assert drawn.sum() == pytest.approx(DRAWN[law])


def test_several_files_have_one_truth(run, folder):
    simulate(run, "binormal", "--files", "11", output="s.csv")
    names = [f"s-{number:02}.csv" for number in range(1, 12)]
    told = json.loads((folder / "t.json").read_text())["files"]
    assert [one["file"] for one in told] == names
    assert {path.name for path in folder.glob("*.csv")} == set(names)
    assert len({(folder / name).read_bytes() for name in names}) == 11
    # the first of several is the only one of one
    simulate(run, "binormal", output="s.csv")
    assert (folder / "s.csv").read_bytes() == (folder / names[0]).read_bytes()


def test_options_reach_the_law():
    study = Study("binormal", 60, 5, 3, 0.9, (24, 6), balance=0.2)
    matrix = study.drawn().matrix
    assert matrix.outcome.class_counts.tolist() == [12, 48]
    assert matrix.n_folds == 3
    negatives = matrix.predictions[0, :12]
    assert np.corrcoef(negatives.T)[0, 1] > 0.6
    assert len(Study("multinormal", 60, 5, n_classes=4).drawn().matrix.outcome.classes) == 4
    many = Study("noisy", 20, 4000, beta=(24, 6)).drawn().performances
    assert many.mean() == pytest.approx(0.2, abs=0.01)
    first, second = (Study("noisy", 20, 3).drawn(n).performances[0] for n in (0, 1))
    assert first != second


def test_true_performances_stay_within_0_and_1():
    found = Study("right-or-wrong", 20, 500, beta=(1e-3, 1e-3)).drawn().performances
    assert ((found > 0) & (found < 1)).all()


def test_nothing_is_left_where_nothing_can_be_written(run, folder):
    (folder / "sub").mkdir()
    (folder / "s-2.parquet").mkdir()
    err = run.refused(*words("binormal", "--files", "2"))
    assert "cannot write s-2.parquet: it is a folder" in err
    assert {path.name for path in folder.iterdir()} == {"sub", "s-2.parquet"}


def test_a_failure_in_between_leaves_whole_files(run, folder, monkeypatch):
    real = Study.drawn

    def broken(self, position=0):
        if position == 1:
            raise OptionError("no more", hint="none")
        return real(self, position)

    monkeypatch.setattr(Study, "drawn", broken)
    assert run(*words("binormal", "--files", "3"))[0] == 2
    assert {path.name for path in folder.iterdir()} == {"s-1.parquet"}
    assert read("s-1.parquet").n_configurations == 6


@pytest.mark.parametrize(
    ("argv", "problem", "hint"),
    [
        (("nope",), "'nope'", ""),
        swept(("binormal", "--beta", "9"), "--beta is '9'", "9,6"),
        swept(("binormal", "--beta", "nan,6"), "--beta is nan,6", "above 0"),
        swept(("binormal", "--configurations", "0"), "--configurations is 0", "from 1"),
        (("noisy", "--samples", "-5"), "--samples is -5", "from 1"),
        swept(("noisy", "--samples", "3"), "4 folds for 3", "10"),
        swept(("binormal", "--balance", "0.01"), "class 0", "balance"),
        swept(("binormal", "--folds", "1"), "1 folds", "10"),
        swept(("binormal", "--correlation", "1"), "correlation is 1", "below 1"),
        swept(("binormal", "--seed", "-1"), "--seed is -1", "0 or more"),
        swept(("binormal", "--files", "0"), "--files is 0", "from 1"),
        (("binormal", "--classes", "3"), "--classes does not go with binormal", "multinormal"),
        swept(("binormal", "--samples", "100000000"), "predictions", "at most"),
        swept(("binormal", "-o", "-"), "--output can't be standard output", "a file"),
        swept(("binormal", "-o", "s.txt"), "not the name of a table", ".parquet"),
        swept(("binormal", "--truth", "s.parquet"), "the same file", "two files"),
        swept(("binormal", "-o", "s.csv", "--truth", "s.meta.json"), "the same file", "two files"),
        (("binormal", "--truth", "no/t.json"), "its folder does not exist", ""),
    ],
)
def test_what_is_refused(run, folder, argv, problem, hint):
    law, *options = argv
    usual = ["-o", "s.parquet", "--truth", "t.json", *SMALL, *options]
    given = dict(zip(usual[::2], usual[1::2], strict=True))  # the last of each
    err = run.refused("simulate", law, *(word for pair in given.items() for word in pair))
    first, second = err.splitlines()
    assert problem in first
    assert hint in second
    assert list(folder.iterdir()) == []


def test_predictions_and_truth_have_to_be_named(run):
    assert "--output" in run.refused("simulate", "binormal", "--truth", "t.json")
