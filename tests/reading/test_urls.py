"""Files on a web server: what it answers, how long it may take, and what is never shown."""

import base64
import io
import json
import re
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from day import daily, swept

from bbccli.errors import InputError
from bbccli.platform.text import LONGEST, message, redacted, visible
from bbccli.reading import read
from bbccli.reading.sources import read_table

ROWS = "".join(f"{i % 4},{'yn'[i // 4 % 2]},0.{i + 10},0.{99 - 2 * i}\n" for i in range(24))
TEXT = "fold,truth,a,b\n" + ROWS
METADATA = b'{"spec": "bbc-predictions", "version": "1", "n_candidates_total": 7}'
SECRETS = ("hunter2", "s3cr3t", "alice")


def metadata(path):
    """Status and content of what stands beside a file."""
    if path.endswith("/failing.meta.json"):
        return 503, b""
    if path.endswith("/told.meta.json"):
        return 200, METADATA
    return 403 if "signed" in path else 404, b""


class Handler(BaseHTTPRequestHandler):
    """Answers as the path says."""

    asked = []  # noqa: RUF012
    given_up = threading.Event()

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.asked.append((self.command, self.path, self.headers.get("Authorization")))
        if path.endswith(".meta.json"):
            return self.send(*metadata(path))
        refused = re.match(r"/status/(\d+)/", path)
        if refused:
            return self.send(int(refused[1]), b"")
        if path.startswith("/declared/"):
            return self.send(200, TEXT.encode(), declared=path.split("/")[2])
        if path.startswith(("/moved/", "/elsewhere/")):
            self.send_response(302)
            place = path.replace("/moved/", "/") if "/moved/" in path else "file:///etc/passwd"
            self.send_header("Location", place)
            self.end_headers()
            return None
        if path.startswith("/closed/") and not self.headers.get("Authorization"):
            return self.send(401, b"")
        if not path.startswith("/slow/") or not self.given_up.wait(20):
            self.send(200, TEXT.encode(), short="/short/" in path)
        return None

    def send(self, status, content, short=False, declared=None):
        self.send_response(status)
        size = str(len(content) + 100 * short) if declared is None else declared
        self.send_header("Content-Length", size)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(port, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    Handler.asked.clear()
    return f"127.0.0.1:{port}"


QUICK = ("--method", "cvt", "--format", "json")


PLACES = ["/p.csv", "/p.csv?token=s3cr3t", "/a%20b/p.csv", "/moved/p.csv", "/signed/p.csv?x=1"]


@pytest.mark.parametrize("place", daily(PLACES, ["/p.csv"]))
def test_a_question_mark_begins_the_query(run, server, place):
    status, out, err = run("correct", f"http://{server}{place}", *QUICK)
    assert status == 0, err
    assert json.loads(out)["input"]["n_samples"] == 24
    assert "s3cr3t" not in out + err
    if "token" in place:
        assert ("GET", "/p.csv?token=s3cr3t", None) in Handler.asked


@pytest.mark.parametrize("name", ["p.csv", "told.csv"])
def test_metadata_beside_a_file_are_asked_for_once(run, server, name):
    """Whether there are any is found out by asking for them."""
    out = run.printed("correct", f"http://{server}/{name}", *QUICK)
    assert [path for _, path, _ in Handler.asked] == [f"/{name}", f"/{name[:-4]}.meta.json"]
    found = json.loads(out)
    assert found["input"]["n_samples"] == 24
    codes = {note["code"] for note in found["notes"]}
    assert ("candidates-missing" in codes) is ("told" in name)


def test_metadata_that_a_server_fails_to_give_are_not_passed_over(run, server):
    err = run.refused("correct", f"http://{server}/failing.csv", *QUICK)
    assert "/failing.meta.json: the server failed: 503 Service Unavailable" in err
    assert "hint: try again later" in err


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "the server answers 401 Unauthorized"),
        (404, "no such file (404 Not Found)"),
        (500, "the server failed: 500 Internal Server Error"),
    ],
)
def test_what_the_server_answers(run, server, tmp_path, status, words):
    url = f"http://{server}/status/{status}/p.csv"
    assert f"{url}: {words}" in run.refused("correct", url)
    found, _, err = run("batch", url, "-o", tmp_path / "r.jsonl", "--jobs", "1")
    assert (found, f"{url}: {words}" in err) == (5, True)


def test_a_login(run, server):
    assert "401" in run.refused("correct", f"http://{server}/closed/p.csv")
    out = run.printed("correct", f"http://alice:hunter%322@{server}/closed/p.csv", *QUICK)
    login = base64.b64encode(b"alice:hunter22").decode()
    assert ("GET", "/closed/p.csv", f"Basic {login}") in Handler.asked
    assert json.loads(out)["input"]["path"] == f"http://***@{server}/closed/p.csv"
    run.printed("correct", f"http://alice:hunter2@{server}/moved/p.csv", *QUICK)
    sent = {path: login for command, path, login in Handler.asked if command == "GET"}
    assert sent["/moved/p.csv"]
    assert sent["/p.csv"] is None  # it is not sent on


def test_what_gives_no_whole_file(run, server):
    assert "root:" not in run.refused("correct", f"http://{server}/elsewhere/p.csv")
    err = run.refused("correct", f"http://{server}/short/p.csv")
    assert "the server closed the connection early" in err
    err = run.refused("correct", "http://alice:hunter2@127.0.0.1:9/p.csv?token=s3cr3t")
    assert "Connection refused" in err
    assert not any(secret in err for secret in SECRETS)


@pytest.mark.parametrize("command", ["correct", "inspect"])
def test_a_server_that_says_nothing(run, server, command):
    Handler.given_up.clear()
    status, out, err = run(command, f"http://{server}/slow/p.csv", "--timeout", "0.3")
    Handler.given_up.set()
    assert status == 2  # who waits for the answer gets one
    assert "no answer within 0.3 s" in out + err
    assert "--timeout 120" in re.sub(r"\s+", " ", out + err)


def test_other_protocols_have_the_same_limit(run, monkeypatch):
    from fsspec.implementations.memory import MemoryFileSystem

    given_up = threading.Event()

    def slow(*_, **__):
        given_up.wait(20)
        return io.BytesIO(TEXT.encode())

    monkeypatch.setattr(MemoryFileSystem, "_open", slow)
    MemoryFileSystem.store["/p.csv"] = None
    try:
        status, _, err = run("correct", "memory://p.csv", "--timeout", "0.3")
    finally:
        given_up.set()
        MemoryFileSystem.store.clear()
    assert (status, "no answer within 0.3 s" in err) == (2, True)


@pytest.mark.parametrize("seconds", ["0", swept("-1"), swept("inf"), swept("nan")])
def test_a_limit_of_no_time(run, seconds):
    assert "--timeout is" in run.refused("correct", "p.csv", "--timeout", seconds)


class TestSecrets:
    """None is in a table, JSON, CSV, the journal or a message."""

    def url(self, server, place="/p.csv"):
        return f"http://alice:hunter2@{server}{place}?X-Amz-Signature=s3cr3t&region=eu"

    FORMS = ("table", "json", "jsonl", "csv", "markdown", "junit", "github")

    @pytest.mark.parametrize("form", daily(FORMS, ["table"]))
    def test_reports(self, run, server, form):
        _, out, err = run("correct", self.url(server), "--method", "cvt", "--format", form)
        assert not any(secret in out + err for secret in SECRETS)
        assert "region" in re.sub(r"\s+", "", out) or form == "github"

    @pytest.mark.parametrize(
        "place", ["/p.csv", swept("/status/500/p.csv"), swept("/status/404/p.csv")]
    )
    @pytest.mark.parametrize("form", ["csv", swept("jsonl")])
    def test_batch(self, run, server, tmp_path, place, form):
        url, target = self.url(server, place), tmp_path / f"r.{form}"
        journal = tmp_path / f"r.{form}.journal"
        journal.touch(mode=0o644)  # open to all
        for more in ((), ("--resume",)):
            argv = (url, "-o", target, "--jobs", "1", "--summary", *more)
            _, out, err = run("batch", *argv)
            texts = (out, err, target.read_text(), journal.read_text())
            assert not any(secret in text for text in texts for secret in SECRETS)
        assert "1 unchanged" in err or place != "/p.csv"
        _, out, err = run("batch", url, "-o", target, "--dry-run", "--resume")
        assert not any(secret in out + err for secret in SECRETS)
        assert stat.S_IMODE(journal.stat().st_mode) == 0o600

    def test_two_addresses_that_look_alike_are_two(self, run, server, tmp_path):
        urls = [self.url(server, f"/p.csv?token={i}&") for i in range(2)]
        target = tmp_path / "r.jsonl"
        assert run("batch", *urls, "-o", target, "--jobs", "1")[0] == 0
        assert len(target.read_text().splitlines()) == 2

    def test_inspection_and_conversion(self, run, server, tmp_path):
        for argv in (
            ("inspect", self.url(server), "--format", "json"),
            ("convert", self.url(server)),
            ("drop", self.url(server)),
            ("inspect", self.url(server, "/status/403/p.csv")),
        ):
            _, out, err = run(*argv)
            assert not any(secret in out + err for secret in SECRETS), argv


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://KEY:a/b+c@bucket/p.csv", "s3://***@bucket/p.csv"),
        swept("http://host:8080/a@b.csv", "http://host:8080/a@b.csv"),
        swept("https://h/p?sig=a%2Fb&region=eu: 403", "https://h/p?sig=***&region=eu: 403"),
        swept("https://h/p?SECRET", "https://h/p?***"),
        swept("https://h/p#access_token=1", "https://h/p#***"),
        swept(
            "see 'https://a:b@h/x?t=1' and https://c:d@i",
            "see 'https://***@h/x?t=***' and https://***@i",
        ),
        swept("tcp://me:pw@host:1", "tcp://***@host:1"),
        ("no url: a@b?c=d", "no url: a@b?c=d"),
    ],
)
def test_redaction(text, shown):
    assert redacted(text) == shown
    assert redacted(shown) == shown


def test_messages_are_one_short_line():
    text = message("a\nb\u202e\x1b[31m" + "x" * 5000)
    assert len(text) == LONGEST
    assert text.isprintable()
    assert text.startswith(r"a\nb\u202e\x1b[31m")
    assert message(text) == text
    assert visible(Path("a b").name) == "a b"


def test_a_size_that_is_declared_and_too_large_is_refused_unread(server, monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("bbccli.reading.sources.urls.read_within", never)
    with pytest.raises(InputError, match="holds more than 4 GiB"):
        read_table(f"http://{server}/declared/10000000000000/p.csv")


@pytest.mark.parametrize("declared", ["-5", "many", ""])
def test_a_size_that_is_none_is_not_believed(server, declared):
    assert read_table(f"http://{server}/declared/{declared}/p.csv").n_rows == TEXT.count("\n") - 1


def test_a_pattern_names_files_and_no_folder(tmp_path):
    for place in ("a", "b/p.csv"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "a" / "p.csv").write_text(TEXT)
    assert read(f"file://{tmp_path}/**/p.csv").source.path == f"file://{tmp_path}/a/p.csv"
