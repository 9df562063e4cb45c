"""Concordance under weights: the definition written as a loop; test_laws.py has its laws."""

import tracemalloc

import numpy as np
import pytest
from day import daily, swept

from bbccli import METRICS
from bbccli.domain.outcome import Outcome
from bbccli.platform.resources import Engine, Resources, use
from bbccli.types import Task

CONCORDANCE, CONCORDANCE_UNO = METRICS["concordance"], METRICS["concordance-uno"]
FORMS = ["product", "sweep", "numba"]
PRODUCT = "bbccli.metrics.kernels.product"


def outcome_of(time, event, weights=None):
    extra = {} if weights is None else {"weights": weights}
    return Outcome(Task.SURVIVAL, np.asarray(time, float), (), np.asarray(event, bool), **extra)


def samples(n_samples=40, n_configurations=5, seed=0):
    """Few distinct times and risks, so that ties of every sort occur; later columns are better."""
    rng = np.random.default_rng(seed)
    time = rng.integers(1, 15, n_samples).astype(float)
    event = rng.random(n_samples) < 0.6
    skill = np.linspace(0, 1, n_configurations)
    risks = np.round(rng.normal(size=(n_samples, n_configurations)) - skill * (time - 7)[:, None])
    return time, event, risks


def integer_weights(n_samples, n_rows=9, seed=1):
    return np.random.default_rng(seed).integers(0, 4, (n_rows, n_samples)).astype(np.uint16)


def stakes_of(metric, time, event):
    """Factor of the pairs in which each sample has the earlier event."""
    if metric is CONCORDANCE:
        return np.ones(len(time))
    survival = [kaplan_meier_of_censoring(time, event, at) for at in time]
    return np.array([1 / g**2 if g > 0 else 0.0 for g in survival])


def kaplan_meier_of_censoring(time, event, at):
    chance = 1.0
    for t in np.unique(time[time <= at]):
        censored = ((time == t) & ~event).sum()
        at_risk = ((time > t) | ((time == t) & ~event)).sum()
        if censored:
            chance *= 1 - censored / at_risk
    return chance


def definition(time, event, risk, weights, stakes):
    """One concordance, pair by pair."""
    concordant = comparable = 0.0
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                pair = stakes[i] * float(weights[i]) * float(weights[j])
                comparable += pair
                concordant += pair * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return concordant / comparable if comparable else np.nan


def defined(metric, time, event, risks, weights, stakes=None):
    """The definition of every column under every row of weights."""
    stakes = stakes_of(metric, time, event) if stakes is None else stakes
    return np.array([[definition(time, event, r, w, stakes) for r in risks.T] for w in weights])


def use_form(form, monkeypatch):
    """Put one form of the count in force."""
    monkeypatch.setattr(f"{PRODUCT}.FEW_CELLS", 10**9 if form == "product" else 0)
    if form == "numba":
        pytest.importorskip("numba")
    return use(Resources(engine=Engine.NUMBA if form == "numba" else Engine.NUMPY))


@pytest.fixture(params=[CONCORDANCE, CONCORDANCE_UNO], ids=lambda metric: metric.name)
def metric(request):
    return request.param


@pytest.fixture
def bound(metric):
    """The samples, the metric's scorer on them, and some random weights."""
    time, event, risks = samples()
    return (time, event, risks), metric.bind(outcome_of(time, event), risks), integer_weights(40)


def ones(n_samples):
    return np.ones((1, n_samples), np.uint8)


# The definition


@pytest.mark.parametrize("form", daily(FORMS, ["product", "numba"]))
@pytest.mark.parametrize("seed", daily(range(6), [0, 3]))
def test_every_form_is_the_definition(metric, form, seed, monkeypatch):
    n_samples = (2, 3, 9, 20, 33, 64)[seed]
    time, event, risks = samples(n_samples, 3, seed)
    weights = integer_weights(n_samples)
    expected, own = defined(metric, time, event, risks, weights), np.arange(9) % 3
    with use_form(form, monkeypatch):
        scorer, some = metric.bind(outcome_of(time, event), risks), np.array([2, 0, 2])
        np.testing.assert_allclose(scorer(weights), expected, rtol=1e-12)
        np.testing.assert_allclose(scorer(weights, some), expected[:, some], rtol=1e-12)
        paired = scorer.paired(weights, own)
    np.testing.assert_allclose(paired, expected[np.arange(9), own], rtol=1e-12)


@pytest.mark.parametrize(
    ("times", "events", "risks", "expected"),
    [
        ((1, 2), (1, 1), (5, 3), 1.0),
        swept((1, 2), (1, 1), (3, 5), 0.0),
        swept((1, 2), (1, 1), (3, 3), 0.5),
        swept((1, 2), (1, 0), (5, 3), 1.0),  # censored after the event
        swept((1, 2), (0, 1), (5, 3), np.nan),  # censored before it: who was first is unknown
        swept((1, 2), (0, 0), (5, 3), np.nan),
        swept((2, 2), (1, 1), (5, 3), np.nan),  # two events at once
        ((2, 2), (1, 0), (5, 3), 1.0),  # at equal times the event was first
        swept((2, 2), (0, 1), (5, 3), 0.0),
        swept((1, 2, 2, 3), (1, 1, 0, 0), (4, 4, 1, 2), 4.5 / 5),
        swept((1, 2), (1, 1), (1.0, 1.0 - 1e-9), 1.0),  # ties are exact ones
    ],
)
def test_pairs_worked_out_by_hand(times, events, risks, expected):
    scorer = CONCORDANCE.bind(outcome_of(times, events), np.array(risks, float)[:, None])
    np.testing.assert_array_equal(scorer(ones(len(times))), [[expected]])


def test_without_an_event_indicator_every_sample_had_its_event():
    time, _, risks = samples()
    bare = Outcome(Task.SURVIVAL, time)
    everyone = outcome_of(time, np.ones(40))
    np.testing.assert_array_equal(
        CONCORDANCE.bind(bare, risks)(ones(40)), CONCORDANCE.bind(everyone, risks)(ones(40))
    )


@pytest.mark.parametrize("form", FORMS)
def test_no_comparable_pair_is_undefined(bound, form, monkeypatch):
    (_, event, _), scorer, weights = bound
    one_event = np.zeros((1, 40), np.uint8)
    one_event[0, np.flatnonzero(event)[0]] = 1
    with use_form(form, monkeypatch):
        assert np.isnan(scorer(0 * weights)).all()
        assert np.isnan(scorer(weights * ~event)).all()
        assert np.isnan(scorer(one_event)).all()
        assert np.isnan(scorer.restrict(~event)(weights[:, ~event])).all()
        assert np.isnan(scorer.restrict(np.zeros(40, bool))(weights[:, :0])).all()
        assert scorer(weights[:0]).shape == (0, 5)


# Forms and integer types


@pytest.mark.parametrize("form", daily(FORMS, ["product", "numba"]))
@pytest.mark.parametrize(
    "factor", [1, swept(1_600), swept(1_700), 60_000, swept(2**24), swept(2**26)]
)
def test_counts_are_exact_at_the_borders_of_the_lane_types(form, factor, monkeypatch):
    """The total is 40 to 2.7e9, its square beyond 2**32 from the third factor on."""
    time, event, risks = samples()
    scorer, light = CONCORDANCE.bind(outcome_of(time, event), risks), ones(40).astype(np.uint64)
    with use_form(form, monkeypatch):
        np.testing.assert_array_equal(scorer(light * np.uint64(factor)), scorer(light))


def test_the_product_gives_way_where_float32_is_inexact(monkeypatch):
    time, event, risks = samples()
    scorer = CONCORDANCE.bind(outcome_of(time, event), risks)
    weights = integer_weights(40)
    before = scorer(weights)
    monkeypatch.setattr(f"{PRODUCT}.LARGEST_EXACT", 0)
    monkeypatch.setattr(f"{PRODUCT}.concordant_weight_censored", None)
    np.testing.assert_array_equal(scorer(weights), before)


@pytest.mark.parametrize("n_rows", [1, swept(63), swept(64), swept(65), swept(1025)])
def test_chunks_of_resamples_do_not_show(n_rows, monkeypatch):
    time, event, risks = samples(30)
    scorer, weights = CONCORDANCE.bind(outcome_of(time, event), risks), integer_weights(30, n_rows)
    alone = np.concatenate([scorer(row[None]) for row in weights])
    for form in FORMS:
        with use_form(form, monkeypatch):
            np.testing.assert_array_equal(scorer(weights), alone)


# Censoring


def test_without_censoring_both_concordances_agree():
    time, _, risks = samples()
    outcome = outcome_of(time, np.ones(40))
    np.testing.assert_allclose(
        CONCORDANCE_UNO.bind(outcome, risks)(integer_weights(40)),
        CONCORDANCE.bind(outcome, risks)(integer_weights(40)),
        rtol=1e-14,
    )


def test_uno_holds_the_censoring_distribution_fixed():
    """A fold whose samples are all events still weighs its pairs as the full sample does."""
    time, event, risks = samples()
    folded = CONCORDANCE_UNO.bind(outcome_of(time, event), risks).restrict(event)
    alone = CONCORDANCE_UNO.bind(outcome_of(time[event], event[event]), risks[event])
    everyone = ones(event.sum())
    assert (folded(everyone) != alone(everyone)).any()
    stakes = stakes_of(CONCORDANCE_UNO, time, event)[event]
    expected = defined(CONCORDANCE_UNO, time[event], event[event], risks[event], everyone, stakes)
    np.testing.assert_allclose(folded(everyone), expected, rtol=1e-12)


def test_uno_leaves_out_events_that_everyone_left_is_censored_with():
    time, event = [1, 2, 3, 3], [1, 0, 1, 0]
    risks = np.array([[4.0], [3.0], [1.0], [2.0]])  # wrong about the last pair alone
    assert CONCORDANCE.bind(outcome_of(time, event), risks)(ones(4)) == 3 / 4
    assert CONCORDANCE_UNO.bind(outcome_of(time, event), risks)(ones(4)) == 1
    only_those = np.array([[0, 0, 1, 1]], np.uint8)
    assert np.isnan(CONCORDANCE_UNO.bind(outcome_of(time, event), risks)(only_those))


# Sample weights


@pytest.mark.sweep
@pytest.mark.parametrize("form", FORMS)
def test_sample_weights_multiply_the_weights(form, monkeypatch):
    time, event, risks = samples()
    own = np.random.default_rng(5).random(40)
    weights = integer_weights(40)
    expected = defined(CONCORDANCE, time, event, risks, weights * own)
    scorer = CONCORDANCE.bind(outcome_of(time, event, own), risks)
    rows = weights[0] > 0
    with use_form(form, monkeypatch):
        np.testing.assert_allclose(scorer(weights), expected, rtol=1e-12)
        restricted = scorer.restrict(rows)
        np.testing.assert_allclose(restricted(weights[:1, rows])[0], expected[0], rtol=1e-12)


@pytest.mark.parametrize("metric", [CONCORDANCE, METRICS["auc"]], ids=lambda m: m.name)
def test_what_is_bound_takes_about_the_memory_that_is_planned(metric, monkeypatch):
    # in large matrices, for which it is planned, few columns are sorted at a time
    monkeypatch.setattr("bbccli.metrics.kernels.pairs.SORTED_AT_ONCE", 1)
    n_samples, n_configurations = 1000, 20
    rng = np.random.default_rng(0)
    outcome = (
        Outcome(Task.SURVIVAL, rng.exponential(size=n_samples), event=rng.random(n_samples) < 0.8)
        if metric is CONCORDANCE
        else Outcome(Task.BINARY, np.arange(n_samples) % 2, ("no", "yes"))
    )
    scores = rng.normal(size=(n_samples, n_configurations))
    tracemalloc.start()
    scorer = metric.bind(outcome, scores)
    _, taken = tracemalloc.get_traced_memory()
    if metric is METRICS["auc"]:  # its columns are sorted when they are first weighted
        scorer(np.full((1, n_samples), 2, np.uint8))
        taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    planned = metric.cell_bytes(n_samples) * scores.size
    assert planned / 1.5 < taken < planned * 1.5


def test_a_sweep_for_each_digit():
    assert CONCORDANCE.n_sweeps(1000) == 10
    assert METRICS["auc"].n_sweeps(1000) == 1
