"""`bbc correct` with methods that split the samples."""

import json

import pytest

METHODS = ("delong", "delong-10p", "hanley-mcneil", "hanley-mcneil-10p")


def asked(*names):
    return [word for name in names for word in ("--method", name)]


def estimates(out):
    return {e["method"]: e for e in json.loads(out)["estimates"]}


@pytest.mark.sweep
def test_the_table_says_which_samples_decided(run, samples):
    code, out, err = run("correct", samples / "progression.parquet", *asked(*METHODS))
    text = " ".join(out.split())
    assert (code, err) == (0, "")
    assert "best pooled AUC of 177 in 60 of 80 samples" in text
    assert "best pooled AUC of 18 preselected in 20 of 80 samples" in text
    assert (
        "evaluated on 20 samples held out; N = 80, 10 folds; DeLong, pooled, 25 % held out," in text
    )
    assert "the best of 18 preselected configurations was chosen on the samples" in text
    assert "only 10 samples of class" in text


def test_one_winner_by_several_rules_is_told_once(run, samples):
    names = asked("cvt", "delong", "delong-10p")
    _, out, _ = run("correct", samples / "breast_cancer.parquet", *names)
    text = " ".join(out.split())
    assert text.count("winner") == 1
    assert (
        "best pooled AUC of 177; pooled AUC of 177 in 75 of 100 samples; pooled AUC of 18 "
        "preselected in 25 of 100 samples" in text
    )


def test_without_a_split_the_table_warns_and_recommends_nothing(run, samples):
    _, out, _ = run(
        "correct", samples / "progression.parquet", *asked("delong"), "--evaluation-share", "0"
    )
    assert "split, ignores selection" in out
    assert "\nreport " not in out


def test_an_interval_without_width_is_not_recommended(run, tmp_path):
    path = tmp_path / "perfect.csv"
    rows = [f"{i},{i % 2},{i % 2 + i / 100}" for i in range(40)]
    path.write_text("\n".join(["row_id,label,only", *rows]) + "\n")
    _, out, _ = run("correct", path, *asked("delong"))
    assert "1.000 to 1.000" in out
    assert "the variance at 1 is 0, so the interval has no width" in " ".join(out.split())
    assert "\nreport " not in out
