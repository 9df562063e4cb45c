"""The interval of NCV against a slow loop of the paper's algorithm."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from methods.test_ncv import BY_HAND, study

from bbccli.core.plan import Plan
from bbccli.methods import METHODS, estimate
from bbccli.methods.ncv import standard_error
from bbccli.metrics import METRICS
from bbccli.readers import read
from bbccli.types import Side

METHOD = METHODS["ncv-interval"]
PLAN = Plan(side=Side.LOWER, level=0.9)


def matrix_of(tmp_path, text):
    (tmp_path / "m.csv").write_text(text)
    return read(tmp_path / "m.csv")


def bates(text, winner, loss, n_samples, n_outer):
    """Algorithm 1 of Bates, Hastie & Tibshirani 2023, row by row: the standard error."""
    rows = list(csv.DictReader(text.splitlines()))
    a_list, b_list, es = [], [], []
    for repeat, outer in sorted({(r["repeat"], r["outer_fold"]) for r in rows}):
        own = [r for r in rows if (r["repeat"], r["outer_fold"]) == (repeat, outer)]
        e_in = [loss(int(r["truth"]), float(r[winner])) for r in own if r["fold"] != ""]
        e_out = [loss(int(r["truth"]), float(r[winner])) for r in own if r["fold"] == ""]
        a_list.append((np.mean(e_in) - np.mean(e_out)) ** 2)
        b_list.append(np.var(e_out, ddof=1) / len(e_out))
        es += e_in
    mse = np.mean(a_list) - np.mean(b_list)
    n_sub = n_samples * (n_outer - 1) / n_outer
    inflation = np.sqrt(max(0, mse)) / (np.std(es, ddof=1) / np.sqrt(n_sub))
    inflation = max(1, min(inflation, np.sqrt(n_outer)))
    return np.std(es, ddof=1) / np.sqrt(n_samples) * inflation, inflation


def right(truth, score):
    return float((score > 0.5) == truth)


def squared(truth, score):
    return (score - truth) ** 2


def shifted(seed, n_repeats, **kinds):
    """A nested study whose outer folds are unlike their inner predictions; scores in (0, 1)."""
    text, _ = study(seed, n_repeats=n_repeats)
    head, *lines = text.splitlines()
    rng, made = np.random.default_rng(seed), {}
    for line in lines:
        sample, repeat, outer, inside, truth, *scores = line.split(",")
        shift = made.setdefault((repeat, outer, inside == ""), rng.normal(0, kinds["shift"]))
        chances = 1 / (1 + np.exp(-np.array(scores, float) - shift * (2 * int(truth) - 1)))
        made[line] = ",".join([sample, repeat, outer, inside, truth, *map(str, chances.round(6))])
    return "\n".join([head, *(made[line] for line in lines)]) + "\n"


@pytest.mark.parametrize("n_repeats", [1, 3])
@pytest.mark.parametrize("shift", [0.0, 0.7, 5.0])
@pytest.mark.parametrize(("name", "loss"), [("accuracy", right), ("brier", squared)])
def test_the_slow_loop(tmp_path, name, loss, shift, n_repeats):
    text = shifted(2, n_repeats, shift=shift)
    matrix, metric = matrix_of(tmp_path, text), METRICS[name]
    found = METHOD.run(matrix, metric, replace(PLAN, side=Side.TWO))
    error, inflation = bates(text, found.winner, loss, 60, 5)
    assert found.value == METHODS["ncv"].run(matrix, metric, PLAN).value
    reach = 1.6448536 * error
    ends = np.clip([found.value - reach, found.value + reach], *metric.bounds[:2])
    np.testing.assert_allclose([found.interval.lower, found.interval.upper], ends, rtol=1e-6)
    note = next(n for n in found.notes if n.code == "nested-spread")
    assert f"{inflation:.2f} times" in note.text
    assert found.experimental


def test_equal_losses_have_no_spread():
    losses = [(np.full(4, 0.5), np.full(2, 0.5))] * 3
    assert standard_error(losses, 6, 3) == (0.0, 1.0)


def test_a_single_test_sample_has_no_variance():
    losses = [(np.full(4, 0.5), np.full(1, 0.5))] * 3
    assert np.isnan(standard_error(losses, 6, 3)[0])


def test_where_there_is_none(tmp_path):
    text = shifted(2, 1, shift=0.7)
    matrix = matrix_of(tmp_path, text)
    for other, name, words in (
        (matrix, "auc", "AUC is no mean of losses"),
        (replace(matrix, groups=np.arange(60) // 2), "accuracy", "come in groups"),
        (
            replace(matrix, outcome=replace(matrix.outcome, weights=np.linspace(1, 2, 60))),
            "accuracy",
            "have weights",
        ),
    ):
        found = METHOD.run(other, METRICS[name], PLAN)
        assert found.interval is None
        assert words in next(n.text for n in found.notes if n.code == "no-interval")


def test_it_is_no_default(tmp_path):
    matrix = matrix_of(tmp_path, BY_HAND)
    estimates, _ = estimate(matrix, [METRICS["accuracy"]], Plan(n_resamples=20))
    assert "ncv-interval" not in [e.method for e in estimates]
