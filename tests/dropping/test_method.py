"""The method `bbcd`: BBC on those that dropping leaves."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary

from bbccli import METHODS, METRICS, Plan

PLAN = Plan(n_resamples=300, seed=4)


@pytest.fixture
def matrix():
    return binary(200, 9, n_folds=10)


def test_is_bbc_of_the_survivors(matrix):
    found = METHODS["bbcd"].run(matrix, METRICS["auc"], PLAN)
    gone = set(found.drop_trace.dropped)
    left = np.flatnonzero([name not in gone for name in matrix.configurations])
    assert 0 < len(gone) < 9
    expected = METHODS["bbc"].run(matrix.of_configurations(left), METRICS["auc"], PLAN)
    assert found.winner == expected.winner
    assert (found.naive, found.value) == (expected.naive, expected.value)
    assert found.interval == expected.interval
    assert found.selection == expected.selection


def test_winners_of_the_resamples_are_columns_of_the_file(matrix):
    found = METHODS["bbcd"].run(matrix, METRICS["auc"], PLAN)
    names = {matrix.configurations[c] for c in found.distribution.winners}
    assert names == {share.configuration for share in found.selection}
    assert not names & set(found.drop_trace.dropped)


def test_another_metric_measures_what_one_metric_dropped(matrix):
    accuracy, auc = METRICS["accuracy"], METRICS["auc"]
    found = METHODS["bbcd"].run(matrix, accuracy, PLAN, select_by=auc)
    alone = METHODS["bbcd"].run(matrix, auc, PLAN)
    assert found.drop_trace == alone.drop_trace
    assert found.winner == alone.winner
    assert (found.metric, found.selected_by) == ("accuracy", "auc")


def test_the_trace_adds_up(matrix):
    trace = METHODS["bbcd"].run(matrix, METRICS["auc"], PLAN).drop_trace
    n_raced = 9
    for step, fold in zip(trace.steps, range(10), strict=True):
        assert (step.n_raced, step.n_models) == (n_raced, n_raced)
        assert step.fold == str(fold)
        assert step.n_samples == int((matrix.folds <= fold).sum())
        n_raced -= len(step.dropped)
    assert trace.n_trained == sum(step.n_models for step in trace.steps)
    assert trace.speed_up == trace.n_models / trace.n_trained == 90 / trace.n_trained


def test_few_samples_are_bbc_with_a_note():
    small = binary(40)
    found, plain = (METHODS[name].run(small, METRICS["auc"], PLAN) for name in ("bbcd", "bbc"))
    assert found.value == plain.value
    assert "nothing-dropped" in {note.code for note in found.notes}


def test_with_gaps_each_is_compared_on_what_it_predicts(matrix):
    available = np.ones((1, 200, 9), bool)
    available[0, :10, 3] = False
    gaps = replace(matrix, available=available)
    found = METHODS["bbcd"].run(gaps, METRICS["auc"], PLAN)
    assert np.isfinite(found.value)
    assert "c0" in found.drop_trace.dropped


def test_the_table_tells_what_was_dropped(run, samples):
    path = samples / "breast_cancer.parquet"
    out = run.printed("correct", path, "--method", "bbcd", "--n-resamples", "100")
    line = next(line for line in out.splitlines() if line.startswith("dropped"))
    assert " of 177 by bbcd, " in line
    assert "of 1770 models trained" in line
