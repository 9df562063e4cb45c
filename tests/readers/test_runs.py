"""A folder is read where a tool is known to leave such folders, and refused otherwise."""

import json
from dataclasses import replace

import pytest

from bbccli.errors import InputError
from bbccli.inspection import inspect
from bbccli.readers import read, runs
from bbccli.readers.runs import RUNS, Run
from bbccli.readers.sources.opening import read_table

HEAD = "row_id,truth,prediction\n"
SAID = {"spec": "bbc-predictions", "version": "1", "n_candidates_total": 9}


@pytest.fixture
def folder(tmp_path):
    for name, last in (("knn", 0.9), ("svm", 0.6)):
        place = tmp_path / "search" / name
        place.mkdir(parents=True)
        rows = "".join(f"{i},{'xy'[i % 2]},{0.2 + i % 2 * last / 2}\n" for i in range(8))
        (place / "oof.csv").write_text(HEAD + rows)
    (tmp_path / "search" / "done.txt").write_text("")
    return tmp_path / "search"


@pytest.fixture
def tool(monkeypatch):
    def tables(path):
        found = [read_table(one) for one in sorted(path.glob("*/oof.csv"))]
        return [replace(one, metadata=(json.dumps(SAID), str(path))) for one in found]

    run = Run("tool", lambda path: (path / "done.txt").exists(), tables)
    monkeypatch.setattr(runs, "RUNS", {"tool": run})


def test_the_tables_of_a_known_folder(folder, tool):
    matrix = read(folder)
    assert matrix.configurations == ("knn", "svm")
    assert "candidates-missing" in [note.code for note in matrix.notes]
    assert inspect(folder).n_errors == 0


def test_a_folder_that_nobody_recognises(folder, tool):
    (folder / "done.txt").unlink()
    with pytest.raises(InputError, match="is a directory, not a file"):
        read(folder)


def test_a_folder_is_an_error_without_tools(folder):
    assert RUNS == {}
    with pytest.raises(InputError, match="is a directory, not a file"):
        read(folder)
