"""The page of a comparison, its figures, and the diagram of critical differences."""

import json
import re
from dataclasses import replace

import matrices
import numpy as np
import pages
import pytest
from pages import check_inert, shown

from bbccli import PredictionMatrix, compare
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import Source
from bbccli.reports import FORMS, Kind, Style
from bbccli.reports.evidence import Ranking
from bbccli.reports.figures import Absent, draw
from bbccli.types import PredictionKind, Task

FAST = {"n_resamples": 100, "random_state": 2}
LEVELS = (0.95, 0.9, 0.8, 0.55, 0.5)
"""Of five families, a to e, on ten data sets."""


def matrix_of(prefix="c"):
    matrix = matrices.binary(n_samples=60, n_configurations=6)
    object.__setattr__(matrix, "configurations", tuple(f"{prefix}{c}" for c in range(6)))
    object.__setattr__(matrix, "source", Source(path=prefix, sha256="0" * 64))
    return matrix


def of_set(matrix):
    return compare(matrix, metric="auc", **FAST).document


def of_baseline(matrix):
    asked = {"baseline": matrix.configurations[0], "margin": 0.02, "fail_unless": "better"}
    return compare(matrix, metric="auc", **asked, **FAST).document


def of_pairs(matrix):
    pair = matrix.configurations[:2]
    return compare(matrix, metric="auc", pair=pair, test="all", **FAST).document


def of_families(matrix):
    configs = [{"id": f"c{c}", "family": "abc"[c // 2]} for c in range(6)]
    known = matrices.changed_source(matrix, {"configs": configs})
    return compare(known, metric="auc", by="family", **FAST).document


def of_ranks(matrix=None, tests=("friedman", "nemenyi"), prefix=""):
    """Of scores that are the same for every sample."""
    rng, found = np.random.default_rng(0), []
    names = [f"{prefix}{c}" for c in "cadeb"]
    columns = ["abcde".index(name[-1]) for name in names]
    for d in range(10):
        values = np.array(LEVELS) + 0.001 * rng.normal(size=5)
        outcome = Outcome(Task.SCORE, np.zeros(20), bounds=(0.0, 1.0))
        scores = np.tile(values[columns], (1, 20, 1))
        one = PredictionMatrix(outcome, scores, tuple(names), PredictionKind.VALUE)
        found.append(replace(one, source=Source(path=f"d{d}", sha256=f"{d}" * 64)))
    return compare(found, across=True, test=list(tests), metric="mean-score", **FAST).document


def page_of(document):
    return FORMS["html"].render([document], Style(), Kind.COMPARE)


KINDS = {"set": of_set, "baseline": of_baseline, "pairs": of_pairs, "ranks": of_ranks}


@pytest.fixture(scope="module")
def documents():
    makers = KINDS | {"families": of_families}
    return {name: make(matrix_of()) for name, make in makers.items()}


@pytest.mark.parametrize("kind", KINDS)
class TestEach:
    @pytest.mark.sweep
    def test_the_verdict_stands_first(self, kind, documents):
        text = page_of(documents[kind])
        found = check_inert(text)
        words = "".join(found.text)
        n_inside = documents["set"]["best_set"]["n_inside"]
        sentence = {
            "set": f"{n_inside} of 6 configurations are in the 95% confidence set of the best",
            "baseline": "By AUC, c5 is ",
            "pairs": "By AUC, c0 is ",
            "ranks": "a has the best mean rank, 1.00 of 5; it cannot be distinguished from b",
        }[kind]
        assert words.index(sentence) < words.index("Summary") < words.index("Methods for a paper")
        assert "0" * 64 in words
        assert text == page_of(documents[kind])

    @pytest.mark.sweep
    def test_it_cites_what_was_used_and_nothing_else(self, kind, documents):
        text = page_of(documents[kind])
        expected = {
            "set": {"lei2020"},
            "baseline": {"lei2020", "westfall1993", "tsamardinos2018"},
            "pairs": set(),
            "ranks": {"tsamardinos2018", "demsar2006", "benavoli2016"},
        }[kind]
        assert set(re.findall(r"@\w+\{(\w+)", text)) == expected
        assert ("delong: DeLong et al. 1988" in text) == (kind == "pairs")
        assert ("nemenyi: Nemenyi 1963" in text) == (kind == "ranks")

    @pytest.mark.sweep
    @pytest.mark.parametrize("name", pages.NAMES, ids=lambda name: name[:12])
    def test_names_are_inert(self, kind, name):
        matrix = matrix_of(name)
        found = of_ranks(prefix=name) if kind == "ranks" else KINDS[kind](matrix)
        found["notes"].append({"code": "seen", "text": name, "remedy": name})
        text = page_of(found)
        check_inert(text)
        assert len(text.encode()) < 2**20 and "secret" not in text
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", text)


def test_the_members_are_those_of_the_set(documents):
    expected = documents["set"].record.best_set
    ranking = Ranking.of("auc", expected)
    assert [(r.configuration, r.lower, r.upper, r.inside) for r in ranking.rows] == [
        (m.configuration, m.lower, m.upper, m.inside) for m in expected.members
    ]


def test_differences_have_the_bounds_that_hold_at_once(documents):
    document = documents["baseline"]
    drawn = draw("differences", shown(document))
    first = document["comparisons"][0]
    measured, corrected, *rest = drawn.spec["data"]["values"]
    assert measured["value"] == first["difference"] and corrected["value"] == first["corrected"]
    ends = first["interval"]["lower"], first["interval"]["upper"]
    assert (measured["lower"], measured["upper"]) == ends
    assert "lower" not in corrected and len(rest) == 4  # the winner once, the baseline not at all
    values = [one["value"] for one in rest]
    assert values == sorted(values, reverse=True)
    assert "intervals that hold for all configurations at once" in drawn.caption


def test_differences_of_a_pair_have_the_interval_of_each_test(documents):
    document = documents["pairs"]
    drawn = draw("differences", shown(document))
    intervals = {one["test"]: one["interval"] for one in document["comparisons"] if one["interval"]}
    told = {v["name"]: (v["lower"], v["upper"]) for v in drawn.spec["data"]["values"]}
    for test, interval in intervals.items():
        assert told[test] == (interval["lower"], interval["upper"])
    assert "ignore any selection" in drawn.caption


class TestRanks:
    def values(self, documents, what):
        drawn = draw("cd", shown(documents["ranks"]))
        return [value for value in drawn.spec["data"]["values"] if value["what"] == what]

    def test_the_best_is_left_and_on_top(self, documents):
        best, worst = (self.values(documents, what) for what in ("best", "worst"))
        assert [one["name"] for one in best] == ["a", "b", "c"]
        assert [one["name"] for one in worst] == ["d", "e"]
        assert [one["rank"] for one in best + worst] == [1, 2, 3, 4, 5]
        levels = [one["level"] for one in best]
        assert levels == sorted(levels)
        assert worst[0]["level"] > worst[1]["level"]  # their lines do not cross
        spec = draw("cd", shown(documents["ranks"])).spec
        scales = [layer["encoding"]["x"].get("scale") for layer in spec["layer"]]
        assert all(scale is None or scale["domain"] == [1, 5] for scale in scales)
        rows = draw("cd", shown(documents["ranks"])).rows
        assert [row[0] for row in rows] == list("abcde")

    def test_bars_join_the_groups_and_no_others(self, documents):
        ranks = documents["ranks"]["ranks"]
        place = {one["family"]: one["mean_rank"] for one in ranks["standings"]}
        apart = {
            frozenset((one["first"], one["second"]))
            for one in ranks["pairs"]
            if one["p_adjusted"] <= 0.05
        }
        bars = [(one["rank"], one["to"]) for one in self.values(documents, "bar")]
        assert bars == [(place[group[0]], place[group[-1]]) for group in ranks["groups"]]
        assert bars and frozenset("ae") in apart
        for low, high in bars:
            inside = [name for name in place if low <= place[name] <= high]
            assert not any(frozenset((x, y)) in apart for x in inside for y in inside if x != y)

    def test_the_critical_difference_is_as_long_as_it_is(self, documents):
        (line,) = self.values(documents, "cd")
        critical = documents["ranks"]["ranks"]["critical_difference"]
        assert line["to"] - line["rank"] == pytest.approx(critical)
        assert critical == pytest.approx(2.728 * np.sqrt(5 * 6 / 60), abs=0.002)
        without = of_ranks(tests=("friedman", "wilcoxon"))
        drawn = draw("cd", shown(without))
        assert not [v for v in drawn.spec["data"]["values"] if v["what"] == "cd"]
        assert "by wilcoxon with the adjustment holm" in drawn.caption

    def test_nothing_is_joined_where_no_pairs_were_tested(self):
        drawn = draw("cd", shown(of_ranks(tests=("friedman",))))
        assert {v["what"] for v in drawn.spec["data"]["values"]} == {"best", "worst"}
        assert "no groups are joined" in drawn.caption and "no pairs were tested" in drawn.reading


def test_figures_of_other_results_say_what_they_need(documents):
    assert isinstance(draw("cd", shown(documents["set"])), Absent)
    assert isinstance(draw("differences", shown(documents["set"])), Absent)


def test_where_nothing_was_tested_there_is_no_table_of_tests():
    document = of_pairs(matrix_of())
    assert ">Tests<" in page_of(document)
    bare = [one | {"p": None, "beliefs": None} for one in document["comparisons"]]
    assert ">Tests<" not in page_of(document | {"comparisons": bare})


def test_the_sentence_on_a_difference_names_its_pair():
    document = of_pairs(matrix_of())
    assert draw("differences", shown(document)).reading.startswith("c0 minus c1: ")


def test_all_data_sets_are_listed_up_to_a_limit():
    document = of_ranks()
    sets = [one | {"path": f"set{i}.csv"} for i, one in enumerate(document["data_sets"] * 6)]
    text = page_of(document | {"data_sets": sets})
    assert all(f">set{i}.csv<" in text for i in range(50)) and ">set50.csv<" not in text
    assert '<th scope="row">more files</th>' in text and f">SHA-256 {'0' * 64}<" in text


def test_names_in_tables_are_whole():
    """Two that differ in the middle alone looked the same."""
    matrix = matrix_of()
    names = [f"{'a' * 150}{c}{'z' * 150}" for c in range(6)]
    object.__setattr__(matrix, "configurations", tuple(names))
    for document in (of_pairs(matrix), of_baseline(matrix)):
        text = page_of(document)
        first = document["comparisons"][0]
        assert first["first"] in text and first["second"] in text
    assert all(name in page_of(of_set(matrix)) for name in names[:1])


def test_names_of_a_diagram_are_cut_once():
    found = draw("cd", shown(of_ranks(prefix="a very long name of a family ")))
    assert (
        max(len(value["name"]) for value in found.spec["data"]["values"] if "name" in value) <= 31
    )


def table_of(document):
    return FORMS["table"].render([document], Style(all_notes=True), Kind.COMPARE)


def test_a_set_of_all_counts_those_that_are_not_listed():
    document = json.loads(json.dumps(of_set(matrix_of())))
    (one, *_) = document["best_set"]["members"]
    inside = [one | {"configuration": f"c{i}", "inside": True} for i in range(18)]
    document["best_set"] |= {"members": inside, "n_inside": 18}
    assert "\n3 more can't be ruled out as the best: see them with --format csv\n" in table_of(
        document
    )
    document["best_set"]["members"].append(one | {"configuration": "d", "inside": False})
    assert (
        "\n3 more can't be ruled out as the best, 1 can: see them with --format csv\n"
        in table_of(document)
    )


def test_of_many_pairs_with_a_winner_the_notes_on_the_first_are_shown(documents):
    document = json.loads(json.dumps(documents["baseline"]))
    for position, one in enumerate(document["comparisons"]):
        one["notes"] = [{"code": "seen", "text": f"note on {position}.", "remedy": ""}]
    assert "note on 0." in table_of(document) and "note on 1." not in table_of(document)


def test_a_page_shows_a_table_once(documents):
    for kind, column in (("ranks", "mean rank"), ("set", "configuration")):
        text = page_of(documents[kind])
        assert len(re.findall(f"<th[^>]*>{column}</th>", text)) == 1
