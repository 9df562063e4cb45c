"""The 2024 paper's own inclusion and tightness, by setting and method.

The truth differs between its methods, as they name different winners: the best of all rows, the
best of the validation rows, or the best of the evaluation rows among the 10% preselected.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "reference"
N_REPETITIONS = 200


@dataclass(frozen=True, slots=True)
class Published:
    """Inclusion and tightness of a method in a setting."""

    inclusion: float
    tightness: float


# method: inclusion, mean true performance of its winner, mean bound
COLUMNS = {
    "bbc": ("pooled_0.95_CI_inclusion", "average_theoretical", "average_pooled_lower"),
    "bbc-f": ("fold_0.95_CI_inclusion", "average_theoretical", "average_fold_lower"),
    "delong": ("PercentInclusion95_DeLong", "average_theoretical_validation", "average_DeLong"),
    "hanley-mcneil": (
        "PercentInclusion95_HanleyMcNeil",
        "average_theoretical_validation",
        "average_HanleyMcNeil",
    ),
    "tilting": ("PercentInclusion95_BT", "average_theoretical_validation", "average_BT"),
    "delong-10p": (
        "PercentInclusion95_DeLong_10p",
        "average_theoretical_final",
        "average_DeLong_10p",
    ),
    "hanley-mcneil-10p": (
        "PercentInclusion95_HanleyMcNeil_10p",
        "average_theoretical_final",
        "average_HanleyMcNeil_10p",
    ),
    "tilting-10p": ("PercentInclusion95_BT_10p", "average_theoretical_final", "average_BT_10p"),
    "mabt": ("PercentInclusion95_MABT_10p", "average_theoretical_final", "average_MABT_10p"),
}
# the paper's naive bootstrap resamples the winner's performances in the folds
METHODS = (*COLUMNS, "naive-f")


@cache
def published() -> dict[tuple[str, str], Published]:
    """By setting, named as in the files, and method."""
    figures = {}
    for row in _rows("simulation_summaries_all.csv"):
        for method, (inclusion, truth, bound) in COLUMNS.items():
            figures[row["configuration"], method] = Published(
                float(row[inclusion]), float(row[truth]) - float(row[bound])
            )
    for row in _rows("simulation_summaries_winners_curse.csv"):
        figures[row["setting"], "naive-f"] = Published(
            float(row["inclusion_boot"]), float(row["tightness_boot"])
        )
    return figures


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
