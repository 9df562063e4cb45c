"""The study of comparisons after selection: what it repeats, keeps and shows."""

import json
from functools import partial

import numpy as np
import pytest

from benchmarks.validation import comparisons
from benchmarks.validation.comparisons import STUDIES, main, settings

PAGE = "before\n<!-- comparisons -->\n<!-- end of comparisons -->\nafter\n"


@pytest.fixture
def tiny(monkeypatch):
    """Two settings of a few samples, twice each."""
    nothing = partial(np.full, fill_value=0.8)
    some = [
        comparisons._setting("accuracy", "all equal", nothing, 30, 10),
        comparisons._setting("auc", "one of 0.9", comparisons._one_better, 30, 10, n_positive=5),
    ]
    monkeypatch.setattr(comparisons, "settings", lambda: some)
    monkeypatch.setattr(comparisons, "N_REPETITIONS", 2)
    return some


def test_the_settings_are_those_that_are_promised():
    rows = [setting.row for setting in settings() if setting.row["law"] == "all equal"]
    for metric in ("accuracy", "auc"):
        sizes = {(row["N"], row["C"]) for row in rows if row["metric"] == metric}
        assert sizes == {(n, c) for n in (40, 80, 300) for c in (20, 100)}
    assert any(row["positives"] == 5 for row in rows)
    assert len({setting.key for setting in settings()}) == len(settings())
    few = next(setting for setting in settings() if setting.row["positives"] == 5)
    assert few.simulated(0).matrix.outcome.class_counts.tolist() == [75, 5]


@pytest.mark.parametrize("study", list(STUDIES))
def test_a_repetition_says_whether_each_statement_holds(tiny, study):
    found = STUDIES[study](tiny[1], 0)
    names = set(found) - {"size", "error", "naive error"}
    assert len(names) >= 2
    assert all(found[name] in (True, False) for name in names)
    assert STUDIES[study](tiny[1], 0) == found


def test_it_is_kept_and_not_run_again(tiny, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    words = ["--out", str(tmp_path), "--page", str(page), "--minutes"]
    main([*words, "0"])
    assert page.read_text().startswith("before")
    main([*words, "5"])
    lines = (tmp_path / "comparisons" / "repetitions.jsonl").read_text().splitlines()
    assert [json.loads(line)["repetition"] for line in lines] == [0, 0, 1, 1] * 2
    assert "| auc | one of 0.9 | 30 | 10 | 5 | 2 |" in page.read_text()
    main([*words, "5"])
    assert "0 repetitions" in capsys.readouterr().err
