"""DeLong: worked by hand, against slow loops, against R, and under groups."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from day import swept
from matrices import binary, weighing
from oracle_data import ALL, answers, matrix
from slow_comparisons import placements_less_auc

from bbccli import METHODS, METRICS, Plan
from bbccli.domain.outcome import Outcome
from bbccli.errors import UnsupportedError
from bbccli.methods.literature.split import split_samples
from bbccli.types import PredictionKind, Side, Task

AUC = METRICS["auc"]
EVERYTHING = Plan(evaluation_share=0)

# Three positives, two negatives; of the six pairs 4 are right and one is tied.
TRUTH = np.array([1, 1, 1, 0, 0])


def scored(scores, truth=TRUTH, **fields):
    """A matrix of one repeat of the scores (N, C) or (N,)."""
    scores = np.asarray(scores, float).reshape(len(truth), -1)
    names = tuple(f"c{c}" for c in range(scores.shape[1]))
    outcome = Outcome(Task.BINARY, np.asarray(truth), ("no", "yes"))
    return replace(binary(), outcome=outcome, predictions=scores[None], configurations=names,
                   kind=PredictionKind.SCORE, folds=None, **fields)  # fmt: skip


def variance_of(data, column=0, method="delong"):
    """From an interval of a low level, which no bound of the AUC cuts off."""
    plan = replace(EVERYTHING, level=0.01)
    found = METHODS[method].run(data.of_configurations([column]), AUC, plan)
    reach = (found.interval.upper - found.interval.lower) / 2
    return (reach / NormalDist().inv_cdf(0.505)) ** 2


def slow_clustered_variance(truth, scores, groups):
    """Obuchowski 1997, section 2, cluster by cluster."""
    cases, controls = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    right = [[float(scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]) for j in controls]
             for i in cases]  # fmt: skip
    v10, v01 = np.mean(right, axis=1), np.mean(right, axis=0)
    theta, m, n = np.mean(right), len(cases), len(controls)
    s10 = s01 = s11 = 0.0
    n_10 = n_01 = n_all = 0
    for group in set(groups):
        x, y = groups[cases] == group, groups[controls] == group
        of_cases, of_controls = v10[x].sum() - x.sum() * theta, v01[y].sum() - y.sum() * theta
        s10, s01, s11 = s10 + of_cases**2, s01 + of_controls**2, s11 + of_cases * of_controls
        n_10, n_01, n_all = n_10 + x.any(), n_01 + y.any(), n_all + 1
    s10 *= n_10 / ((n_10 - 1) * m)
    s01 *= n_01 / ((n_01 - 1) * n)
    s11 *= n_all / (n_all - 1)
    return s10 / m + s01 / n + 2 * s11 / (m * n)


@pytest.mark.parametrize("name", ALL)
def test_variance_and_bounds_as_in_r(name):
    data, expected = matrix(name, "auc"), answers(name, "delong")["configs"]
    for configuration, theirs in expected.items():
        column = data.configurations.index(configuration)
        variance = variance_of(data, column)
        assert variance == pytest.approx(theirs["var_pROC"], abs=1e-12, rel=1e-10)
        two, lower = (
            METHODS["delong"].run(
                data.of_configurations([column]), AUC, replace(EVERYTHING, side=side)
            )
            for side in (Side.TWO, Side.PESSIMISTIC)
        )
        assert two.value == pytest.approx(theirs["auc"], abs=1e-13)
        ends = (two.interval.lower, two.interval.upper)
        assert ends == pytest.approx(theirs["ci95_two_sided_clipped"], abs=1e-10)
        bound = theirs["lower95_one_sided_clipped"]
        assert lower.interval.lower == pytest.approx(bound, abs=1e-10)
        assert lower.interval.upper == 1


# Repeats, gaps and groups


def test_repeats_give_the_variance_of_the_mean():
    data = binary(n_repeats=3, n_configurations=1)
    truth = data.outcome.values
    influence = np.mean([placements_less_auc(s, truth)[1][:, 0] for s in data.predictions], axis=0)
    expected = sum(influence[truth == k].var(ddof=1) / 20 for k in (0, 1))
    assert variance_of(data) == pytest.approx(expected, rel=1e-10)


def test_a_missing_prediction_never_counts():
    data = binary(n_samples=80, n_configurations=1)
    available = np.random.default_rng(0).random((1, 80, 1)) < 0.7
    rows = available[0, :, 0]
    far_off = np.where(available, data.predictions, 0.0)
    gappy = replace(data, predictions=far_off, available=available)
    there = replace(data, folds=None).of_samples(np.flatnonzero(rows))
    for method in ("delong", "hanley-mcneil"):
        assert variance_of(gappy, 0, method) == pytest.approx(variance_of(there, 0, method))


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_as_in_the_slow_loop(seed):
    data = binary(n_samples=50, n_configurations=2, seed=seed)
    groups = np.random.default_rng(seed).integers(0, 12, 50)
    grouped = replace(data, groups=groups)
    for c in range(2):
        expected = slow_clustered_variance(data.outcome.values, data.predictions[0, :, c], groups)
        assert variance_of(grouped, c) == pytest.approx(expected, rel=1e-10)


# Edges


def test_a_perfect_auc_has_no_variance_and_says_so():
    truth = np.arange(40) % 2
    for scores, end in ((truth, 1.0), (-truth, 0.0)):
        found = METHODS["delong"].run(scored(scores, truth), AUC, EVERYTHING)
        assert (found.interval.lower, found.interval.upper) == (end, end)
        assert [n.code for n in found.notes] == ["no-variance", "few-evaluated"]


def test_one_sample_of_a_class_gives_no_interval():
    truth = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    found = METHODS["delong"].run(scored(np.arange(10), truth), AUC, Plan())
    assert found.interval is None
    assert found.value in (0, 1)
    note = next(n for n in found.notes if n.code == "no-interval")
    assert "delong has no interval: only 1 sample of class 'yes' evaluates" in note.text


def test_a_preselection_widens_the_interval_to_the_level_of_sidak():
    data = binary(n_samples=200, n_configurations=30, seed=7)
    found = METHODS["delong-10p"].run(data, AUC, Plan(level=0.9, side=Side.LOWER))
    rows = np.flatnonzero(split_samples(data, Plan()).evaluation)
    error = variance_of(data.of_samples(rows), data.configurations.index(found.winner)) ** 0.5
    expected = found.value - NormalDist().inv_cdf(0.9 ** (1 / 3)) * error
    assert found.interval.lower == pytest.approx(expected, abs=1e-12)
    # at the highest level of all that of one of them rounds to 1: still a finite reach
    found = METHODS["delong-10p"].run(data, AUC, Plan(level=1 - 2**-53, side=Side.LOWER))
    assert found.interval.lower > found.value - 8.3 * error


@pytest.mark.parametrize(
    "name", ["delong", swept("delong-10p"), swept("hanley-mcneil"), swept("hanley-mcneil-10p")]
)
def test_other_metrics_are_refused_with_what_would_work(name):
    for metric in ("accuracy", "gini", "log-loss"):
        with pytest.raises(
            UnsupportedError, match=f"{name} is for the AUC of two classes, not"
        ) as caught:
            METHODS[name].run(binary(), METRICS[metric], Plan())
        assert caught.value.hint == "--metric auc, or --method bbc, which takes every metric"
    weighted = replace(binary(), outcome=weighing(binary().outcome))
    with pytest.raises(UnsupportedError, match=f"{name} takes no sample weights"):
        METHODS[name].run(weighted, AUC, Plan())


# Hanley and McNeil


ONE_SIDED = Plan(evaluation_share=0, side=Side.LOWER)


def taken(data, column, rows):
    """One configuration on some samples."""
    return replace(data.of_configurations([column]).of_samples(rows), folds=None)


def test_by_hand():
    # A = 1/2: Q1 = Q2 = 1/3, so (1/4 + (M + N - 2) / 12) / (M N) = (M + N + 1) / (12 M N)
    truth = np.repeat([1, 0], [8, 5])
    for scores, variance in ((0 * truth, 14 / (12 * 40)), (truth, 0), (-truth, 0)):
        found = variance_of(scored(scores, truth), 0, "hanley-mcneil")
        assert found == pytest.approx(variance, abs=1e-15)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALL)
def test_bounds_as_in_the_textbook(name):
    data, expected = matrix(name, "auc"), answers(name, "hanley")
    everything = np.ones(data.n_samples, bool)
    evaluated = np.isin(np.arange(data.n_samples), expected["eval_ids"])
    assert len(expected["configs"]) >= 16
    for configuration, theirs in expected["configs"].items():
        column = data.configurations.index(configuration)
        for rows, answer in ((everything, theirs), (evaluated, theirs["eval_split"])):
            found = METHODS["hanley-mcneil"].run(taken(data, column, rows), AUC, ONE_SIDED)
            assert found.value == pytest.approx(answer["auc"], abs=1e-13)
            bound = min(max(answer["lower95_one_sided"], 0), 1)
            assert found.interval.lower == pytest.approx(bound, abs=1e-10)
            error = variance_of(taken(data, column, rows), 0, "hanley-mcneil") ** 0.5
            assert error == pytest.approx(answer["se_textbook"], abs=1e-10)
        found = METHODS["hanley-mcneil"].run(
            taken(data, column, everything), AUC, Plan(evaluation_share=0)
        )
        ends = np.clip(theirs["ci95_two_sided_unclipped"], 0, 1)
        assert (found.interval.lower, found.interval.upper) == pytest.approx(ends, abs=1e-10)


def test_groups_are_refused():
    with pytest.raises(UnsupportedError, match="these come in groups") as caught:
        METHODS["hanley-mcneil"].run(replace(binary(), groups=np.arange(40) // 2), AUC, Plan())
    assert "delong" in caught.value.hint
