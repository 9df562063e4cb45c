"""Figures: what they show, the tables of it, and that they are the same every time."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import matrices
import numpy as np
import pages
import pytest
from day import daily
from pages import shown
from rich.cells import cell_len

import bbccli
from bbccli.domain.estimate import Gain, SearchCost
from bbccli.domain.outcome import Outcome
from bbccli.platform.records import as_json
from bbccli.reports import FORMS
from bbccli.reports.evidence import Ranked, Ranking
from bbccli.reports.figures import KINDS, Absent, Drawn, draw, rendering
from bbccli.types import Direction, Interval, PredictionKind, Task


@pytest.fixture(scope="module")
def found():
    return pages.exhibit()


@pytest.fixture(scope="module")
def saved(found):
    return shown(found.json)


@pytest.mark.parametrize("kind", daily(KINDS, ["forest", "calibration"]))
class TestEach:
    def test_it_has_a_sentence_a_caption_and_a_table(self, kind, found):
        drawn = draw(kind, found)
        assert isinstance(drawn, Drawn) and drawn.kind == kind
        assert drawn.reading.endswith(".") and drawn.caption.endswith(".")
        assert drawn.rows and {len(row) for row in drawn.rows} == {len(drawn.columns)}
        assert all(isinstance(cell, str) and cell for row in drawn.rows for cell in row)

    def test_it_is_a_pure_function_and_its_specification_asks_for_nothing(self, kind, found):
        before, drawn = json.dumps(found.json), draw(kind, found)
        assert drawn == draw(kind, found)
        assert json.dumps(found.json) == before
        text = json.dumps(drawn.spec, allow_nan=False)
        assert text.count("http") == 1  # the name of the language
        assert '"url"' not in text and '"href"' not in text

    @pytest.mark.sweep
    @pytest.mark.usefixtures("drawing")
    def test_its_picture_is_the_same_every_time(self, kind, found):
        drawn = draw(kind, found)
        first, second = (rendering.inline_svg(drawn, "a") for _ in range(2))
        assert first == second
        for form in ("svg", "png"):
            assert rendering.exported(drawn, form) == rendering.exported(drawn, form)

    def test_its_picture_stands_under_any_policy(self, kind, found):
        root = ElementTree.fromstring(rendering.inline_svg(draw(kind, found), "a"))
        assert root.get("role") == "img" and root.get("aria-label")
        for element in root.iter():
            assert not element.tag.endswith(("style", "script", "image", "a", "foreignObject"))
            for key, value in element.attrib.items():
                assert key != "style" and not key.startswith("on") and "href" not in key
                assert key != "id" or value.startswith("a-")


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("forest", "wins", "cost")])
def test_what_needs_predictions_says_so(kind, saved):
    drawn = draw(kind, saved)
    assert isinstance(drawn, Absent) and "predictions" in drawn.reason


def test_a_saved_result_shows_the_same_forest(found, saved):
    assert draw("forest", saved) == draw("forest", found)
    assert draw("cost", saved) == draw("cost", found)


def test_a_result_without_the_cost_says_how_to_have_it(found):
    drawn = draw("cost", shown(found.json | {"search_cost": None}))
    assert "--cost-of-search" in drawn.reason


def test_a_forest_marks_the_row_to_report(found):
    rows = {row[0]: row for row in draw("forest", found).rows}
    assert [name for name, row in rows.items() if row[-1] == "yes"] == ["bbc"]
    values = draw("forest", found).spec["data"]["values"]
    assert [v["name"] for v in values if v["series"] == "corrected"] == ["bbc (to report)", "bbc-f"]
    (bbc,) = [e for e in found.json["estimates"] if e["method"] == "bbc"]
    own = next(v for v in values if v["name"] == "bbc (to report)" and v["series"] == "corrected")
    assert (own["lower"], own["upper"]) == (bbc["interval"]["lower"], bbc["interval"]["upper"])


def test_the_row_to_report_is_first_and_heavier_wherever_its_method_stands(found):
    estimates = sorted(found.json["estimates"], key=lambda e: e["interval"] is not None)
    names = [e["method"] for e in estimates]
    drawn = draw("forest", shown(found.json | {"estimates": estimates}))
    assert names == ["cvt", "bbc", "bbc-f"]
    assert [row[0] for row in drawn.rows] == ["bbc", "cvt", "bbc-f"]
    for layer in drawn.spec["layer"]:
        assert layer["encoding"]["y"]["sort"][0] == "bbc (to report)"
        condition = layer["encoding"]["opacity"]["condition"]
        assert condition["test"] == 'datum.name === "bbc (to report)"'
        assert condition["value"] > layer["encoding"]["opacity"]["value"]
    root = ElementTree.fromstring(rendering.inline_svg(drawn, "a"))
    weights = {e.text: e.get("font-weight") for e in root.iter() if e.tag.endswith("}text")}
    assert [name for name in ("bbc (to report)", *names) if weights.get(name) == "bold"] == [
        "bbc (to report)"
    ]


def test_marks_are_those_that_the_captions_name(found):
    points = draw("forest", found).spec["layer"][-1]["encoding"]["fill"]["scale"]
    assert points["domain"] == ["naive", "corrected"]
    assert points["range"][0] == "transparent" != points["range"][1]
    lines = draw("cost", found).spec["layer"][1]["encoding"]["strokeDash"]["scale"]
    assert lines["domain"] == ["naive", "corrected"]
    dashed, solid = lines["range"]
    assert dashed[1] > solid[1] == 0  # the gap


def test_bars_begin_at_zero_and_dots_need_not_and_names_stand_in_their_order(found):
    (bars,) = draw("wins", found).spec["layer"]
    assert "scale" not in bars["encoding"]["x"]
    drawn = draw("ranking", found)
    assert drawn.spec["layer"][-1]["encoding"]["x"]["scale"] == {"zero": False}
    order = [value["name"] for value in drawn.spec["data"]["values"]]
    assert all(layer["encoding"]["y"]["sort"] == order for layer in drawn.spec["layer"])


def ranked(found, rows, n_all=None, **more):
    """The ranking of some rows."""
    ranking = Ranking(more.pop("metric", "auc"), tuple(rows), n_all or len(rows), **more)
    return draw("ranking", replace(found, evidence=replace(found.evidence, ranking=ranking)))


def test_a_ranking_shows_intervals_and_the_set_where_it_has_them(found):
    rows = [
        Ranked(f"c{i}", 0.9 - i / 100, 0.8 - i / 100, 0.95 - i / 100, inside=i < 3)
        for i in range(50)
    ]
    drawn = ranked(found, rows, 60, level=0.95)
    assert "3 of 60 configurations" in drawn.reading
    assert "hold for all configurations at once" in drawn.caption
    assert drawn.columns[-1] == "in the confidence set"
    assert [row[-1] for row in drawn.rows].count("yes") == 3
    assert len(drawn.spec["data"]["values"]) == 15 and len(drawn.rows) == 50


@pytest.mark.parametrize(
    ("insides", "simplest", "roles", "told"),
    [
        (
            [True] * 20 + [False, True] + [False] * 28,
            "r7",
            [
                "r0 (winner)",
                "r7 (simplest)",
                "r20 (out)",
                "r21 (last in)",
                "r22 (out)",
                "r23 (out)",
            ],
            "Shown, of 50: the winner, the simplest and the last of the confidence set, and the "
            "first 3 outside it.",
        ),
        (
            [True] * 50,
            None,
            ["r0 (winner)", "r49 (last in)"],
            "Shown, of 50: the winner, the last of the confidence set.",
        ),
        ([True] * 16 + [False], "r0", ["r0 (winner, simplest)", "r15 (last in)", "r16 (out)"], ""),
        ([True] * 14 + [False] * 36, "r7", None, "The first 15 of 50."),
        ([True] * 15, "r7", None, ""),
    ],
)
def test_a_set_beyond_the_first_rows_is_drawn_by_its_edge(found, insides, simplest, roles, told):
    won = found.document.estimates[1].winner
    names = [won if i == 0 else f"r{i}" for i in range(len(insides))]
    rows = [
        Ranked(name, 0.9 - i / 100, 0.8 - i / 100, 0.95 - i / 100, inside)
        for i, (name, inside) in enumerate(zip(names, insides, strict=True))
    ]
    drawn = ranked(found, rows, level=0.95, simplest=won if simplest == "r0" else simplest)
    shown = [value["name"] for value in drawn.spec["data"]["values"]]
    if roles is None:
        assert shown == [f"{won} (winner)", *names[1:15]]
    else:
        assert shown == [role.replace("r0 ", f"{won} ") for role in roles]
    assert told in drawn.caption and len(drawn.rows) == len(rows)


@pytest.mark.parametrize("place", [0, 14, 15, 49, None])
def test_a_ranking_shows_fifteen_rows_and_marks_the_winner_wherever_it_stands(found, place):
    names = [f"other{i}" for i in range(50)]
    if place is not None:
        names[place] = found.document.estimates[1].winner
    rows = [Ranked(name, 0.9 - i / 100, inside=None) for i, name in enumerate(names)]
    drawn = ranked(found, rows, level=0.95)
    values = drawn.spec["data"]["values"]
    marked = [value["name"] for value in values if value["series"] == "winner"]
    assert len(values) == 15
    assert marked == ([] if place is None else [f"{names[place]} (winner)"])
    if place is not None and place >= 15:
        assert (
            values[-1]["name"] == marked[0] and f"and the winner, at {place + 1}" in drawn.caption
        )
    else:
        assert [v["value"] for v in values] == [row.performance for row in rows[:15]]
        assert "The first 15 of 50." in drawn.caption


def test_marks_show_what_their_row_of_the_table_says(found):
    """Under the pointer, by titles."""
    for kind, words in {
        "forest": "bbc: corrected 0.",
        "cost": "best of 12: corrected 0.",
        "distribution": "95% CI: 0.",
        "wins": f"{found.document.estimates[1].winner}: ",
        "ranking": f"{found.document.estimates[1].winner}: 0.",
        "folds": "fold 3: winner ",
        "roc": "false positive rate 0.10: corrected 0.",
        "calibration": "predicted probability 0.50: naive 0.",
    }.items():
        picture = rendering.inline_svg(draw(kind, found), "a")
        titles = re.findall(r"<title>(.*?)</title>", picture)
        assert any(title.startswith(words) for title in titles), (kind, titles[:3])
        # a mark without words of its own has none
        assert not [title for title in titles if "series" in title or "isValid" in title]


def test_a_mark_says_that_its_method_has_no_interval():
    shown = pages.exhibit(matrices.binary(), methods=("tt", "bbc"))
    titles = re.findall(r"<title>(.*?)</title>", rendering.inline_svg(draw("forest", shown), "a"))
    said = [title.partition(", ")[2] for title in titles if "corrected" in title]
    assert said[0].startswith("95% CI 0.") and said[1] == "no interval"


def test_legends_have_the_words_of_the_terminal(found):
    heads = FORMS["table"](found.document)
    words = {
        kind: json.dumps(draw(kind, found).spec["layer"]) for kind in ("forest", "distribution")
    }
    for word in ("naive", "corrected", "95% CI"):
        assert word in heads and f'"{word}"' in words["distribution"]
    single = pages.exhibit(matrices.binary(n_configurations=1), methods=("bbc",))
    heads = FORMS["table"](single.document)
    for kind in ("forest", "distribution", "roc", "calibration"):
        drawn = json.dumps(draw(kind, single).spec["layer"])
        assert "estimate" in heads and '"estimate"' in drawn and '"corrected"' not in drawn


@pytest.mark.parametrize("kind", [*KINDS, "differences"])
def test_a_figure_for_a_telephone_has_names_above_and_no_text_below_eleven_pixels(kind, found):
    drawn = draw(kind, found)
    if isinstance(drawn, Absent):
        return
    picture = rendering.small_svg(drawn, "a") or rendering.inline_svg(drawn, "a")
    root = ElementTree.fromstring(picture)
    width = float(root.get("viewBox").split()[2])
    assert width <= 340 and root.get("display") in ("none", None)
    sizes = [float(one.get("font-size")[:-2]) for one in root.iter(f"{{{rendering.SVG}}}text")]
    assert min(sizes) * min(328 / width, 1) >= 11


@pytest.mark.sweep
def test_a_ranking_does_not_make_up_what_is_not_known(found):
    rows = (Ranked("a", 1.0, inside=True), Ranked("b", 0.9, 0.7, 0.96, inside=None))
    drawn = ranked(found, rows, level=0.95)
    assert drawn.rows[0][-2:] == ["none", "yes"] and drawn.rows[1][-1] == "unknown"
    picture = ElementTree.fromstring(rendering.inline_svg(drawn, "a"))
    assert "NaN" not in ElementTree.tostring(picture, encoding="unicode")
    drawn = ranked(found, [Ranked("a", 0.9)], without="it <b>jumps")
    assert "There are no intervals: it <b>jumps." in drawn.caption and len(drawn.columns) == 3


@pytest.mark.parametrize("letter", ["W", "\u6a21", "e\u0301"])
def test_no_name_in_a_figure_loses_its_end(found, letter):
    names = [letter * 50 + end for end in "12"]
    drawn = ranked(found, [Ranked(name, 0.9) for name in names])
    shown = [value["name"] for value in drawn.spec["data"]["values"]]
    assert [name[-1] for name in shown] == ["1", "2"] and all("..." in name for name in shown)
    assert max(map(cell_len, shown)) <= 44
    picture = rendering.inline_svg(drawn, "a")
    assert "\u2026" not in picture and all(f">{name}</text>" in picture for name in shown)


@pytest.mark.parametrize(
    ("unit", "shown", "never"),
    [(1e9, ">2e+9</text>", "000,000"), (1e-9, ">2e-9</text>", "0.000000")],
)
def test_large_and_small_numbers_at_an_axis_have_a_power_of_ten(found, unit, shown, never):
    """Their zeros went over the edge of the picture."""
    rows = [Ranked("e" * 36 + end, 2.4 * unit, 0, 7.9 * unit) for end in "12"]
    picture = rendering.inline_svg(ranked(found, rows, metric="mse", level=0.95), "a")
    assert shown in picture.replace("\u2212", "-") and never not in picture
    assert ">0</text>" in picture


def test_a_name_is_never_an_ink(found):
    drawn = ranked(found, [Ranked("currentColor", 0.9)])
    picture = rendering.exported(drawn, "svg").decode()
    assert ">currentColor</text>" in picture and '="currentColor"' not in picture


@pytest.mark.parametrize("sides", [(), (True,), (False,), (True, False)])
def test_the_winner_of_a_ranking_has_the_largest_mark_whatever_the_others_are(found, sides):
    winner = Ranked(found.document.estimates[1].winner, 0.9, inside=True)
    rows = (winner, *(Ranked(f"c{inside}", 0.8, inside=inside) for inside in sides))
    picture = rendering.inline_svg(ranked(found, rows, 9, level=0.95), "a")
    assert "NaN" not in picture
    marks = re.findall(r'<path[^>]* d="([^"]+)"[^>]*><title>(.*?)</title>', picture)
    widths = {words: max(map(float, re.findall(r"[\d.]+", path))) for path, words in marks}
    first, *others = (widths[f"{row.configuration}: {row.performance:.3f}"] for row in rows)
    assert all(first > other for other in others) and len(set(others)) <= 1


def test_an_axis_says_if_lower_is_better(found):
    rows = (Ranked("a", 0.9), Ranked("b", 0.8))
    for metric, title in (("auc", "AUC"), ("rmse", "RMSE, lower is better")):
        drawn = ranked(found, rows, metric=metric)
        assert drawn.spec["layer"][0]["encoding"]["x"]["title"] == title
        assert drawn.columns[-1] == f"{title.split(',')[0]}, naive"


def test_configurations_that_are_all_perfect_are_tied_and_corrected_by_nothing():
    truth = np.arange(40) % 2
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    perfect = np.tile(0.25 + truth[:, None] / 2, (1, 1, 3))
    matrix = matrices.of(outcome, perfect, PredictionKind.PROBABILITY, 5, 0)
    found = pages.exhibit(matrix, methods=("bbc",))
    assert draw("forest", found).reading == "By BBC, the naive score is about right."
    assert draw("wins", found).reading.endswith(
        "tied for the best, and the first column wins ties."
    )
    assert "the first" not in draw("wins", found).caption
    assert draw("distribution", found).rows == [("1.000", "1.000", "100.0%")]


LINES = (0.3, 0.25, 0.2), (0.31, 0.26, 0.25), (0.001,) * 3
COST = SearchCost("brier", Direction.MINIMIZE, (1, 2, 3), *LINES, enough=3, n_resamples=50)
LEVEL = replace(COST, corrected=(0.31, 0.25, 0.25), enough=2)
SAID = "a single configuration averages Brier score 0.310, the best of 3 reaches 0.250"
UNTOLD = "80 samples can't show whether searching helped: "
MORE = "Trying more than 2 of 3 configurations brought no detectable gain with 80 samples: "
STOPPED = "Searching stopped helping after 2 of 3 configurations: "


def gain(value, lower, upper):
    return Gain(value, Interval(lower, upper, 0.95, "two"))


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (COST, f"{UNTOLD}{SAID}."),
        (
            replace(COST, gain=gain(0.06, -0.01, 0.13)),
            f"{UNTOLD}{SAID} (gain 0.060, 95% CI -0.010 to 0.130).",
        ),
        (replace(COST, gain=gain(0.06, 0.02, 0.1)), f"Searching helped: {SAID} (gain 0.060"),
        # 0.0018 < 0.1 (0.02 - 0.0018), the least that the search gained before
        *(
            (
                replace(
                    *(LEVEL,),
                    gain=gain(0.06, lower, 0.1),
                    gain_beyond=gain(-0.01, -0.02, upper),
                ),
                f"{start}corrected Brier score 0.250 for the best of 2, 0.250 for the best",
            )
            for lower, upper, start in (
                (0.02, 0.05, MORE),
                (0.02, 0.0019, MORE),
                (0.02, 0.0018, STOPPED),
                (-0.02, -0.001, STOPPED),
            )
        ),
    ],
)
def test_what_is_said_of_a_search_is_what_the_samples_show(found, cost, said):
    read = found.json["input"] | {"n_samples": 80}
    text = FORMS["markdown"](found.json | {"search_cost": as_json(cost), "input": read})
    (line,) = re.findall("^- search: (.*)$", text, re.MULTILINE)
    assert line.startswith(said)
    if cost.enough == 2:
        assert line.endswith(". The uncorrected score fell from 0.250 to 0.200.")


def test_a_page_of_predictions_without_classes():
    found = pages.exhibit(matrices.regression(), "mse", ("cvt", "bbc"))
    absent = [draw(kind, found) for kind in ("roc", "calibration")]
    assert all(isinstance(one, Absent) and "two classes" in one.reason for one in absent)
    assert isinstance(draw("folds", found), Drawn)


def limited(script, limit):
    """Run a script under a limit of address space in GiB, in a process of its own."""
    head = "import resource; hard = resource.getrlimit(resource.RLIMIT_AS)[1]; "
    head += f"resource.setrlimit(resource.RLIMIT_AS, ({limit} << 30, hard)); "
    return subprocess.run(
        [sys.executable, "-c", head + script], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to such limits")
@pytest.mark.parametrize(("limit", "drawn"), [(8, False), (1000, True)])
def test_a_limit_of_address_space_costs_the_picture_and_not_the_process(limit, drawn):
    """The engine that draws reserves 64 GiB, and aborts where it can't."""
    script = (
        "from bbccli.reports.figures import rendering\n"
        "print(rendering.can_render())\n"
        "spec = {'data': {'values': [{}]}, 'mark': 'point'}\n"
        "try: rendering._converted('vegalite_to_svg', spec)\n"
        "except rendering.OptionError as error: print(*error.told())\n"
    )
    done = limited(f"exec({script!r})", limit)
    assert done.returncode == 0, done.stderr
    said, *problem = done.stdout.splitlines()
    assert said == str(drawn)
    assert [line.partition(":")[0] for line in problem] == (
        [] if drawn else ["figures can't be drawn within the limits of this process"]
    )


@pytest.mark.parametrize(("select", "shipped"), [("greedy", "ensemble"), ("best", "winner")])
def test_titles_and_folds_name_what_is_shipped(select, shipped):
    made = bbccli.correct(matrices.binary(n_samples=60), select=select, n_resamples=20)
    for kind, title in (("roc", "ROC of the {}"), ("calibration", "Calibration of the {}")):
        assert made.plot(kind).drawn.title == title.format(shipped)
    folds = made.plot("folds").drawn
    assert folds.reading.startswith(f"The {shipped} is at least as good")
    assert folds.columns[1] == shipped
