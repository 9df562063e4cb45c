"""Results as pages and figures, for several commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bbccli.core.local import opened

if TYPE_CHECKING:
    from bbccli.reports.evidence import Exhibit
    from bbccli.schema.correct import ErrorEnvelope

PICTURES = ("svg", "png", "pdf", "vl.json")
"""Forms of a figure, by their suffixes."""


def publish_page(
    exhibits: Sequence[Exhibit],
    output: str,
    failures: Sequence[ErrorEnvelope] = (),
    title: str = "",
    *,
    quiet: bool = False,
) -> None:
    """Write a page of results; say on standard error what it says first, and where it is."""
    from bbccli.cli.output import write
    from bbccli.cli.streams import say
    from bbccli.core.text import visible
    from bbccli.reports.page import whole

    one = exhibits[0].document if len(exhibits) == 1 else None
    if one is not None and one.command == "compare":
        from bbccli.reports.content.compare import answer, requirement
        from bbccli.reports.page.compared import page_of_comparison

        write(page_of_comparison(exhibits[0], title), output)
        lines = [visible(f"{answer(one)}."), *([visible(requirement(one))] if one.gate else ())]
    else:
        write(whole.page(exhibits, failures, title), output)
        lines = whole.first_lines(one) if one is not None else []
    if not quiet and output != "-":
        for line in (*lines, f"page: {visible(output)}"):
            say(line)


def is_result(path: str) -> bool:
    """Return whether a file is a saved result, by the mark at the beginning of its JSON."""
    if not path.lower().endswith((".json", ".jsonl")):
        return False
    try:
        with opened(path) as file:
            start = file.read(200)
    except OSError:
        return False
    return re.search(rb'"schema"\s*:\s*"bbc', start) is not None
