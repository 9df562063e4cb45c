"""What is converted reads as the same matrix, whatever the layout and the format."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from reading import assert_same
from thorough import examples

from bbccli import BbcError, read
from bbccli.errors import InputError
from bbccli.reading import Roles
from bbccli.types import Missing, TableLayout

DATA = Path(__file__).parents[1] / "data"
SUFFIXES = [".parquet", ".csv", ".tsv", ".csv.gz", ".csv.zst", ".tsv.gz"]
NAMES = st.one_of(
    st.sampled_from(
        ["a", "svm C=1", "config", "score", "y", "fold2", "a::b", "1", "x,y", 'q"', "é;"]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=6),
).filter(lambda name: name.strip() == name != "")
TEXTS = st.sampled_from(["no", "yes", "a b", "x,1", "ü", "c-d", "it's", "0x", "Z"])
WORDS = ["no", "yes", "yes"]

often = settings(
    max_examples=examples(20),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def wide_tables(draw):
    """Tables that a wide file may hold: columns, and ids of the configurations."""
    n, n_repeats = draw(st.integers(3, 6)), draw(st.integers(1, 2))
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    keys = draw(st.lists(TEXTS, min_size=n, max_size=n, unique=True) | st.just(list(range(n))))
    task = draw(st.sampled_from(["scores", "labels", "classes", "values", "survival"]))
    columns = {"row_id": keys * n_repeats}
    if n_repeats > 1 or draw(st.booleans()):
        columns["repeat"] = [r for r in range(n_repeats) for _ in range(n)]
    if draw(st.booleans()):
        columns["fold"] = [draw(st.sampled_from(["f1", "f2"])) for _ in range(n * n_repeats)]
    if draw(st.booleans()):
        columns["group"] = [i // 2 for i in range(n)] * n_repeats
    if draw(st.booleans()):
        columns["weight"] = [draw(st.floats(0.125, 4)) for _ in range(n)] * n_repeats
    classes = draw(st.lists(TEXTS, min_size=2, max_size=3, unique=True))
    truth = [classes[i % len(classes)] for i in range(n)]
    number = st.floats(-1e6, 1e6) | st.floats(0, 1)
    ids = tuple(names)
    if task == "survival":
        columns |= {
            "time": [0.5 * i for i in range(n)] * n_repeats,
            "event": [i % 2 for i in range(n)] * n_repeats,
        }
    elif task == "values":
        columns["truth"] = [0.3 * i + draw(st.floats(0, 1)) for i in range(n)] * n_repeats
    else:
        columns["truth"] = truth * n_repeats
    cell = st.sampled_from(classes) if task == "labels" else number
    cell = cell | st.none() if draw(st.booleans()) else cell
    if task == "classes":
        names = [f"{name}::{k}" for name in names for k in classes]
    elif task == "scores":
        assume(len(classes) == 2)
    for name in names:
        assume(name.casefold() not in {"row_id", "repeat", "fold", "truth", "time", "event"})
        assume(name.casefold() not in {"group", "weight", "outer_fold"})
        values = [draw(cell) for _ in range(n * n_repeats)]
        kind = pa.string() if task == "labels" else pa.float64()
        if kind == pa.float64() and n % 2:
            kind = pa.float32()
        columns[name] = pa.array(values, kind)
    return columns, ids


def written(folder, columns, ids):
    """A Parquet file of a table, with metadata that name the configurations."""
    metadata = {"spec": "bbc-predictions", "version": "1", "configs": [{"id": i} for i in ids]}
    path = folder / "in.parquet"
    table = pa.table(columns).replace_schema_metadata({"bbc": json.dumps(metadata | {"own": [1]})})
    pq.write_table(table, path)
    return path


@often
@given(made=wide_tables(), suffix=st.sampled_from(SUFFIXES), layout=st.sampled_from(TableLayout))
@example(made=({"truth": WORDS, "a": WORDS[::-1]}, ("a",)), suffix=".csv", layout=TableLayout.LONG)
def test_nothing_is_lost(run, tmp_path_factory, made, suffix, layout):
    folder = tmp_path_factory.mktemp("converted")
    source, path = written(folder, *made), folder / f"out{suffix}"
    try:
        before = read(source, missing=Missing.AVAILABLE)
    except BbcError:
        assume(False)
    how = ("-q", "--layout")
    status, _, err = run("convert", source, *how, layout, "-o", path)
    if status:
        assert suffix != ".parquet" and "write .parquet" in err
        return
    after = read(path, missing=Missing.AVAILABLE)
    assert_same(before, after, dtype=False)
    assert after.source.metadata["own"] == [1]
    first, again = folder / "first.parquet", folder / "again.parquet"
    run.printed("convert", path, *how, "wide", "-o", again)
    again = pq.read_table(again)
    assert json.loads(again.schema.metadata[b"bbc"])["configs"] == [{"id": i} for i in made[1]]
    if suffix == ".parquet":
        run.printed("convert", source, *how, "wide", "-o", first)
        assert pq.read_table(first).to_pydict() == again.to_pydict()


@pytest.mark.parametrize("layout", list(TableLayout))
def test_classes_and_repeats(run, samples, tmp_path, layout):
    for source in (samples / "digits.parquet", DATA / "caret_knn.csv"):
        run.printed("convert", source, "--layout", layout, "-o", tmp_path / "out.parquet")
        assert_same(read(source), read(tmp_path / "out.parquet"), dtype=False)


@pytest.mark.parametrize("layout", list(TableLayout))
def test_nested_predictions(run, tmp_path, layout):
    rows = [
        f"p{i},{outer},{'' if i % 2 == outer else i // 2 % 2},{'xy'[i // 4]},{i / 8},{i / 9}"
        for outer in (0, 1)
        for i in range(8)
    ]
    source = tmp_path / "in.csv"
    source.write_text("\n".join(["row_id,outer_fold,fold,truth,a,b", *rows]))
    run.printed("convert", source, "--layout", layout, "-o", tmp_path / "out.csv")
    a, b = read(source), read(tmp_path / "out.csv")
    assert_same(a, b, dtype=False)
    for x, y in zip(a.nested, b.nested, strict=True):
        for name in ("training", "test", "predictions", "folds"):
            assert_array_equal(getattr(x, name), getattr(y, name))


def test_what_was_understood_stays(run, tmp_path):
    source, labels, path = (tmp_path / f"{name}.csv" for name in ("in", "labels", "out"))
    labels.write_text("answer\n1\n0\n1\n0\n")
    source.write_text("a,b\n0.1,0.2\n0.3,0.4\n0.5,0.6\n0.7,0.8\n")
    run.printed(
        *("convert", source, "--positive", "0", "--labels", labels),
        *("--layout", "long", "-o", path),
    )
    assert read(path).outcome.classes == ("1", "0")
    assert path.read_text().splitlines()[:2] == ["row_id,truth,config,score", "0,1,a,0.1"]
    metadata = json.loads((tmp_path / "out.meta.json").read_text())
    assert (metadata["layout"], metadata["positive_class"]) == ("long", "0")


def test_configurations_with_the_names_of_roles(run, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("config,truth,score\ntruth,0,0.1\ntruth,1,0.2\nfold,0,0.3\nfold,1,0.4\n")
    for name in ("out.csv", "out.parquet"):
        run.printed("convert", source, "-o", tmp_path / name)
        assert_same(read(source), read(tmp_path / name), dtype=False)
    assert (tmp_path / "out.csv").read_text().startswith("truth,truth (predictions),fold\n")


def test_metadata_say_what_columns_are(save, tmp_path):
    columns = {"a": [0, 1, 0, 1], "weight": [0.1, 0.9, 0.3, 0.6], "fold": [0.2, 0.8, 0.4, 0.7]}
    declared = {"a": {"role": "truth"}, "weight": {"config": "fold"}, "fold": {"config": "weight"}}
    about = {"spec": "bbc-predictions", "version": "1", "columns": declared}
    matrix = read(save("in.csv", columns, about))
    assert (matrix.configurations, matrix.outcome.weights) == (("fold", "weight"), None)
    assert matrix.predictions[0, :, 0].tolist() == columns["weight"]
    other = read(save("in.csv", columns, about), roles=Roles(weight="fold"))
    assert (other.configurations, other.outcome.weights.tolist()) == (("fold",), columns["fold"])
    classes = {"p": {"config": "x::0", "class": "1"}, "q": {"config": "x::0", "class": "0"}}
    columns = {"truth": [0, 1, 0, 1], "p": [0.1, 0.9, 0.3, 0.6], "q": [0.9, 0.1, 0.7, 0.4]}
    matrix = read(save("in.csv", columns, about | {"columns": classes}))
    assert matrix.configurations == ("x::0",)
    assert matrix.predictions[0, :, 0].tolist() == columns["p"]
    columns = {"a": [0, 1, 0, 1], "weight": [0.1, 0.9, 0.3, 0.6], "fold": [0.2, 0.8, 0.4, 0.7]}
    for wrong, words in (
        ({"b": {"role": "truth"}}, "the metadata's truth is 'b', which is not a column"),
        ({"a": {"role": 1}}, "'columns', 'a', must be a JSON object with"),
        ({"a": "truth"}, "'columns', 'a', must be a JSON object with"),
        (["a"], "metadata key 'columns' must be a JSON object"),
    ):
        with pytest.raises(InputError, match=words):
            read(save("in.csv", columns, about | {"columns": wrong}))


@pytest.mark.sweep
def test_command_line(run, samples, tmp_path):
    source = samples / "progression.parquet"
    status, out, err = run("convert", source, "--layout", "long", "-o", tmp_path / "out.csv.gz")
    assert (status, out) == (0, "")
    assert "harmless: 6 configurations repeat" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv.gz", "out.meta.json"]
    assert run("correct", tmp_path / "out.csv.gz", "-q")[0] == 0
    status, out, _ = run("convert", source, "-q")
    assert (status, out.split(",")[:2]) == (0, ["row_id", "fold"])
    for name in ("out.xlsx", "out", "out.parquet.gz", "out.arff"):
        assert "is not the name of a table" in run.refused("convert", source, "-o", tmp_path / name)
    status, _, err = run("convert", source, "-o", tmp_path / "none" / "out.csv")
    assert "its folder does not exist" in err
    if os.geteuid():
        tmp_path.chmod(0o500)
        assert run("convert", source, "-o", tmp_path / "out.csv")[0] == 2
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_bounds_of_scores_travel_with_the_table(run, tmp_path, suffix):
    source, target = tmp_path / "marks.csv", tmp_path / f"converted{suffix}"
    source.write_text("row_id,m1,m2\na,1,4.5\nb,2,3\nc,5,2\n")
    run.printed("convert", source, "--task", "score", "--bounds", "1,5", "-o", target)
    back = read(target)
    assert (back.outcome.bounds, str(back.task)) == ((1.0, 5.0), "score")
    assert_array_equal(back.predictions[0], [[1, 4.5], [2, 3], [5, 2]])


def test_a_name_with_a_quote_keeps_the_quotes_of_the_header(run, tmp_path):
    table = pa.table(
        {"truth": [0, 1, 0, 1], 'a"b': [0.1, 0.9, 0.2, 0.7], "z": [0.3, 0.4, 0.6, 0.5]}
    )
    source, target = tmp_path / "q.parquet", tmp_path / "q.csv"
    pq.write_table(table, source)
    assert run("convert", source, "-o", target, "-q")[0] == 0
    assert target.read_text().splitlines()[0] == '"truth","a""b","z"'
    assert read(target).configurations == ('a"b', "z")
    assert_array_equal(read(target).predictions, read(source).predictions)


def test_keys_with_leading_zeros_stay_as_they_are(run, tmp_path):
    source, target = tmp_path / "q.csv", tmp_path / "r.csv"
    source.write_text("row_id,truth,a\n007,0,0.1\n010,1,0.2\n008,1,0.3\n")
    assert run("convert", source, "-o", target, "-q")[0] == 0
    assert read(target).keys.tolist() == ["007", "010", "008"]


@pytest.mark.parametrize("name", ["row_id", "truth"])
def test_text_that_reads_as_numbers_is_not_written_as_text(run, tmp_path, name):
    columns = {"row_id": [0, 1, 2, 3], "truth": [0, 1, 0, 1], "a": [0.1, 0.9, 0.2, 0.7]}
    columns[name] = ["01", "1", "2", "3"] if name == "row_id" else ["01", "2", "01", "2"]
    source, target = tmp_path / "q.parquet", tmp_path / "q.csv"
    pq.write_table(pa.table(columns), source)
    assert run("convert", source, "-o", target, "-q") == (
        2,
        "",
        "error: names or values of the table cannot be distinguished in CSV, such as text that "
        "reads as a number or as missing\nhint: write .parquet\n",
    )
    assert not target.exists()
    assert run("convert", source, "-o", tmp_path / "out.parquet", "-q") == (0, "", "")
