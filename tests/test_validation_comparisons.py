"""The study of comparisons after selection: what it repeats, keeps and shows."""

from functools import partial

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.validation import comparisons
from benchmarks.validation.comparisons import STUDIES, main, settings
from benchmarks.validation.page import PAGE as PAGE_OF_ALL
from benchmarks.validation.page import between

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


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def test_it_is_kept_and_not_run_again(tiny, tmp_path, page, capsys):
    words = ["--store", str(tmp_path / "kept"), "--page", str(page), "--minutes"]
    main([*words, "0"])
    assert page.read_text().startswith("before") and "|" not in page.read_text()
    main([*words, "5"])
    assert "8 repetitions" in capsys.readouterr().err
    for study in STUDIES:
        frame = pq.read_table(tmp_path / "kept" / f"comparisons-{study}.parquet").to_pandas()
        assert frame["repetition"].tolist() == [0, 1] * 2
        assert set(frame["setting"]) == {setting.key for setting in tiny}
    text = page.read_text()
    assert "| auc | one of 0.9 | 30 | 10 | 5 | 2 |" in text
    main([*words, "5"])
    assert "0 repetitions" in capsys.readouterr().err
    assert page.read_text() == text


def test_what_is_kept_is_what_was_said(tiny, tmp_path):
    stores = comparisons.kept(tmp_path)
    assert comparisons.repeat(stores, 300) == 8
    again = comparisons.kept(tmp_path)
    for study in STUDIES:
        for setting in tiny:
            found = again[study].results(setting.key)
            for repetition, said in stores[study].results(setting.key).items():
                assert found[repetition] == pytest.approx(dict(said), abs=1e-7)


def test_a_new_statement_forgets_the_old(tiny, tmp_path, monkeypatch):
    comparisons.repeat(comparisons.kept(tmp_path), 300)
    monkeypatch.setitem(comparisons.STATEMENTS, "simultaneous", 99)
    stores = comparisons.kept(tmp_path)
    assert [len(stores[study].results(tiny[0].key)) for study in STUDIES] == [0, 2]
    assert comparisons.repeat(stores, 300) == 4
    frame = pq.read_table(tmp_path / "comparisons-simultaneous.parquet").to_pandas()
    assert frame["statement"].tolist() == [99] * 4


def test_what_was_done_is_kept_when_it_is_stopped(tiny, tmp_path, monkeypatch):
    def stopped(setting, repetition):
        if repetition == 1:
            raise KeyboardInterrupt
        return simultaneous(setting, repetition)

    simultaneous = comparisons.STUDIES["simultaneous"]
    monkeypatch.setitem(comparisons.STUDIES, "simultaneous", stopped)
    with pytest.raises(KeyboardInterrupt):
        comparisons.repeat(comparisons.kept(tmp_path), 300)
    assert len(comparisons.kept(tmp_path)["simultaneous"].results(tiny[0].key)) == 1


def test_the_page_shows_what_is_committed():
    text = PAGE_OF_ALL.read_text(encoding="utf-8")
    stores = comparisons.kept()
    assert between(text, "comparisons", comparisons.block(stores)) == text
