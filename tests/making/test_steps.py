"""Stacking, cuts and calibrations made in every bag: against slow loops, and their laws."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from making import loops
from making.test_ensembles import bags, shares_of
from matrices import binary, multiclass, regression

from bbccli import METHODS, METRICS, Plan, compare, correct, plan
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.metrics.capped import with_plan
from bbccli.platform.records import Document
from bbccli.reports import FORMS
from bbccli.stats.case import maker_of
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind

TWO = [1, 2]


def maker(matrix, name, **plan):
    plan = Plan(**plan)
    return maker_of(matrix, with_plan(METRICS[name], plan), plan)


def steps(matrix, name, weights, **plan):
    made = maker(matrix, name, **plan)
    return made.steps(weights, made.combine(weights))


@pytest.mark.parametrize("n_repeats", TWO)
@pytest.mark.parametrize(
    ("make", "name"), [(binary, "brier"), swept(multiclass, "brier"), swept(regression, "rmse")]
)
def test_the_slow_loop_stacks_the_same(make, name, n_repeats):
    matrix = make(n_repeats=n_repeats)
    expected = [loops.stack(matrix, name, w) for w in bags(matrix)]
    np.testing.assert_allclose(shares_of(matrix, name, "stack", bags(matrix)), expected, atol=1e-10)


def test_a_cut_is_scored_out_of_the_bag():
    matrix = binary(n_samples=40, seed=2)
    found = METHODS["bbc"].run(
        matrix, "f1", Plan(cut="tuned", n_resamples=20, size_correction=False)
    )
    expected = []
    drawn = draws_of(40, None, 0).batch(0, 1).in_bag[:20]
    _, made, cuts = steps(matrix, "f1", drawn, cut="tuned")
    for bag, w in enumerate(drawn):
        labels = (made[:, :, bag] > cuts[bag]).astype(float)
        expected.append(loops.figure(matrix, "f1", (w == 0).astype(int), labels))
    np.testing.assert_allclose(found.distribution.values, expected, atol=1e-10)


def test_a_cut_for_another_metric_follows_the_selection():
    matrix = binary(n_samples=40, seed=2)
    shares, made, cuts = steps(matrix, "auc", bags(matrix), cut="tuned:f1")
    assert (shares == shares_of_best(matrix, "auc")).all()
    expected = [loops.tuned(matrix, "f1", w, made[:, :, b])[0] for b, w in enumerate(bags(matrix))]
    np.testing.assert_allclose(cuts, expected, atol=1e-10)
    auc = METHODS["bbc"].run(matrix, "auc", Plan(cut="tuned:f1", n_resamples=50))
    assert auc.value == METHODS["bbc"].run(matrix, "auc", Plan(n_resamples=50)).value
    assert auc.made.tuned_for == "f1"


def shares_of_best(matrix, name):
    values = METRICS[name].bind(matrix.outcome, matrix.predictions[0])(bags(matrix))
    return np.eye(matrix.n_configurations)[METRICS[name].direction.best(values)]


@pytest.mark.parametrize("n_repeats", daily(TWO, [1]))
@pytest.mark.parametrize("kind", ["platt", swept("isotonic"), swept("temperature")])
def test_the_slow_loop_calibrates_the_same(kind, n_repeats):
    matrix = binary(n_samples=40, n_repeats=n_repeats, seed=6)
    found = steps(matrix, "log-loss", bags(matrix), select="mean:3", calibrate=kind).made
    bare = steps(matrix, "log-loss", bags(matrix), select="mean:3").made
    truth = matrix.outcome.values
    for b, w in enumerate(bags(matrix)):
        rows = np.repeat(np.arange(40), w)
        of_bag = np.concatenate([one[rows] for one in bare[:, :, b]])
        told = np.tile(truth[rows], n_repeats)
        expected = getattr(loops, kind)(told, of_bag, bare[:, :, b].ravel())
        np.testing.assert_allclose(found[:, :, b].ravel(), expected, atol=1e-10)


def test_temperature_calibrates_several_classes():
    matrix = multiclass()
    found = steps(matrix, "log-loss", bags(matrix), calibrate="temperature").made
    bare = steps(matrix, "log-loss", bags(matrix), select="greedy:1").made
    for b, w in enumerate(bags(matrix)):
        rows = np.repeat(np.arange(matrix.n_samples), w)
        expected = loops.temperature(matrix.outcome.values[rows], bare[0, rows, b], bare[0, :, b])
        np.testing.assert_allclose(found[0, :, b], expected, atol=1e-10)


def assert_alike(one, other, rows=slice(None), columns=slice(None)):
    """What is made in the same bags of rows, or columns, in another order or number."""
    np.testing.assert_allclose(one.shares[:, columns], other.shares, atol=1e-10)
    np.testing.assert_allclose(one.made[:, rows], other.made, atol=1e-10)
    assert (one.cuts is None) == (other.cuts is None)
    if one.cuts is not None:
        np.testing.assert_allclose(one.cuts, other.cuts, atol=1e-10)


WHOLE = [
    *(("brier", {"select": "stack", "calibrate": kind, "cut": "tuned:f1"})
      for kind in ("platt", "isotonic", "temperature")),
    ("log-loss", {"select": "mean:2"}),
    ("log-loss", {"select": "greedy:4"}),
    ("f1", {"cut": "tuned"}),
    ("f1", {"calibrate": "isotonic"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "plan"), [*WHOLE, swept("auc", {"select": "greedy:4"})])
def test_weights_are_repeated_rows(name, plan):
    matrix, weights = binary(n_samples=40, seed=6), 1 + np.arange(40) % 3
    rows = np.repeat(np.arange(40), weights)
    weighted = replace(matrix, outcome=replace(matrix.outcome, weights=weights.astype(float)))
    one = steps(weighted, name, np.ones((1, 40), int), **plan)
    other = steps(matrix.of_samples(rows), name, np.ones((1, len(rows)), int), **plan)
    assert_alike(one, other, rows)


@pytest.mark.parametrize(("name", "plan"), WHOLE)
def test_rows_and_columns_may_stand_in_another_order(name, plan):
    """Not of AUCs, many of which are equal: the first of the best columns is taken."""
    matrix, rng = binary(n_samples=60, seed=1), np.random.default_rng(0)
    noisy = np.clip(rng.normal(matrix.predictions, 0.1), 0.01, 0.99)  # no two are alike
    matrix = replace(matrix, predictions=noisy)
    rows, columns = rng.permutation(60), rng.permutation(matrix.n_configurations)
    other = matrix.of_samples(rows).of_configurations(columns)
    one = steps(matrix, name, bags(matrix), **plan)
    assert_alike(one, steps(other, name, bags(matrix)[:, rows], **plan), rows, columns)


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "f1", "threshold": "tuned"},
        swept({"metric": "log-loss", "select": "greedy:4", "calibrate": "platt"}),
        swept({"metric": ["brier", "mcc"], "select": "stack", "threshold": "tuned:mcc"}),
        swept({"metric": "auc", "select": "mean:2"}),
    ],
)
def test_a_point_is_within_its_interval(options):
    for made in correct(binary(n_samples=50), n_resamples=60, **options).estimates:
        if made.interval is not None:
            assert made.interval.lower <= made.value <= made.interval.upper


def test_margins_have_a_cut_too():
    matrix = binary(n_samples=60, kind=PredictionKind.SCORE)
    found = correct(matrix, metric="f1", threshold="tuned", n_resamples=50)
    assert found.estimate.made.cut is not None
    (single,) = found.record.single
    fixed = correct(matrix, metric="f1", threshold=0, n_resamples=50)
    assert single.value == fixed.value
    assert found.naive >= fixed.naive


@pytest.mark.parametrize("options", [{"select": "greedy:3"}, {"calibrate": "platt"}])
@pytest.mark.parametrize(
    ("pooling", "word"), [("fold-mean", "undefined in folds 0, 1"), ("within-folds", "no fold")]
)
def test_folds_without_a_class_are_named_whatever_is_made(options, pooling, word):
    matrix = binary(n_samples=60)
    matrix = replace(matrix, folds=matrix.outcome.values.astype(int)[None])
    with pytest.raises(UndefinedError, match=word):
        correct(matrix, metric="auc", pooling=pooling, n_resamples=10, **options)


def test_a_tiny_loss_lends_its_power_of_ten_to_no_other():
    matrix = binary(n_samples=40)
    sure = np.where(matrix.outcome.values == 1, 0.9, 0.1)[None, :, None]
    found = correct(
        replace(matrix, predictions=sure, configurations=("sure",)), metric="log-loss",
        calibrate="temperature", n_resamples=50,
    )  # fmt: skip
    assert found.value < 1e-12
    assert "uncalibrated, sure: scored 0.1054, expect 0.1054" in str(found)


def no_folds():
    return replace(regression(), folds=None)


@pytest.mark.parametrize(
    ("make", "options", "word"),
    [
        (binary, {"metric": "auc", "threshold": "tuned"}, "does not depend on a cut"),
        swept(multiclass, {"metric": "accuracy", "threshold": "tuned"}, "two classes"),
        swept(regression, {"metric": "rmse", "threshold": "tuned"}, "two classes"),
        swept(multiclass, {"metric": "log-loss", "calibrate": "platt"}, "two classes"),
        swept(regression, {"metric": "rmse", "calibrate": "temperature"}, "probabilities"),
        (no_folds, {"metric": "rmse", "threshold": "sklearn:f1"}, "two classes"),
    ],
)
def test_what_has_no_cut_or_no_probability_is_refused(make, options, word):
    with pytest.raises(UnsupportedError, match=word):
        correct(make(), n_resamples=10, **options)


@pytest.mark.parametrize(
    ("threshold", "word"),
    [
        ("half", "not a number"),
        ("tuned:nothing", "no metric"),
        ("tune", "number"),
        ("tuned:", "number"),
        ("sklearn:", "number"),
    ],
)
def test_a_cut_that_is_none_is_refused(threshold, word):
    with pytest.raises(OptionError, match=word):
        correct(binary(), metric="f1", threshold=threshold)


def codes(found):
    return {note.code for note in found.record.notes}


def test_notes_say_what_takes_part_and_what_it_rests_on():
    matrix = binary(n_samples=60)
    available = np.ones(matrix.predictions.shape, bool)
    available[0, 3, 6] = False
    gappy = replace(matrix, available=available)
    options = {"metric": "f1", "threshold": "tuned", "n_resamples": 20}
    assert "incomplete-members" in codes(correct(gappy, **options))
    assert codes(correct(matrix, **options)).isdisjoint({"incomplete-members", "few-for-a-cut"})
    rare = matrix.of_samples(np.r_[np.flatnonzero(matrix.outcome.values == 0), 1, 3, 5, 7])
    assert "few-for-a-cut" in codes(correct(rare, **options))
    ensemble = {"metric": "auc", "select": "greedy:1", "n_resamples": 20}
    assert "one-member" in codes(correct(matrix, **ensemble))


def test_an_option_on_which_no_figure_depends_is_told_with_a_metric_that_does():
    binaries, values = binary(n_samples=60), regression(n_samples=60)
    for matrix, option, metric, other in (
        (binaries, {"threshold": "0.3"}, "auc", "accuracy"),
        (binaries, {"threshold": "tuned:mcc"}, "log-loss", "accuracy"),
        (binaries, {"clip": 0.01}, "accuracy", "log-loss"),
        (values, {"cap": 0.9}, "r2", "rmse"),
    ):
        ((name, value),) = option.items()
        for ask in (correct, compare, plan):
            if ask is plan and name == "threshold":
                continue
            found = ask(matrix, metric=metric, n_resamples=20, **option)
            (one,) = (one for one in found.document.record.notes if one.code == "no-effect")
            assert one.text == f"no figure here depends on --{name} {value}"
            assert f"such as {other}, or leave it out" in one.remedy
            seen = ask(matrix, metric=other, n_resamples=20, **option)
            assert "no-effect" not in {note.code for note in seen.document.record.notes}
        seen = correct(matrix, metric=[metric, other], n_resamples=20, **option)
        assert "no-effect" not in codes(seen)
    found = correct(values, metric="rmse", clip=0.01, n_resamples=20)
    assert [one.remedy for one in found.record.notes if one.code == "no-effect"] == ["leave it out"]
    assert "no-effect" not in codes(correct(binaries, metric="accuracy", n_resamples=20))


def test_the_answer_names_what_is_shipped_the_single_one_and_the_gain():
    found = correct(binary(n_samples=60), metric="log-loss", select="stack", n_resamples=50)
    record, text = found.record, FORMS["table"](found.document)
    (gain,), flat = record.gains, " ".join(text.split())
    assert "The stack ensemble, made of " in flat
    assert f"Best single configuration, {record.single[0].winner}: scored" in flat
    assert ("no evidence of a gain" in flat) == (not gain.shown) == (gain.interval.lower <= 0)
    assert "corrected for choosing the members of the stack ensemble" in found.sentence()
    assert found.to_frame()["select"].tolist() == ["stack"] * 2
    html, markdown = found._repr_html_(), FORMS["markdown"](found.document)
    for shown in (html, markdown):
        assert "Best single configuration" in shown


def test_a_cut_is_named_in_the_sentence():
    found = correct(binary(n_samples=60), metric="auc", threshold="tuned:f1", n_resamples=20)
    assert f"choosing {found.winner} and its cut for F1 among" in found.sentence()
    assert not found.record.gains  # the AUC does not depend on it
    steps = correct(
        binary(n_samples=60), metric="f1", threshold="tuned", calibrate="platt", n_resamples=20
    )
    assert f"{steps.winner}, its platt calibration and its cut for F1 among" in steps.sentence()


def said_of(found, gain):
    """What is printed of a result with another gain."""
    moved = Document.of(replace(found.record, gains=(gain,)))
    return " ".join(FORMS["table"](moved).split())


def test_a_gain_from_too_few_resamples_is_no_evidence():
    """Their ends are the extreme ones, whose error is not known."""
    matrix = binary(n_samples=60, seed=5)
    for n_resamples, told in [(1, True), (2, True), (50, False)]:
        found = correct(matrix, metric="auc", select="mean:2", n_resamples=n_resamples)
        (gain,) = found.record.gains
        moved = replace(gain, interval=replace(gain.interval, lower=0.2, upper=0.2))
        assert ("too few resamples to be evidence" in said_of(found, moved)) == told
        assert "looks no better; expect" in said_of(found, replace(moved, looked=1e-9))


def test_resamples_name_what_was_made():
    found = correct(binary(), metric="auc", select="mean:2", n_resamples=20)
    assert set(found.resamples()["winner"]) == {"mean:2"}


def test_a_gain_within_the_error_of_drawing_is_said_to_be_one_of_the_seed():
    found = correct(binary(n_samples=60, seed=5), metric="auc", select="mean:2", n_resamples=50)
    (gain,) = found.record.gains
    error = gain.monte_carlo_error
    assert 0 < error.value < error.lower < gain.value - gain.interval.lower
    words = ["no evidence of a gain", "another seed"]
    for lower, told in [(-0.1, words[:1]), (error.lower, words[1:]), (2.1 * error.lower, [])]:
        moved = replace(gain, interval=replace(gain.interval, lower=lower, upper=0.5))
        said = said_of(found, moved)
        assert [word for word in words if word in said] == told
