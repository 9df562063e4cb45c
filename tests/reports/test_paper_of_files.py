"""What users paste into papers, of real files: each thing that moves a number is said, by a clause
that is there with it and not without it.
"""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from day import daily

from bbccli import METRICS, compare
from bbccli.comparisons.pairs import TESTS
from bbccli.documents.correct import reported_estimate
from bbccli.errors import BbcError
from bbccli.platform.text import Digits
from bbccli.reports.words.comparison_sentences import lines, quote
from bbccli.reports.words.for_papers import paragraph, sentence
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import answer

ROOT = Path(__file__).parents[2]
SAMPLES, DATA = ROOT / "sample_data", ROOT / "tests" / "data"
LOGS = DATA / "evaluations"

TABLES = {
    "plain": lambda table: table,
    "split": lambda table: table.assign(fold=0),
    "leave-one-out": lambda table: table.assign(fold=range(len(table))),
    "unknown": lambda table: table.drop(columns="fold"),
    "repeated": lambda table: pd.concat(
        [table.assign(repeat=r, fold=np.roll(table.fold, r)) for r in range(3)]
    ),
    "passes": lambda table: pd.concat(
        [table.drop(columns="fold").assign(repeat=r) for r in range(3)]
    ),
    "hold-outs": lambda table: pd.concat(
        [table.drop(columns="fold").sample(40, random_state=r).assign(repeat=r) for r in range(12)]
    ),
    "grouped": lambda table: table.assign(group=np.arange(len(table)) % 25),
    "weighted": lambda table: table.assign(weight=1 + np.arange(len(table)) % 7),
    "sized": lambda table: pd.concat(
        [table.assign(train_size=60, **_noisy(table)), table.assign(train_size=90)]
    ),
    "one-gap": lambda table: table.assign(gap=table.iloc[:, -1].where(table.index != 3)),
    "gaps": lambda table: table.assign(
        **{
            name: table[name].where((table.index + 7 * n) % 20 != 0)
            for n, name in enumerate(table.columns[3:])
        }
    ),
    "row-gap": lambda table: table.assign(
        **{name: table[name].where(table.index != 3) for name in table.columns[3:]}
    ),
}


def _noisy(table):
    draws = np.random.default_rng(0)
    return {name: draws.permutation(table[name]) for name in table.columns[3:]}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The path of a table, of a file of the samples, or of logs."""
    folder = tmp_path_factory.mktemp("tables")
    whole = pd.read_csv(SAMPLES / "breast_cancer.csv")
    few = whole[[*whole.columns[:3], *whole.columns[3::30]]].assign(
        row_id=[f"r{n}" for n in whole.index]
    )
    for name, made in TABLES.items():
        made(few).to_csv(folder / f"{name}.csv", index=False)
    prompts = pd.read_csv(SAMPLES / "ten_prompts.csv")
    lost = prompts.item.isin(["q1", "q2"]) & (prompts.model == "plain")
    for name, rows in {
        "one-epoch": prompts.epoch == 1,
        "item-gap": ~lost,
        "epoch-gap": ~(lost & (prompts.epoch == 2)),
    }.items():
        prompts[rows].to_csv(folder / f"{name}.csv", index=False)

    def found(name):
        places = (folder / f"{name}.csv", SAMPLES / name, LOGS / name, DATA / name)
        return str(next(place for place in places if place.exists()))

    return found


def texts(path, method="bbc", **options):
    """The figures of the estimate to report, its sentence and its paragraph; None without one.

    The texts are of a winner and figures that are the same for all.
    """
    options = {"n_resamples": "25"} | options
    try:
        document = answer(Analysis(method=[method], **options), path).record
    except BbcError:
        return None
    reported = reported_estimate(
        [e for e in document.estimates if e.metric == document.report[0].metric]
    )
    if reported is None or reported.interval is None:
        return None
    figures = (reported.winner, reported.value, reported.interval.lower, reported.interval.upper)
    ends = replace(reported.interval, lower=0.25, upper=0.75)
    shown = replace(reported, winner="W", value=0.5, naive=0.5, interval=ends)
    return figures, sentence(shown, document, Digits(3)), paragraph(shown, document)


CLAUSES = [
    # file, options; the same without; clause of the sentence, of the paragraph
    (("split", {}), ("unknown", {}), "one held-out set", "in one held-out set"),
    (("plain", {}), ("unknown", {}), "10 folds", "in 10-fold cross-validation"),
    (("leave-one-out", {}), ("plain", {}), "100 folds", "in leave-one-out cross-validation"),
    (("repeated", {}), ("plain", {}), "3 repeats", "cross-validation repeated 3 times"),
    (("repeated", {}), ("plain", {}), "3 repeats", ", averaged over repeats,"),
    (("passes", {}), ("unknown", {}), "3 repeats", "in cross-validation repeated 3 times"),
    (("hold-outs", {}), ("unknown", {}), "repeated hold-out", "repeated hold-out (12 repeats)"),
    (("plain", {}), ("hold-outs", {}), "10 folds", "over the pooled predictions"),
    (("plain", {}), ("split", {}), "10 folds", "over the pooled predictions"),
    (("grouped", {}), ("plain", {}), "in 25 groups", "in 25 groups"),
    (("grouped", {}), ("plain", {}), "in 25 groups", "resamples (seed 0) of the groups"),
    (("weighted", {}), ("plain", {}), "weighted by weight", ", weighted by weight,"),
    (("weighted", {}), ("weighted", {"unweighted": True}), "effective N", ", weighted by weight,"),
    (("one-gap", {}), ("plain", {}), "complete configurations only", "(7 were tried)"),
    (("one-gap", {}), ("plain", {}), "6 of 7", "with missing predictions were left out."),
    (
        ("one-gap", {"missing": "common-rows"}),
        ("one-gap", {}),
        "N = 99 of 100, 10 folds, common samples only",
        "for 99 of 100 samples",
    ),
    (
        ("one-gap", {"missing": "available"}),
        ("one-gap", {}),
        "available cases",
        "scored on the samples for which it has predictions.",
    ),
    (("gaps", {}), ("plain", {}), "of which W predicts 95", "for which it has predictions."),
    (("row-gap", {}), ("plain", {}), "N = 99 of 100", "for 99 of 100 samples"),
    (("plain", {"only": ["l*"]}), ("plain", {}), "others left out on request", "deliberately"),
    (("runs/mljar_repeats", {}), ("plain", {}), "averaged over repeats", "averaged over the rep"),
    (("ten_prompts.csv", {}), ("one-epoch", {}), "2 repeats", "over 2 repeats were compared"),
    (("item-gap", {}), ("ten_prompts.csv", {}), "available cases", "for which it has scores."),
    (("epoch-gap", {}), ("ten_prompts.csv", {}), "available epochs", "the mean over the others"),
    (
        ("ten_prompts.csv", {"bounds": "-1,1"}),
        ("ten_prompts.csv", {}),
        "scores from -1 to 1",
        "Scores can range from -1 to 1.",
    ),
    (("inspect_ai/logs", {"prediction": "match"}), ("plain", {}), "2 epochs", "over 2 epochs"),
    (
        ("lm_eval/nameless", {"prediction": "acc_norm"}),
        ("lm_eval/nameless", {}),
        "scores (acc_norm)",
        "Scores (acc_norm) of 2",
    ),
    (
        ("swebench_ambiguous", {}),
        ("swebench_ambiguous", {"errors": "missing"}),
        "2 errors with a score",
        "Results include 2 errors with a score.",
    ),
    (
        ("promptfoo/results.jsonl.gz", {"errors": "zero"}),
        ("promptfoo/results.jsonl.gz", {"errors": "missing"}),
        "5 errors with a score",
        "Results include 5 errors with a score.",
    ),
    (
        ("plain", {"metric": ["f1"], "threshold": 0.3}),
        ("plain", {"metric": ["f1"]}),
        "cut at 0.3",
        'The positive class, "malignant", was predicted for values above 0.3.',
    ),
    (("plain", {"metric": ["f1"]}), ("plain", {}), "positive class", 'class is "malignant".'),
    (
        ("whas500.parquet", {"risk_direction": "later"}),
        ("whas500.parquet", {}),
        "higher predictions mean later events",
        "Higher predictions were taken to mean later events.",
    ),
    (
        ("diabetes.parquet", {"cap": 0.9}),
        ("diabetes.parquet", {}),
        "errors capped (--cap 0.9)",
        "capped at the 0.9 quantile of the outcome's absolute deviations",
    ),
    (
        ("diabetes.parquet", {"guard": False}),
        ("diabetes.parquet", {}),
        "unguarded",
        "unguarded against collapse",
    ),
    (
        ("plain", {"n_resamples": "auto", "tolerance": 0.02}),
        ("plain", {}),
        "tolerance 0.02",
        "aiming at a Monte Carlo standard error of 0.02",
    ),
    (
        ("plain", {"side": "pessimistic"}),
        ("plain", {}),
        "lower bound",
        "its 95% lower bound, from a one-sided percentile interval",
    ),
    (
        ("plain", {"method": "mabt", "evaluation_share": 0.3}),
        ("plain", {}),
        "evaluated on 30 samples held out",
        "30 of the 100 samples were held out at random (seed 0).",
    ),
    (
        ("grouped", {"method": "mabt"}),
        ("plain", {"method": "mabt"}),
        "in 25 groups",
        "100 samples in 25 groups were held out at random, in whole groups",
    ),
]


def options_of(case):
    """Groups and scores are read as such wherever they are."""
    name, options = case
    prompts = ("ten_prompts.csv", "one-epoch", "item-gap", "epoch-gap")
    return options | ({"task": "score"} if name in prompts else {})


@pytest.mark.parametrize(("with_it", "without", "clause", "prose"), CLAUSES)
def test_a_clause_is_there_with_what_it_says_and_not_without(path, with_it, without, clause, prose):
    _, short, long = texts(path(with_it[0]), **options_of(with_it))
    _, shorter, longer = texts(path(without[0]), **options_of(without))
    assert clause in short and clause not in shorter
    assert prose in long and prose not in longer


def test_the_prose_of_a_design_has_no_words_of_another(path):
    _, _, split = texts(path("split"))
    _, _, scores = texts(path("ten_prompts.csv"), task="score")
    assert "cross-validation" not in split
    assert "predictions" not in scores.replace("predictions of", "")
    assert "cross-validation" not in scores and "pooled" not in scores


def test_models_of_smaller_training_sets_are_not_counted(path):
    assert texts(path("sized")) == texts(path("plain"))


CHANGES = [
    *({"seed": 3}, {"level": 0.8}, {"n_resamples": "37"}, {"tolerance": 0.01}),
    *({"side": "lower"}, {"side": "upper"}, {"guard": False}, {"tight": True}),
    *({"pooling": "fold-mean"}, {"pooling": "within-folds"}, {"select": "one-se"}),
    *({"interval": kind} for kind in ("matched", "calibrated", "t")),
    *({"models": "fixed"}, {"models": "fixed", "interval": "sharp"}),
    *({"evaluation_share": 0.5}, {"clip": 0.2}, {"cap": 0.5}, {"size_correction": False}),
    *({"threshold": 0.2}, {"only": ["l*"]}, {"risk_direction": "later"}, {"bounds": "-2,3"}),
    *({"errors": "zero"}, {"errors": "missing"}, {"unweighted": True}, {"group": "passage"}),
]
FILES = [
    *(("plain", {"metric": [name]}) for name in ("auc", "f1", "log-loss", "accuracy", "mcc")),
    ("weighted", {"metric": ["brier"]}),
    *(("diabetes.parquet", {"metric": [name], "only": ["svm*"]}) for name in ("rmse", "mae", "r2")),
    ("whas500.parquet", {}),
    ("ten_prompts.csv", {"task": "score"}),
    ("inspect_ai/logs", {"prediction": "match"}),
    ("promptfoo/results.jsonl.gz", {}),
]
METHODS = ("bbc", "bbc-f", "bbc-632", "bbc-632plus", "bbc-eb", "mabt", "delong")
EVERY = [(method, *file) for file in FILES for method in METHODS]
BY_DAY = [  # of pairs, values and logs; a file has no method of its own
    *(("bbc", *FILES[i]) for i in (0, 6, 12)),
    ("bbc-eb", *FILES[0]),
]
SAID_ANYWAY = {
    "only",
    "threshold",
    "bounds",
    "errors",
    "risk_direction",
    "group",
    "select",
    "pooling",
}


@pytest.mark.parametrize(("method", "name", "base"), daily(EVERY, BY_DAY, unpack=True))
def test_what_moves_a_number_is_said_and_a_setting_that_does_not_is_not(path, name, base, method):
    """Options that read the data otherwise are said even if the figures happen to stay."""
    before, n_moved = texts(path(name), method, **base), 0
    for change in CHANGES if before else ():
        after = texts(path(name), method, **base | change)
        if after is None:
            continue
        case = f"{change}\n{after[1]}\n{after[2]}"
        if before[0] != after[0]:
            n_moved += 1
            assert before[1] != after[1] and before[2] != after[2], case
        elif not SAID_ANYWAY & change.keys() and (method, *change) != ("bbc-eb", "size_correction"):
            assert before[1:] == after[1:], case
    assert n_moved or before is None


PAIR = ("logistic-l1 C=0.1 k=3", "logistic-l2 C=1")
COMPARISONS = [
    *(
        ("plain", {"baseline": "logistic-l2 C=0.001 k=3", "metric": name})
        for name in ("auc", "f1", "log-loss", "accuracy")
    ),
    ("weighted", {"baseline": "logistic-l2 C=0.001 k=3"}),
    ("diabetes.parquet", {"baseline": "svm-rbf C=10 gamma=0.01", "only": ["svm*"]}),
    ("ten_prompts.csv", {"task": "score", "baseline": "plain"}),
    ("promptfoo/results.jsonl.gz", {"baseline": "smart x Answer: {{q}}"}),
    ("whas500.parquet", {"by": "family"}),
    ("progression.parquet", {"by": "family"}),
    *(
        ("progression.parquet", {"pair": PAIR, "test": [test], "metric": metric})
        for test in TESTS
        for metric in ("auc", "accuracy", "log-loss")
    ),
    *(
        ("ten_prompts.csv", {"task": "score", "pair": ("plain", "expert"), "test": [test]})
        for test in ("wald", "bootstrap", "bayes-bootstrap")
    ),
]
COMPARED_BY_DAY = [  # a baseline, and a pair by counts, by pairs, by resamples and by scores
    COMPARISONS[0],
    *(
        ("progression.parquet", {"pair": PAIR, "test": [test], "metric": metric})
        for test, metric in (("mcnemar", "accuracy"), ("delong", "auc"), ("bootstrap", "log-loss"))
    ),
    ("ten_prompts.csv", {"task": "score", "pair": ("plain", "expert"), "test": ["wald"]}),
]


def compared(path, **options):
    """The first comparison of a file, and the document; None if it can't be made."""
    try:
        document = compare(path, **{"n_resamples": 60} | options).record
    except BbcError:
        return None
    return document.comparisons[0], document


VALUES = ("difference", "first_value", "second_value")


def quoted(first, document):
    """The sentence to quote, whatever the figures and the winner are."""
    ends = first.interval and replace(first.interval, lower=0.25, upper=0.75)
    figures = {"difference": 0.5, "first_value": 0.75, "second_value": 0.25, "interval": ends}
    others = [
        replace(one, interval=None, **dict.fromkeys(VALUES, 0.5))
        for one in document.comparisons[1:]
    ]
    shown = replace(
        *(first,),
        **figures,
        corrected=None if first.corrected is None else 0.5,
        p=None if first.p is None else 0.5,
    )
    return quote(replace(document, comparisons=(shown, *others), best_set=None)).replace(
        first.first, "W"
    )


OF_CORRECT = ("guard", "side", "tolerance", "evaluation_share", "size_correction", "tight")
"""Options that a comparison does not have."""


@pytest.mark.parametrize(("name", "base"), daily(COMPARISONS, COMPARED_BY_DAY, unpack=True))
def test_what_moves_a_difference_is_said_where_it_is_quoted(path, name, base):
    if (before := compared(path(name), **base)) is None:
        return
    for change in CHANGES:
        if any(option in OF_CORRECT for option in change):
            continue
        only = {"only": [*change["only"], *base.get("pair", ())]} if "only" in change else {}
        after = compared(path(name), **base | change | only)
        if after is None:
            continue
        first, other = (
            (f.difference, f.corrected, f.interval, f.p, f.beliefs) for f, _ in (before, after)
        )
        if first != other:
            assert quoted(*before) != quoted(*after), f"{change}\n{quoted(*after)}"
        elif not SAID_ANYWAY & change.keys():
            assert quoted(*before) == quoted(*after), f"{change}\n{quoted(*after)}"


NUMBER = r"[+-]?\d+(?:\.\d+)?"


@pytest.mark.parametrize(("name", "base"), daily(COMPARISONS, COMPARED_BY_DAY, unpack=True))
def test_the_figures_of_a_comparison_are_those_of_its_json(path, name, base):
    if (made := compared(path(name), **base)) is None:
        return
    first, document = made
    text, label = quote(document), METRICS[first.metric].label

    def near(shown, value):
        return abs(float(shown) - value) <= 0.51 * 10.0 ** -len(shown.partition(".")[2])

    value, names = re.match(
        rf"difference in {label} ({NUMBER})(?: \([^)]*\))?, (.*)", text
    ).groups()
    truth = first.difference if first.corrected is None else first.corrected
    assert near(value, truth)
    performances = {first.first: first.first_value, first.second: first.second_value}
    above, below = sorted(performances, key=names.index)
    assert names.startswith(f"{above} minus {below}, ")
    gap = performances[above] - performances[below]
    if first.test not in ("k-fold-t", "corrected-t", "bayes-t"):
        assert first.difference == pytest.approx(gap, abs=1e-9)
    if first.interval is not None:
        lower, upper = re.search(rf"95% CI ({NUMBER}) to ({NUMBER})\)", text).groups()
        assert near(lower, first.interval.lower) and near(upper, first.interval.upper)
    if p := re.search(rf"p ({NUMBER}),", text):
        assert near(p[1], first.p)
    said = " ".join(lines(document))
    shown = re.search(rf"observed difference(?: in its favour)? is ({NUMBER})(?:;| \()", said)[1]
    assert near(shown, first.difference)
    assert ("in its favour" in said) == (METRICS[first.metric].direction == "minimize")
    start = f"By {label}, {first.first} "
    assert said.startswith((start, f"There is no evidence that {first.first} beats "))


def test_of_all_pairs_none_is_quoted(path):
    first, document = compared(path("plain"), test=["wald"])
    assert quote(document) == "" and first.p_adjusted is not None
    n_shown = sum(one.verdict in ("better", "worse") for one in document.comparisons)
    (said,) = lines(document)
    assert said.startswith(f"By AUC, {n_shown or 'none'} of 15 pairs ")


def test_a_pair_with_the_winner_is_not_said_to_be_named_beforehand(path):
    record = answer(Analysis(method=["cvt"]), path("progression.parquet")).record
    winner = record.estimates[0].winner
    for pair, clause in (
        (("forest depth=2 leaf=1 features=sqrt", PAIR[1]), "both named in advance"),
        ((winner, PAIR[1]), "not corrected for a selection"),
    ):
        _, of_pair = compared(path("progression.parquet"), pair=pair, test=["wald"])
        assert f", {clause}; N = 80" in quote(of_pair)
