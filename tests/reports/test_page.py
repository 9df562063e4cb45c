"""The page: its content and order, inert names, its size, the same bytes every time."""

import base64
import hashlib
import re

import matrices
import pages
import pytest
from pages import check_inert, read, shown

from bbccli.core.notes import severity_of
from bbccli.reports.figures import rendering
from bbccli.reports.page.assumptions import assumptions
from bbccli.reports.page.markup import table
from bbccli.reports.page.whole import page
from bbccli.schema.correct import error_document


def test_the_order_of_a_page():
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", pages.ordinary())
    assert headings == [
        "To report",
        "Notes",
        "Estimates of the methods",
        "What the search cost",
        "Spread over the resamples",
        "Who wins",
        "All configurations",
        "Fold by fold",
        "ROC of the winner",
        "Calibration of the winner",
        "Assumptions",
        "Methods, for a paper",
        "Made from",
    ]


def test_it_is_well_formed_and_inert():
    found = check_inert(pages.ordinary())
    assert found.tags.count("svg") == 8 and found.tags.count("figure") == 8
    assert found.tags.count("details") == 8
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


def test_the_answer_stands_first():
    words = "".join(read(pages.ordinary()).text)
    found = pages.usual().json
    (bbc,) = [e for e in found["estimates"] if e["method"] == "bbc"]
    first = words.index(f"{bbc['winner']} scored 0.")
    assert first < words.index("Expect 0.") < words.index("To report")


@pytest.mark.sweep
@pytest.mark.one_in(5)
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
    assert "svg" not in found.tags and found.tags.count("table") == 10
    assert rendering.INSTALL in "".join(found.text)


def test_a_saved_result_names_what_is_missing():
    found = check_inert(page([shown(pages.usual().json)]))
    words = "".join(found.text)
    assert "Not shown" in words and "Fold by fold: needs the predictions" in words


@pytest.mark.sweep
def test_a_page_of_many_begins_with_a_table():
    text = pages.many(200, failures=2)
    found = check_inert(text)
    assert len(text.encode()) < 2**20
    assert found.tags.count("tr") >= 203
    words = "".join(found.text)
    assert "202 experiments. The naive AUC was too good by" in words
    assert "2 without a result" in words and "no result: bad <i>" in words


@pytest.mark.sweep
def test_a_page_of_a_few_shows_each():
    found = [pages.usual(), pages.exhibit(matrices.binary(seed=3))]
    read_ = check_inert(page(found))
    assert read_.tags.count("svg") == 17


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


def test_words_are_flush_left_and_figures_flush_right():
    text = table("t", ("name", "winner", "AUC", "interval"), [("a", "svm", "0.9", "none")])
    assert '<th scope="col" class="text">winner</th>' in text and '<th scope="col">AUC</th>' in text
    assert '<td class="text">svm</td><td>0.9</td><td>none</td>' in text
    assert '<td class="text">' not in table("t", ("a", "b"), [("a", "-0.1"), ("b", "undefined")])


def test_long_cells_may_take_several_lines():
    name = "gradient_boosting_learning_rate_0.01_max_depth_3"
    text = table("t", ("name", "what"), [("short", name), (name, "one word after another " * 3)])
    assert f'<td class="text long unbroken">{name}</td>' in text
    assert f'<th scope="row" class="long unbroken">{name}</th>' in text
    assert '<td class="text long">one word' in text
    assert table("t", ("a", "b"), []).count("<th") == 3  # of which one is thead


@pytest.mark.sweep
def test_a_file_without_a_result_is_named_as_the_others_are_and_once():
    first = pages.exhibit().json
    exhibits = [
        shown(first | {"input": first["input"] | {"path": f"/runs/all/{name}.csv"}})
        for name in ("a", "b")
    ]
    path = "/runs/all/bad.csv"
    failure = error_document(path, f"{path}: no truth", "", 2).record
    words = "".join(read(page(exhibits, [failure])).text)
    part = words[words.index("All of them") :].split("What", 1)[0]
    assert "bad.csv" in part and "no result: no truth" in part and path not in part
    assert "From naive to corrected" in part  # after the table


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
            ("flagged-left-out", "tried are here"),
            ("available-cases", "same samples"),
            ("few-groups", "samples enough"),
            ("group-spans-folds", "had not seen the sample"),
            ("redrawn-resamples", "samples enough"),
            ("few-resamples", "resamples enough"),
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


@pytest.mark.parametrize(
    ("argv", "told", "untold"),
    [
        (("progression.parquet",), "is of the percentile kind, guarded against", "held out"),
        (("progression.parquet", "--side", "pessimistic"), "95 % lower bound is of the", "Scores"),
        (("progression.parquet", "--no-guard"), "is of the percentile kind.", "guarded"),
        (("diabetes.parquet", "--metric", "mse"), "is of the percentile kind.", "guarded"),
        (("progression.parquet", "--method", "mabt"), "25 % of the samples were", " kind"),
        (("prompts.csv", "--task", "score"), "Scores of 16 configurations", "predictions"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_the_paragraph_for_a_paper_says_what_was_done(run, samples, tmp_path, argv, told, untold):
    path = tmp_path / "p.html"
    file, *options = argv
    argv = ("--method", "bbc", *options, "--n-resamples", 50, "-q", "-o", path)
    argv = argv[2:] if "--method" in options else argv
    assert run("correct", samples / file, *argv)[0] == 0
    words = re.sub(r"<[^>]*>", " ", path.read_text("utf-8")).replace("\xa0", " ")
    words = words.replace("&nbsp;", " ")
    paragraph = words[words.index("Methods, for a paper") :].partition("Software: bbc")[0]
    assert told in paragraph
    assert untold not in paragraph
