"""A case: some files and a command line; kept as JSON in tests/corpus."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "corpus"


@dataclass(frozen=True)
class Case:
    """A command line that is run in a folder with these files and no others."""

    arguments: tuple[str, ...]
    files: dict[str, bytes]

    def saved(self, why: str) -> str:
        """JSON of the case; bytes that are no text in base64."""
        files = {name: _as_json(data) for name, data in self.files.items()}
        whole = {"why": why, "arguments": self.arguments, "files": files}
        return json.dumps(whole, indent=1) + "\n"


def read_case(path: Path) -> Case:
    """Return a case of the corpus."""
    whole = json.loads(path.read_text())
    files = {
        name: data.encode() if isinstance(data, str) else base64.b64decode(data["base64"])
        for name, data in whole["files"].items()
    }
    return Case(tuple(whole["arguments"]), files)


def _as_json(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
