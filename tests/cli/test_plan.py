"""`bbc plan`: what it says of a pilot and of stated values, its forms, and what it refuses."""

import csv
import io
import json
import re

import jsonschema
import numpy as np
import pandas as pd
import pytest
from day import swept

from bbccli.reports.forms.json_schema import json_schema

DEFINITION = {"$ref": "#/$defs/PlanDocument", "$defs": json_schema()["$defs"]}
STATED = ("plan", "--expected", "0.85", "--prevalence", "0.3", "--configurations", "200")


@pytest.fixture
def pilot(samples):
    return ("plan", samples / "digits.parquet", "--n-resamples", "40")


def document(run, *argv):
    found = json.loads(run.silent(*argv, "--format", "json", "-q"))
    jsonschema.Draft202012Validator(DEFINITION).validate(found)
    return found


def test_rows_that_can_not_be_resampled(run):
    assert run.refused(*STATED, "--samples", "10,9") == (
        "error: --samples is 9, too few to resample\nhint: plan for 10 samples or more\n"
    )


def test_figures_of_a_tiny_pilot_differ_where_they_are_said_to(run, tmp_path):
    rows = "0,.1,.2,.3\n1,.8,.7,.2\n0,.2,.4,.6\n1,.9,.6,.7\n0,.4,.5,.3\n1,.3,.8,.9\n"
    (tmp_path / "p.csv").write_text(f"truth,a,b,c\n{rows}")
    words = " ".join(run("plan", tmp_path / "p.csv")[1].split())
    seen = re.search(r"apparent \w+ to be (0\.\d\d), but (0\.\d\d) on new data", words)
    assert seen and seen[1] > seen[2]


def test_a_width_by_a_pilot(once, pilot):
    text = " ".join(once.silent(*pilot, "--width", "0.05").split())
    assert " You need about " in text
    for words in (
        " (a pilot of 300 samples narrows this to ",
        ") for the 95% CI of the winner of 23 ",
        "configurations to be at most 0.05 wide on average",
        "on new data: an optimism of ",
        "more samples also train better models",
        "samples width optimism apparent expected",
    ):
        assert words in text
    assert "12 configurations:" not in text
    details = " ".join(once.silent(*pilot, "--width", "0.05", "--details").split())
    for words in (
        "12 configurations:",
        "by BBC, from the pilot",
        "contenders 14 of 23 configurations, within three",
    ):
        assert words in details


@pytest.mark.sweep
def test_the_document_of_a_pilot(run, pilot):
    found = document(run, *pilot, "--width", "0.05", "--details")
    planned = found["planned"]
    assert found["input"]["n_configurations"] == planned["n_configurations"] == 23
    assert planned["wanted"]["n_samples"] == planned["chosen"]["n_samples"]
    assert planned["chosen"]["width"] == planned["wanted"]["attainable"] <= 0.05
    assert planned["chosen"] in planned["cells"]
    assert planned["halved"]["n_configurations"] == 12
    assert len(planned["assumptions"]) == 3
    wanted = planned["wanted"]
    assert wanted["n_samples_lower"] < wanted["n_samples"] < wanted["n_samples_upper"]


@pytest.mark.sweep
def test_a_table_of_rows_and_configurations(run, pilot):
    found = document(run, *pilot, "--samples", "200,800", "--configurations", "5,50")["planned"]
    cells = [(cell["n_samples"], cell["n_configurations"]) for cell in found["cells"]]
    assert cells == [(200, 5), (200, 50), (800, 5), (800, 50)]
    assert (found["chosen"]["n_samples"], found["chosen"]["n_configurations"]) == (200, 50)
    assert found["wanted"] is None


def test_stated_values(run):
    found = document(run, *STATED, "--width", "0.1")
    planned = found["planned"]
    assert found["input"] is None
    assert found["metric"] == "auc"
    assert (planned["expected"], planned["prevalence"]) == (0.85, 0.3)
    assert (planned["spread"], planned["correlation"]) == (0.03, 0.8)
    assert planned["chosen"]["optimism_lower"] == planned["chosen"]["optimism_upper"]
    out = run.printed(*STATED, "--samples", "300")
    assert "independent" in out and "pilot" not in out


def test_one_configuration(run):
    words = ("plan", "--metric", "accuracy", "--expected", "0.9", "--configurations", "1")
    status, out, _ = run(*words, "--width", "0.05")
    text = " ".join(out.split())
    assert status == 0
    assert text.startswith("stated values expected accuracy 0.900 for a single configuration")
    assert " You need about 557 samples for the 95% CI of a single configuration" in text
    assert "Nothing is selected, so its accuracy needs no correction: expect about 0.900." in text


@pytest.mark.sweep
def test_what_cant_be_attained_is_told(run):
    status, out, _ = run(*STATED, "--width", "0.0001")
    text = " ".join(out.split())
    assert status == 0
    assert "Not even 1,000,000 samples are enough for the 95% CI" in text
    assert "the smallest attainable value is" in text
    found = document(run, *STATED, "--optimism", "1e-9")
    assert found["planned"]["wanted"]["n_samples"] is None
    assert [note["code"] for note in found["notes"]] == ["not-attainable"]


def test_csv_has_the_chosen_cell_though_none_of_the_table_is(run):
    status, out, _ = run(*STATED, "--optimism", "0.01", "--samples", "12,17", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert status == 0
    assert [row["chosen"] for row in rows] == ["true", *["false"] * (len(rows) - 1)]
    assert {row["n_samples"] for row in rows[1:]} == {"12", "17"} != {rows[0]["n_samples"]}


@pytest.mark.sweep
def test_a_check_is_shown(run, monkeypatch):
    monkeypatch.setattr("bbccli.planning.studies.N_CHECKED", 10)
    words = ("plan", "--expected", "0.8", "--configurations", "10", "--samples", "100")
    found = document(run, *words, "--check")["planned"]["check"]
    assert (found["law"], found["n_repeats"]) == ("binormal", 10)
    assert " studies (binormal): optimism " in " ".join(run(*words, "--check")[1].split())


@pytest.mark.parametrize(
    ("argv", "problem", "hint"),
    [
        (("plan",), "needs a pilot or an expected value", "a file, or --expected"),
        swept((*STATED, "--width", "10"), "--width is 10: no two values of AUC", "such as 0.1"),
        swept((*STATED, "--optimism", "5"), "--optimism is 5: no two values of AUC", "0.05"),
        swept((*STATED, "--width", "0.1", "--within", "1"), "--within is 1: no two", "less than 1"),
        swept(
            ("plan", "--expected", "0.85"),
            "number of configurations searched",
            "--configurations 200",
        ),
        swept(STATED, "the plan has no target", "--width"),
        ((*STATED, "--width", "0"), "--width is 0", "more than 0"),
        swept((*STATED, "--optimism", "nan"), "--optimism is nan", "more than 0"),
        swept((*STATED, "--width", "0.1", "--optimism", "0.1"), "two questions", "one at a time"),
        swept((*STATED, "--samples", "0"), "--samples is '0'", "integers"),
        swept((*STATED, "--samples", "9999999"), "over 1,000,000", "at most"),
        ((*STATED, "--samples", ",".join(map(str, range(1, 99)))), "100 cells", "fewer"),
        swept((*STATED, "--width", "0.1", "--within", "-1"), "--within is -1", "0 or more"),
        swept((*STATED, "--width", "0.1", "--correlation", "1"), "--correlation is 1", "0.7"),
        swept((*STATED, "--width", "0.1", "--spread", "-1"), "--spread is -1", "0.03"),
        swept((*STATED, "--width", "0.1", "--spread", "0.51"), "--spread is 0.51", "0.03"),
        swept(
            (*STATED[:2], "1.2", *STATED[3:], "--width", "0.1"), "--expected is 1.2", "corrected"
        ),
        swept((*STATED[:4], "0", *STATED[5:], "--width", "0.1"), "--prevalence is 0", "0.3"),
        ((*STATED, "--metric", "mse", "--width", "0.1"), "MSE needs a pilot", "bbc plan FILE"),
        swept((*STATED, "--width", "0.1", "--assurance", "80"), "--assurance is 80", "0.8"),
        swept(
            (*STATED, "--optimism", "0.1", "--assurance", "0.8"),
            "goes with --width or --difference",
            "such as 0.1",
        ),
        swept((*STATED, "--samples", "900000", "--check"), "--check", "fewer"),
    ],
)
def test_what_is_refused(run, argv, problem, hint):
    err = run.refused(*argv)
    assert problem in err.splitlines()[0]
    assert hint in err.splitlines()[1]


def test_a_pilot_leaves_nothing_to_state(run, pilot):
    assert "--expected is for a plan without a pilot" in run.refused(*pilot, "--expected", "0.9")
    stated = ("plan", "--expected", 0.9, "--configurations", 9, "--width", 0.1)
    for option in (("--cap", 0.9), ("--clip", 0.01), ("--risk-direction", "later")):
        assert f"{option[0]} is for a plan with a pilot" in run.refused(*stated, *option)


TEN = ("plan", "--expected", "0.85", "--metric", "accuracy", "--configurations", "10")


def test_notes_of_stated_values_are_said_beside_json(run):
    status, out, err = run(*TEN, "--samples", "30", "--format", "json")
    (note,) = err.splitlines()
    assert status == 0
    assert note == (
        "note: the figures assume normally distributed performances, which 30 samples do not give; "
        "hint: plan for at least 50 samples, or rely on the simulation of --check"
    )
    assert [one["code"] for one in json.loads(out)["notes"]] == ["few-planned-rows"]
    assert run(*TEN, "--samples", "50", "--format", "json")[2].count("note:") == 0


def test_a_stated_spread_of_0_is_not_said_to_be_chance(run):
    (note,) = document(run, *TEN, "--samples", "100", "--spread", "0")["notes"]
    assert note["code"] == "no-true-spread"
    assert note["text"].startswith("the stated spread is 0, so all configurations are ")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("rows", "names", "noted"), [(30, 12, True), (60, 9, True), (60, 12, False)]
)
def test_a_small_pilot_is_rough(run, tmp_path, rows, names, noted):
    truth = np.arange(rows) % 2
    scores = 0.3 * truth[:, None] + 0.7 * np.random.default_rng(0).random((rows, names))
    table = pd.DataFrame(scores.round(3)).add_prefix("c").assign(truth=truth)
    table.to_csv(tmp_path / "pilot.csv", index=False)
    asked = ("--samples", "100", "--n-resamples", "40")
    found = document(run, "plan", tmp_path / "pilot.csv", *asked)["notes"]
    told = [one["text"] for one in found if one["code"] == "rough-pilot"]
    words = f"a pilot of {rows} samples and {names} configurations shows only roughly"
    assert [text.startswith(words) for text in told] == [True] * noted
