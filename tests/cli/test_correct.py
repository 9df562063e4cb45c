"""`bbc correct` on the sample files, as a user would run it."""

import io
import json

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

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

    @pytest.mark.one_in(2)
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
    _, _, silent = run("correct", parquet, "--format", "json", *FAST, "--quiet")
    assert silent == ""


def test_the_table_names_what_is_naive_and_what_to_report(run, samples):
    out = run.silent("correct", samples / "progression.parquet", *FAST)
    for words in ("naive", "corrected", "report", "winner", "positive: above"):
        assert words in " ".join(out.split())  # lines break where the path lets them
    assert "\x1b" not in out


class TestSeveralMetrics:
    def test_the_first_selects(self, run, samples):
        path = samples / "progression.parquet"
        both = estimates(run, path, "--metric", "accuracy", "--metric", "auc")
        alone = estimates(run, path, "--metric", "accuracy")
        assert [e for e in both if e["metric"] == "accuracy"] == alone
        other = [e for e in both if e["metric"] == "auc"]
        assert {e["selected_by"] for e in both} == {"accuracy"}
        for one, two in zip(alone, other, strict=True):
            assert one["winner"] == two["winner"]
            assert one["selection"] == two["selection"]


class TestResamples:
    @pytest.mark.sweep
    def test_auto_is_a_run_of_that_many(self, run, samples):
        path = samples / "progression.parquet"
        auto = ("--method", "bbc", "--n-resamples", "auto", "--tolerance", "0.004")
        (found,) = run.document("correct", path, *auto)["estimates"]
        errors = [e for e in found["error"].values() if e is not None]
        assert max(errors) <= 0.004
        size = found["n_resamples"]
        assert size > 1000
        fixed = ("--method", "bbc", "--n-resamples", size)
        assert run.document("correct", path, *fixed)["estimates"] == [found]


@pytest.mark.sweep
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "limits",
    [
        ("--engine", "numpy"),
        ("--engine", "numba"),
        ("--jobs", "1"),
        ("--jobs", "2"),
        ("--memory", "32MB"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["breast_cancer", "breast_cancer_repeats", "digits"])
def test_resources_change_nothing(run, once, samples, limits, name):
    if "numba" in limits:
        pytest.importorskip("numba")
    path = samples / f"{name}.parquet"
    _, expected, _ = once("correct", path, "--format", "json", *FAST)
    assert run.printed("correct", path, "--format", "json", *FAST, *limits) == expected


@pytest.mark.sweep
@pytest.mark.one_in(2)
@pytest.mark.parametrize("suffix", ["parquet", "json"])
def test_distributions_are_written_on_request(run, samples, tmp_path, suffix):
    target = tmp_path / f"resamples.{suffix}"
    found = {
        e["method"]: e
        for e in estimates(run, samples / "progression.parquet", "--distribution", target)
    }
    rows = (
        json.loads(target.read_text())
        if suffix == "json"
        else pyarrow.parquet.read_table(target).to_pylist()
    )
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


class TestGroups:
    def grouped(self, samples, tmp_path, size, name="group"):
        table = pyarrow.parquet.read_table(samples / "progression.parquet")
        groups = pyarrow.array([i // size for i in range(table.num_rows)])
        pyarrow.parquet.write_table(table.append_column(name, groups), tmp_path / "grouped.parquet")
        return tmp_path / "grouped.parquet"

    def test_they_are_counted_and_resampled_together(self, run, samples, tmp_path):
        grouped = result(run, self.grouped(samples, tmp_path, 2))
        single = result(run, samples / "progression.parquet")
        assert grouped["input"]["n_groups"] == 40
        for name, same in (("cvt", True), ("tt", True), ("bbc", False), ("bbc-f", True)):
            ours, theirs = (
                next(e for e in found["estimates"] if e["method"] == name)
                for found in (grouped, single)
            )
            assert (ours["value"] == theirs["value"]) == same

    @pytest.mark.sweep
    def test_a_column_can_be_named(self, run, samples, tmp_path):
        named = result(run, self.grouped(samples, tmp_path, 2, "hospital"), "--group", "hospital")
        assert named["input"]["n_groups"] == 40
