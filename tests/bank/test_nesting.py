"""Nested cross-validations of the bank: what each model saw, and what is judged of them."""

import numpy as np
import pytest
from tiny_tables import table

from bbccli.types import Task
from benchmarks.bank import judging, learners, nesting
from benchmarks.bank.judging import judged
from benchmarks.bank.training import training
from benchmarks.bank.variants import ON_NESTED, variants

pytestmark = pytest.mark.sweep


@pytest.fixture
def found(tiny, monkeypatch):
    monkeypatch.setattr(nesting, "N_REPEATS", 2)
    monkeypatch.setattr(judging, "N_RESAMPLES", 40)
    return nesting.nested_study(tiny(), 40, 0)


def test_inner_models_saw_neither_their_fold_nor_the_outer_one(found):
    """Predicted again, row by row of the matrix, by models trained on what they may see."""
    matrix, truths = found
    assert len(matrix.nested) == 2 * 5 and matrix.n_configurations == nesting.N_CONFIGURATIONS
    features = features_of(matrix)
    for fold in (matrix.nested[0], matrix.nested[8]):
        assert (matrix.folds[fold.repeat, fold.test] == int(fold.name)).all()
        assert not set(fold.training) & set(fold.test)
        for inner in (0, 3):
            asked = fold.folds == inner
            seen = fold.training[~asked]
            said = fitted(
                features[seen], matrix.outcome.values[seen], features[fold.training[asked]]
            )
            assert fold.predictions[asked] == pytest.approx(
                np.stack([said[n] for n in matrix.configurations], 1)
            )
    assert truths.keys() == {"accuracy", "brier"}


def features_of(matrix):
    rows = table(Task.BINARY)
    rng = np.random.default_rng([nesting.crc32(b"nestedtiny"), 40, 0])
    one = nesting.BY_NAME["tiny"]
    drawn = rows.take(nesting.split(one, rows, 40, rng)[0])
    assert (drawn.outcome == matrix.outcome.values).all()
    return drawn.features


def fitted(inside, outcome, asked):
    families = (learners.neighbours, learners.trees)
    said = learners.fitted_by(families, training(inside, outcome.astype(int), asked, 2))
    return {name: one[:, 1] for name, one in said.items()}


def test_nested_methods_are_judged_on_nested_predictions_alone(tiny, found, monkeypatch):
    one = nesting.OfNested(tiny(), 40, 0)
    monkeypatch.setattr(nesting, "nested_study", lambda *_: found)
    rows = [
        row for s in one.subjects(None) for row in judged(s, s.question.missing(variants(), set()))
    ]
    assert {(row["method"], row["interval"]) for row in rows} == set(ON_NESTED)
    assert {row["population"] for row in rows} == {"nested tiny"}
    ends = {row["method"]: row["one_95"] for row in rows if row["metric"] == "accuracy"}
    assert ends["ncv"] == judging.MISSING != ends["ncv-interval"]
