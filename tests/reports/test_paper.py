"""What users paste into papers names what was done, of every method, and nothing else."""

import re
from dataclasses import replace

import numpy as np
import pytest
from day import daily
from matrices import binary, regression, scores, survival, weighing

from bbccli import Plan
from bbccli.documents.correct import document, reported_estimate
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS, Gives
from bbccli.metrics import METRICS
from bbccli.platform.text import percent
from bbccli.reports.words import digits_of, method_name
from bbccli.reports.words.for_papers import paragraph, sentence, what_it_did
from bbccli.types import IntervalKind

GROUPED = replace(binary(), groups=np.repeat(np.arange(10), 4))
MATRICES = {
    "auc": binary(),
    "f1": binary(n_repeats=2),
    "brier": replace(binary(), outcome=weighing(binary().outcome)),
    "log-loss": binary(),
    "accuracy": GROUPED,
    "rmse": regression(),
    "concordance": survival(),
    "mean-score": replace(scores(n_repeats=3), folds=None, fold_names=()),
}
PLANS = [
    {},
    *({"interval": kind} for kind in IntervalKind if kind != "percentile"),
    {"level": 0.9, "side": "lower", "seed": 5},
    {"pooling": "fold-mean", "guard": False},
    {"pooling": "within-folds"},
    {"select": "one-se"},
    {"models": "fixed", "interval": "calibrated"},
    {"models": "fixed", "guard": False},
    {"models": "fixed"},
    {"size_correction": False},
    {"clip": 0.2, "cap": 0.5},
    {"evaluation_share": 0.5, "tolerance": 0.5},
]


def reported(method, metric, matrix=None, select_by=None, **plan):
    """The estimate of a method, if it can be had and reported, and its document."""
    matrix = MATRICES[metric] if matrix is None else matrix
    plan = Plan(**{"n_resamples": 20} | plan)
    try:
        found = METHODS[method].run(matrix, metric, plan, select_by=select_by)
    except (UndefinedError, UnsupportedError):
        return None
    record = document(matrix, [found]).record
    return (record.estimates[0], record) if reported_estimate(record.estimates) else None


def texts(estimate, record):
    return sentence(estimate, record, digits_of([estimate], record)), paragraph(estimate, record)


@pytest.mark.parametrize(
    "method", daily(METHODS, ["cvt", "bbcd", "hanley-mcneil", "ncv", "jeffreys"])
)
def test_each_names_its_method_metric_interval_and_level_and_no_other(method):
    for metric in MATRICES:
        for plan in PLANS:
            if (found := reported(method, metric, **plan)) is None:
                continue
            estimate, record = found
            for said in texts(estimate, record):
                assert METRICS[metric].label in said and percent(record.plan.level) in said
                assert re.search(rf"\b{re.escape(method_name(method))}[ ,:(]", said), said
                assert {kind for kind in IntervalKind if f"{kind} interval" in said} <= {
                    record.plan.interval
                }
                resampled = Gives.DISTRIBUTION in METHODS[method].gives
                odd = record.plan.interval not in ("percentile", "t") and resampled
                assert (f"{record.plan.interval} interval" in said) >= odd
                assert ("Student's t interval" in said) == (
                    resampled and record.plan.interval == "t"
                )
                assert ("held out" in said) == (estimate.n_evaluation is not None)
                assert ("capped" in said) == (metric == "rmse" and "cap" in plan)
                assert ("clipped" in said) == (metric == "log-loss" and "clip" in plan)
                sided = f"{record.plan.side} bound" in said
                assert sided == (record.plan.side != "two"), said
                assert "{" not in said and "None" not in said and "  " not in said
            assert what_it_did(estimate, record), method


def test_the_paragraph_to_the_letter():
    start = (
        "Out-of-sample predictions of 7 configurations for 40 samples in 5-fold cross-validation "
        "were compared by AUC over the pooled predictions, and the best was selected. Its AUC was "
        "estimated with BBC (Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5): the "
        "selection was repeated on 20 bootstrap resamples (seed 0) of the samples, and each winner "
        "was scored on the samples left out. We report this estimate with its 95% percentile "
        "interval, guarded against collapse. Software: bbc "
    )
    assert paragraph(*reported("bbc", "auc")).startswith(start)
    grouped = paragraph(*reported("bbc", "accuracy"))
    assert "40 samples in 10 groups in 5-fold" in grouped
    assert "of the groups, and each winner was scored on the groups left out" in grouped
    assert "by the mean accuracy over folds" in paragraph(*reported("bbc-f", "accuracy"))
    repeated = paragraph(*reported("bbc", "f1"))
    assert "cross-validation repeated 2 times were compared by F1 over" in repeated
    assert "predictions, averaged over repeats, and the best was selected." in repeated
    assert "repeat" not in paragraph(*reported("bbc", "auc")).replace("selection was repeated", "")


def test_the_metric_that_selects_is_named_beside_the_one_that_is_reported():
    said = paragraph(*reported("bbc", "brier", select_by="auc"))
    assert "compared by AUC over" in said and "Its Brier score was estimated" in said


def test_the_estimate_of_the_best_preselected_is_not_said_to_be_corrected():
    estimate, record = reported("tilting-10p", "auc", matrix=binary(80, 30), level=0.8)
    assert estimate.n_preselected == 3
    short, long = texts(estimate, record)
    chosen = "chosen among 3 preselected out of 30 configurations, on the 20 samples held out"
    assert f"{chosen} that also evaluate it;" in short
    assert "at Šidák's level for 3 configurations" in long
    assert "the choice made on the held-out samples; the estimate does not." in long


def test_a_single_configuration_is_not_selected():
    estimate, record = reported("bbc", "auc", matrix=binary(40, 1))
    _, said = texts(estimate, record)
    assert "of 1 configuration for 40 samples in 5-fold cross-validation were analysed" in said
    assert "on 20 bootstrap resamples (seed 0), without correction for a selection." in said
    assert "selected" not in said
