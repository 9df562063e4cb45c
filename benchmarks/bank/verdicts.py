"""The table of what the rule says of each candidate for the default, by half."""

import pandas as pd

from benchmarks.bank.decision import decide
from benchmarks.bank.lines import markdown, name_of
from benchmarks.bank.populations import BY_NAME, Half
from benchmarks.tables import Row

REFUSED = "refused for"


def of_verdicts(frame: pd.DataFrame) -> str:
    """Candidates, the tightest first: tightness, inclusion and where it is refused, in each half.

    The half that decides comes first; the other one shows whether it would have said the same.
    """
    rows: dict[tuple[str, str], Row] = {}
    notes = []
    for half in (Half.UNTOUCHED, Half.DEVELOPMENT):
        if not frame["population"].map(lambda name: BY_NAME[name].half is half).any():  # noqa: B023
            continue
        best, verdicts, aside = decide(frame, half)
        for variant, said in sorted(verdicts.items(), key=lambda one: one[1].tightness):
            row = rows.setdefault(variant, name_of(variant))
            row[f"tightness, {half}"] = f"{said.tightness:.3f}"
            row[f"inclusion, {half}"] = f"{said.inclusion:.3f}"
            row[f"{REFUSED}, {half}"] = ", ".join(said.failed) or (
                "" if said.holds else "its inclusion"
            )
        kept_out = ", ".join(aside) or "none"
        notes.append(f"{half}: {kept_out} set aside; the tightest that holds is {' '.join(best)}")
    words = {f"{REFUSED}, {half}" for half in Half}
    return markdown("What the rule says", rows.values(), "; ".join(notes) + ".", words)
