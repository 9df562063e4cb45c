"""`bbc explain`: whatever has a name is explained, and every result."""

import json
import re

import pytest

from bbccli import METHODS, METRICS
from bbccli.comparisons.across import TESTS as ACROSS
from bbccli.comparisons.pairs import TESTS as PAIRS
from bbccli.dropping import RULES
from bbccli.notes import NOTES
from bbccli.stats.intervals import INTERVALS
from bbccli.types import Calibration, Select


def words(run, *argv):
    out = run.silent("explain", *argv)
    assert not re.search(r"\]\(|\*\*", out), "links and emphasis are for pages"
    return " ".join(out.split())


def test_no_name_means_two_things(run):
    steps = re.search(r" a choice (.*) a note ", words(run))[1].split(", ")
    assert {*steps} >= {*Calibration, "mean", "tuned"}
    names = [*METHODS, *METRICS, *NOTES, *INTERVALS, *steps]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", METHODS)
def test_methods(run, name):
    text = re.split(rf" (?:test|rule) {name} option ", words(run, name))[0]
    assert text.startswith(f"method {name} what {METHODS[name].summary} ")
    assert "all assume the file holds all configurations" in text
    assert ("assumes " in text) == (name != "cvt")  # the naive figure assumes nothing
    assert " formula " in text
    assert " when " in text
    assert " when not " in text
    assert text.endswith(f"source {METHODS[name].reference}")
    assert ("ignores that the winner was selected" in text) == METHODS[name].ignores_selection


@pytest.mark.parametrize("name", METRICS)
def test_metrics(run, name):
    text = words(run, name)
    assert text.startswith(f"metric {name} ")
    assert f"what {METRICS[name].summary}" in text
    assert "when not undefined" in text
    assert text.endswith(f"source {METRICS[name].reference}")


def test_metrics_by_other_names(run):
    assert words(run, "roc_auc") == words(run, "auc")


@pytest.mark.sweep
@pytest.mark.parametrize("code", NOTES)
def test_notes(run, code):
    text = words(run, code)
    assert text.startswith(f"note {code} matters {NOTES[code].severity.name.lower()}: ")
    assert NOTES[code].meaning.split()[0].strip("`") in text


def test_nothing_explains_which_number_on_one_screen(run):
    text = words(run)
    assert text.startswith("Report the row that the table marks >")
    for known in (METHODS, METRICS, NOTES):
        examples = re.search(rf"one of {len(known)}, (?:by .*? )?such as ([\w-]+)", text)
        assert examples[1].strip() in known
    assert all(kind in text for kind in INTERVALS)
    assert run("explain")[1].count("\n") <= 16


@pytest.fixture
def saved(run, samples, tmp_path):
    """A result in a file."""
    path = tmp_path / "r.json"
    argv = ("--n-resamples", 50, "-q", "-o", path)
    assert run("correct", samples / "progression.parquet", *argv)[0] == 0
    return path


@pytest.mark.sweep
def test_a_result(run, saved):
    text, found = words(run, saved), json.loads(saved.read_text())
    bbc = next(e for e in found["estimates"] if e["method"] == "bbc")
    assert f"Expect {bbc['value']:.3f} on new samples" in text
    assert "Report the AUC from bbc: the selection was repeated on 50 bootstrap resamples" in text
    assert "picked for its score among 177 configurations" in text
    others = "The others here (cvt, tt, bbc-f) are for comparison. Reporting the most favourable"
    assert others in text and text.count(" report AUC ") == 1
    codes = [note["code"] for one in (found, *found["estimates"]) for note in one["notes"]]
    assert {code: text.count(f"note {code} seen") for code in codes} == dict.fromkeys(codes, 1)
    assert text.index("winners-differ") < text.index("tied-winners")


@pytest.mark.sweep
def test_results_on_lines_with_a_failure_among_them(run, saved, tmp_path):
    error = {"schema": "bbc-error/1", "version": "0.0.0", "path": "p.csv"}
    error |= {"error": {"problem": "no", "hint": "", "status": 2}}
    lines = [json.dumps(json.loads(saved.read_text())), json.dumps(error)]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(lines * 2) + "\n")
    assert words(run, path).count(" report AUC ") == 2
    path.write_text(lines[1] + "\n")
    assert "no file of this batch has a result" in run.refused("explain", path)


@pytest.mark.sweep
def test_a_note_of_a_later_version_is_shown_as_it_is(run, saved):
    found = json.loads(saved.read_text())
    found["notes"] = [{"code": "new", "text": "seen \x1b[31m", "remedy": "mend"}]
    saved.write_text(json.dumps(found))
    text = words(run, saved)
    assert "note new seen seen \\x1b[31m do mend" in text


@pytest.mark.parametrize("name", dict.fromkeys((*PAIRS, *ACROSS, *RULES)))
def test_a_test_is_explained_as_its_option_takes_it(run, name):
    """Where the name is that of a method or a rule too, each has its part."""
    parts = words(run, name).split(" option ")[1:]
    of = {"--test": PAIRS, "--across --test": ACROSS, "--rule": RULES}
    assert [part.split(f" {name} ")[0] for part in parts] == [o for o in of if name in of[o]]
    assert all(" what " in part and len(part.split(" source ")) == 2 for part in parts)
    assert words(run, name).startswith("method ") == (name in METHODS)
    assert not re.search(r" \([1-9]\) ", " ".join(parts))  # nothing refers to a number


def test_other_words(run, tmp_path):
    err = run.refused("explain", "few-fold")
    assert err.splitlines()[0] == "error: nothing is called 'few-fold', and there is no such file"
    assert "did you mean few-folds?" in err
    table = tmp_path / "b.parquet"
    table.write_bytes(b"")
    assert "is a table, not saved results" in run("explain", table)[2]


@pytest.mark.parametrize("kind", ["percentile", "sharp", "t"])
def test_a_kind_of_interval_is_explained_with_how_often_it_covered(run, kind):
    assert ("covered, bbc " in run.printed("explain", kind)) == (kind != "t")


@pytest.mark.parametrize(
    "choice", [*Select, *Calibration, "tuned", "sklearn", "sklearn:f1", "mean:3", "greedy:10"]
)
def test_what_is_chosen_is_explained_by_the_value_of_its_option(run, choice):
    text = run.printed("explain", choice)
    name = choice.partition(":")[0]
    assert f"choice   {name}\n" in text
    assert name in " ".join(text.split()).split(" what ")[1]
