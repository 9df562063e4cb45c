"""`bbc correct` on the sample files, as a user would run it."""

import gzip
import io
import json

import pyarrow.csv
import pyarrow.parquet
import pytest

FAST = ("--n-resamples", "200")


def result(run, *argv):
    status, out, err = run("correct", *argv, "--format", "json", *FAST)
    assert status == 0, err
    return json.loads(out)


def estimates(run, *argv):
    return result(run, *argv)["estimates"]


def without_notes(found):
    return [{k: v for k, v in e.items() if k != "notes"} for e in found]


@pytest.fixture
def parquet(samples):
    return samples / "breast_cancer.parquet"


@pytest.fixture
def expected(run, parquet):
    return estimates(run, parquet)


class TestTheSameNumbers:
    def test_from_csv(self, run, samples, expected):
        assert estimates(run, samples / "breast_cancer.csv") == expected

    def test_from_gzip(self, run, samples, expected, tmp_path):
        packed = tmp_path / "p.csv.gz"
        packed.write_bytes(gzip.compress((samples / "breast_cancer.csv").read_bytes()))
        assert estimates(run, packed) == expected

    @pytest.mark.parametrize("suffix", ["parquet", "csv"])
    def test_from_standard_input(self, run, samples, expected, monkeypatch, suffix):
        content = (samples / f"breast_cancer.{suffix}").read_bytes()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        found = result(run, "-")
        assert found["input"]["path"] == "<stdin>"
        assert found["estimates"] == expected

    def test_from_separate_labels_and_folds(self, run, parquet, expected, tmp_path):
        table = pyarrow.parquet.read_table(parquet)
        pyarrow.csv.write_csv(table.select(["row_id", "truth"]), tmp_path / "labels.csv")
        pyarrow.csv.write_csv(table.select(["fold"]), tmp_path / "folds.csv")
        predictions = tmp_path / "predictions.parquet"
        pyarrow.parquet.write_table(table.drop_columns(["truth", "fold"]), predictions)
        found = estimates(
            run, predictions, "--labels", tmp_path / "labels.csv", "--folds", tmp_path / "folds.csv"
        )
        assert found == expected

    def test_in_every_run(self, run, parquet):
        first, second = (run("correct", parquet, "--format", "json", *FAST)[1] for _ in range(2))
        assert first == second

    def test_in_a_file(self, run, parquet, tmp_path):
        _, printed, _ = run("correct", parquet, "--format", "json", *FAST)
        target = tmp_path / "result.json"
        status, out, _ = run("correct", parquet, "--format", "json", *FAST, "--output", target)
        assert (status, out) == (0, "")
        assert target.read_text() == printed
        assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_another_seed_moves_bbc_within_its_monte_carlo_error(run, parquet):
    by_seed = [{e["method"]: e for e in estimates(run, parquet, "--seed", seed)} for seed in (0, 1)]
    assert by_seed[0]["cvt"] == by_seed[1]["cvt"]
    assert by_seed[0]["tt"] == by_seed[1]["tt"]
    first, second = (found["bbc"] for found in by_seed)
    # Spread of the resampled performances, read off the interval; error of two means of 200.
    spread = (first["interval"]["upper"] - first["interval"]["lower"]) / 3.92
    assert 0 < abs(first["value"] - second["value"]) < 4.5 * spread * (2 / 200) ** 0.5


def test_the_default_metric_follows_the_task(run, samples):
    metric_of = {
        name: estimates(run, samples / f"{name}.parquet")[0]["metric"]
        for name in ("progression", "breast_cancer", "breast_cancer_repeats", "digits")
    }
    assert metric_of == {
        "progression": "auc",
        "breast_cancer": "auc",
        "breast_cancer_repeats": "auc",
        "digits": "accuracy",
    }


def test_repeats_are_kept_apart(run, samples):
    found = result(run, samples / "breast_cancer_repeats.parquet")
    assert (found["input"]["n_repeats"], found["input"]["n_folds"]) == (3, 5)
    codes = [note["code"] for estimate in found["estimates"] for note in estimate["notes"]]
    assert "folds-within-repeats" in codes


@pytest.mark.parametrize("side", ["two", "lower", "upper", "pessimistic"])
def test_sides(run, samples, side):
    path = samples / "progression.parquet"
    (found,) = estimates(run, path, "--method", "bbc", "--metric", "accuracy", "--side", side)
    interval = found["interval"]
    assert (interval["upper"] == 1.0) == (side in ("lower", "pessimistic"))
    assert (interval["lower"] == 0.0) == (side == "upper")
    assert interval["side"] == ("lower" if side == "pessimistic" else side)


def test_methods_come_in_the_order_asked_for(run, parquet):
    found = estimates(run, parquet, "--method", "bbc", "--method", "cvt", "--method", "bbc")
    assert [e["method"] for e in found] == ["bbc", "cvt"]


def test_fold_means_select_by_fold(run, samples):
    path = samples / "progression.parquet"
    found = {e["method"]: e for e in estimates(run, path, "--pooling", "fold-mean")}
    assert found["cvt"]["winner"] == found["bbc-f"]["winner"] == found["bbc"]["winner"]
    assert found["cvt"]["naive"] == found["bbc-f"]["naive"]


def test_the_positive_class_can_be_chosen(run, parquet):
    found = result(run, parquet, "--positive", "benign", "--method", "cvt")
    assert found["input"]["positive_class"] == "benign"
    assert found["estimates"][0]["value"] < 0.5
    assert "polarity" in [note["code"] for note in found["notes"]]


def test_the_result_is_all_that_goes_to_standard_output(run, parquet):
    _, out, err = run("correct", parquet, "--format", "json", *FAST)
    json.loads(out)
    assert err.startswith("read: ")
    _, _, silent = run("correct", parquet, "--format", "json", *FAST, "--quiet")
    assert silent == ""


def test_the_table_names_what_is_naive_and_what_to_report(run, samples):
    status, out, err = run("correct", samples / "progression.parquet", *FAST)
    assert (status, err) == (0, "")
    for words in ("naive, too good", "corrected", "report", "winner", "positive: above"):
        assert words in out
    assert "\x1b" not in out
