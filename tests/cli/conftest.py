import pytest
from experiments import TINY


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a small file of predictions."""
    (tmp_path / "p.csv").write_text(TINY)
    monkeypatch.chdir(tmp_path)
    return tmp_path
