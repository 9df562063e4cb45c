"""Where results go: through devices and links, never over what is read or not theirs."""

import json
import os
import shlex
import stat
import subprocess
import threading
from pathlib import Path

import pytest

ROWS = "".join(f"{i % 4},{'yn'[i // 4 % 2]},0.{i + 10},0.{99 - 2 * i}\n" for i in range(24))
TEXT = "fold,truth,a,b\n" + ROWS
QUICK = ("--method", "cvt", "--format", "json", "--quiet")

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "p.csv").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shell(folder, forked):
    """Run bash in the folder, where `bbc` is the command of this checkout."""

    def of(script):
        return subprocess.run(
            ["bash", "-c", f'bbc() {{ {shlex.join(forked)} "$@"; }}; {script}'],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return of


@posix
class TestWhatIsNoFile:
    def test_a_named_pipe_is_written_through(self, run, folder):
        os.mkfifo("pipe")
        found = []
        reader = threading.Thread(target=lambda: found.append(Path("pipe").read_bytes()))
        reader.start()
        assert run("correct", "p.csv", *QUICK, "-o", "pipe")[0] == 0
        reader.join()
        assert json.loads(found[0])["plan"]["seed"] == 0
        assert stat.S_ISFIFO(Path("pipe").stat().st_mode)

    def test_a_table_of_a_batch_goes_through_a_pipe(self, run, folder):
        os.mkfifo("table.parquet")
        found = []
        reader = threading.Thread(target=lambda: found.append(Path("table.parquet").read_bytes()))
        reader.start()
        arguments = ("--jobs", "1", "--method", "cvt", "--quiet")
        assert run("batch", "p.csv", "-o", "table.parquet", *arguments)[0] == 0
        reader.join()
        assert found[0].startswith(b"PAR1")
        assert found[0].endswith(b"PAR1")

    def test_a_device_stays_one(self, run, folder):
        assert run("correct", "p.csv", *QUICK, "-o", "/dev/null")[0] == 0
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
        assert not [path for path in Path("/dev").iterdir() if path.name.startswith(".null")]

    @pytest.mark.sweep
    def test_dev_stdout_appends_where_the_shell_does(self, shell, folder):
        (folder / "log").write_text("before\n")
        done = shell("bbc correct p.csv --method cvt --format jsonl -q -o /dev/stdout >> log")
        assert (done.returncode, done.stderr) == (0, "")
        first, second = (folder / "log").read_text().splitlines()
        assert first == "before"
        assert json.loads(second)["plan"]["seed"] == 0

    def test_process_substitution(self, shell, folder):
        done = shell(
            "bbc correct p.csv --method cvt -q --format jsonl -o >(wc -l > n); "
            "for _ in $(seq 50); do [ -s n ] && break; sleep 0.1; done"
        )
        assert done.stderr == ""
        assert (folder / "n").read_text().strip() == "1"

    def test_half_a_result_is_never_sent(self, folder):
        from bbccli.atomic import replacing

        os.mkfifo("pipe")
        with pytest.raises(ZeroDivisionError), replacing(Path("pipe")) as file:
            file.write(b"half")
            raise ZeroDivisionError
        # nothing was opened: a reader would still be waiting


@posix
class TestWhatIsThere:
    def test_a_symbolic_link_is_followed_and_kept(self, run, folder):
        (folder / "deep").mkdir()
        target = folder / "deep" / "real.json"
        target.write_text("old")
        Path("link.json").symlink_to("deep/real.json")
        Path("again.json").symlink_to("link.json")
        assert run("correct", "p.csv", *QUICK, "-o", "again.json")[0] == 0
        assert Path("link.json").is_symlink()
        assert Path("again.json").is_symlink()
        assert json.loads(target.read_text())
        assert sorted(p.name for p in target.parent.iterdir()) == ["real.json"]

    def test_a_link_to_nothing_yet(self, run, folder):
        Path("link.json").symlink_to("new.json")
        assert run("correct", "p.csv", *QUICK, "-o", "link.json")[0] == 0
        assert Path("link.json").is_symlink()
        assert json.loads(Path("new.json").read_text())

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
    def test_the_mode_is_kept(self, run, folder, mode):
        Path("r.json").write_text("old")
        Path("r.json").chmod(mode)
        assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        assert stat.S_IMODE(Path("r.json").stat().st_mode) == mode

    @pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
    def test_a_new_file_follows_the_umask(self, run, folder, mask, mode):
        before = os.umask(mask)
        try:
            assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        finally:
            os.umask(before)
        assert stat.S_IMODE(Path("r.json").stat().st_mode) == mode

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
    def test_the_owner_is_kept(self, run, folder):
        Path("r.json").write_text("old")
        os.chown("r.json", 12345, 23456)
        assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        assert (Path("r.json").stat().st_uid, Path("r.json").stat().st_gid) == (12345, 23456)

    def test_a_file_of_another_owner_is_written_in_place(self, run, folder, monkeypatch):
        def denied(*_):
            raise PermissionError

        Path("r.json").write_text("old")
        inode = Path("r.json").stat().st_ino
        monkeypatch.setattr(os, "chown", denied)
        monkeypatch.setattr("bbccli.atomic._owner", lambda status: (status.st_ino,))
        assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        assert json.loads(Path("r.json").read_text())
        assert Path("r.json").stat().st_ino == inode
        assert sorted(p.name for p in folder.iterdir()) == ["p.csv", "r.json"]

    def test_a_read_only_file_is_refused(self, run, folder):
        Path("r.json").write_text("old")
        Path("r.json").chmod(0o444)
        status, _, err = run("correct", "p.csv", *QUICK, "-o", "r.json")
        assert status == 2
        assert err.startswith("error: cannot write r.json: it is read-only\nhint: ")
        assert Path("r.json").read_text() == "old"

    def test_a_read_only_table_of_a_batch_is_refused_before_the_work(self, run, folder):
        Path("r.csv").write_text("old")
        Path("r.csv").chmod(0o444)
        status, _, err = run("batch", "p.csv", "-o", "r.csv", "--jobs", "1")
        assert (status, "it is read-only" in err) == (2, True)
        assert sorted(p.name for p in folder.iterdir()) == ["p.csv", "r.csv"]


def hard(path):
    os.link(path, "other.csv")
    return "other.csv"


def soft(path):
    Path("other.csv").symlink_to(path)
    return "other.csv"


@posix
class TestSameFile:
    @pytest.mark.parametrize("named", [str, lambda path: f"./{path}", hard, soft])
    @pytest.mark.parametrize("command", ["correct", "convert"])
    def test_an_input_is_no_output(self, run, folder, command, named):
        status, out, err = run(command, "p.csv", "-o", named("p.csv"))
        assert (status, out) == (2, "")
        assert err == (
            "error: --output is a file that is read: p.csv\nhint: name another file for it\n"
        )
        assert Path("p.csv").read_text() == TEXT

    @pytest.mark.parametrize("command", ["inspect", "drop"])
    def test_nor_by_the_name_of_another_form(self, run, folder, command):
        os.link("p.csv", "p.json")
        status, _, err = run(command, "p.csv", "-o", "p.json")
        assert (status, "--output is a file that is read: p.csv" in err) == (2, True)
        assert Path("p.json").read_text() == TEXT

    @pytest.mark.parametrize("option", ["--labels", "--folds"])
    def test_labels_and_folds(self, run, folder, option):
        Path("other.json").write_text("x")
        status, _, err = run("correct", "p.csv", option, "other.json", "-o", "other.json")
        assert (status, "read: other.json" in err) == (2, True)
        assert Path("other.json").read_text() == "x"

    def test_metadata_beside_the_input(self, run, folder):
        Path("p.meta.json").write_text('{"spec": "bbc-predictions", "version": "1"}')
        status, _, err = run("correct", "p.csv", "-o", "p.meta.json")
        assert (status, "read: p.meta.json" in err) == (2, True)

    def test_a_pattern(self, run, folder):
        status, _, err = run("correct", "*.csv", "-o", "p.csv")
        assert (status, "read: p.csv" in err) == (2, True)
        assert Path("p.csv").read_text() == TEXT

    @pytest.mark.parametrize("named", [str, lambda path: f"./{path}", soft])
    @pytest.mark.parametrize("there", [True, False])
    def test_distribution_and_output(self, run, folder, named, there):
        if there:
            Path("r.json").write_text("old")
        status, _, err = run("correct", "p.csv", "--distribution", "r.json", "-o", named("r.json"))
        assert (status, "are the same file" in err) == (2, True)

    @pytest.mark.parametrize("distribution", ["p.parquet", "link.parquet"])
    def test_distribution_and_input(self, run, folder, distribution):
        assert run("convert", "p.csv", "-o", "p.parquet", "-q")[0] == 0
        before = Path("p.parquet").read_bytes()
        Path("link.parquet").symlink_to("p.parquet")
        status, _, err = run("correct", "p.parquet", "--distribution", distribution)
        assert (status, "--distribution is a file that is read" in err) == (2, True)
        assert Path("p.parquet").read_bytes() == before

    @pytest.mark.parametrize("named", [str, hard, soft])
    def test_batch(self, run, folder, named):
        Path("q.csv").write_text(TEXT)
        name = named("p.csv")
        status, _, err = run("batch", "p.csv", "q.csv", "-o", name, "--jobs", "1")
        assert (status, "is a file that is read: p.csv" in err) == (2, True)
        assert Path("p.csv").read_text() == TEXT
        assert not list(folder.glob("*.journal"))

    def test_batch_and_its_manifest(self, run, folder):
        Path("m.csv").write_text("path,seed\np.csv,1\n")
        status, _, err = run("batch", "m.csv", "-o", "m.csv", "--jobs", "1")
        assert (status, "is a file that is read: m.csv" in err) == (2, True)

    def test_gate(self, run, folder):
        assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        before = Path("r.json").read_bytes()
        status, _, err = run("gate", "r.json", "--fail-under", "0.1", "-o", "r.json")
        assert (status, "is a file that is read: r.json" in err) == (2, True)
        assert Path("r.json").read_bytes() == before

    def test_standard_streams(self, shell, folder):
        for script in (
            "bbc correct p.csv >> p.csv",
            "bbc correct - < p.csv >> p.csv",
            "bbc convert - -o p.csv < p.csv",
        ):
            done = shell(script)
            assert done.returncode == 2, script
            assert "that is read" in done.stderr
            assert Path("p.csv").read_text() == TEXT


class TestForeignMetadata:
    def test_are_not_overwritten(self, run, folder):
        Path("q.meta.json").write_text('{"mine": 1}')
        status, _, err = run("convert", "p.csv", "-o", "q.csv")
        assert status == 2
        assert err.startswith("error: cannot write q.meta.json: it is there already")
        assert Path("q.meta.json").read_text() == '{"mine": 1}'
        assert not Path("q.csv").exists()

    def test_nor_are_those_of_another_table(self, run, folder):
        text = '{"spec": "bbc-predictions", "version": "1", "configs": [{"id": "a"}]}'
        Path("p.meta.json").write_text(text)
        status, _, err = run("convert", "p.csv", "-o", "p.tsv")
        assert (status, "not the metadata of p.tsv" in err) == (2, True)
        assert Path("p.meta.json").read_text() == text

    def test_its_own_are_renewed(self, run, folder):
        assert run("convert", "p.csv", "-o", "q.csv", "-q")[0] == 0
        assert json.loads(Path("q.meta.json").read_text())["layout"] == "wide"
        assert run("convert", "p.csv", "-o", "q.csv", "-q")[0] == 0
        assert run("convert", "p.csv", "-o", "q.csv", "-q", "--layout", "long")[0] == 0
        assert json.loads(Path("q.meta.json").read_text())["layout"] == "long"


@pytest.mark.parametrize("name", ["out.json/", "out.json//", "out.json/."])
def test_a_name_that_ends_as_that_of_a_folder_is_refused(run, folder, name):
    status, _, err = run("correct", "p.csv", "--method", "cvt", "-o", name)
    assert (status, err.splitlines()[0]) == (
        2,
        f"error: cannot write {name}: that is the name of a folder",
    )
    assert [path.name for path in folder.iterdir()] == ["p.csv"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [("", "the name of a file is empty"), (".", ".: is a directory")],
)
def test_what_names_no_file_is_one_error_also_where_the_result_is_there(
    run, folder, monkeypatch, given, problem
):
    (folder / "r.json").write_text("{}")
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder / "empty")
    status, _, err = run("correct", given, "-o", "../r.json")
    assert (status, len(err.splitlines())) == (2, 2)
    assert err.startswith(f"error: {problem}")
