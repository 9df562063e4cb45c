"""ROC of the winner, naive and with the selection in it."""

from __future__ import annotations

from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import Absent, Drawn
from bbccli.reports.figures.curves import curve_rows, curves_spec

TITLE = "ROC of the winner"
AT = 10
"""Point of the grid that the sentence is about: a false positive rate of 0.1."""


def draw(exhibit: Exhibit) -> Drawn | Absent:
    """Return the ROC curves."""
    found = exhibit.evidence.roc if exhibit.evidence else None
    if found is None:
        return Absent("roc", TITLE, exhibit.absent("roc"))
    naive, corrected = found.naive[AT], found.corrected[AT]
    reading = "The curves can't be compared at a false positive rate of 0.10."
    if naive is not None and corrected is not None:
        reading = (
            f"At a false positive rate of 0.10 the winner seems to find {naive:.2f} of the "
            f"positives; expect {corrected:.2f}."
        )
    return Drawn(
        "roc",
        TITLE,
        reading,
        "Dashed: the winner on the samples that chose it. Solid: the mean, over "
        f"{found.n_resamples} resamples, of the curve out of the bag of whichever configuration "
        "won in the bag, so that the selection is in it. Predictions of all folds are pooled. "
        "There is no band: the curves themselves are uncertain by about as much as the estimate.",
        ("false positive rate", "true positive rate, naive", "true positive rate, corrected"),
        curve_rows(found),
        curves_spec(found, "false positive rate", "true positive rate"),
    )
