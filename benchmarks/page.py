"""The tables of benchmarks/performance-tables.md."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.tables import Section, as_markdown, targets_table

PAGE = Path(__file__).resolve().parent / "performance-tables.md"
PART = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end of measured -->)", re.DOTALL)


def renew(machine: Mapping[str, str], sections: Sequence[Section]) -> None:
    """Put the tables of this run between the markers of the page."""
    tables = [table for section in sections for table in section.tables]
    parts = [
        "\n".join(f"- {name}: {value}" for name, value in machine.items()),
        *(as_markdown(table, 2) for table in [targets_table(sections), *tables]),
    ]
    measured = "\n" + "\n\n".join(parts) + "\n\n"
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PART.sub(lambda _: measured, text), encoding="utf-8")
