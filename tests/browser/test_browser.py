"""Pages in Chromium: `make browser`."""

import io
import re
import shutil
import subprocess
import zlib

import pages
import pytest

pytestmark = pytest.mark.browser

NAMES = ["one", "many", "sample", "batch", "plan", "drop", "leaderboard", "pair"]

TITLES = ("What to expect", "Sample size", "Dropping", "Leaderboard", "Compared")


@pytest.mark.parametrize("name", [*NAMES, *(f"hostile{i}" for i in range(len(pages.NAMES)))])
def test_nothing_is_fetched_said_or_run(browser, shown, name):
    browser.open(shown[name].as_uri())
    assert browser.requests() == [shown[name].as_uri()]
    assert browser.logs("browser") == []
    assert browser.run("document.scripts.length") == 0
    assert browser.run("document.title").startswith(TITLES)
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
@pytest.mark.parametrize("width", [320, 375, 1600])
def test_a_narrow_page_does_not_scroll_sideways(browser, shown, name, width):
    browser.open(shown[name].as_uri(), width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("many", ["experiment", "corrected", "interval"]),
        ("batch", ["experiment", "gate", "corrected", "interval"]),
        ("leaderboard", ["rank", "configuration", "AUC"]),
    ],
)
def test_the_columns_of_the_answer_are_seen_on_a_telephone(browser, shown, name, columns):
    browser.open(shown[name].as_uri(), width=375)
    browser.run("document.querySelectorAll('details').forEach(d => d.remove())")
    seen = browser.run(
        "(t => Array.from(t.querySelectorAll('thead th')).filter(h => "
        "h.getBoundingClientRect().right <= t.parentElement.getBoundingClientRect().right)"
        ".map(h => h.textContent))(Array.from(document.querySelectorAll('table'))"
        f".find(t => t.tHead.textContent.includes('{columns[-1]}')))"
    )
    assert columns == [one for one in seen if one in columns]


@pytest.mark.parametrize("name", ["one", "sample", "many", "hostile6"])
def test_text_in_figures_is_at_least_eleven_pixels_on_a_telephone(browser, shown, name):
    browser.open(shown[name].as_uri(), width=375)
    sizes = browser.run(
        "Array.from(document.querySelectorAll('svg text')).filter(t => t.getClientRects().length "
        "&& t.textContent.trim()).map(t => parseFloat(getComputedStyle(t).fontSize) * "
        "t.ownerSVGElement.getBoundingClientRect().width / "
        "t.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert len(sizes) > 10 and min(sizes) >= 11
    cut = browser.run(
        "Array.from(document.querySelectorAll('svg')).filter(s => s.getClientRects().length)"
        ".flatMap(s => Array.from(s.querySelectorAll('text')).filter(t => { "
        "const a = t.getBoundingClientRect(), b = s.getBoundingClientRect(); "
        "return a.width && (a.left < b.left - 1 || a.right > b.right + 1) })).length"
    )
    assert cut == 0


def test_rows_are_not_tall_for_words_that_are_out_of_sight(browser, shown):
    browser.open(shown["pair"].as_uri(), width=375)
    heights = browser.run(
        "Array.from(document.querySelectorAll('section[aria-labelledby=tests] tbody tr'))"
        ".map(r => r.getBoundingClientRect().height)"
    )
    assert len(heights) == 8 and max(heights) < 32  # one line


def test_names_at_the_end_of_a_row_are_not_out_of_sight_where_there_is_room(browser, shown):
    """The winner's name was cut in tables of a batch, and nothing showed that it went on."""
    browser.open(shown["batch"].as_uri(), width=1000)
    hidden = browser.run(
        "Array.from(document.querySelectorAll('.scroll')).filter(b => "
        "b.textContent.includes('winner')).map(b => b.scrollWidth - b.clientWidth)"
    )
    assert hidden and max(hidden) == 0


def test_no_option_is_broken_at_the_end_of_a_line(browser, shown):
    for width in range(320, 480, 20):
        browser.open(shown["pair"].as_uri(), width=width)
        lines = browser.run(
            "Array.from(document.querySelectorAll('pre .whole')).map(s => "
            "s.getClientRects().length)"
        )
        assert lines == [1, 1]


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


def test_on_paper_everything_is_there_but_tables_that_are_folded(browser, shown):
    browser.open(shown["one"].as_uri(), scheme="dark")
    paper = text_of(browser.printed())
    for heading in re.findall(r"<h2[^>]*>(.*?)</h2>", pages.ordinary()):
        assert heading in paper
    assert "Data: " not in paper and "Data as a table" not in paper
    browser.run("document.querySelector('figure + details').open = true")
    assert text_of(browser.printed()).count("Data: ") == 1


@pytest.mark.parametrize(("name", "most"), [("sample", 4), ("many", 2)])
def test_a_page_prints_on_few_sheets(browser, shown, name, most):
    browser.open(shown[name].as_uri())
    assert 1 <= text_of(browser.printed()).count("\f") <= most


def test_a_figure_of_a_large_set_shows_its_edge_with_the_winner_marked(browser, shown):
    browser.open(shown["sample"].as_uri())
    names = browser.run(
        "Array.from(document.querySelectorAll('section[aria-labelledby=ranking] "
        "svg:not(.small) text')).map(t => t.textContent).filter(t => t.includes('='))"
    )
    assert (
        names[-1].endswith("(last in)")
        and [n for n in names if n.endswith("(winner)")] == names[:1]
    )


def test_a_mark_shows_its_value_under_the_pointer(browser, shown):
    browser.open(shown["sample"].as_uri())
    section = "section[aria-labelledby=forest] svg:not(.small)"
    titles = browser.run(
        f"Array.from(document.querySelectorAll('{section} title')).map(t => t.textContent)"
    )
    assert any(t.startswith("bbc: corrected 0.844, 95% CI 0.711 to 0.951") for t in titles)
    # the mark itself is what lies there
    hit = (
        f"(() => {{ const m = document.querySelector('{section} title').parentElement; "
        "m.scrollIntoView({block: 'center'}); const b = m.getBoundingClientRect(); return "
        "document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2) === m })()"
    )
    assert browser.run(hit) is True


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
    boxes = browser.run(
        "Array.from(document.querySelectorAll('svg:not([display=none])')).map(s => "
        "s.getBoundingClientRect().width * s.getBoundingClientRect().height)"
    )
    assert len(boxes) == 8 and min(boxes) > 20_000
    hidden = browser.run(
        "Array.from(document.querySelectorAll('svg.small')).map(s => s.getClientRects().length)"
    )
    assert len(hidden) == 6 and not any(hidden)
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
