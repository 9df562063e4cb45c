"""`bbc batch` as a user sees it."""

import csv
import inspect
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import daily, swept
from experiments import FAST, experiment

from bbccli.batch.sources import BatchFile
from bbccli.batch.worker import FileTask, work
from bbccli.cli.command import command_named
from bbccli.documents.loading import read_documents
from bbccli.platform.resources import Resources
from bbccli.reading import hash_of
from bbccli.use_cases import Analysis

PATTERN = "runs/**/p.csv"
NO_PARTS = ["0/2", "3/2", "1/0", "1", "a/b", "-1/2", "1/2/3", "1/99999999999", "3/3"]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def paths(path):
    return [line.get("path") or line["input"]["path"] for line in lines(path)]


def ended(err):
    """The last line but that on the file written."""
    *_, line, written = err.splitlines()
    assert written.startswith("wrote r.")
    return line


class TestTables:
    def test_jsonl_holds_what_correct_prints_in_input_order(self, runs, batch, run):
        folder = runs(3)
        status, out, err = batch(PATTERN, "runs/000/p.csv", "-o", "r.jsonl")
        assert (status, out, err.splitlines()[1:]) == (0, "", ["3 files done", "wrote r.jsonl"])
        assert err.startswith("The winner's naive AUC is too ")
        expected = [
            run("correct", f"runs/{i:03}/p.csv", *FAST, "--format", "jsonl", "--quiet")[1]
            for i in range(3)
        ]
        assert (folder / "r.jsonl").read_text() == "".join(expected)
        assert len(read_documents("r.jsonl")) == 3

    def test_csv_has_a_row_for_each_estimate_and_each_failure(self, runs, batch, run):
        folder = runs(2)
        (folder / "runs/001/p.csv").write_text("truth,a\n")
        assert batch(PATTERN, "-o", "r.csv")[0] == 5
        with (folder / "r.csv").open(newline="") as file:
            found = list(csv.DictReader(file))
        assert [row["method"] for row in found] == ["cvt", "bbc", ""]
        assert found[2]["error"] == "runs/001/p.csv: no rows under the header"
        assert found[2]["hint"]
        alone = run("correct", "runs/000/p.csv", *FAST, "--format", "csv")[1].splitlines()
        alone = list(csv.DictReader(alone))
        assert [{k: v for k, v in row.items() if k in alone[0]} for row in found[:2]] == alone

    def test_parquet_has_the_same_rows_with_types(self, runs, batch):
        folder = runs(2)
        (folder / "runs/000/p.csv").write_text("truth,a\n")
        batch(PATTERN, "-o", "r.csv")
        batch(PATTERN, "-o", "r.parquet")
        table = pq.read_table(folder / "r.parquet")
        assert table.schema.field("value").type == pa.float64()
        assert table.schema.field("n_samples").type == pa.int64()
        with (folder / "r.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        shown = [{k: _text(v) for k, v in row.items()} for row in table.to_pylist()]
        assert shown == rows

    def test_a_line_of_a_failure_is_one_for_gate_too(self, runs, batch, run):
        runs(2)
        status, _, err = batch(PATTERN, "none.csv", "-o", "r.jsonl")
        assert status == 5
        assert err.splitlines()[1] == "failed: none.csv: no such file"
        status, out, err = run("gate", "r.jsonl", "--fail-under", "0.1")
        assert status == 5
        assert len(out.splitlines()) == 2
        assert err == "failed: none.csv: no such file\n"

    def test_the_only_file_gets_its_hint(self, runs, batch):
        runs(2)
        status, _, err = batch("runs", "-o", "r.jsonl")
        assert status == 5
        assert "\nhint: give a file in it" in err
        assert "\nhint: " not in batch("runs", "none.csv", "-o", "s.jsonl")[2]


class TestWithoutOutput:
    def test_a_table_of_the_files_is_printed_and_nothing_is_kept(self, runs, batch, run):
        folder = runs(2)
        (folder / "runs/001/p.csv").write_text("truth,a\n")
        before = sorted(folder.rglob("*"))
        status, out, err = batch(PATTERN, "none.csv")
        assert (status, sorted(folder.rglob("*"))) == (5, before)
        alone = json.loads(run("correct", "runs/000/p.csv", *FAST, "--format", "json")[1])
        bbc = alone["estimates"][1]
        words = " ".join(out.split())
        assert words.startswith("3 files, 2 without a result The winner's naive ")
        row = f"runs/000/p.csv {bbc['winner']} {bbc['naive']:.3f} {bbc['value']:.3f}"
        assert row in words and "runs/001/p.csv no result none.csv no result" in words
        assert err.splitlines()[-1] == (
            "3 files done, 2 without a result; nothing is kept without -o results.csv"
        )
        assert "journal" not in err and "lower quartile" not in out

    def test_many_files_are_counted_and_summed_up(self, runs, batch):
        runs(18)
        status, out, err = batch(PATTERN)
        assert (status, err) == (0, "18 files done; nothing is kept without -o results.csv\n")
        assert "\n3 more: write them all with -o results.csv\n" in out and "lower quartile" in out
        assert batch(PATTERN, "--quiet")[::2] == (0, "")

    def test_gates_are_in_the_rows_and_the_status(self, runs, batch):
        runs(2)
        status, out, err = batch(PATTERN, "--fail-under", "0.99")
        assert status == 3 and out.count(" failed\n") == 2 and "2 with a failed gate" in err

    def test_there_is_nothing_to_resume(self, runs, batch):
        runs(1)
        assert "--resume needs --output" in batch.refused(PATTERN, "--resume")


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


class TestStatus:
    def test_failed_wins_over_undecided_over_missed(self, runs, batch):
        folder = runs(2)
        assert batch(PATTERN, "-o", "r.jsonl", "--fail-under", "0.01", "-q") == (0, "", "")
        args = [PATTERN, "-o", "r.jsonl", "--fail-under", "0.999"]
        status, _, err = batch(*args)
        assert (status, ended(err)) == (3, "2 files done, 2 with a failed gate")
        assert batch(*args, "--side", "upper")[0] == 4
        (folder / "one.csv").write_text("truth,a\nx,1\nx,2\n")
        status, _, err = batch(*args, "one.csv", "--quiet")
        assert status == 5
        assert err.startswith("failed: one.csv: ")
        assert err.endswith("3 files done, 1 without a result, 2 with a failed gate\n")

    def test_a_file_whose_gate_has_nothing_to_judge_is_undecided(self, runs, run):
        folder = runs(3)
        text = experiment(1).replace("row_id,fold,", "row_id,group,")
        (folder / "runs/000/p.csv").write_text(text)
        asked = ("--method", "bbc-f", "--fail-under", "0.999", "--jobs", "1")
        files = [f"runs/00{i}/p.csv" for i in range(3)]
        status, _, err = run("batch", *files[:2], "-o", "r.jsonl", *asked)
        assert status == 4
        assert "runs/000/p.csv: " in err
        unmet = "1 without a result, 1 with an undecided gate, 1 with a failed gate"
        assert ended(err).startswith(f"2 files done, {unmet}")
        assert lines(folder / "r.jsonl")[0]["error"]["status"] == 4
        (folder / "runs/002/p.csv").write_text("truth,a\n")
        assert run("batch", *files, "-o", "s.jsonl", *asked)[0] == 5

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--metric", "acc"], "no metric named 'acc'"),
            swept(["--level", "95"], "--level is 95"),
            swept(["--metric", "brier", "--fail-under", "0.1"], "does not go with"),
            swept(["--scheduler", "tcp://x:1"], "--scheduler needs --runner dask"),
            swept(["--memory", "1kB"], "--memory is"),
        ],
    )
    def test_what_is_wrong_for_all_files_is_said_before_the_first(
        self, runs, batch, options, message
    ):
        folder = runs(1)
        err = batch.refused(PATTERN, "-o", "r.jsonl", *options)
        assert err.startswith("error: ")
        assert message in err
        assert [path.name for path in folder.iterdir()] == ["runs"]

    def test_stop_ends_at_the_first_failure_and_resume_goes_on(self, runs, batch):
        folder = runs(3)
        broken = folder / "runs/001/p.csv"
        broken.write_text("truth,a\n")
        status, _, err = batch(PATTERN, "-o", "r.jsonl", "--on-error", "stop")
        assert (status, "failed: runs/001/p.csv: no rows under the header\n" in err) == (5, True)
        assert "stopped; 2 of 3 files are kept in r.jsonl.journal; continue with --resume" in err
        assert not (folder / "r.jsonl").exists()
        broken.write_text(experiment(1))
        status, _, err = batch(PATTERN, "-o", "r.jsonl", "--on-error", "stop", "--resume")
        assert (status, ended(err)) == (0, "3 files done, 1 unchanged")

    @pytest.mark.parametrize(
        ("error", "words", "hint", "own"),
        [
            (ZeroDivisionError("oh"), "ZeroDivisionError: oh", "with the traceback", 1),
            (MemoryError("9 EiB"), "out of memory: 9 EiB", "fewer --jobs", 2),
        ],
        ids=["bug", "memory"],
    )
    def test_whatever_goes_wrong_is_the_row_of_its_file(
        self, runs, batch, monkeypatch, error, words, hint, own
    ):
        def broken(*_, **__):
            raise error

        folder = runs(1)
        monkeypatch.setattr("bbccli.use_cases.correct.estimate", broken)
        status, _, err = batch(PATTERN, "-o", "r.jsonl")
        assert status == 5
        assert f"runs/000/p.csv: {words}\n" in err
        (found,) = lines(folder / "r.jsonl")
        assert (hint in found["error"]["hint"], found["error"]["status"]) == (True, own)
        assert ("Traceback" in (folder / "r.jsonl.journal").read_text()) is (own == 1)


class TestSources:
    def test_nothing_matches(self, runs, batch):
        runs(1)
        err = batch.refused("runs/*.parquet", "-o", "r.jsonl")
        assert err.startswith("error: no file matches 'runs/*.parquet'")
        assert "standard input" in batch.refused("-", "-o", "r.jsonl")
        assert ".parquet, .jsonl, .ndjson, .csv" in batch.refused(PATTERN, "-o", "r.xlsx")

    def test_the_output_is_no_source_and_a_name_with_wildcards_is_itself(self, runs, batch):
        folder = runs(1)
        (folder / "runs/000/p.csv").rename(folder / "p[1].csv")
        assert batch("*.csv", "-o", "r.csv")[0] == 0
        assert ended(batch("*.csv", "-o", "r.csv")[2]) == "1 file done"
        assert batch("p[1].csv", "-o", "r.jsonl")[0] == 0
        assert paths(folder / "r.jsonl") == ["p[1].csv"]

    def test_two_stars_are_any_folders_and_at_the_end_all_files_below(self, runs, batch):
        folder = runs(2)
        (folder / "runs/000/p.csv").rename(folder / "runs/000/q.csv")
        for pattern, below in ((PATTERN, ["001/p.csv"]), ("runs/**", ["000/q.csv", "001/p.csv"])):
            assert batch(pattern, "-o", "r.jsonl")[0] == 0
            assert paths(folder / "r.jsonl") == [f"runs/{path}" for path in below]

    def test_urls(self, runs, batch):
        folder = runs(2)
        words = (f"file://{folder}/runs/**/p.csv", "-o", "r.jsonl")
        assert ended(batch(*words)[2]) == "2 files done"
        assert paths(folder / "r.jsonl") == [f"file://{folder}/runs/{i:03}/p.csv" for i in (0, 1)]
        assert ended(batch(*words, "--resume")[2]) == "2 files done, 2 unchanged"


class TestManifest:
    def write(self, folder, text):
        (folder / "list.csv").write_text(text)
        return folder / "list.csv"

    @pytest.mark.parametrize("separator", [",", swept(";"), swept("\t")])
    def test_options_of_each_file(self, runs, batch, separator):
        folder = runs(3)
        text = "path,positive,metric,n-resamples,strict\nruns/000/p.csv,n,,,\n"
        text += "runs/001/p.csv,,accuracy brier,32,true\nruns/001/p.csv,,,,\n"
        manifest = self.write(folder, text.replace(",", separator))
        assert batch(manifest, "-o", "r.jsonl", "--metric", "auc")[0] == 0
        first, second, third = lines(folder / "r.jsonl")
        assert first["input"]["positive_class"] == "n"
        assert [e["metric"] for e in second["estimates"]] == ["accuracy"] * 2 + ["brier"] * 2
        assert second["plan"]["n_resamples"] == 32
        assert third["estimates"][0]["metric"] == "auc"

    def test_paths_are_seen_from_the_manifest(self, runs, batch, monkeypatch):
        folder = runs(1)
        self.write(folder / "runs", "path\n000/p.csv\n")
        assert batch("runs/list.csv", "-o", "r.jsonl")[0] == 0
        assert paths(folder / "r.jsonl") == ["runs/000/p.csv"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("path,positve\nx,n\n", "the column is not an option (column 'positve')"),
            swept(
                "path,n-resamples,n_resamples\nx,1,2\n",
                "sets the same option as 'n-resamples' (col",
            ),
            swept(
                "path,seed\nx,many\n", "value does not fit the option (column 'seed', line 2, value"
            ),
            swept("path,task\nx,guess\n", "value does not fit the option (column 'task'"),
            swept("path,level\nx,95\n", "--level is 95, not between 0 and 1 (line 2)"),
            swept("path,seed\n,1\nx,1\n", "there is no path (line 2)"),
        ],
    )
    def test_errors_name_the_place(self, runs, batch, text, message):
        manifest = self.write(runs(1), text)
        err = batch.refused(manifest, "-o", "r.jsonl")
        assert message in err
        assert "hint: " in err


class TestResume:
    def test_only_what_changed_is_done_again(self, runs, batch):
        folder = runs(4)
        assert batch(PATTERN, "-o", "r.jsonl")[0] == 0
        before = (folder / "r.jsonl").read_text()
        again = (PATTERN, "-o", "r.jsonl", "--resume")
        assert ended(batch(*again)[2]) == "4 files done, 4 unchanged"
        assert (folder / "r.jsonl").read_text() == before
        (folder / "runs/001/p.csv").write_text(experiment(99))
        assert ended(batch(*again)[2]) == "4 files done, 3 unchanged"
        after = (folder / "r.jsonl").read_text()
        pairs = zip(after.split("\n"), before.split("\n"), strict=True)
        assert [one == other for one, other in pairs] == [True, False, True, True, True]
        assert ended(batch(*again, "--seed", "1")[2]) == "4 files done"

    def test_metadata_beside_a_file_count_too_and_failures_are_tried_again(self, runs, batch):
        folder = runs(3)
        hidden = folder / "runs/001/p.csv"
        text = hidden.read_text()
        args = (*(f"runs/{i:03}/p.csv" for i in range(3)), "-o", "r.jsonl")
        hidden.unlink()
        assert batch(*args)[0] == 5
        hidden.write_text(text)
        text = '{"spec": "bbc-predictions", "version": "1", "positive_class": "n"}'
        (folder / "runs/000/p.meta.json").write_text(text)
        assert ended(batch(*args, "--resume")[2]) == "3 files done, 1 unchanged"
        assert lines(folder / "r.jsonl")[0]["input"]["positive_class"] == "n"

    def test_another_version_does_everything_again(self, runs, batch, monkeypatch):
        runs(2)
        again = (PATTERN, "-o", "r.jsonl", "--resume")
        assert batch(PATTERN, "-o", "r.jsonl")[0] == 0
        with monkeypatch.context() as other:
            other.setattr("bbccli.batch.worker.__version__", "0.0.1")
            assert ended(batch(*again)[2]) == "2 files done"
        assert ended(batch(*again)[2]) == "2 files done, 2 unchanged"

    def test_parts_of_an_array_of_jobs_make_the_whole(self, runs, batch, run):
        folder = runs(5)
        assert batch(PATTERN, "-o", "whole.csv")[0] == 0
        listed = [batch(PATTERN, "--dry-run", "--shard", f"{i}/3")[1] for i in (1, 2, 3)]
        every = [f"do\truns/{i:03}/p.csv" for i in range(5)]
        assert [part.splitlines() for part in listed] == [every[i::3] for i in range(3)]
        for i in (1, 2, 3):
            assert batch(PATTERN, "--shard", f"{i}/3", "-o", f"part{i}.csv")[0] == 0
        journals = sorted(folder.glob("part*.csv.journal"))
        together = b"".join(path.read_bytes() for path in journals)
        (folder / "all.csv.journal").write_bytes(together)
        _, _, err = batch(PATTERN, "-o", "all.csv", "--resume")
        assert "5 files done, 5 unchanged" in err
        assert (folder / "all.csv").read_bytes() == (folder / "whole.csv").read_bytes()

    @pytest.mark.parametrize("part", daily([*NO_PARTS, ""], ["0/2", ""]))
    def test_a_part_that_is_none_is_refused(self, runs, batch, part):
        folder = runs(2)
        status, out, err = batch(PATTERN, f"--shard={part}", "-o", "r.csv")
        assert (status, out) == (2, "")
        assert err.startswith("error: --shard")
        assert not (folder / "r.csv").exists()

    def test_dry_run_tells_and_writes_nothing(self, runs, batch):
        folder = runs(2)
        batch(PATTERN, "-o", "r.jsonl")
        (folder / "runs/001/p.csv").write_text(experiment(9))
        held = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        listed = "do\truns/000/p.csv\ndo\truns/001/p.csv\n"
        assert batch(PATTERN, "-o", "r.jsonl", "--dry-run") == (0, listed, "")
        _, out, _ = batch(PATTERN, "-o", "r.jsonl", "--dry-run", "--resume")
        assert out == "keep\truns/000/p.csv\ndo\truns/001/p.csv\n"
        assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == held


def test_summary_over_experiments(runs, batch):
    folder = runs(3)
    (folder / "runs/002/p.csv").write_text("truth,a\n")
    status, out, _ = batch(PATTERN, "-o", "r.csv", "--summary", "--fail-under", "0.999")
    assert status == 5
    assert out.startswith("3 files, 1 without a result\n")
    assert "AUC, bbc" in out
    assert "failed" in out
    assert "no rows under the header" in out


def test_an_interrupt_tells_what_is_kept(runs, batch, monkeypatch):
    from bbccli.batch.worker import work

    calls = []

    def interrupted(task):
        calls.append(task)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return work(task)

    runs(4)
    monkeypatch.setattr("bbccli.batch.run.work", interrupted)
    status, out, err = batch(PATTERN, "-o", "r.jsonl")
    assert (status, out) == (130, "")
    assert err == "2 of 4 files are kept in r.jsonl.journal; continue with --resume\n"


# The options of correct and batch can't drift apart


def test_batch_has_the_options_of_correct_with_their_defaults():
    ours, theirs = command_named("batch").options, command_named("correct").options
    beyond = {"files", "format", "distribution", "notes", "cost_of_search"}
    beyond |= {"vault", "stricter", "reach"}  # an opening is of one search
    assert theirs.keys() - ours.keys() == beyond
    for name in (theirs.keys() & ours.keys()) - {"output", "jobs"}:
        assert ours[name] == theirs[name]


def test_analysis_has_the_options_of_correct_with_their_defaults():
    fields = {name: p.default for name, p in inspect.signature(Analysis).parameters.items()}
    options = command_named("correct").options
    assert fields == {name: options[name].default for name in fields}
    beside = {"files", "format", "output", "distribution", "jobs", "memory", "engine", "quiet"}
    beside |= {"notes", "timeout", "quoted_newlines", "max_input", "cost_of_search", "follow_links"}
    beside |= {"runner", "scheduler", "fail_on"}
    assert options.keys() == fields.keys() | beside


# Folders of tools

REAL = Path(__file__).parents[1] / "data" / "runs"


@pytest.mark.sweep
def test_folders_by_pattern_and_by_name(tmp_path, batch, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mljar", "mljar_repeats"):
        shutil.copytree(REAL / name, tmp_path / "runs" / name)
    assert batch("runs/*/", "-o", "all.jsonl")[0] == 0
    found = lines(tmp_path / "all.jsonl")
    assert [one["input"]["path"] for one in found] == ["runs/mljar", "runs/mljar_repeats"]
    assert found[0]["input"]["sha256"] == hash_of("runs/mljar")
    again = ("runs/mljar", "-o", "one.jsonl", "--resume")
    assert batch(*again)[0] == 0
    assert lines(tmp_path / "one.jsonl") == found[:1]
    assert "1 unchanged" in batch(*again)[2]
    with (tmp_path / "runs/mljar/leaderboard.csv").open("a") as board:
        board.write("\n")
    assert "unchanged" not in batch(*again)[2]


def test_no_result_goes_over_a_file_of_a_run(tmp_path, batch, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(REAL / "h2o", tmp_path / "run")
    before = (tmp_path / "run" / "leaderboard.csv").read_bytes()
    assert "would overwrite an input file" in batch.refused("run", "-o", "run/leaderboard.csv")
    assert (tmp_path / "run" / "leaderboard.csv").read_bytes() == before


@pytest.mark.parametrize("absolute", [False, True])
def test_a_worker_elsewhere_says_paths_as_they_were_given(absolute, tmp_path, monkeypatch):
    folder, path = tmp_path / "here", tmp_path / "p.csv" if absolute else "sub/p.csv"
    (folder / "sub").mkdir(parents=True)
    (folder / path).write_text("truth,a\n")
    task = FileTask(0, "k", BatchFile(str(path), Analysis()), Resources(), str(folder))
    monkeypatch.chdir(folder)
    here = work(task)
    monkeypatch.chdir(tmp_path.parent)
    assert work(task) == here
    assert here.problem.startswith(f"{path}: no row")
