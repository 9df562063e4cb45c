"""Neither a table nor a file found on the way runs code, or sets what its owner may not."""

import json
import os
import re
from pathlib import Path

import pytest
from day import swept
from experiments import TINY

by_root = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root gives files away"
)
EVIL = "open('ran', 'w').close()\nraise ImportError('evil')\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository in somebody's home, a folder in it, and code in that."""
    for name in [name for name in os.environ if name.startswith("BBC_")]:
        monkeypatch.delenv(name)
    inner = tmp_path / "home" / "project" / "deep"
    inner.mkdir(parents=True)
    (inner.parent / ".git").mkdir()
    (inner / "p.csv").write_text(TINY)
    (inner / "evil.py").write_text(EVIL)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(str(inner))
    monkeypatch.chdir(inner)
    return inner.parent


@pytest.fixture
def seed(run):
    def of(*before):
        argv = (*before, "correct", "p.csv", "--method", "cvt", "--format", "json")
        status, out, err = run(*argv)
        return json.loads(out)["plan"]["seed"] if status == 0 else err

    return of


class TestLinksOutOfFolders:
    def test_are_not_followed_because_a_file_that_was_found_says_so(self, seed, project):
        (project / "bbc.toml").write_text("seed = 3\nfollow-links = true\n")
        assert "follow-links lets links lead out of folders, which only" in seed()
        (project / "bbc.toml").write_text("seed = 3\n[correct]\nfollow_links = true\n")
        assert "follow_links lets links lead out of folders, which only" in seed()
        assert seed("--config", "../bbc.toml") == 3
        (project / "bbc.toml").write_text("seed = 3\nfollow-links = false\n")
        assert seed() == 3

    def test_may_be_by_a_variable(self, run, project, monkeypatch):
        monkeypatch.setenv("BBC_FOLLOW_LINKS", "1")
        shown = run("--show-config")[1]
        assert re.search(r"follow-links +1 +environment, BBC_FOLLOW_LINKS", shown), shown


class TestManifest:
    @pytest.mark.parametrize("suffix", ["csv", swept("parquet")])
    @pytest.mark.parametrize("names", ["evil:M", swept("auc evil:M"), "os:system"])
    @pytest.mark.parametrize("more", [(), swept(("--dry-run",))])
    def test_names_no_code(self, run, project, suffix, names, more):
        import pandas as pd

        table = pd.DataFrame({"path": ["p.csv"], "metric": [names]})
        table.to_csv("m.csv", index=False)
        table.to_parquet("m.parquet")
        err = run.refused("batch", f"m.{suffix}", "-o", "r.csv", "--jobs", "1", *more)
        assert err.startswith(f"error: m.{suffix}: a custom metric is code")
        assert not Path("ran").exists()

    def test_the_command_line_may(self, run, project):
        code = "from dataclasses import replace\nfrom bbccli import METRICS\n"
        Path("good.py").write_text(code + "M = replace(METRICS['auc'], name='mine')\n")
        Path("m.csv").write_text("path,seed\np.csv,1\n")
        argv = ("--jobs", "1", "--method", "cvt", "--metric", "good:M")
        assert run("batch", "m.csv", "-o", "r.csv", *argv)[0] == 0


class TestFoundFile:
    @pytest.mark.parametrize("text", ["metric = 'evil:M'", "[correct]\nmetric = ['auc', 'evil:M']"])
    def test_names_no_code(self, run, project, text):
        (project / "bbc.toml").write_text(text)
        err = run.refused("correct", "p.csv")
        assert "metric names code, which only the command line or --config FILE may do" in err
        assert not Path("ran").exists()

    def test_unless_it_is_named(self, run, project):
        (project / "bbc.toml").write_text("metric = 'evil:M'")
        err = run.refused("--config", project / "bbc.toml", "correct", "p.csv")
        assert "cannot import 'evil'" in err
        assert Path("ran").exists()

    @pytest.mark.parametrize("limit", ["repository", "home", "nothing"])
    def test_is_looked_for_no_further_than(self, seed, project, monkeypatch, tmp_path, limit):
        if limit != "repository":
            (project / ".git").rmdir()
        if limit == "nothing":
            monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
        within = {"repository": project, "home": project.parent, "nothing": project / "deep"}[limit]
        (within.parent / "bbc.toml").write_text("seed = 1")
        assert seed() == 0
        (within / "bbc.toml").write_text("seed = 2")
        assert seed() == 2

    @by_root
    @pytest.mark.parametrize("linked", [False, True])
    def test_of_another_owner_is_refused(self, seed, project, linked):
        path = project / "bbc.toml"
        path.write_text("seed = 1")
        if linked:
            path.rename(project / "real.toml")
            path.symlink_to("real.toml")
        os.chown(path, 12345, 12345, follow_symlinks=not linked)
        assert f"error: {path} belongs to another user" in seed()
        assert seed("--config", path) == 1

    @by_root
    def test_of_who_became_root_is_used(self, seed, project, monkeypatch):
        (project / "bbc.toml").write_text("seed = 1")
        os.chown(project / "bbc.toml", 12345, 12345)
        monkeypatch.setenv("SUDO_UID", "12345")
        assert seed() == 1


class TestNamedFile:
    def test_is_the_only_one(self, seed, project):
        (project / "bbc.toml").write_text("seed = 1\nlevel = 7.5\n")
        Path("mine.toml").write_text("seed = 3")
        assert seed("--config", "mine.toml") == 3

    def test_a_table_of_pyproject(self, seed, project):
        Path("pyproject.toml").write_text("[tool.bbc]\nseed = 4\n")
        assert seed("--config", "pyproject.toml") == 4
        Path("pyproject.toml").write_text("[tool.other]\n")
        assert "has no table [tool.bbc]" in seed("--config", "pyproject.toml")

    def test_that_is_not_there(self, seed, project):
        assert seed("--config", "none.toml").startswith("error: none.toml: No such file")

    @pytest.mark.parametrize("first", [True, False])
    def test_shows(self, run, project, first):
        Path("mine.toml").write_text("seed = 3")
        named = ("--config", "mine.toml")
        argv = (*named, "--show-config") if first else ("--show-config", *named)
        assert "mine.toml" in run(*argv)[1]
