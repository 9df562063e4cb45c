"""A frozen record does what one of the standard library does, made in less time."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Estimate, Gate, Interval
from bbccli.domain.source import Source
from bbccli.planning import PlanRequest, Stated
from bbccli.types import Direction, Side
from bbccli.use_cases import InputOptions

NAN = float("nan")
RECORDS = (
    Plan(n_resamples=50, side=Side.LOWER),
    Interval(0.1, NAN, 0.95, Side.TWO),
    Estimate("bbc", "auc", "auc", Direction.MAXIMIZE, "a", 0.9, 0.8),
    Gate(0.8, Direction.MAXIMIZE, "bound", None, None, None, None, "undecided"),
    Source("p.csv", metadata={"a": 1}),
    Stated(0.8, 3),
    PlanRequest(samples=(50,)),
    InputOptions(truth="y"),
)


def values_of(record):
    return {f.name: getattr(record, f.name) for f in dataclasses.fields(record) if f.init}


def by_the_standard_library(kind):
    """A record with the same fields."""
    options = ("default", "default_factory", "init", "repr", "compare", "kw_only")
    parts = [
        (f.name, f.type, dataclasses.field(**{name: getattr(f, name) for name in options}))
        for f in dataclasses.fields(kind)
    ]
    return dataclasses.make_dataclass(kind.__qualname__, parts, frozen=True)


def taken_by(kind):
    return [(one.name, one.kind) for one in inspect.signature(kind).parameters.values()]


@pytest.fixture(params=RECORDS, ids=lambda record: type(record).__name__)
def record(request):
    return request.param


def test_it_is_the_dataclass_of_the_standard_library(record):
    kind, values = type(record), values_of(record)
    theirs = by_the_standard_library(kind)
    assert taken_by(kind) == taken_by(theirs)
    a, b = theirs(**values), kind(**values)
    for f in dataclasses.fields(kind):
        if not f.init:  # made after the others
            object.__setattr__(a, f.name, getattr(b, f.name))
    assert values_of(a) == values_of(b) == values
    assert (repr(a) == repr(b)) is (kind is not Estimate)  # which has its own
    assert b == record == dataclasses.replace(record) and b != a
    for name in values:
        others = copy.copy(a), copy.copy(b)
        for other in others:
            object.__setattr__(other, name, object())
        assert (others[0] == a) is (others[1] == b), name


def test_nothing_is_set_or_deleted(record):
    name = dataclasses.fields(record)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(record, name)


def test_what_may_not_be_given_is_refused(record):
    kind, values = type(record), values_of(record)
    necessary = [f for f in dataclasses.fields(kind) if f.default is f.default_factory]
    for _ in range(3):
        with pytest.raises(TypeError, match="__init__"):
            kind(**values, unknown=2)
        with pytest.raises(TypeError, match="__init__"):
            kind(*values.values(), 1)
        if necessary:
            with pytest.raises(TypeError, match="__init__"):
                kind()


def test_records_are_copied_and_hashed(record):
    for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record), copy.copy(record)):
        assert repr(again) == repr(record)
    assert Interval(0.1, 0.2, 0.95, Side.TWO) in {Interval(0.1, 0.2, 0.95, "two"): 1}
    assert hash(METRICS["auc"]) == hash("auc")  # its own
    with pytest.raises(TypeError, match="unhashable"):
        hash(Source("p.csv", metadata={}))


def test_each_has_its_own_of_what_can_be_changed():
    assert Source("a").metadata == {}
    held = []
    held.append(Interval(held, 1.0, 0.95, Side.TWO))
    assert repr(held[0]).startswith("Interval(lower=[...], upper=1.0")
