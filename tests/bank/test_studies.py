"""What is drawn and trained."""

from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from tiny_tables import table

from bbccli.metrics import METRICS
from bbccli.types import Task
from benchmarks.bank import studies
from benchmarks.bank.judged_by import CAP
from benchmarks.bank.populations import POPULATIONS, Half
from benchmarks.bank.tables import Rows, codes, numbers, rows_of, thinned

pytestmark = pytest.mark.sweep


def test_features_are_numbers_and_levels_without_gaps_and_constants():
    frame = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 9.0],
            "constant": [2, 2, 2, 2],
            "level": ["b", "a", "b", "a"],
            "name": [f"id{n}" for n in range(4)],
        }
    )
    frame = pd.concat([frame.assign(name=[f"id{4 * k + n}" for n in range(4)]) for k in range(4)])
    found = numbers(frame)
    assert found[:4].tolist() == [[1, 0, 1], [3, 1, 0], [3, 0, 1], [9, 1, 0]]


def test_rows_without_an_outcome_are_left_out():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0.5, np.nan, 1.5]})
    found = rows_of(frame, frame["y"], without=("y",), groups=["b", "c", "b"])
    assert found.features.tolist() == [[1], [3]]
    assert found.groups.tolist() == [0, 0]


def test_positives_are_thinned_to_a_share():
    found = thinned(Rows(np.arange(100.0)[:, None], (np.arange(100) < 40).astype(int)), 0.1)
    assert found.outcome.sum() == 7 and len(found) == 67
    assert codes(["b", "a", "b"]).tolist() == [1, 0, 1]


def test_populations_come_in_pairs_of_halves():
    halves = {}
    for one in POPULATIONS:
        halves.setdefault(one.kind, []).append(one.half)
    assert all(found.count(half) * 2 == len(found) for found in halves.values() for half in Half)
    assert len(POPULATIONS) >= 12


@pytest.mark.parametrize(
    "task, metrics",
    [
        (Task.BINARY, ("accuracy", "auc", "log-loss")),
        (Task.MULTICLASS, ("accuracy", "auc-ovr")),
        (Task.REGRESSION, ("mse", "mae")),
        (Task.SURVIVAL, ("concordance",)),
    ],
)
def test_a_study_is_known_from_its_numbers(tiny, tmp_path, task, metrics):
    one = tiny(task=task, metrics=metrics)
    first, again = (studies.study(one, 40, 3, tmp_path / name) for name in "ab")
    assert np.array_equal(first.matrix.predictions, again.matrix.predictions)
    assert all(np.array_equal(first.truths[name], again.truths[name]) for name in metrics)
    other = studies.study(one, 40, 4, tmp_path / "a")
    assert not np.array_equal(first.matrix.outcome.values, other.matrix.outcome.values)
    assert first.matrix.n_samples == 40
    assert all(len(truths) == first.matrix.n_configurations for truths in first.truths.values())


def test_the_cache_is_read_and_not_trained_again(tiny, tmp_path, monkeypatch):
    one = tiny(repeats=2)
    first = studies.study(one, 40, 0, tmp_path)
    assert first.matrix.n_repeats == 2
    assert not np.array_equal(first.matrix.folds[0], first.matrix.folds[1])
    monkeypatch.setattr(studies, "trained", lambda *_: pytest.fail("trained again"))
    assert studies.study(one, 40, 0, tmp_path).matrix.folds.shape == (2, 40)


def test_truth_is_measured_on_other_rows_of_other_groups(tiny):
    rows, rng = table(), np.random.default_rng(0)
    drawn, others = studies.split(tiny(), rows, 40, rng)
    assert len(drawn) == 40 and not set(drawn) & set(others)
    assert abs(rows.outcome[drawn].mean() - 0.5) < 0.05
    drawn, others = studies.split(tiny(per_group=2), rows, 40, rng)
    assert not set(rows.groups[drawn]) & set(rows.groups[others])
    folds = studies.folds_of(tiny(per_group=2), rows.take(drawn), rng)
    assert all(len(set(folds[rows.groups[drawn] == g])) == 1 for g in set(rows.groups[drawn]))


def test_folds_are_stratified(tiny):
    rows = table().take(np.arange(100))
    folds = studies.folds_of(tiny(), Rows(rows.features, rows.outcome), np.random.default_rng(0))
    counts = np.array([np.bincount(rows.outcome[folds == k], minlength=2) for k in range(5)])
    assert counts.max(axis=0).tolist() == (counts.min(axis=0) + (counts.std(axis=0) > 0)).tolist()


def test_every_configuration_predicts_what_it_did_not_see(tiny, tmp_path):
    """With labels that are noise, the nearest neighbour of a row is not the row itself."""
    rng = np.random.default_rng(3)
    noise = Rows(rng.normal(size=(2000, 2)), rng.integers(2, size=2000))
    one = tiny(load=lambda: noise, sizes=(200,))
    found = studies.study(one, 200, 0, tmp_path)
    own = METRICS["accuracy"].bind(
        found.matrix.outcome, found.matrix.as_kind(METRICS["accuracy"].wants)[0]
    )(np.ones((1, 200), np.uint8))[0]
    assert own.max() < 0.65
    assert abs(found.truths["accuracy"].mean() - 0.5) < 0.03


def test_martingale_residuals_by_hand():
    found = studies.martingale_residuals(np.array([3.0, 1.0, 2.0, 2.0]), np.array([1, 1, 1, 0]))
    # hazards: 1/4 at time 1, 1/3 at 2, 1/1 at 3
    hazard = np.cumsum([1 / 4, 1 / 3, 1])
    assert found == pytest.approx([1 - hazard[2], 1 - hazard[0], 1 - hazard[1], -hazard[1]])


def test_a_capped_truth_has_the_cap_of_the_study(tiny, tmp_path):
    """By hand: other rows' squared errors, none above that of the study's own outcomes."""
    names = ("mse", "capped mse")
    one = tiny(metrics=names, task=Task.REGRESSION)
    found = studies.study(one, 40, 0, tmp_path)
    rows, rng = table(Task.REGRESSION), np.random.default_rng([crc32(one.name.encode()), 40, 0])
    drawn, others = studies.split(one, rows, 40, rng)
    inside = rows.outcome[drawn]
    cap = np.quantile(abs(inside - np.median(inside)), CAP)
    said = studies._predicted(one, rows.take(drawn), rows.take(others))
    errors = {name: abs(said[name] - rows.outcome[others]) for name in found.matrix.configurations}
    capped = [np.mean(np.minimum(error, cap) ** 2) for error in errors.values()]
    assert found.truths["capped mse"] == pytest.approx(capped)
    assert (found.truths["capped mse"] < found.truths["mse"]).any()
