"""The study of bias and inclusion: what it repeats, keeps, tests and shows."""

import json
from dataclasses import replace
from functools import partial
from itertools import islice
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from bbccli.core.plan import Plan
from bbccli.planning.simulation import binormal
from bbccli.types import Direction, Task
from benchmarks.validation import paper, real, run, settings, variants
from benchmarks.validation.__main__ import main
from benchmarks.validation.nested import nested_cv
from benchmarks.validation.settings import Part, Setting
from benchmarks.validation.store import Store
from benchmarks.validation.summary import Sample, mean_of
from benchmarks.validation.variants import Group, Variant

pytestmark = pytest.mark.sweep

PAGE = "".join(
    f"{name}: kept\n\n<!-- {name} -->\n<!-- end of {name} -->\n"
    for name in ("run", "bias", "inclusion", "paper", "real", "drop")
)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Run a study of two tiny settings: study("--minutes", "1") -> the lines on disk."""
    tiny = [
        Setting(
            Part.BIAS,
            f"tiny {n}",
            "accuracy",
            partial(settings._right_or_wrong, (9, 6), n, 5),
            {"law": (9, 6), "N": n, "C": 5},
            brief=True,
            n_repetitions=2,
        )
        for n in (20, 30)
    ]
    monkeypatch.setattr(run, "bias_settings", lambda: tiny)
    monkeypatch.setattr(variants, "PLAN", replace(variants.PLAN, n_resamples=50))
    (tmp_path / "page.md").write_text(PAGE)

    def call(*arguments):
        out, page = tmp_path / "out", tmp_path / "page.md"
        main(["--part", "bias", "--jobs", "1", f"--out={out}", f"--page={page}", *arguments])
        return (out / "repetitions.jsonl").read_text().splitlines()

    return call


# Repeating


@pytest.mark.sweep
def test_a_study_is_taken_up_where_it_stopped(study, tmp_path):
    lines = study()
    keys = [(record["setting"], record["repetition"]) for record in map(json.loads, lines)]
    assert keys == [("tiny 20", 0), ("tiny 30", 0), ("tiny 20", 1), ("tiny 30", 1)]
    assert study() == lines
    records = tmp_path / "out" / "repetitions.jsonl"
    records.write_text("\n".join(lines)[:-40])  # killed while it wrote the last line
    assert study() == lines


@pytest.mark.sweep
def test_a_new_variant_is_added_to_what_is_there(study, tmp_path, monkeypatch):
    lines = study()
    more = Variant("bbc", Group.RESAMPLES, variants.BIAS, {"level": 0.9})
    monkeypatch.setattr(variants, "VARIANTS", (*variants.VARIANTS, more))
    added = [json.loads(line) for line in study()[len(lines) :]]
    assert [list(record["results"]) for record in added] == [["bbc --level 0.9"]] * 4
    results = Store(tmp_path / "out").results("tiny 20")[0]
    assert results["bbc --level 0.9"]["value"] == results["bbc"]["value"]
    assert results["bbc --level 0.9"]["bound"] >= results["bbc"]["bound"]


@pytest.mark.sweep
def test_no_time_only_renews_the_page(study, tmp_path):
    lines = study()
    shown = (tmp_path / "page.md").read_text()
    (tmp_path / "page.md").write_text(PAGE.replace("bias: kept", "bias: rewritten"))
    assert study("--minutes", "0") == lines
    assert (tmp_path / "page.md").read_text() == shown.replace("bias: kept", "bias: rewritten")


def test_the_page_shows_what_was_found(study, tmp_path):
    results = [json.loads(line)["results"]["bbc"] for line in study()][::2]
    page = (tmp_path / "page.md").read_text()
    errors = [one["value"] - one["truth"] for one in results]
    (row,) = [line for line in page.splitlines() if line.startswith("| 20 | 5 | 2 |")]
    assert f" {mean_of(errors)} " in row
    assert "| bias | 2 of 2 | 2 | 4 |" in page
    root = ElementTree.fromstring((tmp_path / "validation-bias.svg").read_text())
    assert root.tag.endswith("svg")


@pytest.mark.sweep
def test_processes_change_nothing(tmp_path):
    def first(folder, jobs):
        store = Store(folder)
        todo = islice(run.tasks(Part.BIAS, folder, store, full=False), 2)
        n_done, _ = run.work(todo, store, jobs, 60)
        assert n_done == 2
        return store.results("accuracy Be(9,6) N=20 C=50")[0]

    assert first(tmp_path / "one", 1) == first(tmp_path / "two", 2)


def test_the_settings_are_those_of_the_papers():
    assert len(settings.bias_settings()) == 3 * 7 * 7
    keys = {one.key for one in settings.inclusion_settings() if one.of_paper}
    assert keys == {setting for setting, method in paper.published() if method == "naive-f"}
    for one in settings.inclusion_settings():
        if one.row["N"] < 500:
            simulated = one.simulated(0)
            assert simulated.metric == one.metric
            assert simulated.matrix.n_samples == one.row["N"]
            assert simulated.matrix.n_configurations == one.row["C"]


# Variants


def test_nested_without_new_draws_selects_on_the_other_folds():
    simulated = binormal(np.linspace(0.6, 0.8, 6), 40, np.random.default_rng(0), n_folds=5)
    matrix = simulated.matrix
    simulated = replace(simulated, draw=lambda rng: matrix.predictions[0].copy())
    truth, scores, parts = matrix.outcome.values, matrix.predictions[0], []
    for fold in range(5):
        test = matrix.folds[0] == fold
        inner = [roc_auc_score(truth[~test], scores[~test, c]) for c in range(6)]
        parts.append(roc_auc_score(truth[test], scores[test, np.argmax(inner)]))
    found = nested_cv(simulated, Plan())
    assert found["value"] == pytest.approx(np.mean(parts))
    pooled = [roc_auc_score(truth, scores[:, c]) for c in range(6)]
    assert found["truth"] == simulated.performances[np.argmax(pooled)]


# Real data


@pytest.mark.sweep
def test_real_studies_keep_their_matrices(tmp_path, monkeypatch):
    pytest.importorskip("sklearn", minversion="1.8")
    study = real.RealStudy("breast_cancer", Task.BINARY, 40, "auc", brief=True, step=60)
    first = real._draw(study, tmp_path, np.random.default_rng(0))
    assert first.matrix.predictions.shape == (1, 40, 3)
    assert first.matrix.n_folds == 10
    assert (first.performances > 0.8).all()
    monkeypatch.setattr(real, "_trained", None)
    again = real._draw(study, tmp_path, np.random.default_rng(0))
    assert (again.matrix.predictions == first.matrix.predictions).all()
    other = real._draw(replace(study, metric="accuracy"), tmp_path, np.random.default_rng(0))
    assert (other.performances != first.performances).all()


def test_held_out_truth_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    outcome, predictions = np.repeat([0, 1], 30), rng.random((60, 2))
    found = real._performances(Task.BINARY, outcome, predictions)
    predictions = predictions.astype(np.float32)
    for c in range(2):
        assert found["auc"][c] == pytest.approx(roc_auc_score(outcome, predictions[:, c]))
        accuracy = accuracy_score(outcome, predictions[:, c] > 0.5)
        assert found["accuracy"][c] == pytest.approx(accuracy)


# Figures


def test_figures_by_hand():
    one = Sample(np.array([0.7, 0.9]), np.array([0.5, 0.8]), np.array([0.6, 0.7]))
    assert str(one.bias()) == "0.150(50)"
    assert one.n_included == 1
    assert one.tightness().value == pytest.approx(0.0)
    assert one.rmse().value == pytest.approx(np.sqrt((0.01 + 0.04) / 2))
    assert one.spread().value == pytest.approx(0.05 * np.sqrt(2))


def test_a_bound_on_a_loss_is_above():
    one = Sample(np.ones(3), np.array([2.0, 1.5, np.nan]), np.array([1.8, 1.6, 1.0]), 2)
    one = replace(one, direction=Direction.MINIMIZE)
    assert (len(one), one.n_bounds, one.n_included, one.n_problems) == (3, 2, 1, 2)
    assert one.tightness().value == pytest.approx((0.2 - 0.1) / 2)


@pytest.mark.parametrize(("n_held", "mark"), [(95, ""), (89, ""), (88, " ↓")])
def test_inclusion_below_the_level_is_marked(n_held, mark):
    # P(X <= 88) = 0.0043 and P(X <= 89) = 0.0115 for X binomial (100, 0.95)
    truths = np.where(np.arange(100) < n_held, 1.0, 0.0)
    found = Sample(np.ones(100), np.full(100, 0.5), truths).inclusion()
    assert (found.value, found.mark) == (n_held / 100, mark)


def test_the_papers_numbers():
    found = paper.published()
    key = "alpha_24_beta_6_samples_500_config_100_balance_0.1_classes_2"
    assert found[key, "bbc"].inclusion == 0.99
    assert found[key, "bbc"].tightness == pytest.approx(0.9286088 - 0.8589706, abs=1e-6)
    assert found[key, "mabt"].inclusion == 0.805
    assert found[key, "naive-f"].inclusion == 0.55
    assert len(found) == 8 * 9 + 16


# The page
