"""What is made in `compare`, `leaderboard`, `batch`, `explain`; and of a single configuration."""

import csv
import json

import numpy as np
import pytest
from day import swept
from making import loops
from matrices import binary, regression

from bbccli import METRICS, Plan, compare, correct
from bbccli.comparisons import between_families
from bbccli.documents.leaderboard import leaderboard
from bbccli.errors import OptionError, UnsupportedError
from bbccli.metrics.capped import with_plan
from bbccli.reports import FORMS
from bbccli.stats.case import maker_of
from bbccli.stats.resampling import draws_of


def test_the_difference_is_that_of_a_slow_loop():
    """Against a baseline: both scored out of the same bags, the baseline as it is."""
    matrix, options = binary(n_samples=40, seed=2), {"metric": "brier", "n_resamples": 30}
    found = compare(matrix, select="mean:3", baseline="c1", **options).comparison
    drawn = draws_of(40, None, 0).batch(0, 1).in_bag[:30]
    differences = []
    for w in drawn:
        shares, out = loops.mean(matrix, "brier", w, 3), (w == 0).astype(int)
        made = np.einsum("rnc,c->rn", matrix.predictions, shares)
        ours, theirs = (
            loops.figure(matrix, "brier", out, one) for one in (made, matrix.predictions[:, :, 1])
        )
        differences.append(theirs - ours)
    assert found.corrected == pytest.approx(np.mean(differences), abs=1e-10)
    assert (found.first, found.second) == ("the mean:3 ensemble", "c1")
    low, high = np.quantile(differences, [0.025, 0.975], method="inverted_cdf")
    assert found.interval.lower == pytest.approx(low, abs=0.01)
    assert found.interval.upper == pytest.approx(high, abs=0.01)
    assert found.verdict == ("better" if found.interval.lower > 0 else "not-shown")


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "log-loss", "select": "greedy:4"},
        swept({"metric": "f1", "threshold": "tuned"}),
        swept({"metric": "brier", "calibrate": "isotonic"}),
        swept({"metric": "mcc", "select": "mean:2", "threshold": "tuned", "calibrate": "platt"}),
    ],
)
def test_alone_it_is_the_gain_that_correct_gives(options):
    matrix = binary(n_samples=60, seed=1)
    result = compare(matrix, n_resamples=60, **options)
    (gain,) = correct(matrix, n_resamples=60, **options).record.gains
    assert result.corrected == pytest.approx(gain.value, abs=1e-12)
    assert result.difference == pytest.approx(gain.looked, abs=1e-12)
    assert result.interval == pytest.approx((gain.interval.lower, gain.interval.upper), abs=1e-12)
    assert "all that was chosen on these samples" in result.sentence()
    assert result.best_set is None
    assert "family" not in FORMS["table"].render([result.document], kind="compare")


@pytest.mark.parametrize(
    ("options", "first", "second"),
    [
        ({"threshold": "tuned"}, "the winner with a tuned cut", "the winner as it is"),
        ({"select": "mean:2"}, "the mean:2 ensemble", "the best single configuration"),
        (
            {"select": "mean:2", "threshold": "tuned", "calibrate": "platt"},
            "the mean:2 ensemble with platt calibration and a tuned cut",
            "the best single configuration",
        ),
    ],
)
def test_both_sides_are_named(options, first, second):
    found = compare(binary(n_samples=60, seed=1), metric="f1", n_resamples=20, **options)
    (only,) = found.record.comparisons
    assert (only.first, only.second) == (first, second)


def test_a_margin_and_a_verdict_go_with_it():
    options = {"metric": "brier", "select": "mean:3", "n_resamples": 60}
    matrix = binary(n_samples=60, seed=1)
    found = compare(matrix, margin=0.5, fail_unless="not-worse", **options)
    assert found.verdict == "not-worse"
    assert found.record.gate.outcome == "met"


def test_families_make_their_own():
    matrix = binary(n_samples=60, seed=3)
    families = {"one": [0, 1, 2], "two": [3, 4, 5, 6]}
    metric, plan = METRICS["brier"], Plan(n_resamples=40, select="mean:2")
    (found,) = between_families(matrix, metric, plan, families)
    values = {}
    for name, columns in families.items():
        part = matrix.of_configurations(np.array(columns))
        maker = maker_of(part, with_plan(metric, plan), plan)
        drawn = draws_of(60, None, 0).batch(0, 1)
        bags = drawn.in_bag[:40]
        shares = maker.combine(bags)
        values[name] = maker.score(
            with_plan(metric, plan), plan.pooling, bags, shares, (bags == 0).astype(np.uint8)
        )
    expected = np.mean(values[found.second] - values[found.first])
    assert found.corrected == pytest.approx(expected, abs=1e-12)
    assert found.first_selected == found.second_selected == "mean:2"
    assert any(note.code == "unequal-budgets" for note in found.notes)


@pytest.mark.parametrize("kind", [{"pair": ("c0", "c1")}, {"test": "all"}])
def test_tests_of_pairs_are_of_configurations_as_they_are(kind):
    with pytest.raises(UnsupportedError, match="as they are"):
        compare(binary(), select="mean:2", **kind)


def test_an_unknown_baseline_is_refused():
    with pytest.raises(OptionError, match="no configuration 'zz'"):
        compare(binary(), select="mean:2", baseline="zz")


@pytest.mark.parametrize("wins", [True, False])
def test_what_is_made_leads_the_leaderboard(wins):
    matrix, plan = binary(n_samples=60, seed=1), Plan(n_resamples=40, select="mean:3")
    metrics = ["brier", "auc"]
    record = leaderboard(matrix, metrics, plan, wins=wins, top=2).record
    made, *others = record.rows
    assert (made.made, made.rank, made.configuration) == (True, None, "mean:3")
    assert [row.rank for row in others] == [1, 2]
    assert not any(row.made for row in others)
    assert record.winner == "mean:3"
    shares = loops.mean(matrix, "brier", np.ones(60, int), 3)
    own = np.einsum("rnc,c->rn", matrix.predictions, shares)
    for performance in made.performances:
        expected = loops.figure(matrix, performance.metric, np.ones(60, int), own)
        assert performance.pooled == pytest.approx(expected, abs=1e-10)
    plain = leaderboard(matrix, metrics, Plan(n_resamples=40), wins=False, top=2).record
    assert others == list(plain.rows)
    text = " ".join(
        FORMS["table"]
        .render([leaderboard(matrix, metrics, plan, wins=wins)], kind="leaderboard")
        .split()
    )
    assert "> mean:3" in text
    if wins:
        assert record.corrected.made.ensemble
        assert "The mean:3 ensemble" in text
        assert "members on average" in text
    else:
        assert "was made for it of 7" in text


def test_a_leaderboard_tells_a_configuration_at_its_cut_from_itself():
    matrix = binary(n_samples=60, seed=1)
    plan = Plan(n_resamples=20, cut="tuned", calibrate="platt")
    record = leaderboard(matrix, "f1", plan).record
    made = record.rows[0]
    name = made.configuration.removesuffix(", platt, tuned for F1")
    assert name in matrix.configurations
    (row,) = (one for one in record.rows if one.configuration == name)
    assert made.performances[0].value >= row.performances[0].value
    assert record.winner == made.configuration


def written(path, matrix):
    columns = [matrix.outcome.values, *matrix.predictions[0].T]
    lines = [",".join(["y", *matrix.configurations])]
    lines += [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines))


def test_a_batch_makes_of_every_file(run, tmp_path):
    for name, matrix in (("a", binary(n_samples=60)), ("b", regression(n_samples=50))):
        written(tmp_path / f"{name}.csv", matrix)
    where = tmp_path / "out.csv"
    run("batch", f"{tmp_path}/[ab].csv", "--select", "greedy:3", "-o", where, "--n-resamples", "20")
    rows = list(csv.DictReader(where.read_text().splitlines()))
    assert {row["select"] for row in rows} == {"greedy:3"}
    assert {row["winner"] for row in rows} == {"greedy:3"}
    assert {row["task"] for row in rows} == {"binary", "regression"}
    assert all(bool(row["gain"]) == bool(row["lower"]) for row in rows)


def test_a_batch_tells_calibration_cut_and_gain(run, tmp_path):
    written(tmp_path / "a.csv", binary(n_samples=60))
    shared = ("--metric", "f1", "--n-resamples", "20", "--seed", "3")

    def row_of(*options):
        where = tmp_path / "out.csv"
        run("batch", f"{tmp_path}/a.csv", *shared, *options, "-o", where)
        return list(csv.DictReader(where.read_text().splitlines()))[-1]

    row = row_of("--threshold", "tuned", "--calibrate", "platt")
    made = correct(
        tmp_path / "a.csv", metric="f1", n_resamples=20, random_state=3, threshold="tuned",
        calibrate="platt",
    )  # fmt: skip
    (gain,) = made.document.record.gains
    assert [row["calibration"], row["tuned_for"]] == ["platt", "f1"]
    assert float(row["cut"]) == made.estimate.made.cut
    ends = [gain.value, gain.interval.lower, gain.interval.upper]
    assert [float(row[name]) for name in ("gain", "gain_lower", "gain_upper")] == ends
    row = row_of("--threshold", "0.3")
    assert [row["cut"], row["tuned_for"], row["gain"]] == ["0.3", "", ""]


@pytest.fixture
def explained(run, tmp_path):
    """What is explained of a result."""

    def of(found):
        (tmp_path / "result.json").write_text(FORMS["json"](found.document))
        return " ".join(run.printed("explain", tmp_path / "result.json").split())

    return of


def test_a_result_is_explained_by_what_was_made(explained):
    matrix = binary(n_samples=60, seed=1)
    options = {"metric": "f1", "n_resamples": 20}
    ensemble = explained(correct(matrix, select="mean:2", **options))
    assert "the ensemble was made for its score" in ensemble
    tuned = explained(correct(matrix, threshold="tuned", calibrate="platt", **options))
    assert "with the calibration and the tuned cut was picked for its score among 7" in tuned


def test_the_cut_of_a_single_configuration_is_a_choice(explained):
    """It was said that nothing was chosen, and the naive figure passed a gate."""
    matrix = binary(n_samples=60, seed=1).of_configurations(np.array([2]))
    options = {"metric": "f1", "n_resamples": 40}
    found = correct(matrix, threshold="tuned", **options)
    assert "corrected for the choice of the tuned cut alone" in found.sentence()
    assert "no selection made its score too good" not in explained(found)
    assert any("so its choice is not corrected for" in text for text in found.notes)
    plain = correct(matrix, **options).sentence()
    assert "not corrected" in plain or "the only configuration" in plain


def test_a_naive_gate_is_no_gate_on_a_tuned_cut(run, tmp_path):
    matrix = binary(n_samples=60, seed=1)
    written(tmp_path / "one.csv", matrix.of_configurations(np.array([2])))
    gate = ("--fail-under", "0.1", "--gate-method", "cvt", "--gate-on", "estimate")
    asked = ("--metric", "f1", "--threshold", "tuned", "--format", "json")
    _, shown, _ = run("correct", tmp_path / "one.csv", *asked, *gate)
    assert "gate-on-naive" in {note["code"] for note in json.loads(shown)["notes"]}
