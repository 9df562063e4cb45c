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
