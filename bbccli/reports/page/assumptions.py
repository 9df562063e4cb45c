"""Assumptions behind a result: met, violated or unknown, as far as the file and its notes tell."""

from __future__ import annotations

from collections.abc import Callable

from bbccli.documents.correct import Envelope
from bbccli.documents.doubts import notes_of
from bbccli.platform.rounding import count
from bbccli.reports.words import phrases

MET, UNKNOWN, VIOLATED = "met", "unknown", "violated"

Seen = Callable[..., str]
"""Codes of notes -> those of them that the result has, in one text."""

Judged = tuple[str, str]
"""State, and by what that is known, or what would tell."""


def assumptions(document: Envelope) -> list[tuple[str, str, str]]:
    """Return the assumptions of a result: each claim, its state, and the evidence."""
    codes = {note.code for note in notes_of(document)}

    def seen(*names: str) -> str:
        return ", ".join(sorted(codes & {*names}))

    return [(claim, *judged(document, seen)) for claim, judged in CLAIMS.items()]


def _out_of_sample(document: Envelope, seen: Seen) -> Judged:
    if names := seen("equals-truth", "group-spans-folds"):
        return VIOLATED, f"See the note {names}."
    if document.stopping:
        names = ", ".join(one.configuration for one in document.stopping)
        return VIOLATED, f"Stopped training by the folds that score it: {names}."
    if names := seen("perfect-configuration", "validity-flags", "stopped-on-fold"):
        return UNKNOWN, f"Perhaps not: see the note {names}."
    checked = document.input.verification
    if checked is not None and checked.n_checked:
        scores = f"{checked.n_checked} of {count(checked.n_scores, 'score')}"
        return UNKNOWN, f"{scores} of the run were reproduced, as they should be."
    return UNKNOWN, "There is no evidence against it in the predictions."


def _all_there(document: Envelope, seen: Seen) -> Judged:
    left_out = ("configurations-left-out", "flagged-left-out", "candidates-missing", "best-alone")
    if names := seen(*left_out, "configurations-dropped"):
        return VIOLATED, f"Some are not: see the note {names}."
    run = document.input.run
    if run is not None and run.n_models == document.input.n_configurations:
        return MET, "All models of the run take part."
    return UNKNOWN, "Configurations that were tried but not recorded are not corrected for."


def _same_samples(document: Envelope, seen: Seen) -> Judged:
    names = seen("available-cases", "common-rows", "samples-left-out", "gaps-within-folds")
    return (VIOLATED, f"There were gaps: see the note {names}.") if names else (MET, "Checked.")


def _independent(document: Envelope, seen: Seen) -> Judged:
    if n_groups := document.input.n_groups:
        return MET, f"{count(n_groups, 'group')} are resampled as wholes."
    return UNKNOWN, "No groups were named; if there are any, name them with --group."


def _one_scale(document: Envelope, seen: Seen) -> Judged:
    ways = {"fold-mean": "by the mean over folds", "within-folds": "by pairs within folds"}
    over_folds = all(estimate.over_folds is None for estimate in document.estimates)
    if (pooling := document.plan.pooling) != "pooled" and over_folds:
        return MET, f"Not needed: selection is {ways[pooling]}."
    if phrases.is_split(document.input):
        return MET, f"There is {phrases.HELD_OUT}."
    if (document.input.n_folds or 0) < 2:
        return UNKNOWN, "The folds are unknown."
    which = "another winner" if seen("winners-differ") else "the same winner"
    return UNKNOWN, f"Selection over folds has {which}."


def _enough_samples(document: Envelope, seen: Seen) -> Judged:
    few = ("redrawn-resamples", "undefined-resamples", "few-folds", "few-evaluated", "few-groups")
    if names := seen(*few, "mean-over-folds", "collapsed-interval", "no-variance"):
        return VIOLATED, f"Perhaps too few: see the note {names}."
    return MET, "No resample had to be drawn again."


def _enough_resamples(document: Envelope, seen: Seen) -> Judged:
    if names := seen("few-resamples", "tolerance-not-reached"):
        return VIOLATED, f"See the note {names}."
    errors = [e.error.value for e in document.estimates if e.error and e.error.value is not None]
    if not errors:
        return MET, "Nothing was drawn."
    return MET, f"The largest Monte Carlo error is {max(errors):.2g}."


def _untold(document: Envelope, seen: Seen) -> Judged:
    return UNKNOWN, "It can't be checked from the file."


CLAIMS: dict[str, Callable[[Envelope, Seen], Judged]] = {
    "Every prediction was made by a model that had not seen the sample.": _out_of_sample,
    "All configurations that were tried are included.": _all_there,
    "All configurations predict the same samples.": _same_samples,
    "Samples, or groups of them, are independent.": _independent,
    "Predictions of different folds are on one scale.": _one_scale,
    "There are enough samples, or groups of them, for the metric in every resample.": (
        _enough_samples
    ),
    "There are enough resamples.": _enough_resamples,
    "The selection rule and the metric were chosen before the results were seen.": _untold,
    "New samples come from the same population.": _untold,
}
"""Each assumption, and the check of it."""
