"""Figures: what they show, the tables of it, and that they are the same every time."""

import json
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import matrices
import pages
import pytest
from pages import shown
from rich.cells import cell_len

from bbccli.core.results import SearchCost
from bbccli.errors import OptionError
from bbccli.reports.evidence import Ranked, Ranking
from bbccli.reports.figures import KINDS, Absent, Drawn, draw, rendering
from bbccli.reports.figures.base import CORRECTED, DASHED, SOLID, labels, themed
from bbccli.reports.sentences import cost_sentence
from bbccli.types import Direction


@pytest.fixture(scope="module")
def found():
    return pages.exhibit()


@pytest.fixture(scope="module")
def saved(found):
    return shown(found.json)


@pytest.mark.parametrize("kind", KINDS)
class TestEach:
    def test_it_has_a_sentence_a_caption_and_a_table(self, kind, found):
        drawn = draw(kind, found)
        assert isinstance(drawn, Drawn) and drawn.kind == kind
        assert drawn.reading.endswith(".") and drawn.caption.endswith(".")
        assert drawn.rows and {len(row) for row in drawn.rows} == {len(drawn.columns)}
        assert all(isinstance(cell, str) and cell for row in drawn.rows for cell in row)

    def test_it_is_a_pure_function(self, kind, found):
        before = json.dumps(found.json)
        assert draw(kind, found) == draw(kind, found)
        assert json.dumps(found.json) == before

    def test_its_specification_is_plain_and_asks_for_nothing(self, kind, found):
        text = json.dumps(draw(kind, found).spec, allow_nan=False)
        assert text.count("http") == 1  # the name of the language
        assert '"url"' not in text and '"href"' not in text

    @pytest.mark.sweep
    @pytest.mark.one_in(5)
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
    assert [v["name"] for v in values if v["series"] == "estimate"] == ["bbc (to report)", "bbc-f"]
    (bbc,) = [e for e in found.json["estimates"] if e["method"] == "bbc"]
    own = next(v for v in values if v["name"] == "bbc (to report)" and v["series"] == "estimate")
    assert (own["lower"], own["upper"]) == (bbc["interval"]["lower"], bbc["interval"]["upper"])


def test_marks_are_those_that_the_captions_name(found):
    points = draw("forest", found).spec["layer"][-1]["encoding"]["fill"]["scale"]
    assert points == {"domain": ["naive", "estimate"], "range": ["transparent", CORRECTED]}
    lines = draw("cost", found).spec["layer"][1]["encoding"]["strokeDash"]["scale"]
    assert lines == {"domain": ["naive", "corrected"], "range": [DASHED, SOLID]}


def test_bars_begin_at_zero_and_dots_need_not(found):
    (bars,) = draw("wins", found).spec["layer"]
    assert "scale" not in bars["encoding"]["x"]
    dots = draw("ranking", found).spec["layer"][-1]
    assert dots["encoding"]["x"]["scale"] == {"zero": False}


def test_names_stand_in_their_order(found):
    drawn = draw("ranking", found)
    order = [value["name"] for value in drawn.spec["data"]["values"]]
    assert all(layer["encoding"]["y"]["sort"] == order for layer in drawn.spec["layer"])


def test_a_ranking_shows_intervals_and_the_set_where_it_has_them(found):
    rows = tuple(
        Ranked(f"c{i}", 0.9 - i / 100, 0.8 - i / 100, 0.95 - i / 100, inside=i < 3)
        for i in range(50)
    )
    evidence = replace(found.evidence, ranking=Ranking("auc", rows, 60, level=0.95))
    drawn = draw("ranking", replace(found, evidence=evidence))
    assert "3 configurations of 60" in drawn.reading
    assert "hold for all configurations at once" in drawn.caption
    assert "Filled: may be the best" in drawn.caption
    assert drawn.columns[-1] == "may be the best"
    assert [row[-1] for row in drawn.rows].count("yes") == 3
    assert len(drawn.spec["data"]["values"]) == 40 and len(drawn.rows) == 50


@pytest.mark.sweep
def test_a_ranking_does_not_make_up_what_is_not_known(found):
    rows = (Ranked("a", 1.0, inside=True), Ranked("b", 0.9, 0.7, 0.96, inside=None))
    evidence = replace(found.evidence, ranking=Ranking("auc", rows, 2, level=0.95))
    drawn = draw("ranking", replace(found, evidence=evidence))
    assert drawn.rows[0][-2:] == ["unknown", "yes"] and drawn.rows[1][-1] == "unknown"
    picture = ElementTree.fromstring(rendering.inline_svg(drawn, "a"))
    assert "NaN" not in ElementTree.tostring(picture, encoding="unicode")
    bare = Ranking("auc", (Ranked("a", 0.9),), 1, without="it <b>jumps")
    drawn = draw("ranking", replace(found, evidence=replace(found.evidence, ranking=bare)))
    assert "There are no intervals: it <b>jumps." in drawn.caption and len(drawn.columns) == 3


@pytest.mark.parametrize("letter", ["W", "\u6a21", "e\u0301"])
def test_no_name_in_a_figure_loses_its_end(found, letter):
    names = [letter * 40 + end for end in "12"]
    shown = labels(names)
    assert [name[-1] for name in shown] == ["1", "2"] and all("..." in name for name in shown)
    assert max(map(cell_len, shown)) <= 36
    ranking = Ranking("auc", tuple(Ranked(name, 0.9) for name in names), 2)
    drawn = draw("ranking", replace(found, evidence=replace(found.evidence, ranking=ranking)))
    picture = rendering.inline_svg(drawn, "a")
    assert "\u2026" not in picture and all(f">{name}</text>" in picture for name in shown)


def test_large_numbers_at_an_axis_have_a_power_of_ten(found):
    """Their zeros went over the edge of the picture."""
    rows = tuple(Ranked("e" * 36 + end, 2.4e9, 1.1e9, 7.9e9) for end in "12")
    evidence = replace(found.evidence, ranking=Ranking("mse", rows, 2, level=0.95))
    drawn = draw("ranking", replace(found, evidence=evidence))
    picture = rendering.inline_svg(drawn, "a")
    assert ">2e+9</text>" in picture.replace("\u2212", "-") and "000,000" not in picture


def test_a_name_is_never_an_ink():
    spec = {"data": {"values": [{"name": "currentColor"}]}, "mark": {"color": "currentColor"}}
    found = themed(spec, "#222222")
    assert found["data"]["values"][0]["name"] == "currentColor"
    assert found["mark"]["color"] == "#222222"


def test_what_is_said_of_a_search_that_paid():
    lines = (0.3, 0.2), (0.31, 0.25), (0.001, 0.001)
    cost = SearchCost("brier", Direction.MINIMIZE, (1, 2), *lines, enough=2, n_resamples=50)
    assert cost_sentence(cost) == (
        "The search paid to its end: the best of 2 configurations is worth 0.250 Brier score, "
        "from 0.310 for one."
    )
    assert "seemed to fall from 0.300 to 0.200" in cost_sentence(replace(cost, enough=1))


def test_without_the_package_the_specification_is_still_to_be_had(found, monkeypatch):
    monkeypatch.setattr(rendering, "can_render", lambda: False)
    drawn = draw("forest", found)
    assert json.loads(rendering.exported(drawn, "vl.json"))["layer"]
    with pytest.raises(OptionError, match="not installed") as caught:
        rendering.exported(drawn, "svg")
    assert "bbccli[report]" in caught.value.hint


def test_a_page_of_predictions_without_classes():
    found = pages.exhibit(matrices.regression(), "mse", ("cvt", "bbc"))
    absent = [draw(kind, found) for kind in ("roc", "calibration")]
    assert all(isinstance(one, Absent) and "two classes" in one.reason for one in absent)
    assert isinstance(draw("folds", found), Drawn)


@pytest.mark.sweep
def test_nothing_of_it_is_imported_by_other_commands():
    code = (
        "import sys; from bbccli.cli.app import main; main(['metrics']); "
        "bad = [m for m in sys.modules if m.startswith(('vl_convert', 'bbccli.reports.page', "
        "'bbccli.reports.figures', 'bbccli.reports.evidence', 'xml.etree'))]; "
        "print(bad, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


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
