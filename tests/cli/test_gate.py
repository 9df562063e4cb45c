"""Gates and forms of the result, as a CI job would use them."""

import csv
import json
import re
from xml.etree import ElementTree

import pytest

FAST = ("--n-resamples", "50", "--method", "cvt", "--method", "bbc")
LINE = r"gate (missed|met): AUC, lower bound of bbc is [\d.]+, [\d.e-]+ (under|over) [\d.]+"


@pytest.fixture
def data(tmp_path):
    """Two informative configurations, as binary predictions of 40 samples in 4 folds."""
    rows = []
    for i in range(40):
        high = i // 4 % 2 == 0
        a, b = 0.35 + 0.3 * high + (i * 7 % 11 - 5) / 16, 0.4 + 0.2 * high + (i * 5 % 13 - 6) / 18
        rows.append(f"{i},{i % 4},{'ny'[high]},{a:.3f},{b:.3f}")
    path = tmp_path / "p.csv"
    path.write_text("row_id,fold,truth,=a,b\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def correct(run, data):
    return lambda *argv: run("correct", data, "--positive", "y", *FAST, *argv)


@pytest.fixture
def saved(correct, tmp_path):
    path = tmp_path / "result.json"
    assert correct("--output", path, "--quiet") == (0, "", "")
    return path


class TestCorrect:
    def test_a_gate_that_is_met_exits_0(self, correct):
        status, out, err = correct("--fail-under", "0.1")
        assert (status, err) == (0, "")
        assert "gate     met: AUC, lower bound of bbc is" in out

    def test_a_gate_that_is_missed_exits_3_and_says_by_how_much(self, correct, tmp_path):
        target = tmp_path / "r.json"
        status, out, err = correct("--fail-under", "0.999", "-o", target, "-q")
        assert (status, out) == (3, "")
        (line,) = err.splitlines()
        assert re.search(LINE, line)
        gate = json.loads(target.read_text())["gate"]
        assert gate["outcome"] == "missed"
        assert gate["margin"] == pytest.approx(gate["value"] - 0.999)

    def test_a_bound_that_was_not_estimated_exits_4(self, correct):
        status, out, err = correct("--fail-under", "0.1", "--side", "upper")
        assert status == 4
        assert "gate     undecided" in out
        assert "gate undecided: the lower end of the interval of bbc was not estimated" in err

    def test_what_cannot_be_computed_exits_4(self, run, tmp_path):
        path = tmp_path / "rare.csv"
        path.write_text("truth,a,b\n" + "y,0.9,0.8\n" + "n,0.1,0.2\n" * 8 + "n,0.2,0.1\n")
        assert run("correct", path, "--fail-under", "0.1")[0] == 4
        status, out, err = run("correct", path, "--fail-under", "0.1")
        assert (status, out) == (4, "")
        assert re.match(r"error: .*\nhint: .*\n$", err)
        assert run("correct", path)[0] == 2

    def test_a_method_that_was_not_run_exits_4(self, correct):
        status, _, err = correct("--fail-under", "0.1", "--gate-method", "bbc-f")
        assert status == 4
        assert "bbc-f is not in the result" in err

    def test_bad_input_exits_2_with_a_gate_too(self, run, tmp_path):
        assert run("correct", tmp_path / "none.csv", "--fail-under", "0.1")[0] == 2

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (("--fail-over", "0.3"), "--fail-over does not go with AUC, which is maximised"),
            (("--metric", "brier", "--fail-under", "0.3"), "Brier.*, which is minimised"),
            (("--fail-under", "nan"), "--fail-under is nan"),
            (("--fail-under", "0.1", "--fail-over", "0.2"), "both given"),
            (("--gate-on", "estimate"), "without a threshold"),
        ],
    )
    def test_a_gate_that_makes_no_sense_exits_2(self, correct, argv, message):
        status, out, err = correct(*argv)
        assert (status, out) == (2, "")
        assert re.search(message, err.splitlines()[0])
        assert err.splitlines()[1].startswith("hint: ")

    def test_a_loss_is_gated_from_above(self, correct):
        assert correct("--metric", "brier", "--fail-over", "0.9")[0] == 0
        status, _, err = correct("--metric", "brier", "--fail-over", "0.01")
        assert status == 3
        assert "upper bound of bbc" in err

    def test_the_estimate_may_pass_where_the_bound_does_not(self, correct, saved):
        bbc = json.loads(saved.read_text())["estimates"][1]
        between = (bbc["value"] + bbc["interval"]["lower"]) / 2
        assert correct("--fail-under", between)[0] == 3
        assert correct("--fail-under", between, "--gate-on", "estimate")[0] == 0


class TestSaved:
    def test_the_same_verdict_as_at_once(self, run, correct, saved, tmp_path):
        for threshold in ("0.1", "0.999"):
            at_once = tmp_path / "at_once.json"
            first = correct("--fail-under", threshold, "-o", at_once, "-q")
            later = run("gate", saved, "--fail-under", threshold, "--format", "json", "-q")
            assert later[0] == first[0]
            assert later[1] == at_once.read_text()

    def test_without_a_format_it_says_the_verdict(self, run, saved):
        status, out, err = run("gate", saved, "--fail-under", "0.1")
        assert (status, err) == (0, "")
        assert re.search(f"^.*p.csv: {LINE}$", out)
        status, out, err = run("gate", saved, "--fail-under", "0.999")
        assert (status, out) == (3, "")
        assert re.search(f"^.*p.csv: {LINE}$", err)

    def test_each_of_several_is_judged(self, run, correct, saved, tmp_path):
        other = tmp_path / "other.jsonl"
        assert correct("-o", other, "--side", "upper")[0] == 0
        lines = [json.dumps(json.loads(saved.read_text())), other.read_text().strip()]
        both = tmp_path / "both.jsonl"
        both.write_text("\n".join(lines))
        status, out, err = run("gate", both, "--fail-under", "0.1")
        assert status == 4
        assert len(out.splitlines()) == len(err.splitlines()) == 1
        target = tmp_path / "all.xml"
        run("gate", both, "--fail-under", "0.1", "-o", target)
        root = ElementTree.parse(target).getroot()
        assert [suite.get("errors") for suite in root] == ["0", "1"]
        verdicts = tmp_path / "verdicts.txt"
        run("gate", both, "--fail-under", "0.1", "-o", verdicts)
        assert len(verdicts.read_text().splitlines()) == 2

    def test_a_broken_file_exits_2(self, run, tmp_path):
        path = tmp_path / "bad.json"
        path.write_text("{")
        status, out, err = run("gate", path, "--fail-under", "0.1")
        assert (status, out) == (2, "")
        assert err.startswith(f"error: {path}: line 1 is not JSON\nhint: ")

    def test_a_saved_verdict_needs_no_threshold(self, run, saved, tmp_path):
        status, _, err = run("gate", saved)
        assert status == 2
        assert "no threshold" in err
        for threshold, expected in (("0.1", 0), ("0.999", 3)):
            target = tmp_path / "judged.jsonl"
            run("gate", saved, "--fail-under", threshold, "-o", target)
            status, out, _ = run("gate", target, "--format", "json")
            assert status == expected
            assert json.loads(out) == json.loads(target.read_text())


class TestForms:
    @pytest.mark.parametrize(
        ("suffix", "start"),
        [
            ("json", '{\n  "schema"'),
            ("jsonl", '{"schema":'),
            ("csv", "path,sha256"),
            ("md", "### "),
            ("xml", "<?xml"),
            ("txt", "p.csv"),
        ],
    )
    def test_the_suffix_chooses(self, correct, tmp_path, monkeypatch, suffix, start):
        monkeypatch.chdir(tmp_path)
        target = tmp_path / f"r.{suffix}"
        monkeypatch.setenv("BBC_FORMAT", "markdown" if suffix == "json" else "table")
        status, out, _ = correct("--output", target)
        assert (status, out) == (0, "")
        assert start in target.read_text()[:200]

    def test_the_option_wins_over_the_suffix(self, correct, tmp_path):
        target = tmp_path / "r.md"
        correct("--output", target, "--format", "csv")
        assert target.read_text().startswith("path,sha256")

    def test_names_are_no_formulas(self, correct, data):
        rows = list(csv.DictReader(correct("--format", "csv")[1].splitlines()))
        assert {row["winner"] for row in rows} <= {"'=a", "b"}

    @pytest.mark.parametrize("form", ["table", "markdown", "github"])
    def test_what_people_read_is_not_said_twice(self, correct, form):
        assert correct("--format", form)[2] == ""

    @pytest.mark.parametrize("form", ["json", "jsonl", "csv", "junit"])
    def test_what_programs_read_is_said_to_people(self, correct, form):
        assert correct("--format", form)[2].startswith("read: ")
