import json
import math

import jsonschema
import numpy as np
import pytest
from matrices import binary, multiclass

from bbccli import METRICS, Plan, document
from bbccli.methods import METHODS, estimate
from bbccli.platform.records import as_json
from bbccli.reports.forms.json_schema import json_schema
from bbccli.types import Interval, Side

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MATRICES = {"binary": binary(), "multiclass": multiclass(n_repeats=2)}
ASKED = [
    (name, metric.name)
    for name, matrix in MATRICES.items()
    for metric in METRICS.values()
    if matrix.task in metric.tasks
]


def documented(name, metric):
    matrix = MATRICES[name]
    return document(matrix, *estimate(matrix, [METRICS[metric]], Plan(n_resamples=20)))


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("name", "metric"), ASKED)
def test_every_document_follows_the_schema(name, metric):
    VALIDATOR.validate(json.loads(json.dumps(documented(name, metric), allow_nan=False)))


def test_an_unknown_key_does_not():
    with pytest.raises(jsonschema.ValidationError, match="extra"):
        VALIDATOR.validate(documented(*ASKED[0]) | {"extra": 1})


def test_every_field_says_what_it_is():
    for name, record in SCHEMA["$defs"].items():
        assert record["description"], name
        for key, value in record["properties"].items():
            assert value["description"], f"{name}.{key}"


def test_nan_and_infinities_are_null():
    encoded = as_json(Interval(-math.inf, math.nan, 0.95, Side.UPPER))
    assert encoded == {"lower": None, "upper": None, "level": 0.95, "side": "upper"}


def test_numpy_numbers_do_not_leak():
    matrix = binary()
    found = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
    assert all(type(v) is float for v in (found.value, found.naive, found.optimism))
    assert not isinstance(document(matrix, [found])["input"]["n_folds"], np.generic)
