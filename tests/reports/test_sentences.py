"""The sentence for a paper, to the letter, and the row that it is of."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from day import swept
from matrices import binary

from bbccli import METRICS, Plan, document
from bbccli.documents.correct import Reported
from bbccli.methods import METHODS, estimate
from bbccli.platform.text import Digits
from bbccli.reports.words import digits_of
from bbccli.reports.words.for_papers import sentence, sentences
from bbccli.types import Select, Side
from bbccli.use_cases import Analysis
from bbccli.use_cases.correct import answer

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.mark.parametrize("guard", [True, False])
def test_the_sentence_of_the_demo(guard):
    found = answer(Analysis(guard=guard), str(SAMPLES / "progression.parquet")).record
    (said,) = sentences(replace(found, version="1.0.0"))
    assert re.sub(r"CI 0\.7\d\d to", "CI 0.723 to", said) == (
        "AUC 0.844 (95% CI 0.723 to 0.951), corrected for choosing logistic-l1 C=0.1 k=3 among "
        f"177 configurations; N = 80, 10 folds; BBC with pooled selection, "
        f"{'boundary-guarded percentile interval, ' * guard}1000 bootstrap resamples, "
        "seed 0, bbc 1.0.0"
    )
    assert ("0.723" in said) != guard
    assert found.report == (Reported("auc", "bbc"),)


def bbc(matrix, metric="auc", select_by=None, **plan):
    """The estimate of BBC, and its document."""
    plan = Plan(**{"n_resamples": 20} | plan)
    found = METHODS["bbc"].run(matrix, metric, plan, select_by=select_by)
    record = document(matrix, [found]).record
    return record.estimates[0], record


def said_of(*asked, **how):
    found, record = bbc(*asked, **how)
    return sentence(found, record, digits_of([found], record))


def test_the_metric_that_selects():
    said = said_of(binary(40, 7), "brier", select_by="auc", select=Select.ONE_SE)
    assert "among 7 configurations by AUC (first within one standard error of the best);" in said


def test_bounds_are_named():
    assert "(90% lower bound 0." in said_of(binary(40, 7), level=0.9, side=Side.PESSIMISTIC)
    losses = said_of(binary(40, 7), "brier", level=0.9, side=Side.PESSIMISTIC)
    assert "(90% upper bound 0." in losses
    assert " to " not in losses


def test_a_clip_bounds_a_figure_and_is_no_bound_of_the_guard():
    """-log(0.1) = 2.302585: what is not that worst value never reads as it."""
    estimate, found = bbc(binary(40, 7), "log-loss", clip=0.1)
    digits = digits_of([estimate], found)
    assert digits.bounds == (0.0, pytest.approx(-np.log(0.1)))
    near = digits.performance(digits.bounds[1] - 2e-6)
    assert digits.difference(digits.bounds[1] - 2e-6) == "2.303" and near == "2.302583"
    assert "boundary-guarded" not in sentence(estimate, found, digits)


def test_a_single_configuration_is_not_corrected():
    said = said_of(binary(40, 1))
    assert ", not corrected: c0 is the only configuration; N = 40" in said


def test_values_of_later_versions_are_said_by_their_names():
    matrix = binary(40, 7)
    estimate = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
    described = document(matrix, [estimate])
    later = {"pooling": "by-moon", "interval": "tide", "select": "luckiest"}
    described["plan"] |= later
    described["estimates"][0] |= {"method": "new-method", "metric": "new"}
    described = described.record
    said = sentence(described.estimates[0], described, Digits(3))
    assert said.startswith("new 0.")
    assert "(luckiest)" in said
    assert "NEW-METHOD with by-moon, boundary-guarded tide interval, " in said


class TestTheRowToReport:
    matrix = binary(40, 7, n_folds=5)

    def reported(self, *names, **plan):
        found = estimate(self.matrix, [METRICS["auc"]], Plan(**{"n_resamples": 50} | plan), names)
        return [entry["method"] for entry in document(self.matrix, *found)["report"]]

    @pytest.mark.parametrize(
        ("names", "reported"),
        [
            ("", ["bbc"]),
            swept("all", ["bbc"]),
            swept("cvt tt naive bbc-f bbc", ["bbc-f"]),
            swept("cvt tt naive", []),
            swept("bbc-632 bbc", ["bbc"]),
            swept("bbc-632", ["bbc-632"]),
        ],
    )
    def test_is_the_first_with_an_interval_that_accounts_for_the_selection(self, names, reported):
        """One that is experimental only for want of another."""
        assert self.reported(*names.split()) == reported

    def test_is_one_per_metric(self):
        metrics = [METRICS["auc"], METRICS["accuracy"]]
        found = document(self.matrix, *estimate(self.matrix, metrics, Plan(n_resamples=50)))
        assert found["report"] == [
            {"metric": "auc", "method": "bbc"},
            {"metric": "accuracy", "method": "bbc"},
        ]
