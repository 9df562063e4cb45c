"""What is said about files that can be read."""

import numpy as np
import pytest
from day import swept
from documents import codes
from numpy.testing import assert_array_equal
from reading import refused

from bbccli.reading import read
from bbccli.types import Missing

META = {"spec": "bbc-predictions", "version": "1"}
BASE = {"fold": [0, 1, 0, 1], "truth": ["x", "x", "y", "y"]}
GOOD = [0.1, 0.2, 0.8, 0.9]


@pytest.mark.parametrize("name", ["m.csv", swept("m.parquet")])
@pytest.mark.parametrize("hole", [None, swept(np.nan)])
def test_gaps(save, name, hole):
    columns = BASE | {
        "a": [hole, 0.2, 0.8, 0.9],
        "b": [hole, 0.3, hole, 0.9],
        "c": [hole, 0.3, 0.7, 0.9],
        "d": [hole] * 4,
    }
    path = save(name, columns)
    matrix = read(path)
    assert matrix.configurations == ("a", "c")
    assert_array_equal(matrix.predictions[0], [[0.2, 0.3], [0.8, 0.7], [0.9, 0.9]])
    assert_array_equal(matrix.folds, [[1, 0, 1]])
    assert codes(matrix) == ["samples-left-out", "configurations-dropped"]
    left_out, dropped = matrix.notes
    assert left_out.text.startswith("1 of 4 samples")
    assert dropped.text.endswith("2 of 4 configurations lack predictions and cannot win: b, d")
    e = refused("1 of 4 samples has no prediction", path, missing=Missing.ERROR)
    assert "--exclude 'd' --missing common-rows" in e.hint


def test_common_rows_keep_all_configurations(save):
    columns = {
        "row_id": [10, 11, 12, 13, 14],
        "truth": ["x", "x", "y", "y", "y"],
        "a": [None, 0.2, 0.8, 0.9, 0.7],
        "b": [None, 0.3, None, 0.9, 0.6],
    }
    matrix = read(save("m.parquet", columns), missing=Missing.COMMON_ROWS)
    assert matrix.configurations == ("a", "b")
    assert_array_equal(matrix.predictions[0], [[0.2, 0.3], [0.9, 0.9], [0.7, 0.6]])
    assert codes(matrix)[:2] == ["common-rows", "samples-left-out"]
    assert matrix.notes[0].text.startswith("only the 3 of 4 samples")


def test_gaps_in_every_configuration(save):
    columns = {"truth": ["x", "y", "y"], "a": [0.1, None, 0.9], "b": [None, 0.8, 0.9]}
    matrix = read(save("m.parquet", columns))
    assert matrix.notes[0].code == "available-cases"
    assert matrix.notes[0].text.startswith("33% of the predictions are missing")
    assert_array_equal(matrix.available, [[[True, False], [False, True], [True, True]]])
    assert np.isfinite(matrix.predictions).all()


def test_too_many_gaps_in_every_configuration(save):
    columns = {
        "truth": ["x", "y", "y", "y", "y"],
        "a": [0.1, 0.2, None, None, None],
        "b": [None, 0.8, 0.9, None, None],
        "c": [None, 0.3, None, 0.4, None],
        "d": [None, 0.1, None, None, 0.2],
    }
    e = refused("each of the 4 configurations lacks too many", save("m.parquet", columns))
    assert "--missing common-rows uses the 1 of 5 samples" in e.hint


def test_models_of_one_fold_each(save):
    """To complete the predictions of such a column asked for what no model should predict."""
    parts = np.arange(12) % 3
    columns = {f"m_{k}": [0.5 if part == k else None for part in parts] for k in (2, 0, 1)}
    path = save("m.parquet", {"fold": parts, "truth": parts % 2, **columns})
    e = refused("each configuration predicts one of 3 parts of the samples", path)
    assert e.hint.startswith("if m_2, m_0, m_1 are of one configuration")


def test_folds_are_recoded_when_a_fold_is_left_out(save):
    columns = {"fold": [0, 1, 2, 2], "truth": ["x", "x", "y", "y"], "a": [0.1, None, 0.8, 0.7]}
    matrix = read(save("m.parquet", columns))
    assert matrix.fold_names == ("0", "2")
    assert_array_equal(matrix.folds, [[0, 1, 1]])


def reversed_columns(n: int) -> dict[str, object]:
    """Two configurations that score n samples of each class the wrong way round."""
    down = np.linspace(0.9, 0.1, 2 * n)
    truth, fold = ["x"] * n + ["y"] * n, [0, 1] * n
    return {"fold": fold, "truth": truth, "a": down, "b": down**2}


def test_polarity(save):
    path = save("m.csv", reversed_columns(12))
    matrix = read(path)
    (note,) = matrix.notes
    assert note.code == "polarity"
    assert "median AUC of 2 configurations is 0.000 with positive class y" in note.text
    assert note.remedy == "--positive x"
    assert read(path, positive="x").notes == ()


def test_polarity_of_named_classes(save):
    """No option turns them round: the column of the other class is taken along."""
    down = reversed_columns(12)
    columns = {"truth": down["truth"], "fold": down["fold"]}
    for name in "ab":
        columns |= {f"{name}::y": down[name], f"{name}::x": 1 - down[name]}
    path = save("m.csv", columns)
    for positive in (None, "x"):
        (note,) = [note for note in read(path, positive=positive).notes if note.code == "polarity"]
        assert "--positive" not in note.remedy
        assert "rows and labels belong together" in note.remedy


def test_polarity_within_chance(save):
    # of 3 + 3 samples one order in 20 is this one
    assert read(save("m.csv", reversed_columns(3))).notes == ()
    assert read(save("m.csv", BASE | {"a": ["y", "y", "x", "x"]})).notes == ()  # labels have none
    tied = read(save("m.csv", BASE | {"a": [0.5] * 4}))
    assert codes(tied) == ["constant-predictions"]


def test_duplicates(save):
    columns = BASE | {"a": GOOD, "b": GOOD, "c": [0.1, 0.2, 0.8, 0.91], "d": GOOD}
    (note,) = read(save("m.csv", columns)).notes
    assert note.code == "duplicate-configurations"
    assert note.text.startswith("2 configurations repeat")
    assert note.text.endswith("b repeats those of a, for instance")
    (note,) = read(save("m.csv", {k: v for k, v in columns.items() if k != "b"})).notes
    assert note.text == "d repeats the predictions of a"
    start = np.linspace(0, 1, 40)
    other = np.append(start[:-1], 0.5)  # the same but at the end
    columns = {"fold": [0, 1] * 20, "truth": [0] * 20 + [1] * 20, "a": start, "b": other}
    assert read(save("m.csv", columns)).notes == ()


def test_flags_and_candidates(save):
    flags = {"a": ["rounded", "ensemble"], "b": ["rounded"], "gone": ["dummy"]}
    configs = [{"id": name, "flags": own} for name, own in flags.items()]
    metadata = META | {"configs": configs, "n_candidates_total": 5}
    path = save("m.csv", BASE | {"a": GOOD, "b": [0.1, 0.3, 0.8, 0.9]}, metadata)
    matrix = read(path, include=["ensembles"])
    assert codes(matrix) == ["rounded-predictions", "validity-flags", "candidates-missing"]
    assert matrix.notes[0].text.startswith("predictions of 2 configurations are rounded")
    assert matrix.notes[1].text.endswith("configurations: ensemble (1)")
    assert matrix.notes[2].text == "5 candidates were tried, but the file holds 2"
    without = read(path)
    assert without.configurations == ("b",)
    assert codes(without)[0] == "flagged-left-out"


def test_groups_that_span_folds(save):
    matrix = read(save("m.csv", BASE | {"group": ["g", "g", "h", "i"], "a": GOOD}))
    (note,) = matrix.notes
    assert note.code == "group-spans-folds"
    assert note.text.startswith("1 of 3 groups")
    assert "leakage" in note.text
    columns = {"row_id": [*range(6)] * 2, "repeat": [0] * 6 + [1] * 6, "group": [*"gghhii"] * 2}
    columns |= {"fold": [0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0], "truth": [*"xyxyxy"] * 2}
    columns |= {name: (np.arange(12) % 5 + shift) / 9 for name, shift in (("a", 1), ("b", 3))}
    found = {note.code: note.text for note in read(save("r.csv", columns)).notes}
    assert found["group-spans-folds"].startswith("2 of 3 groups")  # of one repeat count once


@pytest.mark.parametrize("name", ["m.csv", swept("m.csv.gz"), swept("m.tsv"), swept("m.parquet")])
def test_metadata_are_kept_whole(save, name):
    metadata = META | {"version": "1.3", "mine": {"x": [1]}}
    matrix = read(save(name, BASE | {"a": GOOD}, metadata))
    assert dict(matrix.source.metadata) == metadata
    with pytest.raises(TypeError):
        matrix.source.metadata["mine"] = 1


@pytest.mark.parametrize("gaps", [(2, 3), (3,), (1, 2, 3)])
def test_what_to_do_about_pruned_trials(save, gaps):
    """Only whole folds are lacking where a trial was pruned."""
    columns = {"fold": [0, 0, 1, 1, 2, 2], "truth": [0, 1] * 3, "a": np.arange(6) / 9}
    columns["b"] = [None if i in gaps else i / 7 for i in range(6)]
    notes = {note.code: note.remedy for note in read(save("p.parquet", columns)).notes}
    start = "nothing to do if they were pruned" if gaps == (2, 3) else "complete their"
    assert notes["configurations-dropped"].startswith(start)


@pytest.mark.parametrize(("n_missing", "stays"), [(4, True), (5, True), (6, False)])
def test_half_of_the_samples_are_enough(save, n_missing, stays):
    columns = {
        "truth": ["x", "y"] * 5,
        "a": [0.1, 0.9, 0.3, 0.2, 0.4, 0.6, 0.7, 0.8, 0.5, 0.55],
        "b": [None if i < n_missing else 0.2 + i / 20 for i in range(10)],
    }
    matrix = read(save("m.parquet", columns), missing=Missing.AVAILABLE)
    assert matrix.configurations == (("a", "b") if stays else ("a",))
