"""`bbc correct -o report.html`, `bbc report`, `bbc plot`, and what the search cost."""

import json
from pathlib import Path

import pytest

from bbccli.cli.app import main

SAMPLE = str(Path(__file__).parents[2] / "sample_data" / "breast_cancer.csv")
FAST = ("--n-resamples", "50")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "result.json"
    assert main(["correct", SAMPLE, *FAST, "--cost-of-search", "-q", "-o", str(path)]) == 0
    return path


def test_a_page_by_its_suffix_tells_the_answer_and_where_it_is(tmp_path, capsys):
    target = tmp_path / "report.html"
    assert main(["correct", SAMPLE, *FAST, "--seed", "3", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    *_, expected, last = err.splitlines()
    assert expected.startswith("Expect 0.") and last == f"page: {target}"
    text = target.read_text(encoding="utf-8")
    assert text.count("<svg") == 8
    assert "--seed 3 --n-resamples 50" in text
    assert len(text.encode()) < 2**20


@pytest.fixture
def undrawn(monkeypatch):
    """Pages without pictures, which take longest: for tests that look at something else."""
    monkeypatch.setattr("bbccli.reports.page.figures.can_render", lambda: False)


@pytest.mark.usefixtures("undrawn")
def test_a_page_on_standard_output_is_alone(capsys):
    assert main(["correct", SAMPLE, *FAST, "--format", "html"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("<!DOCTYPE html>") and err == ""


def test_the_cost_stands_in_the_json_only_where_asked(saved, capsys):
    cost = json.loads(saved.read_text())["search_cost"]
    assert cost["counts"][-1] == 177 and cost["n_resamples"] == 50
    assert main(["correct", SAMPLE, *FAST, "--format", "json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["search_cost"] is None


def test_the_cost_is_a_sentence_in_the_table(capsys):
    assert main(["correct", SAMPLE, *FAST, "--cost-of-search"]) == 0
    assert "search " in capsys.readouterr().out


@pytest.mark.usefixtures("undrawn")
def test_a_cost_that_can_not_be_told_is_an_error_only_where_asked(tmp_path, capsys):
    rule = ("--select", "one-se", *FAST)
    assert main(["correct", SAMPLE, *rule, "--cost-of-search"]) == 2
    assert "taking the best" in capsys.readouterr().err
    target = tmp_path / "r.html"
    assert main(["correct", SAMPLE, *rule, "-o", str(target), "-q"]) == 0
    assert "What the search cost: it was not asked for" in target.read_text(encoding="utf-8")


def test_a_page_of_a_saved_result(saved, tmp_path):
    target, figures = tmp_path / "r.html", tmp_path / "figures"
    argv = ["report", str(saved), "-o", str(target), "--title", "A <b>", "-q"]
    assert main([*argv, "--figures", str(figures)]) == 0
    text = target.read_text(encoding="utf-8")
    assert "<title>A &lt;b&gt;</title>" in text and text.count("<svg") == 3
    assert "What the search cost" in text and "Not shown" in text
    names = sorted(path.name for path in figures.iterdir())
    assert names == sorted(
        f"{kind}.{form}"
        for kind in ("forest", "cost", "wins")
        for form in ("svg", "png", "pdf", "vl.json")
    )


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_a_batch(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.csv").write_bytes(Path(SAMPLE).read_bytes())
    (tmp_path / "bad.csv").write_text("x\n")
    target = tmp_path / "results.html"
    files = [str(tmp_path / name) for name in ("a/p.csv", "b/p.csv", "bad.csv")]
    argv = ["batch", *files, "-o", str(target), *FAST, "--jobs", "1", "--fold", "fold", "-q"]
    assert main([*argv, "--metric", "auc"]) == 5
    text = target.read_text(encoding="utf-8")
    assert "3 experiments." in text and "1 without a result" in text
    lines = tmp_path / "results.jsonl"
    assert main(["batch", *files, "-o", str(lines), *FAST, "--jobs", "1", "-q"]) == 5
    page = tmp_path / "again.html"
    assert main(["report", str(lines), "-o", str(page), "-q"]) == 0
    assert "3 experiments." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("vl.json", b"{")]
)
def test_a_figure_in_each_form(saved, tmp_path, form, start):
    target = tmp_path / f"figure.{form}"
    for _ in range(2):
        assert main(["plot", str(saved), "--kind", "cost", "-o", str(target)]) == 0
        assert target.read_bytes().startswith(start)


def test_a_figure_of_predictions(tmp_path):
    target = tmp_path / "roc.vl.json"
    assert main(["plot", SAMPLE, *FAST, "--kind", "roc", "-o", str(target), "-q"]) == 0
    assert json.loads(target.read_text())["layer"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--kind", "roc", "-o", "x.svg"), "needs the predictions"),
        (("--kind", "rok", "-o", "x.svg"), "not one of"),
        (("-o", "x.gif"), "not the name of a figure"),
    ],
)
def test_what_can_not_be_drawn(saved, argv, words, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["plot", str(saved), *argv]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_a_figure_is_refused_in_one_line(saved, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("bbccli.reports.figures.rendering.can_render", lambda: False)
    target = tmp_path / "x.svg"
    assert main(["plot", str(saved), "-o", str(target)]) == 2
    problem, hint = capsys.readouterr().err.splitlines()
    assert "vl-convert-python, which is not installed" in problem
    assert 'pip install "bbccli[report]"' in hint
    assert main(["plot", str(saved), "-o", str(tmp_path / "x.vl.json")]) == 0


def test_a_page_never_takes_the_place_of_its_result(saved, capsys):
    assert main(["report", str(saved), "-o", str(saved)]) == 2
    assert "a file that is read" in capsys.readouterr().err
