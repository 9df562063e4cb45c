"""What is judged and kept, and never twice."""

import numpy as np
import pandas as pd
import pytest

from bbccli import METHODS, METRICS, Plan
from bbccli.types import Side
from benchmarks.bank import populations, studies, work
from benchmarks.bank.items import OfPopulation, OfSetting
from benchmarks.bank.results import INFINITE, MISSING, decoded, encoded, forget, read
from benchmarks.bank.work import Work
from benchmarks.validation.settings import inclusion_settings

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize(
    "distance, code",
    [
        (0.0, 0),
        (1e-6, 1),
        (-1e-6, -1),
        (0.0021, 10),
        (-0.0021, -10),
        (99.0, 32000),
        (np.nan, MISSING),
        (np.inf, INFINITE),
        (-np.inf, -INFINITE),
    ],
)
def test_distances_keep_their_sign(distance, code):
    assert encoded(distance, 2e-4) == code
    back = decoded(np.array([code], np.int16), np.array([2e-4], np.float32))[0]
    assert np.sign(back) == np.sign(distance) or np.isnan(distance) == np.isnan(back)
    if np.isfinite(distance) and abs(distance) < 1:
        assert abs(back - distance) <= 2e-4


def test_repetitions_add_up_and_nothing_is_judged_twice(bank, tmp_path, monkeypatch):
    assert bank(1) == 1
    first = read(tmp_path / "store")
    assert bank(2) == 1
    both = read(tmp_path / "store")
    assert set(both["repetition"]) == {0, 1}
    again = both[both["repetition"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, first)
    monkeypatch.setattr(studies, "trained", lambda *_: pytest.fail("trained again"))
    assert bank(2) == 0


def test_a_new_variant_is_judged_on_the_matrices_of_the_others(bank, judged, tmp_path, monkeypatch):
    few = [one for one in judged if one.method == "bbc"]
    bank(1, few)
    monkeypatch.setattr(studies, "trained", lambda *_: pytest.fail("trained again"))
    assert bank(1) == 1
    rows = read(tmp_path / "store")
    keys = rows[["search", "metric", "method", "interval"]]
    assert not keys.duplicated().any()
    assert {"cvt", "bbc-632", "bbc-eb"} <= set(rows["method"])
    forget(tmp_path / "store", "bbc:matched")
    left = read(tmp_path / "store")
    assert not ((left["method"] == "bbc") & (left["interval"] == "matched")).any()
    assert bank(1) == 1
    assert len(read(tmp_path / "store")) == len(rows)


def test_a_row_is_what_the_method_says_beside_the_truth(bank, tiny, tmp_path):
    bank(1)
    rows = read(tmp_path / "store")
    one = populations.BY_NAME["tiny"]
    subject = next(
        s
        for s in OfPopulation(one, 50, 0).subjects(tmp_path / "matrices")
        if s.question.metric == "auc" and s.question.main
    )
    plan = Plan(n_resamples=40, seed=subject.question.seed, side=Side.LOWER, level=0.9)
    found = METHODS["bbc"].run(subject.matrix, METRICS["auc"], plan)
    truth = subject.truths[subject.matrix.configurations.index(found.winner)]
    row = rows[(rows["method"] == "bbc") & (rows["interval"] == "percentile")]
    row = row[(row["metric"] == "auc") & (row["search"] == 60)].iloc[0]
    assert row["truth"] == pytest.approx(truth)
    assert row["estimate"] == pytest.approx(found.value - truth, abs=2e-4)
    assert row["one_90"] == pytest.approx(found.interval.lower - truth, abs=2e-4)
    assert row["lower_80"] == row["one_90"]  # both leave a tenth below
    assert row["lower_99"] <= row["lower_95"] <= row["one_95"] <= row["upper_95"]


def test_what_was_judged_is_written_when_it_is_stopped(bank, tmp_path, monkeypatch):
    def stopped(self, item, do=Work._do):
        if item.repetition == 1:
            raise SystemExit(143)
        return do(self, item)

    monkeypatch.setattr(work.Work, "_do", stopped)
    with pytest.raises(SystemExit):
        bank(2)
    assert set(read(tmp_path / "store")["repetition"]) == {0}


def test_a_simulated_setting_is_judged_by_its_own_truth():
    setting = inclusion_settings()[0]
    (subject,) = OfSetting(setting, 5).subjects(None)
    assert subject.question.population == setting.key
    assert np.array_equal(subject.truths, setting.simulated(5).performances)
