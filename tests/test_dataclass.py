"""A frozen record does what the standard library's does, made in less time."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from bbccli.platform.dataclass import dataclass

OPTIONS = (
    {"slots": True},
    {},
    {"slots": True, "eq": False},
    {"repr": False},
    {"slots": True, "kw_only": True},
)


class Shape:
    """The fields of a record of every kind."""

    one: int
    other: "float" = 2.5
    hidden: str = dataclasses.field(default="h", repr=False, compare=False)
    found: list = dataclasses.field(default_factory=list)
    made: int = dataclasses.field(init=False, default=7)
    last: int = dataclasses.field(default=0, kw_only=True)


def pair(options):
    """One class, made by the standard library and here."""
    body = {k: v for k, v in vars(Shape).items() if k not in ("__dict__", "__weakref__")}
    return [
        decorate(frozen=True, **options)(type("Shape", (), dict(body)))
        for decorate in (dataclasses.dataclass, dataclass)
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_is_the_dataclass_of_the_standard_library(options):
    theirs, ours = pair(options)
    assert inspect.signature(ours).parameters.keys() == inspect.signature(theirs).parameters.keys()
    a, b = theirs(one=1, last=3), ours(one=1, last=3)
    assert dataclasses.asdict(a) == dataclasses.asdict(b)
    assert dataclasses.replace(b, other=1).other == 1
    if options.get("repr", True):
        assert repr(a) == repr(b)
    assert (b == ours(one=1, hidden="i", last=3)) is (a == theirs(one=1, hidden="i", last=3))
    assert (b == ours(one=2)) is False
    assert b != a
    assert ours(one=1).found is not ours(one=1).found
    for record in (a, b):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.one = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del record.one
    assert hasattr(a, "__dict__") is hasattr(b, "__dict__")


def test_what_may_not_be_given_is_refused():
    for kind in pair({"slots": True}):
        for given, named in (((), {}), ((1, 2, 3, 4, 5), {}), ((1,), {"made": 3})):
            with pytest.raises(TypeError):
                kind(*given, **named)


def test_the_first_instances_are_made_like_the_later_ones():
    """The first two field by field, the others by compiled code."""
    theirs, ours = pair({"slots": True})
    forms = (((1,), {}), ((1, 2.0, "i", [3]), {"last": 4}), ((), {"one": 1, "hidden": "i"}))
    expected = [dataclasses.asdict(theirs(*args, **named)) for args, named in forms]
    for args, named in forms:
        _, fresh = pair({"slots": True})
        made = [dataclasses.asdict(fresh(*args, **named)) for _ in range(4)]
        assert made == 4 * [expected[forms.index((args, named))]]
    for misfit in (((1, 2), {"other": 3}), ((), {}), ((1,), {"unknown": 2}), ((1,) * 6, {})):
        _, fresh = pair({"slots": True})
        for _ in range(3):
            with pytest.raises(TypeError, match="__init__"):
                fresh(*misfit[0], **misfit[1])
        assert fresh(1).found == ours(1).found == []


@dataclass(frozen=True, slots=True)
class Point:
    """A record that pickle finds."""

    x: int
    y: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "x", int(self.x))


@dataclass(frozen=True, slots=True)
class Point3(Point):
    """One that inherits, with a hash of its own."""

    z: int = 0

    def __hash__(self):
        return 5


def test_records_are_copied_and_hashed():
    one = Point3("1", (2,), 3)
    assert one.x == 1
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == copy.copy(one) == one
    assert hash(one) == 5
    assert len({Point(1), Point("1"), Point(2), Point(1, (2,))}) == 3
    assert Point(1) != Point3(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1, []))


@dataclass(frozen=True, slots=True)
class Single:
    """One value, which may not equal itself."""

    value: float


def test_one_value_is_compared_as_in_a_tuple():
    nan = float("nan")
    assert Single(nan) == Single(nan) != Single(float("nan"))


def test_a_record_that_holds_itself_is_shown():
    held = []
    held.append(Point(1, held))
    assert repr(held[0]) == "Point(x=1, y=[...])"
