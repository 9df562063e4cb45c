"""The study of plans: what it repeats, keeps and shows."""

import numpy as np
import pytest

from benchmarks.validation import plans

pytestmark = pytest.mark.sweep


def said(lower, upper, *seen):
    return [
        {"lower": lower, "middle": 0.0, "upper": upper, "seen": one, "seen of all": 0.0}
        | {"honest": 0.8, "seen honest": 0.7}
        for one in seen
    ]


def test_a_bracket_covers_the_mean_of_what_is_seen():
    found = plans.optimism_of(said(0.01, 0.03, 0.0, 0.04) + said(0.03, 0.05, 0.01, 0.03))
    assert found["mean bracket"] == "covers"
    assert found["pilots that cover"].value == 0.5
    assert plans.optimism_of(said(0.01, 0.03, *[0.05] * 9))["mean bracket"] == "misses"


def test_what_all_have_in_common_is_taken_off():
    rng = np.random.default_rng(0)
    common = rng.standard_normal(400)
    told = said(0.0, 0.1, *(0.05 + 0.2 * common))
    for one, off in zip(told, common, strict=True):
        one["seen of all"] = off
    seen = plans.optimism_of(told)["seen"]
    assert seen.value == pytest.approx(0.05)


def test_rows_that_a_width_takes_are_those_of_its_mean():
    told = [
        {"planned width": 0.1, "seen width": 0.12, "rows": rows, "rows lower": rows / 2}
        | {"rows upper": 2 * rows, "width in rows": 2.4 / np.sqrt(rows)}
        | {"width in rows assured": width}
        for rows, width in [(144, 0.19), (400, 0.21), (576, None)]
    ]
    found = plans.widths_of(told, 0.2)
    assert found["seen / planned"] == "1.20"
    assert found["rows it takes"] == "144"
    assert found["met"].value == 1
    assert found["met, assured 80%"].value == pytest.approx(1 / 3)
    assert found["ranges that cover"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["mse plateau", "auc breast_cancer"])
def test_a_repetition_is_known_from_its_number(name):
    setting = next(one for one in plans.settings() if one.key.startswith(name))
    first, again, other = (plans.repetition(setting, number) for number in (200, 200, 201))
    assert first == again != other
    assert first["lower"] <= first["middle"] <= first["upper"]
    assert first["planned width"] is None


def test_brackets_cover_in_nine_of_ten_settings():
    rows, _ = plans.rows_of(plans.STUDY.kept())
    assert len(rows) == len(plans.settings())
    assert min(row["n"] for row in rows) >= 100
    assert np.mean([row["mean bracket"] == "covers" for row in rows]) >= 0.9
