"""Columns play roles by hand, by name, or by a synonym."""

import pytest
from day import daily, swept
from documents import codes
from reading import refused

from bbccli.errors import OptionError
from bbccli.reading import Roles, read
from bbccli.types import Task

A = {"a": [0.1, 0.9, 0.2]}
BINARY = {"truth": [0, 1, 0], **A}
REPEATS = {"repeat": [1, 1, 2, 2], "truth": [0, 1, 0, 1], "a": [0, 1, 1, 0]}
NAMED = {
    "truth Truth Y target class obs correct": (A, [0, 1, 0], lambda m: m.configurations == ("a",)),
    "fold Folds split iteration Resample": (BINARY, [5, 5, 7],
        lambda m: m.fold_names == ("5", "7")),
    ".row rowIndex ID index row_ids": (REPEATS, [3, 4, 3, 4],
        lambda m: m.predictions.shape == (2, 2, 1)),
    "group patient_id Cluster": (BINARY, list("xyx"), lambda m: m.groups.tolist() == [0, 1, 0]),
    "weight Weights sample_weight": (BINARY, [1, 1, 2.5],
        lambda m: (m.outcome.weights.tolist(), m.configurations) == ([1, 1, 2.5], ("a",))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "columns", "values", "holds"),
    [(name, *case) for names, case in NAMED.items() for name in names.split()],
)
def test_synonyms(save, name, columns, values, holds):
    assert holds(read(save("m.csv", {name: values} | columns)))


def test_written_name_wins_and_else_the_first_synonym(save):
    matrix = read(save("m.csv", {"y": [5, 6, 7], **BINARY}))
    assert (matrix.configurations, matrix.task) == (("a",), Task.BINARY)
    assert codes(matrix) == ["columns-ignored", "folds-unknown"]
    assert "y" in matrix.notes[0].text
    columns = {"split": [1, 1, 2], "folds": [7, 8, 9], **BINARY}
    assert read(save("m.csv", columns)).fold_names == ("7", "8", "9")


def test_two_synonyms_of_truth_are_ambiguous(save):
    path = save("m.csv", {"y": [0, 1, 0], "target": [1, 0, 1], **A})
    words = "more than one column could be the truth: 'y', 'target'"
    refused(words, path, hint="--truth y, or another of them")
    assert read(path, roles=Roles(truth="target")).outcome.values.tolist() == [1, 0, 1]


ROLES = ("truth", "fold", "repeat", "group", "row_id", "time", "event")


@pytest.mark.parametrize("role", daily(ROLES, ["truth"]))
def test_roles_that_cannot_be(save, role):
    path = save("m.csv", {"fold": [0, 1, 2], **BINARY})
    words, roles = f"{role} is 'fould', which is not a column", Roles(**{role: "fould"})
    refused(words, path, roles=roles, hint="did you mean fold?")
    twice = Roles(truth="a", fold="a")
    refused("'a' is given two roles", path, roles=twice, kind=OptionError)


def test_the_truth_is_given_as_the_folds(save):
    file = save("m.csv", {"truth": [0, 1] * 6, "a": [i / 12 for i in range(12)]})
    words = "--fold truth takes the one of this name|fold=.truth. takes"
    refused(words, file, roles=Roles(fold="truth"), hint="that of the truth with --truth NAME")


def test_names_that_are_configurations(save):
    """Those of the long layout in a wide table, and those of the metadata."""
    columns = {"model": [0.1, 0.2, 0.3], "score": [0.2, 0.4, 0.6], "truth": [0, 1, 0]}
    assert read(save("m.csv", columns)).configurations == ("model", "score")
    columns = {"y": [0.1, 0.6, 0.2], "weights": [0.1, 0.7, 0.2], "split": [0.3, 0.5, 0.1]}
    metadata = {"spec": "bbc-predictions", "version": "1", "configs": [{"id": n} for n in columns]}
    matrix = read(save("m.csv", {"truth": [0, 1, 0], **columns}, metadata))
    assert matrix.configurations == tuple(columns)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, None, 2], "weight is missing .*row 1"),
        swept([1, 2, 0], "weight is not positive .*row 2, value 0"),
        swept([1, -2, 1], "weight is not positive .*row 1, value -2"),
        swept(["a", "b", "c"], "weight is text"),
    ],
)
def test_weights_that_are_none(save, weights, message):
    refused(message, save("m.csv", {"weight": weights, **BINARY}))


def test_time_and_event(save):
    """The message about both, and about a time alone by hand: `test_messages.py`."""
    alone = read(save("m.csv", {"truth": [0, 1, 0], "time": [0.1, 0.2, 0.3], **A}))
    assert alone.configurations == ("time", "a")
    path = save("m.csv", {"time": [1, 2, 3], "status": [0, 1, 1], **BINARY})
    assert read(path, task=Task.SURVIVAL).configurations == ("a",)
    assert read(path, task=Task.BINARY).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(truth="truth")).outcome.classes == ("0", "1")
    assert read(path, roles=Roles(time="time")).task is Task.SURVIVAL


def table(folds, keys=range(99), role="fold"):
    """Text of a table, the folds as they are written."""
    rows = [f"{keys[i]},{fold},{i % 2},{i / 99}" for i, fold in enumerate(folds)]
    return "\n".join([f"row_id,{role},truth,a", *rows])


@pytest.mark.parametrize("role", ["fold", "group"])
def test_names_that_are_the_same_number_remain_apart(save, role):
    """Fold 10 of repeat 1 is not fold 1."""
    text = table([f"1.{i // 2 % 10 + 1}" for i in range(40)], role=role)
    for one, n in ((text, 10), (text.replace(",1.10,", ",1.1,"), 9)):
        matrix = read(save("m.csv", one))
        assert (matrix.n_folds if role == "fold" else matrix.n_groups) == n


def test_configurations_that_are_the_same_number_remain_apart(save):
    rows = [f"{i},{name},{i % 2},{i / 20}" for name in ("0.1", "0.10", "2") for i in range(20)]
    path = save("m.csv", "\n".join(["row_id,config,truth,prediction", *rows]))
    assert read(path).configurations == ("0.1", "0.10", "2")


@pytest.mark.parametrize("factor", [1e-12, 0.37])
def test_folds_of_real_numbers_are_refused(save, factor):
    path = save("m.csv", table([repr(i % 5 + i * factor) for i in range(20)]))
    e = refused(r"fold is not an integer or a name \(column 'fold', row 1, value ", path)
    assert e.further == 18
    halves = read(save("m.csv", table([f"{i % 5 * 3}.5" for i in range(20)])))
    assert halves.fold_names == ("0.5", "3.5", "6.5", "9.5", "12.5")


@pytest.mark.parametrize("slip", ["oops", "1O", "-", "3.5", "1e400", "Fold 3"])
def test_a_slip_among_numbered_folds_is_no_fold(save, slip):
    folds = [str(i % 5) for i in range(60)]
    folds[7] = slip
    words = r"fold is not a whole number, as the others are \(column 'fold', row 7, value "
    assert refused(words, save("m.csv", table(folds))).further == 0
    folds[30] = "x"
    e = refused(words, save("m.csv", table(folds)))
    assert (str(e.value), e.further) == (slip, 1)


@pytest.mark.parametrize(
    ("folds", "names"),
    [
        (["101", "102", "102", "101", "north", "north"] * 5, ("101", "102", "north")),
        swept(["101", "102", "102", "101"] * 5 + ["north"] * 5, ("101", "102", "north")),
        swept(["0", "north"] + ["0", "east"] * 20, ("0", "east", "north")),
        swept([*map(str, range(9)), "x"], (*map(str, range(9)), "x")),
        swept(["101", "102"] * 10 + ["x", "y", "z"] * 2, ("101", "102", "x", "y", "z")),
        swept(["3"] * 20 + ["x", "y"] * 4, ("3", "x", "y")),
        swept(["a", "b"] * 20 + ["c"], ("a", "b", "c")),
        (["0", "1"] * 20 + ["2"], ("0", "1", "2")),
    ],
)
def test_folds_of_text_remain(save, folds, names):
    assert read(save("m.csv", table(folds))).fold_names == names


def test_padded_folds_are_numbers_and_words_are_keys(save):
    folds = [f"{i % 3 + 8:02d}" for i in range(9)]
    matrix = read(save("m.csv", table(folds, "abcdefghi")))
    assert matrix.fold_names == ("8", "9", "10")
    assert matrix.keys[-1] == "i"
    assert read(save("m.csv", table(folds, "7bcdefghi"))).n_samples == 9
