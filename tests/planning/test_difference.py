"""Rows that tell two configurations apart, and items against epochs."""

import json
from math import ceil

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from bbccli import METRICS, Plan, matrix_of
from bbccli.planning import PlanRequest, Stated, Target, of_pilot, of_stated, planned_for

PLAN = Plan(n_resamples=100, seed=1)


def asked(value, **options):
    return PlanRequest(Target.DIFFERENCE, value, **options)


def rows_by_hand(scores, value, power=0.8, level=0.95):
    """(z_a + z_b)^2 s^2 / D^2 of the differences of two configurations, item by item."""
    differences = scores[:, 0] - scores[:, 1]
    z = norm.ppf((1 + level) / 2) + norm.ppf(power)
    return z**2 * differences.var(ddof=1) / value**2


# By statsmodels 0.15.0: NormalIndPower(ddof=0).solve_power(D / sd, alpha=0.05, power=...,
# ratio=0), with the standard deviation sd = sqrt(2 p (1 - p) (1 - r)) of a difference.
STATSMODELS = [(0.6, 0.5, 0.05, 0.8, 753.4906088), (0.7, 0.8, 0.1, 0.9, 88.2623232)]


@pytest.mark.parametrize(("p", "r", "value", "power", "rows"), STATSMODELS)
def test_stated_values(p, r, value, power, rows):
    basis = of_stated(METRICS["accuracy"], Stated(p, 2, correlation=r))
    assurance = None if power == 0.8 else power
    found = planned_for(basis, asked(value, assurance=assurance), PLAN)
    assert found.wanted.n_samples == ceil(rows)
    assert found.wanted.assurance == power
    assert found.wanted.attainable <= value
    assert found.chosen.difference == pytest.approx(value * (rows / ceil(rows)) ** 0.5, rel=1e-4)


def pilot(n=60, n_epochs=1, seed=3, within=1.0):
    """Scores (R, N, 2), the difference of whose items has variance 2, and 2 `within` by epochs."""
    rng = np.random.default_rng(seed)
    items = rng.normal(size=(n, 2)) + 3 * rng.normal(size=(n, 1))
    return items + np.sqrt(within) * rng.normal(size=(n_epochs, n, 2))


@pytest.mark.parametrize(("power", "level"), [(0.8, 0.95), (0.9, 0.99)])
def test_a_pilot_has_the_variance_of_differences(power, level):
    scores = pilot()
    basis = of_pilot(matrix_of(scores, task="score"), METRICS["mean-score"], PLAN)
    plan, assurance = Plan(n_resamples=100, level=level), None if power == 0.8 else power
    found = planned_for(basis, asked(0.3, assurance=assurance), plan)
    assert found.wanted.n_samples == ceil(rows_by_hand(scores[0], 0.3, power, level))
    assert found.epochs == ()


def test_items_against_epochs():
    scores = pilot(n=4000, n_epochs=3)
    basis = of_pilot(matrix_of(scores, task="score"), METRICS["mean-score"], PLAN)
    found = planned_for(basis, asked(0.1), PLAN)
    z = norm.ppf(0.975) + norm.ppf(0.8)
    rows = {one.n_epochs: one.n_samples for one in found.epochs}
    assert [*rows] == [1, 2, 3, 4, 8, None]
    for n_epochs, own in rows.items():
        expected = z**2 * (2 + (0 if n_epochs is None else 2 / n_epochs)) / 0.1**2
        assert own == pytest.approx(expected, rel=0.1)
    assert rows[3] == found.wanted.n_samples == ceil(rows_by_hand(scores.mean(axis=0), 0.1))
    # by parts of the variance: within an item, and of the means of items
    apart = scores[..., 0] - scores[..., 1]
    of_epoch = apart.var(axis=0, ddof=1).mean()
    once = apart.mean(axis=0).var(ddof=1) + of_epoch * (1 - 1 / 3)
    assert rows[1] == pytest.approx(z**2 * once / 0.1**2, rel=0.001)


def test_many_epochs_help_no_item():
    """Epochs that differ by nothing leave the rows; epochs alone need few items."""
    still = pilot(n=200, n_epochs=2, within=0.0)
    basis = of_pilot(matrix_of(still, task="score"), METRICS["mean-score"], PLAN)
    rows = {one.n_samples for one in planned_for(basis, asked(0.2), PLAN).epochs}
    assert len(rows) == 1


def test_what_only_epochs_differ_by_tells_nothing_of_items():
    n_told = 0
    for seed in range(8):  # of a few items the means may even differ by less than epochs explain
        scores = np.random.default_rng(seed).normal(size=(2, 20, 2))
        basis = of_pilot(matrix_of(scores, task="score"), METRICS["mean-score"], PLAN)
        found = planned_for(basis, asked(0.2), PLAN)
        of_two = [one.n_samples for one in found.epochs if one.n_epochs == 2]
        assert of_two in ([], [found.wanted.n_samples])
        n_told += bool(of_two)
    assert 0 < n_told < 8


def test_so_many_rows_do_tell_the_difference():
    basis = of_stated(METRICS["accuracy"], Stated(0.6, 2, correlation=0.5))
    n = planned_for(basis, asked(0.1), PLAN).wanted.n_samples
    rng = np.random.default_rng(0)
    latent = np.sqrt(0.7) * rng.normal(size=(2000, n, 1)) + np.sqrt(0.3) * rng.normal(
        size=(2000, n, 2)
    )
    right = latent < norm.ppf([0.65, 0.55])
    apart = right[..., 0].astype(float) - right[..., 1]
    correlation = np.mean([np.corrcoef(*one.T)[0, 1] for one in right[:200]])
    assert correlation == pytest.approx(0.5, abs=0.03)
    z = apart.mean(axis=1) / (apart.std(axis=1, ddof=1) / n**0.5)
    assert np.mean(z > norm.ppf(0.975)) == pytest.approx(0.8, abs=0.04)


def test_what_no_rows_tell():
    basis = of_stated(METRICS["accuracy"], Stated(0.6, 2))
    found = planned_for(basis, asked(1e-5), PLAN)
    assert found.wanted.n_samples is None
    assert "not-attainable" in [note.code for note in found.notes]


@pytest.fixture
def table(tmp_path):
    scores = pilot(n=40, n_epochs=2)
    rows = [
        {"item": i, "epoch": e, "model": f"m{m}", "score": scores[e, i, m]}
        for e in range(2)
        for i in range(40)
        for m in range(2)
    ]
    path = tmp_path / "pilot.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_command_line(run, table):
    text = " ".join(run.printed("plan", table, "--task", "score", "--difference", "0.4").split())
    assert "a paired comparison at 95% to detect a difference of 0.4 between two" in text
    assert "configurations named in advance in 80% of studies" in text
    assert "Expect the winner's apparent mean score" in text
    assert "asked 2 times" in text
    assert "however often" in text
    found = json.loads(
        run.printed("plan", table, "--task", "score", "--difference", "0.4", "--format", "json")
    )
    assert found["planned"]["wanted"]["target"] == "difference"
    stated = ("plan", "--metric", "accuracy", "--expected", "0.6", "--difference", "0.05")
    assert "You need about 302 samples for a paired comparison" in " ".join(
        run.printed(*stated).split()
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--difference", "0"), "difference is 0"),
        (("--difference", "0.1", "--width", "0.1"), "two questions"),
        (("--difference", "2"), "difference"),
    ],
)
def test_wrong_questions(run, options, words):
    status, _, err = run("plan", "--metric", "accuracy", "--expected", "0.6", "--configurations",
                         "2", "--samples", "100", *options)  # fmt: skip
    assert status == 2
    assert words in " ".join(err.split())
