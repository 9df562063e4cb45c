"""`bbc drop` as a training loop and a curious user would call it."""

import json
import re

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import swept

from bbccli import METRICS, Plan, drop, read
from bbccli.errors import UnsupportedError
from bbccli.reports.forms.json_schema import json_schema
from bbccli.types import Missing

FAST = ("--n-resamples", "200")
VALIDATOR = jsonschema.Draft202012Validator(json_schema() | {"$ref": "#/$defs/DropDocument"})


@pytest.fixture(scope="module")
def table(samples):
    """A third of the configurations: 59, of 177."""
    whole = pq.read_table(samples / "breast_cancer.parquet")
    return whole.select([*whole.column_names[:3], *whole.column_names[3::3]])


def so_far(table, n_folds, gone=(), after=0, *, rows=True):
    """The first folds; some configurations have no predictions from fold `after` on."""
    fold = table["fold"].to_numpy()
    columns = {name: table[name] for name in table.column_names}
    for name in table.column_names[3:]:
        values = table[name].to_numpy().astype(np.float32)
        lost = fold >= (after if name in gone else n_folds)
        columns[name] = pa.array(values, mask=lost)
    table = pa.table(columns)
    return table.filter(pa.array(fold < n_folds)) if rows else table


def emptied(table, name, *rows):
    """The table without the predictions of a configuration on some rows."""
    values = table[name].to_numpy(zero_copy_only=False).astype(float).copy()
    values[list(rows)] = np.nan
    column = pa.array(values, pa.float32(), from_pandas=True)
    return table.set_column(table.column_names.index(name), name, column)


@pytest.fixture
def call(run, tmp_path):
    """Run `bbc drop` on a table: (document or text, standard error)."""
    path = tmp_path / "partial.parquet"

    def on(table, *options):
        pq.write_table(table, path)
        status, out, err = run("drop", path, *FAST, *options)
        assert status == 0, err
        return out, err

    return on


def decided(call, table, *options):
    found = json.loads(call(table, *options, "--format", "json")[0])
    VALIDATOR.validate(found)
    return found["decision"]


def test_says_what_python_says(call, table, tmp_path):
    decision = decided(call, so_far(table, 6))
    matrix = read(tmp_path / "partial.parquet", unfinished=True)
    expected = drop(matrix, METRICS["auc"], Plan(200))
    fates = {d["configuration"]: d["fate"] for d in decision["decisions"]}
    assert tuple(n for n, fate in fates.items() if fate == "keep") == expected.keep
    assert len(expected.drop) > 0
    assert decision["best"] == expected.best


def test_absent_rows_and_empty_cells_are_the_same(call, table):
    gone = table.column_names[5:9]
    absent = decided(call, so_far(table, 6, gone, 4), "--n-folds", "10")
    empty = decided(call, so_far(table, 6, gone, 4, rows=False))
    assert absent == empty
    assert (absent["n_folds_seen"], absent["n_folds_to_come"]) == (6, 4)
    assert (absent["n_trained"], absent["n_saved"]) == (59 * 6 - 8, 8)
    assert absent["n_models"] == 590
    out = sum(d["fate"] != "keep" for d in absent["decisions"])
    assert absent["n_to_save"] == 4 * out


def test_folds_to_come_are_unknown_without_rows(call, table):
    decision = decided(call, so_far(table, 6))
    assert decision["n_folds_to_come"] is decision["n_models"] is None
    assert "6 so far\n" in call(so_far(table, 6))[0]


def test_dropped_earlier_stays_dropped(call, table):
    gone = table.column_names[5:9]
    decision = decided(call, so_far(table, 6, gone, 4))
    fates = {d["configuration"]: d for d in decision["decisions"]}
    assert list(fates) == table.column_names[3:]
    for name in gone:
        assert fates[name]["fate"] == "dropped earlier"
        assert fates[name]["performance"] is None
        assert fates[name]["n_models"] == 4
    listed = call(so_far(table, 6, gone, 4), "--list", "drop")[0].splitlines()
    assert set(gone) <= set(listed)


def test_lists_are_the_two_halves(call, table):
    partial = so_far(table, 7)
    listed = {which: call(partial, "--list", which)[0].splitlines() for which in ("drop", "keep")}
    assert sorted(listed["drop"] + listed["keep"]) == sorted(table.column_names[3:])
    assert call(partial, "--list", "keep", "--format", "table")[0].splitlines() == listed["keep"]
    assert listed["drop"]
    assert listed["keep"]


@pytest.mark.sweep
def test_quiet_lists_say_nothing_else(call, table):
    assert call(so_far(table, 2), "--list", "drop", "--quiet") == ("", "")
    out, err = call(so_far(table, 2), "--list", "drop")
    assert out == ""
    assert "nothing is dropped: 20 samples are predicted so far, fewer than 50" in err


def test_the_table(call, table):
    out = call(so_far(table, 6, table.column_names[5:7], 4, rows=False))[0]
    lines = out.splitlines()
    assert any(line.startswith("folds    6 so far, 4 to come") for line in lines)
    assert "350 trained so far, 4 saved" in out
    shown = [line for line in lines if re.search(r"\b(keep|drop) +[01]\.", line)]
    assert shown[0].startswith("> ") and " keep " in shown[0] and shown[0].endswith("  best")
    assert all(" drop " in line for line in shown[1:])
    assert f"drop {len(shown) - 1} now; 2 were dropped earlier." in " ".join(out.split())
    assert max(map(len, lines)) <= 80


def test_repeats_count_when_they_are_complete(samples, tmp_path):
    whole = pq.read_table(samples / "breast_cancer_repeats.parquet")
    names = [n for n in whole.column_names if n not in ("row_id", "fold", "repeat", "truth")]
    repeat, fold = whole["repeat"].to_numpy(), whole["fold"].to_numpy()
    first = np.unique(repeat)[0]

    def counted(rows, gone=()):
        table = whole.filter(pa.array(rows))
        kept = (repeat == first)[rows]
        for name in gone:
            table = emptied(table, name, *np.flatnonzero(~kept))
        pq.write_table(table, tmp_path / "p.parquet")
        return read(tmp_path / "p.parquet", unfinished=True)

    early = counted((repeat == first) & (fold < 2))
    assert early.n_repeats == 1
    during = (repeat == first) | ((repeat == first + 1) & (fold < 2))
    running = counted(during, names[:2])
    assert running.n_repeats == 1
    assert running.n_samples == (repeat == first).sum()
    # gone in the second repeat, which does not count yet, is gone all the same
    assert running.unfinished.dropped == tuple(names[:2])
    n_folds = len(np.unique(fold[repeat == first]))
    assert running.unfinished.n_models == n_folds + 2
    assert running.unfinished.models == (n_folds, n_folds)
    assert counted(repeat <= first + 1).n_repeats == 2


@pytest.mark.sweep
def test_a_replay_in_json(run, samples):
    options = ("--replay", "--rule", "all", "--metric", "accuracy", *FAST)
    found = run.document("drop", samples / "breast_cancer.parquet", *options)
    VALIDATOR.validate(found)
    assert found["decision"] is None
    for replay in found["replays"]:
        (one,) = replay["runs"]
        gone = [name for step in one["trace"]["steps"] for name in step["dropped"]]
        assert len(gone) == len(set(gone))
        assert one["winner"] not in gone
        assert one["kept_winner"] == (replay["winner"] not in gone)
        assert one["loss"] >= 0
        assert one["trace"]["n_models"] == 1770
        assert one["shift"] == pytest.approx(one["value"] - replay["value"])


@pytest.mark.parametrize("kind", ["rows in order", "groups", "shuffled"])
def test_folds_that_are_not_shuffled_are_noted(run, tmp_path, kind):
    rng = np.random.default_rng(0)
    keys, truth = rng.permutation(90), rng.integers(0, 2, 90)
    folds = {"rows in order": keys // 18, "groups": np.arange(90) % 3, "shuffled": keys * 7 % 5}
    frame = pd.DataFrame({"row_id": keys, "fold": folds[kind], "truth": truth})
    if kind == "groups":
        frame["group"] = (frame["fold"] + 1) % 3
    for name in "abc":
        frame[name] = np.clip(0.3 * truth + 0.7 * rng.random(90), 0, 1)
    frame.to_csv(tmp_path / "p.csv", index=False)
    for options in ((), ("--replay",)):
        told = run.document("drop", tmp_path / "p.csv", *options)
        texts = [note["text"] for note in told["notes"] if note["code"] == "unshuffled-folds"]
        assert len(texts) == (kind != "shuffled")
        assert kind != "groups" or texts[0].startswith("each fold is a single group")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "bbc"), "error: no rule named 'bbc'"),
        swept(("--rule", "all"), "error: one rule decides"),
        swept(("--orders", "3"), "error: --orders needs --replay"),
        swept(("--fold-order", "1,2"), "error: --fold-order needs --replay"),
        swept(("--replay", "--list", "drop"), "error: --list does not go with --replay"),
        (
            ("--list", "keep", "--format", "json"),
            "error: --list prints one name per line, not --format json\n"
            "hint: leave out --list: every format has the names; or leave out --format\n",
        ),
        (
            ("--list", "drop", "-o", "x.json"),
            "error: --list prints one name per line, not --output x.json\n"
            "hint: leave out --list: every format has the names; or write a file ending in .txt\n",
        ),
        swept(("--replay", "--n-folds", "10"), "error: --n-folds does not go with --replay"),
        (("--replay", "--fold-order", "1,2"), "error: --fold-order 1,2 is not an order of the"),
        swept(
            ("--replay", "--fold-order", "9,8,7,6,5,4,3,2,1,0", "--orders", "3"),
            "error: --fold-order gives one order, --orders draws some",
        ),
        swept(("--replay", "--orders", "0"), "error: --orders is 0"),
        swept(("--confidence", "0.5"), "error: --confidence is 0.5, not between 0.5 and 1"),
        swept(("--n-folds", "2"), "error: --n-folds is 2, and 10 folds have predictions"),
        (("--cut", "9"), "error: the threshold is 9, but the predictions are probabilities"),
        (("--rule", "cvst"), "error: AUC is not a mean of losses per sample"),
    ],
)
def test_options_that_do_not_fit(run, samples, options, message):
    err = run.refused("drop", samples / "breast_cancer.parquet", *FAST, *options)
    assert err.startswith(message)
    assert "hint: " in err


def test_gaps_within_a_fold_are_said(call, table):
    partial = so_far(table, 4, table.column_names[5:7], 3)
    name = table.column_names[9]
    found = json.loads(call(emptied(partial, name, 3), "--format", "json")[0])
    (note,) = [n for n in found["notes"] if n["code"] == "gaps-within-folds"]
    assert note["text"].endswith(f"and counts as dropped: {name}")
    fates = {d["configuration"]: d["fate"] for d in found["decision"]["decisions"]}
    assert fates[name] == "dropped earlier"


def holes_everywhere(table):
    holes = so_far(table, 3, rows=False)
    seen = np.flatnonzero(table["fold"].to_numpy() < 3)
    for position, name in enumerate(holes.column_names[3:]):
        holes = emptied(holes, name, seen[position % 20])
    return holes


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda table: so_far(table, 0, rows=False), "there is no prediction yet"),
        (holes_everywhere, "every configuration lacks predictions that another has"),
    ],
)
def test_nothing_can_be_decided(run, table, tmp_path, make, problem):
    path = tmp_path / "partial.parquet"
    pq.write_table(make(table), path)
    assert problem in run.refused("drop", path)


@pytest.fixture
def small(run, tmp_path):
    """Run `bbc drop` on 60 samples in five folds: (exit status, standard output, error)."""

    def on(columns, *options, fold=True):
        rows = np.arange(60)
        known = {"fold": rows // 2 % 5} if fold else {}
        table = pd.DataFrame({"row_id": rows, "truth": rows % 2, **known, **columns})
        table.to_csv(tmp_path / "small.csv", index=False)
        return run("drop", tmp_path / "small.csv", *FAST, *options)

    return on


EVEN = {"a": [0.1, 0.2] * 30, "b": [0.2, 0.1] * 30, "c": [0.1, 0.9] * 30}


def test_folds_that_are_unknown_are_said_to_be(small):
    status, out, _ = small(EVEN, "--rule", "brace", "--metric", "accuracy", fold=False)
    assert status == 0
    assert "\nKeep 1 of 3 configurations; drop 2 now.\n" in out
    assert "\nfolds    unknown\nrule " in out
    assert "folds    5 so far\n" in small(EVEN, "--metric", "accuracy")[1]


def test_a_metric_without_a_value_drops_nothing_and_says_so(small):
    none = {name: EVEN[name] for name in "ab"}  # predict no positive: there is no precision
    status, out, _ = small(none, "--metric", "precision", "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert {d["fate"] for d in found["decision"]["decisions"]} == {"keep"}
    assert found["decision"]["best"] is None
    told = [note["text"] for note in found["notes"] if note["code"] == "nothing-dropped"]
    assert told == ["nothing is dropped: precision is undefined for every configuration"]
    out = small(EVEN, "--metric", "precision", "--format", "json")[1]
    assert "nothing-dropped" not in out  # c has one


def test_a_method_that_drops_keeps_all_while_the_metric_has_no_value(run, tmp_path):
    """In the folds walked first nobody predicts a positive: there is no best to be worse than."""
    rng, rows = np.random.default_rng(0), np.arange(120)
    frame = pd.DataFrame({"row_id": rows, "truth": rows % 2, "fold": rows // 12})
    for name in "ab":
        frame[name] = (0.4 + 0.6 * (rows >= 60)) * rng.random(120)
    frame.to_csv(tmp_path / "late.csv", index=False)
    asked = ("correct", tmp_path / "late.csv", "--metric", "precision", *FAST)
    dropping, plain = (
        run.document(*asked, "--method", method)["estimates"][0] for method in ("bbcd", "bbc")
    )
    for key in ("value", "naive", "winner"):
        assert dropping[key] == plain[key]
    assert [one["dropped"] for one in dropping["drop_trace"]["steps"]] == [[]] * 10


def test_losses_sample_by_sample_need_all_predictions(tmp_path):
    path = tmp_path / "gaps.csv"
    rows = [f"{i % 2},{i // 2 % 5},{'' if i == 3 else i % 7 / 7},{i % 5 / 5}" for i in range(60)]
    path.write_text("\n".join(["truth,fold,a,b", *rows]))
    matrix = read(path, missing=Missing.AVAILABLE)
    with pytest.raises(
        UnsupportedError, match="sample by sample, and some predictions are"
    ) as told:
        drop(matrix, METRICS["accuracy"], Plan(), rule="betting")
    assert told.value.hint.startswith("--rule bbcd")
