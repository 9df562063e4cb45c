"""Runs of mljar with scaled targets, and with weights."""

import json
from pathlib import Path

import numpy as np
import pytest
from reading import refused

from bbccli.errors import InputError
from bbccli.reading import read
from bbccli.stats.verification import verified

RUNS = Path(__file__).parent.parent / "data" / "runs"
OOF = "predictions_out_of_folds.csv"


def column(run, model, name="target"):
    lines = [line.split(",") for line in (run / model / OOF).read_text().split()]
    return np.array([float(line[lines[0].index(name)]) for line in lines[1:]])


def changed(run, model, row, value):
    """Put another target into a row of a model."""
    lines = (run / model / OOF).read_text().split("\n")
    lines[row + 1] = ",".join([repr(value), *lines[row + 1].split(",")[1:]])
    (run / model / OOF).write_text("\n".join(lines))


def saved(run, change):
    """Change the list of models of a run."""
    about = json.loads((run / "params.json").read_text())
    about["saved"] = change(about["saved"])
    (run / "params.json").write_text(json.dumps(about))


def note(matrix, code):
    return next((one for one in matrix.notes if one.code == code), None)


@pytest.mark.parametrize("name", ["mljar_diabetes", "mljar_lognormal", "mljar_weights"])
def test_all_scores_are_found_again(name):
    matrix = verified(read(RUNS / name, include=("all",)))
    found = matrix.source.verification
    assert found.n_checked == found.n_scores == matrix.n_configurations
    assert found.reason is None


@pytest.mark.parametrize("name", ["mljar_diabetes", "mljar_lognormal"])
def test_the_truth_is_that_of_the_baseline_wherever_it_is_listed(copied, name):
    run = copied(name)
    saved(run, lambda models: sorted(models, key=lambda model: model != "3_Linear"))
    matrix = verified(read(run))
    assert matrix.configurations[0] == "3_Linear"
    truth = column(run, "1_Baseline")
    assert (truth != column(run, "3_Linear")).any()
    np.testing.assert_array_equal(matrix.outcome.values, truth)


def test_what_was_clipped_is_told():
    said = note(read(RUNS / "mljar_lognormal"), "targets-scaled").text
    assert "3_Linear" in said
    assert "1 sample by up to 0.0167" in said
    assert "1_Baseline" in said
    assert "raises" not in note(read(RUNS / "mljar_diabetes"), "targets-scaled").text
    assert note(read(RUNS / "mljar"), "targets-scaled") is None


def test_without_a_model_that_keeps_its_targets_the_truth_is_doubted(copied):
    run = copied("mljar_lognormal")
    saved(run, lambda _: ["3_Linear"])
    matrix = verified(read(run))
    assert "1 sample may" in note(matrix, "targets-clipped").text
    assert note(matrix, "targets-scaled") is None
    np.testing.assert_array_equal(matrix.outcome.values, column(run, "3_Linear"))


@pytest.mark.parametrize(
    ("name", "model", "row", "change"),
    [
        ("mljar_diabetes", "3_Linear", 5, lambda value: value * (1 + 1e-9)),
        ("mljar_diabetes", "2_DecisionTree", 5, lambda value: value * (1 + 1e-15)),
        ("mljar_lognormal", "3_Linear", 12, lambda value: value * 1.01),
        ("mljar_lognormal", "3_Linear", 12, lambda value: value * 0.5),
        ("mljar_lognormal", "2_DecisionTree", 12, lambda _: 0.0211158584674771),
    ],
)
def test_a_target_that_scaling_does_not_explain(copied, name, model, row, change):
    run = copied(name)
    value = change(column(run, model)[row].item())
    changed(run, model, row, value)
    error = refused("target differs from that of 1_Baseline", run)
    assert (error.row, error.value, error.column) == (row, value, "target")
    assert repr(column(run, "1_Baseline")[row].item()) in error.problem
    assert error.path == str(run / model / OOF)


def test_the_model_that_most_others_contradict_is_named(copied):
    run = copied("mljar_diabetes")
    value = column(run, "2_DecisionTree")[5].item()
    changed(run, "1_Baseline", 5, value + 7)
    error = refused(f"target differs from that of .*, {value!r}", run)
    assert error.path == str(run / "1_Baseline" / OOF)
    assert (error.row, error.value) == (5, value + 7)


def test_a_scaling_that_cannot_be_read(copied):
    run = copied("mljar_lognormal")
    place = run / "3_Linear" / "framework.json"
    place.write_text(place.read_text().replace("X_min_values", "minima"))
    refused("how targets were scaled", run)


def test_a_score_of_another_target_is_refused(copied):
    run = copied("mljar_lognormal")
    board = run / "leaderboard.csv"
    truth, own = column(run, "1_Baseline"), column(run, "3_Linear")
    predicted = column(run, "3_Linear", "prediction")
    on_truth, on_own = (repr(np.abs(t - predicted).mean().item()) for t in (truth, own))
    assert on_own[:12] in board.read_text()
    lines = board.read_text().split("\n")
    lines = [x.replace(x.split(",")[3], on_truth) if x.startswith("3_L") else x for x in lines]
    board.write_text("\n".join(lines))
    with pytest.raises(InputError, match="3_Linear has mae"):
        verified(read(run))


def test_weights_are_read_and_without_them_no_score_is_compared():
    matrix = read(RUNS / "mljar_weights")
    own = column(RUNS / "mljar_weights", "1_Baseline", "sample_weight")
    np.testing.assert_array_equal(matrix.outcome.weights, own)
    assert note(matrix, "weight-by-name") is None
    found = verified(read(RUNS / "mljar_weights", unweighted=True)).source.verification
    reason = "the run scored with weights, which are not used here"
    assert (found.n_checked, found.reason) == (0, reason)


def test_a_model_with_weights_of_its_own_is_compared_without_the_others(copied):
    """As mljar scores models boosted on their errors, whose predictions tell no weights."""
    run = copied("mljar_weights")
    place = run / "2_DecisionTree" / OOF
    place.write_text("\n".join(x.rpartition(",")[0] for x in place.read_text().split()))
    with pytest.raises(InputError, match="2_DecisionTree has auc 0.858928 by its predictions"):
        verified(read(run))
    for log in place.parent.glob("*.log"):
        log.unlink()
    rows = np.genfromtxt(place, delimiter=",", skip_header=1)
    higher = rows[rows[:, 0] == 1, 1][:, None] - rows[rows[:, 0] == 0, 1]
    board = run / "leaderboard.csv"
    auc = str(((higher > 0) + (higher == 0) / 2).mean())
    board.write_text(board.read_text().replace("0.8689249752633723", auc))
    found = verified(read(run)).source.verification
    assert (found.n_checked, found.n_scores) == (3, 3)


def test_weights_that_differ(copied):
    run = copied("mljar_weights")
    place = run / "3_Linear" / OOF
    lines = place.read_text().split()
    lines[3] = lines[3].rpartition(",")[0] + ",77.0"
    place.write_text("\n".join(lines))
    error = refused("weight differs from that of 1_Baseline", run)
    assert (error.row, error.value) == (2, 77.0)
