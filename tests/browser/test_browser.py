"""Pages in Chromium: `make browser`."""

import io
import re
import shutil
import subprocess
import zlib

import pages
import pytest

pytestmark = pytest.mark.browser

NAMES = ["one", "many"]


@pytest.mark.parametrize("name", [*NAMES, *(f"hostile{i}" for i in range(len(pages.NAMES)))])
def test_nothing_is_fetched_said_or_run(browser, shown, name):
    browser.open(shown[name].as_uri())
    assert browser.requests() == [shown[name].as_uri()]
    assert browser.logs("browser") == []
    assert browser.run("document.scripts.length") == 0
    assert browser.run("document.title").startswith("What to expect")
    assert browser.run("document.querySelectorAll('iframe, img, object, embed, form').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [*NAMES, "hostile0", "hostile3", "hostile6"])
def test_no_barrier_is_found(browser, shown, axe, name, scheme):
    browser.open(shown[name].as_uri(), scheme=scheme)
    # what is folded away is looked at too
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = browser.command("Runtime.evaluate", expression=f"{axe}; 0", returnByValue=True)
    assert "exceptionDetails" not in found
    result = browser.command(
        "Runtime.evaluate",
        expression="axe.run().then(r => r.violations.map(v => "
        "[v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]))",
        awaitPromise=True,
        returnByValue=True,
    )
    assert result["result"]["value"] == []


def luminance(colour):
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    parts = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_dark_and_light(browser, shown):
    papers = {}
    for scheme in ("light", "dark"):
        browser.open(shown["one"].as_uri(), scheme=scheme)
        style = "getComputedStyle(document.body)"
        paper = browser.run(f"{style}.backgroundColor")
        assert contrast(paper, browser.run(f"{style}.color")) > 7
        # the ink of a figure is that of the text
        ink = browser.run("getComputedStyle(document.querySelector('svg text')).fill")
        assert contrast(paper, ink) > 7
        for colour in ("rgb(46, 134, 193)", "rgb(213, 94, 0)"):
            assert contrast(paper, colour) > 3
        papers[scheme] = luminance(paper)
    assert papers["dark"] < 0.05
    assert papers["light"] > 0.9


@pytest.mark.parametrize("name", [*NAMES, *(f"hostile{i}" for i in range(len(pages.NAMES)))])
@pytest.mark.parametrize("width", [320, 1600])
def test_a_narrow_page_does_not_scroll_sideways(browser, shown, name, width):
    browser.open(shown[name].as_uri(), width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_labels_are_legible_on_a_telephone(browser, shown):
    browser.open(shown["one"].as_uri(), width=320)
    heights = browser.run(
        "Array.from(document.querySelectorAll('svg text')).map(t => t.getBBox().height * "
        "t.ownerSVGElement.getBoundingClientRect().width / "
        "t.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert min(heights) > 7


def test_tables_of_words_fit_a_telephone(browser, shown):
    browser.open(shown["one"].as_uri(), width=320)
    wide = browser.run(
        "Array.from(document.querySelectorAll('.words .scroll')).map(b => b.scrollWidth - "
        "b.clientWidth)"
    )
    assert len(wide) >= 2 and max(wide) <= 0


def text_of(pdf):
    if shutil.which("pdftotext") is None:
        pytest.skip("apt-get install poppler-utils")
    done = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True
    )
    return done.stdout.decode()


def test_on_paper_everything_is_there_with_the_tables(browser, shown):
    browser.open(shown["one"].as_uri(), scheme="dark")
    paper = text_of(browser.printed())
    for heading in re.findall(r"<h2[^>]*>(.*?)</h2>", pages.ordinary()):
        assert heading in paper
    assert paper.count("Data: ") == 8
    assert "upper quartile" in paper


def shades(png):
    """How many different colours a PNG has: a figure that is not drawn has one."""
    size, data, at = None, b"", 8
    stream = io.BytesIO(png)
    while at < len(png):
        stream.seek(at)
        length, kind = int.from_bytes(stream.read(4), "big"), stream.read(4)
        part = stream.read(length)
        if kind == b"IHDR":
            size = (int.from_bytes(part[:4], "big"), {2: 3, 6: 4}[part[9]])
        data += part if kind == b"IDAT" else b""
        at += 12 + length
    raw, (width, channels) = zlib.decompress(data), size
    rows = len(raw) // (1 + width * channels)
    return len({raw[r * (1 + width * channels) :][: 1 + width * channels] for r in range(rows)})


def test_figures_are_seen_under_the_policy_of_a_server(browser, jenkins):
    browser.open(f"{jenkins}/one.html")
    # the style is refused, and with it nothing that is to be read
    assert browser.run("getComputedStyle(document.querySelector('header')).maxWidth") == "none"
    refused = [entry["message"] for entry in browser.logs("browser")]
    assert all("inline style" in message or "favicon" in message for message in refused), refused
    count = browser.run("document.querySelectorAll('svg').length")
    assert count == 8
    boxes = browser.run(
        "Array.from(document.querySelectorAll('svg')).map(s => "
        "s.getBoundingClientRect().width * s.getBoundingClientRect().height)"
    )
    assert min(boxes) > 20_000
    for ident in ("forest", "cost", "distribution", "wins", "ranking", "folds", "roc"):
        assert shades(browser.pixels(f"section[aria-labelledby={ident}] svg")) > 20
    fills = browser.run(
        "Array.from(document.querySelectorAll('svg rect, svg path')).map(p => "
        "getComputedStyle(p).fill)"
    )
    assert {"rgb(46, 134, 193)", "none"} <= set(fills)


def test_under_a_policy_dark_is_dark_too(browser, jenkins):
    browser.open(f"{jenkins}/one.html", scheme="dark")
    ink = browser.run("getComputedStyle(document.querySelector('svg text')).fill")
    assert luminance(ink) > 0.8


def test_details_open_by_keyboard(browser, shown):
    browser.open(shown["one"].as_uri())
    summary = browser.driver.find_element("css selector", "details summary")
    summary.send_keys("\ue007")
    assert browser.run("document.querySelector('details').open") is True
