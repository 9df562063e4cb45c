"""A model may be called anything: what a reader knows is never told by names again."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from day import daily, swept
from runs import autogluon, oof
from written_logs import WRITERS, Run

from bbccli import METHODS, METRICS, Plan, document
from bbccli.domain.source import ToolRun
from bbccli.errors import BbcError
from bbccli.reading import Metadata, Roles, read
from bbccli.reading.roles import NAMES
from bbccli.reading.runs import folder as folder_readers
from bbccli.recording import Recorder
from bbccli.types import Missing, TableLayout, Task

DATA = Path(__file__).parents[1] / "data"
FOLDERS = sorted(
    one.name for one in (DATA / "runs").iterdir() if one.is_dir() and one.name[0] != "_"
)
OF_TABLES = {"caret", "caret_kinds"}

MEANT = [*NAMES, *sorted({name for names in NAMES.values() for name in names} - {*NAMES})]
MEANT += ["config", "configuration", "prediction", "pred", "obs", "rowIndex", "Resample", "score"]
MEANT += ["inner_fold", "item", "epoch", "task", "model", "prob.1", "prob.0", "proba_0", "proba_1"]
MEANT += ["y_pred", "y_prob", "TRUTH", "Weight", "response", "row_ids", "ensemble", "subset", "X"]
STRANGE = ["x::1", "x::0", "x", "::", "a::b::1", "C=1, kernel='rbf'", " two  blanks ", "7", "007"]
STRANGE += ["1.0", "true", "nan", "None", "<b>bold</b>", "[red]", "é 😀", "ab" * 150, "a,b", 'a"b']
STRANGE += ["Unnamed: 0", "a|b", "a\\b", "`x`", "*", "$x$", "x (predictions)", "%s", "{0}"]
ALL = [*MEANT, *STRANGE]


def chunks(size):
    """All names in groups of this size, the last one filled up with the first names."""
    return [(ALL[at : at + size] + ALL)[:size] for at in range(0, len(ALL), size)]


def renamed(given, names):
    """The same predictions under other names, without what the tool says of its models."""
    own = dict(zip(given.by_configuration, names, strict=True))
    flags = {own[name]: flags for name, flags in given.about.flags.items()}
    about = replace(given.about, flags=flags, run=ToolRun(tool=given.about.run.tool))
    models = {own[name]: values for name, values in given.by_configuration.items()}
    return replace(given, by_configuration=models, about=about)


def as_if(monkeypatch, given):
    """Have every folder read as if its tool had left these predictions."""
    reader = replace(folder_readers.RUNS[0], recognises=lambda _: True, load=lambda _: given)
    monkeypatch.setattr(folder_readers, "reader_of", lambda _: reader)


def same(plain, strange, names):
    """The figures are the same, nothing is weighted or grouped that was not, no name is lost."""
    assert strange.configurations == tuple(names[c] for c in range(len(plain.configurations)))
    assert (strange.task, strange.kind) == (plain.task, plain.kind)
    assert strange.outcome.classes == plain.outcome.classes
    np.testing.assert_array_equal(strange.predictions, plain.predictions)
    np.testing.assert_array_equal(strange.outcome.values, plain.outcome.values)
    for ours, theirs in (
        (plain.outcome.weights, strange.outcome.weights),
        (plain.groups, strange.groups),
        (plain.folds, strange.folds),
    ):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_array_equal(ours, theirs)
    assert [one.code for one in strange.notes] == [one.code for one in plain.notes]


def options(name):
    labels = DATA / "runs" / name / "train.csv"
    how = {"include": ["all"], "missing": Missing.AVAILABLE}
    if labels.is_file():
        how |= {"labels": labels, "roles": Roles(truth="target")}
    return how


def loaded(name):
    folder = DATA / "runs" / name
    folder = folder / "wine" / "0" if name == "tabrepo" else folder
    return folder, folder_readers.reader_of(folder).load(folder)


@pytest.mark.parametrize(
    "name",
    daily(
        [one for one in FOLDERS if one not in OF_TABLES],
        ["autogluon", "autosklearn", "h2o", "mljar_weights", "tabrepo"],
    ),
)
def test_every_folder(name, monkeypatch):
    folder, given = loaded(name)
    n = len(given.by_configuration)
    as_if(monkeypatch, renamed(given, [f"m{c}" for c in range(n)]))
    plain = read(folder, **options(name))
    for names in chunks(n):
        as_if(monkeypatch, renamed(given, names))
        strange = read(folder, **options(name))
        same(plain, strange, [names[int(one[1:])] for one in plain.configurations])


WRITTEN = [(suffix, layout) for suffix in (".parquet", ".csv") for layout in TableLayout]


@pytest.mark.parametrize(
    ("name", "suffix", "layout"),
    [
        *(("autogluon_classes", *one) for one in WRITTEN),
        *((name, *WRITTEN[0]) for name in ("mljar_weights", "optuna")),
        *(swept(name, *one) for name in ("mljar_weights", "optuna") for one in WRITTEN[1:]),
    ],
)
def test_converted_and_read_again(run, name, suffix, layout, monkeypatch, tmp_path):
    folder, given = loaded(name)
    n, n_written = len(given.by_configuration), 0
    how = ["--labels", folder / "train.csv", "--truth", "target"] * ("labels" in options(name))
    path = tmp_path / f"out{suffix}"
    for names in chunks(n)[:: 1 if layout is TableLayout.WIDE else 3]:
        as_if(monkeypatch, renamed(given, names))
        status, _, err = run("convert", folder, "-o", path, "--layout", layout, *how)
        if status:
            assert (suffix, "hint: write .parquet" in err) == (".csv", True)
            continue
        n_written += 1
        before = read(folder, **options(name))
        after = read(path, include=["all"], missing=Missing.AVAILABLE)
        assert after.configurations == before.configurations
        np.testing.assert_array_equal(after.predictions, before.predictions)
        assert (after.outcome.weights is None) == (before.outcome.weights is None)
        assert after.groups is None
    assert n_written >= 2


N = 40
TRUTH = np.arange(N) % 2
RNG = np.random.default_rng(3)
CHANCES = np.round(np.clip(RNG.random((3, N)) * 0.6 + 0.3 * TRUTH, 0, 1), 6)
SAFE = [name for name in ALL if not {*name} & {*'/\\:*"<>|'} and name.strip(" .") == name]
SAFE = [name for name in SAFE if len(name) < 200]


def of_h2o(place, names):
    for name, values in zip(names, CHANCES, strict=True):
        rows = [f"{int(v > 0.5)},{1 - v:.6f},{v:.6f}" for v in values]
        path = place / f"{name}.cv_holdout_predictions.csv"
        path.write_text("\n".join(["predict,p0,p1", *rows]) + "\n")
    labels = place / "train.csv"
    labels.write_text("\n".join(["y", *map(str, TRUTH)]) + "\n")
    return read(place, labels=labels, roles=Roles(truth="y"))


def of_autogluon(place, names):
    models = {name: (oof(one), []) for name, one in zip(names, CHANCES, strict=True)}
    autogluon(place, models)
    labels = place / "train.csv"
    labels.write_text("\n".join(["y", *map(str, TRUTH)]) + "\n")
    return read(place, labels=labels, roles=Roles(truth="y"))


def of_tabrepo(place, names):
    about = {"models": names, "pred_val_shape": CHANCES.shape, "dtype": "float64"}
    (place / "metadata.json").write_text(json.dumps(about))
    (place / "pred-val.dat").write_bytes(CHANCES.astype("<f8").tobytes())
    with zipfile.ZipFile(place / "label-val.csv.zip", "w") as archive:
        rows = "".join(f"{i},{one}\n" for i, one in enumerate(TRUTH))
        archive.writestr("label-val.csv", f",label\n{rows}")
    return read(place)


def of_recorder(place, names):
    recorder = Recorder(place / "run", CHANCES.T, TRUTH)
    for name, values in zip(names, CHANCES, strict=True):
        recorder.write_all(name, values)
    return read(place / "run")


@pytest.mark.parametrize("write", [of_h2o, swept(of_autogluon), swept(of_tabrepo), of_recorder])
def test_files_of_tools(write, tmp_path):
    """Named in the files themselves; the names of folders lack what systems refuse."""
    every = ALL if write in (of_tabrepo, of_recorder) else SAFE
    place = tmp_path / "plain"
    place.mkdir()
    plain = write(place, ["m0", "m1", "m2"])
    for at in range(0, len(every), 3):
        names = (every[at : at + 3] + every)[:3]
        place = tmp_path / str(at)
        place.mkdir()
        strange = write(place, names)
        assert {*strange.configurations} == {*names}
        order = [strange.configurations.index(name) for name in names]
        np.testing.assert_array_equal(strange.predictions[:, :, order], plain.predictions)
        assert strange.outcome.weights is strange.groups is None
        assert (strange.folds is None) == (plain.folds is None)


def of_logs(framework, place, names):
    place.mkdir()
    runs = [Run(one, {i: [float(i % k == 0)] for i in range(10)}) for k, one in enumerate(names, 2)]
    WRITERS[framework](place, runs, Random(0))
    matrix = read(place)
    assert matrix.task is Task.SCORE
    assert matrix.outcome.weights is matrix.groups is matrix.folds is None
    keys, columns = matrix.keys.tolist(), matrix.predictions[0].T.tolist()
    return {
        name.removesuffix(" x p"): dict(zip(keys, column, strict=True))
        for name, column in zip(matrix.configurations, columns, strict=True)
    }


OF_LOGS = sorted({*WRITERS} - {"promptfoo_table"})  # whose header can't hold every name


@pytest.mark.parametrize("framework", daily(OF_LOGS, ["promptfoo", "lm_eval"]))
def test_logs_of_frameworks(framework, tmp_path):
    every = SAFE if framework == "swebench" else ALL
    plain = of_logs(framework, tmp_path / "plain", ["m0", "m1", "m2"])
    for at in range(0, len(every), 3):
        names = (every[at : at + 3] + every)[:3]
        found = of_logs(framework, tmp_path / str(at), names)
        assert found == {name: plain[f"m{k}"] for k, name in enumerate(names)}


@pytest.mark.parametrize("name", ALL)
def test_the_name_is_in_the_result(name, tmp_path):
    matrix = of_tabrepo(tmp_path, [name, "m1", "m2"])
    estimate = METHODS["bbc"].run(matrix, METRICS["auc"], Plan(n_resamples=50, seed=1))
    result = json.loads(json.dumps(document(matrix, [estimate])))
    plain = METHODS["bbc"].run(
        of_tabrepo(tmp_path, ["m0", "m1", "m2"]), METRICS["auc"], Plan(n_resamples=50, seed=1)
    )
    assert (estimate.value, estimate.naive) == (plain.value, plain.naive)
    assert (estimate.winner == name) == (plain.winner == "m0")
    assert f'"{name}"' in json.dumps(result, ensure_ascii=False).replace('\\"', '"').replace(
        "\\\\", "\\"
    )


MLJAR, LOGS = DATA / "runs" / "mljar", DATA / "evaluations" / "inspect_ai" / "json"


@pytest.mark.parametrize(
    ("paths", "how", "words", "hint"),
    [
        (MLJAR, {"dialect": "long"}, "is for tables, and .* is not one", "leave it out"),
        (MLJAR, {"roles": Roles(prediction="x")}, 'prediction="x" is for tables', "leave it out"),
        (LOGS, {"roles": Roles(configuration="x")}, "is for tables, and .* is not one", "leave"),
        (MLJAR, {"task": "score"}, "is for scores, and .* has predictions", "leave it out"),
        (LOGS, {"task": "binary"}, "inspect exports hold no labels", "use task="),
        (MLJAR, {"roles": Roles(weight="kg")}, "'kg', which is not a column", "row_id, fold, tru"),
        (DATA / "runs" / "h2o", {}, "H2O exports hold no labels", "--labels train.csv"),
        ([MLJAR, DATA / "runs" / "optuna"], {}, "is a whole run, and there are", "one run at a"),
        ([MLJAR, DATA / "caret_knn.csv"], {}, "is a whole run, and there are", "one run at a time"),
        (LOGS.parents[1] / "junit", {"roles": Roles(group="task")}, "not a property", "classname"),
    ],
)
def test_options_that_runs_do_not_take(paths, how, words, hint):
    with pytest.raises(BbcError, match=words) as caught:
        read(paths, **how)
    assert hint in (caught.value.hint or "")


def test_roles_that_options_name():
    """A role given by hand wins; weights may be left out."""
    matrix = read(MLJAR, roles=Roles(group="fold"))
    assert matrix.n_groups == 5
    heavy = DATA / "runs" / "mljar_weights"
    assert read(heavy).outcome.weights is not None
    assert read(heavy, unweighted=True).outcome.weights is None
    assert read(MLJAR, roles=Roles(time="row_id", event="truth")).task is Task.SURVIVAL


@pytest.mark.parametrize("layout", list(TableLayout))
def test_names_of_classes(run, layout, monkeypatch, tmp_path):
    """`a::b` of class `c` is not `a` of class `b::c`, as it is not in a converted file."""
    classes = ("b::c", "c", "1")
    chances = RNG.dirichlet([1, 1, 1], (2, N))
    roles = {"truth": [classes[i % 3] for i in range(N)]}
    about = Metadata(classes=classes, run=ToolRun(tool="mine"))
    models = {"a": chances[0], "a::b": chances[1]}
    folder, given = loaded("mljar")
    made = replace(given, by_configuration=models, roles=roles, files=[], about=about)
    as_if(monkeypatch, made)
    before = read(folder)
    assert before.configurations == ("a", "a::b")
    path = tmp_path / "out.parquet"
    run.printed("convert", folder, "-o", path, "--layout", layout)
    after = read(path)
    assert after.configurations == before.configurations
    assert after.outcome.classes == before.outcome.classes
    np.testing.assert_array_equal(after.predictions, before.predictions)
