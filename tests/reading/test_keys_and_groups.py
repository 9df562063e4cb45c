"""Columns that name samples, or groups of them, under names that say nothing."""

import numpy as np
import pytest
from day import swept
from documents import codes
from reading import note_of, refused

from bbccli.reading import Roles, read

RNG = np.random.default_rng(21)
N, OF = 240, 8
SUBJECT = np.repeat(np.arange(N // OF), OF)
TRUTH = RNG.integers(0, 2, N)


def models(truth):
    return {f"net {i}": (0.4 * truth + 0.6 * RNG.random(len(truth))).round(4) for i in range(3)}


MODELS = models(TRUTH)
SHUFFLED = RNG.permutation(N)


def shuffled(table):
    return {name: np.asarray(column)[SHUFFLED] for name, column in table.items()}


TRIALS = {
    "numbers": {"subject_id": SUBJECT, "label": TRUTH, **MODELS},
    "numbers of 64 bits": {"hash": SUBJECT + 2**60, "label": TRUTH, **MODELS},
    "numbers by another name": {"vp": SUBJECT + 100, "label": TRUTH, **MODELS},
    "text": {"proband": [f"P{s:02d}" for s in SUBJECT], "label": TRUTH, **MODELS},
    "shuffled": shuffled({"subj": SUBJECT, "label": TRUTH, **MODELS}),
    "shuffled text": shuffled({"who": [f"P{s}" for s in SUBJECT], "label": TRUTH, **MODELS}),
}


@pytest.mark.parametrize("table", TRIALS.values(), ids=TRIALS)
def test_trials_of_subjects_are_doubted(save, table):
    name = next(iter(table))
    path = save("t.csv", table)
    matrix = read(path)
    assert matrix.configurations == ("net 0", "net 1", "net 2")
    assert matrix.groups is None
    found = note_of(matrix, "groups-likely")
    assert "30 values" in found.text
    assert "belong together" in found.text
    assert f"--group {name}" in found.remedy
    grouped = read(path, roles=Roles(group=name))
    assert len(set(grouped.groups.tolist())) == N // OF
    assert "groups-likely" not in codes(grouped)
    assert "groups-likely" in codes(read(path, exclude=[name]))
    if not isinstance(table[name][0], str):
        assert name in read(path, only=["*"]).configurations


@pytest.mark.parametrize("horizons", [range(1, 25), range(7, 35, 7)])
@pytest.mark.parametrize("order", [np.arange, RNG.permutation])
def test_origins_and_horizons_of_forecasts(save, horizons, order):
    origins = np.repeat(np.arange(100, 112), len(horizons))
    value = RNG.normal(9, 3, len(origins)).round(3)
    table = {"origin": origins, "h": np.tile(horizons, 12), "truth": value, **models(value)}
    mixed = order(len(value))
    matrix = read(save("m.csv", {name: np.asarray(of)[mixed] for name, of in table.items()}))
    assert matrix.configurations == tuple(MODELS)
    assert " is a configuration" in note_of(matrix, "groups-likely").text


def test_unequal_groups_within_folds(save):
    """Sizes differ and rows are shuffled, but each patient is in one fold."""
    sizes = RNG.integers(2, 14, 30)
    patient = np.repeat(np.arange(30), sizes)
    truth = RNG.integers(0, 2, len(patient))
    order = RNG.permutation(len(patient))
    table = {"pt": patient, "fold": patient % 5, "y": truth, **models(truth)}
    matrix = read(save("t.csv", {name: np.asarray(c)[order] for name, c in table.items()}))
    assert matrix.n_configurations == 3
    assert "--group pt" in note_of(matrix, "groups-likely").remedy


KEY = np.tile(np.arange(50), 6)
REPEATED = {
    "numbers": RNG.permuted(np.arange(300).reshape(6, 50), axis=1).ravel(),
    "in order": np.arange(300),
}


@pytest.mark.parametrize("order", REPEATED.values(), ids=REPEATED)
@pytest.mark.parametrize("name", ["sample_idx", swept("n"), swept("Tag")])
def test_a_key_of_repeats_is_asked_for(save, order, name):
    truth = RNG.integers(0, 2, 50)[KEY]
    table = {"fold": np.repeat(np.arange(30), 10), name: KEY, "y_true": truth, **models(truth)}
    table = {one: np.asarray(column)[order] for one, column in table.items()}
    if name == "Tag":
        table[name] = [f"t{key}" for key in table[name]]
    path = save("t.csv", table)
    refused("50 values, each in 6 rows", path, hint=f"--row-id {name}")
    found = note_of(read(path, exclude=[name]), "groups-likely")
    assert "N is 50 instead of 300" in found.text
    assert f"--row-id {name}" in found.remedy


PASSES = {"fold": np.repeat(np.arange(30), 10), "repeat": np.repeat(np.arange(6), 50)}


@pytest.mark.parametrize("role", PASSES)
@pytest.mark.parametrize("form", ["long", swept("files"), swept("wide")])
def test_a_key_of_repeats_is_asked_for_with_the_passes(save, form, role):
    """A long table sets aside columns without a role: its N was 300, and nothing doubted it."""
    truth = RNG.integers(0, 2, 50)[KEY]
    base = {"cv_iter": PASSES[role], "idx": KEY, "target": truth}
    own = models(truth)
    source = save("t.csv", base | own)
    if form == "files":
        source = [save(f"{name}.csv", base | {"pred": one}) for name, one in own.items()]
    if form == "long":
        every = {name: np.tile(one, 3) for name, one in base.items()}
        config = np.repeat([*own], 300)
        source = save("t.csv", {"model": config, **every, "pred": np.concatenate([*own.values()])})
    refused("50 values, each in 6 rows", source, hint=f"--row-id idx --{role} cv_iter if rows")
    matrix = read(source, roles=Roles(row_id="idx", **{role: "cv_iter"}))
    assert (matrix.n_samples, matrix.n_repeats, matrix.n_configurations) == (50, 6, 3)


def test_spare_columns_of_a_long_table_that_are_no_key(save):
    config, site = np.repeat([*MODELS], N), np.tile(RNG.permutation(SUBJECT), 3)
    scores = np.concatenate([*MODELS.values()])
    long = {"model": config, "target": np.tile(TRUTH, 3), "pred": scores}
    for spare in ({"row": np.tile(np.arange(N), 3)}, {"site": site}, {"age": np.tile(SUBJECT, 3)}):
        assert read(save("t.csv", long | spare)).n_samples == N


def test_a_key_by_another_name_beside_repeats_is_named(save):
    order = np.concatenate([RNG.permutation(50) for _ in range(6)])
    truth = RNG.integers(0, 2, 50)[order]
    table = {"rep": PASSES["repeat"], "sample": order, "y": truth, **models(truth)}
    path = save("t.csv", table)
    refused("truth differs between repeats", path, hint="--row-id sample if it names the samples")
    matrix = read(path, roles=Roles(row_id="sample"))
    assert (matrix.n_samples, matrix.n_configurations) == (50, 3)
    del table["sample"]
    asked = "add a column 'row_id' if their order differs between repeats"
    refused("truth differs between repeats", save("k.csv", table), hint=asked)


def test_images_of_patients_are_asked_for(save):
    """The truth is that of the patient, and patients differ in their number of images."""
    patient = np.repeat(np.arange(60), RNG.integers(2, 7, 60))
    truth = RNG.integers(0, 2, 60)[patient]
    table = {"case": patient, "y": truth, **models(truth)}
    path = save("t.csv", table)
    refused("one truth each", path, hint="--group case")
    assert read(path, roles=Roles(group="case")).n_configurations == 3
    assert "groups-likely" in codes(read(path, exclude=["case"]))


AGE = RNG.integers(30, 80, N)
NOT_GROUPS = {
    "whole scores": {"y": TRUTH, "apache": 10 * TRUTH + RNG.integers(0, 30, N), **MODELS},
    "an age": {"y": TRUTH, "age": AGE, **MODELS},
    "labels": {"y": TRUTH, "a": RNG.integers(0, 2, N), "b": RNG.integers(0, 2, N)},
    "classes": {
        "y": np.tile(list("abcd"), 60),
        "a": RNG.permutation(np.tile(list("abcd"), 60)),
        "b": np.tile(list("abdc") + list("acdb"), 30),
    },
    "counts": {
        "y": RNG.poisson(9, N),
        "a": RNG.poisson(9, N),
        "b": RNG.poisson(9, N),
    },
    "rounded": {"y": TRUTH, "a": RNG.random(N).round(1), "b": RNG.random(N).round(1)},
    "ratings": {"y": RNG.integers(1, 6, N), "a": RNG.integers(1, 6, N), "b": RNG.integers(1, 6, N)},
}


@pytest.mark.parametrize("table", NOT_GROUPS.values(), ids=NOT_GROUPS)
def test_what_is_no_group(save, table):
    assert "groups-likely" not in codes(read(save("t.csv", table)))


def test_text_that_names_each_row(save):
    names, roles = [f"q{i}" for i in range(40)], Roles(truth="gold")
    answers = {name: RNG.permutation(list("ABCD") * 10) for name in ("claude", "gpt", "gold")}
    of_labels = save("l.csv", {"question_id": names, **answers})
    refused("prediction is", of_labels, roles=roles, hint="--row-id question_id")
    values = {"question_id": names, "m": AGE[:40], "gold": TRUTH[:40]}
    matrix = read(save("t.csv", values), roles=roles)
    assert matrix.configurations == ("m",)
    (note,) = [note for note in matrix.notes if note.code == "row-numbers"]
    assert "question_id" in note.text and "--row-id" in note.remedy
    truth = save("truth.csv", {"gold": values.pop("gold")})
    path = save("u.csv", values)
    refused("question_id", path, labels=truth, roles=roles, hint="question_id")


def test_other_text_is_a_group_before_it_is_left_out(save):
    site = RNG.permutation(np.repeat(["x", "y", "z"], [100, 80, 60]))
    error = refused("text", save("t.csv", {"site": site, "y": TRUTH, **MODELS}))
    hint = error.told()[1]
    assert hint.index("--group site") < hint.index("--exclude site")


def test_groups_of_one_row_each_are_none(save):
    matrix = read(save("t.csv", {"patient_id": range(N), "y": TRUTH, **MODELS}))
    assert matrix.groups is None
    assert matrix.configurations == ("net 0", "net 1", "net 2")


def test_one_truth_by_chance_is_no_reason_to_refuse(save):
    """Pairs of which all but one are negative have one truth each anyway."""
    truth = np.repeat([1, 0], [2, 58])
    visits = {"visit": np.arange(60) // 2, "y": truth, **models(truth)}
    assert "groups-likely" in codes(read(save("t.csv", visits)))


def test_hints_lead_from_a_wide_reading_to_the_long_table(save):
    """A row per repeat, model and patient, none of which is called as usual."""
    rng = np.random.default_rng(0)
    rows = [
        (f"p{i}", rep, model, i * 7 % 5 > 1, round(rng.random(), 4))
        for rep in ("r1", "r2")
        for model in ("net", "tree", "lm")
        for i in range(60)
    ]
    names = ("patient", "rep", "net_name", "outcome", "prob_yes")
    path = save("long.csv", dict(zip(names, zip(*rows, strict=True), strict=True)))
    of_key = refused("60 values, each in 3 rows of one repeat, and one truth each", path)
    assert 'row_id="patient"' in of_key.hint
    roles = {"row_id": "patient"}
    twice = refused("row_id occurs twice in one repeat", path, roles=Roles(**roles))
    assert twice.hint.startswith('give configuration="net_name" if it distinguishes')
    roles["configuration"] = "net_name"
    lacking = refused("no column of predictions among", path, roles=Roles(**roles))
    assert lacking.hint.endswith('or give prediction="prob_yes"')
    matrix = read(path, roles=Roles(**roles, prediction="prob_yes"))
    assert (matrix.n_samples, matrix.n_repeats, matrix.n_configurations) == (60, 2, 3)
