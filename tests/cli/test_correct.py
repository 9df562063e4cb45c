"""`bbc correct` on the sample files, as a user would run it."""

import io
import json
from pathlib import Path

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from day import swept

FAST = ("--n-resamples", "200")


def result(run, *argv):
    return json.loads(run.printed("correct", *argv, "--format", "json", *FAST))


def estimates(run, *argv):
    return result(run, *argv)["estimates"]


@pytest.fixture
def parquet(samples):
    return samples / "breast_cancer.parquet"


@pytest.fixture
def expected(once, parquet):
    return estimates(once, parquet)


class TestTheSameNumbers:
    def test_from_csv(self, run, samples, expected):
        assert estimates(run, samples / "breast_cancer.csv") == expected

    @pytest.mark.parametrize("suffix", ["parquet", swept("csv")])
    def test_from_standard_input(self, run, samples, expected, monkeypatch, suffix):
        content = (samples / f"breast_cancer.{suffix}").read_bytes()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        found = result(run, "-")
        assert found["input"]["path"] == "<stdin>"
        assert found["estimates"] == expected

    def test_from_separate_labels_and_folds(self, run, parquet, expected, tmp_path):
        table = pyarrow.parquet.read_table(parquet)
        pyarrow.csv.write_csv(table.select(["row_id", "truth"]), tmp_path / "labels.csv")
        pyarrow.csv.write_csv(table.select(["row_id", "fold"]), tmp_path / "folds.csv")
        predictions = tmp_path / "predictions.parquet"
        pyarrow.parquet.write_table(table.drop_columns(["truth", "fold"]), predictions)
        found = estimates(
            run, predictions, "--labels", tmp_path / "labels.csv", "--folds", tmp_path / "folds.csv"
        )
        assert found == expected

    def test_in_a_file(self, run, once, parquet, tmp_path):
        _, printed, _ = once("correct", parquet, "--format", "json", *FAST)
        target = tmp_path / "result.json"
        status, out, _ = run("correct", parquet, "--format", "json", *FAST, "--output", target)
        assert (status, out) == (0, "")
        assert target.read_text() == printed
        assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_repeats_are_kept_apart(run, samples):
    found = result(run, samples / "breast_cancer_repeats.parquet", "--method", "bbc-f")
    assert (found["input"]["n_repeats"], found["input"]["n_folds"]) == (3, 5)
    codes = [note["code"] for estimate in found["estimates"] for note in estimate["notes"]]
    assert "folds-within-repeats" in codes


def test_methods_come_in_the_order_asked_for(run, parquet):
    found = estimates(run, parquet, "--method", "bbc", "--method", "cvt", "--method", "bbc")
    assert [e["method"] for e in found] == ["bbc", "cvt"]


def test_the_positive_class_can_be_chosen(run, parquet):
    found = result(run, parquet, "--positive", "benign", "--method", "cvt")
    assert found["input"]["positive_class"] == "benign"
    assert found["estimates"][0]["value"] < 0.5
    assert "polarity" in [note["code"] for note in found["notes"]]


def test_the_result_is_all_that_goes_to_standard_output(run, once, parquet):
    _, out, err = once("correct", parquet, "--format", "json", *FAST)
    json.loads(out)
    assert err.startswith("read: ")
    run.silent("correct", parquet, "--format", "json", *FAST, "--quiet")


def test_the_first_of_several_metrics_selects(run, samples):
    path = samples / "progression.parquet"
    both = estimates(run, path, "--metric", "accuracy", "--metric", "auc")
    alone = estimates(run, path, "--metric", "accuracy")
    assert [e for e in both if e["metric"] == "accuracy"] == alone
    other = [e for e in both if e["metric"] == "auc"]
    assert {e["selected_by"] for e in both} == {"accuracy"}
    for one, two in zip(alone, other, strict=True):
        assert (one["winner"], one["selection"]) == (two["winner"], two["selection"])


@pytest.mark.sweep
def test_auto_is_a_run_of_that_many(run, samples):
    argv = ("correct", samples / "progression.parquet", "--method", "bbc", "--n-resamples")
    (found,) = run.document(*argv, "auto", "--tolerance", "0.004")["estimates"]
    assert max(e for e in found["error"].values() if e is not None) <= 0.004
    assert found["n_resamples"] > 1000
    assert run.document(*argv, found["n_resamples"])["estimates"] == [found]


@pytest.mark.sweep
@pytest.mark.parametrize("suffix", ["parquet", "json"])
def test_distributions_are_written_on_request(run, samples, tmp_path, suffix):
    target = tmp_path / f"resamples.{suffix}"
    told = estimates(run, samples / "progression.parquet", "--distribution", target)
    found = {e["method"]: e for e in told}
    if suffix == "json":
        rows = json.loads(target.read_text())
    else:
        rows = pyarrow.parquet.read_table(target).to_pylist()
    bbc = [row for row in rows if row["method"] == "bbc"]
    assert len(bbc) == 200
    assert sum(row["performance"] for row in bbc) / 200 == pytest.approx(found["bbc"]["value"])
    assert {row["probability"] for row in bbc} == {None}
    folds = [row for row in rows if row["method"] == "bbc-f"]
    mean = sum(row["performance"] * row["probability"] for row in folds)
    assert mean == pytest.approx(found["bbc-f"]["value"])
    top = found["bbc"]["selection"][0]
    share = sum(row["winner"] == top["configuration"] for row in bbc) / 200
    assert share == pytest.approx(top["share"])


def grouped(samples, tmp_path, name="group"):
    """The sample file with groups of two."""
    table = pyarrow.parquet.read_table(samples / "progression.parquet")
    groups = pyarrow.array([i // 2 for i in range(table.num_rows)])
    pyarrow.parquet.write_table(table.append_column(name, groups), tmp_path / "grouped.parquet")
    return tmp_path / "grouped.parquet"


def test_groups_are_counted_and_resampled_together(run, samples, tmp_path):
    together = result(run, grouped(samples, tmp_path))
    single = result(run, samples / "progression.parquet")
    assert together["input"]["n_groups"] == 40
    pairs = zip(together["estimates"], single["estimates"], strict=True)
    same = {ours["method"]: ours["value"] == theirs["value"] for ours, theirs in pairs}
    assert same == {"cvt": True, "tt": True, "bbc": False, "bbc-f": True}


@pytest.mark.sweep
def test_a_column_of_groups_can_be_named(run, samples, tmp_path):
    named = result(run, grouped(samples, tmp_path, "hospital"), "--group", "hospital")
    assert named["input"]["n_groups"] == 40


# Options that belong to metrics


TWO_METHODS = ("--n-resamples", "20", "--method", "cvt", "--method", "bbc")


def test_a_threshold_cuts_probabilities(run, samples):
    argv = ("correct", samples / "progression.parquet", "--metric", "recall", *TWO_METHODS)
    usual, half, high = (
        run.document(*argv, *cut)["estimates"]
        for cut in ((), ("--threshold", "0.5"), ("--threshold", "0.9"))
    )
    assert usual == half != high


@pytest.mark.sweep
def test_the_direction_of_risks_mirrors_the_concordance(run, samples):
    argv = ("correct", samples / "whas500.parquet", *TWO_METHODS)
    found = run.document(*argv, "--risk-direction", "later")
    assert found["estimates"][0]["value"] < 0.5
    assert "risk-reversed" in [note["code"] for note in found["notes"]]
    assert run.document(*argv, "--risk-direction", "earlier") == run.document(*argv)


def test_a_direction_of_risks_is_for_survival(run, samples):
    path = samples / "progression.parquet"
    assert "survival" in run.refused("correct", path, "--risk-direction", "later")


# Beside an error without a worst value stands what it would be with one


VALUES = Path(__file__).parents[2] / "sample_data" / "diabetes.parquet"
QUICK = ("correct", VALUES, "--n-resamples", 60)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_it_is_the_estimate_with_the_cap(run, metric):
    (found,) = run.document(*QUICK, "--metric", metric)["capped"]
    capped = run.document(*QUICK, "--metric", metric, "--cap", 0.95)
    (expected,) = [e for e in capped["estimates"] if e["method"] == "bbc"]
    assert (found["value"], found["interval"]) == (expected["value"], expected["interval"])
    assert capped["capped"] == []


def test_others_have_none(run):
    assert run.document(*QUICK, "--metric", "r2")["capped"] == []


def test_it_stands_on_the_line_after_the_sentence(run):
    out = run.printed(*QUICK, "--metric", "mse")
    lines = [line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")]
    assert lines[lines.index("report") + 1] == "capped"
