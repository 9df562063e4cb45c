"""`tool`: the ensembles of real runs, made again by the rule of the tool."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from day import swept
from matrices import binary
from sklearn.metrics import f1_score

import bbccli
from bbccli import Plan
from bbccli.domain.source import Ensemble, ToolRun
from bbccli.metrics import METRICS
from bbccli.reading import read
from bbccli.reports import FORMS
from bbccli.stats.case import maker_of
from bbccli.stats.verification import verify
from bbccli.tools.autogluon import ensemble_of

DATA = Path(__file__).parent.parent / "data"
MLJAR, TOOLS = DATA / "runs", DATA / "tools"
GLUON = TOOLS / "autogluon"


def altered(folder: Path, **changes: object) -> Path:
    """A copy of a run of mljar whose file of the ensemble says something else."""
    run = shutil.copytree(MLJAR / "mljar", folder / "run")
    place = run / "Ensemble" / "ensemble.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | changes))
    return run


def ruled(matrix, rule: Ensemble):
    """The matrix as if a tool had chosen an ensemble by this rule."""
    run = replace(matrix.source.run or ToolRun(tool="mine"), ensemble=rule)
    return replace(matrix, source=replace(matrix.source, run=run))


def maker(matrix, metric: str, **plan: object):
    return maker_of(matrix, METRICS[metric], Plan(**plan))


RUNS = [f"mljar{one}" for one in ("", "_diabetes", "_lognormal", "_repeats", "_weights")]
RUNS += ["bag_extra", "bag_holdout", "bag_precision", "bag_rare", "bag_shuffled", "bag_zeros"]
RUNS += ["holdout", "holdout_dates", "holdout_numbers", "holdout_rare"]


@pytest.mark.parametrize("name", RUNS)
def test_members_weights_and_score_of_every_run(name: str):
    """What differs from those of the tool would not be taken."""
    matrix = read((MLJAR if name.startswith("mljar") else GLUON) / name)
    rule = matrix.source.run.ensemble
    threshold = 0.5 if rule.cuts == "grid" else None  # as its leaderboard
    found = bbccli.correct(matrix, metric=rule.metric, threshold=threshold, n_resamples=10)
    assert (found.winner, found.estimate.made.reported) == (rule.name, rule.score)
    assert found.naive == pytest.approx(rule.score, rel=1e-6, abs=1e-6)


def test_fit_extra_makes_its_ensemble_of_its_own_models():
    later = {"RandomForest_BAG_L1", "ExtraTrees_BAG_L1", "LinearModel_BAG_L1"}
    assert {*read(GLUON / "bag_extra").source.run.ensemble.candidates} == later


def test_weights_that_count_in_the_score_are_needed():
    run = GLUON / "bag_weights"
    found = bbccli.correct(run, labels=run / "train.csv", weight="w", n_resamples=50)
    assert found.winner == "WeightedEnsemble_L2"


@pytest.mark.parametrize(
    "changes",
    [
        {"rounds": 3},
        swept({"limit": 0.2}),
        swept({"score": 0.0876}),
        swept({"weights": (0.1,) * 10}),
        swept({"weights": ()}),
    ],
)
def test_another_rule_or_report_is_not_reproduced(changes: dict[str, object]):
    matrix = read(MLJAR / "mljar")
    other = ruled(matrix, replace(matrix.source.run.ensemble, **changes))
    assert bbccli.correct(other, n_resamples=10).winner == "10_LightGBM_GoldenFeatures"


def as_the_tool(matrix, rule: Ensemble, weights: np.ndarray) -> np.ndarray:
    """Repeat the code of the tools on the rows of one bag, with copies."""
    rows = np.repeat(np.arange(matrix.n_samples), weights)
    truth = matrix.outcome.values[rows].astype(float)
    columns = matrix.predictions[0][rows].T.astype(float)

    def loss(p: np.ndarray) -> float:
        if rule.metric == "accuracy":
            return 1 - np.mean((p > 0.5) == truth)
        return np.mean((p - truth) ** 2)

    pool = range(len(columns))
    if rule.kinds:
        single = [loss(p) for p in columns]
        pool = sorted(
            c
            for kind in set(rule.kinds)
            for c in sorted((c for c in pool if rule.kinds[c] == kind), key=single.__getitem__)[:1]
        )
    total, order, figures, rounding = 0.0, [], [], False
    random = np.random.RandomState(0)
    for n in range(rule.rounds):
        seconds = sum(rule.seconds[c] for c in set(order)) if rule.seconds else 0.0
        tried = {
            c: loss((total + columns[c]) / (n + 1))
            for c in pool
            if not rule.seconds or seconds + rule.seconds[c] <= rule.limit
        }
        if not tried:
            continue
        if rounding:
            tried = {c: round(one, 6) for c, one in tried.items()}
        least = min(tried.values())
        best = [c for c, one in tried.items() if np.isclose(one, least, atol=0, rtol=1e-12)]
        if rule.rounded:
            best = [c for c in best if c in order] or best
            chosen = int(random.choice(best))
            if n == 0 and abs(least) > 1e-4:
                rounding, least = True, round(least, 6)
        else:
            chosen = best[0]
        total, order, figures = total + columns[chosen], [*order, chosen], [*figures, least]
    first = next(n for n, one in enumerate(figures) if one <= min(figures) + 1e-15)
    return np.bincount(order[: first + 1], minlength=len(columns)) / (first + 1)


KINDS = ("a", "a", "b", "b", "b", "c")


@pytest.mark.parametrize(
    "changes",
    [
        {"metric": "brier"},
        {"metric": "accuracy"},
        {"metric": "brier", "seconds": (0.1, 0.2, 0.3, 0.1, 0.2, 0.4), "limit": 0.5},
        {"metric": "brier", "kinds": KINDS, "rounded": True},
        {"metric": "accuracy", "kinds": KINDS, "rounded": True},
        {"metric": "accuracy", "rounded": True},
    ],
)
def test_in_every_bag_the_rule_is_that_of_the_tool(changes: dict[str, object]):
    matrix = binary(60, 6, seed=5)
    rule = Ensemble(name="E", rounds=7, candidates=matrix.configurations, **changes)
    weights = np.random.default_rng(3).multinomial(60, np.full(60, 1 / 60), 25).astype(np.uint8)
    shares = maker(ruled(matrix, rule), "auc", select="tool").combine(weights)
    for bag, found in zip(weights, shares, strict=True):
        assert found == pytest.approx(as_the_tool(matrix, rule, bag), abs=1e-12)


def test_the_answer_is_of_what_the_tool_deploys():
    found = bbccli.correct(MLJAR / "mljar", n_resamples=200)
    (single,), (gain,) = found.record.single, found.record.gains
    made = found.estimate.made
    assert (found.winner, made.rule, made.tool) == ("Ensemble", "tool", "mljar")
    assert found.naive == pytest.approx(0.08755159, abs=1e-7)
    assert single.winner == "10_LightGBM_GoldenFeatures"
    assert gain.looked == pytest.approx(single.naive - found.naive)
    said = str(found)
    assert "The Ensemble that mljar deploys, made of 10_LightGBM (57%)" in said
    assert "left out" not in said
    alone = bbccli.correct(MLJAR / "mljar", n_resamples=200, select="best")
    assert (alone.winner, alone.naive, alone.value) == (single.winner, single.naive, single.value)


def test_no_ensemble_is_called_left_out_whose_rule_is_asked_for():
    asked = bbccli.correct(MLJAR / "mljar", n_resamples=50, select="tool").record
    assert asked == bbccli.correct(MLJAR / "mljar", n_resamples=50).record
    beside = bbccli.compare(MLJAR / "mljar", n_resamples=50, select="tool").record
    for record in (asked, beside):
        assert "flagged-left-out" not in {one.code for one in record.notes}
    plain = bbccli.compare(MLJAR / "mljar", n_resamples=50).record
    (left_out,) = (one for one in plain.notes if one.code == "flagged-left-out")
    assert left_out.remedy == "to correct the ensemble, give --select tool"
    fewer = bbccli.correct(MLJAR / "mljar", n_resamples=50, exclude=["5_Linear"]).record
    (left_out,) = (one for one in fewer.notes if one.code == "flagged-left-out")
    assert left_out.remedy == "to correct the ensemble, keep 5_Linear"


@pytest.mark.parametrize("members", [[], [{"model": "5_Linear", "repeat": 0}]])
def test_an_ensemble_without_members_is_none(tmp_path: Path, members: list):
    run = altered(tmp_path, selected_models=members)
    assert bbccli.correct(run, n_resamples=50).winner == "10_LightGBM_GoldenFeatures"


def test_an_ensemble_of_one_model_is_named_as_such():
    said = str(bbccli.correct(MLJAR / "mljar_weights", n_resamples=50))
    assert "The Ensemble that mljar deploys, 3_Linear alone, scored 0.953" in said


def test_members_are_chosen_by_the_metric_of_the_tool():
    found = bbccli.correct(MLJAR / "mljar", metric="accuracy", n_resamples=50)
    assert found.estimate.selected_by == "log-loss"
    assert found.estimate.made.members[0].configuration == "10_LightGBM"


@pytest.mark.parametrize(
    "options",
    [
        {"exclude": ["5_Linear"]},
        swept({"method": "tt"}),
        swept({"include": ["all"]}),
        swept({"interval": "sharp"}),
    ],
)
def test_who_asks_for_something_else_gets_the_best_single_model(options: dict[str, object]):
    found = bbccli.correct(MLJAR / "mljar", n_resamples=50, **options)
    assert found.estimate.made is None
    assert not [n for n in found.record.notes if n.code == "ensemble-not-reproduced"]


def test_what_is_not_reproduced_is_doubted_with_both_scores(tmp_path: Path):
    found = bbccli.correct(altered(tmp_path, final_loss=0.0812), n_resamples=50)
    assert found.winner == "10_LightGBM_GoldenFeatures"
    (note,) = [n for n in found.record.notes if n.code == "ensemble-not-reproduced"]
    assert "log-loss 0.0875516, and mljar reports 0.0812; so" in note.text


def why_not(run: Path, **options: object) -> str:
    found = bbccli.correct(run, n_resamples=50, **options)
    return next(n.text for n in found.record.notes if n.code == "ensemble-not-reproduced")


def test_why_it_is_not_reproduced_is_said_where_it_is_known(tmp_path: Path):
    copies = "because it chose by 11 more rows, copies of rows of rare classes"
    assert copies in why_not(TOOLS / "mljar_rare")
    assert "the run scored with weights" in why_not(MLJAR / "mljar_weights", unweighted=True)
    assert "single models differ too" in why_not(GLUON / "bag_weights", verify=False)
    members = json.loads((MLJAR / "mljar" / "Ensemble" / "ensemble.json").read_text())
    members["selected_models"][0]["repeat"] += 1
    other = why_not(altered(tmp_path, **members))
    assert "rule reaches its log-loss, 0.0875516, with other members" in other


def test_mljar_ranks_without_weights():
    """The leaderboard, and the choice of members."""
    run = TOOLS / "mljar_ranks"
    matrix = read(run)
    assert matrix.outcome.weights is not None
    assert bbccli.correct(matrix, n_resamples=10).winner == "Ensemble"
    other = ruled(matrix, replace(matrix.source.run.ensemble, unweighted=False))
    assert bbccli.correct(other, n_resamples=10).winner != "Ensemble"
    verification = verify(matrix)
    # the targets of a model that scales them are equal no more
    assert (verification.n_checked, verification.largest_difference < 1e-9) == (2, True)


def test_a_stack_is_said_to_be_none_of_the_candidates():
    run = MLJAR / "autogluon"
    found = bbccli.correct(run, labels=run / "train.csv", n_resamples=50)
    (note,) = [n for n in found.record.notes if n.code == "deployed-is-stacked"]
    assert "AutoGluon deploys WeightedEnsemble_L3" in note.text
    with pytest.raises(bbccli.BbcError, match="fitted to predictions of others"):
        bbccli.correct(run, labels=run / "train.csv", select="tool")


def test_the_rule_of_a_tool_needs_a_tool():
    with pytest.raises(bbccli.BbcError, match="none is known here"):
        bbccli.correct(binary(60, 6, seed=5), select="tool")
    with pytest.raises(bbccli.BbcError, match="none is known here") as refused:
        bbccli.correct(binary(60, 6, seed=5), metric="f1", threshold="tool")
    assert refused.value.hint == 'threshold="tuned"'


def test_a_tool_selects_first_and_then_cuts():
    """Not the configuration whose best cut is best, even where both are by one metric."""
    matrix, metric = read(MLJAR / "mljar"), METRICS["accuracy"]
    assert matrix.source.run.ensemble.cut_for == metric.name
    weights = np.random.default_rng(2).multinomial(569, np.full(569, 1 / 569), 20).astype(np.uint16)
    selected, jointly = (
        maker(matrix, "accuracy", cut=cut).combine(weights) for cut in ("tool", "tuned")
    )
    best = metric.direction.best(metric.bind(matrix.outcome, matrix.predictions[0] > 0.5)(weights))
    assert selected.argmax(axis=1).tolist() == best.tolist()
    assert (selected != jointly).any()


@pytest.mark.parametrize("name", ["mljar", "mljar_repeats", "mljar_weights"])
def test_the_cut_of_mljar_is_found_again(name: str):
    matrix = read(MLJAR / name)
    made = maker(matrix, "accuracy", select="tool", cut="tool")
    assert made.of_all.cuts == pytest.approx([matrix.source.run.ensemble.cut], abs=1e-12)


def cuts_of(matrix, scores: np.ndarray, cut_for: str, cuts: str, weights: np.ndarray):
    """Cuts (B,) of the only candidate of a tool in bags (B, N)."""
    rule = Ensemble(
        name="E", metric="auc", candidates=("only",), rounds=1, cuts=cuts, cut_for=cut_for
    )
    only = replace(
        matrix.of_configurations([0]), predictions=scores[None, :, None], configurations=("only",)
    )
    made = maker(ruled(only, rule), cut_for, select="tool", cut="tool")
    return made.steps(weights, np.ones((len(weights), 1))).cuts


def test_cuts_of_mljar_in_bags_are_those_of_the_copies():
    matrix = read(MLJAR / "mljar_weights")
    rng = np.random.default_rng(1)
    weights = rng.multinomial(150, np.full(150, 1 / 150), 6).astype(np.uint8)
    truth, masses = matrix.outcome.values, matrix.outcome.weights
    # a bag of positives alone: the lowest cut, below them all, is best
    weights = np.vstack([weights, truth == 1]).astype(np.uint8)
    for column in (rng.uniform(size=150).round(2), np.linspace(0.5, 0.9, 150)):
        found = cuts_of(matrix, column, "accuracy", "quantiles", weights)
        for bag, cut in zip(weights, found, strict=True):
            rows = np.repeat(np.arange(150), bag)
            assert cut == pytest.approx(
                as_mljar(column[rows], truth[rows], masses[rows]), abs=1e-15
            )
        assert cut == pytest.approx(0.9 * column[rows].min())


def as_mljar(column: np.ndarray, truth: np.ndarray, masses: np.ndarray) -> float:
    """The first best of cuts between scores that are a hundredth of the rows apart."""
    scores = np.sort(column)
    cuts, right = [], []
    for i in range(100):
        k = i * max(1, len(scores) // 100)
        if k + 1 >= len(scores):
            break
        cut = 0.9 * scores[0] if i == 0 else 0.5 * (scores[k] + scores[k + 1])
        if not (column > cut).any():
            break
        cuts.append(cut)
        right.append(np.average((column > cut) == truth, weights=masses))
    return cuts[np.flatnonzero(np.array(right) >= max(right) - 1e-12)[0]]


def as_autogluon(truth: np.ndarray, scores: np.ndarray) -> float:
    """Repeat AutoGluon's calibrate_decision_threshold."""
    coarse = [0.5, *(0.5 + sign * i / 50 for i in range(1, 26) for sign in (-1, 1))]
    best, chosen = -1.0, 0.5

    def better(cut: float) -> bool:
        value = f1_score(truth, scores > np.float32(cut), zero_division=0)
        return value > best or (value == best and abs(cut - 0.5) < abs(chosen - 0.5))

    for cut in coarse:
        if better(cut):
            best, chosen = f1_score(truth, scores > np.float32(cut), zero_division=0), cut
    at, places, start = sorted(coarse).index(chosen), sorted(coarse), chosen
    for other in (at - 1, at + 1):
        for i in range(19 * (0 <= other < 51)):
            cut = start + (start - places[other]) * ((i + 1) / 20)
            if better(cut):
                best, chosen = f1_score(truth, scores > np.float32(cut), zero_division=0), cut
    return chosen


@pytest.mark.parametrize("digits", [9, 1])
def test_cuts_of_autogluon_in_bags(digits: int):
    matrix = read(GLUON / "bag_shuffled")
    rng = np.random.default_rng(2)
    column = rng.beta(0.7, 1.5, size=60).round(digits)
    weights = rng.multinomial(60, np.full(60, 1 / 60), 6).astype(np.uint8)
    found = cuts_of(matrix, column, "f1", "grid", weights)
    for bag, cut in zip(weights, found, strict=True):
        rows = np.repeat(np.arange(60), bag)
        expected = as_autogluon(matrix.outcome.values[rows], column[rows].astype(np.float32))
        assert cut == pytest.approx(expected, abs=1e-7)


def test_labels_are_taken_at_the_cut_of_predict():
    found = bbccli.correct(MLJAR / "mljar", metric="accuracy", n_resamples=100)
    matrix = found.matrix
    made = maker(matrix, "accuracy", select="tool").of_all.made[0, :, 0]
    at_cut = np.mean((made > 0.7300679897678) == matrix.outcome.values)
    assert (found.naive, found.estimate.made.cut) == pytest.approx((at_cut, 0.7300679897678))
    half = bbccli.correct(MLJAR / "mljar", metric="accuracy", n_resamples=100, threshold=0.5)
    assert half.naive == pytest.approx(np.mean((made > 0.5) == matrix.outcome.values))
    assert half.winner == "Ensemble"


@pytest.mark.parametrize(
    ("metric", "n_classes", "cuts"),
    [
        ("f1", 1, "grid"),
        ("mcc", 1, "grid"),
        ("log-loss", 1, ""),
        ("auc", 1, ""),
        ("f1-macro", 3, ""),
    ],
)
def test_a_cut_is_tuned_for_labels_of_two_classes_alone(tmp_path: Path, metric, n_classes, cuts):
    first, second = np.random.default_rng(0).random((2, 80, n_classes)).squeeze()
    names = ("LightGBM_BAG_L1", "KNeighbors_BAG_L1", "WeightedEnsemble_L2")
    predictions = dict(zip(names, (first, second, (first + second) / 2), strict=True))
    flags = {name: ["ensemble"] * (name == names[2]) for name in names}
    scores, order = (
        dict(zip(names, (0.6, 0.6, 0.7), strict=True)),
        dict(zip(names, (1, 2, 3), strict=True)),
    )
    if metric == "log-loss":
        scores = {name: 1 - score for name, score in scores.items()}
    rule = ensemble_of(scores, order, predictions, flags, metric, tmp_path)
    assert (rule.weights, rule.cuts) == (pytest.approx((0.5, 0.5)), cuts)


def test_labels_of_a_run_by_another_metric_are_taken_at_one_half():
    found = bbccli.correct(GLUON / "bag_extra", metric="f1", n_resamples=20)
    assert (found.winner, found.estimate.made.cut) == ("WeightedEnsemble_2_L2", None)


def test_a_cut_that_is_not_found_again_is_left_at_one_half(tmp_path: Path):
    run = altered(tmp_path, threshold=0.61)
    found = bbccli.correct(run, metric="accuracy", n_resamples=50)
    assert (found.winner, found.estimate.made.cut) == ("Ensemble", None)


def test_the_figure_of_the_leaderboard_is_named():
    found = bbccli.correct(GLUON / "bag_shuffled", n_resamples=50)
    said = FORMS["markdown"](found.document)
    assert "cut at 0.312, tuned for F1, scored" in said
    assert "predict cuts at 0.312; its leaderboard shows 0.820, cut at 0.5" in said


@pytest.mark.parametrize(
    "options",
    [
        {"select": "tool", "threshold": "tuned:f1"},
        {"select": "tool", "threshold": "tool", "calibrate": "platt"},
        {"metric": ["auc", "f1"], "threshold": "tool"},
    ],
)
def test_another_cut_is_not_said_to_be_that_of_predict(options: dict):
    found = bbccli.correct(GLUON / "bag_shuffled", n_resamples=20, **options)
    assert found.estimate.made.cut is not None
    assert "its leaderboard shows" not in FORMS["markdown"](found.document)


@pytest.mark.parametrize(
    ("much", "too_much", "options", "expected"),
    [
        (1e9, 3e9, {}, ("Ensemble", 1000)),
        swept(1e6, 3e9, {}, ("Ensemble", 200)),
        swept(1e6, 3e9, {"n_resamples": 300}, ("Ensemble", 300)),
        (1e6, 3e9, {"n_resamples": "1000"}, ("Ensemble", 1000)),
        swept(1e6, 1e6, {}, ("10_LightGBM_GoldenFeatures", 1000)),
        swept(1e6, 1e6, {"select": "tool", "n_resamples": 50}, ("Ensemble", 50)),
    ],
)
def test_long_work_takes_fewer_resamples_or_is_left_out(
    monkeypatch: pytest.MonkeyPatch, much, too_much, options, expected
):
    monkeypatch.setattr("bbccli.use_cases.correct.MUCH", much)
    monkeypatch.setattr("bbccli.use_cases.correct.TOO_MUCH", too_much)
    found = bbccli.correct(MLJAR / "mljar", **options)
    assert (found.winner, found.estimate.n_resamples) == expected
    told = [n.code for n in found.record.notes]
    assert ("ensemble-not-repeated" in told) is (expected[0] != "Ensemble")


def test_a_single_member_is_told_in_the_singular():
    found = bbccli.correct(GLUON / "holdout", n_resamples=40)
    text = " ".join(FORMS["table"](found.document).split())
    assert found.estimate.made.mean_members == 1
    assert "repeated in 40 resamples: 1 member on average, most often" in text
