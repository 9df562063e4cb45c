"""The page: its content and order, inert names, its size, the same bytes every time."""

import base64
import hashlib
import re
from datetime import datetime

import matrices
import pages
import pytest
from day import swept
from documents import named
from pages import check_inert, read, shown

from bbccli.documents.correct import error_envelope
from bbccli.errors import OptionError
from bbccli.notes import severity_of
from bbccli.reports import FORMS
from bbccli.reports.figures import rendering
from bbccli.reports.page.page import assumptions, page


def test_the_order_of_a_page():
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", pages.ordinary())
    assert headings == [
        "Estimates by method",
        "Summary",
        "Notes",
        "Gain from searching",
        "Spread of the resamples",
        "Who wins",
        "All configurations",
        "Fold by fold",
        "ROC of the winner",
        "Calibration of the winner",
        "Assumptions",
        "Methods for a paper",
        "How this page was made",
    ]


def test_it_is_well_formed_and_inert():
    found = check_inert(pages.ordinary())
    assert found.tags.count("svg") == 14 and found.tags.count("figure") == 8
    assert found.tags.count("details") == 8 + ("harmless note" in "".join(found.text))
    assert found.tags.count("h1") == 1 and found.tags.count("main") == 1


def test_its_own_policy_allows_its_style_and_nothing_else():
    text = pages.ordinary()
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert "url(" not in style and "@import" not in style


@pytest.mark.sweep
def test_the_same_bytes_every_time():
    assert page([pages.exhibit()]) == pages.ordinary()


@pytest.mark.sweep
@pytest.mark.parametrize("name", pages.NAMES, ids=lambda name: name[:12])
def test_names_are_inert(name):
    text = page([pages.hostile(name)])
    check_inert(text)
    assert len(text.encode()) < 2**20
    assert "secret" not in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", text)


def test_without_the_package_it_has_its_tables_and_says_what_to_install(monkeypatch):
    monkeypatch.setattr("bbccli.reports.page.sections.can_render", lambda: False)
    found = check_inert(page([pages.usual()]))
    assert "svg" not in found.tags and found.tags.count("table") == 11
    assert rendering.INSTALL in "".join(found.text)


def test_a_saved_result_names_what_is_missing():
    found = check_inert(page([shown(pages.usual().json)]))
    words = "".join(found.text)
    assert "Not shown" in words and "Fold by fold: it needs the predictions" in words


@pytest.mark.sweep
def test_ten_thousand_configurations_are_a_small_page():
    matrix = matrices.binary(n_samples=30, n_configurations=10_000)
    text = page([pages.exhibit(matrix, "accuracy", ("cvt", "bbc"))])
    assert len(text.encode()) < 400_000
    assert "300 more are not listed" in text


def test_numbers_are_those_of_the_document():
    found = pages.usual().json
    shown = "".join(read(pages.ordinary()).text).replace("\xa0", " ")
    for note in found["notes"]:
        assert note["text"] in shown
    assert found["version"] in shown and "tsamardinos2018" in shown


def test_notes_stand_in_the_order_in_which_they_matter():
    found = pages.exhibit().json
    codes = ("duplicate-configurations", "redrawn-resamples", "equals-truth", "of-a-later-version")
    notes = [{"code": code, "text": f"said of {code}", "remedy": ""} for code in codes]
    estimates = [e | {"notes": []} for e in found["estimates"]]
    words = "".join(read(page([shown(found | {"notes": notes, "estimates": estimates})])).text)
    places = {code: words.index(f"said of {code}") for code in codes}
    found = sorted(codes, key=places.get)
    assert found == sorted(codes, key=severity_of) != list(codes)


@pytest.mark.sweep
def test_a_file_without_a_result_is_named_as_the_others_are_and_once():
    first = pages.exhibit().json
    exhibits = [
        shown(first | {"input": first["input"] | {"path": f"/runs/all/{name}.csv"}})
        for name in ("a", "b")
    ]
    path = "/runs/all/bad.csv"
    failure = error_envelope(path, f"{path}: no truth", "", 2)
    words = "".join(read(page(exhibits, [failure])).text)
    part = words[words.index("Points to check") : words.index("1. /runs/all/a.csv")]
    assert "bad.csv" in part and "no result: no truth" in part and path not in part
    assert part.index("From naive to corrected AUC") < part.index("All experiments, AUC")


class TestAssumptions:
    def states(self, *codes, **parts):
        found = pages.usual().json
        notes = [{"code": code, "text": "", "remedy": ""} for code in codes]
        estimates = [e | {"notes": []} for e in found["estimates"]]
        whole = found | {"notes": notes, "estimates": estimates}
        read_ = whole["input"] | parts
        return {claim: state for claim, state, _ in assumptions((whole | {"input": read_}).record)}

    @pytest.mark.parametrize(
        ("code", "claim"),
        [
            ("equals-truth", "had not seen the sample"),
            swept("flagged-left-out", "tried are included"),
            swept("available-cases", "same samples"),
            swept("few-groups", "enough samples"),
            swept("group-spans-folds", "had not seen the sample"),
            swept("redrawn-resamples", "enough samples"),
            swept("few-resamples", "enough resamples"),
        ],
    )
    def test_a_note_violates_its_own(self, code, claim):
        plain, noted = self.states(), self.states(code)
        changed = [one for one in plain if plain[one] != noted[one]]
        assert len(changed) == 1 and claim in changed[0]
        assert noted[changed[0]] == "violated"

    def test_groups_are_independent_as_they_were_named(self):
        (claim,) = [one for one in self.states() if "independent" in one]
        assert self.states()[claim] == "unknown"
        assert self.states(n_groups=20)[claim] == "met"


def test_a_page_has_the_date_of_the_clock_or_of_the_variable(monkeypatch):
    assert "Page made on 21 September 2026 by bbc" in "".join(read(pages.ordinary()).text)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    text = page([shown(pages.usual().json)])
    assert '<time datetime="1970-01-01">1 January 1970</time>' in text
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    days = {datetime.now().astimezone().date().isoformat()}
    text = page([shown(pages.usual().json)])
    days.add(datetime.now().astimezone().date().isoformat())  # midnight may be between them
    assert any(f'<time datetime="{one}">' in text for one in days)


@pytest.mark.parametrize("value", ["yesterday", "1e9", "9" * 30])
def test_a_time_that_is_none_is_refused(monkeypatch, value):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(OptionError, match="SOURCE_DATE_EPOCH"):
        page([shown(pages.usual().json)])


def test_the_summary_has_the_facts_of_the_terminal():
    found = pages.usual()
    text = "".join(read(pages.ordinary()).text).replace("\xa0", " ")
    first = text.index(f"{found.document.estimates[1].winner} scored 0.")
    assert first < text.index("Expect 0.") < text.index("Summary")
    part = text[text.index("Summary") : text.index("Gain from searching")]
    facts = dict(re.findall("^- (\\w+): (.*)$", FORMS["markdown"](found.document), re.MULTILINE))
    assert {"report", "choice", "search"} <= facts.keys()
    assert all(f"{name}{said}" in part for name, said in facts.items())


JOINED = "gradient_boosting_learning_rate_0.01_max_depth_3"


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("svm", "<td>svm</td>"),
        ("C=0.1, k=3", "<td>C=0.1, k=3</td>"),  # words may part at blanks
        (JOINED, f'<td class="long">{JOINED.replace("_", "_<wbr>")}</td>'),
        ("HistForest(rate=0.01,max_depth=3)", "HistForest(<wbr>rate=<wbr>0.01,<wbr>max_<wbr>depth"),
        ("x" * 40, f'<td class="long unbroken">{"x" * 40}</td>'),  # it has no joint
        ("\u05d0\u05d1 \u05d2 won 18%", "<bdi>\u05d0\u05d1 \u05d2</bdi> won"),
        ("try --fail-under=0.5", 'try <span class="whole">--fail-under</span>=0.5'),
    ],
)
def test_names_break_at_their_joints_and_not_within_words(name, cell):
    text = page([shown(named(name, pages.usual().json), command="bbc a\nb --top=5")])
    assert f'<th scope="row">file</th>{cell}' in text or f">{cell}" in text
    assert '<code>bbc a\nb <span class="whole">--top</span>=5</code>' in text
    assert not re.search('="[^"]*<(wbr|span|bdi)', text)


def test_words_are_flush_left_and_figures_flush_right():
    text = pages.ordinary()
    for column, kind in (("configuration", ' class="text"'), ("naive", ""), ("95% CI", "")):
        assert f'<th scope="col"{kind}>{column.replace(" ", "&nbsp;")}</th>' in text or (
            f'<th scope="col"{kind}>{column}</th>' in text
        )
    assert '<td class="text">yes</td>' in text and "<td>none</td>" in text


def test_a_page_without_a_result_says_why_and_nothing_of_figures():
    found = pages.usual().json
    gate = {"threshold": 0.9, "direction": "maximize", "on": "bound", "metric": "auc"}
    gate |= {
        "method": "bbc",
        "value": None,
        "margin": None,
        "outcome": "undecided",
        "reason": "few",
    }
    text = page([shown(found | {"estimates": [], "search_cost": None, "gate": gate})])
    assert "Gate undecided: few" in text and "How this page was made" in text
    assert "Not shown" not in text and "Assumptions" not in text


def gated(found, path, outcome):
    gate = {"threshold": 0.9, "direction": "maximize", "on": "bound", "metric": "auc"}
    gate |= {"method": "bbc", "value": 0.8, "margin": -0.1, "outcome": outcome, "reason": ""}
    return shown(found | {"gate": gate, "input": found["input"] | {"path": path}})


@pytest.mark.parametrize(
    ("argv", "n_rows", "told"),
    [([], 15 + 177, "All 177 rows"), (["--top", "5"], 5, "pooled predictions; 172 more")],
)
def test_a_leaderboard_folds_its_rows_and_names_no_option(
    run, samples, tmp_path, argv, n_rows, told
):
    target = tmp_path / "p.html"
    run("leaderboard", samples / "progression.parquet", "--no-wins", *argv, "-qo", target)
    text = target.read_text(encoding="utf-8")
    assert told in text and "--top" not in text and "--format" not in text
    assert text[: text.index("<h2")].count('scope="row"') == n_rows


def test_the_page_of_a_batch_says_what_was_learned_and_what_to_look_at():
    found = pages.usual().json
    exhibits = [gated(found, f"runs/{name}.csv", name) for name in ("met", "missed", "undecided")]
    reasons = ("no truth", "no truth (row 7)", "empty", "a third", "a fourth")
    errors = [
        error_envelope(f"runs/bad{i}.csv", f"runs/bad{i}.csv: {reason}", "", 2)
        for i, reason in enumerate(reasons)
    ]
    text = "".join(read(page(exhibits, errors)).text)
    box = text[text.index("Page made") : text.index("Points to check")]
    assert "(median of 3 files, bbc)." in box
    assert "3 gates: 1 failed, 1 met, 1 undecided." in box
    assert "Without a result: 5 of 8 files: no truth (2); empty (1); a third (1); others." in box
    look = text[text.index("Points to check") : text.index("From naive to corrected")]
    assert (
        "bad0.csvno result: no truth" in look
        and "missed.csvgate failed: lower bound of the AUC" in look
    )
    assert "undecided.csv" in look and "/met.csv" not in look and "csvgate met" not in look


@pytest.mark.parametrize(
    ("argv", "title", "told"),
    [
        (("plan", "{}", "--width", "0.2"), "Sample size: ", "expected"),
        (("drop", "--replay", "{}"), "Dropping: ", "trained"),
        (("leaderboard", "{}"), "Leaderboard: ", "fold means"),
    ],
)
def test_other_commands_write_pages_too(run, samples, tmp_path, argv, title, told):
    target = tmp_path / "x.html"
    file = str(samples / "progression.parquet")
    argv = [file if part == "{}" else part for part in argv]
    status, out, err = run(*argv, "--n-resamples", 50, "-o", target)
    assert (status, out) == (0, "") and err.splitlines()[-1] == f"wrote {target}"
    text = target.read_text("utf-8")
    if argv[0] == "leaderboard":
        assert text.count("<p><strong>") == 1 and "<p><strong>Expect " in text
    found = check_inert(text)
    words = "".join(found.text)
    assert f"{title}progression.parquet" in words and told in words
    assert "How this page was made" in words
    assert found.tags.count("h1") == 1 and "strong" in found.tags
