"""Pairs that few samples or folds bear: predictions are missing, folds lack what a test needs."""

import json
from math import erfc, sqrt

import numpy as np
import pandas as pd
import pytest
from slow_comparisons import placements_less_auc

TRUTH = np.arange(20) % 2


def made(**columns):
    """Twenty samples in five folds with probabilities of a, b and c."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"row_id": range(20), "truth": TRUTH, "fold": np.arange(20) // 2 % 5})
    for name in "abc":
        table[name] = np.round(TRUTH * 0.3 + rng.random(20) * 0.7, 2)
    return table.assign(**columns)


def apart(last_of_b=None):
    """The first half of a is missing, and all of b from some row on."""
    table = made()
    table.loc[:9, "a"] = np.nan
    table.loc[10 if last_of_b is None else last_of_b + 1 :, "b"] = np.nan
    return table


@pytest.fixture
def ask(run, tmp_path):
    """Compare two columns of a table: (exit status, document or None, standard error)."""

    def call(table, *options, pair=("a", "b")):
        path = tmp_path / "pairs.csv"
        table.to_csv(path, index=False)
        asked = ("--pair", *pair, *options, "--n-resamples", "50", "--format", "json", "-q")
        status, out, err = run("compare", path, *asked)
        return status, json.loads(out) if out else None, err

    return call


GAPS = ("--missing", "available")
SHARES = (*GAPS, "--metric", "accuracy")


def test_without_a_sample_in_common_the_default_scores_each_on_its_own(ask):
    table = apart()
    _, found, _ = ask(table, *SHARES)
    (one,) = found["comparisons"]
    shares = [float(((table[k] > 0.5) == TRUTH)[table[k].notna()].mean()) for k in "ab"]
    assert (one["test"], one["first_value"], one["second_value"]) == ("wald", *shares)
    assert one["difference"] == pytest.approx(shares[0] - shares[1])
    assert shares[0] == 0.3  # as counted by hand


def test_all_tests_leave_out_those_that_need_samples_in_common(ask):
    _, found, _ = ask(apart(), *SHARES, "--test", "all")
    left_out = [n["text"] for n in found["notes"] if "none in common" in n["text"]]
    assert len(left_out) == 6
    assert {"wald", "permutation"} <= {one["test"] for one in found["comparisons"]}
    assert all(one["first_value"] == 0.3 for one in found["comparisons"] if one["p"])


def test_a_single_sample_in_common(ask):
    table = apart(last_of_b=10)
    for test, p, words in (
        ("looney-f", None, "looney-f is undefined: all of them predict only one sample"),
        (
            "cochran-q",
            0.317,
            "the comparison uses only the 1 of 20 samples that all of them predict",
        ),
    ):
        _, found, _ = ask(table, *SHARES, "--test", test)
        (one,) = found["comparisons"]
        assert one["p"] == (p and pytest.approx(p, abs=1e-3)), test
        assert (one["n_units"], one["epsilon"]) == (1, None)
        assert words in one["notes"][0]["text"]
        assert (one["first_value"], one["second_value"]) == (0, 1)


def delong_by_loops(parts):
    """AUC differences and z of parts of (scores of a, scores of b), NaN where none predicts."""
    influences, values = np.zeros(20), []
    for sign, column in ((1, 0), (-1, 1)):
        found, aucs = np.zeros(20), []
        for part in parts:
            known = np.flatnonzero(~np.isnan(part[column]))
            sizes = np.bincount(TRUTH[known], minlength=2)
            if not sizes.all():
                continue
            auc, placed = placements_less_auc(part[column][known, None], TRUTH[known])
            aucs.append(auc[0])
            found[known] += placed[:, 0] / sizes[TRUTH[known]]
        values.append(np.mean(aucs))
        influences += sign * found / len(aucs)
    square = sum(10 / 9 * (influences[k == TRUTH] ** 2).sum() for k in (0, 1))
    return values, (values[0] - values[1]) / sqrt(square)


def test_delong_of_what_each_predicts(ask):
    table = made()
    table.loc[:4, "a"] = np.nan
    table.loc[17:, "b"] = np.nan
    _, found, _ = ask(table, *GAPS, "--test", "delong")
    (one,) = found["comparisons"]
    values, z = delong_by_loops([(table["a"].to_numpy(), table["b"].to_numpy())])
    assert [one["first_value"], one["second_value"]] == pytest.approx(values)
    assert one["statistic"] == pytest.approx(z)
    assert one["p"] == pytest.approx(erfc(abs(z) / sqrt(2)))


def test_delong_passes_over_a_repeat_that_holds_out_one_class(ask):
    rng = np.random.default_rng(1)
    rows, parts = [], []
    for repeat in range(4):
        part = np.full((2, 20), np.nan)
        for i in rng.choice(20, 10, replace=False) if repeat else range(0, 20, 2):
            for column, name in enumerate("ab"):
                part[column, i] = np.round(i % 2 * 0.3 * column + rng.random(), 2)
                rows.append((f"s{i:02}", i % 2, repeat, name, part[column, i]))
        parts.append(part)
    columns = ["row_id", "truth", "repeat", "config", "score"]
    _, found, _ = ask(
        pd.DataFrame(rows, columns=columns), "--prediction", "score", "--test", "delong"
    )
    (one,) = found["comparisons"]
    assert found["input"]["n_samples"] == 20
    values, z = delong_by_loops(parts)
    assert [one["first_value"], one["second_value"]] == pytest.approx(values)
    assert one["statistic"] == pytest.approx(z)


@pytest.mark.parametrize(
    ("last", "n_folds", "names"),
    [(19, 5, ["b"]), (12, 1, ["b"]), (19, 5, ["a", "b"])],
    ids=["no positive at all", "in one fold", "of both"],
)
def test_folds_without_a_precision_are_counted(ask, last, n_folds, names):
    table = made()
    table.loc[:last, names] = 0.1
    status, found, err = ask(table, "--metric", "precision", "--test", "corrected-t")
    assert (status, found) == (2, None)
    assert f"error: precision of {names[0]} is undefined in {n_folds} of 5 folds\n" in err
    assert "hint: wald or permutation, over samples" in err


def test_the_best_is_found_without_folds_where_means_over_folds_were_asked_for(ask):
    table = made().drop(columns="fold")
    asked = ("--metric", "accuracy", "--pooling", "fold-mean", "--test", "mcnemar")
    for pair, best in ((("a", "b"), True), (("a", "c"), False)):
        _, found, _ = ask(table, *asked, pair=pair)
        told = [n["text"] for n in found["notes"] if n["code"] == "selected-pair"]
        assert [text.startswith("b is the best of 3") for text in told] == [True] * best


@pytest.mark.parametrize("metric", ["accuracy", "auc"])
def test_max_t_adjusts_the_tests_of_influence_and_no_other(run, tmp_path, metric):
    made().to_csv(tmp_path / "three.csv", index=False)
    asked = ("--test", "all", "--adjust", "max-t", "--metric", metric, "--n-resamples", "50")
    out = run.printed("compare", tmp_path / "three.csv", *asked, "--format", "json", "-q")
    found = {}
    for one in json.loads(out)["comparisons"]:
        found.setdefault(one["test"], []).append(one)
    for test, its in found.items():
        adjusted = [one["p_adjusted"] is not None for one in its]
        assert adjusted == [test in ("wald", "delong")] * len(its), test
    assert len(found["mcnemar" if metric == "accuracy" else "delong"]) == len(found["wald"]) == 3
    assert all(one["p_adjusted"] >= one["p"] - 0.1 for one in found["wald"])  # 50 draws
