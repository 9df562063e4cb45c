"""Families: both sides select, on the same resamples; how configurations get a family."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from documents import codes
from matrices import binary, changed_source, regression

from bbccli import METRICS, Plan
from bbccli.comparisons import Verdict, between_families, families_by
from bbccli.errors import OptionError
from benchmarks.validation import many_families

PLAN = Plan(n_resamples=130, level=0.9, seed=4)
AUC = METRICS["auc"]
TWO = {"few": (0, 6), "many": (1, 2, 3, 4, 5)}


@pytest.mark.parametrize("name", ["auc", "mae"])
def test_the_corrected_difference_is_that_of_loops(name):
    matrix = regression(n_configurations=7) if name == "mae" else binary()
    (found,) = between_families(matrix, METRICS[name], PLAN, TWO)
    values = slow.corrected_differences(
        matrix, METRICS[name], PLAN, TWO[found.first], TWO[found.second]
    )
    assert found.corrected == pytest.approx(values.mean(), abs=1e-12)
    assert found.interval.lower == pytest.approx(np.sort(values)[7 - 1])
    assert found.interval.upper == pytest.approx(np.sort(values)[124 - 1])
    assert found.difference >= 0
    assert found.difference == pytest.approx(abs(found.first_value - found.second_value))
    assert (found.test, found.p, found.bound) == ("bbc", None, None)
    assert not found.ignores_selection


def test_budgets_are_told():
    (found,) = between_families(binary(), AUC, PLAN, TWO)
    assert codes(found) == ["unequal-budgets"]
    assert "few had 2 configurations to choose from and many 5" in found.notes[0].text or (
        "many had 5 configurations to choose from and few 2" in found.notes[0].text
    )
    (even,) = between_families(binary(), AUC, PLAN, {"a": (0, 1), "b": (2, 3)})
    assert codes(even) == []


def test_a_family_of_one_is_a_fixed_configuration():
    matrix = binary(n_samples=60)
    (found,) = between_families(matrix, AUC, PLAN, {"one": (0,), "other": (6,)})
    assert (found.first, found.first_selected, found.second_selected) == ("other", "c6", "c0")
    assert found.verdict is Verdict.BETTER


def test_only_so_many_families_are_compared(monkeypatch):
    monkeypatch.setattr("bbccli.comparisons.families.MOST_FAMILIES", 3)
    families = {f"f{c}": (c,) for c in range(6)}
    found = between_families(regression(n_samples=90), METRICS["mae"], PLAN, families)
    assert len(found) == 3
    assert all("further-families" in codes(one) for one in found)
    assert "the 3 best of 6 families" in found[0].notes[-1].text


def test_expressions():
    matrix = binary(n_configurations=4)
    named = replace(matrix, configurations=("rf 1", "rf 2", "gb 1", "gb 2"))
    assert families_by(named, r"regex:^\w+") == {"rf": (0, 1), "gb": (2, 3)}
    assert families_by(named, r"regex:(\d)$") == {"1": (0, 2), "2": (1, 3)}
    with pytest.raises(OptionError, match="gives no family of gb 1, gb 2"):
        families_by(named, "regex:^(rf)")
    with pytest.raises(OptionError, match="is not a regular expression"):
        families_by(named, "regex:(")
    with pytest.raises(OptionError, match="into one family, 1|into one family"):
        families_by(named, "regex:( )")


def test_metadata():
    matrix = binary(n_configurations=3)
    entries = [{"id": "c0", "depth": 1}, {"id": "c1", "depth": 2}, {"id": "c2"}]
    some = changed_source(matrix, {"configs": entries})
    with pytest.raises(OptionError, match="gives no family of c2"):
        families_by(some, "depth")
    with pytest.raises(OptionError, match="give no 'family'") as caught:
        families_by(some, "family")
    assert "depth" in caught.value.hint
    with pytest.raises(OptionError, match="give no 'family'"):
        families_by(matrix, "family")
    entries[2]["depth"] = 1
    assert families_by(changed_source(matrix, {"configs": entries}), "depth") == {
        "1": (0, 2),
        "2": (1,),
    }


def test_bad_families():
    matrix = binary()
    for families in ({}, {"a": (0, 1)}, {"a": (0,), "b": ()}):
        with pytest.raises(OptionError, match="two families or more"):
            between_families(matrix, AUC, PLAN, families)
    with pytest.raises(OptionError, match="in more than one family: c1"):
        between_families(matrix, AUC, PLAN, {"a": (0, 1), "b": (1, 2)})
    with pytest.raises(OptionError, match="margin"):
        between_families(matrix, AUC, PLAN, TWO, -1)


MANY = {"one": (0, 1), "two": (2, 3), "three": (4, 5)}


def test_pairs_of_many_families_hold_at_once():
    """Bounds, p-values and verdicts of all pairs but the first, by a loop over the resamples."""
    matrix = binary()
    first, *others = between_families(matrix, AUC, PLAN, MANY)
    values = {
        (one.first, one.second): slow.corrected_differences(
            matrix, AUC, PLAN, MANY[one.first], MANY[one.second]
        )
        for one in (first, *others)
    }
    median = np.median([v.std(ddof=1) for v in values.values()])
    spreads = {pair: max(v.std(ddof=1), median) for pair, v in values.items()}
    largest = [
        max(abs(v[b] - v.mean()) / spreads[pair] for pair, v in values.items())
        for b in range(PLAN.n_resamples)
    ]
    n, c = matrix.n_samples, np.quantile(largest, PLAN.level)
    reach = 1.05 * c * np.sqrt((n - 1) / (n - c**2))
    assert first.bound is None and first.p_adjusted is None
    for one in others:
        v, error = (part[one.first, one.second] for part in (values, spreads))
        error /= np.sqrt(np.e - 1)
        assert one.corrected == pytest.approx(v.mean())
        assert one.bound == pytest.approx(v.mean() - reach * error)
        assert one.bound_above == pytest.approx(v.mean() + reach * error)
        assert (one.interval.lower, one.interval.upper) == (one.bound, one.bound_above)
        t = abs(v.mean()) / (1.05 * error)
        reached = sum(d >= t * np.sqrt(n / (n - 1 + t**2)) for d in largest)
        assert one.p_adjusted == pytest.approx((1 + reached) / (1 + len(largest)))
        assert one.adjustment == "max-t"


def test_copies_of_a_family_are_not_worse_and_disturb_nobody():
    """Their difference is 0 in every resample: no interval to widen, no level to lose."""
    matrix = binary()
    twice = replace(
        matrix,
        predictions=matrix.predictions[:, :, [0, 1, 2, 3, 4, 5, 0, 1]],
        configurations=tuple(f"d{c}" for c in range(8)),
    )
    found = between_families(twice, AUC, PLAN, MANY | {"copy": (6, 7)})
    (same,) = (one for one in found if {one.first, one.second} == {"one", "copy"})
    assert (same.corrected, same.interval.lower, same.interval.upper) == (0, 0, 0)
    assert same.verdict is Verdict.NOT_WORSE
    assert all(one.interval.lower < one.interval.upper for one in found if one is not same)


def test_the_order_of_columns_and_of_families_changes_nothing():
    matrix, order = binary(), np.array([5, 3, 0, 4, 1, 2])
    found = between_families(matrix, AUC, PLAN, MANY)
    where = {int(c): k for k, c in enumerate(order)}
    moved = {name: tuple(where[c] for c in MANY[name]) for name in reversed(MANY)}
    again = between_families(matrix.of_configurations(order), AUC, PLAN, moved)
    assert [replace(one, notes=()) for one in again] == [replace(one, notes=()) for one in found]


@pytest.mark.parametrize("law", ["10 leaders by 0.15", "mixed", "10 of one"])
def test_equal_families_are_seldom_told_apart(law):
    """Standard errors of each pair told some pair apart in 13% of such studies with leaders."""
    setting = next(
        one
        for one in many_families.settings()
        if (one.metric, one.row["families"], one.row["N"]) == ("accuracy", law, 80)
    )
    told = [many_families.repetition(setting, k) for k in range(5000, 5025)]
    assert sum(one["max-t: some pair"] for one in told) <= 4
    if "leaders" in law:
        assert sum(one["own errors: some pair"] for one in told) > 1


def test_nothing_is_adjusted_of_two_families_or_where_that_is_asked_for():
    matrix = binary()
    (only,) = between_families(matrix, AUC, PLAN, TWO)
    assert only.adjustment is None
    for one in between_families(matrix, AUC, PLAN, MANY, adjust="none"):
        assert one.adjustment is None
        alone = {name: MANY[name] for name in (one.first, one.second)}
        assert one.interval == between_families(matrix, AUC, PLAN, alone)[0].interval
    with pytest.raises(OptionError, match="adjusts p-values, which families don't have"):
        between_families(matrix, AUC, PLAN, MANY, adjust="holm")
