"""Whatever the bytes: a matrix or an error that names the remedy, and an inspection that agrees."""

from random import Random

import numpy as np
import pytest
from fuzz import seeds
from fuzz.commands import predictions
from fuzz.mutations import CELLS, HEADS, mutated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.analysis.inspection import Status, inspect
from bbccli.errors import BbcError
from bbccli.readers import DIALECTS, Request, read

SUFFIXES = [".parquet", ".csv", ".tsv", ".csv.gz", ".csv.zst", ""]
LABELS = b"row_id,truth\n0,x\n1,y\n2,x\n"

often = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def try_reading(folder, files, paths, **options):
    """Read what the files hold; let no error but ours escape, and compare with an inspection."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    paths = [folder / path for path in paths]
    source = paths[0] if len(paths) == 1 else paths
    options = {k: folder / v if k in ("labels", "folds") else v for k, v in options.items()}
    try:
        matrix = read(source, **options)
    except BbcError as error:
        assert error.hint
        assert "\n" not in error.hint
        problem = error.problem
    else:
        assert np.isfinite(matrix.predictions).all()
        problem = ""
    found = inspect(source, Request(**options))
    errors = [one for one in found.findings if one.status is Status.ERROR]
    assert bool(errors) == bool(problem), (problem, errors)


@pytest.mark.parametrize("suffix", SUFFIXES)
@often
@given(data=st.binary(max_size=200))
def test_random_bytes(tmp_path, suffix, data):
    try_reading(tmp_path, {f"m{suffix}": data}, [f"m{suffix}"])


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files(tmp_path, seed):
    """Wide, long, of other tools, nested, several; as text, packed, Parquet and ARFF."""
    for number in range(examples(60)):
        paths, files = predictions(Random(f"{seed} {number}"))
        (tmp_path / f"{number}").mkdir()
        try_reading(tmp_path / f"{number}", files, paths)


@pytest.mark.parametrize("role", ["labels", "folds"])
def test_mutated_files_beside_others(tmp_path, role):
    whole = {"labels": seeds.LABELS, "folds": seeds.FOLDS}[role]
    for number in range(examples(60)):
        data = mutated(whole, "o.csv", Random(f"{role} {number}"))
        files = {"m.csv": seeds.wide()["binary"], "o.csv": data}
        try_reading(tmp_path, files, ["m.csv"], **{role: "o.csv"})


@st.composite
def tables(draw):
    """Text tables of likely names and unlikely cells."""
    names = draw(st.lists(st.sampled_from(HEADS), min_size=1, max_size=6))
    rows = [[draw(st.sampled_from(CELLS)) for _ in names] for _ in range(draw(st.integers(1, 5)))]
    return "\n".join(",".join(row) for row in [names, *rows]).encode()


@often
@given(
    data=tables(),
    dialect=st.sampled_from([None, "wide", *DIALECTS]),
    beside=st.sampled_from([{}, {"labels": "o.csv"}, {"folds": "o.csv"}]),
    turned=st.booleans(),
)
def test_strange_tables(tmp_path, data, dialect, beside, turned):
    other = seeds.wide()["binary"] if turned else LABELS
    files = {"m.csv": data, "o.csv": other}
    if turned:
        files = {"m.csv": other, "o.csv": data}
    try_reading(tmp_path, files, ["m.csv"], dialect=None if turned else dialect, **beside)


@often
@given(text=st.text(max_size=100))
def test_strange_metadata(tmp_path, text):
    data = text.encode("utf-8", "surrogatepass")
    try_reading(tmp_path, {"m.meta.json": data, "m.csv": seeds.wide()["binary"]}, ["m.csv"])
