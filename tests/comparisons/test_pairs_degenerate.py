"""Degenerate data: p is 1, or undefined with a reason; never 0, never NaN."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from documents import codes
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import binary, regression
from pairs import PLAN, ask, of_folds, of_labels, of_table
from scipy import stats
from thorough import examples

from bbccli import PredictionMatrix, matrix_of
from bbccli.comparisons import Verdict, compare_pairs
from bbccli.comparisons.pairs import TESTS
from bbccli.domain.outcome import Outcome
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.platform.records import as_json
from bbccli.types import PredictionKind, Task

FEW = replace(PLAN, n_resamples=40)
SMALLEST_P = np.finfo(float).tiny


def assert_sound(found):
    numbers = [found.difference, found.statistic, found.p, found.error, found.epsilon,
               found.first_value, found.second_value]  # fmt: skip
    numbers += [found.interval.lower, found.interval.upper] if found.interval else []
    if found.beliefs:
        numbers += [found.beliefs.worse, found.beliefs.equal, found.beliefs.better]
    assert all(number is None or np.isfinite(number) for number in numbers)
    assert found.p is None or 0 < found.p <= 1
    decided = found.p is not None or found.beliefs is not None
    assert decided == ("undefined-test" not in codes(found))
    assert decided == (found.verdict is not Verdict.UNDEFINED)
    assert all(note.text and "nan" not in note.text for note in found.notes)
    if found.difference == 0 and not TESTS[found.test].several:
        assert found.verdict not in (Verdict.BETTER, Verdict.WORSE) or found.beliefs
    as_json(found)


@st.composite
def matrices(draw):
    """Small matrices of few distinct predictions, many of them equal."""
    n, c = draw(st.integers(2, 9)), draw(st.integers(2, 3))
    n_repeats, n_folds = draw(st.sampled_from([(1, 2), (1, 3), (5, 2), (2, 4)]))
    values = st.sampled_from([0.0, 0.2, 0.5, 0.5 + 1e-15, 0.8, 1.0])
    size = n_repeats * n * c
    predictions = np.array(draw(st.lists(values, min_size=size, max_size=size)))
    truth = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    truth[:2] = [0, 1]
    kind = draw(st.sampled_from([PredictionKind.PROBABILITY, PredictionKind.VALUE]))
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    if kind is PredictionKind.VALUE:
        outcome = Outcome(Task.REGRESSION, truth.astype(float))
    return PredictionMatrix(
        outcome,
        predictions.reshape(n_repeats, n, c),
        tuple(f"c{k}" for k in range(c)),
        kind,
        folds=np.tile(np.arange(n) % n_folds, (n_repeats, 1)),
        fold_names=tuple(map(str, range(n_folds))),
        groups=np.arange(n) // 2 if draw(st.booleans()) and n > 4 else None,
    )


METRICS_OF = {
    Task.BINARY: ("accuracy", "auc", "log-loss", "f1", "mcc", "precision", "balanced-accuracy"),
    Task.REGRESSION: ("mae", "rmse", "medae", "r2", "pearson"),
}


@pytest.mark.sweep
@given(matrices(), st.data())
@settings(max_examples=examples(120))
def test_no_test_is_ever_certain_or_without_a_number(matrix, data):
    metric = data.draw(st.sampled_from(METRICS_OF[matrix.task]))
    rope = data.draw(st.sampled_from([0.0, 0.1]))
    for test in TESTS:
        try:
            found = ask(test, matrix, metric, (0, 1), FEW, rope=rope)
        except (UndefinedError, UnsupportedError) as error:
            assert error.problem
            continue
        assert_sound(found)


@given(st.lists(st.integers(0, 8), min_size=4, max_size=4).filter(lambda c: sum(c) > 1))
@settings(max_examples=examples(60))
def test_every_small_table(counts):
    matrix = of_table(*counts)
    _, b, c, _ = counts
    for test in ("mcnemar", "mcnemar-exact", "mcnemar-chi2", "two-proportions", "cochran-q"):
        found = ask(test, matrix, "accuracy")
        assert_sound(found)
        assert found.difference == pytest.approx((b - c) / sum(counts))
        if b == c:
            assert found.p == 1
    mid, exact = (ask(test, matrix, "accuracy").p for test in ("mcnemar", "mcnemar-exact"))
    assert mid <= exact
    if b + c:
        theirs = stats.binomtest(b, b + c).pvalue
        assert exact == pytest.approx(theirs, rel=1e-12)


def test_a_p_value_at_the_level_shows_a_difference():
    for level, verdict in ((0.9375, Verdict.BETTER), (0.938, Verdict.NOT_SHOWN)):
        found = ask(
            "mcnemar-exact", of_table(9, 5, 0, 9), "accuracy", plan=replace(PLAN, level=level)
        )
        assert (found.p, found.verdict) == (0.0625, verdict)


@pytest.mark.parametrize("test", ["k-fold-t", "corrected-t", "bayes-t"])
def test_too_few_folds(test):
    found = ask(test, of_folds([0.5, 0.7], [0.4, 0.5]), "mean-score")
    assert_sound(found)
    assert found.p is None
    assert "2 folds are too few" in found.notes[-1].text
    assert found.difference == pytest.approx(0.15)


@pytest.mark.parametrize(
    "test",
    [
        "k-fold-t",
        swept("corrected-t"),
        swept("bayes-t"),
        swept("five-by-two-t"),
        swept("five-by-two-f"),
    ],
)
def test_one_difference_again_and_again(test):
    """0.03 in every fold: baycomp is certain. Rounding parts some of them."""
    first = np.round(np.linspace(0.6, 0.7, 10), 2).reshape(5, 2)
    found = ask(test, of_folds(first, first - 0.03), "mean-score", rope=0.01)
    assert_sound(found)
    assert found.p is None
    assert found.beliefs is None
    same = "differ by the same amount, so" if "two" in test else "difference is 0.03 in every fold:"
    assert f"{same} there is no variance" in found.notes[-1].text
    assert found.difference == pytest.approx(0.03)


def test_a_constant_difference_has_no_variance():
    matrix = regression(n_samples=30)
    truth = matrix.outcome.values
    shifted = np.stack([truth + 1, truth + 2], axis=1)[None]
    constant = replace(matrix, predictions=shifted, configurations=("near", "far"))
    found = ask("wald", constant, "mae")
    assert_sound(found)
    assert found.p is None
    assert "the difference, 1, has no variance" in found.notes[0].text
    drawn = ask("bootstrap", constant, "mae")
    assert drawn.p == pytest.approx(2 / 201)
    assert "no-variance" in codes(drawn)
    believed = ask("bayes-bootstrap", constant, "mae")
    assert believed.beliefs is None
    assert "whatever the samples weigh" in believed.notes[0].text
    assert ask("permutation", constant, "mae").p == pytest.approx(1 / 201)


def test_perfect_against_worst():
    truth = np.arange(40) % 2
    both = np.stack([truth, 1 - truth], axis=1).astype(float)
    matrix = replace(binary(n_configurations=2), predictions=both[None])
    for test in ("delong", "wald"):
        found = ask(test, matrix, "auc")
        assert (found.difference, found.p) == (1, None)
        assert "no variance" in found.notes[0].text
    for test in TESTS:
        try:
            assert_sound(ask(test, matrix, "accuracy", plan=FEW))
        except (UndefinedError, UnsupportedError):
            continue


@pytest.mark.parametrize("test", TESTS)
def test_two_without_an_error_are_equal(test):
    matrix = regression(n_samples=30, n_repeats=5, n_folds=2)
    perfect = np.broadcast_to(matrix.outcome.values[:, None], (5, 30, 2))
    two = replace(matrix, predictions=perfect, configurations=("one", "other"))
    try:
        found = ask(test, two, "mse", plan=FEW)
    except UnsupportedError:  # of right and wrong answers
        return
    assert_sound(found)
    assert (found.difference, found.p) == (0, None if TESTS[test].bayesian else 1)
    df = {"k-fold-t": (9,), "corrected-t": (9,), "five-by-two-t": (5,), "five-by-two-f": (10, 5)}
    assert found.df == df.get(test, found.df)


def test_one_sample_of_a_class():
    matrix = binary(n_samples=20, n_configurations=3, n_folds=2)
    truth = np.zeros(20, int)
    truth[7] = 1
    alone = replace(matrix, outcome=replace(matrix.outcome, values=truth))
    found = ask("delong", alone, "auc")
    assert_sound(found)
    assert found.p is None
    assert "one sample of a class has no variance" in found.notes[0].text
    found = ask("wald", alone, "auc")
    assert found.p is None
    assert "without one sample" in found.notes[0].text


def test_one_group():
    matrix = replace(binary(), groups=np.zeros(40, int))
    for test in ("wald", "bootstrap", "bayes-bootstrap", "delong"):
        found = ask(test, matrix, "auc", (1, 4))
        assert_sound(found)
        assert found.p is None
    assert ask("permutation", matrix, "auc", (1, 4)).p == 1


def test_p_values_beyond_floats():
    for test in ("mcnemar", "mcnemar-exact", "mcnemar-chi2", "two-proportions", "cochran-q"):
        found = ask(test, of_table(0, 4000, 1, 0), "accuracy")
        assert found.p == SMALLEST_P, test
    rng = np.random.default_rng(0)
    right = rng.random((5000, 2)) < [0.99, 0.01]
    assert ask("wald", of_labels(right), "accuracy").p == SMALLEST_P


def test_a_metric_without_a_value():
    matrix = binary(kind=PredictionKind.LABEL)
    none = replace(matrix, predictions=matrix.predictions * [0, 1, 1, 1, 1, 1, 1])
    with pytest.raises(UndefinedError, match="precision of c0 is undefined"):
        ask("wald", none, "precision")
    # one sample predicted positive: where it is swapped alone none is left
    few = np.zeros_like(none.predictions)
    few[0, 3, 0] = few[0, [5, 6], 1] = 1
    found = ask("permutation", replace(none, predictions=few), "precision")
    assert_sound(found)
    assert "undefined-swaps" in codes(found)
    assert found.notes[0].text.startswith("precision is undefined after 1 of 4 swaps")


def test_medians_have_no_influence():
    found = ask("wald", regression(), "medae", (1, 4))
    assert found.p is None
    assert "the median error jumps" in found.notes[0].text
    assert found.notes[0].remedy == "bootstrap or permutation"


def test_folds_without_a_class():
    matrix = binary(n_samples=12, n_folds=6)
    folds = np.repeat(np.arange(6), 2)[None]
    folds = np.where(matrix.outcome.values == 1, folds, (folds + 1) % 6)
    lacking = replace(matrix, folds=np.sort(folds, axis=1))
    alone = replace(lacking, folds=np.arange(12)[None], fold_names=tuple(map(str, range(12))))
    with pytest.raises(UndefinedError, match="AUC is undefined in fold"):
        ask("corrected-t", alone, "auc")


def test_where_no_test_can_be_run_that_is_the_answer():
    """Squares of these errors overflow."""
    matrix = regression(n_samples=12)
    huge = replace(matrix, predictions=matrix.predictions * 1e200)
    with np.errstate(all="ignore"), pytest.raises(UndefinedError, match="no test can be run: wald"):
        compare_pairs(huge, "rmse", FEW, [huge.configurations[:2]], "all")


@pytest.mark.parametrize("name", ["mcc", swept("r2"), swept("f1"), swept("spearman")])
def test_few_samples_do_not_make_a_smooth_metric_jump(name):
    """Of eight samples each is so heavy that leaving it out is no derivative."""
    for seed in range(12):
        rng = np.random.default_rng((8, seed))
        if name in ("r2", "spearman"):
            truth = rng.standard_normal(8)
            values = truth[:, None] + 0.7 * rng.standard_normal((8, 2))
        else:
            truth = np.arange(8) % 2
            noise = 0.25 * rng.standard_normal((8, 2))
            values = np.clip(0.5 + 0.2 * (2 * truth[:, None] - 1) + noise, 0.02, 0.98)
        found = ask("wald", matrix_of(values, truth), name, (0, 1))
        assert not any("jumps" in note.text for note in found.notes)
