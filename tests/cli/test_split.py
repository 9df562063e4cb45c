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


def test_the_document_says_it_too(run, samples):
    path = samples / "progression.parquet"
    for share, held_out in ((0.5, 40), (0, None)):
        options = ("--evaluation-share", share, "--format", "json", "--quiet")
        out = run.printed("correct", path, *asked(*METHODS), *options)
        assert json.loads(out)["plan"]["evaluation_share"] == share
        found = estimates(out)
        assert {e["n_evaluation"] for e in found.values()} == {held_out}
        assert {e["ignores_selection"] for e in found.values()} == {share == 0}
        assert {e["experimental"] for e in found.values()} == {False}
        assert [e["n_preselected"] for e in found.values()] == [None, 18, None, 18]
        assert all(e["interval"] for e in found.values())


@pytest.mark.sweep
def test_the_seed_decides_the_split_and_the_resamples_do_not(run, samples):
    path = samples / "progression.parquet"

    def found(*options):
        return estimates(
            run("correct", path, *asked("delong"), "--format", "json", "--quiet", *options)[1]
        )

    first = found("--seed", 1)
    assert first == found("--seed", 1)
    assert first == found("--seed", 1, "--n-resamples", 17)
    assert first != found("--seed", 2)


def test_groups_are_split_whole(run, tmp_path):
    rows = ["id,label,patient,a,b"]
    rows += [
        f"{i},{i // 4 % 2},{i // 4},{i * 37 % 101 / 101},{i * 53 % 97 / 97}" for i in range(160)
    ]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(rows) + "\n")
    options = ("--group", "patient", "--truth", "label", "--row-id", "id", "--positive", "1")
    json_options = ("--format", "json", "--quiet")
    assert (
        estimates(run.silent("correct", path, *options, *asked("delong"), *json_options))["delong"][
            "n_evaluation"
        ]
        == 40
    )
    err = run.refused("correct", path, *options, *asked("hanley-mcneil"))
    assert "hanley-mcneil is for independent samples; these come in groups" in err
    assert "hint: use delong" in err


@pytest.mark.parametrize("share", ["1", "-0.25", "25"])
def test_a_share_out_of_range(run, samples, share):
    assert run.refused("correct", samples / "progression.parquet", "--evaluation-share", share) == (
        f"error: --evaluation-share is {float(share):g}, not in [0, 1)\n"
        "hint: for example 0.25; 0 selects and evaluates on all samples\n"
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "options", "problem", "hint"),
    [
        ("diabetes", (), "not for RMSE", "--method bbc, which takes every metric"),
        ("progression", ("--metric", "accuracy"), "not for accuracy", "--metric auc, or --method"),
    ],
)
def test_what_an_auc_interval_is_not_for(run, samples, name, options, problem, hint):
    err = run.refused("correct", samples / f"{name}.parquet", *asked("delong"), *options)
    assert f"error: delong is for the AUC of two classes, {problem}" in err
    assert f"hint: {hint}" in err


def test_an_interval_without_width_is_not_recommended(run, tmp_path):
    path = tmp_path / "perfect.csv"
    rows = [f"{i},{i % 2},{i % 2 + i / 100}" for i in range(40)]
    path.write_text("\n".join(["row_id,label,only", *rows]) + "\n")
    _, out, _ = run("correct", path, *asked("delong"))
    assert "1.000 to 1.000" in out
    assert "the variance at 1 is 0, so the interval has no width" in " ".join(out.split())
    assert "\nreport " not in out
