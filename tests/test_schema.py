import json
from dataclasses import dataclass

import jsonschema
import numpy as np
import pytest
from matrices import binary, multiclass

from bbccli import METRICS, Plan, document
from bbccli.documents.correct import ERROR_SCHEMA, SCHEMA_VERSION
from bbccli.domain.source import ToolRun
from bbccli.methods import METHODS, estimate
from bbccli.platform.records import as_json, described
from bbccli.reports.forms.json_schema import json_schema
from bbccli.use_cases.inspection import INSPECTION_VERSION

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


def test_what_fields_always_hold_is_what_they_hold():
    told = {
        "Document": ("schema", f"always {SCHEMA_VERSION}"),
        "ErrorDocument": ("schema", f"always {ERROR_SCHEMA}"),
        "InspectionDocument": ("schema", f"always {INSPECTION_VERSION}"),
        "Similarity": (
            "n_correlated",
            "further ones with a correlation above 0.999 to an earlier one",
        ),
    }
    for name, (key, text) in told.items():
        assert SCHEMA["$defs"][name]["properties"][key]["description"] == text, name


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut.

    Note: the lines on fields may stand anywhere.

    at: the threshold, which is long enough
        to need a line that goes on
    tuned: true if it was tuned
    att: no field

    Raises
    ------
    ValueError
        Never.
    """

    at: float
    tuned: bool
    lost: int = 0


@dataclass(frozen=True, slots=True)
class CutOfTool(Cut):
    """A cut by a tool.

    tool: its name; with: a colon
    tuned: true if the tool tuned it
    """

    tool: str = ""


def test_docstrings_describe_fields():
    at = "the threshold, which is long enough to need a line that goes on"
    assert described(Cut) == {"at": at, "tuned": "true if it was tuned"}
    of_tool = {"at": at, "tuned": "true if the tool tuned it", "tool": "its name; with: a colon"}
    assert described(CutOfTool) == of_tool


def test_null_is_no_score_of_a_run():
    score = {"id": "a", "metric": "auc", "value": 0.5, "tolerance": 0.1}
    nulls = [score | {key: None} for key in score]
    run = ToolRun.of({"run": {"tool": "x", "leaderboard": [*nulls, score]}})
    assert [as_json(one)["value"] for one in run.leaderboard] == [0.5]
    ensemble = {"name": "e", "metric": "auc"}
    for key in ("score", "tolerance", "clip", "limit"):
        run = ToolRun.of({"run": {"tool": "x", "ensemble": ensemble | {key: None}}})
        assert run.ensemble is None, key
    assert ToolRun.of({"run": {"tool": "x", "ensemble": ensemble}}).ensemble is not None


def test_numpy_numbers_do_not_leak():
    matrix = binary()
    found = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
    assert all(type(v) is float for v in (found.value, found.naive, found.optimism))
    assert not isinstance(document(matrix, [found])["input"]["n_folds"], np.generic)
