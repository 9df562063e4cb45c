"""Concordance against R and lifelines (frozen answers) and scikit-survival (live too).

The frozen data are the 500 patients of WHAS with 8 configurations in 5 folds.
"""

import json
from operator import itemgetter

import numpy as np
import pyarrow.csv
import pytest
from oracle_data import FOLDER, answers, drawn

from bbccli import METRICS
from bbccli.domain.outcome import Outcome
from bbccli.types import Task

CONCORDANCE, CONCORDANCE_UNO = METRICS["concordance"], METRICS["concordance-uno"]
NAME = "surv1_whas500"


@pytest.fixture(scope="module")
def patients():
    """Time, event, risks (500, 8), folds and the names of the configurations."""
    table = pyarrow.csv.read_csv(FOLDER / f"{NAME}.csv")
    names = [c for c in table.column_names if c[0] == "c" and c[1:].isdigit()]
    risks = np.column_stack([table[c].to_numpy() for c in names])
    event = table["event"].to_numpy().astype(bool)
    return table["time"].to_numpy(), event, risks, table["fold"].to_numpy(), names


@pytest.fixture(scope="module")
def whole_and_folds(patients):
    """Weights (6, 500): everyone, then one fold each."""
    folds = patients[3]
    return np.vstack([np.ones_like(folds), folds == np.arange(5)[:, None]]).astype(np.uint8)


def bind(metric, patients):
    time, event, risks, *_ = patients
    return metric.bind(Outcome(Task.SURVIVAL, time, (), event), risks)


PROGRAMS = [
    (CONCORDANCE, "cindex_R", lambda one: one["c"]),
    *((CONCORDANCE, "cindex_py", itemgetter(one)) for one in ("lifelines", "sksurv", "manual")),
    (CONCORDANCE_UNO, "cindex_uno", float),
]


@pytest.mark.parametrize(("metric", "answer", "value"), PROGRAMS)
def test_concordance_is_that_of_other_programs(patients, whole_and_folds, metric, answer, value):
    expected = answers(NAME, answer)["configs"]
    found = bind(metric, patients)(whole_and_folds)
    for c, name in enumerate(patients[4]):
        of_folds = expected[name].get("per_fold") or [expected[name][fold] for fold in "01234"]
        theirs = [value(one) for one in (expected[name]["pooled"], *of_folds)]
        np.testing.assert_allclose(found[:, c], theirs, rtol=1e-12)


def test_the_given_resamples_have_the_given_winners(patients):
    scorer = bind(CONCORDANCE, patients)
    in_bag = drawn(NAME, "bbc_inbag_idx", 500)
    out_of_bag = (in_bag == 0).astype(np.uint8)
    expected = answers(NAME, "bbc_pooled")["metrics"]["cindex"]["replay_first_draws"]
    winners = np.array([draw["winner"] for draw in expected])
    values = scorer(in_bag)
    np.testing.assert_array_equal(CONCORDANCE.direction.best(values), winners)
    np.testing.assert_allclose(values.max(axis=1), [d["in_bag"] for d in expected], rtol=1e-12)
    np.testing.assert_allclose(
        scorer.paired(out_of_bag, winners), [d["oob"] for d in expected], rtol=1e-12
    )


TIED = json.loads((FOLDER / "tied_concordance.json").read_text())["cases"]


def tied(seed):
    """Samples with many equal times and risks, and weights that repeat some of them."""
    held = {key: np.array(values) for key, values in TIED[seed].items()}
    return held["time"], held["event"], held["risks"], held["weights"].astype(np.uint16)


def repeated(time, event, risks, weights):
    rows = np.repeat(np.arange(len(time)), weights)
    return time[rows], event[rows], risks[rows]


@pytest.fixture(scope="module")
def metrics():
    """Those of scikit-survival, which takes long to import."""
    from sksurv import metrics

    return metrics


def surv(time, event):
    return np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])


@pytest.mark.parametrize("seed", range(5))
def test_repeated_rows_in_scikit_survival_and_lifelines(metrics, seed):
    *data, weights = tied(seed)
    found = bind(CONCORDANCE, data)(weights[None])[0]
    time, event, risks = repeated(*data, weights)
    theirs = [metrics.concordance_index_censored(event, time, r)[0] for r in risks.T]
    np.testing.assert_allclose(found, theirs, rtol=1e-12)
    np.testing.assert_allclose(found, TIED[seed]["concordance"], rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_repeated_rows_in_scikit_survivals_uno(metrics, seed):
    """Its censoring distribution comes from `survival_train`: ours is that of the full sample."""
    time, event, risks, weights = tied(seed)
    found = bind(CONCORDANCE_UNO, (time, event, risks))(weights[None])[0]
    train = surv(time, event)
    again, events, scores = repeated(time, event, risks, weights)
    theirs = [metrics.concordance_index_ipcw(train, surv(again, events), r)[0] for r in scores.T]
    np.testing.assert_allclose(found, theirs, rtol=1e-12)


def test_scikit_survival_refuses_where_uno_leaves_pairs_out(metrics):
    time, event = np.array([1.0, 2.0, 3.0, 3.0]), np.array([True, False, True, False])
    risks = np.array([[4.0], [3.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="censoring survival function is zero"):
        metrics.concordance_index_ipcw(surv(time, event), surv(time, event), risks[:, 0])
    found = bind(CONCORDANCE_UNO, (time, event, risks))(np.ones((1, 4), np.uint8))
    # its way out, a time limit before that event, leaves the same pairs; the test samples from
    # the limit on count only as survivors
    limited = metrics.concordance_index_ipcw(
        surv(time, event), surv(time, event), risks[:, 0], tau=3.0
    )
    assert found[0, 0] == limited[0] == 1.0
