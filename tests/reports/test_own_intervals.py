"""The law of own intervals: on every surface a figure has its own interval beside it."""

import csv
import html
import io
import json
import re

import numpy as np
import pandas as pd
import pytest

import bbccli

FAST = ("--n-resamples", "60", "-q")
FIGURE = r"(?<![\w=.+-])([+-]?\d+(?:\.\d+)?)(?!\w|\.\d)"
BESIDE = re.compile(
    rf"{FIGURE}(?! ?%)(?:(?!middle half)[^\d\n]){{0,60}}?"
    rf"(?:95 % (?:simultaneous )?(?:interval|CI) )?{FIGURE} to {FIGURE}"
)
"""A figure, and ends after it with nothing but words and a level between them; no quartiles."""

FIGURES = ("corrected", "value", "performance", "difference", "gain")
"""Fields that may have an interval, the one it is about first."""


def pairs_of(document):
    """Each figure of a document with the ends of its interval."""
    if isinstance(document, list):
        return {pair for part in document for pair in pairs_of(part)}
    if not isinstance(document, dict):
        return set()
    found = {pair for part in document.values() for pair in pairs_of(part)}
    own = document.get("interval")
    own = own if isinstance(own, dict) else document
    ends = own.get("lower", own.get("bound")), own.get("upper", own.get("bound_above"))
    figure = next((document[f] for f in FIGURES if isinstance(document.get(f), float)), None)
    found |= {(figure, *ends)} if figure is not None and None not in ends else set()
    for name, value in document.items():
        ends = document.get(f"{name}_lower"), document.get(f"{name}_upper")
        found |= {(value, *ends)} if None not in (value, *ends) else set()
    return found


def shows(said, value):
    """True if a text is a value, rounded."""
    places = len(said.partition(".")[2])
    return abs(float(said) - value) <= 0.5 * 10.0**-places * (1 + 1e-6)


def beside(text):
    """Each figure of a text, or of the cells, titles and labels of a page, with ends beside it."""
    if "<" in text:
        text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
        text = re.sub(r'<[^>]*(?:aria-label|title)="([^"]*)"[^>]*>', r"\n\1\n", text)
        text = re.sub(r"</t[hd]>", " | ", text)
        text = html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</(tr|p|title|div)>", "\n", text)))
        lines = text.splitlines()
    else:
        lines = [text.replace("*", "")]
    return [found for line in lines for found in BESIDE.findall(" ".join(line.split()))]


def strangers(text, pairs):
    """What a text says of a figure and an interval that are no pair."""
    return [said for said in beside(text) if not any(all(map(shows, said, pair)) for pair in pairs)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files of five configurations in two families, all of them unlike."""
    place = tmp_path_factory.mktemp("own")
    for k, file in enumerate("pq"):
        rng = np.random.default_rng(k)
        truth = np.arange(60) % 2
        table = {"row_id": range(60), "truth": truth, "fold": np.arange(60) // 2 % 5}
        effects = {"A=1": 0.3 + k / 5, "A=2": 1.2, "B=1": 0.9, "B=2": 1.0, "B=3": 0.5}
        table |= {name: truth * e + rng.normal(size=60) for name, e in effects.items()}
        pd.DataFrame(table).to_csv(place / f"{file}.csv", index=False)
    return place


METRICS = ("--metric", "auc", "--metric", "average-precision")
COMMANDS = {
    "correct": ("correct", "p.csv", *METRICS, "--cost-of-search"),
    "batch": ("batch", "p.csv", "q.csv", "--jobs", "1", *METRICS),
    "leaderboard": ("leaderboard", "p.csv"),
    "set": ("compare", "p.csv"),
    "baseline": ("compare", "p.csv", "--baseline", "A=1"),
    "families": ("compare", "p.csv", "--by", "regex:^(.)"),
    "pairs": ("compare", "p.csv", "--pair", "A=1", "B=1", "--test", "all"),
    "plan": ("plan", "p.csv"),
    "drop": ("drop", "p.csv"),
}
FORMS = {
    "correct": ("txt", "md", "html", "xml", "csv", "metrics.json"),
    "batch": ("html", "csv", "metrics.json"),
    "leaderboard": ("txt", "html"),
    "drop": ("txt", "html"),
    "plan": ("txt", "md", "html", "csv"),
}
COMPARED = ("txt", "md", "html", "csv")
RANKED = {"correct", "leaderboard"}
"""Kinds whose page has a ranking, with the intervals of the set that may be the best."""


def written(run, folder, tmp_path, monkeypatch, kind):
    """The pairs of a command's document, and what each of its forms says."""
    monkeypatch.chdir(folder)
    lines = "jsonl" if kind == "batch" else "json"
    texts = {}
    for form in (lines, *FORMS.get(kind, COMPARED)):
        target = tmp_path / f"o.{form}"
        status, _, err = run(*COMMANDS[kind], *FAST, "-o", target)
        assert status == 0, err
        texts[form] = target.read_text()
    document = (
        [json.loads(line) for line in texts.pop(lines).splitlines()]
        if (lines == "jsonl")
        else json.loads(texts.pop(lines))
    )
    pairs = pairs_of(document)
    if kind in RANKED:
        pairs |= pairs_of(json.loads(run(*COMMANDS["set"], *FAST, "--format", "json")[1]))
    return pairs, texts


@pytest.mark.parametrize("kind", COMMANDS)
@pytest.mark.one_in(1)
def test_every_figure_has_its_own_interval(run, folder, tmp_path, monkeypatch, kind):
    pairs, texts = written(run, folder, tmp_path, monkeypatch, kind)
    assert bool(pairs) == (kind != "drop")
    for form, text in texts.items():
        if form == "csv":
            said = {
                pair
                for row in csv.DictReader(io.StringIO(text))
                for pair in pairs_of({k: number(v) for k, v in row.items()})
            }
        elif form == "metrics.json":
            said = pairs_of(json.loads(text))
        else:
            assert strangers(text, pairs) == [], form
            assert bool(beside(text)) == (kind != "drop") or form == "xml", form
            continue
        assert said, form
        assert all(any(np.allclose(one, pair) for pair in pairs) for one in said), form


def number(cell):
    """A cell of CSV as JSON has it."""
    try:
        return float(cell.lstrip("'"))
    except ValueError:
        return None


def test_a_notebook_shows_own_intervals(folder):
    table = pd.read_csv(folder / "p.csv").drop(columns=["row_id", "fold"])
    truth = table.pop("truth")
    for result in (
        bbccli.correct(table, truth, metric="auc", n_resamples=60),
        bbccli.compare(table, truth, metric="auc", baseline="A=1", n_resamples=60),
        bbccli.compare(table, truth, metric="auc", n_resamples=60),
        bbccli.plan(table, truth, metric="auc", n_resamples=60),
    ):
        pairs = pairs_of(json.loads(json.dumps(result.document)))
        for text in (repr(result), result._repr_html_()):
            assert strangers(text, pairs) == []
        assert beside(result._repr_html_())


@pytest.mark.parametrize("form", ["txt", "md", "html"])
@pytest.mark.one_in(1)
def test_the_law_sees_intervals_of_other_rows(run, folder, tmp_path, monkeypatch, form):
    """Of a table, of Markdown, and of the text under the pointer."""
    pairs, texts = written(run, folder, tmp_path, monkeypatch, "set")
    text = texts[form]
    ends = list(dict.fromkeys(" to ".join(said[1:]) for said in beside(text)))
    last = text.rindex(ends[0])  # on a page in a picture or its table
    assert strangers(text[:last] + ends[1] + text[last + len(ends[0]) :], pairs)
