"""Early stopping on the fold that scores: flags, what it added, and the notes on it."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import bbccli
from bbccli import Plan, read
from bbccli.documents.leaderboard import leaderboard
from bbccli.domain.source import FoldCurves
from bbccli.methods import estimate
from bbccli.notes import Note
from bbccli.reports import FORMS
from bbccli.stats.stopping import stopped

RUN = Path(__file__).parent / "data" / "runs" / "mljar_stopping"
STOPS = {
    *("3_Default_LightGBM", "4_Default_Xgboost", "5_Default_CatBoost"),
    *("6_Default_RandomForest", "7_Default_ExtraTrees"),
}
FLAG = "early_stopping_on_fold"


@pytest.fixture(scope="module")
def matrix():
    return read(RUN)


@pytest.fixture
def run(tmp_path):
    return Path(shutil.copytree(RUN, tmp_path / "run"))


def flagged(matrix):
    about = matrix.source.configurations
    return {name for name in about if FLAG in about[name].get("flags", ())}


def curves_of(name):
    logs = [RUN / name / f"learner_fold_{fold}_training.log" for fold in range(4)]
    return [[float(row[2]) for row in csv.reader(log.read_text().splitlines())] for log in logs]


def with_curves(matrix, curves):
    run = replace(matrix.source.run, curves=tuple(curves))
    return replace(matrix, source=replace(matrix.source, run=run))


def correct(source, **options):
    return bbccli.correct(source, select="best", n_resamples=200, **options)


def notes(result):
    return [Note(**one) for one in getattr(result, "document", result)["notes"]]


def bbc(result):
    return next(one for one in result.estimates if one.method == "bbc")


def printed(result):
    return " ".join(FORMS["table"].render([result.document]).split())


def codes(result):
    return [note.code for note in notes(result)]


def test_what_stops_is_told_by_the_logs(matrix):
    assert flagged(matrix) == STOPS


def test_without_logs_it_is_told_by_names(run):
    for log in run.glob("*/learner_fold_*.log"):
        log.unlink()
    assert flagged(read(run)) == {one for one in STOPS if "Boost" in one or "boost" in one} | {
        "3_Default_LightGBM"
    }


def test_a_log_without_scores_of_the_fold_is_no_stopping_by_it(run):
    for log in (run / "3_Default_LightGBM").glob("learner_fold_*.log"):
        rows = [row.split(",") for row in log.read_text().split()]
        log.write_text("".join(f"{at},{train},\n" for at, train, _ in rows))
    assert flagged(read(run)) == STOPS - {"3_Default_LightGBM"}


@pytest.mark.parametrize("name", ["7_Default_ExtraTrees", "4_Default_Xgboost"])
def test_what_stopping_added(matrix, name):
    found, curves = stopped(matrix)[name], curves_of(name)
    assert found.metric == "log-loss"
    longest = max(map(len, curves))
    padded = [one + one[-1:] * (longest - len(one)) for one in curves]
    added = []
    for fold, curve in enumerate(curves):
        own = min(range(len(curve)), key=curve.__getitem__)
        others = [one for other, one in enumerate(padded) if other != fold]
        means = [sum(one[at] for one in others) / 3 for at in range(longest)]
        chosen = min(min(range(longest), key=means.__getitem__), len(curve) - 1)
        assert (found.iterations[fold], found.by_others[fold]) == (own + 1, chosen + 1)
        added.append(curve[chosen] - curve[own])
    assert found.added == pytest.approx(sum(added) / 4)
    assert found.added > 0


def test_a_score_that_is_not_the_best_of_its_curve_is_found_too(matrix):
    # CatBoost kept another iteration than that of its lowest logged loss in one fold
    found, curves = stopped(matrix)["5_Default_CatBoost"], curves_of("5_Default_CatBoost")
    best = [min(range(len(one)), key=one.__getitem__) + 1 for one in curves]
    assert [a == b for a, b in zip(found.iterations, best, strict=True)].count(False) == 1


def test_curves_of_other_predictions_count_for_nothing(matrix):
    name = "7_Default_ExtraTrees"
    curves = [tuple(one) for one in curves_of(name)]
    of = {"id": name, "metric": "log-loss"}
    same = with_curves(matrix, [FoldCurves(**of, folds=tuple(curves))])
    assert stopped(same)[name] == stopped(matrix)[name]
    wrong = {
        "other folds": curves[1:] + curves[:1],
        "a fold less": curves[1:],
        "another score": [tuple(value + 0.01 for value in one) for one in curves],
        "not a number": [(*one[:-1], float("nan")) for one in curves],
        "an empty one": [*curves[:-1], ()],
    }
    for folds in wrong.values():
        assert not stopped(with_curves(matrix, [FoldCurves(**of, folds=tuple(folds))]))
    turned = [tuple(-value for value in one) for one in curves]
    negative = with_curves(matrix, [FoldCurves(**of, folds=tuple(turned))])
    assert stopped(negative)[name] == stopped(matrix)[name]
    whole = [one[: one.index(min(one)) + 1] for one in curves]  # the last iteration is the kept one
    assert not stopped(with_curves(matrix, [FoldCurves(**of, folds=tuple(whole))]))
    auc = FoldCurves(id=name, metric="auc", folds=tuple(curves))
    gone = FoldCurves(id="gone", metric="log-loss", folds=tuple(curves))
    assert not stopped(with_curves(matrix, [auc, gone]))


def test_it_is_taken_off_a_mean_over_folds(matrix):
    plan = Plan(n_resamples=200, pooling="fold-mean")
    (less,), _ = estimate(matrix, "log-loss", plan, ["bbc"])
    (plain,), _ = estimate(with_curves(matrix, []), "log-loss", plan, ["bbc"])
    shares = plain.distribution.shares(matrix.n_configurations)
    known = stopped(matrix)
    added = sum(
        share * known[name].added
        for name, share in zip(matrix.configurations, shares, strict=True)
        if name in known
    )
    assert added > 0.02
    assert less.stopping == pytest.approx(added)
    assert less.value == pytest.approx(plain.value + added)
    assert less.interval.lower == pytest.approx(plain.interval.lower + added)
    assert less.interval.upper == pytest.approx(plain.interval.upper + added)
    assert less.distribution.mean() == pytest.approx(less.value)
    assert less.naive == plain.naive
    assert plain.stopping is None


@pytest.mark.parametrize(
    ("plan", "names", "metric"),
    [
        (Plan(n_resamples=200), ["bbc"], "log-loss"),
        (Plan(n_resamples=200, pooling="fold-mean"), ["cvt", "naive"], "log-loss"),
        (Plan(n_resamples=200, pooling="fold-mean"), ["bbc"], "brier"),
    ],
)
def test_it_is_not_taken_off_other_figures(matrix, plan, names, metric):
    found, _ = estimate(matrix, metric, plan, names)
    assert [one.stopping for one in found] == [None] * len(names)


def test_it_is_taken_off_in_the_direction_of_the_metric(matrix):
    name, rows = "7_Default_ExtraTrees", matrix.folds[0]
    column, y = matrix.configurations.index(name), matrix.outcome.values
    own = [
        roc_auc_score(y[rows == fold], matrix.predictions[0, rows == fold, column])
        for fold in range(4)
    ]
    curves = [(value - 0.2, value, value - 0.1) for value in own[:3]]
    curves.append((own[3] - 0.3, own[3] - 0.2, own[3]))
    alone = with_curves(matrix, [FoldCurves(id=name, metric="auc", folds=tuple(curves))])
    found = stopped(alone)[name]
    assert found.by_others == (2, 2, 2, 2)
    assert found.added == pytest.approx(0.2 / 4)
    alone = alone.of_configurations(np.array([column]))
    plan = Plan(n_resamples=200, pooling="fold-mean")
    (less,), _ = estimate(alone, "auc", plan, ["bbc"])
    (plain,), _ = estimate(with_curves(alone, []), "auc", plan, ["bbc"])
    assert less.value == pytest.approx(plain.value - 0.05)
    assert less.interval.upper == pytest.approx(plain.interval.upper - 0.05)


def test_notes_and_sentences(matrix):
    result = correct(RUN)
    doubts = [note for note in notes(result) if note.code == "validity-flags"]
    assert [note.text.split(" stopped")[0] for note in doubts] == ["7_Default_ExtraTrees"]
    assert "0.051 with 150" in doubts[0].text
    assert "here there are 160" in doubts[0].text
    assert doubts[0].remedy == "as good without it: 2_Linear"
    assert "stopped-on-fold" not in codes(result)
    told = printed(result)
    added = stopped(matrix)["7_Default_ExtraTrees"].added
    assert f"expect rather {bbc(result).value + added:.3f}" in told
    assert "among 7 configurations, not for early stopping on the folds that score; N = 160" in told
    board = leaderboard(matrix, ["log-loss"], Plan(select="greedy", n_resamples=50))
    told = FORMS["table"].render([board], kind="leaderboard")
    assert "not for early stopping on the folds that score" in " ".join(told.split())
    taken = printed(correct(RUN, pooling="fold-mean"))
    assert "is taken off the figure" in taken
    assert "among 7 configurations and for early stopping on the folds that score it;" in taken


def test_a_winner_that_did_not_stop_is_in_no_doubt(matrix):
    result = correct(matrix.of_configurations(slice(0, 3)))
    assert bbc(result).winner == "2_Linear"
    assert "validity-flags" not in codes(result)
    assert codes(result).count("stopped-on-fold") == 1


def flagged_and_plain(n):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, n)
    alike = [y + rng.normal(0, 1, n) for _ in range(2)]
    plain, boosted = sorted(alike, key=lambda one: roc_auc_score(y, one))
    return pd.DataFrame({"truth": y, "boosted": boosted, "plain": plain, "bad": rng.random(n)})


@pytest.mark.parametrize(("n", "code"), [(299, "validity-flags"), (300, "stopped-on-fold")])
def test_many_samples_make_it_a_note_of_care(tmp_path, n, code):
    flagged_and_plain(n).to_csv(tmp_path / "p.csv", index=False)
    configs = [{"id": "boosted", "flags": [FLAG]}, {"id": "plain"}, {"id": "bad"}]
    about = {"spec": "bbc-predictions", "version": "1", "configs": configs}
    (tmp_path / "p.meta.json").write_text(json.dumps(about))
    result = bbccli.correct(tmp_path / "p.csv", metric="auc", n_resamples=200)
    assert bbc(result).winner == "boosted"
    assert codes(result).count(code) == 1
    assert ({"validity-flags", "stopped-on-fold"} - {code}).isdisjoint(codes(result))
    note = next(note for note in notes(result) if note.code == code)
    assert note.remedy == "as good without it: plain"


def test_comparisons_and_leaderboards_say_it_once(matrix):
    for result in (bbccli.compare(RUN), correct(RUN), leaderboard(matrix, ["log-loss"], Plan())):
        assert "stopped-on-fold" not in codes(result)
        assert codes(result).count("validity-flags") == 1
