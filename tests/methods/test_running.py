"""What the runner makes of a method's answer, and what a case shares."""

from dataclasses import replace
from importlib import import_module
from pkgutil import walk_packages

import pytest
from matrices import for_metric

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import UndefinedError
from bbccli.methods import Gives, Method, Need
from bbccli.methods import __path__ as path
from bbccli.notes import NOTES
from bbccli.stats.case import Answer
from bbccli.stats.selection.units import rests_on
from bbccli.types import IntervalKind, Pooling

AUC = METRICS["auc"]
POINT = frozenset({Gives.POINT})
MATRIX = for_metric("auc", n_folds=12)


def a_method(answer=lambda case: Answer(0.5), **fields):
    return Method("mine", "mine", answer, POINT, "mine", "nobody 2000", **fields)


def test_flags_stand_in_the_record():
    plain = a_method().run(MATRIX, AUC, Plan())
    assert not plain.experimental
    assert not plain.ignores_selection
    assert a_method(experimental=True).run(MATRIX, AUC, Plan()).experimental
    assert a_method(ignores_selection=True).run(MATRIX, AUC, Plan()).ignores_selection


def test_a_method_that_splits_ignores_the_selection_where_nothing_is_held_out():
    answers = {True: Answer(0.5), False: Answer(0.5, n_evaluation=10)}
    for ignores, answer in answers.items():
        method = a_method(lambda case, answer=answer: answer, splits=True)
        assert method.run(MATRIX, AUC, Plan()).ignores_selection is ignores


def test_winner_naive_figure_and_first_notes_are_those_of_the_choice():
    note = NOTES["single-configuration"]()
    tied = replace(MATRIX, predictions=MATRIX.predictions[:, :, [0] * MATRIX.n_configurations])
    found = a_method(lambda case: Answer(0.5, notes=(note,))).run(tied, AUC, Plan())
    expected = METHODS["cvt"].run(tied, AUC, Plan())
    n_tied = MATRIX.n_configurations
    first = NOTES["tied-winners"](MATRIX.configurations[0], n_tied, Pooling.POOLED)
    assert (found.winner, found.naive) == (expected.winner, expected.naive)
    assert found.notes == (first, note)
    assert found.method == "mine"


def test_needs_are_checked_before_anything_is_computed():
    def never(case):
        raise AssertionError

    without = replace(MATRIX, folds=None)
    with pytest.raises(UndefinedError, match="mine needs to know the fold"):
        a_method(never, needs=frozenset({Need.FOLDS})).run(without, AUC, Plan())


def test_the_pooling_of_a_record_selects_and_the_plan_stays_as_asked():
    seen = []

    def answer(case):
        seen.append(case.plan.pooling)
        return Answer(case.choice.naive)

    found = a_method(answer, pooling=Pooling.FOLD_MEAN).run(MATRIX, AUC, Plan())
    by_mean = METHODS["cvt"].run(MATRIX, AUC, Plan(pooling=Pooling.FOLD_MEAN))
    assert seen == [Pooling.FOLD_MEAN]
    assert (found.winner, found.naive) == (by_mean.winner, by_mean.naive)
    assert found.plan.pooling is Pooling.POOLED


def test_every_module_declares_its_methods():
    modules = [import_module(one.name) for one in walk_packages(path, "bbccli.methods.")]
    lists = [getattr(module, "METHODS", None) for module in modules]
    declared = [method for some in lists if isinstance(some, tuple) for method in some]
    assert {method.name: method for method in declared} == dict(METHODS)
    assert len(declared) == len(METHODS)


def test_a_tolerance_is_met_by_an_interval_of_a_drawn_estimate():
    plan = Plan(50_000, tolerance=0.002, interval=IntervalKind.T)
    found = METHODS["bbc"].run(MATRIX, AUC, plan)
    assert found.error.largest() <= plan.tolerance
    assert 1000 < found.n_resamples < plan.n_resamples
    assert "tolerance-not-reached" not in [note.code for note in found.notes]


def test_where_all_resamples_are_enumerated_no_tolerance_is_kept():
    plan, matrix = Plan(50_000, tolerance=0.002), for_metric("accuracy", n_samples=40, n_folds=5)
    for name, exact in (("bbc-f", True), ("bbc", False)):
        found = METHODS[name].run(matrix, METRICS["accuracy"], plan)
        assert (found.exact, found.plan.tolerance is None) == (exact, exact)


def test_the_tolerance_of_naive_f_is_that_of_its_winner(monkeypatch):
    made = (for_metric("accuracy", n_samples=240, n_folds=12, seed=seed) for seed in range(20))
    accuracy, plan = METRICS["accuracy"], Plan(5000, tolerance=0.01)
    matrix = next(m for m in made if METHODS["t-folds"].run(m, accuracy, plan).winner != "c0")
    asked = []

    def counted(*given):
        asked.append(given[2])
        return rests_on(*given)

    monkeypatch.setattr("bbccli.stats.bootstrap.rests_on", counted)
    found = METHODS["naive-f"].run(matrix, accuracy, plan)
    assert {matrix.configurations[column] for column in asked} == {found.winner}
    assert len(asked) > 1
