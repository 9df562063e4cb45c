"""Words for members in all that is public: the same numbers, or a line that names the parameter."""

import ast
import dataclasses
import inspect
import pickle
import re
import typing
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType

import numpy as np
import pytest
from matrices import binary, regression
from public import listed

import bbccli
from bbccli import METHODS, METRICS, Plan, compare, correct, document, drop, matrix_of, read
from bbccli import plan as plan_of
from bbccli.comparisons import (
    Comparison,
    against_baseline,
    best_set,
    between_families,
    compare_across,
    compare_pairs,
    joined,
)
from bbccli.comparisons.across import TESTS as ACROSS
from bbccli.comparisons.pairs import TESTS
from bbccli.documents.leaderboard import leaderboard
from bbccli.domain.estimate import Estimate, Gate, Interval
from bbccli.domain.outcome import Outcome
from bbccli.dropping import RULES, replay
from bbccli.errors import BbcError, InputError, OptionError, parameter
from bbccli.methods import choose_methods, estimate
from bbccli.metrics import Metric, choose_metric, choose_metrics, mean_of, metric_named
from bbccli.planning.simulation import Study
from bbccli.recording import Recorder
from bbccli.reports import FORMS, Kind, forms_of
from bbccli.types import (
    Adjustment,
    Again,
    Calibration,
    Direction,
    Errors,
    Guided,
    IntervalKind,
    Missing,
    Models,
    Pooling,
    PredictionKind,
    RiskDirection,
    Select,
    Side,
    Task,
)

PACKAGE = Path(bbccli.__file__).parent
PLAN = Plan(n_resamples=60)
MATRIX = binary()
NAMES = MATRIX.configurations
GAPS = [[0.1, 0.2], [0.8, np.nan], [0.3, 0.1], [0.9, 0.8]]


def table(tmp_path, rows):
    path = tmp_path / "m.csv"
    path.write_text("truth,a,b\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path


def gaps_read(tmp_path, missing):
    return read(
        table(tmp_path, [("n", 0.1, 0.2), ("y", 0.8, ""), ("n", 0.3, 0.1)]), missing=missing
    )


def survival():
    """Risks of three models for twelve patients."""
    rng = np.random.default_rng(0)
    return matrix_of(
        rng.normal(size=(12, 3)), np.arange(1, 13), event=np.arange(12) % 2, task=Task.SURVIVAL
    )


def shown(result):
    """A result as plain values, which say nothing of where arrays lie."""
    if isinstance(result, Enum | str | int | float) or result is None:
        return repr(result)
    if isinstance(result, np.ndarray):
        return repr(result.tolist())
    if dataclasses.is_dataclass(result):
        names = [one.name for one in dataclasses.fields(result)]
        return {n: shown(getattr(result, n)) for n in names if n not in ("source", "bind")}
    if isinstance(result, dict):
        return {str(key): shown(value) for key, value in result.items()}
    return [shown(one) for one in result] if isinstance(result, list | tuple) else repr(result)


METRIC = "auc"
TABLE = np.random.default_rng(0).random((6, 3))
FAMILIES = {"a": (0, 1, 2), "b": (3, 4)}


def hopeless(metric, **how):
    """Ask of one of two configurations that were recorded."""
    truth = np.arange(40) % 2
    with TemporaryDirectory() as place:
        rec = Recorder(Path(place) / "run", truth[:, None], truth, cv=4)
        for _, test in rec.cv:
            rec.write("good", test, 0.2 + 0.6 * truth[test])
            rec.write("bad", test, 0.8 - 0.6 * truth[test])
        return rec.hopeless("bad", metric=metric, min_samples=10, **how)


def opened(metric):
    """Open a vault of 50 of 250 rows for predictions of these."""
    truth = np.arange(250) % 2
    with TemporaryDirectory() as place:
        rec = Recorder(Path(place) / "run", truth[:, None], truth, cv=4, vault=0.2)
        sealed = np.setdiff1d(np.arange(250), rec.rows)
        predictions = np.where(sealed % 7, 0.2 + 0.6 * truth[sealed], 0.4)
        return rec.open("a", predictions, metric=metric).value


def asked_again(tmp, again):
    """Read scores of items of which two were asked a second time."""
    rows = [(c, i, i % 2, f"2026-01-0{d}") for c in "ab" for d in (1, 2) for i in range(4)]
    lines = [",".join(map(str, row)) for row in rows]
    place = tmp / "again.csv"
    place.write_text("\n".join(["config,item,score,created", *lines]))
    matrix = read(place, task="score", again=again)
    return matrix.n_samples, matrix.n_repeats


LOGS = Path(__file__).parent / "data" / "evaluations" / "inspect_ai" / "logs"


CHOICES = {
    "read.task": (
        lambda t, tmp: read(table(tmp, [(0, 0.1, 0.2), (1, 0.8, 0.7), (1, 0.3, 0.1)]), task=t),
        Task,
    ),
    "read.missing": (lambda m, tmp: gaps_read(tmp, m), Missing),
    "read.errors": (lambda e, _: read(LOGS, errors=e).n_samples, Errors),
    "read.again": (lambda a, tmp: asked_again(tmp, a), Again),
    "matrix_of.task": (lambda t, _: matrix_of(np.array(GAPS)[:, :1], [0, 1, 0, 1], task=t), Task),
    "matrix_of.missing": (lambda m, _: matrix_of(GAPS, [0, 1, 0, 1], missing=m), Missing),
    "joined.missing": (lambda m, _: joined([MATRIX, MATRIX], ["a", "b"], m), Missing),
    "compare_pairs.adjust": (
        lambda a, _: compare_pairs(MATRIX, METRIC, PLAN, [NAMES[:3]], ["wald"], adjust=a),
        Adjustment,
    ),
    "compare_across.adjust": (
        lambda a, _: compare_across(TABLE, "abc", list("uvwxyz"), METRIC, adjust=a),
        Adjustment,
    ),
    "between_families.adjust": (
        lambda a, _: between_families(MATRIX, METRIC, PLAN, FAMILIES, adjust=a),
        Adjustment,
    ),
    "correct.pooling": (lambda p, _: correct(MATRIX, pooling=p, n_resamples=20).value, Pooling),
    "Recorder.hopeless.pooling": (lambda p, _: hopeless("accuracy", pooling=p), Pooling),
    "compare.pooling": (lambda p, _: repr(compare(MATRIX, pooling=p, n_resamples=20)), Pooling),
    "plan.pooling": (
        lambda p, _: plan_of(MATRIX, pooling=p, samples=[40], n_resamples=20).sentence(),
        Pooling,
    ),
    "PredictionMatrix.with_risk_direction.direction": (
        lambda d, _: survival().with_risk_direction(d),
        RiskDirection,
    ),
    "PredictionMatrix.offers.kind": (lambda k, _: MATRIX.offers(k), PredictionKind),
    "PredictionMatrix.as_kind.kind": (lambda k, _: MATRIX.as_kind(k), PredictionKind),
    "PredictionMatrix.in_form.kind": (
        lambda k, _: MATRIX.in_form(k, MATRIX.predictions),
        PredictionKind,
    ),
    "DropDecision.named.fates": (
        lambda f, _: drop(MATRIX, METRIC, PLAN, min_samples=0).named(f),
        type(drop(MATRIX, METRIC, PLAN, min_samples=0).decisions[0].fate),
    ),
    "Form.render.kind": (lambda k, _: FORMS["json"].render([{"schema": "bbc/1"}], kind=k), Kind),
    "forms_of.kind": (lambda k, _: list(forms_of(k)), Kind),
}
"""Every parameter of a public function that is a member of an enumeration."""

METRIC_TAKEN = {
    "Method.case.metric": lambda m: METHODS["bbc"].case(MATRIX, m, PLAN),
    "Method.case.select_by": lambda m: METHODS["bbc"].case(MATRIX, "accuracy", PLAN, select_by=m),
    "Method.run.metric": lambda m: METHODS["bbc"].run(MATRIX, m, PLAN),
    "Method.run.select_by": lambda m: METHODS["bbc"].run(MATRIX, "accuracy", PLAN, select_by=m),
    "estimate.metrics": lambda m: estimate(MATRIX, m, PLAN, ["bbc"]),
    "drop.metric": lambda m: drop(MATRIX, m, PLAN, min_samples=0),
    "replay.metric": lambda m: replay(MATRIX, m, PLAN, min_samples=0),
    "leaderboard.metrics": lambda m: dict(leaderboard(MATRIX, m, PLAN)),
    "against_baseline.metric": lambda m: against_baseline(MATRIX, m, PLAN, NAMES[0]),
    "best_set.metric": lambda m: best_set(MATRIX, m, PLAN),
    "correct.metric": lambda m: correct(MATRIX, metric=m, n_resamples=20).value,
    "Recorder.hopeless.metric": hopeless,
    "Recorder.open.metric": opened,
    "compare.metric": lambda m: compare(MATRIX, metric=m, n_resamples=20).sentence(),
    "plan.metric": lambda m: plan_of(MATRIX, metric=m, samples=[40], n_resamples=20).sentence(),
    "between_families.metric": lambda m: between_families(MATRIX, m, PLAN, FAMILIES),
    "compare_pairs.metric": lambda m: compare_pairs(MATRIX, m, PLAN, [NAMES[:2]]),
    "compare_across.metric": lambda m: compare_across(TABLE, "abc", list("uvwxyz"), m),
    "choose_metric.name": lambda m: choose_metric(m, MATRIX),
    "choose_metrics.names": lambda m: choose_metrics(m, MATRIX),
    "metric_named.name": metric_named,
}
"""Every parameter of a public function that is a metric."""

REGISTERED = {
    "choose_methods": (choose_methods, METHODS, "bbc", "bcb"),
    "estimate.names": (lambda m: estimate(MATRIX, METRIC, PLAN, m), METHODS, "bbc", "bcb"),
    "drop.rule": (lambda r: drop(MATRIX, METRIC, PLAN, rule=r, min_samples=0),
                  RULES, "bbcd", "bcd"),
    "replay.rules": (lambda r: replay(MATRIX, METRIC, PLAN, rules=r), RULES, "bbcd", "bcd"),
    "compare_pairs.tests": (lambda t: compare_pairs(MATRIX, METRIC, PLAN, [NAMES[:2]], t),
                            TESTS, "wald", "wold"),
    "compare_across.tests": (
        lambda t: compare_across(TABLE, "abc", list("uvwxyz"), METRIC, tests=t),
        ACROSS, "friedman", "fridman"),
}  # fmt: skip
"""Parameters that name the records of a registry."""

RECORDS = (
    PLAN,
    MATRIX,
    MATRIX.outcome,
    METRICS["auc"],
    METHODS["bbc"],
    RULES["bbcd"],
    Interval(0.1, 0.2, 0.95, Side.TWO),
    Estimate("bbc", "auc", "auc", Direction.MAXIMIZE, "a", 0.9, 0.8),
    Gate(0.8, Direction.MAXIMIZE, "bound", None, None, None, None, "undecided"),
    Comparison("a", "b", "auc", "wald"),
    drop(MATRIX, METRIC, PLAN, min_samples=0),
    replay(MATRIX, METRIC, PLAN, min_samples=0)[0][0],
)
"""One of each public record that has a member of an enumeration among its fields."""


def kinds(annotation):
    """All types that an annotation names, at any depth."""
    inner = typing.get_args(annotation)
    if typing.get_origin(annotation) is Callable:
        return set()
    return {annotation} if not inner else {kind for one in inner for kind in kinds(one)}


def is_choice(annotation):
    return any(isinstance(kind, type) and issubclass(kind, Enum) for kind in kinds(annotation))


def functions():
    """Name, and function, of every public function and method that takes something."""
    for module, names in listed().items():
        for name in names:
            thing = getattr(import_module(module), name)
            if inspect.isfunction(thing):
                yield name, thing
            elif inspect.isclass(thing) and not issubclass(thing, Enum | Exception):
                for key, own in inspect.getmembers(thing, inspect.isfunction):
                    if not key.startswith("_"):
                        yield f"{name}.{key}", own


def annotations(function):
    space = import_module(function.__module__).__dict__
    for name, given in inspect.get_annotations(function).items():
        try:
            yield name, eval(given, dict(space)) if isinstance(given, str) else given
        except NameError:  # of types alone: tables of another library
            continue


def taken(fits):
    return {
        f"{name}.{key}"
        for name, function in functions()
        for key, kind in annotations(function)
        if key != "return" and fits(kind)
    }


def test_every_choice_of_a_public_function_is_below():
    assert taken(is_choice) == set(CHOICES)


def test_every_metric_of_a_public_function_is_below():
    assert taken(lambda kind: Metric in kinds(kind)) == set(METRIC_TAKEN)
    unions = (typing.Union, UnionType)
    assert all(
        typing.get_origin(kind) in unions and str in typing.get_args(kind)
        for _, function in functions()
        for key, kind in annotations(function)
        if key != "return" and Metric in kinds(kind)
    )


def test_every_record_with_a_choice_is_below():
    found = set()
    for module, names in listed().items():
        for name in names:
            thing = getattr(import_module(module), name)
            if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
                hints = typing.get_type_hints(thing)
                if any(is_choice(hints[one.name]) for one in dataclasses.fields(thing)):
                    found.add(thing.__name__)
    assert found - {"Form"} == {type(one).__name__ for one in RECORDS}  # its keys are looked up


def outcome_of(call, given, tmp_path):
    """What a call returns, or the error of data that it is refused with."""
    try:
        return shown(call(given, tmp_path))
    except BbcError as error:
        return type(error).__name__, error.problem


@pytest.mark.parametrize("name", CHOICES)
def test_the_word_is_the_member(name, tmp_path):
    call, kind = CHOICES[name]
    found = [outcome_of(call, member, tmp_path) for member in kind]
    assert found == [outcome_of(call, member.value, tmp_path) for member in kind]
    assert len({str(each) for each in found}) > 1  # a member is not for nothing


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("wrong", ["typo", 3, object(), ["x"], np.array(["x", "y"]), True])
def test_what_is_no_choice_is_refused_by_name(name, wrong, tmp_path):
    call, kind = CHOICES[name]
    word = next(member.value for member in kind if len(member.value) > 3)
    given = word[:-2] + word[-1] if isinstance(wrong, str) else wrong
    with pytest.raises(OptionError, match=f"^{name.split('.')[-1]} is ") as caught:
        call(given, tmp_path)
    assert caught.value.hint == f"did you mean {word}?" if given is not wrong else caught.value.hint
    assert "\n" not in caught.value.problem


def fields_of_choice():
    for record in RECORDS:
        hints = typing.get_type_hints(type(record))
        for one in dataclasses.fields(record):
            if one.init and is_choice(hints[one.name]):
                (kind,) = (k for k in kinds(hints[one.name]) if k is not type(None))
                yield record, one.name, kind


def test_a_field_holds_the_member_of_a_word():
    for record, name, kind in fields_of_choice():
        several = isinstance(getattr(record, name), frozenset)
        for member in kind:
            word = "mean:3" if member is Select.MEAN else member.value
            made = replace(record, **{name: word})
            found = getattr(made, name)
            assert found == ({member} if several else member), (type(record), name)
            assert all(type(one) is kind for one in (found if several else [found]))


def test_a_field_refuses_what_is_no_choice():
    for record, name, kind in fields_of_choice():
        for wrong in ("nonsense", 3, object()):
            with pytest.raises(OptionError, match=f"^{name} is ") as caught:
                replace(record, **{name: wrong})
            assert caught.value.hint.startswith(("one of: ", "did you mean "))
            assert kind is not None


@pytest.mark.parametrize("name", METRIC_TAKEN)
def test_a_metric_is_a_name_or_itself(name):
    call = METRIC_TAKEN[name]
    for metric in ("auc", "brier"):
        expected = shown(call(METRICS[metric]))
        assert shown(call(metric)) == expected
    assert shown(call("roc_auc")) == shown(call(METRICS["auc"]))  # as scikit-learn says it
    with pytest.raises(OptionError, match="no metric named 'acuracy'") as caught:
        call("acuracy")
    assert caught.value.hint == "did you mean accuracy?"
    for wrong in (3, PLAN, object(), np.zeros(3)):
        with pytest.raises(OptionError, match="^metric is "):
            call(wrong)


@pytest.mark.parametrize(
    "name", sorted(set(METRIC_TAKEN) - {"compare_across.metric", "metric_named.name"})
)
def test_a_metric_that_does_not_fit_is_refused(name):
    with pytest.raises(BbcError, match="RMSE is for regression tasks; this one is binary"):
        METRIC_TAKEN[name](METRICS["rmse"])


@pytest.mark.parametrize("name", REGISTERED)
def test_a_record_is_a_name_or_itself(name):
    call, registry, word, typo = REGISTERED[name]
    expected = shown(call([word]) if name != "drop.rule" else call(word))
    assert shown(call(word)) == expected
    assert shown(call(registry[word])) == expected
    with pytest.raises(OptionError, match=f"named {typo!r}") as caught:
        call(typo)
    assert caught.value.hint == f"did you mean {word}?"
    for wrong in (3, object()):
        with pytest.raises(OptionError, match="^no .* named "):
            call(wrong)


NUMBERS = (
    ("n_resamples", 50, (50.0, np.int64(50), np.float32(50), np.array(50))),
    ("seed", 3, (3.0, np.int64(3), np.uint8(3))),
    ("level", 0.5, (np.float64(0.5), np.float32(0.5), np.array(0.5))),
    ("tolerance", 1.0, (1, np.int8(1))),
    ("cap", 1.0, (1, np.float64(1))),
    ("guard", False, (0, np.bool_(False), np.int64(0))),
    ("evaluation_share", 0.0, (0, np.int64(0))),
)


def test_numbers_of_any_library_are_pythons():
    for name, expected, others in NUMBERS:
        for given in others:
            plan = Plan(**{name: given})
            assert plan == Plan(**{name: expected})
            assert hash(plan) == hash(Plan(**{name: expected}))
            assert type(getattr(plan, name)) is type(expected), (name, given)
    found = METHODS["bbc"].run(MATRIX, "auc", replace(PLAN, seed=np.int64(0)))
    assert FORMS["json"](document(MATRIX, [found]))  # JSON takes no number of numpy's


@pytest.mark.parametrize(
    ("given", "problem", "hint"),
    [
        ({"level": 95}, "level is 95, not between 0 and 1", "level=0.95"),
        ({"level": "0.95"}, "level is '0.95', not a number", "such as 0.95"),
        ({"level": None}, "level is None, not a number", "such as 0.95"),
        ({"level": True}, "level is True, not a number", "such as 0.95"),
        ({"level": np.array([0.9])}, "level is array([0.9]), not a number", "such as 0.95"),
        ({"level": float("nan")}, "level is nan, not between 0 and 1", "for example level=0.95"),
        ({"clip": 10**400}, "clip is too large", "use a smaller number"),
        ({"n_resamples": 1000.5}, "n_resamples is 1000.5, not an integer", "such as 1000"),
        ({"n_resamples": "auto"}, "n_resamples is 'auto', not an integer", "such as 1000"),
        ({"n_resamples": True}, "n_resamples is True, not an integer", "such as 1000"),
        ({"n_resamples": 0}, "n_resamples is 0", "at least 1; the papers use 1000"),
        ({"seed": -1}, "seed is -1", "an integer, 0 or more"),
        ({"seed": float("inf")}, "seed is inf, not an integer", "such as 1000"),
        ({"seed": None}, "seed is None, not an integer", "such as 1000"),
        ({"guard": "no"}, "guard is 'no'", "True or False"),
        ({"guard": 2}, "guard is 2", "True or False"),
        ({"side": None}, "side is None", "one of: two, lower, upper, pessimistic"),
        ({"select": "ONE_SE"}, "select is 'ONE_SE'", "did you mean one-se?"),
        ({"pooling": "fold_mean"}, "pooling is 'fold_mean'", "did you mean fold-mean?"),
    ],
)
def test_a_plan_names_what_is_wrong(given, problem, hint):
    with pytest.raises(OptionError) as caught:
        Plan(**given)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


def test_one_is_not_a_list_of_its_letters():
    found = estimate(MATRIX, "auc", PLAN, "bbc")[0]
    assert [(one.metric, one.method) for one in found] == [("auc", "bbc")]
    assert replay(MATRIX, "auc", PLAN, rules="bbcd", min_samples=0)[0][0].rule == "bbcd"


def test_patterns_may_be_one_text(tmp_path):
    rows = [("n", 0.1, 0.2), ("y", 0.8, 0.7), ("n", 0.3, 0.1), ("y", 0.6, 0.9)]
    path = table(tmp_path, rows)
    assert read(path, only="a").configurations == ("a",)
    assert read(path, exclude="a").configurations == ("b",)
    with pytest.raises(OptionError, match="^include is 'ensemble'") as caught:
        read(path, include="ensemble")
    assert caught.value.hint == "did you mean ensembles?"
    with pytest.raises(OptionError, match="no dialect named 'wde'") as caught:
        read(path, dialect="wde")
    assert caught.value.hint == "did you mean wide?"


def test_a_positive_class_may_be_a_number():
    for positive in (0, 0.0, np.int64(0), "0"):
        assert matrix_of(GAPS[:1] * 2, [0, 1], positive=positive).outcome.classes == ("1", "0")


# what was worked out for one plan is never shown for another

VARIANTS = {
    "level": (0.9, 0.5),
    "side": tuple(Side),
    "pooling": (Pooling.POOLED, Pooling.FOLD_MEAN, Pooling.WITHIN_FOLDS),
    "select": (Select.BEST, Select.ONE_SE),
    "interval": tuple(IntervalKind),
    "guard": (False, True),
    "seed": (1, 2),
    "n_resamples": (40, 60),
    "tolerance": (None, 0.02),
    "clip": (1e-3, 0.2),
    "evaluation_share": (0.5, 0.0),
    "models": (None, *Models),
    "cap": (None, 0.5),
    "size_correction": (False, True),
    "selection": (None, Pooling.FOLD_MEAN),
    "members": (None,),
    "calibrate": (None, *Calibration),
    "cut": (None, "tuned"),
    "guided": (None, *Guided),
}
METHODS_CACHED = ("bbc", "bbc-f", "tt", "naive", "bbc-632plus", "cvm-cv")


def variants():
    """Plans that differ from one in a field, each by the member and by its word."""
    for name, values in VARIANTS.items():
        for value in values:
            yield replace(PLAN, **{name: value})
            if isinstance(value, Enum):
                yield replace(PLAN, **{name: value.value})


def asked(matrix, metric, method, plan):
    try:
        return shown(METHODS[method].run(matrix, metric, plan))
    except BbcError as error:
        return error.problem


def test_every_field_of_a_plan_has_variants():
    assert set(VARIANTS) == {one.name for one in dataclasses.fields(Plan)}


def small():
    return binary(n_samples=30, n_configurations=4, n_folds=3)


def check_kept(method, metrics, plans):
    """Each plan has after each other one, on the same matrix, what it has alone."""
    fresh = [[asked(small(), metric, method, plan) for metric in metrics] for plan in plans]
    for order in (1, -1):
        matrix = small()
        kept = [[asked(matrix, m, method, plan) for m in metrics] for plan in plans[::order]]
        assert kept[::order] == fresh
    return fresh


def test_no_plan_gets_what_was_kept_for_another():
    names = ("pooling", "select", "seed", "level", "side", "clip")
    few = Plan(n_resamples=20)
    plans = [replace(few, **{name: VARIANTS[name][-1]}) for name in names]
    plans += [few, replace(few, pooling="within-folds"), replace(few, select="one-se")]
    assert len({str(one) for one in check_kept("bbc", ("auc", "log-loss"), plans)}) == 7


@pytest.mark.sweep
@pytest.mark.parametrize("method", METHODS_CACHED)
def test_no_plan_gets_what_was_kept_for_another_of_any_field(method):
    check_kept(method, ("auc", "log-loss"), list(variants()))


def test_a_cap_is_kept_apart():
    plans = [Plan(n_resamples=40, cap=cap) for cap in (None, 0.5, 0.9, None)]
    matrix = regression()
    kept = [asked(matrix, "mse", "bbc", plan) for plan in plans]
    assert kept == [asked(regression(), "mse", "bbc", plan) for plan in plans]
    assert len({str(one) for one in kept[:3]}) == 3


def own(share, right=True):
    """A metric of your own: a share of being right, or of being wrong, which more of is better."""
    bind = mean_of(lambda outcome, p: share * ((p == outcome.values[:, None]) == right))
    return replace(METRICS["accuracy"], name="own", bind=bind)


def test_a_metric_that_lies_where_another_lay_is_not_taken_for_it():
    matrix, few = small(), Plan(n_resamples=5)
    kept, other = own(1.0), own(1.0, right=False)
    expected = asked(small(), other, "bbc", few)
    assert asked(matrix, kept, "bbc", few) != expected
    equal = replace(kept)  # what is kept for it is found by the first, so nothing keeps it alive
    asked(matrix, equal, "bbc", few)
    place, places = id(equal), []
    del equal
    while not places or (id(places[-1]) != place and len(places) < 1000):
        places.append(replace(other))
    assert id(places[-1]) == place
    assert asked(matrix, places[-1], "bbc", few) == expected


def test_the_metric_that_selects_may_be_given_twice():
    alone = METHODS["bbc"].run(MATRIX, "log-loss", PLAN)
    assert shown(METHODS["bbc"].run(MATRIX, "log-loss", PLAN, select_by="log-loss")) == shown(alone)


# the parameter in Python, the flag on the command line


def test_an_error_says_the_parameter_and_tells_the_flag():
    error = OptionError(
        f"{parameter('n_resamples')} is 0", hint=f"{parameter('select', Select.BEST)}, or 3"
    )
    assert (str(error), error.hint) == ("n_resamples is 0", 'select="best", or 3')
    assert error.told() == ("--n-resamples is 0", "--select best, or 3")
    assert error.__notes__ == ['hint: select="best", or 3']  # below the error in a traceback
    again = pickle.loads(pickle.dumps(error))
    assert (again.problem, again.hint, again.told()) == (error.problem, error.hint, error.told())
    error.sources = {"--n-resamples": "BBC_N_RESAMPLES in the environment"}
    assert error.told()[0] == "BBC_N_RESAMPLES in the environment is 0"


def test_what_looks_like_a_parameter_is_escaped():
    error = InputError("a \x02b\x03 c", value="\x02d\x1f--e\x03")
    assert error.problem == error.told()[0] == r"a \x02b\x03 c (value '\x02d\x1f--e\x03')"


def option_errors():
    """File, and texts, of every OptionError in the rooms that Python calls."""
    alone = ("cli", "use_cases", "batch", "documents/gate.py", "reports")
    for path in sorted(PACKAGE.rglob("*.py")):
        where, text = str(path.relative_to(PACKAGE)), path.read_text()
        if where.startswith(alone) or "OptionError(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "OptionError":
                texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
                yield where, [text for text in texts if isinstance(text, str)]


def test_no_option_error_of_python_names_a_flag():
    found = list(option_errors())
    assert len(found) > 60
    flags = {
        (where, text) for where, texts in found for text in texts if re.search("--[a-z]", text)
    }
    in_words_of_the_command_line = {
        ("platform/resources.py", "--memory "),  # 256MB
        ("reading/__init__.py", "--runner dask can't read "),
    }
    assert flags <= in_words_of_the_command_line


@pytest.mark.parametrize(
    ("call", "said", "told"),
    [
        (lambda: Plan(cap=2), "cap is 2", "--cap is 2"),
        (lambda: drop(MATRIX, METRIC, threshold=2), "threshold is 2", "--confidence is 2"),
        (lambda: drop(MATRIX, METRIC, threshold="2"), "threshold is '2'", "--threshold is '2'"),
        (lambda: drop(MATRIX, METRIC, min_samples=-1), "min_samples is", "--min-samples is -1"),
        (lambda: drop(MATRIX, METRIC, min_samples=None), "min_samples is None", "--min-samples"),
        (lambda: replay(MATRIX, METRIC, n_orders=0), "n_orders is 0", "--orders is 0"),
        (lambda: replay(MATRIX, METRIC, order=["9"]), "order 9 is not", "--fold-order 9 is not"),
        (lambda: against_baseline(MATRIX, METRIC, PLAN, NAMES[0], margin=-1), "margin is -1",
         "--margin is -1"),
        (lambda: against_baseline(MATRIX, METRIC, PLAN, NAMES[0], margin="x"), "margin is 'x'",
         "--margin is 'x'"),
        (lambda: compare_pairs(MATRIX, METRIC, PLAN, [NAMES[:2]], rope="x"), "rope is 'x'",
         "--rope is 'x'"),
        (lambda: compare_across(TABLE, "abc", list("uvwxyz"), METRIC, level=95), "level is 95",
         "--level is 95"),
        (lambda: Study("noisy", n_samples="9"), "n_samples is '9'", "--samples is '9'"),
        (lambda: Study("noisy", n_classes=4), "n_classes does not", "--classes does not"),
        (lambda: Study("noisy", beta=9), "beta is 9, not two", "--beta is 9, not two"),
        (lambda: matrix_of(GAPS, bounds=3), "bounds is 3, not two", "--bounds is 3, not two"),
        (lambda: read("x.csv", unfinished="no"), "unfinished is 'no'", "--unfinished is 'no'"),
        (lambda: MATRIX.with_threshold("x"), "threshold is 'x'", "--threshold is 'x'"),
        (lambda: Outcome(Task.SCORE, np.zeros(3), bounds=1), "bounds is 1", "--bounds is 1"),
    ],
)  # fmt: skip
def test_the_parameter_is_named_everywhere(call, said, told):
    with pytest.raises(OptionError) as caught:
        call()
    assert caught.value.problem.startswith(said)
    assert caught.value.told()[0].startswith(told)


def test_a_flag_a_variable_and_a_file_are_named(run, tmp_path, monkeypatch):
    path = table(tmp_path, [("n", 0.1, 0.2), ("y", 0.8, 0.7)])
    monkeypatch.chdir(tmp_path)
    wrong = "is 95, not between 0 and 1\nhint: --level 0.95\n"
    assert run("correct", str(path), "--level", "95") == (2, "", f"error: --level {wrong}")
    monkeypatch.setenv("BBC_LEVEL", "95")
    said = f"error: BBC_LEVEL in the environment {wrong}"
    assert run("correct", str(path)) == (2, "", said)
    assert run("correct", str(path), "--level=95")[2] == f"error: --level {wrong}"
    monkeypatch.delenv("BBC_LEVEL")
    (tmp_path / "bbc.toml").write_text("seed = 3\n[correct]\nlevel = 95\n")
    said = f"error: correct.level in {tmp_path / 'bbc.toml'} {wrong}"
    assert run("correct", str(path)) == (2, "", said)
    (tmp_path / "own.toml").write_text("level = 95\n")
    assert run("--config", "own.toml", "correct", str(path))[2].startswith(
        "error: level in own.toml"
    )
    assert run("correct", str(path), "--level", "0.9", "--seed", "-1")[2].startswith(
        "error: --seed is"
    )
