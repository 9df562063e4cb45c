"""Sample weights: whose column they are, what is said of them, and what they leave of N."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import daily, swept
from documents import codes
from reading import refused

from bbccli import METRICS, matrix_of
from bbccli.domain.outcome import Outcome, effective_size
from bbccli.platform.text import figure
from bbccli.reading import Roles, read
from bbccli.types import Task

N = 60
RNG = np.random.default_rng(1)
TRUTH = RNG.permutation(np.arange(N) % 2)
SCORES = {f"m{c}": np.round(RNG.normal(size=N) + TRUTH, 4) for c in range(5)}
BODY = np.round(RNG.normal(75, 12, N), 1)
ONE = np.where(np.arange(N) == 7, 1000.0, 1.0)
OF_WEIGHTS = {"weight-by-name", "uneven-weights"}


def table(weights=None, name="weight", metadata=None):
    columns = {"truth": TRUTH, "fold": np.arange(N) % 5}
    columns |= {} if weights is None else {name: weights}
    found = pa.table({**columns, **SCORES})
    if metadata is None:
        return found
    said = {"spec": "bbc-predictions", "version": "1", **metadata}
    return found.replace_schema_metadata({"bbc": json.dumps(said)})


def long_table(weights):
    columns = {"truth": TRUTH, "row_id": np.arange(N), "weight": weights}
    tables = [
        pa.table({**columns, "config": [name] * N, "score": values})
        for name, values in SCORES.items()
    ]
    return pa.concat_tables(tables)


def on_weights(matrix):
    return OF_WEIGHTS & {*codes(matrix)}


@pytest.fixture
def body(save):
    return save("body.csv", {"truth": TRUTH, "weight": BODY, **SCORES})


@pytest.mark.parametrize(
    "name", daily(["weight", "weights", "sample_weight", "Weight"], ["weight"])
)
def test_a_column_that_weights_by_its_name_is_noted(name):
    matrix = read(table(BODY, name))
    assert on_weights(matrix) == {"weight-by-name"}
    (note,) = [note for note in matrix.notes if note.code == "weight-by-name"]
    assert f"column {name}," in note.text
    assert f"--weight {name}" in note.remedy
    assert matrix.source.weight == name
    assert on_weights(read(long_table(BODY))) == {"weight-by-name"}


@pytest.fixture
def converted(run, tmp_path):
    def converted(table, *options):
        """The converted table, as a file."""
        pq.write_table(table, tmp_path / "p.parquet")
        run.printed("convert", tmp_path / "p.parquet", "-o", tmp_path / "c.parquet", *options)
        return tmp_path / "c.parquet"

    return converted


def test_weights_that_somebody_named_are_not_noted(converted):
    assert not on_weights(read(table(BODY), roles=Roles(weight="weight")))
    assert not on_weights(read(table(BODY, "kg", {"weight": "kg"})))
    assert not on_weights(matrix_of(np.stack(list(SCORES.values()), 1), TRUTH, weights=BODY))
    again = read(converted(table(BODY), "--layout", "long"))
    assert (again.source.weight, again.source.metadata["weight"]) == ("weight", "weight")
    assert not on_weights(again)


def test_weights_of_caret_are_its_own():
    columns = {"pred": RNG.normal(size=N), "obs": RNG.normal(size=N), "weights": BODY}
    columns |= {"rowIndex": np.arange(1, N + 1), "Resample": [f"Fold{i % 5}" for i in range(N)]}
    plain, asked = (read(pa.table(columns), roles=Roles(weight=name)) for name in (None, "weights"))
    assert plain.outcome.weights is None  # a fit counted them, and caret's scores don't
    assert np.array_equal(asked.outcome.weights, BODY)
    assert plain.configurations == asked.configurations
    assert not on_weights(plain) | on_weights(asked)


def test_the_metadata_name_the_column():
    matrix = read(table(BODY, "kg", {"weight": "kg"}))
    assert matrix.source.weight == "kg"
    assert np.array_equal(matrix.outcome.weights, BODY)
    assert "kg" not in matrix.configurations
    other = table(BODY, "kg", {"weight": "mass"})
    refused("metadata's weight is 'mass', which is not a column", other)
    refused("'weight' must be a JSON text", table(BODY, "kg", {"weight": 1}))


@pytest.mark.parametrize("metadata", [None, {"weight": "weight"}])
def test_unweighted_is_as_without_the_column(converted, metadata):
    weighted = table(BODY, metadata=metadata)
    found, plain = read(weighted, unweighted=True), read(table())
    assert (found.outcome.weights, found.source.weight) == (None, None)
    assert found.configurations == plain.configurations
    assert np.array_equal(found.predictions, plain.predictions)
    again = converted(weighted, "--unweighted")
    assert "weight" not in {*read(again).source.metadata, *pq.read_schema(again).names}


@pytest.mark.parametrize("hint", [("--weight", "weight"), ("--unweighted",)])
def test_the_hints_can_be_followed(run, body, hint):
    out = run.printed("correct", body, *hint, "--n-resamples", 40)
    assert "found by its name" not in out
    assert ("weighted by weight" in " ".join(out.split())) == (hint[0] == "--weight")


@pytest.mark.parametrize("wrong", daily(["0", "-3", "uniform", ""], ["0"]))
def test_what_is_no_weight_says_how_to_leave_it_alone(run, save, wrong):
    path = save("p.csv", {"truth": TRUTH, "weight": [wrong, *BODY[1:]], **SCORES})
    err = run.refused("correct", path)
    assert "--unweighted" in err
    assert run("correct", path, "--unweighted", "--n-resamples", 40)[0] == 0


@pytest.mark.parametrize(
    "command", daily(["correct", "leaderboard", "compare", "plan", "drop"], ["correct"])
)
def test_the_first_line_says_by_which_column(run, save, command):
    words = {"plan": ["--width", "0.2"], "drop": ["--replay"]}.get(command, [])
    columns = {"truth": TRUTH, "fold": np.arange(N) % 5, "weight": BODY, **SCORES}
    path = save("b.csv", columns)
    out = run.printed(command, path, *words)
    assert "weighted by weight, AUC" in " ".join(out.split())[:600]
    assert "weighted by" not in run(command, path, "--unweighted", *words)[1]


def test_the_document_has_column_and_effective_number(run, body):
    found = json.loads(run("correct", body, "--n-resamples", 40, "--format", "json")[1])
    expected = BODY.sum() ** 2 / (BODY**2).sum()
    assert found["input"]["weights"] == {"column": "weight", "n_effective": pytest.approx(expected)}
    again = run("correct", body, "--unweighted", "--n-resamples", 40, "--format", "json")[1]
    assert json.loads(again)["input"]["weights"] is None
    sentence = " ".join(run("correct", body, "--n-resamples", 40)[1].split())
    assert f"N = 60, weighted by weight, effective N {expected:.1f}; BBC" in sentence


def test_inspect_names_the_weights(run, body):
    _, out, _ = run("inspect", body)
    assert "found by its name" in " ".join(out.split())
    _, out, _ = run("inspect", body, "--weight", "weight", "--notes", "all")
    expected = figure(effective_size(BODY))
    assert f"effective sample size is {expected}" in " ".join(out.split())


def test_a_few_heavy_samples_are_noted():
    named = Roles(weight="weight")
    (note,) = read(table(ONE), roles=named).notes
    assert note.code == "uneven-weights"
    assert "30 samples of class 0 count like" in note.text
    assert not on_weights(read(table(np.exp(RNG.normal(size=N) / 2)), roles=named))
    groups = pa.array([f"patient {i // 2}" for i in range(N)])
    found = read(table(ONE).append_column("group", groups), roles=named)
    assert any("groups of class" in note.text for note in found.notes)


def test_weights_that_balance_the_classes_are_even():
    truth = np.arange(100) < 5
    scores = RNG.normal(size=(100, 2))
    matrix = matrix_of(scores, truth.astype(int), weights=np.where(truth, 19.0, 1.0))
    assert effective_size(matrix.outcome.weights) < 100 / 3
    assert not on_weights(matrix)


def slow_size(weights):
    total = squares = 0.0
    for weight in weights:
        total, squares = total + weight, squares + weight * weight
    return total * total / squares


EVERY_SAMPLE = METRICS["accuracy"].rests_on
EACH_CLASS = METRICS["balanced-accuracy"].rests_on


def test_effective_sizes_are_those_of_a_loop():
    truth, weights = np.arange(40) % 2, RNG.lognormal(size=40)
    outcome = Outcome(Task.BINARY, truth, ("a", "b"), weights=weights)
    none, there = np.zeros(40), np.arange(40) < 25
    of_classes = [slow_size(weights[truth == code]) for code in (0, 1)]
    for found, expected in (
        (EVERY_SAMPLE.n_units(outcome, none), slow_size(weights)),
        (EACH_CLASS.n_units(outcome, none), min(of_classes)),
        (EVERY_SAMPLE.n_units(outcome, none, available=there), slow_size(weights[there])),
    ):
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weight", [1.0, swept(0.1), swept(1e200), swept(3e-180)])
def test_equal_weights_leave_the_number_as_it_is(weight):
    outcome = Outcome(Task.BINARY, np.arange(37) % 2, ("a", "b"), weights=np.full(37, weight))
    groups = np.repeat(np.arange(10), [1, 2, 3, 4, 5, 6, 7, 3, 4, 2])
    assert EVERY_SAMPLE.n_units(outcome, np.zeros(37)) == 37
    assert EACH_CLASS.n_units(outcome, np.zeros(37)) == 18
    assert EVERY_SAMPLE.n_units(outcome, np.zeros(37), groups=groups) == 10


def test_groups_are_never_more_than_there_are():
    groups = np.repeat(np.arange(10), np.arange(1, 11))
    even = effective_size(1.0 / np.repeat(np.arange(1, 11), np.arange(1, 11)), groups)
    assert even == 10
    heavy = np.where(groups == 9, 1000.0, 1.0)
    assert effective_size(heavy, groups) < 2
