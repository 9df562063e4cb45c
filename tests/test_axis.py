"""Columns that are epochs, or seeds, of one configuration."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from day import swept

import bbccli
from bbccli import Plan, read
from bbccli.errors import OptionError
from bbccli.metrics import METRICS
from bbccli.notes import Note
from bbccli.recording import Recorder
from bbccli.reports import FORMS
from bbccli.stats.guidance import standing_of
from bbccli.stats.stopping import places_of

N = 120


def drawn(n_epochs, *, drift=True, name="net", start=0):
    """Columns that drift along the epochs, or are exchangeable."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, N)
    own = (y - 0.5) + rng.normal(0, 1, N)
    steps = rng.normal(0, 0.15, (n_epochs, N))
    values = own + (steps.cumsum(axis=0) if drift else steps)
    columns = {f"{name}@{start + k}": 1 / (1 + np.exp(-one)) for k, one in enumerate(values)}
    return y, columns


def saved(path, y, columns, **about):
    frame = pd.DataFrame({"truth": y, "fold": np.arange(N) % 5, **columns})
    frame.to_csv(path / "p.csv", index=False)
    if about:
        text = json.dumps({"spec": "bbc-predictions", "version": "1", **about})
        (path / "p.meta.json").write_text(text)
    return path / "p.csv"


def told(path, metric="log-loss", **options):
    result = bbccli.correct(path, metric=metric, n_resamples=200, **options)
    return result, " ".join(FORMS["table"].render([result.document]).split())


def codes(result):
    return [note["code"] for note in result.document["notes"]]


def axis_in(result):
    return next(one["axis"] for one in result.document["estimates"] if one["method"] == "bbc")


def test_epochs(tmp_path):
    y, columns = drawn(12, start=3)
    result, text = told(saved(tmp_path, y, columns | {"plain": np.full(N, 0.5) - 0.01 * y}))
    axis, winner = axis_in(result), result.estimates[-1].winner
    epoch = winner.partition("@")[2]
    assert (axis["configuration"], axis["name"], axis["value"]) == ("net", "epoch", int(epoch))
    assert f"net at epoch {epoch} scored" in text
    shares = {one["value"]: one["share"] for one in axis["values"]}
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert axis["share"] >= sum(shares.values()) - 1e-9
    first, share = next(iter(shares.items()))
    assert f"epochs that won: {first} {share:.0%}" in text
    assert "epoch-chosen" not in codes(result)


@pytest.mark.parametrize(("n", "drift"), [(8, False), (3, False), (2, True), (1, True)])
def test_numbers_that_no_values_show_to_be_epochs_are_names(tmp_path, n, drift):
    y, columns = drawn(n, drift=drift)
    matrix = read(
        saved(
            tmp_path, y, columns | {"lr@1": columns["net@0"] * 0.9, "lr@2": columns["net@0"] ** 2}
        )
    )
    assert places_of(matrix) == {}
    assert " at " not in told(matrix)[0].winner


def test_numbers_in_unequal_steps_are_a_grid(tmp_path):
    """C = 1, 10, 100: the larger, the more predictions differ, as of epochs."""
    y, columns = drawn(3)
    grid = dict(zip(["C@1", "C@10", "C@100"], columns.values(), strict=True))
    assert places_of(read(saved(tmp_path, y, grid))) == {}


def test_one_configuration_shows_the_epochs_of_all(tmp_path):
    y, columns = drawn(9)
    _, few = drawn(2, name="small")
    places = places_of(read(saved(tmp_path, y, columns | few | {"alone@4": columns["net@0"] ** 2})))
    assert {(one.configuration, one.axis) for one in places.values()} == {
        ("net", "epoch"), ("small", "epoch"),
    }  # fmt: skip


def test_the_order_of_the_columns_does_not_matter(tmp_path):
    y, columns = drawn(12)
    mixed = {name: columns[name] for name in sorted(columns, key=lambda name: hash(name[::-1]))}
    places = places_of(read(saved(tmp_path, y, mixed)))
    assert {one.axis for one in places.values()} == {"epoch"}


@pytest.mark.parametrize(
    "names",
    [
        ["bert@512", "me@home"],
        swept(["a@1", "b@2", "c@3"]),
        swept(["net@x", "net@y"]),
        swept(["net@1", "net@01"]),
        swept(["@1", "@2"]),
        swept(["net@1.5", "net@2.5"]),
    ],
)
def test_names_that_are_no_axis(tmp_path, names):
    y, columns = drawn(3)
    matrix = read(saved(tmp_path, y, dict(zip(names, columns.values(), strict=False))))
    assert places_of(matrix) == {}
    result, text = told(matrix)
    assert axis_in(result) is None
    assert " at epoch " not in text
    assert "epoch-chosen" not in codes(result)


def test_only_the_chosen_epoch_was_kept(tmp_path):
    y, columns = drawn(2)
    about = [{"id": "a", "axis": {"epoch": 12}}, {"id": "b", "axis": {"epoch": 7}}]
    named = dict(zip("ab", columns.values(), strict=True))
    result, text = told(saved(tmp_path, y, named, configs=about))
    axis = axis_in(result)
    assert f"{axis['configuration']} at epoch {axis['value']} scored" in text
    assert codes(result).count("epoch-chosen") == 1
    (note,) = (Note(**one) for one in result.document["notes"] if one["code"] == "epoch-chosen")
    assert note.text.startswith(f"only one epoch of {axis['configuration']} was kept")
    assert f"here there are {N}" in note.text


def test_the_metadata_name_the_axis_and_the_configuration(tmp_path):
    y, columns = drawn(3)
    about = [
        {"id": name, "axis": {"configuration": "big net", "seed": k}}
        for k, name in enumerate(columns)
    ]
    result, text = told(saved(tmp_path, y, columns, configs=about))
    assert "big net at seed" in text
    assert "epoch-chosen" not in codes(result)


@pytest.mark.parametrize(
    "axis",
    [
        3,
        swept("epoch"),
        swept([1]),
        swept({}),
        swept({"epoch": "12"}),
        swept({"epoch": 1, "seed": 2}),
        swept({"epoch": True}),
    ],
)
def test_an_axis_that_is_none(tmp_path, axis):
    y, columns = drawn(1)
    about = [{"id": "net@0", "axis": axis}]
    assert places_of(read(saved(tmp_path, y, columns, configs=about))) == {}


def test_epochs_are_no_guided_search(tmp_path):
    y, columns = drawn(80)
    path = saved(tmp_path, y, columns)
    assert standing_of(read(path), METRICS["log-loss"], Plan()) is None
    renamed = {name.replace("@", " "): one for name, one in columns.items()}
    path = saved(tmp_path, y, renamed)
    assert standing_of(read(path), METRICS["log-loss"], Plan()) is not None


def test_a_recorder_keeps_epochs(tmp_path):
    y, columns = drawn(4)
    rec = Recorder(tmp_path, None, y, cv=5)
    for epoch, values in enumerate(columns.values()):
        for _, test in rec.cv:
            rec.write("net", test, values[test], epoch=np.int64(epoch))
    rec.write_all("other", 1 - columns["net@0"], epoch=9)
    places = places_of(read(tmp_path))
    assert [(one.configuration, one.axis, one.value) for one in places.values()] == [
        *(("net", "epoch", epoch) for epoch in range(4)),
        ("other", "epoch", 9),
    ]
    assert "net at epoch" in told(tmp_path)[1]
    with pytest.raises(OptionError, match="epoch is -1"):
        rec.write("net", test, values[test], epoch=-1)
