"""Whatever the file: a matrix or an error that names the remedy, and an inspection that agrees."""

import re
from random import Random

import numpy as np
import pytest
from day import daily
from fuzz import seeds
from fuzz.commands import predictions
from fuzz.mutations import CELLS, HEADS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from bbccli.errors import BbcError
from bbccli.reading import DIALECTS, Request, read
from bbccli.use_cases.inspection import Status, inspect

LABELS = b"row_id,truth\n0,x\n1,y\n2,x\n"

often = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def without_place(text):
    """A message without the row, which an inspection names by its line."""
    return re.sub(r"\b(row|line) \d+", "row", text)


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
        problem, place = without_place(error.told()[0]), getattr(error, "row", None)
    else:
        assert np.isfinite(matrix.predictions).all()
        problem = ""
        alone = matrix.n_samples == 1 or (matrix.groups is not None and not np.ptp(matrix.groups))
    found = inspect(source, Request(**options))
    errors = [one.text for one in found.findings if one.status is Status.ERROR]
    told = [(without_place(one.text), one.row) for one in found.findings]
    if not problem and alone:  # it can be read, but nothing can be drawn from it
        assert [text.partition(" can be used")[0] for text in errors] in (
            ["almost no resample of the samples"],
            ["almost no resample of the groups"],
        )
        return
    agrees = not errors
    if problem:
        agrees = any(problem in text and place == row for text, row in told)
    assert agrees, (problem, errors)


@pytest.mark.parametrize("seed", daily(range(4), [0]))
def test_mutated_files(tmp_path, seed):
    """Wide, long, of other tools, nested, several; as text, packed, Parquet and ARFF."""
    for number in range(examples(60)):
        paths, files = predictions(Random(f"{seed} {number}"))
        (tmp_path / f"{number}").mkdir()
        try_reading(tmp_path / f"{number}", files, paths)


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
