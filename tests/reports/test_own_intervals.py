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
    rf"(?:95% (?:simultaneous )?(?:interval|CI) )?{FIGURE} to {FIGURE}"
)
"""A figure, and ends after it with nothing but words and a level between them; no quartiles."""

FIGURES = ("corrected", "value", "score", "performance", "difference", "gain")
"""Fields that may have an interval, the one it is about first."""


def pairs_of(document):
    """Each figure of a document with the ends of its interval."""
    if isinstance(document, list):
        return {pair for part in document for pair in pairs_of(part)}
    if not isinstance(document, dict):
        return set()
    found = {pair for part in document.values() for pair in pairs_of(part)}
    own = document.get("interval", document.get("uncertainty", {}).get("confidence_interval"))
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
    else:  # annotations of GitHub write percent signs otherwise
        lines = [text.replace("*", "").replace("%25", "%")]
    return [found for line in lines for found in BESIDE.findall(" ".join(line.split()))]


def strangers(text, pairs):
    """What a text says of a figure and an interval that are no pair."""
    return [said for said in beside(text) if not any(all(map(shows, said, pair)) for pair in pairs)]


def told(form, text):
    """Each figure and its ends that a form says, as it writes them."""
    if form == "csv":
        rows = csv.DictReader(io.StringIO(text))
        found = {p for row in rows for p in pairs_of({k: number(v) for k, v in row.items()})}
    elif form in ("metrics.json", "every-eval-ever"):
        found = pairs_of(json.loads(text))
    else:
        return beside(text)
    return sorted(tuple(map(repr, one)) for one in found)


def number(cell):
    """A cell of CSV as JSON has it."""
    try:
        return float(cell.lstrip("'"))
    except ValueError:
        return None


def unlike(form, text, pairs):
    """What a form says of a figure and an interval that are no pair."""
    if form in EXACT:
        known = {tuple(map(repr, pair)) for pair in pairs}
        return [said for said in told(form, text) if said not in known]
    return strangers(text, pairs)


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
    "correct": ("txt", "md", "html", "xml", "csv", "metrics.json", "github", "every-eval-ever"),
    "batch": ("table", "html", "csv", "metrics.json"),
    "leaderboard": ("txt", "html"),
    "drop": ("txt", "html"),
    "plan": ("txt", "md", "html", "csv"),
}
COMPARED = ("txt", "md", "html", "csv", "xml")
EXACT = ("csv", "metrics.json", "every-eval-ever")
"""Forms that hold numbers in full."""

PRINTED = {"github": ("--format", "github"), "every-eval-ever": ("--format", "every-eval-ever")}
PRINTED |= {"table": ()}
"""Forms that no ending of a file asks for."""
RANKED = {"correct", "leaderboard"}
"""Kinds whose page has a ranking, with the intervals of the set that may be the best."""


def written(run, folder, tmp_path, monkeypatch, kind, forms=()):
    """The pairs of a command's document, and what each of its forms says, or of some."""
    monkeypatch.chdir(folder)
    lines = "jsonl" if kind == "batch" else "json"
    texts = {}
    for form in (lines, *(forms or FORMS.get(kind, COMPARED))):
        target = tmp_path / f"o.{form}"
        asked = PRINTED.get(form, ("-o", target))
        status, out, err = run(*COMMANDS[kind], *FAST, *asked)
        assert status == 0, err
        texts[form] = out if form in PRINTED else target.read_text()
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
def test_every_figure_has_its_own_interval(run, folder, tmp_path, monkeypatch, kind):
    pairs, texts = written(run, folder, tmp_path, monkeypatch, kind)
    assert bool(pairs) == (kind != "drop")
    for form, text in texts.items():
        assert unlike(form, text, pairs) == [], form
        assert bool(told(form, text)) == (kind != "drop") or form == "xml", form


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


SWAPPED = [("set", form) for form in COMPARED if form != "xml"]
SWAPPED += [(kind, form) for kind in ("correct", "batch") for form in FORMS[kind]]


@pytest.mark.parametrize(("kind", "form"), SWAPPED)
def test_the_law_sees_intervals_of_others(run, folder, tmp_path, monkeypatch, kind, form):
    """Of another row, metric or file, in each place of a form where it stands by itself."""
    pairs, texts = written(run, folder, tmp_path, monkeypatch, kind, (form,))
    text, between = texts[form], None if form in EXACT else " to "
    ends = [
        list(said[1:]) if between is None else [" to ".join(said[1:])] for said in told(form, text)
    ]
    own = ends[0]
    other = next(one for one in ends if one != own)
    for one, another in zip(own, other, strict=True):
        places = [found.start() for found in re.finditer(re.escape(one), text)]
        assert places
        for at in places:
            swapped = text[:at] + another + text[at + len(one) :]
            assert unlike(form, swapped, pairs), swapped[at - 60 : at + 60]
