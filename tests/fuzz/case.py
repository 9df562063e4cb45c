"""A case: some files and a command line; kept as JSON in tests/corpus."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[1] / "corpus"
REAL = Path(__file__).parents[1] / "data" / "runs"
RUN = "run"
"""The folder of a case in which the run of a tool lies."""


@dataclass(frozen=True)
class Link:
    """A symbolic link in place of a file."""

    target: str


Content = bytes | Link | None
"""What lies in the place of a file; None where nothing does."""


@dataclass(frozen=True)
class Case:
    """A command line that is run in a folder with these files and no others.

    `tree` is the run in tests/data/runs that lies in the folder besides; `files` take the place of
    its files.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, Content]
    tree: str = ""

    @property
    def placed(self) -> dict[str, bytes | Link]:
        """Everything that lies in the folder, by path."""
        whole = tree_of(self.tree) | dict(self.files)
        return {name: content for name, content in whole.items() if content is not None}

    def saved(self, why: str) -> str:
        """JSON of the case; bytes that are no text in base64."""
        files = {name: _as_json(data) for name, data in self.files.items()}
        whole = {"why": why, "arguments": self.arguments, "files": files}
        return json.dumps(whole | ({"tree": self.tree} if self.tree else {}), indent=1) + "\n"


@cache
def tree_of(name: str) -> dict[str, Content]:
    """Return the files of a real run, by their paths in the folder of a case."""
    folder = REAL / name
    found = sorted(folder.rglob("*")) if name else []
    return {
        f"{RUN}/{path.relative_to(folder)}": path.read_bytes() for path in found if path.is_file()
    }


def read_case(path: Path) -> Case:
    """Return a case of the corpus."""
    whole = json.loads(path.read_text())
    files = {name: _content(data) for name, data in whole["files"].items()}
    return Case(tuple(whole["arguments"]), files, whole.get("tree", ""))


def _content(data: Any) -> Content:
    if isinstance(data, str):
        return data.encode()
    if data is None:
        return None
    return Link(data["link"]) if "link" in data else base64.b64decode(data["base64"])


def _as_json(data: Content) -> str | dict[str, str] | None:
    if data is None:
        return None
    if isinstance(data, Link):
        return {"link": data.target}
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
