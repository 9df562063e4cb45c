"""Forms say what the sentence for a paper says, in the same words."""

import json

import pytest
from matrices import binary, regression

from bbccli import correct
from bbccli.reports import FORMS


def described(found):
    result = json.loads(FORMS["every-eval-ever"](found.document))["evaluation_results"][0]
    return result["metric_config"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "corrected for choosing"),
        ({"select": "stack"}, "corrected for choosing the members of the stack ensemble"),
        ({"select": "mean:2", "calibrate": "platt"}, "its platt calibration among"),
    ],
)
def test_every_eval_ever_says_what_was_chosen(options, words):
    found = correct(binary(n_samples=60), metric="auc", n_resamples=20, **options)
    description = described(found)["evaluation_description"]
    assert words in description
    assert description in found.sentence()


def test_every_eval_ever_has_the_bounds_of_the_metric():
    of_auc = described(correct(binary(n_samples=60), metric="auc", n_resamples=20))
    of_error = described(correct(regression(n_samples=60), metric="rmse", n_resamples=20))
    assert (of_auc["min_score"], of_auc["max_score"]) == (0, 1)
    assert (of_error["min_score"], of_error["max_score"]) == (0, None)


def page_of(found):
    import html
    import re

    from bbccli.reports.page.page import page

    text = re.sub(r"<(style|svg).*?</\1>", " ", page([found._exhibit(cost=True)]), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_a_page_says_the_size_of_the_set_as_compare_does():
    from bbccli import compare

    matrix = binary(n_samples=30, n_configurations=2)
    said = page_of(correct(matrix, metric="accuracy", n_resamples=50))
    compared = compare(matrix, metric="accuracy", n_resamples=50)
    text = " ".join(str(compared).split())
    start = text.index("By accuracy, ") + len("By accuracy, ")
    size = text[start : text.index(" of the best", start)]
    assert size.endswith("configurations are in the 95% confidence set")
    assert f"{size[0].upper()}{size[1:]} of the best." in said


def test_a_page_on_few_samples_claims_nothing_that_was_not_computed():
    """R² of folds of one sample is undefined, and the gain from searching would exceed 1."""
    found = correct(regression(n_samples=8, n_folds=5), metric="r2", n_resamples=100)
    said = page_of(found)
    assert "Gain from searching: resamples leave out too few samples" in said
    assert "where a class is missing" not in said
    assert "Selection over folds has" not in said
    assert "Too few: see the notes few-left-out, redrawn-resamples." in said


@pytest.mark.parametrize(("make", "metric"), [(binary, "auc"), (regression, "rmse")])
def test_a_figure_subtracts_in_the_order_of_the_sentence(make, metric):
    """In favour of the first: of an error the second less the first."""
    from bbccli import compare
    from bbccli.reports.evidence import Exhibit
    from bbccli.reports.figures import draw
    from bbccli.reports.words.comparison_sentences import quote

    found = compare(make(n_samples=60), metric=metric, pair=("c5", "c0"))
    reading = draw("differences", Exhibit(found.record)).reading
    names = "c5 minus c0" if metric == "auc" else "c0 minus c5"
    assert names in quote(found.record)
    assert reading.startswith(f"{names}: +")
