"""Documents: types that match the records, rows, and frames."""

import io
import types
import typing
from enum import Enum
from functools import reduce
from operator import or_

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from documents import gated, result
from matrices import binary, multiclass

from bbccli.documents import Document, as_json, parts
from bbccli.documents.rows import COLUMNS
from bbccli.documents.values import public_fields
from bbccli.gate import Rule, judged
from bbccli.methods import METHODS, estimate
from bbccli.metrics import METRICS
from bbccli.notes import Note
from bbccli.outcome import Weights
from bbccli.plan import Plan
from bbccli.reports import FORMS
from bbccli.reports.distribution import render_distributions
from bbccli.results import (
    Distribution,
    DropStep,
    DropTrace,
    Estimate,
    Gate,
    MonteCarloError,
    SelectionShare,
)
from bbccli.schema import Input, Run, document
from bbccli.source import LeftOut, TwoFigures, Verification
from bbccli.types import Direction, Interval

PARTS = {
    Note: parts.NoteJson,
    Input: parts.InputJson,
    Plan: parts.PlanJson,
    Interval: parts.IntervalJson,
    MonteCarloError: parts.ErrorJson,
    SelectionShare: parts.ShareJson,
    DropStep: parts.StepJson,
    DropTrace: parts.TraceJson,
    Estimate: parts.EstimateJson,
    Gate: parts.GateJson,
    LeftOut: parts.LeftOutJson,
    Run: parts.RunJson,
    TwoFigures: parts.TwoFiguresJson,
    Verification: parts.VerificationJson,
    Weights: parts.WeightsJson,
}


def in_json(annotation):
    """The type that a value of a record has in JSON."""
    if annotation in PARTS:
        return PARTS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return str
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is tuple:
        return list[in_json(arguments[0])]
    if isinstance(annotation, types.UnionType):
        return reduce(or_, map(in_json, arguments))
    return annotation


@pytest.mark.parametrize("record", PARTS, ids=lambda record: record.__name__)
def test_types_of_parts_are_those_of_the_records(record):
    hints = typing.get_type_hints(record)
    wanted = {f.name: in_json(hints[f.name]) for f in public_fields(record)}
    found = typing.get_type_hints(PARTS[record])
    assert list(found) == list(wanted)
    for name, kind in found.items():
        # a float is null where it is undefined, which not every one can be
        assert kind == wanted[name] or (wanted[name], kind) == (float, float | None), name


def test_values_become_plain():
    held = {"a": np.arange(2), "b": (np.float64("nan"), np.int64(3)), "c": Direction.MAXIMIZE}
    found = as_json(held)
    assert found == {"a": [0, 1], "b": [None, 3], "c": "maximize"}
    assert [type(value) for value in (*found["a"], found["b"][1])] == [int] * 3


def test_a_document_stays_one_with_other_parts():
    found, before = result(), dict(result())
    changed = found | {"estimates": []}
    assert isinstance(changed, Document)
    assert changed["estimates"] == []
    assert changed["plan"] == found["plan"]
    assert found == before


class TestFrame:
    def test_a_row_per_estimate(self):
        matrix = multiclass(n_repeats=2)
        metrics = [METRICS["accuracy"], METRICS["log-loss"]]
        found = document(matrix, *estimate(matrix, metrics, Plan(n_resamples=20)))
        frame = found.to_frame()
        assert tuple(frame.columns) == COLUMNS
        assert len(frame) == len(found["estimates"]) > 2
        assert frame["method"].tolist() == [e["method"] for e in found["estimates"]]
        assert frame["value"].tolist() == [e["value"] for e in found["estimates"]]

    def test_it_holds_what_csv_holds(self):
        found = gated(0.25)
        frame = found.to_frame()
        back = pd.read_csv(io.StringIO(FORMS["csv"](found)))
        assert list(back.columns) == list(frame.columns)
        for name in COLUMNS:
            for ours, theirs in zip(frame[name], back[name], strict=True):
                missing = ours is None or pd.isna(ours) or ours == ""
                assert pd.isna(theirs) if missing else ours == theirs, name

    def test_kinds_of_columns(self):
        frame = result(names=["cvt", "bbc-f"]).to_frame()
        assert frame["value"].dtype == np.float64
        assert frame["n_resamples"].dtype == "Int64"
        assert frame["n_resamples"].isna().tolist() == [True, False]
        assert frame["ignores_selection"].dtype == bool
        assert frame["lower"].isna().tolist() == [True, False]

    def test_of_no_estimate(self):
        frame = Document(result() | {"estimates": []}).to_frame()
        assert tuple(frame.columns) == COLUMNS
        assert len(frame) == 0

    def test_the_verdict_is_on_its_row(self):
        found = judged(result(names=["cvt", "bbc-f"]), Rule(0.25, Direction.MAXIMIZE))
        assert found.to_frame()["gate"].isna().tolist() == [True, False]

    def test_of_one_estimate(self):
        matrix = binary()
        one = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20, level=0.9))
        frame = one.to_frame()
        whole = document(matrix, [one]).to_frame()
        assert len(frame) == 1
        assert set(frame.columns) < set(whole.columns)
        same = [name for name in frame.columns if name != "notes"]
        pd.testing.assert_frame_equal(frame[same], whole[same])
        assert frame["level"].tolist() == [0.9]
        assert frame["value"].tolist() == [one.value]

    def test_of_resamples(self, tmp_path):
        matrix = binary()
        one = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
        frame = one.distribution.to_frame(matrix.configurations)
        assert list(frame.columns) == ["resample", "performance", "winner", "probability"]
        written = render_distributions("d.parquet", matrix.configurations, [one])
        table = pq.read_table(io.BytesIO(written))
        for name in ("resample", "performance", "winner"):
            assert frame[name].tolist() == table.column(name).to_pylist()
        assert frame["probability"].isna().all()
        assert frame["performance"].dtype == np.float64

    def test_of_resamples_that_are_all_there_are(self):
        exact = Distribution(np.array([0.5, 0.7]), np.array([1, 0]), np.array([0.25, 0.75]))
        frame = exact.to_frame(("a", "b"))
        assert frame["winner"].tolist() == ["b", "a"]
        assert frame["probability"].tolist() == [0.25, 0.75]
