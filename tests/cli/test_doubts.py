"""A doubt is seen wherever a number is, above it, and nothing that is no doubt looks like one."""

import json
import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from day import daily, swept

import bbccli
from bbccli.documents.correct import Envelope, doubts_of
from bbccli.errors import BbcError
from bbccli.notes import NOTES, Severity
from bbccli.platform.records import Document

FAST = ("--n-resamples", "50")
LEAK = "leak ranks all samples as the truth does"


def made(kind):
    """120 samples whose result has no note, or one that is harmless, of care, or a doubt."""
    rng = np.random.default_rng(5)
    truth = np.tile([0, 1], 60)
    scores = rng.normal(size=(120, 3)) + 1.1 * truth[:, None] + rng.normal(size=(120, 1))
    table = pd.DataFrame(1 / (1 + np.exp(-scores)), columns=["lr", "rf", "xgb"])
    table.insert(0, "truth", truth)
    if kind != "care":  # unknown folds are of care
        table.insert(0, "fold", np.arange(120) // 2 % 5)
    if kind == "harmless":
        table["rf again"] = table["rf"]
    if kind == "doubt":
        table["leak"] = 0.1 + 0.7 * truth + rng.uniform(0, 0.1, 120)
    return table


FILES = {"clean": "clean.csv", "harmless": "twins.csv", "care": "bare.csv", "doubt": "leaky.csv"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    for kind, name in FILES.items():
        made(kind).to_csv(path / name, index=False)
    return path


SURFACES = {
    "table": ("correct", "{}", *FAST),
    **{
        form: ("correct", "{}", *FAST, "--format", form)
        for form in ("json", "jsonl", "csv", "markdown", "html", "junit", "github", "metrics")
    },
    "page": ("correct", "{}", *FAST, "-o", "r.html"),
    "json file": ("correct", "{}", *FAST, "-o", "r.json"),
    "markdown file": ("correct", "{}", *FAST, "-o", "r.md"),
    "gate": ("correct", "{}", *FAST, "--fail-under", "0.1", "--format", "jsonl"),
    "batch": ("batch", "{}", *FAST, "--jobs", "1"),
    "batch page": ("batch", "{}", *FAST, "--jobs", "1", "-o", "b.html"),
    "batch table": ("batch", "{}", *FAST, "--jobs", "1", "-o", "b.csv"),
    "leaderboard": ("leaderboard", "{}", *FAST),
    "leaderboard page": ("leaderboard", "{}", *FAST, "-o", "l.html"),
    "compare": ("compare", "{}", *FAST),
    "compare page": ("compare", "{}", *FAST, "-o", "c.html"),
    "baseline": ("compare", "{}", *FAST, "--baseline", "lr"),
    "drop": ("drop", "{}", *FAST),
    "drop list": ("drop", "{}", *FAST, "--list", "keep"),
    "plan": ("plan", "{}", *FAST, "--samples", "200"),
    "plan page": ("plan", "{}", *FAST, "--samples", "200", "-o", "p.html"),
    "inspect": ("inspect", "{}"),
    "explain": ("explain", "r.json"),
    "report": ("report", "r.json", "-o", "s.html"),
    "figure": ("plot", "r.json", "-o", "f.vl.json"),
}
"""Commands that show a number of a file."""


@pytest.mark.parametrize(
    ("surface", "kind"),
    daily(
        [(surface, kind) for surface in SURFACES for kind in FILES],
        [(surface, kind) for surface in SURFACES for kind in ("care", "doubt")],
        unpack=True,
    ),
)
def test_a_doubt_is_said_and_nothing_else_is(run, folder, tmp_path, monkeypatch, surface, kind):
    monkeypatch.chdir(tmp_path)
    argv = SURFACES[surface]
    if "r.json" in argv and "-o" not in argv[:2]:
        run("correct", folder / FILES[kind], *FAST, "-q", "-o", "r.json")
    status, out, err = run(*[folder / FILES[kind] if one == "{}" else one for one in argv])
    assert status == 0, err
    seen = re.sub("<style>.*?</style>", "", f"{out}\n{err}", flags=re.S)
    written = tmp_path / argv[-1]
    if surface.endswith("page") or surface == "report":
        text = written.read_text()
        assert bool(text.count('class="doubt"')) == (kind == "doubt")
        assert text.find('class="doubt"') < text.find("<p><strong>") or kind != "doubt"
    if surface in ("table", "batch", "leaderboard", "compare", "drop", "plan", "inspect"):
        n_doubts = {"doubt": 2 if argv[0] == "plan" else 1}.get(kind, 0)  # near-perfect
        assert len(re.findall("^DOUBT ", seen, re.M)) == n_doubts
        assert seen.find("DOUBT") < seen.find("Expect") or "Expect" not in seen
    if surface == "metrics":
        assert json.loads(out)["doubts"] == (kind == "doubt")
        return
    assert bool(re.search("doubt", seen, re.I)) == (kind == "doubt"), seen
    if kind == "doubt":
        assert LEAK in " ".join(seen.replace("\n         ", " ").split()), seen


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("surface", sorted(SURFACES.keys() - {"report", "figure", "explain"}))
def test_a_doubt_fails_where_it_is_asked_to(run, folder, tmp_path, monkeypatch, surface):
    monkeypatch.chdir(tmp_path)
    argv = SURFACES[surface]
    for kind, expected in (("care", 0), ("doubt", 3)):
        words = [folder / FILES[kind] if one == "{}" else one for one in argv]
        status, out, err = run(*words, "--fail-on", "doubt", "--quiet")
        assert status == expected, err
        said = re.sub("<style>.*?</style>", "", out + err, flags=re.S)
        said = said.replace('"doubts": 0', "").lower()
        assert ("doubt" in said) == (status == 3)


def test_doubts_are_those_of_the_answer(run, folder):
    """One about a method that is there for comparison heads nothing and fails nothing."""
    table = made("clean")
    table["fold"] = np.arange(120) // 2 % 3  # few folds are a doubt about bbc-f alone
    table.to_csv(folder / "three.csv", index=False)
    methods = ("--method", "bbc", "--method", "bbc-f")
    argv = ("correct", folder / "three.csv", *methods, *FAST, "--fail-on", "doubt")
    status, out, _ = run(*argv, "--notes", "all")
    assert (status, out.count("DOUBT"), out.find("DOUBT") > out.find("> bbc")) == (0, 1, True)
    assert run(*argv, "--fail-under", "0.1", "--gate-method", "bbc-f")[0] == 3
    status, out, _ = run("correct", folder / "three.csv", "--method", "bbc-f", *argv[-2:])
    assert (status, out.find("DOUBT") < out.find("> bbc-f")) == (3, True)


def test_every_kind_of_doubt_is_one(run, folder):
    found = run.document("correct", folder / "clean.csv", *FAST)
    assert found["notes"] == []
    for code, one in NOTES.items():
        noted = found | {"notes": [{"code": code, "text": "x", "remedy": ""}]}
        kept = [note.code for note in doubts_of(Document(noted, Envelope).record)]
        assert kept == [code] * (one.severity is Severity.DOUBT)


@pytest.mark.parametrize("kind", FILES)
def test_a_notebook_shows_doubts_unfolded_above_the_answer(folder, kind):
    found = bbccli.correct(str(folder / FILES[kind]), n_resamples=50)
    leader = bbccli.compare(str(folder / FILES[kind]), n_resamples=50)
    for result in (found, leader):
        page, said = result._repr_html_(), repr(result)
        open_part = page.partition("<details")[0]
        assert (LEAK in open_part) == (kind == "doubt")
        assert LEAK not in page.partition("<details")[2]
        assert said.startswith("DOUBT: ") == (kind == "doubt")
    assert open_part.find("DOUBT") < open_part.find("By AUC")


def test_it_is_a_setting_of_the_project(run, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bbc.toml").write_text('fail-on = "doubt"\n')
    status, out, _ = run("correct", folder / "leaky.csv", *FAST)
    assert (status, "DOUBT" in out) == (3, True)


def test_severities_differ_in_word_and_colour(run, folder, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = made("doubt").drop(columns="fold").assign(twin=made("clean")["rf"])
    table.to_csv(folder / "all.csv", index=False)
    _, out, _ = run("correct", folder / "all.csv", *FAST, "--notes", "all")
    looks = dict(reversed(one) for one in re.findall(r"\x1b\[([\d;]+)m(DOUBT|note|harmless)", out))
    assert looks == {"DOUBT": "1;31", "note": "33", "harmless": "2"}
    assert out.index("DOUBT") < out.index("Expect") < out.index("note") < out.index("harmless")


def test_files_of_a_batch_in_doubt_are_told_apart(run, folder, tmp_path):
    argv = ("batch", folder / "clean.csv", folder / "leaky.csv", *FAST, "--jobs", "1")
    _, out, _ = run(*argv, "--fail-under", "0.1")
    assert "1 with doubts" in " ".join(out.split())
    assert re.search(r"clean.csv .* met$", out, re.M)
    assert re.search(r"leaky.csv .* met, with doubts$", out, re.M)
    target = tmp_path / "b.html"
    status, _, err = run(*argv, "--fail-under", "0.1", "--fail-on", "doubt", "-o", target)
    assert (status, "2 files done, 1 with doubts" in err) == (3, True)
    assert "2 gates: 1 met, 1 met with doubts." in target.read_text()


def test_about_right_is_no_word_for_a_leak(run, folder):
    words = ("batch", folder / FILES["doubt"], "--n-resamples", "200", "--jobs", "1")
    out = " ".join(run.printed(*words).split())
    assert "about right" not in out and "the same as the corrected one" in out


@pytest.mark.parametrize(
    "module", ["", swept(".comparisons"), swept(".recording"), swept(".search"), swept(".reports")]
)
def test_names_that_are_imported_when_used_are_completed(module):
    found = import_module(f"bbccli{module}")
    assert set(found.__all__) <= set(dir(found))


def test_an_error_is_two_lines_in_a_notebook(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n0.1,0.2\n")
    with pytest.raises(BbcError) as caught:
        bbccli.correct(str(tmp_path / "x.csv"))
    first, second = caught.value._render_traceback_()
    assert first.startswith("InputError: ") and "no truth column" in first
    assert second.startswith("hint: ")


def test_inspect_refuses_what_correct_refuses_for_too_few_samples(run, tmp_path):
    """A single sample or group, in folds too; but not classes too rare for every draw to have."""
    rng = np.random.default_rng(1)
    classes = [f"c{i // 2:02d}" for i in range(60)]
    rare = {"item": range(60), "truth": classes}
    rare |= {name: rng.permutation(classes) for name in "ab"}
    scores = {"item": range(3), "a": [0.1, 0.4, 0.3], "b": [0.2, 0.1, 0.9]}
    one, folds = {k: v[:1] for k, v in scores.items()}, {"fold": [1, 2, 3]}
    for table, task, refused in (
        (one, "score", True),
        (one | {"fold": [1]}, "score", True),
        (scores | folds | {"group": [1, 1, 1]}, "score", True),
        (scores | folds | {"group": [1, 2, 2]}, "score", False),
        (scores, "score", False),
        (rare, "multiclass", False),
    ):
        pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
        argv = (tmp_path / "t.csv", "--task", task, "--row-id", "item")
        status, out, err = run("correct", *argv, *FAST)
        inspected, found, _ = run("inspect", *argv, "--notes", "all")
        assert (status, inspected) == ((2, 2) if refused else (0, 0)), (table, found)
        if task == "score":
            assert "class" not in out + err
            assert "lack a class" not in found and "rare class" not in found
        if refused:
            assert err.splitlines()[0].removeprefix("error: ") in " ".join(found.split())


def test_the_table_of_a_batch_keeps_its_doubts_for_a_gate(run, folder, tmp_path):
    target = tmp_path / "t.parquet"
    run("batch", folder / "leaky.csv", folder / "clean.csv", *FAST, "--jobs", "1", "-o", target)
    status, out, _ = run("gate", target, "--fail-under", "0.1")
    assert (status, out.count("gate met, with doubts"), out.count("gate met")) == (0, 1, 2)
    assert "doubt: perfect-configuration" in out
    assert run("gate", target, "--fail-under", "0.1", "--fail-on", "doubt")[0] == 3


def test_hints_lead_somewhere(run, folder, tmp_path):
    run("correct", folder / "clean.csv", *FAST, "-q", "-o", tmp_path / "r.json")
    err = run.refused("plot", tmp_path / "r.json", "--kind", "roc", "-o", tmp_path / "f.svg")
    assert "give the predictions: bbc plot FILE --kind roc" in err
    for name in ("clean.csv", "t.parquet"):
        pd.DataFrame({"truth": [0, 1], "a": [0.1, 0.2]}).to_parquet(folder / "t.parquet")
        err = run.refused("gate", folder / name, "--fail-under", "0.8")
        assert "bbc correct FILE --fail-under 0.8" in err
