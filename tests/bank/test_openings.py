"""The committed study of openings: what its program gives, and what the page says of it."""

import json
from math import sqrt
from pathlib import Path

import pytest

from benchmarks.openings import PLACE, SIZES, missed, study

STORED = json.loads(PLACE.read_text())


@pytest.mark.parametrize("n", SIZES)
def test_the_store_is_what_the_program_gives(n):
    assert STORED["missed"][str(n)] == missed(n, STORED["runs"], seed=n)


@pytest.mark.parametrize("n", SIZES)
def test_misses_are_within_two_standard_errors_of_five_percent_or_below(n):
    found, error = STORED["missed"][str(n)], sqrt(0.05 * 0.95 / STORED["runs"])
    assert all(found[how] <= 0.05 + 2 * error for how in ("one", "figures", "not-yet"))
    assert found["plain"] > 0.15  # the attack works


def test_the_page_gives_the_stored_shares():
    page = (Path(__file__).parents[2] / "docs" / "vault.md").read_text()
    for share in STORED["missed"]["100"].values():
        assert f"{share:.3f}".lstrip("0") in page
    assert study(50)["openings"] == STORED["openings"]
