"""`bbc correct -o report.html`, `bbc report`, `bbc plot`, and what the search cost."""

import json
import re
from pathlib import Path

import pages
import pytest
from day import swept

from bbccli.cli.app import main

SAMPLE = str(Path(__file__).parents[2] / "sample_data" / "breast_cancer.csv")
FAST = ("--n-resamples", "50")
NAMED = "logistic-l2 C=0.001"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "result.json"
    assert main(["correct", SAMPLE, *FAST, "--cost-of-search", "-q", "-o", str(path)]) == 0
    return path


@pytest.mark.usefixtures("undrawn")
def test_a_page_on_standard_output_is_alone(run):
    status, out, err = run("correct", SAMPLE, *FAST, "--format", "html")
    assert status == 0
    assert out.startswith("<!DOCTYPE html>") and err == ""


@pytest.mark.sweep
@pytest.mark.usefixtures("undrawn")
def test_a_cost_that_can_not_be_told_is_an_error_only_where_asked(run, tmp_path):
    rule = ("--select", "one-se", *FAST)
    assert "is for --select best" in run.refused("correct", SAMPLE, *rule, "--cost-of-search")
    target = tmp_path / "r.html"
    assert run("correct", SAMPLE, *rule, "-o", target, "-q")[0] == 0
    assert "Gain from searching: it is for " in target.read_text(encoding="utf-8")


@pytest.mark.sweep
def test_a_page_of_a_saved_result(run, saved, tmp_path):
    target, figures = tmp_path / "r.html", tmp_path / "figures"
    argv = ["report", saved, "-o", target, "--title", "A <b>", "-q"]
    assert run(*argv, "--figures", figures)[0] == 0
    text = target.read_text(encoding="utf-8")
    assert "<title>A &lt;b&gt;</title>" in text and text.count("<figure>") == 3
    assert "Gain from searching" in text and "Not shown" in text
    kinds, forms = ("forest", "cost", "wins"), ("svg", "png", "pdf", "vl.json")
    names = {path.name for path in figures.iterdir()}
    assert names == {f"{kind}.{form}" for kind in kinds for form in forms}


@pytest.mark.sweep
def test_a_page_of_predictions_is_that_of_the_defaults(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bbc.toml").write_text('metric = ["brier"]\nn-resamples = 50\nfail-over = 0.001\n')
    status, _, err = run("report", SAMPLE, "-o", "r.html", "--title", "Mine")
    *_, expected, last = err.splitlines()
    assert status == 0
    assert expected.startswith("Expect 0.") and last == "wrote r.html"
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Mine</title>" in text and text.count("<figure>") == 8
    told = "".join(pages.read(text).text)
    assert "--metric brier --n-resamples 50" in told and "fail-over" not in text
    assert run("correct", SAMPLE, "-q", "-o", "c.html", *FAST, "--metric", "brier")[0] == 3
    (tmp_path / "other.toml").write_text("n-resamples = 60\n")
    assert run("--config", "other.toml", "report", SAMPLE, "-q", "-o", "o.html")[0] == 0
    assert "--n-resamples</span> 60" in (tmp_path / "o.html").read_text(encoding="utf-8")
    (tmp_path / "bbc.toml").write_text("n-resamples = 50\n")
    assert run("report", SAMPLE, "-q", "-o", "r.html", "--figures", "figures")[0] == 0
    assert run("correct", SAMPLE, "-q", "-o", "c.html")[0] == 0
    assert (tmp_path / "r.html").read_bytes() == (tmp_path / "c.html").read_bytes()
    assert (tmp_path / "figures" / "roc.svg").exists()


def test_predictions_are_shown_alone(run, saved):
    problem, hint = run.refused("report", saved, SAMPLE).splitlines()
    assert "holds predictions, but there are several files" in problem
    assert "bbc correct FILE... -o" in hint and "bbc batch FILE... -o" in hint


@pytest.mark.parametrize("name", ["roc", "no.json", swept("no.parquet")])
def test_a_file_that_is_not_there_is_no_page(run, saved, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run.refused("report", name, saved).startswith(f"error: {name}: no such file\n")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison that was saved, and its page as `bbc compare` writes it."""
    folder = tmp_path_factory.mktemp("compared")
    argv = ["compare", SAMPLE, *FAST, "--metric", "auc", "--baseline", NAMED, "-q"]
    for target in ("x.json", "x.html"):
        gate = ["--fail-unless", "better", "-o", str(folder / target)]
        assert main([*argv, *gate]) == 3
    return folder


@pytest.mark.sweep
def test_a_saved_comparison_gives_the_page_that_compare_writes(run, compared, tmp_path):
    target = tmp_path / "r.html"
    status, _, err = run("report", compared / "x.json", "-o", target)
    said = err.splitlines()
    assert status == 0
    assert said[0].startswith(("By AUC, ", "There is no evidence")) and said[-2].startswith(
        "Gate failed"
    )
    assert said[-1] == f"wrote {target}"
    written = (compared / "x.html").read_text(encoding="utf-8")
    command = re.compile("<pre[^>]*><code>bbc compare .*?</code></pre>")
    assert len(command.findall(written)) == 1
    assert target.read_text(encoding="utf-8") == command.sub("", written)


@pytest.mark.sweep
def test_a_comparison_has_a_page_of_its_own(run, compared, saved, tmp_path):
    one, target = compared / "x.json", tmp_path / "r.html"
    for files in ([one, saved], [saved, one], [one, one]):
        error = run.refused("report", *files, "-o", target)
        assert f"error: {one} is a result of bbc compare, which needs a page of its own" in error
        assert "2 results" in error and len(error.splitlines()) == 2
    assert not target.exists()


@pytest.mark.sweep
def test_a_damaged_comparison_is_named_with_its_key(run, compared, tmp_path):
    document = json.loads((compared / "x.json").read_text())
    document["comparisons"][0]["verdict"] = "great"
    damaged = tmp_path / "damaged.json"
    damaged.write_text(json.dumps(document))
    error = run.refused("report", damaged)
    assert 'comparisons[0].verdict is "great"' in error and "bbc compare" in error


@pytest.mark.sweep
def test_a_figure_of_predictions(run, tmp_path):
    target = tmp_path / "roc.vl.json"
    assert run("plot", SAMPLE, *FAST, "--kind", "roc", "-o", target, "-q")[0] == 0
    assert json.loads(target.read_text())["layer"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--kind", "roc", "-o", "x.svg"), "needs the predictions"),
        (("--kind", "rok", "-o", "x.svg"), "not one of"),
        (("-o", "x.gif"), "not the name of a figure"),
    ],
)
def test_what_can_not_be_drawn(run, saved, argv, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert words in run.refused("plot", saved, *argv)
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_a_figure_is_refused_in_one_line(run, saved, tmp_path, monkeypatch):
    monkeypatch.setattr("bbccli.reports.figures.rendering.can_render", lambda: False)
    target = tmp_path / "x.svg"
    problem, hint = run.refused("plot", saved, "-o", target).splitlines()
    assert "vl-convert-python, which is not installed" in problem
    assert 'pip install "bbccli[report]"' in hint
    assert run("plot", saved, "-o", tmp_path / "x.vl.json")[0] == 0


def test_a_page_never_takes_the_place_of_its_result(run, saved, tmp_path):
    assert "not the name of a page" in run.refused("report", saved, "-o", saved)
    link = tmp_path / "r.html"
    link.symlink_to(saved)
    assert "would overwrite an input file" in run.refused("report", saved, "-o", link)


@pytest.fixture
def listed(run, tmp_path):
    """Two results in one file, as a batch writes them."""
    lines = tmp_path / "two.jsonl"
    files = [tmp_path / f"{name}.csv" for name in "ab"]
    for file in files:
        file.write_text("truth,x,y\n" + "0,.2,.1\n1,.7,.9\n0,.6,.3\n1,.4,.8\n" * 5)
    argv = ["batch", *map(str, files), "-q", *FAST, "--jobs", "1", "-o", lines]
    assert run(*argv)[0] == 0
    return lines


def test_a_figure_of_several_results_is_refused(run, saved, compared, tmp_path):
    err = run.refused("plot", saved, compared, "-o", tmp_path / "x.vl.json")
    assert "2 files are given, but a figure shows one result" in err


def test_figures_are_of_one_result(run, listed, tmp_path):
    picture, page, figures = (tmp_path / name for name in ("x.svg", "x.html", "figures"))
    assert run.refused("plot", listed, "-o", picture) == (
        f"error: {listed} holds 2 results, but a figure shows one\n"
        "hint: bbc report makes a page of several\n"
    )
    assert run.refused("report", listed, "-o", page, "--figures", figures) == (
        "error: --figures is for a single result, but there are 2\n"
        "hint: run bbc report on one saved result at a time\n"
    )
    assert not any(path.exists() for path in (picture, page, figures))


def test_an_unfit_result_has_no_diagram(run, saved, listed, tmp_path):
    for name in (saved, listed):
        assert run.refused("plot", name, "--kind", "cd", "-o", tmp_path / "x.vl.json") == (
            f"error: {name}: not one result of bbc compare\n"
            "hint: give a file that bbc compare --format json wrote\n"
        )


def test_a_file_without_a_result_has_no_page(run, tmp_path):
    for text in ("", "\n \n", "[]"):
        (tmp_path / "empty.json").write_text(text)
        problem, hint = run.refused("report", tmp_path / "empty.json").splitlines()
        assert problem == f"error: {tmp_path / 'empty.json'}: holds no result"
        assert "bbc correct --format json" in hint


def test_figures_that_no_folder_can_hold(run, saved, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    for folder in (file, file / "figures"):
        argv = ["report", saved, "-o", tmp_path / "x.html", "--figures", folder]
        problem, hint = run.refused(*argv).splitlines()
        assert problem.startswith(f"error: cannot make the folder {folder}: ")
        assert hint == "hint: name a folder, or a place where one can be made, with --figures"
    assert file.read_text() == "x" and not (tmp_path / "x.html").exists()
