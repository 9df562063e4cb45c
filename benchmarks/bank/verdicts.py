"""The table of what the rule says of each candidate, by half."""

import pandas as pd

from benchmarks.bank.decision import named, verdicts
from benchmarks.bank.lines import markdown, name_of
from benchmarks.bank.populations import Half
from benchmarks.tables import Row

REFUSED = "refused for"


def of_verdicts(frame: pd.DataFrame) -> str:
    """Candidates by their interval scores: coverage, width, and where each is refused."""
    halves = {half: by_variant for half in Half if (by_variant := verdicts(frame, half))}
    if not halves:
        return ""
    rows: dict[tuple[str, str], Row] = {}
    for half, by_variant in halves.items():
        for variant, one in sorted(by_variant.items(), key=lambda item: item[1].score):
            row = rows.setdefault(variant, name_of(variant))
            row[f"both ends, {half}"] = f"{one.coverage:.3f}"
            row[f"width, {half}"] = f"{one.width:.3f}"
            row[f"score, {half}"] = f"{one.score:.3f}"
            row[f"{REFUSED}, {half}"] = ", ".join(one.failed) or (
                "" if one.holds else "its coverage"
            )
    note = f"The least interval score of those that hold: {' '.join(named([*halves.values()]))}."
    words = {f"{REFUSED}, {half}" for half in Half}
    return markdown("What the rule says", rows.values(), note, words)
