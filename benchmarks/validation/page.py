"""Measured parts of docs/validation-tables.md, from the records; the text around them is kept."""

import platform
import re
from pathlib import Path

import numpy as np
import scipy

from benchmarks.validation.bias import bias_block, bias_chart
from benchmarks.validation.dropping import drop_block
from benchmarks.validation.inclusion import inclusion_block, paper_block, real_block
from benchmarks.validation.rows import table
from benchmarks.validation.run import settings_of
from benchmarks.validation.settings import Part
from benchmarks.validation.store import Store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation-tables.md"
CHART = "validation-bias.svg"


def renew(page: Path, folder: Path, store: Store) -> None:
    """Put the tables between the markers of the page, and the chart beside it."""
    blocks = {
        "run": _run_block,
        "bias": bias_block,
        "inclusion": inclusion_block,
        "paper": paper_block,
        "real": real_block,
        "drop": drop_block,
    }
    text = page.read_text(encoding="utf-8")
    for name, block in blocks.items():
        text = between(text, name, block(folder, store))
    page.write_text(text, encoding="utf-8")
    if drawing := bias_chart(folder, store):
        (page.parent / CHART).write_text(drawing, encoding="utf-8")


def between(text: str, name: str, block: str) -> str:
    """Put a block between the comments `name` and `end of name`; everything else is kept."""
    part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    return part.sub(lambda _: f"\n{block}\n\n" if block else "\n", text)


def _run_block(folder: Path, store: Store) -> str:
    """What was run: parts, settings, repetitions, versions."""
    rows = []
    for part in Part:
        counts = [len(store.results(s.key)) for s in settings_of(part, folder)]
        if done := [count for count in counts if count]:
            few, many = min(done), max(done)
            rows.append(
                {
                    "part": str(part),
                    "settings": f"{len(done)} of {len(counts)}",
                    "repetitions of each": f"{few} to {many}" if few < many else f"{few}",
                    "in all": f"{sum(done):,}",
                }
            )
    if not rows:
        return ""
    versions = f"bbc {', '.join(sorted(store.versions))}, Python {platform.python_version()}"
    libraries = f"numpy {np.__version__}, scipy {scipy.__version__}"
    return f"{table('Repetitions', ('part',), rows)}\n\n{versions}, {libraries}."
