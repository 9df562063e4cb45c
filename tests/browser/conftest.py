"""A browser, the pages that it shows, and a server on this machine that sends policies."""

import base64
import functools
import http.server
import json
import os
import shutil
import threading
from pathlib import Path

import pages
import pytest

from bbccli.cli.app import main
from bbccli.reports.page.page import page

JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"
"""What Jenkins sends with the files of a build."""

AXE = Path(os.environ.get("BBC_AXE", Path(__file__).parents[2] / ".cache" / "axe.min.js"))


COMMANDS = {
    "sample": ["correct"],
    "leaderboard": ["leaderboard"],
    "batch": [
        *("batch", str(pages.SAMPLES / "breast_cancer.parquet"), "--jobs", "1"),
        *("--metric", "auc", "--metric", "brier", "--fail-under", "0.5"),
    ],
    "plan": ["plan", "--optimism", "0.02"],
    "drop": ["drop"],
    "pair": ["compare", "--test", "all", "--pair", "lda shrinkage=0.1", "tree depth=2 leaf=5"],
}
"""Pages that commands write of a file of samples."""


class Browser:
    """Chromium without a window."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, url, width=1000, scheme="light"):
        """Show a page; the logs begin with it."""
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,  # whose bars lie over the page
        )
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(url)

    def command(self, name, **parameters):
        """Ask Chromium itself."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script):
        """Evaluate in the page."""
        return self.driver.execute_script(f"return {script}")

    def requests(self):
        """Addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def logs(self, kind):
        """Entries of a log."""
        return self.driver.get_log(kind)

    def pixels(self, selector):
        """A picture of an element, as PNG."""
        return self.driver.find_element("css selector", selector).screenshot_as_png

    def printed(self):
        """The page on paper, as PDF."""
        return base64.b64decode(self.command("Page.printToPDF")["data"])


@pytest.fixture(scope="session")
def browser():
    selenium = pytest.importorskip("selenium.webdriver")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("apt-get install chromium chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = binary
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = selenium.ChromeService(driver)
    started = selenium.Chrome(options=options, service=service)
    yield Browser(started)
    started.quit()


@pytest.fixture(scope="session")
def axe():
    if not AXE.is_file():
        pytest.skip("make browser fetches axe-core")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """Addresses of pages by name."""
    folder = tmp_path_factory.mktemp("pages")
    texts = {"one": pages.ordinary(), "many": pages.many(200, 2)}
    texts |= {f"hostile{i}": page([pages.hostile(name)]) for i, name in enumerate(pages.NAMES)}
    sample = str(pages.SAMPLES / "progression.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BBC_AXE", raising=False)  # which bbc takes for an option
        for name, argv in COMMANDS.items():
            target = folder / f"{name}.html"
            assert main([*argv, sample, "-qo", str(target)]) == 0
            texts[name] = target.read_text(encoding="utf-8")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html") for name in texts}


@pytest.fixture(scope="session")
def jenkins(shown):
    """A server on this machine that sends pages with the policy of Jenkins."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def end_headers(self):
            self.send_header("Content-Security-Policy", JENKINS)
            super().end_headers()

        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=str(shown["one"].parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
