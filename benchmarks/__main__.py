"""The driver: run every section, print its tables, and the targets last."""

import argparse
import json
import time
from pathlib import Path

from rich.console import Console

from benchmarks import (
    columns,
    ensembles,
    extremes,
    families,
    files,
    grid,
    headline,
    memory,
    million,
    page,
    process,
    scaling,
    searches,
    threads,
)
from benchmarks.machine import describe
from benchmarks.tables import Section, as_rich, targets_table

SECTIONS = (
    headline,
    grid,
    families,
    ensembles,
    scaling,
    extremes,
    threads,
    memory,
    process,
    files,
    million,
    columns,
    searches,
)
QUICK = (headline, grid, families, process, files)


def main() -> None:
    options = parse()
    console = Console(width=None if Console().is_terminal else 110)
    machine = describe()
    console.print(*(f"{name}: {value}" for name, value in machine.items()), sep="\n")
    sections = []
    for section in QUICK if options.quick else SECTIONS:
        start = time.perf_counter()
        sections.append(section.measure(quick=options.quick))
        for table in sections[-1].tables:
            console.print(as_rich(table))
        console.print(f"[dim]{time.perf_counter() - start:.0f} s[/dim]\n")
    console.print(as_rich(targets_table(sections)))
    keep(options, machine, sections)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute: some sections, one size")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the measures there")
    parser.add_argument("--docs", action="store_true", help="renew performance-tables.md")
    return parser.parse_args()


def keep(options: argparse.Namespace, machine: dict[str, str], sections: list[Section]) -> None:
    """Write what was measured where it is asked for."""
    if options.json:
        tables = [table for section in sections for table in section.tables]
        result = {
            "machine": machine,
            "quick": options.quick,
            "tables": {table.name: table.rows for table in tables},
            "targets": targets_table(sections).rows,
        }
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.docs:
        page.renew(machine, sections)


if __name__ == "__main__":
    main()
