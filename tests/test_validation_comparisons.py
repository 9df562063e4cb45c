"""The study of comparisons after selection: what it repeats, keeps and shows."""

from dataclasses import replace

import numpy as np
import pytest

from bbccli import METRICS
from bbccli.comparisons import between_families
from bbccli.types import IntervalKind
from benchmarks.validation import comparisons
from benchmarks.validation import families as validation_families
from benchmarks.validation.comparisons import STUDIES, settings
from benchmarks.validation.families import family_settings, statements

pytestmark = pytest.mark.sweep

OF_THEIR_OWN = {
    "comparisons-multiple": "some pair",
    "comparisons-losses": "every interval",
    "comparisons-groups": "every bound",
    "comparisons-baseline": "winner is baseline",
}


@pytest.mark.parametrize("study", OF_THEIR_OWN)
def test_studies_with_settings_of_their_own(study):
    """A repetition states what its table shows, for a setting of each metric."""
    (found,) = (one for one in STUDIES if one.name == study)
    assert len({one.key for one in found.settings()}) == len(found.settings())
    by_metric = {one.metric: one for one in found.settings()}
    for setting in by_metric.values():
        said = found.repetition(setting, 0)
        assert any(OF_THEIR_OWN[study] in name for name in said)
        assert all(isinstance(value, bool | np.bool_ | float | None) for value in said.values())
        assert said == found.repetition(setting, 0)


def test_the_settings_are_those_that_are_promised():
    rows = [setting.row for setting in settings() if setting.row["law"] == "all equal"]
    for metric in ("accuracy", "auc"):
        sizes = {(row["N"], row["C"]) for row in rows if row["metric"] == metric}
        assert sizes == {(n, c) for n in (40, 80, 300) for c in (20, 100)}
    assert any(row["positives"] == 5 for row in rows)
    assert len({setting.key for setting in settings()}) == len(settings())
    few = next(setting for setting in settings() if setting.row["positives"] == 5)
    assert few.simulated(0).matrix.outcome.class_counts.tolist() == [75, 5]


def test_families_differ_as_their_law_says():
    found = {(one.row["metric"], one.row["law"]): one for one in family_settings()}
    assert len({one.key for one in family_settings()}) == len(family_settings()) == 11
    better = found["accuracy", "few +0.05"].simulated(0)
    assert better.performances[:10] == pytest.approx(0.85)
    assert better.performances[10:] == pytest.approx(0.8)
    drawn = found["auc", "one of 0.9 in each"].simulated(0)
    assert np.flatnonzero(drawn.performances == 0.9).tolist() == [0, 99]
    assert drawn.matrix.configurations == tuple(f"c{c}" for c in range(100))
    alike = np.mean([_likeness(found["accuracy", "all equal, alike"], r) for r in range(5)], axis=0)
    assert alike[0] > 0.3
    assert abs(alike[1]) < 0.1


def _likeness(setting, repetition):
    """Correlation of two configurations of a family, and of one of each family."""
    matrix = setting.simulated(repetition).matrix
    right = matrix.predictions[0] == matrix.outcome.values[:, None]
    r = np.corrcoef(right.T)
    return r[10:, 10:][np.triu_indices(90, 1)].mean(), r[:10, 10:].mean()


@pytest.mark.parametrize("kind", ["percentile", "matched"])
def test_intervals_of_families_are_those_of_the_command(kind):
    for law in ("few +0.05", "many +0.05"):
        setting = next(one for one in family_settings() if one.row["law"] == law)
        for repetition in range(3):
            simulated = setting.simulated(repetition)
            plan = replace(comparisons.PLAN, seed=repetition, interval=IntervalKind(kind))
            both = {"few": range(10), "many": range(10, 100)}
            (told,) = between_families(simulated.matrix, METRICS["accuracy"], plan, both)
            truth = simulated.truth(told.first_selected) - simulated.truth(told.second_selected)
            found = statements(simulated, METRICS["accuracy"], plan)
            assert found[kind] == (told.interval.lower <= truth + 1e-9 <= told.interval.upper)
            if kind == "percentile":
                shown = {"better": told.first, "worse": told.second}.get(told.verdict)
                assert [found[f"{one} better"] for one in both] == [one == shown for one in both]


def test_which_family_is_wrongly_said_to_be_better(monkeypatch):
    setting = next(one for one in family_settings() if one.row["law"] == "few +0.05")
    simulated = setting.simulated(0)
    for ends, said in (
        ((0.01, 0.2), (True, False, False)),  # the truth is 0.05
        ((0.06, 0.2), (True, False, False)),
        ((-0.2, -0.01), (False, True, True)),
        ((-0.1, 0.1), (False, False, False)),
    ):
        monkeypatch.setattr(validation_families, "_ends", lambda *_, ends=ends: ends)
        found = statements(simulated, METRICS["accuracy"], comparisons.PLAN)
        assert (found["few better"], found["many better"], found["wrong"]) == said
        assert found["percentile"] == (ends[0] <= 0.05 <= ends[1])
