"""`bbc vault` and `bbc correct --vault`: what is sealed, what is refused, and what is counted."""

import io
import json
import os
import shutil
import sys
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from day import swept
from faults import Fault, disk, is_io
from scipy.stats import binomtest
from written_logs import WRITERS, Run

import bbccli
from bbccli.cli.app import main
from bbccli.errors import OptionError
from bbccli.recording import Recorder

N = 300
RNG = np.random.default_rng(3)
IDS = [f"q{i:03d}" for i in RNG.permutation(N)]
TRUTH = RNG.choice(["no", "yes"], N, p=[0.6, 0.4])
ITEMS = pd.DataFrame(
    {
        "id": IDS,
        "truth": TRUTH,
        "size": RNG.normal(size=N).round(3),
        "text": [f'say "{i}", 0{i}' for i in range(N)],
        "patient": np.repeat(np.arange(60), 5),
    }
)


def predicted(truth, right, seed=0):
    hit = np.random.default_rng(seed).random(len(truth)) < right
    return np.where(hit == (truth == "yes"), "yes", "no")


def seal(path, *how, items=None):
    """Seal rows by the command, of a table that is written first where it is given."""
    if items is not None:
        items.to_csv(path, index=False)
    assert main(["vault", str(path), *map(str, how), "-q"]) == 0
    return path.with_name(f"{path.stem}-vault")


ITEM_FILE, VAULT = Path("items.csv"), Path("items-vault")


def parts(folder=VAULT):
    """The rows of the search, and the sealed ones."""
    return [pd.read_csv(folder / f"{name}.csv") for name in ("search", "vault")]


def sealed_again(*how, items=None):
    shutil.rmtree(VAULT)
    seal(ITEM_FILE, *how, items=items)
    return parts()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a vault, predictions of 30 configurations, and scores of the best."""
    monkeypatch.chdir(tmp_path)
    seal(ITEM_FILE, items=ITEMS)
    search, sealed = parts()
    columns = {f"c{k}": predicted(search.truth, 0.6, k) for k in range(30)}
    search[["id", "truth"]].assign(**columns).to_csv("search.csv", index=False)
    best = max(columns, key=lambda name: (columns[name] == search.truth).mean())
    scores = sealed[["id"]].assign(**{best: predicted(sealed.truth, 0.7, 99)})
    scores.to_csv("scores.csv", index=False)
    return tmp_path


def lines(folder=VAULT):
    """Openings that are counted, whole or torn."""
    text = (folder / "openings.jsonl").read_text()
    return [line for line in text.splitlines() if line]


def corrected(run, *more, search="search.csv", scores="scores.csv"):
    how = ("--metric", "accuracy", "--n-resamples", 50, "--vault", scores)
    return run.document("correct", search, *how, *more)


def vault_row(document):
    return next(one for one in document["estimates"] if one["method"] == "vault")


def refused(run, *more, search="search.csv", scores="scores.csv"):
    how = ("--metric", "accuracy", "--vault", scores, *more)
    return run.refused("correct", search, *how).replace("\n", " ")


# What is sealed


@pytest.mark.parametrize("large", [False, swept(True)])
@pytest.mark.parametrize("kind", ["csv", swept("tsv"), swept("jsonl"), "parquet"])
def test_both_parts_hold_every_row_as_it_was(tmp_path, kind, large, monkeypatch):
    if large:
        monkeypatch.setattr("bbccli.reading.sources.LARGE", 1)
    path = tmp_path / f"items.{kind}"
    if kind == "parquet":
        ITEMS.to_parquet(path)
    elif kind == "jsonl":
        ITEMS.to_json(path, orient="records", lines=True)
    else:
        ITEMS.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    made = seal(path)
    files = [made / f"{name}.{kind}" for name in ("search", "vault")]
    if kind == "parquet":
        both = pd.concat([pd.read_parquet(one) for one in files])
        pd.testing.assert_frame_equal(both.set_index("id").loc[IDS].reset_index(), ITEMS)
        return
    header = kind != "jsonl"
    rows = [one.read_text().splitlines()[header:] for one in files]
    assert [len(one) for one in rows] == [240, 60]
    assert sorted(rows[0] + rows[1]) == sorted(path.read_text().splitlines()[header:])


def test_rows_keep_their_quotes_zeros_and_line_breaks(tmp_path):
    rows = [f'00{i},"a ""b""\nc, {i}"' for i in range(1, 101)]
    (tmp_path / "i.csv").write_text("\n".join(["id,text", *rows]) + "\n\n,\n")
    made = seal(tmp_path / "i.csv", "--quoted-newlines")
    both = (made / "search.csv").read_text() + (made / "vault.csv").read_text()
    assert all(f"\n{row}\n" in both for row in rows)


def test_the_folder_is_as_open_as_the_umask_lets_it_be(tmp_path):
    before = os.umask(0o027)
    try:
        made = seal(tmp_path / "i.csv", items=ITEMS)
    finally:
        os.umask(before)
    assert made.stat().st_mode & 0o777 == 0o750


def test_classes_have_their_share_and_seeds_draw_again(place):
    sealed = [sealed_again("--seed", seed)[1] for seed in (0, 0, 1)]
    assert sealed[0].equals(sealed[1])
    assert not sealed[0].equals(sealed[2])
    for one in sealed:
        assert abs((one.truth == "yes").sum() - 0.2 * (TRUTH == "yes").sum()) < 1


@pytest.mark.parametrize(
    "truth",
    [
        [f"answer {i}" for i in range(N)],
        swept(np.arange(N) / 7),
        swept(np.arange(N)),
        swept(np.where(np.arange(N) % 9, np.arange(N), np.nan)),
        swept([True, False] * (N // 2)),
        swept([None] * N),
    ],
)
def test_every_truth_leaves_a_fifth_sealed(tmp_path, truth):
    assert len(parts(seal(tmp_path / "i.csv", items=ITEMS.assign(truth=truth)))[1]) == 60


def test_values_are_sealed_over_their_whole_range(place):
    _, sealed = sealed_again("--truth", "size")
    fifths = np.searchsorted(np.sort(ITEMS["size"]), sealed["size"]) // 60
    assert np.bincount(fifths).tolist() == [12] * 5


def test_whole_groups_are_sealed(place):
    search, sealed = sealed_again("--group", "patient")
    assert not set(search.patient) & set(sealed.patient)


@pytest.mark.parametrize(
    ("items", "how", "said"),
    [
        (ITEMS, ("--share", 1.2), "--share is 1.2, not above 0 and at most 0.5"),
        swept(ITEMS, ("--planned", 0), "opens nothing"),
        swept(ITEMS, ("--seed", -1), "negative"),
        swept(ITEMS[:39], (), "20 rows or more"),
        swept(ITEMS.drop(columns="id"), (), "no column is the key"),
        swept(ITEMS.assign(id="a"), (), "the key occurs twice"),
        swept(ITEMS.assign(id=[None, *IDS[1:]]), (), "row_id is missing"),
        (ITEMS, ("--group", "site"), "'site', which is not a column"),
        swept(pd.concat([ITEMS, ITEMS]), (), "the key occurs twice"),
    ],
)
def test_what_can_not_be_sealed_is_refused_and_leaves_nothing(tmp_path, run, items, how, said):
    items.to_csv(tmp_path / "i.csv", index=False)
    assert said in " ".join(run.refused("vault", tmp_path / "i.csv", *how).split())
    assert [one.name for one in tmp_path.iterdir()] == ["i.csv"]


def test_columns_that_may_be_the_key_are_named(tmp_path, run):
    ITEMS.rename(columns={"id": "code"}).to_csv(tmp_path / "i.csv", index=False)
    assert "'code'" in run.refused("vault", tmp_path / "i.csv").partition("hint: ")[2]
    assert len(parts(seal(tmp_path / "i.csv", "--row-id", "code"))[1]) == 60


def test_a_vault_is_never_overwritten(place, run):
    before = (place / "items-vault/vault.csv").read_bytes()
    assert "never overwritten" in run.refused("vault", "items.csv", "--seed", 5)
    assert (place / "items-vault/vault.csv").read_bytes() == before


def test_no_fault_leaves_half_a_vault(tmp_path):
    ITEMS.to_csv(tmp_path / "i.csv", index=False)
    for k in range(1, 400):
        fault, profile = Fault(k, is_io, disk), sys.getprofile()
        sys.setprofile(fault)
        try:
            main(["vault", str(tmp_path / "i.csv"), "-q"])
        finally:
            sys.setprofile(profile)
        whole = tmp_path / "i-vault"
        names = sorted(one.name for one in whole.iterdir()) if whole.exists() else []
        assert names in ([], ["openings.jsonl", "search.csv", "vault.csv", "vault.json"])
        shutil.rmtree(whole, ignore_errors=True)
        if fault.seen < k:
            assert names
            return


# What an opening shows


def test_the_row_of_the_vault_is_exact_and_the_one_to_report(place, run):
    found = corrected(run)
    row = vault_row(found)
    sealed, scores = parts()[1], pd.read_csv("scores.csv")
    right = int((scores.iloc[:, 1] == sealed.truth).sum())
    exact = binomtest(right, 60).proportion_ci(0.95)
    assert row["value"] == pytest.approx(right / 60)
    assert (row["interval"]["lower"], row["interval"]["upper"]) == pytest.approx(exact)
    assert found["report"] == [{"metric": "accuracy", "method": "vault"}]
    assert row["opened"]["counted"]
    assert len(lines()) == 1


def test_rows_are_joined_by_key_whatever_their_order_and_form(place, run):
    first = vault_row(corrected(run))
    scores = pd.read_csv("scores.csv").sample(frac=1, random_state=2)
    scores.to_parquet("mixed.parquet")
    assert vault_row(corrected(run, scores="mixed.parquet"))["value"] == first["value"]
    assert len(lines()) == 1  # the same predictions are not another look


def test_the_same_scores_are_counted_once_and_others_again(place, run):
    first = vault_row(corrected(run))
    assert vault_row(corrected(run)) == first
    scores = pd.read_csv("scores.csv")
    scores.iloc[0, 1] = "no" if scores.iloc[0, 1] == "yes" else "yes"
    scores.to_csv("others.csv", index=False)
    beyond = refused(run, scores="others.csv")
    assert "beyond the plan" in beyond and "--stricter, which widens" in beyond
    assert len(lines()) == 1
    second = vault_row(corrected(run, "--stricter", scores="others.csv"))
    assert len(lines()) == 2
    assert second["opened"]["level"] == pytest.approx(1 - 0.05 / 4 / 61)
    again = vault_row(corrected(run))  # the first one, now at its stricter level
    assert again["opened"]["number"] == 1
    assert again["opened"]["level"] == pytest.approx(1 - 0.05 / 2)


def test_not_yet_is_cheap_and_says_nothing_else(place, run):
    sealed_again("--planned", 2)
    found = corrected(run, "--reach", 0.95)
    assert "vault" not in [one["method"] for one in found["estimates"]]
    assert any("1 of 2 openings so far: not yet" in n["text"] for n in found["notes"])
    assert len(lines()) == 1
    corrected(run, "--reach", 0.95)
    gate = ("--reach", 0.95, "--fail-under", 0.3, "--metric", "accuracy", "-q")
    assert run("correct", "search.csv", "--vault", "scores.csv", *gate)[0] == 4
    assert len(lines()) == 1
    row = vault_row(corrected(run))  # now the figure is wanted: this is another look
    assert len(lines()) == 2
    assert row["opened"]["level"] == pytest.approx(1 - 0.05 / 2)


def test_a_reach_that_is_passed_shows_the_figure(place, run):
    row = vault_row(corrected(run, "--reach", 0.3))
    assert row["value"] > 0.3
    assert row == vault_row(corrected(run))
    assert len(lines()) == 1


def test_a_gate_on_a_guided_search_is_decided_by_the_vault(place, run):
    gate = ("--guided", "rows", "--fail-under", 0.3, "--metric", "accuracy", "-q")
    assert run("correct", "search.csv", *gate)[0] == 4
    assert run("correct", "search.csv", *gate, "--vault", "scores.csv")[0] == 0


def test_a_corrected_figure_above_the_vault_shows_that_the_search_fitted_its_rows(place, run):
    scores = pd.read_csv("scores.csv")
    scores.iloc[:, 1] = predicted(parts()[1].truth, 0.2, 5)
    scores.to_csv("bad.csv", index=False)
    assert "fitted-rows" in [one["code"] for one in corrected(run, scores="bad.csv")["notes"]]


def test_a_method_by_name_does_not_hide_the_vault(place, run):
    found = corrected(run, "--method", "bbc")
    assert [one["method"] for one in found["estimates"]] == ["bbc", "vault"]


def test_every_report_shows_it(place, run):
    for form in ("table", "markdown", "csv"):
        out = run.printed("correct", "search.csv", "--vault", "scores.csv", "--format", form)
        assert "vault" in out, form
    run.printed("correct", "search.csv", "--vault", "scores.csv", "-o", "page.html")
    page = (place / "page.html").read_text()
    assert "on 60 samples sealed before the search (opening 1 of 1)" in page
    words = ("--vault", "scores.csv", "--format", "every-eval-ever")
    (found,) = json.loads(run.printed("correct", "search.csv", *words))["evaluation_results"]
    told = found["score_details"]["uncertainty"]
    assert (told["num_samples"], told["confidence_interval"]["method"]) == (60, "vault")


def test_python_gives_the_same_figure_from_files_and_frames(place, run):
    first = bbccli.correct("search.csv", metric="accuracy", vault="scores.csv", n_resamples=50)
    assert first.estimate.method == "vault"
    frames = pd.read_csv("search.csv"), pd.read_csv("scores.csv")
    other = bbccli.correct(frames[0], metric="accuracy", vault=frames[1], n_resamples=50)
    assert other.value == first.value
    assert "60 samples sealed before the search" in other.sentence()
    assert len(lines()) == 1


def test_scores_of_items_need_no_truth(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"item": range(200), "prompt": [f"p {i}" for i in range(200)]}).to_json(
        "items.jsonl", orient="records", lines=True
    )
    run.printed("vault", "items.jsonl", "-o", "v")
    rng = np.random.default_rng(0)
    search, sealed = (
        pd.read_json(tmp_path / f"v/{name}.jsonl", lines=True)[["item"]]
        for name in ("search", "vault")
    )
    said = {f"p{k}": rng.integers(0, 2, 150) for k in range(8)}
    search.assign(**said).to_csv("search.csv", index=False)
    sealed.assign(p3=[0, 1] * 25).to_csv("v/scores.csv", index=False)
    how = ("--task", "score", "--row-id", "item", "--vault", "v/scores.csv")
    row = vault_row(run.document("correct", "search.csv", *how))
    assert row["value"] == 0.5
    assert row["interval"]["lower"] == pytest.approx(binomtest(25, 50).proportion_ci().low)


def test_columns_that_were_sealed_are_no_predictions(place, run):
    plain = vault_row(corrected(run))
    parts()[1].merge(pd.read_csv("scores.csv"), on="id").to_csv("beside.csv", index=False)
    assert vault_row(corrected(run, scores="beside.csv")) == plain
    assert len(lines()) == 1


# What is refused


REFUSED = {
    "two": (lambda s, v: s.assign(other="no"), "2 configurations, but one is opened"),
    "few": (lambda s, v: s[:50], "10 sealed samples have no score"),
    "one less": (lambda s, v: s[1:], "1 sealed sample has no score, such as"),
    "more": (
        lambda s, v: pd.concat([s, s[:3].assign(id=["x1", "x2", "x3"])]),
        "3 samples are not in the vault, such as x1, x2, x3",
    ),
    "twice": (lambda s, v: pd.concat([s, s[:1]]), "occurs twice"),
    "keyless": (lambda s, v: s.drop(columns="id"), "has no key of its rows"),
    "numbered": (lambda s, v: s.assign(id=range(60)), "60 samples are not in the vault"),
    "spelled": (lambda s, v: s.assign(id=s.id.str.upper()), "another form"),
    "shuffled": (
        lambda s, v: s.assign(truth=v.truth.sample(frac=1, random_state=1).to_numpy()),
        "the truth is not that of the sealed rows",
    ),
    "probabilities": (
        lambda s, v: s[["id"]].assign(p=np.linspace(0.1, 0.9, 60)),
        "predictions of the search are label, these are probability",
    ),
    "codes": (
        lambda s, v: s[["id"]].assign(
            p=(s.iloc[:, 1] == "yes").astype(int), truth=np.where(v.truth == "yes", "b", "a")
        ),
        "classes of the search are no, yes, these are a, b",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_scores_are_refused_and_not_counted(place, run, name):
    make, said = REFUSED[name]
    make(pd.read_csv("scores.csv"), parts()[1]).to_csv("wrong.csv", index=False)
    assert said in refused(run, scores="wrong.csv")
    assert lines() == []


def test_a_sealed_row_among_those_of_the_search_is_refused(place, run):
    search, sealed = pd.read_csv("search.csv"), parts()[1]
    leak = search[:2].assign(id=sealed.id[:2].to_numpy())
    pd.concat([search, leak]).to_csv("leak.csv", index=False)
    assert "2 samples of the search are sealed, such as" in refused(run, search="leak.csv")
    search.drop(columns="id").to_csv("keyless.csv", index=False)
    assert "keyless.csv: has no key" in refused(run, search="keyless.csv")


def test_a_vault_split_inside_a_group_is_refused(place, run):
    search = pd.read_csv("search.csv").merge(ITEMS[["id", "patient"]], on="id")
    search.to_csv("grouped.csv", index=False)
    said = refused(run, "--group", "patient", search="grouped.csv")
    assert "the vault was split inside" in said
    search, sealed = sealed_again("--group", "patient")
    columns = {f"c{k}": predicted(search.truth, 0.6, k) for k in range(5)}
    search[["id", "truth", "patient"]].assign(**columns).to_csv("grouped.csv", index=False)
    sealed[["id"]].assign(c0=predicted(sealed.truth, 0.7)).to_csv("scores.csv", index=False)
    row = vault_row(corrected(run, "--group", "patient", search="grouped.csv"))
    right = round(row["value"] * len(sealed))
    exact = binomtest(right, len(sealed)).proportion_ci(0.95)
    assert row["interval"]["lower"] != pytest.approx(exact.low)  # groups are resampled


def test_a_changed_vault_a_lost_count_and_a_copy_are_told(place, run):
    shutil.copytree("items-vault", place / "elsewhere" / "copy")
    shutil.copy("scores.csv", "elsewhere")
    found = vault_row(corrected(run, scores="elsewhere/scores.csv"))
    assert not found["opened"]["counted"]
    assert "openings-uncounted" in [one["code"] for one in found["notes"]]
    sealed = place / "items-vault/vault.csv"
    text = sealed.read_text()
    sealed.write_text(text.replace("yes", "no", 1))
    assert "changed after they were sealed" in refused(run)
    sealed.write_text(text)
    (place / "items-vault/openings.jsonl").unlink()
    assert "count of the openings can't be read" in refused(run)


def test_wrong_places_are_named(place, run):
    shutil.copytree("items-vault", "second-vault")
    assert "2 vaults are beside these scores: items-vault, second-vault" in refused(run)
    shutil.rmtree("second-vault")
    (place / "away").mkdir()
    shutil.copy("scores.csv", "away")
    assert "no vault is beside these scores" in refused(run, scores="away/scores.csv")
    assert "no such file" in refused(run, scores="away/score.csv")
    for given in ("items-vault", "items-vault/vault.csv"):
        assert "has the sealed rows themselves" in refused(run, scores=given)


def test_options_that_do_not_go_with_a_vault_are_refused(place, run):
    assert "judges a single configuration as it is" in refused(run, "--select", "mean:3")
    for reach in ("1.2", "nan"):
        assert "no accuracy gets there" in refused(run, "--reach", reach)
    for option in (("--reach", 0.8), ("--stricter",)):
        assert "without --vault" in run.refused("correct", "search.csv", *option)
    assert lines() == []


def test_what_can_not_be_scored_is_not_counted(place, run):
    assert run("correct", "search.csv", "--metric", "auc", "--vault", "scores.csv")[0] == 2
    assert lines() == []


# What counts


@pytest.mark.parametrize("step", [4, swept(1)])
def test_no_fault_shows_a_figure_that_is_not_counted(place, step):
    seen = set()
    for k in range(1, 600, step):
        before, fault, profile = len(lines()), Fault(k, is_io, disk), sys.getprofile()
        found = None
        sys.setprofile(fault)
        try:
            found = bbccli.correct(
                "search.csv", metric="accuracy", method="cvt", vault="scores.csv", stricter=True
            )
        except Exception:
            found = None
        finally:
            sys.setprofile(profile)
        more = len(lines()) - before
        assert found is None or len(lines()) == 1, fault.where
        seen.add((found is None, more))
        if fault.seen < k:
            break
        (place / "items-vault/openings.jsonl").write_bytes(b"")
    assert {(True, 0), (False, 1)} <= seen


def test_a_torn_line_counts(place, run):
    with (place / "items-vault/openings.jsonl").open("a") as file:
        file.write('\n{"id": "3", "sha')
    assert "1 opening of 1 planned" in refused(run)
    row = vault_row(corrected(run, "--stricter"))
    assert row["opened"]["number"] == 2
    assert row["opened"]["level"] == pytest.approx(1 - 0.05 / 4 / 61)


def test_a_recording_has_its_own(place, tmp_path):
    rec = Recorder(tmp_path / "run", np.zeros((N, 1)), TRUTH, cv=5, vault=0.2)
    rec.write_all("a", TRUTH[rec.rows])
    rec.write_all("b", np.full(len(rec.rows), "no"))
    with pytest.raises(OptionError, match="has a vault of its own"):
        bbccli.correct(rec, metric="accuracy", vault=str(place / "scores.csv"))


@pytest.mark.parametrize("name", ["inspect", "deepeval", "every_eval_ever", "lm_eval"])
def test_logs_of_evaluations_are_joined_by_what_names_their_items(tmp_path, run, name):
    items = pd.DataFrame({"item": range(200), "question": [f"q{i}" for i in range(200)]})
    items.to_json(tmp_path / "i.jsonl", orient="records", lines=True)
    made = seal(tmp_path / "i.jsonl")
    search, sealed = (
        pd.read_json(made / f"{name}.jsonl", lines=True)["item"].tolist()
        for name in ("search", "vault")
    )
    rng = Random(1)
    runs = [Run(f"m{k}", {i: [int(rng.random() < 0.5)] for i in search}) for k in range(4)]
    for place, own in (
        ("search", runs),
        ("i-vault/logs", [Run("m1", {i: [i % 2] for i in sealed})]),
        ("seen", [Run("m1", {i: [i % 2] for i in [*search[:2], *sealed]})]),
    ):
        (tmp_path / place).mkdir()
        WRITERS[name](tmp_path / place, own, rng)
    how = ("--n-resamples", 50, "--vault", tmp_path / "i-vault/logs")
    if name == "lm_eval":  # it numbers the items of a run
        error = run.refused("correct", tmp_path / "search", *how).replace("\n", " ")
        assert "samples are not in the vault" in error
        assert "--row-id names a fact about the items" in error
        error = run.refused("correct", tmp_path / "search", *how, "--row-id", "doc.level")
        assert "no key: items lack it, or share a value" in error.replace("\n", " ")
        assert ".jsonl" in error  # the log of which it is none
        assert lines(made) == []
        how = (*how, "--row-id", "doc.question")
    found = run.document("correct", tmp_path / "search", *how)
    assert vault_row(found)["value"] == pytest.approx(np.mean(np.array(sealed) % 2))
    assert "are sealed, such as" in run.refused("correct", tmp_path / "seen", *how)
    if name == "lm_eval":  # a file of the folder alone is the same opening
        (file,) = (tmp_path / "i-vault/logs").rglob("samples_*.jsonl")
        shutil.copy(file, tmp_path / "i-vault/one.jsonl")
        one = ("--n-resamples", 50, "--vault", tmp_path / "i-vault/one.jsonl", *how[-2:])
        again = run.document("correct", tmp_path / "search", *one)
        assert vault_row(again)["value"] == vault_row(found)["value"]
        assert len(lines(made)) == 1


def test_keys_that_are_variables_are_joined_by_the_one_that_the_vault_has(place, run):
    sealed_again("--row-id", "key", items=ITEMS.assign(key=[f"k{i}" for i in range(N)]))
    for name in ("search", "scores"):
        table = pd.read_csv(f"{name}.csv")
        keys = [json.dumps({"tone": "kind", "id": one}) + " #7" for one in table.id]
        right = (table.drop(columns=["id", "truth"], errors="ignore") == "yes").astype(int)
        right.assign(id=keys).to_csv(f"{name}.csv", index=False)
    how = ("--task", "score", "--vault", "scores.csv")
    assert vault_row(run.document("correct", "search.csv", *how))["opened"]["n_samples"] == 60


def test_a_key_under_another_name_is_found_by_its_values(place, run):
    sealed_again("--row-id", "key", items=ITEMS.assign(key=[f"k{i}" for i in range(N)]))
    first = vault_row(corrected(run))  # its scores have the ids
    assert first["value"] == pytest.approx(0.7, abs=0.15)


def test_the_truth_is_that_which_the_search_has(place, run):
    """The vault was shared out evenly by a column that is not the truth."""
    rng, found = np.random.default_rng(0), []
    for part in sealed_again("--truth", "truth", items=ITEMS.assign(value=ITEMS["size"] * 2)):
        columns = {f"r{k}": part.value + rng.normal(size=len(part)) for k in "ab"}
        found.append(part[["id", "value"]].assign(**columns))
    found[0].to_csv("search.csv", index=False)
    how = ("--truth", "value", "--metric", "mae", "--vault", "scores.csv")
    rows = []
    for scores in (found[1][["id", "ra"]], found[1][["id", "value", "ra"]]):
        scores.to_csv("scores.csv", index=False)
        rows.append(vault_row(run.document("correct", "search.csv", *how)))
    assert rows[0] == rows[1]
    assert rows[0]["value"] == pytest.approx((found[1].ra - found[1].value).abs().mean())


def test_a_faster_process_takes_the_planned_opening(place, run, monkeypatch):
    write, counts = os.open, place / "items-vault/openings.jsonl"

    def overtaken(path, flags, *mode):
        if Path(path).name == counts.name and flags & os.O_APPEND:
            monkeypatch.setattr(os, "open", write)
            counts.write_text('{"name": "other", "sha256": "0"}')
        return write(path, flags, *mode)

    monkeypatch.setattr(os, "open", overtaken)
    assert "beyond the plan" in refused(run)
    assert len(lines()) == 2  # neither is lost


def test_a_column_that_recurs_like_groups_is_named_after_sealing_without_it(place, capsys):
    def said(**columns):
        shutil.rmtree("i-vault", ignore_errors=True)
        ITEMS.drop(columns="patient").assign(**columns).to_csv("i.csv", index=False)
        assert main(["vault", "i.csv", *options]) == 0
        return " ".join(capsys.readouterr().err.split())

    order, options = np.random.default_rng(0).permutation(N), []
    patient = ITEMS.patient.to_numpy()
    apart = {"age": RNG.integers(20, 80, N), "level": RNG.choice(["low", "mid", "high"], N)}
    for one in (patient, patient[order], np.sort(RNG.integers(0, 40, N))):
        text = said(subject=one, **apart)
        n_values = len(np.unique(one))
        assert f"'subject' has {n_values} values, each in" in text
        assert "remove i-vault and seal again with --group subject" in text
    assert "seal again" not in said(**apart)
    assert "seal again" not in said(answers=TRUTH, **apart)  # classes are no groups
    scattered = RNG.integers(0, 40, N)  # with one truth each
    one_truth = {"subject": scattered, "truth": np.where(scattered % 2, "yes", "no"), **apart}
    assert "'subject' has 40 values" in said(**one_truth)
    assert "seal again" not in said(subject=scattered, **apart)
    assert "seal again" not in said(truth=RNG.integers(0, 40, N), **apart)
    options = ["--group", "subject"]
    assert "seal again" not in said(subject=patient, **apart)


def test_scores_on_standard_input_may_hold_what_was_sealed_beside_them(place, monkeypatch):
    pd.read_csv("scores.csv").merge(parts()[1], on="id").to_csv("all.csv", index=False)
    told = []
    for given in ("items-vault/scores.csv", "-"):
        sealed_again()
        shutil.copy("scores.csv", "items-vault/scores.csv")
        text = io.TextIOWrapper(io.BytesIO((place / "all.csv").read_bytes()))
        monkeypatch.setattr(sys, "stdin", text)
        told.append(bbccli.correct("search.csv", vault=given, metric="accuracy", n_resamples=50))
    assert told[0].value == told[1].value
