"""All configurations, best first: against `correct`, scikit-learn and plain loops."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from textwrap import dedent
from types import MappingProxyType

import jsonschema
import numpy as np
import pytest
from matrices import binary, by_hand, of, regression
from sklearn.metrics import accuracy_score, roc_auc_score

from bbccli import METHODS, METRICS, Plan
from bbccli.documents.leaderboard import leaderboard
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import Source
from bbccli.errors import UnsupportedError
from bbccli.platform.records import Document
from bbccli.reports import FORMS, Kind, Style
from bbccli.reports.forms.json_schema import json_schema
from bbccli.types import Pooling, PredictionKind, Select, Task

PLAN = Plan(n_resamples=50)
AUC = METRICS["auc"]


def board(matrix, *metrics, plan=PLAN, **more):
    return leaderboard(matrix, [METRICS[name] for name in metrics], plan, **more)


def column(found, key, metric=0):
    """Figures by configuration, NaN for null."""
    values = {row["configuration"]: row["performances"][metric][key] for row in found["rows"]}
    return {name: np.nan if value is None else value for name, value in values.items()}


def telling(matrix, *entries, path="m.csv"):
    return replace(matrix, source=Source(path, metadata=MappingProxyType({"configs": entries})))


def table(found, width=80):
    return FORMS["table"].render([found], Style(width=width), Kind.LEADERBOARD)


def rows_of_csv(found):
    text = FORMS["csv"].render([found], Style(), Kind.LEADERBOARD)
    return list(csv.DictReader(io.StringIO(text)))


# The numbers


@pytest.mark.sweep
@pytest.mark.parametrize("n_repeats", [1, 3])
def test_performances_are_those_of_a_loop_with_scikit_learn(n_repeats):
    matrix = binary(n_repeats=n_repeats)
    found, truth = board(matrix, "auc", "accuracy", wins=False), matrix.outcome.values
    for c, name in enumerate(matrix.configurations):
        for position, score in enumerate((roc_auc_score, lambda t, p: accuracy_score(t, p > 0.5))):
            said = matrix.predictions[..., c]
            pooled = np.mean([score(truth, one) for one in said])
            in_folds = [
                [score(truth[folds == f], one[folds == f]) for f in range(5)]
                for one, folds in zip(said, matrix.folds, strict=True)
            ]
            assert column(found, "pooled", position)[name] == pytest.approx(pooled, rel=1e-12)
            mean = pytest.approx(np.mean(in_folds), rel=1e-12)
            assert column(found, "fold_mean", position)[name] == mean
            spread = pytest.approx(np.std(in_folds, ddof=1), rel=1e-12)
            assert column(found, "fold_sd", position)[name] == spread


def test_logarithms_are_clipped_as_correct_does():
    matrix, plan = binary(), replace(PLAN, clip=0.2)
    found, naive = board(matrix, "log-loss", plan=plan), METHODS["cvt"]
    naive = naive.run(matrix, METRICS["log-loss"], plan).naive
    assert found["rows"][0]["performances"][0]["value"] == pytest.approx(naive, rel=1e-12)
    assert column(found, "value") != column(board(matrix, "log-loss", wins=False), "value")


@pytest.mark.parametrize("pooling", Pooling)
def test_the_first_row_has_the_naive_figure_of_correct(pooling):
    matrix, plan = binary(n_repeats=2), replace(PLAN, pooling=pooling)
    found, naive = board(matrix, "auc", plan=plan), METHODS["cvt"].run(matrix, AUC, plan)
    first = found["rows"][0]
    assert (first["rank"], first["configuration"]) == (1, naive.winner) == (1, found["winner"])
    assert first["performances"][0]["value"] == pytest.approx(naive.naive, rel=1e-12)
    key = {Pooling.POOLED: "pooled", Pooling.FOLD_MEAN: "fold_mean"}.get(pooling)
    assert key is None or column(found, key) == column(found, "value")


def test_wins_and_the_corrected_figure_are_those_of_bbc():
    matrix = binary()
    found, bbc = board(matrix, "auc", "accuracy"), METHODS["bbc"].run(matrix, AUC, PLAN)
    shares = dict(zip(matrix.configurations, bbc.distribution.shares(7), strict=True))
    assert {row["configuration"]: row["wins"] for row in found["rows"]} == shares
    assert sum(shares.values()) == pytest.approx(1)
    assert found["corrected"]["value"] == bbc.value < bbc.naive
    assert found["corrected"]["metric"] == "auc"


def test_without_wins_nothing_is_resampled(monkeypatch):
    monkeypatch.setattr("bbccli.documents.leaderboard.estimate", None)
    found = board(binary(), "auc", wins=False)
    assert found["corrected"] is None
    assert {row["wins"] for row in found["rows"]} == {None}


def test_where_bbc_cannot_be_computed_the_rest_is_shown():
    matrix = by_hand()
    lone = replace(matrix.outcome, values=np.array([0, 0, 0, 0, 0, 1]))
    found = board(replace(matrix, outcome=lone), "auc")
    assert found["corrected"] is None
    (note,) = (note for note in found["notes"] if note["code"] == "method-left-out")
    assert "single sample" in note["text"]
    assert all(column(found, "pooled").values())


def test_without_folds_there_is_no_mean_over_them():
    found = board(replace(binary(), folds=None, fold_names=()), "auc", wins=False)
    assert all(
        np.isnan(list(column(found, key).values())).all() for key in ("fold_mean", "fold_sd")
    )
    assert not np.isnan(list(column(found, "pooled").values())).any()
    assert "fold-mean" not in table(found)


def test_a_loss_is_sorted_upwards():
    found = board(regression(), "rmse", wins=False)
    values = list(column(found, "value").values())
    assert values == sorted(values)
    assert found["direction"] == "minimize"


@pytest.mark.parametrize(
    ("metric", "order", "ranks"),
    [
        ("mean-score", ["c3", "c0", "c1", "c2", "c4"], [1, 2, 2, 4, 4]),
        ("mean-loss", ["c2", "c4", "c0", "c1", "c3"], [1, 1, 3, 3, 5]),
    ],
)
def test_ties_share_a_rank_in_the_order_of_the_columns(metric, order, ranks):
    scores = np.tile([0.9, 0.9 * (1 + 1e-15), 0.8, 0.95, 0.8], (1, 2, 1))
    matrix = of(Outcome(Task.SCORE, np.zeros(2)), scores, PredictionKind.VALUE, 2)
    rows = board(matrix, metric, wins=False)["rows"]
    assert [row["configuration"] for row in rows] == order
    assert [row["rank"] for row in rows] == ranks


def test_what_cannot_be_scored_comes_last_without_a_rank():
    matrix = binary()
    never = np.where(np.arange(7) == 6, 0.0, matrix.predictions)  # no positive: no precision
    found = board(replace(matrix, predictions=never), "precision", wins=False)
    last = found["rows"][-1]
    assert (last["configuration"], last["rank"]) == ("c6", None)
    assert last["performances"][0] == dict.fromkeys(("value", "pooled", "fold_mean", "fold_sd")) | {
        "metric": "precision"
    }
    assert rows_of_csv(found)[-1]["rank"] == ""


def test_the_winner_by_another_rule_need_not_come_first():
    found = board(
        binary(n_configurations=30), "auc", plan=replace(PLAN, select=Select.ONE_SE), wins=False
    )
    assert found["winner"] != found["rows"][0]["configuration"]
    assert "one-se-winner" in [note["code"] for note in found["notes"]]


def test_a_metric_that_is_not_of_pairs_is_refused_within_folds():
    with pytest.raises(UnsupportedError, match="not made of pairs"):
        board(binary(), "auc", "accuracy", plan=replace(PLAN, pooling=Pooling.WITHIN_FOLDS))


def test_predictions_are_counted_where_there_are_some():
    matrix, there = binary(n_repeats=2), np.ones((2, 40, 7), bool)
    assert {row["n_predictions"] for row in board(matrix, "auc", wins=False)["rows"]} == {80}
    there[0, :15, 2] = False
    found = board(replace(matrix, available=there), "auc", wins=False)
    counts = {row["configuration"]: row["n_predictions"] for row in found["rows"]}
    assert counts == dict.fromkeys(matrix.configurations, 80) | {"c2": 65}
    assert "predictions" in table(found)


# The metadata


@pytest.mark.parametrize("seconds", [0, 0.25, True, -1.0, float("inf"), float("nan"), "soon"])
def test_flags_and_times_are_those_of_the_metadata_where_they_are_finite_numbers(seconds):
    entry = {"id": "c1", "flags": ["oob", "rounded"], "seconds": seconds}
    found = board(telling(binary(), entry), "auc", wins=False)
    is_one = seconds in (0, 0.25) and seconds is not True
    told = {row["configuration"]: (row["flags"], row["seconds"]) for row in found["rows"]}
    assert told.pop("c1") == (["oob", "rounded"], seconds if is_one else None)
    assert [one for one in told.values() if one != ([], None)] == []
    rows = rows_of_csv(found)
    if is_one:
        assert {row["seconds"] for row in rows} == {"", str(float(seconds))}
    else:
        assert "seconds" not in table(found) and "seconds" not in rows[0]


# The reports


def test_the_document_follows_the_schema():
    schema = json_schema()
    schema |= {"$ref": "#/$defs/LeaderboardDocument"}
    for found in (board(binary(), "auc"), board(by_hand(), "accuracy", wins=False, top=1)):
        said = json.loads(FORMS["json"].render([found], Style(), Kind.LEADERBOARD))
        jsonschema.Draft202012Validator(schema).validate(said)
        assert isinstance(found, Document)
        assert found["command"] == "leaderboard"


def test_csv_has_all_rows_and_every_metric():
    found = board(binary(n_configurations=60), "auc", "accuracy")
    rows = rows_of_csv(found)
    assert len(rows) == 120
    assert [row["metric"] for row in rows[:4]] == ["auc", "accuracy"] * 2
    assert [row["winner"] for row in rows] == ["true"] * 2 + ["false"] * 118
    assert [float(row["wins"]) for row in rows[::2]] == [row["wins"] for row in found["rows"]]
    assert float(rows[3]["pooled"]) == found["rows"][1]["performances"][1]["pooled"]


GOLDEN = """\
    by_hand.csv   binary (positive: yes), 6 samples x 2 configurations, 3 folds,
    accuracy

    a has accuracy 0.833, and was picked for it among 2: report the figure of bbc
    correct instead.

      rank  configuration  accuracy  fold means     sd  seconds  flags
    >    1  a                 0.833       0.833  0.289      1.5  oob
         2  b                 0.667       0.667  0.577
    sorted by accuracy, pooled predictions
"""


def test_the_table_to_the_letter():
    told = telling(by_hand(), {"id": "a", "flags": ["oob"], "seconds": 1.5}, path="by_hand.csv")
    assert table(board(told, "accuracy", wins=False)) == dedent(GOLDEN)


def test_the_answer_is_that_of_correct():
    found = board(binary(), "auc")
    text = " ".join(table(found).split())
    value, naive = (f"{found['corrected'][key]:.3f}" for key in ("value", "naive"))
    assert f"{found['winner']} scored {naive} in cross-validation, the best of 7." in text
    assert f"Expect {value} on new samples (95% CI" in text
    assert f"report AUC {value} (95% CI" in text
    assert "not corrected" not in text


def test_names_are_escaped_and_never_markup():
    names = ("[red]a\x1b[31m\n", "=b()", *(f"c{c}" for c in range(5)))
    hostile = telling(replace(binary(), configurations=names), path="[bold]p\r.csv")
    hostile = replace(
        hostile,
        source=replace(
            hostile.source, metadata={"configs": [{"id": "c4", "flags": ["[dim]x\x07"]}]}
        ),
    )
    found = board(hostile, "auc", wins=False)
    text = table(found, 200)
    for shown in (r"[red]a\x1b[31m\n", r"[bold]p\r.csv", r"[dim]x\x07"):
        assert shown in text
    rows = {row["configuration"]: row for row in rows_of_csv(found)}
    assert {r"[red]a\x1b[31m\n", "'=b()"} < set(rows)
    assert rows["c4"]["flags"] == r"[dim]x\x07"


# The command


def test_the_command_agrees_with_correct(run, samples):
    path, options = samples / "progression.parquet", ("--n-resamples", "50", "--format", "json")
    status, out, err = run("leaderboard", path, *options)
    found = json.loads(out)
    correct = json.loads(run("correct", path, *options, "--method", "bbc")[1])
    assert (status, len(found["rows"]), found["input"]) == (0, 177, correct["input"])
    assert found["corrected"] == correct["estimates"][0]
    wins = {row["configuration"]: row["wins"] for row in found["rows"]}
    for share in correct["estimates"][0]["selection"]:
        assert wins[share["configuration"]] == share["share"]
    assert "not corrected" in err


def test_a_figure_that_bbc_can_not_correct_is_not_to_be_reported(run, tmp_path):
    (tmp_path / "p.csv").write_text("truth,a,b\n0,.1,.2\n1,.8,.7\n")
    words = " ".join(run("leaderboard", tmp_path / "p.csv")[1].split())
    assert "picked for it among 2: don't report that figure." in words


@pytest.mark.sweep
def test_a_table_is_cut_and_the_rest_is_not(run, samples, tmp_path):
    path = samples / "progression.parquet"
    out = run.silent("leaderboard", path, "--no-wins")
    assert "report the figure of bbc correct instead." in " ".join(out.split())
    assert "162 more: --top 177" in out
    assert "172 more: --top 177" in run("leaderboard", path, "--no-wins", "--top", "5")[1]
    file = tmp_path / "l.csv"
    assert run("leaderboard", path, "--no-wins", "--output", file, "--quiet") == (0, "", "")
    assert len(file.read_text().splitlines()) == 178
    run("leaderboard", path, "--no-wins", "--output", file, "--quiet", "--top", "3")
    assert len(file.read_text().splitlines()) == 4


def test_options_that_cannot_be(run, samples):
    path = samples / "progression.parquet"
    assert "--top is 0" in run.refused("leaderboard", path, "--top", "0")
    assert run("leaderboard", path, "--fail-under", "0.8")[0] == 2
    assert run("leaderboard", path, "--output", path)[0] == 2
