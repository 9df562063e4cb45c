"""Naive bootstraps against frozen answers, slow loops, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary
from oracle_data import METRIC_OF, QUESTIONS, answers, matrix

from bbccli import METHODS, METRICS, Plan

B = 4000


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_rows(name, question):
    data = matrix(name, question)
    expected = answers(name, "naive_bootstrap")["sample_level"][question]
    found = METHODS["naive"].run(data, METRIC_OF[question], Plan(n_resamples=B, guard=False))
    assert found.winner == expected["config"]
    assert found.value == pytest.approx(expected["value"], abs=1e-13)
    theirs, values = expected["unstratified"], found.distribution.values
    error = theirs["sd"] * np.sqrt(1 / B + 1 / theirs["B"])
    assert abs(values.mean() - theirs["mean"]) < 4 * error
    # the relative error of a standard deviation is about sqrt((kurtosis - 1) / 4B)
    kurtosis = ((values - values.mean()) ** 4).mean() / values.var() ** 2
    assert abs(values.std() / theirs["sd"] - 1) < 4 * np.sqrt(
        (kurtosis - 1) / 4 * (1 / B + 1 / 20_000)
    )
    for probability, quantile in theirs["quantiles"].items():
        # their quantile cuts ours at the same probability; a share has few distinct values
        p, end = float(probability), quantile["inverted_cdf"]
        slack = 4 * np.sqrt(p * (1 - p) * (1 / B + 1 / theirs["B"]))
        assert (values < end - 1e-9).mean() < p + slack
        assert (values <= end + 1e-9).mean() > p - slack
    assert found.interval.lower == found.distribution.quantile(0.025)
    assert found.interval.upper == found.distribution.quantile(0.975)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_folds(name, question):
    data = matrix(name, question)
    expected = answers(name, "naive_bootstrap")["fold_level_NB"][question]
    found = METHODS["naive-f"].run(data, METRIC_OF[question], Plan(guard=False))
    assert found.winner == expected["config"]
    assert found.exact
    assert found.value == pytest.approx(expected["mean"], abs=1e-12)
    exact = expected["exact"]
    distribution = found.distribution
    assert distribution.mean() == pytest.approx(exact["mean"], abs=1e-12)
    spread = np.sqrt(np.dot(distribution.probabilities, (distribution.values - exact["mean"]) ** 2))
    assert spread == pytest.approx(exact["sd"], abs=1e-12)
    for probability, quantile in exact["quantiles"].items():
        ours = distribution.quantile(float(probability))
        assert ours == pytest.approx(quantile["inverse_cdf"], abs=1e-12)


def test_groups_are_drawn_whole():
    one = binary(n_samples=40)
    twice = replace(
        one,
        outcome=replace(one.outcome, values=np.repeat(one.outcome.values, 2)),
        predictions=np.repeat(one.predictions, 2, axis=1),
        folds=np.repeat(one.folds, 2, axis=1),
        groups=np.repeat(np.arange(40), 2),
    )
    alone = replace(one, groups=np.arange(40))
    found, expected = (METHODS["naive"].run(m, METRICS["auc"], Plan()) for m in (twice, alone))
    np.testing.assert_allclose(found.distribution.values, expected.distribution.values, rtol=1e-12)


def test_few_groups_are_noted():
    data = replace(binary(), groups=np.arange(40) // 4)
    found = METHODS["naive"].run(data, METRICS["auc"], Plan(n_resamples=50))
    assert "few-groups" in [note.code for note in found.notes]


def test_many_folds_are_sampled():
    data = binary(n_samples=48, n_folds=12)
    found = METHODS["naive-f"].run(data, METRICS["accuracy"], Plan(n_resamples=B, guard=False))
    assert not found.exact
    assert found.n_resamples == B
    winner = data.configurations.index(found.winner)
    right = (data.predictions[0, :, winner] > 0.5) == data.outcome.values
    by_fold = np.array([right[data.folds[0] == fold].mean() for fold in range(12)])
    spread = by_fold.std() / np.sqrt(12)
    assert found.value == pytest.approx(by_fold.mean())
    assert abs(found.distribution.values.mean() - by_fold.mean()) < 4 * spread / np.sqrt(B)
    assert found.distribution.values.std() == pytest.approx(spread, rel=4 / np.sqrt(2 * B))
