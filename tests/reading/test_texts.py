"""Columns that say what a row is of, and when."""

from datetime import date, timedelta

import numpy as np
import pytest
from documents import codes
from reading import refused

from bbccli.reading import Roles, read

RNG = np.random.default_rng(8)
N = 60
TRUTH = RNG.normal(50, 8, N)
MODELS = {name: TRUTH + RNG.normal(size=N) for name in ("ARIMA", "ETS")}
DAYS = [date(2024, 1, 1) + timedelta(days=i) for i in range(N)]


def of_rows(matrix):
    return [note.text for note in matrix.notes if note.code == "row-numbers"]


TEXTS = {
    "dates": [f"{day}" for day in DAYS],
    "days first": [f"{day:%d.%m.%Y}" for day in DAYS],
    "hours": [f"{day} 06:30:00" for day in DAYS],
    "a month of each": [f"{day:%Y-%m}-01" for day in DAYS],
    "sentences": [f"what is {i} + {i % 7}?" for i in range(N)],
    "SMILES": ["C" * (1 + i % 40) + "N" for i in range(N)],
    "one series": ["Air"] * N,
}


@pytest.mark.parametrize("values", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("first", [True, False])
def test_is_set_aside(save, values, first):
    columns = {"what": values, "y": TRUTH, **MODELS}
    path = save("t.csv", columns if first else dict(reversed(columns.items())))
    matrix = read(path)
    assert {*matrix.configurations} == {*MODELS}
    assert any("what" in text for text in of_rows(matrix))


OTHERS = {
    "marked numbers": [f"{value:.3f}*" for value in TRUTH],
    "bounded numbers": [f"<{value:.2f}" for value in TRUTH],
    "decimal commas and a word": ["n. a.", *(f"{v:.2f}".replace(".", ",") for v in TRUTH[1:])],
    "a gap": ["", *TEXTS["sentences"][1:]],
    "sites": [f"site {i % 4}" for i in range(N)],
}


@pytest.mark.parametrize("values", OTHERS.values(), ids=OTHERS)
def test_is_refused(save, values):
    error = refused("is text|decimal|number", save("t.csv", {"svm": values, "y": TRUTH, **MODELS}))
    assert error.column == "svm"


def test_that_is_matched_by_position_is_refused(save):
    """Rows of two files may be in another order."""
    path = save("t.csv", {"what": TEXTS["sentences"], **MODELS})
    refused("what", path, labels=save("l.csv", {"y": TRUTH}), hint="--row-id what")


def test_is_no_constant_label(save):
    truth = [*"ab"] * 30
    labels = {"never": ["a"] * N, "svm": RNG.permutation(truth), "y": truth}
    assert {*read(save("t.csv", labels)).configurations} == {"never", "svm"}


def forecasts(n_series=4, n_origins=3, horizon=5, *, step=5, numbers=False):
    """What statsforecast and Prophet write: a row per series, origin and time ahead."""
    s, o, h = (one.ravel() for one in np.indices((n_series, n_origins, horizon)))
    origin, later = o * step, o * step + h + 1
    when = int if numbers else (lambda i: f"{date(2024, 1, 1) + timedelta(int(i))}")
    truth = RNG.normal(50, 8, len(s)).round(3)
    return {
        "unique_id": [f"H{i}" for i in s],
        "ds": [when(i) for i in later],
        "cutoff": [when(i) for i in origin],
        "y": truth,
        **{name: (truth + RNG.normal(size=len(s))).round(3) for name in MODELS},
    }


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("step", [2, 5], ids=["overlapping", "apart"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_origins_of_forecasts_are_folds(save, numbers, step, suffix):
    columns = forecasts(n_series=8, step=step, numbers=numbers)
    path = save(f"cv.{suffix}", columns)
    matrix = read(path)
    assert matrix.configurations == tuple(MODELS)
    assert (matrix.n_samples, len(matrix.fold_names)) == (120, 3)
    assert any("origins of forecasts, cutoff; ds" in text for text in of_rows(matrix))
    (doubt,) = [note for note in matrix.notes if note.code == "groups-likely"]
    assert "--group unique_id" in doubt.remedy
    for roles in (Roles(group="unique_id"), Roles(group="unique_id", fold="cutoff")):
        grouped = read(path, roles=roles, exclude=["ds"] if roles.fold and not numbers else [])
        assert (len(set(grouped.groups)), len(grouped.fold_names)) == (8, 3)
        # the future of a series is not its past
        assert not {"group-spans-folds", "groups-likely"} & {*codes(grouped)}


def test_origins_of_one_series(save):
    columns = forecasts(n_series=1, n_origins=6)
    del columns["unique_id"]
    matrix = read(save("cv.csv", columns))
    assert (matrix.configurations, len(matrix.fold_names)) == (tuple(MODELS), 6)


def test_other_pairs_of_times_are_no_origins(save):
    columns = forecasts(n_series=1, n_origins=6) | {"unique_id": [f"P{i}" for i in range(30)]}
    for change in (
        {"cutoff": [f"2023-12-{1 + i:02}" for i in range(30)]},  # each has a start of its own
        {"cutoff": sorted(columns["ds"], reverse=True)},  # not before
        {"ds": [f"2024-02-{1 + i % 2:02}" for i in range(30)]},  # rows with the same two times
    ):
        matrix = read(save("cv.csv", columns | change))
        assert {*matrix.configurations} == {*MODELS}
        assert not matrix.fold_names
    alone = {name: columns[name] for name in ("ds", "cutoff", "y")}
    refused("text", save("alone.csv", alone))


def test_lists_in_cells_name_the_columns_to_write(save):
    """As pandas writes the probabilities of all classes."""
    lists = [f"[{k / 90:.3f}, {1 - k / 90:.3f}]" for k in range(60)]
    path = save("m.csv", {"truth": [k % 3 for k in range(60)], "probs": lists})
    refused("list in text", path, hint="one column 'config::class' per class")
