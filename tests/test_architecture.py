"""The table of ranks in docs/design.md, held by reading the imports."""

import ast
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "bbccli"

PLAN = (PACKAGE.parent / "docs" / "design.md").read_text()


def ranks():
    """Rank of each room, by the table."""
    rows = re.findall(r"^\| (\d+) \| ([\w, ]+) \|$", PLAN, re.MULTILINE)
    assert [int(rank) for rank, _ in rows] == list(range(len(rows)))
    rooms = [(room, int(rank)) for rank, names in rows for room in names.split(", ")]
    assert len(rooms) == len(dict(rooms))
    return dict(rooms)


RANK = ranks()
AT_THE_ROOT = {"errors": "platform", "types": "domain"}
HEAVY = {
    "rich": {"reports/forms/terminal.py", "cli"},
    # for the types of what `to_frame` returns, and in rows.py to make it
    "pandas": {
        "reading",
        "tools",
        "recording",
        "platform/records/__init__.py",
        "platform/records/rows.py",
        "domain/estimate.py",
        "notebook",
    },
    "pyarrow": {
        "reading",
        "tools",
        "reading/conversion.py",
        "batch/sources.py",
        "reports/forms/predictions.py",
        "reports/forms/tables.py",
    },
    "dask": {"batch/cluster.py", "batch/parts.py"},
    "vl_convert": {"reports/figures/rendering.py"},
    "fsspec": {"reading/sources/urls.py"},
}

FILES = sorted(p.relative_to(PACKAGE) for p in PACKAGE.rglob("*.py"))


@cache
def source(path):
    return (PACKAGE / path).read_text()


@cache
def nodes(path):
    """The body of a file, and the statements that are anywhere in it."""
    tree = ast.parse(source(path))
    return tree.body, list(statements(tree))


def statements(node):
    """All within a node, at any depth: no expression holds an import or a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from statements(child)


@cache
def imports(path):
    """(module, whether at the top of the file) of every import."""
    body, everything = nodes(path)
    top, found = set(map(id, body)), []
    for node in everything:
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) in top))
    return found


def room(path):
    """The folder of a file; errors and types stand at the root for users."""
    return path.parts[0] if len(path.parts) > 1 else AT_THE_ROOT.get(path.stem, "platform")


def used(path):
    """Rooms whose modules a file imports."""
    rooms = {name.split(".")[1] for name, _ in imports(path) if name.startswith("bbccli.")}
    return {
        name if (PACKAGE / name).is_dir() else AT_THE_ROOT.get(name, "platform") for name in rooms
    }


def test_imports_go_one_way():
    """Down the ranks, or within one where no two rooms need each other."""
    inside = [path for path in FILES if path.name != "__main__.py" and len(path.parts) > 1]
    up = [
        (str(path), there)
        for path in inside
        for there in used(path)
        if RANK[there] > RANK[room(path)]
    ]
    assert up == []
    graph = {name: set() for name in RANK}
    for path in inside:
        graph[room(path)] |= used(path) - {room(path)}
    assert circles(graph) == set()


OPENING = {
    "platform/guarded_files.py": "the one place",
    "__main__.py": "descriptors that are closed",
    "platform/atomic.py": "what is written",
    "platform/openings.py": "what is appended",
    "batch/journal.py": "the journal, which is no input",
    "cli/__init__.py": "descriptors that are closed",
    "cli/output.py": "what may be there already",
    "reading/evaluations/files.py": "members of zip files",
    "reading/sources/parquet.py": "bytes, and large files that were opened before",
    "reading/sources/urls.py": "addresses",
    "reports/page/markup.py": "style and references of a page, beside it",
    "reports/figures/rendering.py": "how much memory this process takes",
}
"""Modules that open something, and what."""


def test_one_place_opens_files_for_reading():
    found = set()
    for path in [path for path in FILES if re.search(r"\b(open|read_\w+)\(", source(path))]:
        for node in ast.walk(ast.parse(source(path))):
            called = node.func if isinstance(node, ast.Call) else None
            if getattr(called, "attr", "") in ("open", "read_bytes", "read_text"):
                found.add(path.as_posix())
            if getattr(called, "id", "") == "open":
                found.add(path.as_posix())
    assert found == set(OPENING)


def test_heavy_modules_stay_in_their_rooms():
    wrong = []
    every = [(file, *one) for file in FILES for one in imports(file)]
    for path, module, top in every:
        name = module.split(".")[0]
        here = {str(path), path.parts[0]}
        if name == "click" or (name in HEAVY and not here & HEAVY[name]):
            wrong.append(f"{path} imports {name}")
        if name in HEAVY and top and name != "rich":
            wrong.append(f"{path} imports {name} at the top")
    assert wrong == []


def test_frozen_records_are_those_that_are_made_fast():
    theirs = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    slow = {str(path) for path in FILES if theirs.search(source(path))}
    assert {path for path in slow if "(frozen=True" in source(Path(path))} == set()


def test_every_room_is_on_the_plan():
    rooms = {path.parts[0] for path in FILES if len(path.parts) > 1}
    assert rooms == set(RANK)
    files = {path.name for path in FILES if len(path.parts) == 1}
    assert files == {"__init__.py", "__main__.py", "errors.py", "types.py", "version.py"}


# Size

LONGEST_FILE, LONGEST_FUNCTION = 500, 60


def test_files_are_short():
    long = {str(path) for path in FILES if len(source(path).splitlines()) > LONGEST_FILE}
    assert long == set()


def n_lines(function):
    """Lines of a function but for its docstring."""
    first, n = function.body[0], function.end_lineno - function.lineno + 1
    return n - (first.end_lineno - first.lineno + 1 if ast.get_docstring(function) else 0)


def test_no_two_classes_have_one_name():
    seen = {}
    for path in FILES:
        for node in nodes(path)[1]:
            if isinstance(node, ast.ClassDef):
                seen.setdefault(node.name, []).append(path.as_posix())
    assert {name: paths for name, paths in seen.items() if len(paths) > 1} == {}


OFTEN = {
    "a command, and the same in Python": {"compare", "correct", "drop", "plan"},
    "a command, and what it asks for": {"convert", "inspect", "leaderboard"},
    "a reader": {"load", "recognises", "ensemble_of"},
    "a method, a test, a figure, an interval or a rule": {
        *("run", "law", "combine", "roc", "calibration", "distribution"),
    },
    "a form": {"render", "write", "write_batch", "blocks", "csv_rows"},
    "compiled, and in numpy": {
        *("concordant_weight", "concordant_paired", "concordant_weight_censored"),
        *("best_fractions", "of_bags", "hits", "surprises"),
    },
    "in one process, and on workers": {"select", "score_winners"},
}
"""Names that several public functions have because they do the same for others, with the reason."""


def test_no_two_functions_have_one_name():
    """Who looks for a name finds what it does, in one place."""
    names = [
        node.name
        for path in FILES
        for node in nodes(path)[0]
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    repeated = {name for name in names if names.count(name) > 1}
    assert repeated == set().union(*OFTEN.values())


def test_functions_fit_on_a_screen():
    long = {
        f"{path}:{node.name}"
        for path in FILES
        for node in nodes(path)[1]
        if isinstance(node, ast.FunctionDef) and n_lines(node) > LONGEST_FUNCTION
    }
    assert long == set()


def module_of(path):
    return ".".join(["bbccli", *path.with_suffix("").parts]).removesuffix(".__init__")


def uses(path, known):
    """Modules of the package that a file imports anywhere, also within its functions."""
    for node in nodes(path)[1]:
        if isinstance(node, ast.Import):
            yield from ({alias.name for alias in node.names} & known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                one = f"{node.module}.{alias.name}"
                yield one if one in known else node.module


def circles(graph):
    """Sets of modules each of which leads to all others of its set."""

    def reached(start):
        seen, left = set(), list(graph[start])
        while left:
            module = left.pop()
            if module not in seen:
                seen.add(module)
                left += graph[module]
        return seen

    leads = {module: reached(module) for module in graph}
    return {
        frozenset(other for other in leads[module] if module in leads[other])
        for module in graph
        if module in leads[module]
    }


def test_no_modules_import_each_other_in_a_circle():
    known = {module_of(path) for path in FILES}
    assert circles({module_of(path): set(uses(path, known)) for path in FILES}) == set()


def test_a_circle_is_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}
    assert circles(graph) == {frozenset("bc"), frozenset("d")}
