"""Notebooks of the gallery: run cell by cell in this process, and shown as pages of the site.

    python docs/site/notebooks.py

runs all notebooks of docs/examples/ anew, and writes their output into them.
"""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "examples").glob("*.ipynb"))
LIBRARIES = ("numpy", "scipy", "scikit-learn")
"""Packages whose versions may change the output."""

Notebook = dict[str, Any]


def executed(notebook: Notebook) -> Notebook:
    """Return a notebook with the output of its cells, which run in a folder of their own.

    The first cell that fails raises its error.
    """
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.reset(new_session=True)
    cells = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in notebook["cells"]:
            done = _run(shell, cell) if cell["cell_type"] == "code" else {}
            cells.append(cell | done)
    versions = {name: version(name) for name in LIBRARIES}
    return notebook | {"cells": cells, "metadata": notebook["metadata"] | {"versions": versions}}


def _run(shell: Any, cell: Notebook) -> Notebook:
    """Run a code cell and return its outputs."""
    values: list[Any] = []
    shell.display_trap.hook = values.append
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
    number = shell.execution_count - 1
    outputs: list[Notebook] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    for value in (one for one in values if one is not None):
        shown = shell.display_formatter.format(value)[0]
        data = {kind: _lines(text) for kind, text in shown.items()}
        result = {"data": data, "metadata": {}, "execution_count": number}
        outputs.append({"output_type": "execute_result", **result})
    return {"execution_count": number, "outputs": outputs}


def _lines(value: Any) -> Any:
    return value.splitlines(keepends=True) if isinstance(value, str) else value


def read(path: Path) -> Notebook:
    """Return a notebook."""
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return found


def written(notebook: Notebook) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def title_of(notebook: Notebook) -> str:
    """Return its heading."""
    return "".join(notebook["cells"][0]["source"]).partition("\n")[0].strip("# ")


def page(notebook: Notebook, folder: Path, name: str) -> str:
    """Return a notebook as Markdown; its figures are written to a folder.

    Parameters
    ----------
    folder
        Of the figures, from which pages take them as ``figures/...``.
    name
        Of the notebook, with which the names of the figures begin.
    """
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            parts.append(_shown(output, folder, f"{name}-{len(parts)}"))
    return "\n\n".join(parts) + "\n"


def _shown(output: Notebook, folder: Path, name: str) -> str:
    """Return the richest form of an output that a page can show."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = {kind: "".join(text) for kind, text in output["data"].items() if kind != VEGA}
    if "image/svg+xml" in data:
        (folder / f"{name}.svg").write_text(data["image/svg+xml"], encoding="utf-8")
        return f"![{data['text/plain']}](figures/{name}.svg)"
    if "text/html" in data:
        return "\n".join(["```{raw} html", re.sub(r"\n\s*\n", "\n", data["text/html"]), "```"])
    return f"```text\n{data['text/plain']}\n```"


VEGA = "application/vnd.vegalite.v5+json"


if __name__ == "__main__":
    os.environ["PYTHONHASHSEED"] = "0"
    for place in NOTEBOOKS:
        place.write_text(written(executed(read(place))), encoding="utf-8")
        print(place.relative_to(ROOT), file=sys.stderr)
