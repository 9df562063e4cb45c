"""Gates and forms of the result, as a CI job would use them."""

import json
import re
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import swept

FAST = ("--n-resamples", "50", "--method", "cvt", "--method", "bbc")
LINE = (
    r"gate (failed|met): lower bound of the AUC \(bbc\) is [\d.]+, "
    r"[\d.e-]+ (below|above) the required [\d.]+"
)


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
def rare(tmp_path):
    """A class of a single sample, which no resample has in and out of the bag."""
    path = tmp_path / "rare.csv"
    path.write_text("truth,a,b\n" + "y,0.9,0.8\n" + "n,0.1,0.2\n" * 8 + "n,0.2,0.1\n")
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
    def test_a_gate_that_is_missed_exits_3_and_says_by_how_much(self, correct, tmp_path):
        target = tmp_path / "r.json"
        status, out, err = correct("--fail-under", "0.999", "-o", target, "-q")
        assert (status, out) == (3, "")
        (line,) = err.splitlines()
        assert re.search(LINE, line)
        gate = json.loads(target.read_text())["gate"]
        assert gate["outcome"] == "missed"
        assert gate["margin"] == pytest.approx(gate["value"] - 0.999)

    @pytest.mark.parametrize(
        "form", ["json", swept("jsonl"), swept("csv"), swept("md"), swept("xml"), swept("txt")]
    )
    def test_what_cannot_be_computed_exits_4_and_is_written(self, run, rare, tmp_path, form):
        target = tmp_path / f"g.{form}"
        argv = ("--fail-under", "0.1", "--level", "0.9", "-o", target)
        status, out, err = run("correct", rare, *argv)
        assert (status, out) == (4, "")
        assert re.match(r"error: .*\nhint: .*\n$", err)
        problem = err.splitlines()[0].removeprefix("error: ")
        assert target.exists()
        if form in ("json", "jsonl"):
            found = json.loads(target.read_text())
            assert found["estimates"] == []
            assert found["plan"]["level"] == 0.9
            assert (found["gate"]["outcome"], found["gate"]["reason"]) == ("undecided", problem)
            assert (found["gate"]["metric"], found["gate"]["threshold"]) == ("auc", 0.1)
            status, out, err = run("gate", target)
            assert (status, out, problem in err) == (4, "", True)
        elif form != "csv":
            assert "undecided" in target.read_text()

    def test_what_cannot_be_computed_is_printed_for_programs_alone(self, run, rare, tmp_path):
        assert run("correct", rare, "--fail-under", "0.1")[:2] == (4, "")
        status, out, _ = run("correct", rare, "--fail-under", "0.1", "--format", "json")
        assert (status, json.loads(out)["gate"]["outcome"]) == (4, "undecided")
        assert run("correct", rare, "--format", "json", "-o", tmp_path / "n.json")[0] == 2
        assert not (tmp_path / "n.json").exists()

    def test_the_other_gate_takes_the_loss_of_sklearn_positive(self, correct):
        _, _, err = correct("--metric", "neg_log_loss", "--fail-under", "-0.8")
        assert err.splitlines()[1] == "hint: --fail-over 0.8"


class TestSaved:
    def test_the_same_verdict_as_at_once(self, run, correct, saved, tmp_path):
        for threshold in ("0.1", "0.999"):
            at_once = tmp_path / "at_once.json"
            first = correct("--fail-under", threshold, "-o", at_once, "-q")
            later = run("gate", saved, "--fail-under", threshold, "--format", "json", "-q")
            assert later[0] == first[0]
            assert later[1] == at_once.read_text()

    def test_without_a_format_it_says_the_verdict(self, run, saved):
        assert re.search(f"^.*p.csv: {LINE}$", run.silent("gate", saved, "--fail-under", "0.1"))
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

    @pytest.mark.parametrize("option", ["--fail-under", "--fail-over"])
    def test_no_threshold_fits_both_directions(self, run, data, tmp_path, option):
        mixed, alone, texts = tmp_path / "mixed.jsonl", tmp_path / "alone.jsonl", ""
        for metric, fitting in (("auc", "--fail-under"), ("log-loss", "--fail-over")):
            argv = ("correct", data, *FAST, "--metric", metric, "--format", "jsonl")
            alone.write_text(run.printed(*argv))
            assert run("gate", alone, fitting, "0.5")[0] in (0, 3)
            texts += alone.read_text()
        mixed.write_text(texts)
        err = run.refused("gate", mixed, option, "0.5")
        assert "some of the metrics are maximised and some minimised" in err

    def test_a_saved_verdict_needs_no_threshold(self, run, saved, tmp_path):
        err = run.refused("gate", saved)
        assert "no threshold" in err
        for threshold, expected in (("0.1", 0), ("0.999", 3)):
            target = tmp_path / "judged.jsonl"
            run("gate", saved, "--fail-under", threshold, "-o", target)
            status, out, _ = run("gate", target, "--format", "json")
            assert status == expected
            assert json.loads(out) == json.loads(target.read_text())


class TestBatch:
    """Tables and lines that `bbc batch` wrote, with files that have no result."""

    @pytest.fixture
    def batch(self, run, data, tmp_path):
        (tmp_path / "broken.csv").write_text("truth,a\n")
        names = [data, tmp_path / "broken.csv"]

        def of(target, *argv, files=names):
            options = ("--positive", "y", *FAST, "--jobs", "1", "-q")
            run("batch", *files, "-o", tmp_path / target, *options, *argv)
            return tmp_path / target

        return of

    @pytest.mark.parametrize("form", ["jsonl", "parquet"])
    def test_a_file_without_a_result_exits_5(self, run, batch, form):
        status, out, err = run("gate", batch(f"t.{form}"), "--fail-under", "0.1")
        assert status == 5
        assert re.search(LINE, out)
        assert len(out.splitlines()) == 1
        assert re.fullmatch(r"failed: .*broken.csv: .*\n", err)

    @pytest.mark.parametrize("form", ["jsonl", "parquet"])
    def test_one_that_is_undecided_exits_4(self, run, batch, data, rare, form):
        target = batch(f"t.{form}", "--fail-under", "0.1", files=[data, rare])
        status, out, err = run("gate", target)
        assert status == 4
        assert len(out.splitlines()) == len(err.splitlines()) == 1

    def test_the_table_is_judged_as_the_lines_are(self, run, batch, data):
        lines, table = (batch(f"t.{form}", files=[data, data]) for form in ("jsonl", "parquet"))
        for argv in (
            ("--fail-under", "0.999"),
            ("--fail-under", "0.5", "--gate-method", "cvt", "--gate-on", "estimate"),
            ("--fail-under", "0.5", "--gate-method", "bbc-f"),
        ):
            assert run("gate", table, *argv) == run("gate", lines, *argv)

    @pytest.mark.parametrize(
        ("lacking", "status", "told"),
        [
            ("threshold", 2, "of bbc batch: row 1 has no value (column 'gate_threshold')"),
            ("margin", 4, "the saved verdict has no value"),
        ],
    )
    def test_a_verdict_that_lacks_a_part_is_none(self, run, batch, data, lacking, status, told):
        target = batch("t.parquet", "--fail-under", "0.1", files=[data])
        table = pq.read_table(target)
        place = table.column_names.index(f"gate_{lacking}")
        empty = pa.nulls(len(table), table.schema.field(place).type)
        pq.write_table(table.set_column(place, f"gate_{lacking}", empty), target)
        found, out, err = run("gate", target)
        assert (found, out, told in err) == (status, "", True)

    def test_failed_lines_stay_in_json(self, run, batch):
        status, out, _ = run("gate", batch("t.jsonl"), "--fail-under", "0.1", "--format", "jsonl")
        assert status == 5
        schemas = [json.loads(line)["schema"] for line in out.splitlines()]
        assert schemas == ["bbc/1", "bbc-error/1"]
        status, out, _ = run("gate", batch("t.jsonl"), "--fail-under", "0.1", "--format", "csv")
        assert status == 5
        assert len(out.splitlines()) == 3

    def test_a_table_has_no_whole_results(self, run, batch, data):
        table = batch("t.parquet", files=[data])
        err = run.refused("gate", table, "--fail-under", "0.1", "--format", "json")
        assert "complete results" in err

    def test_another_table(self, run, samples):
        err = run.refused("gate", samples / "progression.parquet", "--fail-under", "0.1")
        assert "is not a table of bbc batch: it has no column 'path'" in err


@pytest.mark.parametrize("form", ["table", "markdown", "github", "json", "csv"])
@pytest.mark.parametrize("quiet", [True, False])
def test_a_verdict_is_said_once(correct, run, saved, tmp_path, form, quiet):
    asked = ("--fail-under", "0.999", "--format", form, *["--quiet"] * quiet)
    for call in (correct, lambda *a: run("gate", saved, *a)):
        status, out, err = call(*asked)
        assert (status, f"{out}{err}".lower().count("gate failed")) == (3, 1)
        status, out, err = call(*asked, "-o", tmp_path / "f")
        assert (status, out, err.lower().count("gate failed")) == (3, "", 1)
        status, out, err = call(*asked[2:], "--fail-under", "0.1", "-o", tmp_path / "f")
        assert (status, out, err.lower().count("gate met")) == (0, "", not quiet)
        assert err.endswith("" if quiet else f"wrote {tmp_path / 'f'}\n")


PEOPLE = ("table", "markdown", "github")


class TestForms:
    @pytest.mark.parametrize(
        ("suffix", "start"),
        [
            ("json", '{\n  "schema"'),
            swept("jsonl", '{"schema":'),
            swept("csv", "path,sha256"),
            swept("md", "### "),
            swept("xml", "<?xml"),
            swept("txt", "p.csv"),
        ],
    )
    def test_the_suffix_chooses(self, correct, tmp_path, monkeypatch, suffix, start):
        monkeypatch.chdir(tmp_path)
        target = tmp_path / f"r.{suffix}"
        monkeypatch.setenv("BBC_FORMAT", "markdown" if suffix == "json" else "table")
        status, out, _ = correct("--output", target)
        assert (status, out) == (0, "")
        assert start in target.read_text()[:200]

    def test_a_suffix_that_stands_for_nothing(self, run, saved, data, tmp_path):
        target = tmp_path / "r.htmlx"
        gate = ("gate", saved, "--fail-under", "0.1")
        for argv in (("correct", data), gate, ("drop", data), ("inspect", data)):
            problem, hint = run.refused(*argv, "-o", target).splitlines()
            assert not target.exists()
            assert problem == (
                f"error: --output is '{target}', and .htmlx is not a format that can be written"
            )
            assert ".json" in hint and ".txt" in hint

    def test_a_form_that_is_set_needs_no_suffix(self, correct, tmp_path, monkeypatch):
        target = tmp_path / "r.out"
        assert correct("-o", target, "--format", "jsonl", "-q")[0] == 0
        at_once = target.read_text()
        monkeypatch.setenv("BBC_FORMAT", "jsonl")
        assert correct("-o", target, "-q")[0] == 0
        assert target.read_text() == at_once
        assert json.loads(at_once)

    @pytest.mark.parametrize("command", ["drop", "inspect"])
    def test_the_suffix_chooses_for_other_commands_too(self, run, data, tmp_path, command):
        for name, is_json in (("r.json", True), ("r.txt", False), ("r", False)):
            assert run(command, data, "-o", tmp_path / name)[0] == 0
            assert (tmp_path / name).read_text().startswith("{") is is_json

    def test_names_have_no_form(self, run, data, tmp_path):
        assert run("drop", data, "--list", "keep", "-o", tmp_path / "keep.lst")[0] == 0
        assert (tmp_path / "keep.lst").read_text().splitlines() == ["=a", "b"]

    @pytest.mark.parametrize("form", [*PEOPLE, "json", "jsonl", "csv", "junit"])
    def test_what_people_do_not_read_is_said_to_them(self, correct, form):
        err = correct("--format", form)[2]
        assert err == "" if form in PEOPLE else err.startswith("read: ")


class TestWhatIsReported:
    """A gate judges the figure that is marked, and no order of the methods leads to another."""

    @pytest.fixture
    def between(self, run, data):
        """A threshold between the bounds of bbc and naive."""
        argv = ("--positive", "y", "--n-resamples", "50", "--method", "naive", "--method", "bbc")
        found = run.document("correct", data, *argv)["estimates"]
        naive, bbc = (one["interval"]["lower"] for one in found)
        assert bbc < naive
        return (bbc + naive) / 2

    @pytest.mark.parametrize("form", ["parquet", "jsonl"])
    def test_in_a_batch_too(self, run, between, data, tmp_path, form):
        target = tmp_path / f"t.{form}"
        methods = ("--method", "naive", "--method", "bbc", "--n-resamples", "50")
        asked = (data, "-o", target, "--positive", "y", *methods, "--jobs", "1", "-q")
        assert run("batch", *asked, "--fail-under", between)[0] == 3
        for argv in ((), ("--fail-under", between)):
            status, _, err = run("gate", target, *argv)
            assert (status, "lower bound of the AUC (bbc)" in err) == (3, True)

    @pytest.mark.parametrize(("n_resamples", "kind"), [(2, "percentile"), (1, "t"), (1, "sharp")])
    def test_two_resamples_are_no_bound(self, run, data, n_resamples, kind):
        argv = ("correct", data, "--positive", "y", "--method", "bbc", "--interval", kind)
        argv += ("--n-resamples", n_resamples)
        status, out, _ = run(*argv, "--fail-under", "0.1")
        assert (status, "too few resamples" in " ".join(out.split())) == (4, True)


@pytest.mark.parametrize("argv", [("--fail-under", "-5"), ("--fail-over", "5")])
def test_a_threshold_that_every_result_meets_decides_no_batch_and_no_saved_result(
    run, data, tmp_path, argv
):
    metric = ("--metric", "error" if argv[0] == "--fail-over" else "auc")
    saved, quick = tmp_path / "r.json", ("--positive", "y", *FAST, *metric, "-q", "-o")
    assert run("batch", data, *quick, tmp_path / "r.jsonl", *argv, "--jobs", "1")[0] in (2, 5)
    run("correct", data, *quick, saved)
    err = run.refused("gate", saved, *argv)
    assert "every result meets it" in err
    assert ("error lies between 0 and 1: --fail-over 0.05" in err) == (argv[0] == "--fail-over")


def test_a_capped_error_has_a_largest_value(run, samples):
    argv = ("correct", samples / "diabetes.parquet", "--metric", "mae", "--cap", "0.95")
    err = run.refused(*argv, "--fail-over", "500")
    assert "capped MAE" in err and "every result meets it" in err


def test_what_a_later_version_saved_stays_beside_the_verdict(run, saved):
    document = json.loads(saved.read_text())
    document["notes"] = [{"code": "few-folds", "text": "t", "remedy": "", "later": 1}]
    saved.write_text(json.dumps(document | {"later": {"x": 2}}))
    how = ("--fail-under", 0.1, "--gate-on", "estimate", "--gate-method", "cvt")
    judged = run.document("gate", saved, *how)
    assert judged["later"] == {"x": 2} and judged["notes"][0]["later"] == 1
    assert [note["code"] for note in judged["notes"]] == ["few-folds", "gate-on-naive"]
    assert judged["gate"]["outcome"] == "met"
