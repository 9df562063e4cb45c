"""Methods against frozen answers of independent programs."""

import numpy as np
import pytest
from oracle_data import METRIC_OF, METRIC_OF_VALUES, QUESTIONS, VALUES, answers, matrix

from bbccli import METHODS, Plan
from bbccli.types import Pooling

B = 4000


def within_errors(found, expected, spread, n_expected=20_000):
    """Both are means of resamples: the difference is judged by its standard error."""
    error = spread * np.sqrt(1 / B + 1 / n_expected)
    assert abs(found - expected) < 4 * error


@pytest.mark.parametrize(
    ("name", "question"), [*QUESTIONS, *((VALUES, question) for question in METRIC_OF_VALUES)]
)
def test_tt(name, question):
    data, metric = matrix(name, question), (METRIC_OF | METRIC_OF_VALUES)[question]
    key = {"auc": "auc", "acc": "accuracy_gt"}.get(question, question)
    told = answers(name, "tt")
    expected = told.get("tt", told)[key]["fold_avg_winner"]
    for pooling in Pooling:
        found = METHODS["tt"].run(data, metric, Plan(pooling=pooling))
        assert found.winner == expected["config"]
        for ours, theirs in ((found.optimism, "tt_bias"), (found.value, "estimate_fold_avg_base")):
            assert ours == pytest.approx(expected[theirs], rel=1e-11, abs=1e-13)
        assert found.naive == pytest.approx(expected["base_fold_avg"], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_bbc(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    expected = answers(name, "bbc_pooled")["metrics"][question]
    found = METHODS["bbc"].run(data, metric, Plan(n_resamples=B))
    assert found.winner == data.configurations[expected["winner_pooled_full"]]
    assert found.naive == pytest.approx(expected["winner_pooled_full_value"], abs=1e-13)
    within_errors(found.value, expected["oob"]["mean"], expected["oob"]["sd"])
    shares = np.bincount(found.distribution.winners, minlength=data.n_configurations) / B
    for configuration, share in expected["winner_frequency"].items():
        error = np.sqrt(share * (1 - share) * (1 / B + 1 / 20_000))
        ours = shares[data.configurations.index(configuration)]
        assert abs(ours - share) < 4.5 * error + 1 / B


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_bbc_f(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    expected = answers(name, "bbcf")["metrics"][question]
    found = METHODS["bbc-f"].run(data, metric, Plan(n_resamples=B))
    assert found.winner == data.configurations[expected["winner_fold_avg"]]
    assert found.naive == pytest.approx(expected["winner_fold_avg_value"], abs=1e-13)
    exact = expected["exact"]
    assert found.exact
    assert found.value == pytest.approx(exact["mean"], abs=1e-12)
    for probability, quantile in exact["quantiles"].items():
        ours = found.distribution.quantile(float(probability))
        assert ours == pytest.approx(quantile["inverse_cdf"], abs=1e-12)
    shares = found.distribution.shares(data.n_configurations)
    for configuration, share in expected["exact_winner_probability"].items():
        assert shares[data.configurations.index(configuration)] == pytest.approx(share, abs=1e-12)
