"""Laws that every test of pairs keeps, by iterating the registry."""

import re
from dataclasses import replace

import numpy as np
import pytest
from day import METRICS_BY_DAY, daily
from documents import codes
from matrices import binary, for_metric, regression, weighing
from pairs import PLAN, ask, of_labels, of_table

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.comparisons import Verdict, compare_pairs
from bbccli.comparisons.pairs import MODULES, TESTS
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.platform.records import as_json
from bbccli.platform.resources import Engine, Resources, use
from bbccli.types import Adjustment, Pooling, Side


def made(test, **options):
    """A matrix that the test takes."""
    if "five-by-two" in TESTS[test].needs:
        options = {"n_repeats": 5, "n_folds": 2} | options
    return binary(**options)


def metric_of(test):
    return "auc" if "auc" in TESTS[test].needs else "accuracy"


def found_of(test, matrix=None, pair=(1, 4), plan=PLAN, **options):
    return ask(
        test, made(test) if matrix is None else matrix, metric_of(test), pair, plan, **options
    )


def numbers(found):
    interval = (found.interval.lower, found.interval.upper) if found.interval else ()
    beliefs = ()
    if found.beliefs:
        beliefs = found.beliefs.worse, found.beliefs.equal, found.beliefs.better
    return (found.difference, found.statistic, found.p, found.error, *interval, *beliefs)


every_test = pytest.mark.parametrize("test", daily(TESTS, ["mcnemar", "wald", "bootstrap"]))


@every_test
def test_what_a_test_promises(test):
    found = found_of(test)
    assert found.test == test
    assert found.ignores_selection
    assert (found.beliefs is None) == (found.p is not None)
    assert found.p is None or 0 < found.p <= 1
    assert found.verdict is not Verdict.UNDEFINED
    assert found.difference == pytest.approx(found.first_value - found.second_value, abs=1e-15)
    assert "NaN" not in str(as_json(found))
    if found.interval:
        assert found.interval.lower < found.interval.upper


@every_test
def test_swapping_the_two_flips_the_sign_and_keeps_p(test):
    for matrix in (made(test), made(test, n_configurations=2)):
        pair = (1, 4) if matrix.n_configurations > 2 else (0, 1)
        one, other = found_of(test, matrix, pair), found_of(test, matrix, pair[::-1])
        assert other.difference == -one.difference != 0
        assert (other.first, other.second) == (one.second, one.first)
        assert other.first_value == one.second_value
        assert (other.p is None) == (one.p is None)
        assert other.p is one.p or other.p == pytest.approx(one.p, rel=1e-12)
        if one.interval and test not in ("bootstrap", "bayes-bootstrap"):  # whole ranks
            assert other.interval.lower == pytest.approx(-one.interval.upper, abs=1e-12)
        if one.beliefs:
            assert other.beliefs.better == pytest.approx(one.beliefs.worse, rel=1e-12)
            assert other.beliefs.equal == pytest.approx(one.beliefs.equal, abs=1e-12)
        opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
        assert other.verdict == opposite.get(one.verdict, one.verdict)


@every_test
def test_a_loss_is_better_where_it_is_smaller(test):
    if "auc" in TESTS[test].needs:
        pytest.skip("the AUC is no loss")
    matrix = made(test)
    right, wrong = (ask(test, matrix, name, (1, 4)) for name in ("accuracy", "error"))
    np.testing.assert_allclose(
        np.array(numbers(wrong), float), np.array(numbers(right), float), rtol=1e-9
    )
    assert wrong.first_value == pytest.approx(1 - right.first_value)
    assert wrong.verdict == right.verdict


@every_test
def test_identical_columns_do_not_differ(test):
    matrix = made(test)
    same = replace(matrix, predictions=matrix.predictions[:, :, [1, 1, 4]],
                   configurations=("a", "b", "c"))  # fmt: skip
    found = found_of(test, same, (0, 1))
    assert found.difference == 0
    assert "identical-predictions" in codes(found)
    if TESTS[test].bayesian:
        assert found.beliefs is None
        assert found.verdict is Verdict.UNDEFINED
        assert "undefined-test" in codes(found)
    else:
        assert found.p == 1
        assert found.verdict is Verdict.NOT_SHOWN


@every_test
def test_the_same_seed_gives_the_same_whatever_the_machine(test):
    expected = numbers(found_of(test))
    limits = [Resources(jobs=1), Resources(jobs=3), Resources(engine=Engine.NUMPY),
              Resources(engine=Engine.NUMBA), Resources(memory=16_000_000)]  # fmt: skip
    for resources in limits:
        with use(resources):
            found = numbers(found_of(test, made(test)))
        assert [v is None for v in found] == [v is None for v in expected]
        for ours, theirs in zip(found, expected, strict=True):
            assert ours is theirs or ours == pytest.approx(theirs, rel=1e-11)


DRAWN = ("permutation", "bootstrap", "bayes-bootstrap")


@every_test
def test_only_what_draws_depends_on_the_seed(test):
    one, other = (found_of(test, plan=replace(PLAN, seed=seed)) for seed in (1, 2))
    assert (numbers(one) == numbers(other)) == (test not in DRAWN)
    if one.error:
        assert abs(one.p - other.p) < 6 * one.error


@pytest.mark.parametrize("test", DRAWN)
def test_more_draws_begin_with_the_same(test):
    """The first draws do not depend on how many follow: p of 300 is that of 300 of 1000."""
    matrix = made(test)
    few, many = (found_of(test, matrix, plan=replace(PLAN, n_resamples=n)) for n in (130, 2000))
    if few.p is not None:
        assert few.p == pytest.approx(many.p, abs=6 * few.error)
        assert few.error > many.error > 0


def test_draws_of_an_automatic_number():
    """As a p of a thousand draws, a tolerance of a thousandth takes 10,000."""
    found = ask("permutation", binary(), "auc", (1, 4), Plan(n_resamples=100_000, tolerance=0.001))
    assert found.error == pytest.approx(np.sqrt(found.p * (1 - found.p) / 10_000), rel=1e-3)


@every_test
def test_the_level_widens_the_interval(test):
    narrow, wide = (found_of(test, plan=replace(PLAN, level=level)) for level in (0.8, 0.99))
    assert narrow.p == wide.p
    if narrow.interval:
        assert wide.interval.lower < narrow.interval.lower
        assert narrow.interval.upper < wide.interval.upper
        assert narrow.interval.level == 0.8


@every_test
def test_one_side_leaves_the_other_open(test):
    found = found_of(test, plan=replace(PLAN, side=Side.PESSIMISTIC)).interval
    if found:
        two = found_of(test).interval
        assert found.side is Side.LOWER
        assert found.upper == 1  # the largest difference of shares and of AUCs
        assert two.lower < found.lower


@pytest.mark.parametrize("test", ["bayes-t", "bayes-bootstrap"])
def test_beliefs_in_equality_grow_with_the_rope(test):
    beliefs = [found_of(test, rope=rope).beliefs for rope in (0, 0.01, 0.05, 0.2, 0.99)]
    equal = [b.equal for b in beliefs]
    assert equal == sorted(equal)
    assert equal[-1] == pytest.approx(1, abs=5e-3)
    for b in beliefs:
        assert b.worse + b.equal + b.better == pytest.approx(1, abs=1e-12)
        assert min(b.worse, b.equal, b.better) >= 0
    assert found_of(test, rope=0.9).verdict is Verdict.NOT_WORSE


def apart(matrix):
    """The matrix with the first half of the samples predicted by c1, the others by c4."""
    available = np.ones(matrix.predictions.shape[:3], bool)
    available[:, 20:, 1] = available[:, :20, 4] = False
    return replace(matrix, available=available)


@every_test
def test_needs_are_said(test):
    needs, metric = TESTS[test].needs, metric_of(test)
    plain = made(test)
    asked = {
        "folds": (replace(plain, folds=None), metric, "needs to know the fold"),
        "one-repeat": (made(test, n_repeats=2), metric, "takes one prediction per sample"),
        "ungrouped": (replace(plain, groups=np.arange(40) // 2), metric, "come in groups"),
        "unweighted": (
            replace(plain, outcome=weighing(plain.outcome)), metric, "takes no sample weights"
        ),
        "in-common": (apart(plain), metric, "have none in common"),
        "yes-or-no": (plain, "log-loss", "is for shares of samples"),
        "auc": (plain, "accuracy", "is for the AUC of two classes"),
        "five-by-two": (binary(n_repeats=5, n_folds=3), metric, "exactly 5 repeats of 2 folds"),
    }  # fmt: skip
    if needs == {"folds"}:
        with pytest.raises(UndefinedError, match=f"{test} needs at least two folds; there is one"):
            ask(test, replace(plain, folds=0 * plain.folds, fold_names=("a",)), metric, (1, 4))
    for need, (matrix, asked_metric, problem) in asked.items():
        if need in needs:
            with pytest.raises((UndefinedError, UnsupportedError), match=f"{test}.* {problem}"):
                ask(test, matrix, asked_metric, (1, 4))
        elif need in ("folds", "one-repeat", "ungrouped", "unweighted") and (
            "five-by-two" not in needs
        ):
            assert ask(test, matrix, asked_metric, (1, 4)).verdict is not Verdict.UNDEFINED


@every_test
def test_a_rope_is_not_negative(test):
    with pytest.raises(OptionError, match="rope is -1"):
        found_of(test, rope=-1.0)


@pytest.mark.parametrize("name", daily(METRICS, METRICS_BY_DAY))
def test_every_metric_meets_every_test(name):
    failed = {}
    matrix = for_metric(name, n_samples=60, n_folds=2, n_repeats=5)
    for test in TESTS:
        try:
            found = ask(test, matrix, name, (1, 4), replace(PLAN, n_resamples=70))
        except UnsupportedError:
            continue
        except UndefinedError as error:
            if "is undefined in fold" not in error.problem:
                failed[test] = error
            continue
        if found.p is None and found.beliefs is None and "undefined-test" not in codes(found):
            failed[test] = found
        if found.p is not None and not 0 < found.p <= 1:
            failed[test] = found
    assert not failed


SAMPLED = ("wald", "permutation", "bootstrap", "bayes-bootstrap")


@pytest.mark.parametrize("test", SAMPLED)
@pytest.mark.parametrize("pooling", Pooling)
def test_poolings_repeats_groups_and_weights(test, pooling):
    for matrix in (
        binary(n_repeats=2),
        replace(binary(), groups=np.arange(40) // 2),
        replace(binary(), outcome=weighing(binary().outcome)),
    ):
        found = ask(test, matrix, "auc", (1, 4), replace(PLAN, pooling=pooling))
        assert found.p is None or 0 < found.p <= 1
        assert found.p or found.beliefs
        assert found.n_units == (20 if matrix.groups is not None else 40)


def test_groups_that_repeat_samples_are_counted_once():
    """Each sample five times, as a group: what rests on groups says what it said of the samples."""
    single = regression(n_samples=30)
    index = np.repeat(np.arange(30), 5)
    many = PredictionMatrix(
        replace(single.outcome, values=single.outcome.values[index]),
        single.predictions[:, index],
        single.configurations,
        single.kind,
        groups=index,
    )
    for test in ("wald", "permutation", "bootstrap"):
        one, other = (ask(test, m, "mae", (1, 4)) for m in (single, many))
        assert other.difference == pytest.approx(one.difference)
        assert other.n_units == one.n_units == 30
        limit = 0.03 if test == "bootstrap" else 1e-9
        assert other.p == pytest.approx(one.p, abs=limit)


def test_wald_over_fold_means_is_stratified_by_fold():
    """The variance of a mean of fold means: s_f^2 / n_f of each fold, over the squared folds."""
    matrix = regression(n_samples=41)
    losses = np.abs(matrix.predictions[0] - matrix.outcome.values[:, None])
    d = losses[:, 4] - losses[:, 1]
    folds = [d[matrix.folds[0] == f] for f in range(5)]
    square = sum(np.var(fold, ddof=1) / len(fold) for fold in folds) / 25
    found = ask("wald", matrix, "mae", (1, 4), replace(PLAN, pooling=Pooling.FOLD_MEAN))
    assert found.difference == pytest.approx(np.mean([fold.mean() for fold in folds]))
    assert found.statistic == pytest.approx(found.difference / np.sqrt(square), rel=1e-10)


def test_missing_predictions_leave_the_samples_in_common():
    matrix = binary()
    available = np.ones(matrix.predictions.shape, bool)
    available[:, :4, 1] = False
    partial = replace(matrix, available=available)
    common = matrix.of_samples(np.arange(40) > 3)
    for test in ("mcnemar", "mcnemar-exact", "mcnemar-chi2", "two-proportions", "cochran-q"):
        found, expected = (ask(test, m, "accuracy", (1, 4)) for m in (partial, common))
        assert found.p == expected.p
        assert found.difference == pytest.approx(expected.difference)
        assert found.n_units == 36
        assert "samples-in-common" in codes(found)
    for test in SAMPLED:
        assert ask(test, partial, "accuracy", (1, 4)).first_value is not None


def test_corrected_t_of_repeated_hold_out():
    rng = np.random.default_rng(2)
    matrix = binary(n_repeats=6)
    held_out = np.stack([rng.permutation(40) < 10 for _ in range(6)])
    parts = replace(matrix, repeated_holdout=True, folds=None,
                    available=np.repeat(held_out[:, :, None], 7, axis=2))  # fmt: skip
    right = (matrix.predictions > 0.5) == matrix.outcome.values[:, None]
    gains = [right[r, held_out[r], 1].mean() - right[r, held_out[r], 4].mean() for r in range(6)]
    found = ask("corrected-t", parts, "accuracy", (1, 4))
    error = np.std(gains, ddof=1) * np.sqrt(1 / 6 + 1 / 3)
    assert found.statistic == pytest.approx(np.mean(gains) / error)
    assert found.df == (5,)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.of_pairs])
def test_swaps_of_what_is_only_ordered_know_no_scale(name):
    matrix = for_metric(name, n_repeats=2)
    predictions = matrix.predictions.copy()
    predictions[:, :, 4] = predictions[:, :, 4] ** 3 * 0.9 + 0.05  # the same order
    other = replace(matrix, predictions=predictions)
    one, two = (ask("permutation", m, name, (1, 4)) for m in (matrix, other))
    assert two.p == one.p
    monotone = predictions.copy()
    monotone[:, :, 1] = predictions[:, :, 4] * 0.5
    assert ask("permutation", replace(matrix, predictions=monotone), name, (1, 4)).p == 1


# Several pairs at once


def test_all_runs_what_fits_and_says_what_does_not():
    found, notes = compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c4")], ["all"])
    left_out = {note.text.split()[0] for note in notes if note.code == "test-left-out"}
    assert [one.test for one in found] == [name for name in TESTS if name not in left_out]
    assert left_out == {"mcnemar", "mcnemar-exact", "mcnemar-chi2", "two-proportions",
                        "cochran-q", "looney-f", "five-by-two-t", "five-by-two-f"}  # fmt: skip
    beside, _ = compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c4")], ["wald", "all"])
    assert beside == found
    with pytest.raises(UnsupportedError, match="mcnemar is for shares"):
        compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c4")], ["mcnemar"])
    with pytest.raises(OptionError, match="no test named 'nosuch'"):
        compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c4")], ["all", "nosuch"])


DEFAULT_OF = [
    (binary(), "accuracy", "mcnemar"),
    (binary(), "error", "mcnemar"),
    (for_metric("accuracy", n_repeats=2), "accuracy", "wald"),
    (replace(binary(), groups=np.arange(40) // 2), "accuracy", "wald"),
    (replace(binary(), outcome=weighing(binary().outcome)), "auc", "wald"),
    (binary(), "auc", "delong"),
    (binary(n_repeats=2), "auc", "delong"),
    (binary(), "f1", "wald"),
    (regression(), "rmse", "wald"),
    (regression(), "medae", "bootstrap"),
]


@pytest.mark.parametrize(("matrix", "metric", "expected"), DEFAULT_OF)
def test_the_default_fits_the_metric(matrix, metric, expected):
    (found,), _ = compare_pairs(matrix, METRICS[metric], PLAN, [("c1", "c4")])
    assert found.test == expected
    assert found.p


def test_p_values_are_adjusted_test_by_test():
    pairs = [("c0", "c6"), ("c1", "c2"), ("c0", "c5")]
    found, _ = compare_pairs(
        binary(), METRICS["accuracy"], PLAN, pairs, ["mcnemar", "wald", "cochran-q"]
    )
    assert [one.test for one in found] == ["mcnemar", "wald"] * 3 + ["cochran-q"]
    assert {one.adjustment for one in found[:-1]} == {"holm"}
    assert found[-1].p_adjusted is None
    assert found[-1].compared == ("c0", "c6", "c1", "c2", "c5")


def test_the_verdict_follows_the_adjusted_p():
    rng = np.random.default_rng(0)
    right = rng.random((60, 12)) < np.linspace(0.6, 0.84, 12)
    matrix = of_labels(right)
    pairs = [(f"c{c}", "c0") for c in range(1, 12)]
    found, _ = compare_pairs(matrix, METRICS["accuracy"], PLAN, pairs)
    between = [one for one in found if one.p <= 0.05 < one.p_adjusted]
    assert between
    assert {one.verdict for one in between} == {Verdict.NOT_SHOWN}


def test_max_t_adjusts_statistics_of_influence_alone():
    for tests, max_t in ((["mcnemar"], list), (["wald"], None)):
        how = {"adjust": Adjustment.MAX_T, "max_t": max_t}
        with pytest.raises(UnsupportedError, match="max-t adjusts"):
            compare_pairs(binary(), METRICS["accuracy"], PLAN, [("c0", "c6")], tests, **how)


def test_more_than_two_names_are_all_their_pairs():
    found, _ = compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c2", "c5"), ("c1", "c2")])
    assert [(one.first, one.second) for one in found] == [("c1", "c2"), ("c1", "c5"), ("c2", "c5")]


def test_names_that_are_none():
    for pairs, problem in [
        ([("c1", "c9")], "there is no configuration 'c9'"),
        ([("c1", "c1")], "takes two different"),
        ([("c1",)], "takes two different"),
        ([], "no pair"),
    ]:
        with pytest.raises(OptionError, match=problem):
            compare_pairs(binary(), METRICS["auc"], PLAN, pairs)
    with pytest.raises(OptionError, match="no test named 'mcnemr'") as caught:
        compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c2")], ["mcnemr"])
    assert caught.value.hint == "did you mean mcnemar?"


def test_a_pair_that_was_selected_is_named():
    _, notes = compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c6")])
    assert [note.code for note in notes] == ["selected-pair"]
    assert notes[0].text.startswith("c6 is the best of 7")
    assert compare_pairs(binary(), METRICS["auc"], PLAN, [("c1", "c2")])[1] == []
    two = binary(n_configurations=2)
    assert compare_pairs(two, METRICS["auc"], PLAN, [("c0", "c1")])[1] == []


# The page


@every_test
def test_the_docstring_of_its_module_says_what_a_test_does(test):
    (module,) = (m for m in MODULES if TESTS[test] in m.TESTS)
    sections = re.split(r"^## (.+)$", module.__doc__, flags=re.M)
    section = dict(zip(sections[1::2], sections[2::2], strict=True))[test]
    for word in ("Formula", "Algorithm", "When to use", "When not", "Source"):
        assert word.lower() in " ".join(section.split()).lower(), word
    assert not re.search(r" \(\d\)$", section, re.M), "nothing refers to a number of an equation"


def test_q_and_f_of_what_is_left():
    # every sample says the same: nothing is left to measure F by
    found = ask("looney-f", of_table(0, 4, 0, 0), "accuracy")
    assert found.p is None
    assert "no variance is left" in found.notes[0].text
    assert ask("cochran-q", of_table(0, 4, 0, 0), "accuracy").statistic == 4
    three = of_labels(np.tile([[1, 0, 1], [0, 1, 1]], (9, 1)))
    found = ask("cochran-q", three, "accuracy", (0, 1, 2))
    assert found.verdict is Verdict.DIFFERENT
