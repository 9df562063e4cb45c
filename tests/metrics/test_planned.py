"""Metrics as a plan wants them: errors under a cap, logarithms of clipped probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, regression

from bbccli import METHODS, METRICS, Plan, PredictionMatrix, document
from bbccli.domain.outcome import Outcome
from bbccli.dropping import drop, replay
from bbccli.errors import OptionError, UndefinedError
from bbccli.methods import estimate
from bbccli.metrics.capped import cap_of, with_cap
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling, PredictionKind, Task

PLAN = Plan(n_resamples=100, seed=1, cap=0.6)


def slow(matrix, name, share):
    """Performances (C,) by a loop over samples."""
    truth = matrix.outcome.values
    middle = sorted(truth)[len(truth) // 2]  # an odd number of samples
    distances = sorted(abs(t - middle) for t in truth)
    place = share * (len(truth) - 1)
    low = int(place)
    cap = distances[low] + (place - low) * (distances[low + 1] - distances[low])
    values = []
    for c in range(matrix.n_configurations):
        errors = [
            min(abs(t - p), cap) for t, p in zip(truth, matrix.predictions[0, :, c], strict=True)
        ]
        power = 1 if name == "mae" else 2
        mean = np.mean([e**power for e in errors])
        values.append(mean**0.5 if name == "rmse" else mean)
    return values, cap


@pytest.mark.parametrize("name", ["rmse", "mse", "mae"])
def test_the_slow_loop(name):
    matrix = regression()
    metric = with_cap(METRICS[name], 0.6)
    expected, cap = slow(matrix, name, 0.6)
    every = candidates(matrix, metric, Pooling.POOLED).performances()
    np.testing.assert_allclose(every, expected, rtol=1e-12)
    assert max(expected) < candidates(matrix, METRICS[name], Pooling.POOLED).performances().max()
    worst = cap**2 if name == "mse" else cap
    assert metric.within(matrix.outcome).bounds == pytest.approx((0.0, worst))
    assert cap_of(matrix.outcome, 0.6) == pytest.approx(cap)


@pytest.mark.parametrize(
    "method", ["cvt", swept("tt"), swept("bbc"), swept("bbc-f"), swept("bbc-eb"), swept("naive")]
)
def test_methods_cap_and_guard(method):
    """With a worst value the interval is guarded."""
    matrix, metric = regression(), METRICS["mse"]
    found = METHODS[method].run(matrix, metric, PLAN)
    capped = with_cap(metric, 0.6)
    assert found.value == METHODS[method].run(matrix, capped, replace(PLAN, cap=None)).value
    assert found.metric == "mse"
    if found.interval:
        bare = METHODS[method].run(matrix, metric, replace(PLAN, guard=False))
        assert bare.interval.upper < found.interval.upper <= cap_of(matrix.outcome, 0.6) ** 2


@pytest.mark.sweep
def test_other_metrics_are_left_as_they_are():
    for name in ("auc", "medae", "r2", "log-loss"):
        assert with_cap(METRICS[name], 0.9) is METRICS[name]
    assert with_cap(METRICS["mse"], None) is METRICS["mse"]
    once = with_cap(METRICS["mse"], 0.9)
    assert with_cap(once, 0.9) is once
    found, plain = (
        METHODS["bbc"].run(binary(), METRICS["auc"], p) for p in (PLAN, Plan(100, seed=1))
    )
    assert found.value == plain.value


def test_no_spread_of_the_outcome_is_no_cap():
    outcome = Outcome(Task.REGRESSION, np.array([1.0, 1.0, 1.0, 5.0]))
    with pytest.raises(UndefinedError, match="cap=0.5 is an error of 0"):
        cap_of(outcome, 0.5)


@pytest.mark.parametrize("cap", [0, swept(-1), swept(1.5), swept(float("nan"))])
def test_out_of_range(cap):
    with pytest.raises(OptionError, match="cap is"):
        Plan(cap=cap)


FAST = ("cvt", "bbc")


def certain(kind=np.float64, zero=0.0, n_samples=60):
    """Two configurations whose better one is certain of everything, twice of the wrong class."""
    truth = np.arange(n_samples) % 2
    sure = np.where(truth == 1, 1.0, zero)
    sure[:2] = 1 - sure[:2]
    vague = np.where(truth == 1, 0.375, 0.625)
    outcome = Outcome(Task.BINARY, truth, ("n", "y"))
    predictions = np.column_stack([vague, sure]).astype(kind)[None]
    folds = (np.arange(n_samples) // 2 % 5)[None]
    return PredictionMatrix(
        outcome, predictions, ("vague", "sure"), PredictionKind.PROBABILITY, folds,
        ("1", "2", "3", "4", "5"),
    )  # fmt: skip


def figures(matrix, plan=Plan(n_resamples=30)):
    found, notes = estimate(matrix, [METRICS["log-loss"]], plan, FAST)
    return [e.value for e in found], notes


@pytest.mark.parametrize("zero", [0.0, 1e-20, 1e-12])
def test_the_same_predictions_cost_the_same_in_32_and_64_bits(zero):
    narrow, wide = (figures(certain(kind, zero))[0] for kind in (np.float32, np.float64))
    assert narrow == pytest.approx(wide, rel=1e-9)
    assert wide[0] == pytest.approx(2 / 60 * -np.log(Plan().clip), rel=1e-9)


def test_the_default_is_the_precision_of_32_bits():
    assert np.finfo(np.float32).eps == Plan().clip == METRICS["log-loss"].bind.clip


@pytest.mark.parametrize("clip", [1e-15, 1e-3, 0.2])
def test_every_method_obeys_the_plan(clip):
    matrix, plan = certain(), Plan(n_resamples=30, clip=clip)
    expected = 2 / 60 * -np.log(clip)
    matrix = replace(matrix, predictions=matrix.predictions[:, :, 1:], configurations=("sure",))
    assert METHODS["cvt"].run(matrix, METRICS["log-loss"], plan).value == pytest.approx(expected)
    assert figures(matrix, plan)[0][0] == pytest.approx(expected)


def test_the_clip_may_decide_who_wins_and_who_goes():
    for clip, winner in ((1e-15, "vague"), (1e-2, "sure")):
        plan = Plan(n_resamples=200, clip=clip)
        noisy = certain()
        noisy = replace(noisy, predictions=noisy.predictions * [0.0, 1] + [0.5, 0])
        assert METHODS["bbc"].run(noisy, METRICS["log-loss"], plan).winner == winner
        assert (
            winner
            not in drop(noisy, METRICS["log-loss"], plan, threshold=0.51, min_samples=20).drop
        )
        assert drop(noisy, METRICS["log-loss"], plan, threshold=0.51, min_samples=20).drop
        (replayed,), _ = replay(noisy, METRICS["log-loss"], plan, min_samples=20)
        assert replayed.naive == METHODS["cvt"].run(noisy, METRICS["log-loss"], plan).value


def test_the_document_says_it():
    found = [METHODS["cvt"].run(certain(), METRICS["log-loss"], Plan(clip=1e-4))]
    assert document(certain(), found)["plan"]["clip"] == 1e-4


@pytest.mark.parametrize("clip", [0, swept(-1), swept(0.5), swept(1), swept(float("nan"))])
def test_a_clip_out_of_range(clip):
    with pytest.raises(OptionError, match="clip is"):
        Plan(clip=clip)


class TestNote:
    @staticmethod
    def of(matrix, **plan):
        notes = figures(matrix, Plan(n_resamples=30, **plan))[1]
        return [note.text for note in notes if note.code == "clipped-probabilities"]

    def test_certain_mistakes(self):
        (text,) = self.of(certain())
        assert text == (
            "the log-loss of sure is 0.531 with probabilities clipped at 1.2e-07, and infinite "
            "without: 2 of 60 predictions give the true class less than that"
        )

    def test_what_it_would_be_without(self):
        matrix = certain(zero=1e-12)
        right = matrix.predictions == matrix.outcome.values[:, None]  # some are certain
        shifted = np.clip(matrix.predictions, 1e-12, 1 - 1e-12)
        shifted = replace(matrix, predictions=np.where(right, matrix.predictions, shifted))
        assert right.any()
        (text,) = self.of(shifted)
        assert f"and {2 / 60 * 12 * np.log(10):.3g} without" in text
        assert self.of(shifted, clip=1e-13) == []

    @pytest.mark.parametrize(("share", "told"), [(0.0003, 0), (0.0007, 1)])
    def test_a_change_that_three_digits_show(self, share, told):
        """In one in thirty predictions, of a figure below 1."""
        clip = 1e-4
        wrong = clip ** (1 + share)
        matrix = certain()
        said = np.clip(matrix.predictions, wrong, 1 - wrong)
        assert len(self.of(replace(matrix, predictions=said), clip=clip)) == told

    def test_none_where_nothing_changes(self):
        assert self.of(binary()) == []
        perfect = certain()
        right = np.where(perfect.outcome.values == 1, 1.0, 0.0)[None, :, None]
        assert self.of(replace(perfect, predictions=np.repeat(right, 2, axis=2))) == []

    def test_configurations_with_gaps(self):
        matrix = certain()
        available = np.ones(matrix.predictions.shape, bool)
        available[0, 0, 1] = False
        (text,) = self.of(replace(matrix, available=available))
        assert "1 of 59 predictions" in text
