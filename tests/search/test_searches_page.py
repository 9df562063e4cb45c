"""The table of searches is that of the store, like docs/dropping.md; the program gives it again."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import searches


def test_the_table_is_that_of_the_store():
    rows = searches.stored()
    assert {(row["data"], row["seed"]) for row in rows} == {
        (data, seed) for data in searches.SUBJECTS for seed in searches.SEEDS
    }
    assert searches.PART.search(searches.PAGE.read_text(encoding="utf-8"))[0] == (
        searches.part_of_page(rows)
    )


def test_what_the_page_says_of_lost_winners_is_so():
    rows = searches.stored()
    lost = [row for row in rows if not row["dropping"]["kept"]]
    assert len(rows) == 15
    assert [row["data"] for row in lost] == ["make_classification"]
    (row,) = lost
    assert round(row["grid"]["score"] - row["dropping"]["score"], 3) == 0.002
    by_data = {row["data"]: [] for row in rows}
    for row in rows:
        by_data[row["data"]].append(row["dropping"]["models"] / row["grid"]["models"])
    shares = [np.mean(each) for each in by_data.values()]
    page = (Path(__file__).parents[2] / "docs" / "dropping.md").read_text(encoding="utf-8")
    said = f"dropping trained {100 * min(shares):.0f} to {100 * max(shares):.0f}% of the models"
    assert said in page and "the same winner in 14;" in page


@pytest.mark.sweep
def test_a_study_gives_the_figures_of_the_store_again():
    data, seed = "make_classification, N = 100", 1
    (stored,) = (r for r in searches.stored() if (r["data"], r["seed"]) == (data, seed))
    again = searches.study(searches.SUBJECTS[data], seed)
    for search in ("grid", "halving", "dropping"):
        assert again[search]["models"] == stored[search]["models"]
        assert np.isclose(again[search]["score"], stored[search]["score"])
        assert np.isclose(again[search]["held_out"], stored[search]["held_out"])
    assert np.isclose(again["dropping"]["value"], stored["dropping"]["value"])
