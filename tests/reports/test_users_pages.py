"""Pages, figures and sentences as users get to them, beside the JSON of the same result."""

import json
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

from bbccli.platform.records import Document
from bbccli.reports import RECORDS, Kind, imported
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import Absent, draw

pytestmark = pytest.mark.sweep

FAST = ("--n-resamples", "50")
NAMES = {"a": 0.1, "b": 0.5, "c": 0.4}


def made(seed=0, n=40, names=NAMES):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    found = pd.DataFrame({"row_id": range(n), "truth": truth, "fold": np.arange(n) // 2 % 5})
    for name, effect in names.items():
        found[name] = np.round(truth * effect * 0.6 + rng.random(n) * 0.6, 2)
    return found


@pytest.fixture
def save(tmp_path):
    def save(table, name="p.csv", **metadata):
        path = tmp_path / name
        table.to_csv(path, index=False)
        if metadata:
            said = {"spec": "bbc-predictions", "version": "1.0"} | metadata
            path.with_suffix(".meta.json").write_text(json.dumps(said))
        return path

    return save


@pytest.fixture
def page(run, tmp_path, monkeypatch):
    """The words of a page without pictures that a command writes, with | between cells."""
    monkeypatch.setattr("bbccli.reports.page.sections.can_render", lambda: False)

    def call(*argv):
        target = tmp_path / "page.html"
        assert run(*argv, *FAST, "-q", "-o", target)[0] in (0, 3, 5)
        text = re.sub(r"<style.*?</style>", "", target.read_text(), flags=re.DOTALL)
        text = re.sub(r"</t[hd]>", " | ", text)
        text = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</(tr|p|h\d|div)>", "\n", text)))
        return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())

    return call


def performances(run, path):
    rows = json.loads(run("leaderboard", path, "--format", "json", *FAST, "-q")[1])["rows"]
    return {row["configuration"]: row["performances"][0]["value"] for row in rows}


def test_a_single_configuration_was_neither_searched_nor_corrected(run, save, page):
    path = save(made(names={"only": 0.5}))
    table = run("correct", path, *FAST, "--cost-of-search")[1]
    assert "search   There is a single configuration, so there is no search to assess.\n" in table
    told = page("correct", path)
    assert "There was one configuration, so nothing is corrected." in told
    assert "Gain from searching: a single configuration takes part." in told
    assert "Who wins: a single configuration takes part." in told
    for words in ("too good", "too bad", "moderately stable", "searching", "The search"):
        assert words not in told.split("Hint:")[0]


def test_what_is_explained_of_a_single_configuration(run, save, tmp_path):
    path, saved = save(made(names={"only": 0.5})), tmp_path / "r.json"
    assert run("correct", path, *FAST, "-q", "-o", saved)[0] == 0
    told = " ".join(run("explain", saved)[1].split())
    assert (
        "Report the AUC from bbc. There was only one configuration, so no selection made its score "
        "too good."
    ) in told
    assert "luck" not in told


@pytest.mark.parametrize(
    ("pooling", "words"),
    [
        ("fold-mean", "met | Not needed: selection is by the mean over folds."),
        ("within-folds", "met | Not needed: selection is by pairs within folds."),
        ("pooled", "unknown | Selection over folds has "),
    ],
)
def test_whether_folds_share_a_scale(page, save, pooling, words):
    told = page("correct", save(made()), "--pooling", pooling)
    assert f"Predictions of different folds are on one scale. | {words}" in told


def test_scores_that_came_out_again_and_models_that_all_take_part(page, save, run):
    table = made()
    path = save(table)
    board = [
        {"id": name, "metric": "auc", "value": value,
         "tolerance": 1e-6, "selection": "pooled"}
        for name, value in performances(run, path).items()
    ]  # fmt: skip
    save(table, run={"tool": "mine", "leaderboard": board[:2]})
    claim = "All configurations that were tried are included."
    for options, words in (((), "met | All models of the run take part."), (("a",), "violated | ")):
        told = page("correct", path, *(f"--exclude={name}" for name in options))
        assert "unknown | 2 of 2 scores of the run were reproduced, as they should be." in told
        assert f"{claim} | {words}" in told


def test_each_metric_of_a_batch_has_its_figure_table_and_gate(page, save):
    paths = [save(made(seed), f"p{seed}.csv") for seed in (0, 1)]
    asked = ("batch", *paths, "--metric", "auc", "--metric", "brier", "--jobs", "1")
    told = page(*asked, "--fail-under", "0.1")
    _, auc, brier = re.split("^From naive to corrected ", told, flags=re.MULTILINE)
    for label, part, gate in (("AUC", auc, "met"), ("Brier score", brier, "")):
        assert part.startswith(f"{label}\n") and f"experiments the naive {label} is too" in part
        (table,) = re.findall(f"All experiments, {label}\n(.*)", part, re.DOTALL)
        head = ["experiment", *["gate"] * bool(gate), "corrected", "interval", "naive"]
        assert table.count("p0.csv | ") == 1 and " | ".join(head) in table
        assert table.count("| met |") == 2 * bool(gate)


def test_files_in_two_metrics_have_a_figure_each(page, save, tmp_path):
    values = made(1)
    values["truth"] = values["a"] * 3 + np.random.default_rng(0).normal(0, 0.2, len(values))
    paths = [save(made()), save(values, "q.csv")]
    told = page("batch", *paths, "--jobs", "1")
    _, auc, r2 = re.split("^From naive to corrected ", told, flags=re.MULTILINE)
    assert "p.csv |" in auc and "q.csv |" not in auc and auc.startswith("AUC")
    assert "q.csv |" in r2 and "p.csv |" not in r2
    assert told.count("(1 file, bbc") == 2  # of each metric its own


def test_the_rest_of_the_winners_is_counted(run, save, tmp_path):
    names = [{f"w{seed}": 0.9, "x": 0.0} for seed in range(9)]
    paths = [save(made(seed, names=own), f"p{seed}.csv") for seed, own in enumerate(names)]
    asked = ("batch", *paths, *FAST, "--metric", "auc", "--jobs", "1", "--summary")
    asked = (*asked, "-o", tmp_path / "r.csv")
    out = "".join(run(*asked)[1:])
    rows = re.findall(r"^(w\d|\(\d+ others?\)) +(\d+)$", out, re.MULTILINE)
    shown = [name for name, _ in rows if name.startswith("w")]
    assert sum(int(n) for _, n in rows) == 9
    rest = 9 - len(shown)
    assert rows[-1] == (f"({rest} other{'s' * (rest > 1)})", str(rest))


def test_the_cost_in_the_order_of_the_trials(run, save, tmp_path):
    path = save(made(), run={"tool": "recorder", "tried": ["c", "a", "b"]})
    saved, figure = tmp_path / "r.json", tmp_path / "cost.vl.json"
    assert run("correct", path, *FAST, "--cost-of-search", "-q", "-o", saved)[0] == 0
    assert run("plot", saved, "--kind", "cost", "-o", figure)[0] == 0
    cost = json.loads(saved.read_text())["search_cost"]
    points = json.loads(figure.read_text())["data"]["values"]
    for name, line in (
        ("naive", cost["naive"]),
        ("corrected", cost["corrected"]),
        ("naive, as tried", cost["tried"]["naive"]),
        ("corrected, as tried", cost["tried"]["corrected"]),
    ):
        drawn = [(one["count"], one["value"]) for one in points if one["series"] == name]
        assert drawn == list(zip(cost["counts"], line, strict=True)), name
    of = performances(run, path)
    best = [of["c"], max(of["c"], of["a"]), max(of.values())]
    assert cost["tried"]["naive"] == pytest.approx(best)


def test_too_many_samples_for_a_set_of_the_best_are_said_to_be(page, save):
    told = page("correct", save(made(n=5002, names={"a": 0.3, "b": 0.6})))
    assert "there are more than 5000 samples" in told
    assert (
        "in the confidence set" not in told.split("All configurations")[1].split("Fold by fold")[0]
    )


def test_the_page_of_a_plan_draws_its_cells_with_their_brackets(save, run):
    found = run.document("plan", save(made(n=120)), *FAST, "--optimism", "0.02", "--details")
    exhibit = Exhibit(Document(found, imported(RECORDS[Kind.PLAN])).record)
    drawn, chosen = draw("rows", exhibit), found["planned"]["chosen"]
    cells = [
        one
        for one in found["planned"]["cells"]
        if one["n_configurations"] == chosen["n_configurations"]
    ]
    values = drawn.spec["data"]["values"]
    widths = [(v["rows"], v["value"]) for v in values if "lower" not in v]
    assert widths == [(one["n_samples"], one["width"]) for one in cells]
    brackets = [[v[k] for k in ("rows", "lower", "value", "upper")] for v in values if "lower" in v]
    keys = ("n_samples", "optimism_lower", "optimism", "optimism_upper")
    assert brackets == [[one[key] for key in keys] for one in cells]
    (rule,) = [
        one["data"]["values"] for one in drawn.spec["layer"] if one["mark"]["type"] == "rule"
    ]
    assert rule == [{"rows": chosen["n_samples"]}]
    assert all(one["hover"].startswith(f"{one['rows']:,} samples: ") for one in values)


def test_a_plan_of_one_cell_has_no_figure(save, run):
    found = run.document("plan", save(made(n=120)), *FAST, "--samples", "200")
    assert isinstance(
        draw("rows", Exhibit(Document(found, imported(RECORDS[Kind.PLAN])).record)), Absent
    )
