"""The table of ranks in docs/design.md, held by reading the imports."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "bbccli"

RANKS = [
    {"errors", "text", "types", "notes", "threads", "version", "atomic", "progress"},
    {"outcome", "matrix", "nested", "plan", "resources", "reading", "areas"},
    {"results", "kernels", "metrics", "readers", "resampling", "intervals", "influence"},
    {"selection", "bootstrap", "splitting", "conversion"},
    {"methods"},
    {"dropping"},
    {"simulation", "batch", "analysis", "schema", "gate", "saved", "saved_rows", "inspection"},
    {"reports"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}
# Rooms of one rank may use each other only in this order.
WITHIN = {("metrics", "kernels"), ("intervals", "metrics"), ("intervals", "results")}
WITHIN |= {("influence", "metrics"), ("bootstrap", "selection"), ("splitting", "selection")}
WITHIN |= {
    ("errors", "text"),
    ("matrix", "outcome"),
    ("gate", "schema"),
    ("saved", "schema"),
    ("saved", "saved_rows"),
    ("saved_rows", "schema"),
    ("inspection", "schema"),
    ("matrix", "nested"),
}
WITHIN |= {("analysis", "schema"), ("analysis", "gate"), ("batch", "schema"), ("batch", "analysis")}
WITHIN |= {("batch", "gate")}
HEAVY = {
    "rich": {"reports/table.py", "reports/drop_table.py", "cli"},
    "pandas": {"readers"},
    "pyarrow": {
        "readers",
        "conversion.py",
        "batch/manifest.py",
        "reports/distribution.py",
        "reports/experiments.py",
        "reports/tables.py",
    },
    "dask": {"batch/cluster.py"},
    "fsspec": {"readers/sources/urls.py"},
}

FILES = sorted(p.relative_to(PACKAGE) for p in PACKAGE.rglob("*.py"))


def imports(path):
    """(module, whether at the top of the file) of every import."""
    tree = ast.parse((PACKAGE / path).read_text())
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) in top


def room(path):
    return path.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", [p for p in FILES if len(p.parts) > 1 or room(p) in RANK], ids=str)
def test_imports_go_one_way(path):
    here = room(path)
    for module, _ in imports(path):
        if not module.startswith("bbccli."):
            continue
        there = module.split(".")[1]
        allowed = RANK[there] < RANK[here] or there == here or (here, there) in WITHIN
        assert allowed, f"{path} imports {module}"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_heavy_modules_stay_in_their_rooms(path):
    for module, top in imports(path):
        name = module.split(".")[0]
        if name in HEAVY:
            assert {str(path), path.parts[0]} & HEAVY[name], f"{path} imports {name}"
            assert not (top and name != "rich"), f"{path} imports {name} at the top"
        assert name != "click", f"{path} imports click"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_every_room_is_on_the_plan(path):
    assert room(path) in RANK or path.name in {"__init__.py", "__main__.py"}
