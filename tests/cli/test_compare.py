"""`bbc compare`: its questions, its verdicts, its forms, and what it refuses."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from day import swept

from bbccli.comparisons import Verdict
from bbccli.reports.words.comparison_sentences import VERDICTS

FAST = ("--n-resamples", "200")


@pytest.fixture(scope="module")
def study(samples):
    return samples / "progression.parquet"


def made(seed=0, n=80, effects=(("boost", 5, 1.6), ("linear", 3, 1.2), ("tree", 2, 0.0))):
    """A table of scores: families that tell the classes apart by so much."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    hard = rng.normal(size=n)
    columns = {"row_id": [f"s{i}" for i in range(n)], "truth": truth, "fold": np.arange(n) // 2 % 5}
    for family, size, effect in effects:
        for i in range(size):
            columns[f"{family} {i}"] = effect * truth + 0.5 * hard + rng.normal(size=n)
    return pd.DataFrame(columns)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "one.csv"
    made().to_csv(path, index=False)
    return path


def said(run, *argv):
    status, out, err = run("compare", *argv, "--format", "json", "-q")
    assert (status in (0, 3, 4), err if status == 0 else "") == (True, "")
    return json.loads(out)


@pytest.mark.parametrize("question", [("--baseline", "tree 0"), ("--by", r"regex:^(\w+)")])
def test_the_margin_is_part_of_the_result(run, file, question):
    options = (*question, "--margin", "0.6", *FAST)
    assert said(run, file, *options)["margin"] == 0.6
    assert "by 0.6 or more" in " ".join(run("compare", file, *options)[1].split())


@pytest.mark.parametrize(
    ("margin", "required", "status"),
    [
        ("0", "better", 0),
        swept("0", "not-worse", 0),
        swept("0.6", "better", 3),
        swept("0.6", "not-worse", 0),
    ],
)
def test_the_gate(run, file, margin, required, status):
    options = ("--baseline", "tree 0", "--margin", margin, "--fail-unless", required, *FAST)
    code, out, err = run("compare", file, *options)
    assert code == status
    assert f"{'met' if status == 0 else 'failed'}: {required.replace('-', ' ')} was required" in out
    assert err == ""
    _, _, err = run("compare", file, *options, "--format", "json")
    assert ("gate failed" in err) == (status == 3)


def test_a_gate_on_what_is_undefined(run, tmp_path):
    table = made()
    pair = ("--pair", "boost 0", "tree 0", "--test", "k-fold-t")
    table["fold"] = np.arange(len(table)) // 2 % 2
    table.to_csv(tmp_path / "b.csv", index=False)
    status, out, err = run("compare", tmp_path / "b.csv", *pair, "--fail-unless", "better")
    assert (status, "Gate undecided" in out, err) == (4, True, "")


def winner_of(path):
    """The best configuration of the scores, and one that is far behind."""
    table = pd.read_csv(path)
    gaps = table.groupby("truth").mean(numeric_only=True).diff().iloc[1]
    names = [name for name in table if " " in name]
    of_pairs = {
        name: np.mean(
            table.loc[table.truth == 1, name].to_numpy()[:, None]
            > table.loc[table.truth == 0, name].to_numpy()
        )
        for name in names
    }
    assert gaps[max(of_pairs, key=of_pairs.get)] > 0
    return max(of_pairs, key=of_pairs.get), min(of_pairs, key=of_pairs.get)


UNDECIDABLE = {
    "no pair": (("--only", "boost 0", "--only", "tree 0", "--test", "wald"), "no pair was named"),
    "left out": (
        ("--only", "boost 0", "--only", "tree 0", "--pair", "boost 0", "tree 0"),
        "configurations were left out",
    ),
    "winner": (("--pair", "WINNER", "LAST"), "the pair holds the winner of the same samples"),
    "winner, second": (("--pair", "LAST", "WINNER"), "the pair holds the winner"),
    "unsound": (
        ("--pair", "SECOND", "LAST", "--test", "k-fold-t"),
        "finds differences that do not exist",
    ),
    "few": (("--by", r"regex:^(\w+)", "--n-resamples", "5"), "too few resamples"),
}


@pytest.mark.parametrize("case", UNDECIDABLE)
def test_a_gate_on_what_shows_nothing(run, file, case):
    options, reason = UNDECIDABLE[case]
    best, last = winner_of(file)
    second = next(name for name in ("boost 0", "boost 1") if name != best)
    named = {"WINNER": best, "LAST": last, "SECOND": second}
    words = [named.get(word, word) for word in options]
    margin = ("--margin", "0.5") if case == "few" else ()
    required = "not-worse" if case == "few" else "better"
    argv = (file, *words, *margin, "--fail-unless", required)
    found = said(run, *argv)
    assert (found["gate"]["outcome"], reason in found["gate"]["reason"]) == ("undecided", True)
    if case != "winner, second":
        assert found["gate"]["found"] in ("better", "not-worse")  # else nothing would be tested
    status, out, err = run("compare", *argv)
    assert (status, "Gate undecided" in out, reason in " ".join(out.split())) == (4, True, True)
    assert err == ""


def test_an_interval_without_width_shows_nothing(run, tmp_path):
    table = made()
    table["twin 0"] = table["boost 0"]
    path = tmp_path / "twins.csv"
    table[["row_id", "truth", "fold", "boost 0", "twin 0"]].to_csv(path, index=False)
    argv = ("compare", path, "--by", r"regex:^(\w+)", "--fail-unless", "not-worse", *FAST)
    status, out, _ = run(*argv)
    assert (status, "has no width" in " ".join(out.split())) == (4, True), out


# Families, and files of the same samples


def split(tmp_path, table, **changed):
    """Two files of the same samples, the second in another order."""
    parts = {"boost": table, "linear": changed.get("linear", table).iloc[::-1]}
    for name, part in parts.items():
        others = [c for c in part if " " in c and not c.startswith(name)]
        part.drop(columns=others).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path / "boost.csv", tmp_path / "linear.csv"


def test_two_files_are_two_families_whatever_the_order_of_their_rows(run, tmp_path):
    table = made(effects=(("boost", 5, 1.6), ("linear", 3, 1.2)))
    table.to_csv(tmp_path / "whole.csv", index=False)
    apart = said(run, *split(tmp_path, table), *FAST)["comparisons"]
    together = said(run, tmp_path / "whole.csv", "--by", r"regex:^(\w+)", *FAST)["comparisons"]
    assert apart == together


def test_rows_that_one_file_lacks(run, tmp_path):
    table = made(effects=(("boost", 5, 1.6), ("linear", 3, 1.2)))
    files = split(tmp_path, table, linear=table.iloc[4:])
    err = run.refused("compare", *files)
    assert "4 of 80 samples of boost" in err
    assert "s0, s1, s2" in err
    found = said(run, *files, "--missing", "common-rows", *FAST)
    assert found["input"]["n_samples"] == 76


# Pairs


def test_too_many_pairs_are_refused(run, study):
    assert "2 to 20 configurations, not for 177" in run.refused("compare", study, "--test", "wald")


@pytest.mark.parametrize("form", ["table", swept("csv"), swept("markdown"), swept("junit")])
def test_several_that_differ(run, file, form):
    options = ("--metric", "accuracy", "--threshold", "0.5", "--test", "cochran-q")
    out = run.silent("compare", file, *options, "--format", form, "-q")
    assert "cochran-q" in out
    assert "different" in out
    assert run("compare", file, *options, "--fail-unless", "better")[0] == 4  # which pair?


def test_every_verdict_has_its_words():
    assert set(VERDICTS) == {one.value for one in Verdict}


# Data sets


@pytest.fixture
def data_sets(tmp_path):
    for seed in range(6):
        made(seed).to_csv(tmp_path / f"d{seed}.csv", index=False)
    return str(tmp_path / "d*.csv")


def test_ranks_are_of_families_or_of_configurations(run, data_sets):
    words = " ".join(run("compare", data_sets, "--across", *FAST)[1].split())
    assert " configuration mean rank AUC best on " in words and "family" not in words
    assert " cannot be distinguished from any of the other 9." in words
    by = run("compare", data_sets, "--across", "--by", r"regex:^(\w+)", *FAST)[1]
    assert " family " in by


def test_ranks_over_data_sets(run, data_sets):
    found = said(run, data_sets, "--across", "--by", r"regex:^(\w+)", "--test", "all", *FAST)
    ranks = found["ranks"]
    assert [one["family"] for one in ranks["standings"]] == ["boost", "linear", "tree"]
    assert ranks["data_sets"] == [f"d{seed}" for seed in range(6)]
    assert len(found["data_sets"]) == 6
    assert ranks["critical_difference"] == pytest.approx(2.3437 * (3 * 4 / (6 * 6)) ** 0.5, 1e-3)
    two = [data_sets.replace("*", seed) for seed in "01"]
    boost = said(run, *two, "--across", "--by", r"regex:^(\w+)", *FAST)
    words = ("--only", "boost*", "--method", "bbc", *FAST)
    correct = [run.document("correct", path, *words)["estimates"][0]["value"] for path in two]
    assert boost["ranks"]["standings"][0]["performance"] == pytest.approx(np.mean(correct))


def test_a_single_data_set_has_no_ranks_over_data_sets(run, data_sets):
    one = data_sets.replace("*", "0")
    for files in ((one,), (data_sets.replace("*", "[0]"),)):
        for words in ((), ("--by", r"regex:^(\w+)"), ("--test", "all", "--format", "json")):
            err = run.refused("compare", *files, "--across", *words, *FAST)
            assert err.startswith(
                f"error: --across ranks over several data sets, but {one} is only one\n"
            )
            assert "without --across" in err


@pytest.mark.sweep
def test_data_sets_in_two_metrics_are_refused(run, tmp_path, data_sets):
    table = made(9)
    table["truth"] = table["boost 0"] * 2 + np.random.default_rng(0).normal(0, 0.1, len(table))
    table.to_csv(tmp_path / "d9.csv", index=False)
    assert "is measured in" in run.refused("compare", data_sets, "--across")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--across", "--test", "delong"), "no test over data sets named 'delong'"),
        (("--across", "--adjust", "max-t"), "max-t does not adjust"),
    ],
)
def test_bad_questions_to_data_sets(run, data_sets, options, problem):
    assert problem in run.refused("compare", data_sets, *options)


@pytest.mark.sweep
def test_a_data_set_counts_once(run, tmp_path, data_sets):
    copy = tmp_path / "copy.csv"
    copy.write_bytes((tmp_path / "d0.csv").read_bytes())
    for files in ((data_sets, copy), (tmp_path / "d1.csv", tmp_path / "d1.csv")):
        assert "are the same data set" in run.refused("compare", *files, "--across")


def test_other_predictions_of_the_same_samples_are_no_other_data_set(run, tmp_path):
    paths = [tmp_path / "one.csv", tmp_path / "other.csv"]
    one, other = made(0), made(1).iloc[::-1]
    one["truth"] = np.random.default_rng(0).permutation(np.arange(80) % 3 > 0).astype(int)
    other["truth"] = one["truth"]  # by their labels, so each sample has its own

    def ranked(first, second, *words):
        for path, table in zip(paths, (first, second), strict=True):
            table.to_csv(path, index=False)
        return run("compare", *paths, "--across", *words, *FAST)

    status, _, err = ranked(one, other)
    assert (status, f"error: {paths[0]} and {paths[1]} are the same data set" in err) == (2, True)
    assert ranked(one, other.assign(row_id="t" + other["row_id"]))[0] == 0
    assert ranked(one, other.assign(truth=1 - other["truth"]))[0] == 0
    assert ranked(one[:29], other[-29:])[0] == 0  # too few to tell
    items = [table.drop(columns=["truth", "fold"]) for table in (one, other)]
    assert ranked(*items, "--task", "score")[0] == 0


def test_data_sets_in_two_poolings_are_refused(run, tmp_path):
    for seed, pooling in ((0, "pooled"), (1, "fold-mean")):
        made(seed).to_csv(tmp_path / f"d{seed}.csv", index=False)
        said = {"spec": "bbc-predictions", "version": "1.0", "selection": pooling}
        (tmp_path / f"d{seed}.meta.json").write_text(json.dumps(said))
    files = (tmp_path / "d0.csv", tmp_path / "d1.csv", "--across")
    assert "selects by pooled performances" in run.refused("compare", *files)
    assert run("compare", *files, "--pooling", "pooled", "-q")[0] == 0


def test_a_rope_goes_with_bayesian_tests(run, file):
    pair = ("--pair", "boost 0", "tree 0", *FAST)
    for test in ("bayes-t", "all"):
        found = said(run, file, *pair, "--test", test, "--rope", "0.02")["comparisons"]
        (beliefs,) = [one["beliefs"] for one in found if one["test"] == "bayes-t"]
        assert beliefs["rope"] == 0.02


# Forms


@pytest.mark.sweep
def test_csv_of_the_set_has_every_configuration(once, study):
    _, out, _ = once("compare", study, "--format", "csv", "-q")
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == 177
    assert {row["inside"] for row in rows} == {"true", "false"}


# What is refused


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--baseline", "no such"), "there is no configuration 'no such'"),
        swept(("--pair", "boost 0", "boost 0"), "two different configurations"),
        swept(("--baseline", "tree 0", "--pair", "boost 0", "tree 0"), "are two questions"),
        swept(("--margin", "0.1"), "--margin does not go with the confidence set of the best"),
        swept(("--margin", "-1", "--baseline", "tree 0"), "--margin is -1"),
        swept(("--margin", "nan", "--baseline", "tree 0"), "--margin is nan"),
        (("--margin", "10", "--baseline", "tree 0"), "--margin is 10: no two values of AUC"),
        swept(
            ("--pair", "boost 0", "tree 0", "--test", "bayes-t", "--rope", "1"),
            "--rope is 1: no two values of AUC differ by more than 1",
        ),
        swept(("--rope", "0.1"), "--rope does not go with"),
        swept(
            ("--pair", "boost 0", "tree 0", "--margin", "0.1", "--fail-unless", "better"),
            "--margin does not go with --pair",
        ),
        (("--pair", "boost 0", "tree 0", "--rope", "0.1"), "--rope is for bayes-t"),
        swept(("--fail-unless", "better"), "--fail-unless does not go with"),
        swept(("--adjust", "holm"), "--adjust does not go with"),
        swept(("--by", "regex:(", *FAST), "is not a regular expression"),
        swept(("--by", "family", *FAST), "the metadata give no 'family'"),
        swept(("--by", "regex:^(boost)", *FAST), "gives no family of linear 0"),
        (("--test", "tost", "--pair", "boost 0", "tree 0"), "no test named 'tost'"),
        swept(
            ("--test", "nemenyi", "--pair", "boost 0", "tree 0"), "nemenyi is a test over data sets"
        ),
        swept(("--baseline", "tree 0", "--by", "family"), "use it with --across, or alone"),
        swept(("--level", "0.9999", "--baseline", "tree 0"), "hint: --n-resamples 10000 or more"),
        swept(("--baseline", "tree 0", "--n-resamples", "5"), "--n-resamples is 5"),
    ],
)
def test_bad_questions(run, file, options, problem):
    err = run.refused("compare", file, *options)
    assert problem in err
    assert err.startswith("error: ")
    assert "Traceback" not in err


# The page and its figures


@pytest.mark.sweep
def test_a_page_of_data_sets_and_its_diagram(run, data_sets, tmp_path):
    page, saved, picture = (tmp_path / name for name in ("p.html", "c.json", "cd.vl.json"))
    asked = (data_sets, "--across", "--by", r"regex:^(\w+)", "--test", "nemenyi", *FAST)
    assert run("compare", *asked, "-o", page, "-q")[0] == 0
    text = page.read_text()
    assert "has the best mean rank" in text and "--across" in text and "demsar2006" in text
    assert run("compare", *asked, "-o", saved, "-q")[0] == 0
    assert run("plot", saved, "--kind", "cd", "-o", picture)[0] == 0
    values = json.loads(picture.read_text())["data"]["values"]
    ranks = json.loads(saved.read_text())["ranks"]
    families = [one for one in values if one["what"] in ("best", "worst")]
    assert [one["rank"] for one in families] == [one["mean_rank"] for one in ranks["standings"]]
    assert sum(one["what"] == "bar" for one in values) == len(ranks["groups"])


def test_a_page_is_answered_on_the_screen_too(run, file, tmp_path):
    page = tmp_path / "p.html"
    status, out, err = run("compare", file, *FAST, "-o", page)
    answer, *_, last = err.splitlines()
    assert (status, out, last) == (0, "", f"wrote {page}")
    assert answer.startswith("By ") and answer.split(" of the best")[0] in page.read_text()
    assert run("compare", file, *FAST, "-o", page, "-q") == (0, "", "")


def test_a_diagram_needs_a_saved_comparison(run, file, tmp_path):
    status, _, err = run("plot", file, "--kind", "cd", "-o", tmp_path / "x.vl.json")
    assert status == 2 and "one saved result of bbc compare" in err


def test_notes_on_the_set_are_shown(once, samples):
    """Of an error without a worst value intervals may not hold, and it is said beside them."""
    out = once.silent("compare", samples / "diabetes.parquet", "--metric", "mse", "-q")
    assert "the MSE is unbounded" in " ".join(out.split())
