"""Figures that the program tells are those of the committed store."""

import re

import pytest
import refresh

from bbccli.notes import NOTES
from bbccli.platform.text import percent
from bbccli.stats.intervals import INTERVALS
from bbccli.stats.selection.units import SEEN
from benchmarks.bank import pages
from benchmarks.bank.figures import coverage, figures, sums_of
from benchmarks.bank.judged_by import FAMILIES
from benchmarks.bank.lines import main_ones
from benchmarks.bank.other_tables import PUBLISHED
from benchmarks.bank.pages import DOCS
from benchmarks.bank.populations import TEN_FOLDS
from benchmarks.bank.results import read
from benchmarks.validation import learning_curves, stopping, trained_plans
from benchmarks.validation.made import means_of
from benchmarks.validation.settings import inclusion_settings

pytestmark = pytest.mark.sweep


@pytest.fixture(scope="module")
def rows():
    return main_ones(pages._enough(read()))


def test_intervals_covered_as_often_as_is_said(run, by_family):
    told = {kind: " ".join(run.printed("explain", kind).split()) for kind in INTERVALS}
    variants = [(m, kind) for kind in told for m in re.findall(r"covered, (\S+)", told[kind])]
    assert len(variants) == 8
    for method, kind in variants:
        shares = (
            f"{family} {percent(round(found[method, kind]['both ends'].value, 3))}"
            for family, found in by_family.items()
        )
        assert f"covered, {method} {'; '.join(shares)} " in told[kind], (method, kind)


@pytest.mark.parametrize(
    ("metric", "way", "note"),
    [
        *(
            (m, "stopped", NOTES["validity-flags"](["a"], "", m, 99, []))
            for m in ("log-loss", "auc")
        ),
        ("log-loss", "kept", NOTES["epoch-chosen"]("net", "epoch", 3, 99)),
    ],
)
def test_early_stopping_stayed_too_good_by_what_the_notes_say(metric, way, note):
    store, variant = stopping.STUDY.kept(), f"{way} bbc"
    told = []
    for n in (60, 150, 400):
        of_size = [one for one in stopping.settings() if one.n == n]
        left = means_of(store, of_size, metric, variant, {"left": variant})["left"]
        told.append(float(left.split("(")[0]))
    words = "too good {}by {:.3f} with 60 samples, {:.3f} with 150, {:.3f} with 400"
    assert words.format("in studies of boosting " * (way == "kept"), *told) in note.text


def test_losses_without_a_worst_value_were_covered_as_seldom_as_is_said(rows):
    bbc = rows[(rows["method"] == "bbc") & (rows["interval"] == "percentile")]
    found = coverage(sums_of(bbc), ["population", "metric"])
    for metric, told in SEEN.items():
        shares = (found["both"] / found["n"])[found["metric"] == metric]
        assert told == f"{100 * shares.min():.0f} to {100 * shares.max():.0f}%"


@pytest.fixture(scope="module")
def page():
    return " ".join((DOCS / "validation.md").read_text(encoding="utf-8").split())


def test_the_tables_of_all_and_of_the_main_ones_are_those_of_the_store():
    every = pages._plain(pages._of_all(pages._enough(read())))
    for name, block in zip(pages.PAGES, (pages.in_short(every), pages.whole(every)), strict=True):
        assert f"\n{block}\n" in (DOCS / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def by_family(rows):
    return {
        family: figures(sums_of(rows[rows["metric"].isin(metrics)]))
        for family, metrics in FAMILIES.items()
    }


def short(value, digits=2):
    """A figure as the page writes it: .95, +.15."""
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def test_the_nearest_points_are_optimistic_by_as_much_as_is_said(by_family, page):
    eb, between = ("bbc-eb", "percentile"), ("bbc-632", "percentile")
    for family in ("shares", "F, MCC, average precision"):
        found = [by_family[family][one]["bias"].value for one in (eb, between)]
        assert " and ".join(f"+{short(one)}" for one in found) in page, family
        error = by_family[family][between]["RMSE"]
        assert f"{short(error.value, 3)} ± {short(error.error, 3)}" in page, family
        assert error.value + 2 * error.error > 1


def test_tight_intervals_are_as_narrow_as_is_said(by_family, page):
    sharp = {family: found["bbc-632", "sharp"] for family, found in by_family.items()}
    told = [one["width"].value for family, one in sharp.items() if family != "unbounded losses"]
    assert f"at {short(min(told))} to {short(max(told))} of the width" in page
    unbounded = by_family["unbounded losses"]
    most = max(one["both ends"].value for one in unbounded.values())
    covered = short(unbounded["bbc-632", "sharp"]["both ends"].value, 3)
    assert f"it covers {covered};" in page
    assert f"covers more than {short(most, 3)}" in page


def test_the_size_correction_takes_off_what_is_said(page):
    shown = pages._enough(read())
    falls, shares = {}, []
    for metric in shown.loc[shown["method"] == PUBLISHED, "metric"].unique():
        own = shown[(shown["metric"] == metric) & (shown["interval"] == "percentile")]
        found = figures(sums_of(own[own["method"].isin([PUBLISHED, "bbc"])]))
        before, after = found[PUBLISHED, "percentile"], found["bbc", "percentile"]
        falls[metric] = round(100 * (1 - 1 / before["RMSE"].value))
        shares.append(1 - after["bias"].value / before["bias"].value)
    named = ("average-precision", "r2", "f1")
    assert "by {}, {} and {}%".format(*(falls[one] for one in named)) in page
    assert f"error grows, by {-falls['rmse']} and {-falls['mcc']}%" in page
    assert "a quarter to three fifths" in page
    assert min(shares) >= 0.25
    assert max(shares) < 0.625


# Ten folds


@pytest.fixture(scope="module")
def in_ten_folds():
    return pages._plain(pages._enough(read(), 10))


def test_what_is_said_of_ten_folds(in_ten_folds, page):
    of_family = {
        family: figures(sums_of(in_ten_folds[in_ten_folds["metric"].isin(metrics)]))
        for family, metrics in FAMILIES.items()
    }
    shares, pairs, losses, others, r2, _ = (
        {one: short(found[one, kind]["both ends"].value, 3) for one, kind in TEN}
        for found in of_family.values()
    )
    told = (one["bbc"] for one in (shares, pairs, losses, others))
    assert "it was {} and {}, {}, and {}.".format(*told) in page
    told = (one["bbc-632"] for one in (shares, pairs, losses, others, r2))
    assert "in 10 folds {}, {}, {}, {} and {}.".format(*told) in page
    of_all = figures(sums_of(pages._of_all(in_ten_folds)))
    ours, theirs, tt = (
        of_all[one] for one in (("bbc", "percentile"), ("bbc-f", "percentile"), ("tt", ""))
    )
    covered = (short(one["both ends"].value, 3) for one in (theirs, ours))
    assert "in 10 folds {} (`bbc`: {})".format(*covered) in page
    bias, rmse = (
        f"{short(abs(one.value))} ± {short(one.error)}" for one in (tt["bias"], tt["RMSE"])
    )
    assert f"too strict by {bias} RMSEs, with {rmse} times the error" in page
    assert f"is too strict by {short(-tt['bias'].value)} RMSEs of `bbc`" in said("tt")
    assert f"own RMSE is {tt['RMSE'].value:.2f} times as large" in said("tt")
    assert f"second set of {sums_of(in_ten_folds).n_studies} studies" in page


TEN = (("bbc", "percentile"), ("bbc-632", "sharp"))


def said(method):
    return " ".join(refresh.method_page(method).split())


def test_populations_in_ten_folds_have_ten(in_ten_folds):
    assert set(in_ten_folds["population"]) == {one.name for one in TEN_FOLDS}
    assert {one.n_folds for one in TEN_FOLDS} == {10}
    shown = pages._enough(read())["population"]
    assert not shown.str.contains("10 folds").any()


def test_widths_of_trained_models_are_as_much_narrower_as_is_said():
    ratio = {}
    for line in trained_plans.block(trained_plans.STUDY.kept()).splitlines():
        cells = [one.strip() for one in line.split("|")]
        if len(cells) > 4 and cells[1] in FAMILIES:
            ratio[cells[1]] = round(100 * (1 - float(cells[4].split("(")[0])))
    r2 = ratio.pop("R2, Spearman")
    plan = " ".join((DOCS / "plan.md").read_text(encoding="utf-8").split())
    said = f"by {min(ratio.values())} to {max(ratio.values())}% on average"
    assert said in plan and f"and {r2}% for R²" in plan


# Simulated settings


@pytest.fixture(scope="module")
def simulated():
    """Rows of the settings of 2024, with their N and the share of class 0."""
    rows = read()
    law = {one.key: one.row for one in inclusion_settings() if one.of_2024}
    rows = rows[rows["population"].isin(list(law))]
    return rows.assign(
        n=rows["population"].map(lambda key: law[key]["N"]),
        rare=rows["population"].map(lambda key: law[key]["class 0"] < 0.5),
        error=rows["estimate"],
    )


def percent_covered(rows):
    """Of the bounds that there are, mean over settings."""
    there = rows[rows["one_95"].notna()]
    shares = (there["one_95"] <= 0).groupby(there["population"]).mean()
    return round(100 * shares.mean())


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("delong", (90, 83, 74)),
        ("delong-10p", (82, 49, 10)),
        ("tilting", (95, 89, None)),
        ("mabt", (96, 86, None)),
    ],
)
def test_bounds_of_a_split_covered_as_often_as_is_said(simulated, method, told):
    own = simulated[simulated["method"] == method]
    large, small = own[own["n"] == 500], own[own["n"] == 50]
    parts = large[~large["rare"]], large[large["rare"]], small
    for part, share in zip(parts, told, strict=True):
        assert share is None or percent_covered(part) == share
    if method in ("tilting", "mabt"):
        none = round(100 * small["one_95"].isna().mean())
        assert none == {"tilting": 60, "mabt": 91}[method]


def test_bounds_lay_as_far_below_the_truth_as_is_said(simulated):
    large = simulated[simulated["n"] == 500]
    for method, interval, told in (
        ("mabt", "own", 0.10),
        ("tilting", "own", 0.06),
        ("bbc", "percentile", 0.07),
    ):
        own = large[(large["method"] == method) & (large["interval"] == interval)]
        assert round(-own["one_95"].mean(), 2) == told


def test_weighted_means_are_as_strict_as_is_said(simulated):
    found = figures(sums_of(simulated))
    for method, mean, rmse in (("wmc", -0.01, 0.90), ("wmcs", -0.02, 0.99)):
        biases = simulated[simulated["method"] == method].groupby("population")["error"].mean()
        assert round(biases.mean(), 2) == mean
        assert round(biases.min(), 2) == -0.07
        assert round(found[method, ""]["RMSE"].value, 2) == rmse


def test_what_the_page_on_numbers_says_of_simulations(simulated):
    page = " ".join((DOCS / "which-number.md").read_text(encoding="utf-8").split())
    rows = read()
    for method, interval, words in (
        ("cvt", "", "too good by {:.3f} with 40 samples, {:.3f} with 100 and {:.3f} with 500"),
        ("bbc", "percentile", "off by {:.3f}, {:.3f} and {:.3f}"),
    ):
        own = rows[(rows["method"] == method) & (rows["interval"] == interval)]
        keys = (f"accuracy Be(9,6) N={n} C=200" for n in (40, 100, 500))
        biases = [own.loc[own["population"] == key, "estimate"].mean() for key in keys]
        assert words.format(*biases) in page
    shares = {
        method: (own["one_95"] <= 0).groupby(own["population"]).mean().mean()
        for method in ("bbc", "naive")
        for own in [
            simulated[(simulated["method"] == method) & (simulated["interval"] == "percentile")]
        ]
    }
    assert f"in {100 * shares['bbc']:.1f}% of the cases on average" in page
    assert f"ignores the selection, in {100 * shares['naive']:.0f}%" in page


def test_unguarded_intervals_missed_as_often_as_is_said():
    rows = read()
    own = rows[
        (rows["population"] == "accuracy near 1 N=60 C=75")
        & (rows["method"] == "bbc")
        & (rows["interval"] == "percentile, no guard")
    ]
    assert (
        f"{100 * (own['one_95'] > 0).mean():.0f}% of the cases"
        in NOTES["collapsed-interval"].meaning
    )


def test_trained_classifiers_are_as_far_off_as_is_said():
    kept = learning_curves.STUDY.kept()

    def bias(n, gap, method):
        said = kept.results(learning_curves.Curves(n, gap).key).values()
        return sum(one[method] for one in said) / len(said)

    told = [f"({bias(80, 0.0, one):.3f}" for one in ("bbc-632", "bbc-632plus", "bbc")]
    assert told == ["(0.041", "(0.025", "(0.021"]
    assert all(one in said("bbc-632plus") for one in told)
    assert [round(bias(n, 0.0, "bbc"), 2) for n in (40, 160)] == [0.03, 0.01]
    taken = [
        1 - bias(one.n, one.gap, "ipl") / bias(one.n, one.gap, "cvt")
        for one in learning_curves.settings()
    ]
    assert (round(100 * min(taken)), round(100 * max(taken))) == (2, 15)
