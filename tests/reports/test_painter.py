"""The process that draws the figures of a page beside the work on it."""

import json
import re
import subprocess
import sys

import pages
import pytest

from bbccli.reports.figures import KINDS, Drawn, draw, rendering
from bbccli.reports.page.page import page

NUMBER = re.compile(r"\d+(\.\d+)?")
POINT = {"data": {"values": [{"x": 1}]}, "mark": "point"}


def figures():
    return [one for one in (draw(kind, pages.usual()) for kind in KINDS) if isinstance(one, Drawn)]


def named(name):
    field = {"field": "x", "type": "nominal", "title": name}
    return POINT | {"encoding": {"x": field}}


@pytest.fixture
def painter(drawing):
    with rendering.painting():
        yield rendering._painter.get()


def test_a_page_of_its_pictures_is_that_of_pictures_drawn_here(painter):
    beside = page([pages.usual()])
    assert len(painter.pictures) > 10
    assert all(picture.result() for picture in painter.pictures.values())
    painter.pictures.clear()
    painter.process.kill()
    # its fonts may be of another version, and a letter a tenth of a pixel wider
    assert NUMBER.sub("", page([pages.usual()])) == NUMBER.sub("", beside)


def test_figures_are_begun_before_they_are_asked_for(painter):
    rendering.draw_ahead(figures())
    begun = set(painter.pictures)
    for one in figures():
        rendering.inline_svg(one, "a")
        rendering.small_svg(one, "a")
    assert set(painter.pictures) == begun


@pytest.mark.parametrize(
    ("name", "known"),
    [("Größe σ² ≥ 3 …", True), ("Точность", True), ("精度", False), ("🏆", False), ("दर", False)],
)
def test_letters_without_a_font_there_are_drawn_here(painter, name, known):
    drawn = rendering._converted("vegalite_to_svg", named(name))
    assert name in drawn
    assert bool(painter.pictures) is known


def test_an_engine_that_fails_is_told_by_the_first_figure(painter):
    with pytest.raises(ValueError, match="conversion failed"):
        rendering._converted("vegalite_to_svg", {"mark": 3})
    assert [one.result() for one in painter.pictures.values()] == [None]


def test_it_ends_with_the_block(drawing):
    with pytest.raises(KeyboardInterrupt), rendering.painting():
        painter = rendering._painter.get()
        rendering.draw_ahead(figures())
        raise KeyboardInterrupt
    assert painter.process.returncode is not None
    assert rendering._painter.get() is None


def test_nothing_that_draws_is_loaded_here(tmp_path):
    code = (
        "import sys; from bbccli.cli.app import main; "
        "main(['correct', 'sample_data/progression.parquet', '-qo', sys.argv[1]]); "
        "print([name for name in sys.modules if name.startswith('vl_convert')])"
    )
    where = tmp_path / "page.html"
    done = subprocess.run(
        [sys.executable, "-c", code, where], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []
    assert where.read_text().count("<svg") > 10
