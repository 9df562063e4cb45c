"""Notes on searches whose later configurations follow from the earlier ones."""

from __future__ import annotations

from bbccli.notes.note import CARE, DOUBT, Texts, note

UNSEEN = (
    "report a score on samples that the search never saw (bbc vault, Recorder(vault=0.2)), or "
    "repeat the search in outer folds (ncv)"
)


@note(CARE)
def guided(standing: float, lead: float) -> Texts:
    """Later configurations descend from the best of the earlier ones more often than by chance.
    That costs at most a few hundredths of an AUC for up to about six hyperparameters. See [guided
    searches](guided.md).

    Remedy: nothing for a few hyperparameters; for many switches, features or prompts as for
    `guided-climb`. If nothing in the search depended on a score, say `--guided no`.
    """
    return (
        "later configurations seem derived from the best of the earlier ones, as where a few "
        f"hyperparameters are tuned (standing {standing:.2f}, lead {lead:.2f}; 0.50 if unguided): "
        "bbc corrects for the choice, not for the guidance",
        "nothing to do for a few hyperparameters; otherwise see bbc explain guided-climb; if "
        "nothing was guided, give --guided no",
    )


@guided.also
def guided_by_scores() -> Texts:
    """The user says so, and the order does not show it."""
    return (
        "scores of the earlier configurations guided the search (--guided scores): bbc corrects "
        "for the choice, not for the guidance",
        f"nothing to do for a few hyperparameters; for many switches, features or prompts {UNSEEN}",
    )


@note(DOUBT)
def guided_climb(standing: float, lead: float) -> Texts:
    """The search built on its best so far, like hill climbing, evolution and agents. Every method
    here is too good: by 0.06 of an AUC or accuracy on average in simulations, and from 0.01 to 0.20
    by kind of search. A gate is undecided, and `--tight` refused. Recorded estimators that differ
    in at most six numbers get `guided` instead. See [guided searches](guided.md).

    Remedy: report samples that the search never saw, or repeat the whole search in outer folds. If
    nothing in the search depended on a score, say `--guided no`.
    """
    typical = 0.06 if standing + lead < 1.64 else 0.09  # the validation tables have the searches
    return (
        f"the search built on its best so far (standing {standing:.2f}, lead {lead:.2f}; 0.50 if "
        "unguided): these samples shaped the configurations, so the figure is too good, by "
        f"{typical:.2f} on average in simulations of such searches",
        UNSEEN,
    )


@guided_climb.also
def guided_by_rows() -> Texts:
    """The user says so."""
    return (
        "whoever made the configurations saw these samples (--guided rows): nothing computed from "
        "them shows how good the configurations are on others",
        UNSEEN,
    )
