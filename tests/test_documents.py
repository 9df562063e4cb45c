"""Documents: types that match the records, rows, and frames."""

import io
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from day import swept
from documents import gated, result
from matrices import binary

from bbccli import METRICS, Plan
from bbccli.documents.correct import Envelope, document, envelope, reported_estimate
from bbccli.domain.estimate import Distribution, Estimate
from bbccli.methods import METHODS
from bbccli.platform.records import Document, as_json
from bbccli.reports import FORMS
from bbccli.types import Direction, GateOutcome, Task


def test_every_field_of_a_record_is_read_as_its_type():
    found = gated(0.25)
    record = found.record
    assert isinstance(record, Envelope) and isinstance(record.estimates[0], Estimate)
    assert record.plan == Plan(**{f.name: getattr(record.plan, f.name) for f in fields(Plan)})
    assert record.gate.outcome is GateOutcome.MISSED and record.input.task is Task.BINARY
    assert as_json(record) == found


def test_words_and_keys_of_later_versions_pass():
    found = result()
    found["plan"]["pooling"], found["more"] = "by-moon", 1
    assert found.record.plan.pooling == "by-moon"


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


@pytest.mark.parametrize(
    ("value", "lower", "upper", "expected"),
    [
        (0.6, 0.5, 0.7, True),
        swept(0.6, 0.5, np.inf, True),
        swept(0.6, -np.inf, np.inf, True),
        swept(np.nan, 0.5, 0.7, False),
        swept(0.6, 0.6, 0.6, False),
    ],
)
def test_what_to_report_is_the_same_of_methods_and_of_json(value, lower, upper, expected):
    matrix = binary()
    one = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
    interval = replace(one.interval, lower=lower, upper=upper)
    found = document(matrix, [replace(one, value=value, interval=interval, notes=())])
    assert found["report"] == [{"metric": "auc", "method": "bbc"}] * expected
    assert (reported_estimate(found.record.estimates) is not None) == expected


class TestFrame:
    def test_it_holds_what_csv_holds(self):
        found = gated(0.25)
        frame = found.to_frame()
        back = pd.read_csv(io.StringIO(FORMS["csv"](found)))
        assert list(back.columns) == list(frame.columns)
        for name in frame.columns:
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
        assert list(frame.columns) == list(gated(0.25).to_frame().columns)
        assert len(frame) == 0

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

    def test_of_resamples(self):
        matrix = binary()
        one = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
        frame = one.distribution.to_frame(matrix.configurations)
        assert list(frame.columns) == ["resample", "performance", "winner", "probability"]
        winners = [matrix.configurations[place] for place in one.distribution.winners]
        assert frame["resample"].tolist() == list(range(20))
        assert frame["performance"].tolist() == one.distribution.values.tolist()
        assert frame["winner"].tolist() == winners
        assert frame["probability"].isna().all()
        assert frame["performance"].dtype == np.float64

    def test_of_resamples_that_are_all_there_are(self):
        exact = Distribution(np.array([0.5, 0.7]), np.array([1, 0]), np.array([0.25, 0.75]))
        frame = exact.to_frame(("a", "b"))
        assert frame["winner"].tolist() == ["b", "a"]
        assert frame["probability"].tolist() == [0.25, 0.75]


def test_a_result_is_what_its_json_gives_back():
    matrix = binary()
    one = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=20))
    interval = replace(one.interval, upper=np.inf)
    record = envelope(matrix, [replace(one, value=np.nan, interval=interval)])
    (shown,) = record.estimates
    assert shown.value is None and shown.interval.upper is None and shown.distribution is None
    assert record == Document(as_json(record), Envelope).record
