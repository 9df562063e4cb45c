"""What the forms of `bbc compare` say, beside the JSON of the same result."""

import html
import json
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from bbccli.platform.text import percent

pytestmark = pytest.mark.sweep

FAST = ("--n-resamples", "50")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    truth = np.arange(40) % 2
    found = pd.DataFrame({"row_id": range(40), "truth": truth, "fold": np.arange(40) // 2 % 5})
    for name, effect in (("a", 0.1), ("b", 0.5), ("c", 0.4)):
        found[name] = np.round(truth * effect + rng.random(40) * 0.5, 2)
    return found


@pytest.fixture
def file(table, tmp_path):
    path = tmp_path / "three.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def said(run):
    """The form of a comparison and its JSON: (text, document)."""

    def call(*asked):
        def one(form):
            return run("compare", *asked[:-1], *FAST, "--format", form, "-q")[1]

        return one(asked[-1]), json.loads(one("json"))

    return call


def rows_of(markdown):
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [
        [cell.strip(" *").removeprefix("&gt; ") for cell in line[1:-1].split("|")] for line in lines
    ]


def cases_of(text):
    return {case.get("name"): case for case in ElementTree.fromstring(text).iter("testcase")}


@pytest.mark.parametrize(
    ("baseline", "outcome", "found"),
    [("a", "met", "better"), ("c", "missed", "no evidence")],
)
def test_the_gate_in_markdown_and_junit(said, file, baseline, outcome, found):
    asked = (file, "--baseline", baseline, "--fail-unless", "better")
    words = f"ate {outcome.replace('missed', 'failed')}: better was required; found: {found}"
    text, document = said(*asked, "markdown")
    assert document["gate"]["outcome"] == outcome
    assert f"\n**G{words}.**\n" in text
    case = cases_of(said(*asked, "junit")[0])["gate better"]
    if outcome == "met":
        assert case.find("system-out").text == f"g{words}" and case.find("failure") is None
    else:
        assert case.find("failure").get("message") == f"g{words}"


def test_a_test_without_a_decision_is_an_error_of_the_suite(said, table, tmp_path):
    table["b"] = 1 - table["truth"]  # all wrong, and the other all right: no variance is left
    table["a"] = table["truth"] * 0.8 + 0.1
    table.to_csv(tmp_path / "even.csv", index=False)
    asked = (tmp_path / "even.csv", "--only", "a", "--only", "b", "--pair", "a", "b")
    text, document = said(*asked, "--test", "wald", "junit")
    (one,) = document["comparisons"]
    assert one["verdict"] == "undefined"
    suite = ElementTree.fromstring(text)
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("4", "1", "0")
    case = cases_of(text)["wald a b"]
    assert case.find("error").get("message") == one["notes"][0]["text"]
    assert case.find("system-out").text == "undefined; +1.000 observed"


@pytest.mark.usefixtures("undrawn")
def test_several_at_once_have_no_difference_and_nobody_to_be_better_than(said, file, run, tmp_path):
    asked = (file, "--metric", "accuracy", "--test", "cochran-q", "--level", "0.9999999")
    text, document = said(*asked, "markdown")
    (one,) = document["comparisons"]
    assert (one["verdict"], one["second"], one["difference"]) == ("not-shown", "", None)
    p = "< 0.001" if one["p"] < 0.001 else f"{one['p']:.3f}"
    assert (
        f"**By accuracy, a, b, c: no evidence of a difference (cochran-q, p {html.escape(p)}).**"
        in text
    )
    row = dict(zip(rows_of(text)[0], rows_of(text)[2], strict=True))
    assert (row["test"], row["p"].replace("&lt;", "<")) == ("cochran-q", p)
    assert row["verdict"] == "no evidence of a difference"
    (case,) = cases_of(said(*asked, "junit")[0]).values()
    assert case.find("system-out").text == f"no evidence of a difference; cochran-q, p {p}"
    page = tmp_path / "q.html"
    assert run("compare", *asked, *FAST, "-o", page, "-q")[0] == 0
    assert "By accuracy, a, b, c: no evidence of a difference (cochran-q" in page.read_text()
    assert "against" not in page.read_text() and "to be better" not in page.read_text()


@pytest.mark.usefixtures("undrawn")
def test_a_baseline_that_is_the_winner_is_not_said_to_be_better_or_worse(said, file, run, tmp_path):
    text, document = said(file, "--baseline", "b", "markdown")
    codes = [note["code"] for one in document["comparisons"] for note in one["notes"]]
    assert "winner-is-baseline" in codes
    answer = (
        "By AUC, the baseline, b, is itself the winner: there is no evidence that any other "
        "configuration beats it."
    )
    assert f"**{answer}**" in text
    assert "nothing is compared with it" not in text
    assert len(said(file, "--baseline", "b", "table")[0].splitlines()) < 16
    page = tmp_path / "b.html"
    assert run("compare", file, "--baseline", "b", *FAST, "-o", page, "-q")[0] == 0
    assert answer in page.read_text()


def test_a_test_of_several_is_not_one_of_the_pairs(said, file):
    asked = (file, "--metric", "accuracy", "--test", "mcnemar", "--test", "cochran-q")
    text, document = said(*asked, "markdown")
    pairs = [one for one in document["comparisons"] if one["second"]]
    assert len(document["comparisons"]) == len(pairs) + 1 == 4
    n = sum(one["verdict"] in ("better", "worse") for one in pairs)
    n_pairs = "of 3 pairs differ" if n > 1 else "of 3 pairs differs"
    assert f"{n} {n_pairs} significantly" in text if n else "that any of 3 pairs differ" in text


def test_the_only_other_comparison_is_not_numbered(said, table, tmp_path):
    path = tmp_path / "two.csv"
    table[["truth", "fold", "a", "b"]].to_csv(path, index=False)
    words = " ".join(said(path, "--baseline", "b", "table")[0].split())
    assert "2 comparisons: see them with --format csv" in words
    assert re.search(r"others of the other configuration: [a-z ]+ \(1\)", words)


def test_two_families_have_no_others(said, table, tmp_path):
    paths = [tmp_path / "left.csv", tmp_path / "right.csv"]
    for path, lacking in zip(paths, ("bc", "a"), strict=True):
        table.drop(columns=list(lacking)).to_csv(path, index=False)
    text, document = said(*paths, "table")
    (one,) = document["comparisons"]
    words = " ".join(text.split())
    assert f"> right b {one['first_value']:.3f} left a {one['second_value']:.3f}" in words
    level = percent(one["interval"]["level"])
    assert (
        f"The observed difference is +{one['difference']:.3f}; after correcting for the choice "
        f"within each family it is {one['corrected']:+.3f} ({level} CI "
        f"{one['interval']['lower']:.3f} to {one['interval']['upper']:.3f})."
    ) in words
    assert "others" not in text


def test_what_was_read_is_said_beside_json_unless_quiet(run, file):
    asked = ("compare", file, "--baseline", "a", *FAST, "--format", "json")
    status, out, err = run(*asked)
    first, *notes = err.splitlines()
    assert status == 0
    assert first == (
        f"read: {file}: binary (positive: 1), 40 samples x 3 configurations, 5 folds, AUC"
    )
    found = json.loads(out)
    for line, note in zip(notes, found["notes"], strict=False):
        assert line == f"note: {note['text']}; hint: {note['remedy']}"
    assert run(*asked, "-q")[1:] == (out, "")


@pytest.fixture
def data_sets(table, tmp_path):
    """Data sets in which b is best by far, the last without a positive prediction of c."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        own = table.copy()
        for name, effect in (("a", 0.1), ("b", 0.4), ("c", 0.3)):
            own[name] = np.round(own["truth"] * effect + rng.random(40) * 0.6, 2)
        if seed == 3:
            own["c"] = own["c"] * 0.1
        own.to_csv(tmp_path / f"d{seed}.csv", index=False)
    return [tmp_path / f"d{seed}.csv" for seed in range(4)]


def test_ranks_are_cases_of_junit(said, data_sets):
    text, document = said(*data_sets, "--across", "--test", "all", "junit")
    suite = ElementTree.fromstring(text).find("testsuite")
    ranks, cases = document["ranks"], suite.findall("testcase")
    asked = [*ranks["overall"], *ranks["pairs"]]
    assert suite.get("name") == "4 data sets" and int(suite.get("tests")) == len(asked) + 1
    for case, one in zip(cases, asked, strict=False):
        assert case.get("name").startswith(one["test"]) and one["first"] in case.get("name")
        assert (case.find("error") is not None) == (one["p"] is None)
    means = [float(line.split()[-1]) for line in cases[-1].findtext("system-out").splitlines()]
    assert means == pytest.approx([one["mean_rank"] for one in ranks["standings"]], abs=6e-3)
    text, _ = said(*data_sets, "--across", "--test", "all", "markdown")
    for one in ranks["overall"]:
        (line,) = re.findall(rf"^- {one['test']}: .*", text, re.MULTILINE)
        if one["p"] is None:
            assert f"{one['test']} is undefined: " in line
        else:
            assert float(line.split()[-1]) == pytest.approx(one["p"], abs=6e-4)


def test_those_with_the_best_mean_rank_share_it(said, data_sets, table, tmp_path):
    def words(*files):
        return " ".join(said(*files, "--across", "table")[0].split())

    assert "By AUC, b has the best mean rank, 1.00 of 3; it cannot be" in words(*data_sets)
    turned = tmp_path / "turned.csv"
    table.rename(columns={"a": "b", "b": "a"}).to_csv(turned, index=False)
    text = words(data_sets[0], turned)
    assert "By AUC, a, b, c share the best mean rank, 2.00 of 3; a cannot be" in text


def test_few_data_sets_and_those_without_a_performance_are_named(said, data_sets):
    asked = ("--across", "--metric", "precision", "--notes", "all")
    for form in ("table", "markdown"):
        text, document = said(*data_sets, *asked, form)
        words = " ".join(text.split())
        assert document["ranks"]["left_out"] == ["d3"]
        assert "1 of 4 data sets lacks a performance and is left out: d3" in words
        assert (
            "with 3 data sets the p-value of wilcoxon can't be below 0.25, even if all agree"
        ) in words


def test_beliefs_of_several_pairs_stand_beside_each(said, file):
    """Those of the last pair alone stood below the table, without its name."""
    text, document = said(file, "--test", "bayes-t", "--rope", "0.01", "markdown")
    header, _, *rows = rows_of(text)
    assert "\n- equal: within 0.01\n" in text
    assert len(document["comparisons"]) == len(rows) == 3
    for cells, one in zip(rows, document["comparisons"], strict=True):
        row = dict(zip(header, cells, strict=True))
        assert (row["first"], row["second"], row["test"]) == (
            one["first"],
            one["second"],
            "bayes-t",
        )
        for name in ("worse", "equal", "better"):
            assert row[name] == percent(one["beliefs"][name], 0)
    table = said(file, "--test", "bayes-t", "--rope", "0.01", "table")[0]
    assert "worse  equal  better" in table and "\nequal    within 0.01\n" in table
    assert "\nbayes-t " not in table
