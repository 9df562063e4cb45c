import json
import math

import jsonschema
import numpy as np
import pytest
from matrices import binary, multiclass

from bbccli.documents import as_json
from bbccli.json_schema import json_schema
from bbccli.methods import METHODS, estimate
from bbccli.metrics import METRICS
from bbccli.plan import Plan
from bbccli.schema import document
from bbccli.types import Interval, Side

SCHEMA = json_schema()


def documents():
    for matrix in (binary(), multiclass(n_repeats=2)):
        for metric in METRICS.values():
            if matrix.task in metric.tasks:
                yield document(matrix, *estimate(matrix, [metric], Plan(n_resamples=20)))


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("found", list(documents()))
def test_every_document_follows_the_schema(found):
    jsonschema.validate(json.loads(json.dumps(found, allow_nan=False)), SCHEMA)


def test_an_unknown_key_does_not():
    found = next(documents()) | {"extra": 1}
    with pytest.raises(jsonschema.ValidationError, match="extra"):
        jsonschema.validate(found, SCHEMA)


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
