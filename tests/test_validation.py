"""Studies on known truth: what they repeat, keep and show."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from bbccli import METHODS, METRICS, Plan
from bbccli.dropping import RULES
from benchmarks.bank import simulated
from benchmarks.validation import __main__ as validation
from benchmarks.validation import dropping, paper, settings
from benchmarks.validation.kept import FOLDER, Kept, Study
from benchmarks.validation.page import DOCS, between
from benchmarks.validation.summary import mean_of, rmse_of, share_of

pytestmark = pytest.mark.sweep


# Repeating


@dataclass(frozen=True)
class Tiny:
    key: str
    n_repetitions: int


def tiny(statement=1, more=0):
    """Three repetitions of one setting, two of another, and what was done of them."""
    done = []

    def repetition(setting, number):
        done.append((setting.key, number))
        return {"said": number % 2 == 0, "figure": number / 3}

    some = [Tiny("a", 3 + more), Tiny("b", 2)]
    return Study("tiny", lambda: some, repetition, statement), done


def test_a_study_is_taken_up_where_it_stopped(tmp_path, monkeypatch):
    study, done = tiny()
    assert study.repeat(study.kept(tmp_path), 60) == 5
    assert done == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2)]
    assert study.repeat(study.kept(tmp_path), 60) == 0
    kept = study.kept(tmp_path).results("a")
    assert kept[1] == {"said": False, "figure": pytest.approx(1 / 3)}
    more, done = tiny(more=1)
    assert more.repeat(more.kept(tmp_path), 60) == 1
    assert done == [("a", 3)]


def test_what_was_done_is_kept_when_it_fails(tmp_path):
    study, _ = tiny()

    def failing(setting, number):
        if number == 2:
            raise KeyboardInterrupt
        return study.repetition(setting, number)

    with pytest.raises(KeyboardInterrupt):
        Study("tiny", study.settings, failing).repeat(study.kept(tmp_path), 60)
    assert sorted(study.kept(tmp_path).results("a")) == [0, 1]


def test_a_new_statement_forgets_the_old(tmp_path):
    study, _ = tiny()
    study.repeat(study.kept(tmp_path), 60)
    newer, done = tiny(statement=2)
    assert newer.repeat(newer.kept(tmp_path), 60) == len(done) == 5
    assert Kept(tmp_path, "tiny", 1).results("a") == {}


def test_names_choose_studies_and_pages_are_renewed(tmp_path, monkeypatch, capsys):
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "benchmarks").mkdir()
    for name in validation.PAGES:
        marks = "".join(f"<!-- {one} -->\n<!-- end of {one} -->\n" for one in ("dropping", "plans"))
        (docs / name).write_text(f"kept\n{marks}kept\n")
    law = settings.drop_settings()[0]
    monkeypatch.setattr(dropping, "RULES", {"bbcd": RULES["bbcd"]})
    monkeypatch.setattr(dropping, "drop_settings", lambda: [law])
    study = Study("dropping", lambda: [law], dropping.repetition)
    others = [one for one in validation.STUDIES if one.name != "dropping"]
    monkeypatch.setattr(validation, "STUDIES", (*others, study))
    monkeypatch.setattr(Study, "repeat", lambda one, store, *_: _once(one, store))
    words = ["--store", str(tmp_path / "kept"), "--docs", str(docs)]
    validation.main(["dropping", *words])
    assert "1 repetitions" in capsys.readouterr().err
    assert [one.name for one in (tmp_path / "kept").iterdir()] == ["dropping.parquet"]
    text = (tmp_path / "benchmarks" / "validation-tables.md").read_text()
    assert text.startswith("kept\n") and text.endswith("kept\n")
    assert "### Be(9, 6), N = 100, C = 200" in text
    assert "| `bbcd` | 1 |" in text


def _once(study, store):
    (setting,) = study.settings()
    store.add(setting.key, 0, study.repetition(setting, 0))
    store.write()
    return 1


@pytest.mark.parametrize("page", validation.PAGES)
def test_the_pages_show_what_is_committed(page):
    shown = text = (DOCS / page).read_text(encoding="utf-8")
    for marker, block in validation.blocks_of().items():
        shown = between(shown, marker, block)
    assert shown == text


@pytest.mark.parametrize("study", validation.STUDIES, ids=lambda study: study.name)
def test_every_setting_is_in_the_store(study):
    kept = study.kept(FOLDER)
    for setting in study.settings():
        assert len(kept.results(setting.key)) >= min(setting.n_repetitions, 200), setting.key


# Settings


def test_the_settings_are_those_of_the_papers():
    assert len(settings.bias_settings()) == 3 * 7 * 7
    assert all(one.of_2018 for one in settings.bias_settings())
    keys = {one.key for one in settings.inclusion_settings() if one.of_2024}
    assert keys == {setting for setting, method in paper.published() if method == "naive-f"}
    for one in settings.inclusion_settings():
        assert not one.of_2018
        if one.row["N"] < 500:
            drawn = one.simulated(0)
            assert drawn.metric == one.metric
            assert drawn.matrix.n_samples == one.row["N"]
            assert drawn.matrix.n_configurations == one.row["C"]


def test_the_papers_numbers():
    found = paper.published()
    key = "alpha_24_beta_6_samples_500_config_100_balance_0.1_classes_2"
    assert found[key, "bbc"].inclusion == 0.99
    assert found[key, "bbc"].tightness == pytest.approx(0.9286088 - 0.8589706, abs=1e-6)
    assert found[key, "mabt"].inclusion == 0.805
    assert found[key, "naive-f"].inclusion == 0.55
    assert len(found) == 8 * 9 + 16


# Dropping


def test_what_a_rule_saved_and_lost():
    setting = settings.drop_settings()[0]
    said = dropping.repetition(setting, 3)
    drawn = setting.simulated(3)
    plan = Plan(n_resamples=500, seed=3)
    whole = METHODS["bbc"].run(drawn.matrix, METRICS["accuracy"], plan)
    assert said[f"{dropping.ALL}, error"] == whole.value - drawn.truth(whole.winner)
    for rule in RULES:
        assert said[f"{rule}, speed-up"] >= 1
        lost = said[f"{rule}, truth lost"]
        assert lost == 0 or said[f"{rule}, winner kept"] == 0
    alone = METHODS["bbcd"].run(drawn.matrix, METRICS["accuracy"], plan)
    assert said["bbcd, error"] == pytest.approx(alone.value - drawn.truth(alone.winner))


# Beside the papers


def test_bounds_beside_the_paper_by_hand():
    """Of 200 bounds 170 lie below the truth by .1, and 30 above by .05."""
    key = "alpha_24_beta_6_samples_500_config_100_balance_0.1_classes_2"
    ends = np.repeat([-0.1, 0.05], [170, 30])
    rows = {"population": key, "method": "mabt", "interval": "own", "one_95": ends}
    text = simulated.beside_the_paper(pd.DataFrame(rows))
    inclusion, tightness = text.split("### Tightness")
    assert "| Be(24, 6) | 500 | 100 | 0.1 | 0.850(26) ↓, 0.805 |" in inclusion
    mean = mean_of(-ends)
    assert f"| Be(24, 6) | 500 | 100 | 0.1 | {mean}, " in tightness
    assert mean.value == pytest.approx(0.85 * 0.1 - 0.15 * 0.05)


def test_biases_by_hand():
    key = "accuracy Be(9,6) N=40 C=200"
    rows = [
        {"population": key, "method": method, "interval": interval, "estimate": error}
        for method, interval, errors in (
            ("cvt", "", (0.1, 0.3)),
            ("bbc", "percentile", (-0.1, 0.1)),
            ("bbc", "calibrated", (9.0, 9.0)),
        )
        for error in errors
    ]
    frame = pd.DataFrame(rows)
    assert "| 40 | 200 | 0.200(100), 0.224(90) | 0.000(100), 0.100(0) |" in simulated.of_bias(frame)
    assert simulated.bias_chart(frame).count("<polyline") == len(simulated.BIASED) * 12


# Figures


def test_figures_by_hand():
    assert str(mean_of([0.1, 0.2])) == "0.150(50)"
    assert rmse_of([0.1, 0.2]).value == pytest.approx(np.sqrt((0.01 + 0.04) / 2))


@pytest.mark.parametrize(("n_held", "mark"), [(95, ""), (89, ""), (88, " ↓")])
def test_shares_below_the_level_are_marked(n_held, mark):
    # P(X <= 88) = 0.0043 and P(X <= 89) = 0.0115 for X binomial (100, 0.95)
    found = share_of(n_held, 100, 0.95)
    assert (found.value, found.mark) == (n_held / 100, mark)
    assert share_of(n_held, 100).mark == ""
