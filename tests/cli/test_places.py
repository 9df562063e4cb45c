"""Where results go: through devices and links, never over what is read or not theirs."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from day import swept
from experiments import TINY

QUICK = ("--method", "cvt", "--format", "json", "--quiet")

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


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
            timeout=600,
        )

    return of


SPOILING = """
from dataclasses import replace
from pathlib import Path

from bbccli import METRICS


def bind(outcome, predictions):
    kept = Path("r.jsonl.journal").read_bytes()
    if kept.count(b'"key"') == 2:
        whole, _, second = kept[:-1].rpartition(b"\\n")
        Path("r.jsonl.journal").write_bytes(whole + b"\\n" + second.replace(b":", b";", 1) + b"\\n")
    return METRICS["auc"].bind(outcome, predictions)


M = replace(METRICS["auc"], name="spoiling", bind=bind)
"""


@posix
class TestWhatIsNoFile:
    @pytest.mark.parametrize(
        ("words", "start"),
        [
            ("correct p.csv --method cvt --quiet -o pipe.json", b"{"),
            ("batch p.csv --method cvt --quiet --jobs 1 -o pipe.parquet", b"PAR1"),
        ],
    )
    def test_a_named_pipe_is_written_through(self, run, folder, words, start):
        *_, name = words.split()
        os.mkfifo(name)
        found = []
        reader = threading.Thread(target=lambda: found.append(Path(name).read_bytes()))
        reader.start()
        assert run(*words.split())[0] == 0
        reader.join()
        assert found[0].startswith(start) and found[0].rstrip().endswith((b"}", start))
        assert stat.S_ISFIFO(Path(name).stat().st_mode)

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

    def test_half_a_table_is_never_sent(self, run, folder, monkeypatch):
        """The second record is damaged when the first is in the table."""
        os.mkfifo("r.jsonl")
        reader = os.open("r.jsonl", os.O_RDONLY | os.O_NONBLOCK)
        monkeypatch.syspath_prepend(folder)
        Path("spoiling.py").write_text(SPOILING)
        asked = ("--jobs", "1", "--method", "cvt", "--metric", "spoiling:M", "-o", "r.jsonl")
        for name in "qr":
            shutil.copy("p.csv", f"{name}.csv")
        err = run.refused("batch", "p.csv", "q.csv", "r.csv", *asked, "--quiet")
        assert "was changed while it was in use" in err
        assert os.read(reader, 1) == b""
        os.close(reader)


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

    @pytest.mark.parametrize("mode", [0o600, 0o755])
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
        status = Path("r.json").stat()
        assert (status.st_uid, status.st_gid) == (12345, 23456)

    def test_a_file_of_another_owner_is_written_in_place(self, run, folder, monkeypatch):
        def denied(*_):
            raise PermissionError

        Path("r.json").write_text("old")
        inode = Path("r.json").stat().st_ino
        monkeypatch.setattr(os, "chown", denied)
        monkeypatch.setattr("bbccli.platform.atomic._owner", lambda status: (status.st_ino,))
        assert run("correct", "p.csv", *QUICK, "-o", "r.json")[0] == 0
        assert json.loads(Path("r.json").read_text())
        assert Path("r.json").stat().st_ino == inode
        assert sorted(p.name for p in folder.iterdir()) == ["p.csv", "r.json"]

    def test_a_name_may_not_be_empty(self, run, folder):
        err = run.refused("correct", "p.csv", *QUICK, "-o", "")
        assert err.startswith("error: cannot write '': the name is empty\nhint: ")

    def test_a_read_only_file_is_refused(self, run, folder):
        Path("r.json").write_text("old")
        Path("r.json").chmod(0o444)
        err = run.refused("correct", "p.csv", *QUICK, "-o", "r.json")
        assert err.startswith("error: cannot write r.json: it is read-only\nhint: ")
        assert Path("r.json").read_text() == "old"
        Path("r.json").rename("r.csv")
        assert "it is read-only" in run.refused("batch", "p.csv", "-o", "r.csv", "--jobs", "1")
        assert sorted(p.name for p in folder.iterdir()) == ["p.csv", "r.csv"]  # before the work


def hard(path):
    os.link(path, "other.csv")
    return "other.csv"


def soft(path):
    Path("other.csv").symlink_to(path)
    return "other.csv"


BESIDE = {
    "other.csv": "x",
    "p.meta.json": '{"spec": "bbc-predictions", "version": "1"}',
    "m.csv": "path,seed\np.csv,1\n",
    "c.toml": "seed = 3\n",
    "of_places.py": "from dataclasses import replace\nfrom bbccli import METRICS\n"
    "M = replace(METRICS['auc'], name='mine')\n",
}
LINKS = {"p.json": "p.csv", "r.html": "r.json", "link.parquet": "p.parquet"}


@posix
@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("inspect p.csv -o p.json", "p.csv"),
        ("compare p.csv -o p.json", "p.csv"),
        ("drop p.csv -o p.json", "p.csv"),
        ("correct p.csv --labels other.csv -o other.csv", "other.csv"),
        ("correct p.csv --folds other.csv -o other.csv", "other.csv"),
        ("correct p.csv -o p.meta.json", "p.meta.json"),
        ("correct *.csv -o p.csv", "p.csv"),
        ("correct p.parquet --distribution p.parquet", "p.parquet"),
        ("correct p.parquet --distribution link.parquet", "p.parquet"),
        ("batch m.csv -o m.csv --jobs 1", "m.csv"),
        ("gate r.json --fail-under 0.1 -o r.json", "r.json"),
        ("report r.json -o r.html", "r.json"),
        ("--config c.toml correct p.csv --format json -o c.toml", "c.toml"),
        ("correct p.csv --format json --metric of_places:M -o of_places.py", "of_places.py"),
    ],
)
def test_what_is_read_is_no_output(run, folder, words, read):
    for name in BESIDE.keys() & {*words.split()} | {read} & BESIDE.keys():
        Path(name).write_text(BESIDE[name])
    if read == "p.parquet":
        assert run("convert", "p.csv", "-o", read, "-q")[0] == 0
    if read == "r.json":
        assert run("correct", "p.csv", *QUICK, "-o", read)[0] == 0
    for name in LINKS.keys() & {*words.split()}:
        os.link(LINKS[name], name)
    before, err = Path(read).read_bytes(), run.refused(*words.split())
    assert " would overwrite an input file: " in err and err.splitlines()[0].endswith(read)
    assert Path(read).read_bytes() == before
    assert not list(folder.glob("*.journal"))


@posix
class TestSameFile:
    @pytest.mark.parametrize("named", [str, swept(lambda path: f"./{path}"), hard, swept(soft)])
    @pytest.mark.parametrize("command", ["correct", swept("convert"), "batch"])
    def test_an_input_is_no_output(self, run, folder, command, named):
        assert run.refused(command, "p.csv", "-o", named("p.csv")) == (
            "error: --output would overwrite an input file: p.csv\nhint: name another file\n"
        )
        assert Path("p.csv").read_text() == TINY
        assert not list(folder.glob("*.journal"))

    @pytest.mark.parametrize("named", [str, swept(lambda path: f"./{path}"), swept(soft)])
    @pytest.mark.parametrize("there", [True, swept(False)])
    def test_distribution_and_output(self, run, folder, named, there):
        if there:
            Path("r.json").write_text("old")
        err = run.refused("correct", "p.csv", "--distribution", "r.json", "-o", named("r.json"))
        assert "are the same file" in err

    @pytest.mark.parametrize("scheme", ["file", "local"])
    @pytest.mark.parametrize(
        "words",
        [
            ("correct", "URL", "-o"),
            ("correct", "URL", "-q", "--distribution"),
            ("correct", "q.csv", "--labels", "URL", "-o"),
            ("compare", "URL", "q.csv", "-o"),
            ("convert", "URL", "-o"),
            ("batch", "q.csv", "URL", "--jobs", "1", "-o"),
            ("batch", "q.csv", "--labels", "URL", "--jobs", "1", "-o"),
        ],
    )
    def test_an_address_of_this_machine(self, run, folder, scheme, words):
        result = "p.parquet" if "--distribution" in words else "p.csv"
        Path("q.csv").write_text(TINY)
        if result == "p.parquet":
            assert run("convert", "q.csv", "-o", result, "-q")[0] == 0
        before, url = Path(result).read_bytes(), f"{scheme}://{folder}/{result}"
        err = run.refused(*(url if word == "URL" else word for word in words), result)
        assert "would overwrite an input file" in err
        assert Path(result).read_bytes() == before
        assert not list(folder.glob("*.journal"))

    def test_a_packed_file_behind_an_address(self, run, folder):
        import zipfile

        with zipfile.ZipFile("z.csv", "w") as archive:
            archive.write("p.csv")
        before, url = Path("z.csv").read_bytes(), f"zip://p.csv::file://{folder}/z.csv"
        assert "would overwrite an input file" in run.refused("correct", url, "-o", "z.csv")
        assert Path("z.csv").read_bytes() == before

    def test_an_open_descriptor(self, run, folder):
        with Path("p.csv").open("ab") as file:
            status, _, err = run("correct", "p.csv", "-o", f"/dev/fd/{file.fileno()}")
        assert (status, "--output would overwrite an input file: p.csv" in err) == (2, True)
        assert Path("p.csv").read_text() == TINY

    def test_a_link_that_is_there_when_all_is_done(self, run, folder, monkeypatch):
        from bbccli.use_cases import correct

        work = correct.answer

        def linked(*args, **options):
            found = work(*args, **options)
            os.link("p.csv", "r.json")
            return found

        monkeypatch.setattr(correct, "answer", linked)
        err = run.refused("correct", "p.csv", *QUICK, "-o", "r.json")
        assert "r.json would overwrite an input file: p.csv" in err
        assert Path("p.csv").read_text() == TINY

    def test_the_same_metadata_are_left_as_they_are(self, run, folder):
        assert run("convert", "p.csv", "-o", "q.csv", "-q")[0] == 0
        assert run("convert", "q.csv", "-o", "q.tsv", "-q")[0] == 0
        assert sorted(path.name for path in folder.glob("q.*")) == ["q.csv", "q.meta.json", "q.tsv"]

    def test_standard_streams(self, shell, folder):
        Path("r.json").write_text("[]")
        for script, name in (
            ("bbc correct p.csv >> p.csv", "p.csv"),
            ("bbc correct - < p.csv >> p.csv", "p.csv"),
            ("bbc convert - -o p.csv < p.csv", "p.csv"),
            ("bbc inspect p.csv >> p.csv", "p.csv"),
            ("bbc explain r.json >> r.json", "r.json"),
            ("bbc gate r.json --fail-under 0.1 >> r.json", "r.json"),
        ):
            done, text = shell(script), {"p.csv": TINY, "r.json": "[]"}
            assert done.returncode == 2, script
            assert "would overwrite an input file" in done.stderr
            assert Path(name).read_text() == text[name]


MLJAR = Path(__file__).parents[1] / "data" / "runs" / "mljar"


@posix
class TestInARun:
    @pytest.fixture
    def inside(self, tmp_path, monkeypatch):
        shutil.copytree(MLJAR, tmp_path / "run")
        monkeypatch.chdir(tmp_path / "run")
        return tmp_path / "run"

    @pytest.mark.parametrize(
        "words",
        [
            ("correct", ".", *QUICK),
            ("inspect", "."),
            ("convert", ".", "-o", "../all.csv"),
            ("drop", "."),
            ("leaderboard", "./"),
            ("plan", "."),
            ("batch", ".", "-o", "../all.csv", "--jobs", "1", "--method", "cvt"),
        ],
    )
    def test_the_current_folder_is_read(self, run, inside, words):
        assert run(*words)[::2][0] == 0

    def test_what_is_no_run_is_said(self, run, tmp_path, monkeypatch):
        (tmp_path / "alone" / "here").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "alone" / "here")
        for path in (".", "..", "/", "./"):
            assert "is a folder that bbc does not recognise" in run.refused(
                "correct", path, "-o", "r.json"
            )
        for command in (("explain",), ("gate", "--fail-under", "0.1")):
            assert run(*command, ".")[0] == 2

    def test_a_result_may_lie_beside_what_is_read(self, shell, inside):
        script = f"cd {inside}; bbc correct . {shlex.join(QUICK)}"
        assert [shell(f"{script} > out.json").returncode for _ in range(2)] == [0, 0]
        assert [shell(f"{script} -o out.json").returncode for _ in range(2)] == [0, 0]
        assert json.loads((inside / "out.json").read_bytes())["input"]["path"] == "."

    def test_also_where_other_tools_would_have_read_it(self, shell, tmp_path):
        (tmp_path / "runs").mkdir()
        kinds = {"repeat": "numeric", "fold": "numeric", "row_id": "numeric"}
        kinds |= {"prediction": "{n,y}", "correct": "{n,y}"}
        kinds |= {"confidence.n": "numeric", "confidence.y": "numeric"}
        head = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
        for share in (0.01, 0.02):
            chances = [share * (i + 1) for i in range(24)]
            rows = "".join(
                f"0,{i % 4},{i},n,{'ny'[i // 4 % 2]},{1 - chance:.2f},{chance:.2f}\n"
                for i, chance in enumerate(chances)
            )
            path = tmp_path / "runs" / f"{share}.arff"
            path.write_text(f"@relation r\n{head}@data\n{rows}")
        script = "cd runs; bbc correct . --method cvt --quiet --format csv > out.csv"
        done = shell(f"cd {tmp_path}; {script}")
        assert (done.returncode, done.stderr) == (0, "")

    def test_a_file_of_a_model_elsewhere_is_not_overwritten(self, run, inside):
        model = inside.parent / "model"
        (inside / "10_LightGBM").rename(model)
        (inside / "10_LightGBM").symlink_to(model)
        place = model / "predictions_out_of_folds.csv"
        before = place.read_bytes()
        err = run.refused("correct", ".", "--follow-links", "-o", place)
        assert "--output would overwrite an input file" in err
        assert place.read_bytes() == before
        assert run("correct", ".", *QUICK)[0] == 2
        assert run("correct", ".", *QUICK, "--follow-links")[0] == 0


class TestForeignMetadata:
    def test_are_not_overwritten(self, run, folder):
        Path("q.meta.json").write_text('{"mine": 1}')
        err = run.refused("convert", "p.csv", "-o", "q.csv")
        assert err.startswith("error: cannot write q.meta.json: it exists")
        assert Path("q.meta.json").read_text() == '{"mine": 1}'
        assert not Path("q.csv").exists()

    def test_nor_are_those_of_another_table(self, run, folder):
        text = '{"spec": "bbc-predictions", "version": "1", "configs": [{"id": "a"}]}'
        Path("p.meta.json").write_text(text)
        assert "not the metadata of p.tsv" in run.refused("convert", "p.csv", "-o", "p.tsv")
        assert Path("p.meta.json").read_text() == text

    def test_its_own_are_renewed(self, run, folder):
        assert run("convert", "p.csv", "-o", "q.csv", "-q")[0] == 0
        assert json.loads(Path("q.meta.json").read_text())["layout"] == "wide"
        assert run("convert", "p.csv", "-o", "q.csv", "-q")[0] == 0
        assert run("convert", "p.csv", "-o", "q.csv", "-q", "--layout", "long")[0] == 0
        assert json.loads(Path("q.meta.json").read_text())["layout"] == "long"


@pytest.mark.parametrize("name", ["out.json/", "out.json//", "out.json/."])
def test_a_name_that_ends_as_that_of_a_folder_is_refused(run, folder, name):
    err = run.refused("correct", "p.csv", "--method", "cvt", "-o", name)
    assert err.startswith(f"error: cannot write {name}: it is the name of a folder\n")
    assert [path.name for path in folder.iterdir()] == ["p.csv"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [("", "the name of a file is empty"), (".", ".: is a folder that bbc does not recognise")],
)
def test_what_names_no_file_is_one_error_also_where_the_result_is_there(
    run, folder, monkeypatch, given, problem
):
    (folder / "r.json").write_text("{}")
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder / "empty")
    err = run.refused("correct", given, "-o", "../r.json")
    assert len(err.splitlines()) == 2
    assert err.startswith(f"error: {problem}")
