"""The folder of a run is not left: not by links, not by names; and nothing in it is waited for."""

import json
import os
import shutil
import signal
import socket
from glob import glob
from pathlib import Path

import numpy as np
import pytest
from day import swept

from bbccli import read
from bbccli.errors import InputError
from bbccli.platform import guarded_files, resources
from bbccli.platform.resources import Reading
from bbccli.recording import Recorder

REAL = Path(__file__).parents[1] / "data" / "runs"
PREDICTIONS = Path("10_LightGBM", "predictions_out_of_folds.csv")
LEAVES = "a link points outside the folder"
IRREGULAR = "is a pipe, a socket or a device"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


@pytest.fixture(autouse=True)
def _soon():
    """End what waits for a pipe that nobody writes to."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def mljar(tmp_path):
    return Path(shutil.copytree(REAL / "mljar", tmp_path / "run"))


@pytest.fixture
def recording(tmp_path):
    return recorded(tmp_path / "recording", "a", "b")


def recorded(folder, *names):
    truth = np.arange(24) // 4 % 2
    recorder = Recorder(folder, None, truth)
    for power, name in enumerate(names, 1):
        for fold in range(4):
            rows = np.arange(fold, 24, 4)
            values = (truth[rows] * 0.4 + 0.02 * rows) ** power
            recorder.write(name, rows, np.c_[1 - values, values], fold=fold)
    return folder


def follow(path):
    with resources.use_reading(Reading(follow_links=True)):
        return read(path)


def moved(path):
    """Move a file or a folder out of the run, and leave a link to it."""
    elsewhere = path.parents[1] / f"elsewhere-{path.name}"
    while (elsewhere.parent / "params.json").exists() or elsewhere.parent.name == "recording":
        elsewhere = elsewhere.parents[1] / elsewhere.name
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    return elsewhere


def refused(path, problem, named=None):
    with pytest.raises(InputError, match=problem) as caught:
        read(path)
    assert named is None or str(named) in caught.value.problem
    return caught.value


class TestLinks:
    @pytest.mark.parametrize(
        "name", ["10_LightGBM", str(PREDICTIONS), "params.json", "leaderboard.csv", "folds"]
    )
    def test_that_leave_are_refused_unless_they_are_to_be_followed(self, mljar, name):
        elsewhere = moved(mljar / name)
        error = refused(mljar, LEAVES, elsewhere)
        assert error.hint == "use --follow-links if you trust who made the folder"
        assert follow(mljar).configurations == read(REAL / "mljar").configurations

    def test_that_stay_are_followed(self, mljar):
        (mljar / PREDICTIONS).rename(mljar / "kept.csv")
        (mljar / PREDICTIONS).symlink_to("../kept.csv")
        (mljar / "5_Linear").rename(mljar / "linear")
        (mljar / "5_Linear").symlink_to(mljar / "linear")
        (mljar / "up").symlink_to("..")
        (mljar / "here").symlink_to(".")
        assert read(mljar).configurations == read(REAL / "mljar").configurations

    def test_that_are_named_are_followed(self, mljar):
        (mljar.parent / "latest").symlink_to(mljar)
        assert read(mljar.parent / "latest").n_samples == read(mljar).n_samples
        elsewhere = moved(mljar / PREDICTIONS)
        refused(mljar.parent / "latest", LEAVES)
        (mljar / PREDICTIONS).unlink()
        (mljar / PREDICTIONS).symlink_to(PREDICTIONS.name)  # to itself
        refused(mljar, "no such file")
        if Path("/proc/self/root").exists():
            (mljar / PREDICTIONS).unlink()
            (mljar / PREDICTIONS).symlink_to(f"/proc/self/root{elsewhere}")
            refused(mljar, LEAVES)

    @pytest.mark.parametrize("name", ["parts", "design.npz", "bbc-recording.json", "part"])
    def test_in_a_recording(self, recording, name):
        part = next((recording / "parts").iterdir())
        moved(part if name == "part" else recording / name)
        refused(recording, LEAVES)
        assert follow(recording).configurations == ("a", "b")

    def test_among_tables(self, tmp_path):
        folder = tmp_path / "d"
        folder.mkdir()
        (tmp_path / "secret.csv").write_text("secret\n1\n")
        (folder / "a.csv").symlink_to("../secret.csv")
        error = refused(folder, f"is a folder that bbc does not recognise; .*a.csv: {LEAVES}")
        assert error.hint.startswith("use --follow-links if you trust")
        assert error.problem.count("a.csv") == 1
        (folder / "b").mkdir()
        (folder / "b" / "predictions.arff").symlink_to("/etc/passwd")
        refused(folder, LEAVES)


def linked(place):
    """Put a link to a copy of the file in its place."""
    elsewhere = place.parents[2] / "secret.csv"
    shutil.copy(place, elsewhere)
    place.unlink()
    place.symlink_to(elsewhere)


def with_linked_folder(place):
    moved_to = place.parents[2] / "model"
    place.parent.rename(moved_to)
    place.parent.symlink_to(moved_to)


def piped(place):
    place.unlink()
    os.mkfifo(place)


@pytest.mark.parametrize(
    ("change", "first", "problem"),
    [
        (linked, False, "cannot be read"),
        (with_linked_folder, False, "cannot be read"),
        (piped, True, IRREGULAR),
    ],
)
def test_a_file_that_becomes_another_is_not_read(mljar, monkeypatch, change, first, problem):
    """It does while its path is looked up, before or after."""
    place, left, resolve = mljar / PREDICTIONS, [change], os.path.realpath

    def swapped(path):
        found = str(path) if first else resolve(path)
        if found == str(place) and left:
            left.pop()(place)
        return resolve(path) if first else found

    monkeypatch.setattr(os.path, "realpath", swapped)
    refused(mljar, problem)


class TestWhatIsNoFile:
    @pytest.mark.parametrize("follows", [False, True])
    @pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
    def test_is_refused_at_once(self, mljar, monkeypatch, kind, follows):
        place = mljar / PREDICTIONS
        place.unlink()
        monkeypatch.chdir(place.parent)
        if kind == "pipe":
            os.mkfifo(place)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(place.name)
        elif kind == "device":
            place.symlink_to("/dev/zero")
        else:
            place.mkdir()
        problem = "is a folder, not a file" if kind == "folder" else IRREGULAR
        with resources.use_reading(Reading(follow_links=follows)):
            refused(mljar, problem, place)

    def test_nor_is_it_waited_for_while_the_tool_is_told(self, tmp_path):
        for name in ("predictions.csv", "answer.json", "params.json", "data_info.json"):
            os.mkfifo(tmp_path / name)
        refused(tmp_path, f"predictions.csv: {IRREGULAR}")

    def test_a_pipe_that_is_named_is_read(self, tmp_path):
        import threading

        os.mkfifo(tmp_path / "p.csv")
        text = "truth,a,b\n" + "1,0.9,0.8\n0,0.1,0.3\n1,0.2,0.6\n" * 9
        writer = threading.Thread(target=(tmp_path / "p.csv").write_text, args=(text,))
        writer.start()
        assert read(tmp_path / "p.csv").n_samples == 27
        writer.join()


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["../x", "/etc", "a/../x", "a/b", "..", ".", "..\\x", "C:\\x", "C:x", "10_LightGBM\0", ""],
    )
    def test_of_models_are_no_paths(self, mljar, name):
        shutil.copytree(mljar / "10_LightGBM", mljar.parent / "x")
        place = mljar / "params.json"
        about = json.loads(place.read_text())
        about["saved"] = [name if one == "10_LightGBM" else one for one in about["saved"]]
        place.write_text(json.dumps(about))
        board = mljar / "leaderboard.csv"
        board.write_text(board.read_text().replace("10_LightGBM,", f"{name},"))
        refused(mljar, "has a model name that can't be the name of its folder", "params.json")
        with pytest.raises(InputError, match="can't be the name"):
            follow(mljar)

    def test_nor_are_those_of_the_leaderboard(self, mljar):
        board = mljar / "leaderboard.csv"
        board.write_text(board.read_text() + board.read_text().splitlines()[1].replace("1_", "../"))
        refused(mljar, "has a model name that can't be the name", "leaderboard.csv")

    def test_that_lead_out_are_refused_whoever_makes_them(self, mljar):
        (mljar.parent / "x.csv").write_text("a\n1\n")
        for follows in (False, True):
            with guarded_files.within(mljar, follow_links=follows):
                for name in ("../x.csv", "folds/../../x.csv", str(mljar.parent / "x.csv")):
                    with pytest.raises(InputError, match="is outside the folder that is read"):
                        guarded_files.bytes_of(mljar / name)


@pytest.fixture
def matched(run, tmp_path_factory):
    """Return a function for the files, or else the folders, that a batch takes for a pattern."""

    def match(pattern, *options):
        journal = tmp_path_factory.mktemp("batch") / "done.jsonl"
        said = run("batch", pattern, "-o", journal, "--jobs", 1, *options)[2]
        assert journal.exists() or "no file matches" in said
        lines = journal.read_text().splitlines() if journal.exists() else []
        return sorted(json.loads(line)["path"] for line in lines)

    return match


class TestPatterns:
    @pytest.fixture
    def runs(self, tmp_path, monkeypatch):
        """Three files, one of them behind a link, and links that lead up again."""
        monkeypatch.chdir(tmp_path)
        for name in ("runs/a/p.csv", "runs/b/c/p.csv", "elsewhere/p.csv", "runs/.hidden/p.csv"):
            Path(name).parent.mkdir(parents=True)
            Path(name).write_text("x")
        Path("runs/link").symlink_to("../elsewhere")
        for name in ("one", "two", "three"):
            Path("runs/a", name).symlink_to("..")
        return tmp_path

    @pytest.mark.parametrize(
        ("pattern", "found"),
        [
            ("runs/**/p.csv", ["runs/a/p.csv", "runs/b/c/p.csv"]),
            ("**/b/**/p.csv", ["runs/b/c/p.csv"]),
            ("./runs/**/*.csv", ["./runs/a/p.csv", "./runs/b/c/p.csv"]),
            ("runs/*/p.csv", ["runs/a/p.csv", "runs/link/p.csv"]),
            ("r*/**/c/", ["runs/b/c"]),
        ],
    )
    def test_stars_go_through_no_links(self, runs, matched, pattern, found):
        assert matched(pattern) == found

    def test_unless_they_are_to_be_followed_and_then_once(self, runs, matched):
        found = matched("runs/**/p.csv", "--follow-links")
        assert found == [f"runs/{part}/p.csv" for part in ("a", "b/c", "link")]


@pytest.mark.parametrize(
    "pattern", ["runs/*/p.csv", swept("runs/**/p.csv"), swept("**"), swept("runs/1/*")]
)
def test_a_folder_of_a_batch_that_cannot_be_listed_is_no_empty_one(
    tmp_path, tmp_path_factory, monkeypatch, run, matched, pattern
):
    for name in "12":
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "p.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert matched(pattern)
    journal = tmp_path_factory.mktemp("batch") / "done.jsonl"
    shut = "runs" if pattern == "runs/*/p.csv" else str(Path("runs/1"))

    def refuse(real):
        def listed(path="."):
            if os.path.normpath(path) == shut:
                raise PermissionError(13, "Permission denied", path)
            return real(path)

        return listed

    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, refuse(getattr(os, name)))
    said = run.refused("batch", pattern, "-o", journal)
    place = said.removeprefix("error: ").partition(": cannot be listed: Permission denied")[0]
    assert os.path.normpath(place) == shut


def test_a_pattern_matches_as_the_glob_of_python_does(tmp_path, monkeypatch, matched):
    for name in ("a/p.csv", "a/.h.csv", ".b/p.csv", "c/d/p.csv", "a/[x].csv", "e.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    plain = ["*", "*/", "*/*.csv", "./*/p.csv", ".*/p.csv", "a/.*", "[ac]/*/p.csv", "a/[[]*"]
    plain += [f"{tmp_path}/*/p.csv", "e.csv/*", "a/../*.csv", "nothing/*", "?.csv"]
    deep = ["**/p.csv", "**/*.csv", "c/**/p.csv", "**", "c/**/", "**/*", "**/**/*.csv"]
    for pattern in [*plain, *deep, f"{tmp_path}/**/d/*"]:
        expected = {*glob(pattern, recursive=True)}  # noqa: PTH207
        files = [one for one in expected if not Path(one).is_dir()]
        assert matched(pattern) == sorted(files or [one.rstrip("/") for one in expected]), pattern
