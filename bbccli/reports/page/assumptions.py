"""What a result rests on: met, violated, or unknown, as far as the file and its notes tell."""

from __future__ import annotations

from dataclasses import dataclass

from bbccli.core.rounding import count
from bbccli.reports import phrases
from bbccli.reports.page.markup import Markup, section, words
from bbccli.schema.correct import Envelope

MET, UNKNOWN, VIOLATED = "met", "unknown", "violated"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that a result rests on.

    Attributes
    ----------
    claim
        What has to be true.
    state
        Met, unknown or violated.
    why
        By what that is known, or what would tell.
    """

    claim: str
    state: str
    why: str


def checklist(document: Envelope) -> Markup:
    """Return the assumptions as a table in words."""
    rows = [(one.claim, one.state, one.why) for one in assumptions(document)]
    columns = ("assumption", "state", "how that is known")
    return section("Assumptions", "assumptions", words("What the figures rest on", columns, rows))


def assumptions(document: Envelope) -> list[Assumption]:
    """Return what a result rests on."""
    codes = {note.code for note in phrases.notes_of(document)}
    return [
        _out_of_sample(document, codes),
        _all_there(document, codes),
        _same_samples(codes),
        _independent(document),
        _one_scale(document, codes),
        _enough_samples(codes),
        _enough_resamples(document, codes),
        Assumption(
            "The rule of selection and the metric were chosen before the results were seen.",
            UNKNOWN,
            "No file can tell.",
        ),
        Assumption("New samples come from where these came from.", UNKNOWN, "No file can tell."),
    ]


def _out_of_sample(document: Envelope, codes: set[str]) -> Assumption:
    claim = "Every prediction was made by a model that had not seen the sample."
    if found := codes & {"equals-truth", "group-spans-folds"}:
        return Assumption(claim, VIOLATED, f"See the note {_names(found)}.")
    if found := codes & {"perfect-configuration", "validity-flags"}:
        return Assumption(claim, UNKNOWN, f"There is doubt: see the note {_names(found)}.")
    checked = document.input.verification
    if checked is not None and checked.n_checked:
        said = f"{checked.n_checked} of {count(checked.n_scores, 'score')} of the run"
        return Assumption(claim, UNKNOWN, f"{said} came out again, as they should.")
    return Assumption(claim, UNKNOWN, "Nothing in the predictions speaks against it.")


def _all_there(document: Envelope, codes: set[str]) -> Assumption:
    claim = "All configurations that were tried are here."
    left = codes & {"configurations-left-out", "flagged-left-out", "candidates-missing"}
    left |= codes & {"configurations-dropped"}
    if left:
        return Assumption(claim, VIOLATED, f"Some are not: see the note {_names(left)}.")
    run = document.input.run
    if run is not None and run.n_models == document.input.n_configurations:
        return Assumption(claim, MET, "All models of the run take part.")
    return Assumption(claim, UNKNOWN, "What was tried and not recorded is not corrected for.")


def _same_samples(codes: set[str]) -> Assumption:
    claim = "All configurations predict the same samples."
    gaps = codes & {"available-cases", "common-rows", "samples-left-out", "gaps-within-folds"}
    if gaps:
        return Assumption(claim, VIOLATED, f"There were gaps: see the note {_names(gaps)}.")
    return Assumption(claim, MET, "Checked.")


def _independent(document: Envelope) -> Assumption:
    claim = "Samples, or groups of them, are independent of each other."
    read = document.input
    if read.n_groups:
        return Assumption(claim, MET, f"{count(read.n_groups, 'group')} are drawn as wholes.")
    return Assumption(claim, UNKNOWN, "No groups were named; name them if there are any.")


def _one_scale(document: Envelope, codes: set[str]) -> Assumption:
    claim = "Predictions of different folds are on one scale."
    pooling = document.plan.pooling
    ways = {"fold-mean": "by the mean over folds", "within-folds": "by pairs within folds"}
    if pooling != "pooled":
        return Assumption(claim, MET, f"It is not needed: selection is {ways[pooling]}.")
    if (document.input.n_folds or 0) < 2:
        if phrases.is_split(document.input):
            return Assumption(claim, MET, f"There is {phrases.HELD_OUT}.")
        return Assumption(claim, UNKNOWN, "The folds are unknown.")
    if "winners-differ" in codes:
        return Assumption(claim, UNKNOWN, "Selection over folds has another winner.")
    return Assumption(claim, UNKNOWN, "Selection over folds has the same winner.")


def _enough_samples(codes: set[str]) -> Assumption:
    claim = "There are samples enough, or groups of them, for the metric in every resample."
    few = codes & {"redrawn-resamples", "undefined-resamples", "few-folds", "few-evaluated"}
    few |= codes & {"wide-fold-mean", "collapsed-interval", "no-variance", "few-groups"}
    if few:
        return Assumption(claim, VIOLATED, f"Hardly: see the note {_names(few)}.")
    return Assumption(claim, MET, "No resample had to be drawn again.")


def _enough_resamples(document: Envelope, codes: set[str]) -> Assumption:
    claim = "There are resamples enough."
    if codes & {"few-resamples", "tolerance-not-reached"}:
        found = codes & {"few-resamples", "tolerance-not-reached"}
        return Assumption(claim, VIOLATED, f"See the note {_names(found)}.")
    errors = [e.error.value for e in document.estimates if e.error]
    known = [error for error in errors if error is not None]
    if not known:
        return Assumption(claim, MET, "Nothing was drawn.")
    return Assumption(claim, MET, f"The largest Monte-Carlo error is {max(known):.2g}.")


def _names(codes: set[str]) -> str:
    return ", ".join(sorted(codes))
